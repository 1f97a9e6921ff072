//! The house keeps its order: imports go one way, files stay short, `unsafe` stays in one place.
//!
//! Read as text, not compiled: comments are cut off at `//`, and modules written inline are those that rustfmt
//! leaves between `mod name {` and `}` at the start of a line. *Not promised*: paths that a macro puts together.

use std::fs;
use std::path::{Path, PathBuf};

/// Longer files are two files.
const MOST_LINES: usize = 500;

/// The only file that may say `unsafe`.
const LANES: &str = "pliant/src/math/lanes.rs";

#[test]
fn a_module_names_only_modules_declared_before_it() {
    let root = Root::of(&read(&src().join("lib.rs")));
    assert!(root.modules.len() > 5, "lib.rs declares its modules one a line: found {:?}", root.modules);
    let mut wrong = Vec::new();
    for file in rust_files(&src()).iter().filter(|f| **f != src().join("lib.rs")) {
        let path = module_path(file.strip_prefix(src()).unwrap());
        for (line, name) in root.names_reached_from(&path, &read(file)) {
            if let Err(why) = root.may_name(&path[0], &name) {
                wrong.push(format!("{}:{line}: {why}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn modules_are_declared_in_the_order_that_architecture_shows() {
    let text = read(&crates().with_file_name("ARCHITECTURE.md"));
    let shown = text.lines().find_map(|line| line.strip_prefix("modules ")).expect("ARCHITECTURE.md shows the order");
    let shown: Vec<&str> = shown.split('→').map(str::trim).collect();
    assert_eq!(Root::of(&read(&src().join("lib.rs"))).modules, shown);
}

#[test]
fn a_path_to_a_later_module_is_noticed_however_it_is_written() {
    let root = Root::of("pub mod math;\npub mod fields;\nmod world;\npub use world::{World, Energy};\n");
    let wrong = |file: &str, text: &str| -> Vec<usize> {
        let path = module_path(Path::new(file));
        let reached = root.names_reached_from(&path, text);
        reached.into_iter().filter(|(_, name)| root.may_name(&path[0], name).is_err()).map(|(line, _)| line).collect()
    };
    assert_eq!(wrong("math/mod.rs", "use crate::fields::Shape;\n"), [1]);
    assert_eq!(wrong("math/mod.rs", "\nfn f() -> super::fields::Shape {}\n"), [2]);
    assert_eq!(wrong("math/bounds.rs", "use super::super::world;\n"), [1]);
    assert_eq!(wrong("fields/mod.rs", "use crate::{\n    math::DVec3,\n    world::LayerPair,\n};\n"), [1]);
    assert_eq!(wrong("fields/mod.rs", "use crate::World;\n"), [1]);
    assert_eq!(wrong("fields/mod.rs", "use crate::*;\n"), [1]);
    assert_eq!(wrong("fields/mod.rs", "mod tests {\n    use super::super::world;\n}\n"), [2]);

    assert!(wrong("fields/mod.rs", "use crate::math::Aabb;\nuse super::math;\n").is_empty());
    assert!(wrong("fields/mod.rs", "/// See `crate::world`.\nmod tests {\n    use super::*;\n}\n").is_empty());
    assert!(wrong("fields/skeleton/ball.rs", "use super::super::Kernel;\n").is_empty());
    assert!(wrong("world.rs", "use crate::{fields, math};\npub(crate) fn f() {}\n").is_empty());
}

#[test]
fn no_file_is_too_long_to_read() {
    let files = rust_files(&crates());
    assert!(files.len() > 50, "found only {} files", files.len());
    let lengths = files.iter().map(|f| (read(f).lines().count(), f)).filter(|(n, _)| *n > MOST_LINES);
    let long: Vec<_> = lengths.map(|(n, f)| format!("{}: {n} lines", f.display())).collect();
    assert!(long.is_empty(), "over {MOST_LINES} lines:\n{}", long.join("\n"));
}

#[test]
fn unsafe_stands_only_where_lanes_are_chosen() {
    let mut found = Vec::new();
    for file in rust_files(&crates()).iter().filter(|f| f.components().any(|c| c.as_os_str() == "src")) {
        let uses = read(file).lines().any(|line| words(code(line)).any(|w| w == "unsafe"));
        if uses {
            found.push(file.strip_prefix(crates()).unwrap().to_path_buf());
        }
    }
    assert_eq!(found, [Path::new(LANES)]);
}

#[test]
fn every_public_module_says_what_it_is_for() {
    let mut silent = Vec::new();
    for file in rust_files(&src()) {
        let folder = match file.file_stem().and_then(|s| s.to_str()) {
            Some("lib" | "mod") => file.parent().unwrap().to_path_buf(),
            _ => file.with_extension(""),
        };
        for name in declared(&read(&file)).into_iter().filter(|m| m.public).map(|m| m.name) {
            let flat = folder.join(format!("{name}.rs"));
            let head = if flat.exists() { flat } else { folder.join(&name).join("mod.rs") };
            if !read(&head).starts_with("//! ") {
                silent.push(head.display().to_string());
            }
        }
    }
    assert!(silent.is_empty(), "without a head:\n{}", silent.join("\n"));
}

#[test]
fn the_readme_shows_the_scene_that_new_writes() {
    let scene = read(&crates().join("pliant-cli/src/commands/new.toml"));
    let readme = read(&crates().with_file_name("README.md"));
    assert!(readme.contains(&format!("```toml\n{scene}```")), "copy new.toml into README.md");
}

/// `mod name;` in a file.
struct Declared {
    name: String,
    public: bool,
}

/// What lib.rs declares.
struct Root {
    /// In the order of the flow.
    modules: Vec<String>,
    /// Names that lib.rs re-exports, and the module each comes from.
    exported: Vec<(String, String)>,
}

impl Root {
    fn of(lib: &str) -> Self {
        let modules: Vec<String> = declared(lib).into_iter().map(|m| m.name).collect();
        let mut exported = Vec::new();
        for (at, _) in lib.match_indices("pub use ") {
            let rest = &lib[at + "pub use ".len()..];
            let Some((module, names)) = rest.split_once("::") else { continue };
            exported.extend(first_names(names).into_iter().map(|name| (name, module.to_owned())));
        }
        Self { modules, exported }
    }

    /// Whether `module` may name `name` of the crate's root; if not, why.
    fn may_name(&self, module: &str, name: &str) -> Result<(), String> {
        let from = self.exported.iter().find(|(n, _)| n == name).map_or(name, |(_, module)| module);
        let place = |m: &str| self.modules.iter().position(|n| n == m);
        match (place(module), place(from)) {
            (Some(own), Some(other)) if other <= own => Ok(()),
            (Some(_), Some(_)) => Err(format!("{module} names {from}, which is declared after it in lib.rs")),
            (None, _) => Err(format!("{module} is not declared in lib.rs")),
            (_, None) => Err(format!("{module} names {name} of the crate's root; name the module it comes from")),
        }
    }

    /// Names of the crate's root that the text of module `path` reaches by `crate::` or by enough `super::`,
    /// each with its line.
    fn names_reached_from(&self, path: &[String], text: &str) -> Vec<(usize, String)> {
        let code: String = text.lines().map(|line| format!("{}\n", code(line))).collect();
        let (mut at, mut inline) = (0, false);
        let mut found = Vec::new();
        for (number, line) in code.lines().enumerate() {
            inline = match line {
                "}" => false,
                _ => inline || (words(line).any(|w| w == "mod") && line.ends_with('{') && !line.starts_with(' ')),
            };
            let depth = path.len() + usize::from(inline);
            for (start, supers) in path_starts(line) {
                if supers.is_none_or(|n| n == depth) {
                    let names = first_names(&code[at + start..]);
                    found.extend(names.into_iter().map(|name| (number + 1, name)));
                }
            }
            at += line.len() + 1;
        }
        found
    }
}

/// Where in `line` a path goes on after `crate::` (`None`) or after so many `super::`.
fn path_starts(line: &str) -> Vec<(usize, Option<usize>)> {
    let starts_path = |at: usize| !line[..at].ends_with(|c: char| c == ':' || c == '_' || c.is_alphanumeric());
    let mut found = Vec::new();
    for (at, _) in line.match_indices("crate::").filter(|(at, _)| starts_path(*at)) {
        found.push((at + "crate::".len(), None));
    }
    for (at, _) in line.match_indices("super::").filter(|(at, _)| starts_path(*at)) {
        let supers = (line[at..].len() - line[at..].trim_start_matches("super::").len()) / "super::".len();
        found.push((at + supers * "super::".len(), Some(supers)));
    }
    found
}

/// The first name of a path, or of each path in a group in braces. A glob is the name `*`.
fn first_names(path: &str) -> Vec<String> {
    let first = |path: &str| -> Option<String> {
        let path = path.trim_start();
        let glob = path.starts_with('*').then(|| "*".to_owned());
        glob.or_else(|| words(path).next().map(str::to_owned)).filter(|name| path.starts_with(name.as_str()))
    };
    let Some(group) = path.strip_prefix('{') else { return first(path).into_iter().collect() };
    let (mut depth, mut names) = (0, Vec::new());
    let mut start = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                names.extend(first(&group[start..at]));
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names
}

/// Modules declared in a file of their own, in order.
fn declared(text: &str) -> Vec<Declared> {
    let declaration = |line: &str| {
        let line = code(line).trim();
        let (public, rest) = line.strip_prefix("pub ").map_or((false, line), |rest| (true, rest));
        let name = rest.strip_prefix("pub(crate) ").unwrap_or(rest).strip_prefix("mod ")?.strip_suffix(';')?;
        Some(Declared { name: name.to_owned(), public })
    };
    text.lines().filter_map(declaration).collect()
}

/// `contact/ccd.rs` is `[contact, ccd]`; `contact/mod.rs` is `[contact]`.
fn module_path(file: &Path) -> Vec<String> {
    let file = file.with_extension("");
    let parts = file.components().map(|c| c.as_os_str().to_string_lossy().into_owned());
    parts.filter(|part| part != "mod").collect()
}

fn code(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _)| code).trim_end()
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| c != '_' && !c.is_alphanumeric()).filter(|w| !w.is_empty())
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Every `.rs` file below `folder`, in the order of names. Folders cargo builds in are passed over.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    let mut files = Vec::new();
    for entry in entries {
        if entry.is_dir() && !entry.ends_with("target") {
            files.extend(rust_files(&entry));
        } else if entry.extension().is_some_and(|e| e == "rs") {
            files.push(entry);
        }
    }
    files
}
