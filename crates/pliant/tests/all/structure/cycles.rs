//! The files of a module form no cycle.
//!
//! *The idea*: a module's nodes are its own file (`mod.rs`) and its submodules, each a file or a folder. An edge is a path from
//! one to another, by `crate::`, `super::` or `self::`. A path to an item of the module leads to the file that defines it:
//! `super::Item` is an edge to `x.rs` where the module's own file says `use x::Item`. Declaring a submodule, or re-exporting
//! from it, is no edge. Tests are left out: they may use everything.

use super::differences;
use super::imports::Root;
use super::source::{declared, module_path, read, rust_files, src};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Files that are in a cycle today. To be shortened, never to be lengthened.
const IN_CYCLES: &[&str] = &[];

/// A module's own file, as a node.
const OWN: &str = "mod";

/// A path of the crate, from its root.
type Segments = Vec<String>;

/// A source file.
struct Source {
    /// `[contact, star]`; of a module's own file `[contact]`.
    module: Segments,
    /// Without comments, strings and test modules.
    code: String,
}

impl Source {
    fn new(file: &Path, text: &str) -> Self {
        Self { module: module_path(file), code: stripped(text) }
    }

    /// Whether it is, or is part of, the tests of a module.
    fn is_test(&self) -> bool {
        self.module.iter().any(|m| m == "tests" || m == "suite")
    }
}

/// Modules of a crate, and the names their own files bring into scope.
struct Crate {
    sources: Vec<Source>,
    /// Submodules of each module.
    children: BTreeMap<Segments, Vec<String>>,
    /// Names that a module's own file takes from a submodule, and the submodule.
    reexports: BTreeMap<Segments, BTreeMap<String, String>>,
}

impl Crate {
    /// `files` are paths below `src` and texts.
    fn new(files: &[(&Path, &str)]) -> Self {
        let mut children = BTreeMap::new();
        let mut reexports: BTreeMap<Segments, BTreeMap<String, String>> = BTreeMap::new();
        for (file, text) in files {
            let module = module_path(file);
            let own: Vec<String> = declared(text).into_iter().map(|d| d.name).collect();
            let uses = uses(&stripped(text));
            for path in uses.iter().map(|u| &u.path) {
                if let [child, .., item] = path.as_slice()
                    && own.contains(child)
                {
                    reexports.entry(module.clone()).or_default().insert(item.clone(), child.clone());
                }
            }
            children.insert(module, own);
        }
        let sources = files.iter().map(|(file, text)| Source::new(file, text)).filter(|s| !s.is_test()).collect();
        Self { sources, children, reexports }
    }

    /// The node of `module` that a path from the crate's root leads to; none if it leads elsewhere.
    fn node(&self, module: &[String], path: &[String]) -> Option<String> {
        let next = path.strip_prefix(module)?.first()?;
        if self.children[module].contains(next) {
            return Some(next.clone());
        }
        let from = self.reexports.get(module).and_then(|names| names.get(next));
        Some(from.cloned().unwrap_or_else(|| OWN.to_owned()))
    }

    /// Edges between the nodes of `module`.
    fn edges(&self, module: &[String], root: &Root) -> BTreeSet<(String, String)> {
        let mut edges = BTreeSet::new();
        for source in self.sources.iter().filter(|s| s.module.starts_with(module)) {
            let from = source.module.get(module.len()).map_or(OWN, String::as_str);
            for path in paths(source, &self.children[&source.module], root) {
                if let Some(to) = self.node(module, &path).filter(|to| to != from) {
                    edges.insert((from.to_owned(), to));
                }
            }
        }
        edges
    }

    /// Nodes of `module` from which a way leads back to them.
    fn in_cycles(&self, module: &[String], root: &Root) -> Vec<String> {
        let edges = self.edges(module, root);
        let after = |node: &str| -> BTreeSet<&str> {
            let (mut seen, mut open) = (BTreeSet::new(), vec![node.to_owned()]);
            while let Some(node) = open.pop() {
                let next = edges.iter().filter(|(from, _)| *from == node).map(|(_, to)| to.as_str());
                open.extend(next.filter(|to| seen.insert(*to)).map(str::to_owned));
            }
            seen
        };
        let nodes: BTreeSet<&str> = edges.iter().flat_map(|(a, b)| [a.as_str(), b.as_str()]).collect();
        nodes.into_iter().filter(|n| after(n).contains(n)).map(str::to_owned).collect()
    }
}

/// A `use` declaration: whether it is public, and one path of it, as written.
struct Use {
    public: bool,
    path: Segments,
}

/// Every path of every `use` declaration.
fn uses(code: &str) -> Vec<Use> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let line_start = code[..at].rfind('\n').map_or(0, |i| i + 1);
        let before = code[line_start..at].trim();
        if before.is_empty() || before == "pub" || before.starts_with("pub(") {
            let public = !before.is_empty();
            found.extend(tree(&code[at + "use ".len()..]).into_iter().map(|path| Use { public, path }));
        }
    }
    found
}

/// Paths of the crate that a file names, from the crate's root.
fn paths(source: &Source, children: &[String], root: &Root) -> Vec<Segments> {
    let mut found: Vec<Segments> = Vec::new();
    for (start, base) in starts(&source.code, &source.module) {
        found.extend(tree(&source.code[start..]).into_iter().map(|path| [base.clone(), path].concat()));
    }
    // A module's own file names its submodules without a prefix. Re-exports count only where the file uses the name itself.
    let own_uses = uses(&source.code);
    let used_in_code = |name: &str| {
        let declarations = own_uses.iter().filter(|u| u.path.last().is_some_and(|l| l == name)).count();
        words_of(&source.code).filter(|w| *w == name).count() > declarations
    };
    for Use { public, path } in &own_uses {
        if let [child, .., item] = path.as_slice()
            && children.contains(child)
            && (!public || used_in_code(item))
        {
            found.push([source.module.clone(), path.clone()].concat());
        }
    }
    let in_code = children.iter().filter(|child| names_in_code(&source.code, child));
    found.extend(in_code.map(|child| [source.module.clone(), vec![child.clone()]].concat()));
    for path in &mut found {
        if let Some((_, module)) = path.first().and_then(|first| root.exported.iter().find(|(name, _)| name == first)) {
            path.insert(0, module.clone());
        }
    }
    found
}

/// Whether `child::` begins a path outside of `use` declarations.
fn names_in_code(code: &str, child: &str) -> bool {
    let start = format!("{child}::");
    code.match_indices(&start).any(|(at, _)| {
        let before = &code[..at];
        let in_use = before.rfind(';').max(before.rfind('}')).map_or(before, |i| &before[i + 1..]).contains("use ");
        !before.ends_with(|c: char| c == ':' || c == '_' || c.is_alphanumeric()) && !in_use
    })
}

/// Where paths go on after `crate::`, `self::` and `super::`, and the module they start from.
fn starts(code: &str, module: &[String]) -> Vec<(usize, Segments)> {
    let mut found = Vec::new();
    for (word, up) in [("crate::", None), ("self::", Some(0)), ("super::", Some(1))] {
        for (at, _) in code.match_indices(word) {
            if code[..at].ends_with(|c: char| c == ':' || c == '_' || c.is_alphanumeric()) {
                continue;
            }
            let rest = &code[at + word.len()..];
            let more = (rest.len() - rest.trim_start_matches("super::").len()) / "super::".len();
            let base = match up {
                None => Some(Vec::new()),
                Some(up) => module.len().checked_sub(up + more).map(|n| module[..n].to_vec()),
            };
            found.extend(base.map(|base| (at + word.len() + more * "super::".len(), base)));
        }
    }
    found
}

/// Paths of a `use` tree, or the one path that stands there.
fn tree(text: &str) -> Vec<Segments> {
    let text = text.trim_start();
    if let Some(group) = text.strip_prefix('{') {
        let (mut depth, mut start, mut found) = (0, 0, Vec::new());
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    found.extend(tree(&group[start..at]));
                    start = at + 1;
                    if c == '}' {
                        break;
                    }
                }
                _ => {}
            }
        }
        return found;
    }
    let name: String = text.chars().take_while(|c| *c == '_' || c.is_alphanumeric() || *c == '*').collect();
    if name.is_empty() {
        return Vec::new();
    }
    let own = || if name == "self" { Vec::new() } else { vec![name.clone()] };
    match text[name.len()..].strip_prefix("::") {
        Some(rest) => {
            let inner = tree(rest);
            if inner.is_empty() { vec![own()] } else { inner.into_iter().map(|path| [own(), path].concat()).collect() }
        }
        None => vec![own()],
    }
}

fn words_of(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| c != '_' && !c.is_alphanumeric()).filter(|w| !w.is_empty())
}

/// The code without comments, the contents of strings, and modules that only tests have.
fn stripped(text: &str) -> String {
    let (mut code, mut in_tests, mut before) = (String::new(), false, "");
    for line in text.lines() {
        let cut = line.split_once("//").map_or(line, |(code, _)| code);
        let cut: String = cut.split('"').step_by(2).collect::<Vec<_>>().join("\"\"");
        in_tests |= before == "#[cfg(test)]" && line.starts_with("mod ") && line.ends_with('{');
        if !in_tests {
            code += &cut;
            code.push('\n');
        }
        in_tests &= line != "}";
        before = line;
    }
    code
}

/// Nodes in cycles of a made-up crate whose root re-exports `Thing` of module `m`.
fn cycles_of(module: &str, files: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<(&Path, &str)> = files.iter().map(|(path, text)| (Path::new(*path), *text)).collect();
    let root = Root::of("pub mod m;\npub use m::Thing;\n");
    let module: Segments = module.split('/').map(str::to_owned).collect();
    Crate::new(&files).in_cycles(&module, &root)
}

#[test]
fn cycles_are_noticed_however_they_are_written() {
    let two = |a: &str, b: &str| {
        cycles_of("m", &[("m/mod.rs", "mod a;\nmod b;\npub use b::{B, C};\n"), ("m/a.rs", a), ("m/b.rs", b)])
    };
    let back = "use super::a::A;\n";
    for there in [
        "use super::b::B;\n",
        "use super::{\n    b::{self, B},\n};\n",
        "use super::B;\n",
        "use crate::m::b;\n",
        "use crate::m::{B, C};\n",
        "fn f() -> super::b::B {}\n",
        "fn f() { crate::m::b::g(\"\") }\n",
    ] {
        assert_eq!(two(there, back), ["a", "b"], "{there}");
        assert!(two(there, "").is_empty(), "{there}");
    }
    for harmless in [
        "// super::b::B\n",
        "const A: &str = \"super::b\";\n",
        "#[cfg(test)]\nmod tests {\n    use super::super::b;\n}\n",
    ] {
        assert!(two(harmless, back).is_empty(), "{harmless}");
    }
}

#[test]
fn a_file_and_the_module_it_is_in_may_form_a_cycle_too() {
    let child = [("m/a.rs", "use super::Thing;\n")];
    let own = |text: &'static str| cycles_of("m", &[&[("m/mod.rs", text)][..], &child].concat());
    assert_eq!(own("mod a;\npub struct Thing;\nfn f() { a::g() }\n"), ["a", "mod"]);
    assert_eq!(own("mod a;\nuse a::A;\npub struct Thing(A);\n"), ["a", "mod"]);
    assert_eq!(own("mod a;\npub use a::A;\npub struct Thing(A);\n"), ["a", "mod"]);
    // Declaring and re-exporting are no use.
    assert!(own("mod a;\npub use a::A;\npub struct Thing;\n").is_empty());
    assert!(own("mod a;\nmod b;\npub use b::Thing;\nfn f() { a::g() }\n").is_empty());
    // By the name that the crate's root gives it.
    let by_root = [("m/mod.rs", "mod a;\npub struct Thing;\nfn f() { a::g() }\n"), ("m/a.rs", "use crate::Thing;\n")];
    assert_eq!(cycles_of("m", &by_root), ["a", "mod"]);
}

#[test]
fn folders_are_nodes_of_the_module_they_are_in() {
    let files = [
        ("m/mod.rs", "mod a;\nmod b;\n"),
        ("m/a/mod.rs", "mod x;\nmod y;\n"),
        ("m/a/x.rs", "use super::super::b::B;\nuse super::y::Y;\n"),
        ("m/a/y.rs", "use super::x::X;\n"),
        ("m/b.rs", "use super::a::x::X;\n"),
    ];
    assert_eq!(cycles_of("m", &files), ["a", "b"]);
    assert_eq!(cycles_of("m/a", &files), ["x", "y"]);
}

#[test]
fn the_files_of_a_module_form_no_cycle() {
    let texts: Vec<_> =
        rust_files(&src()).into_iter().map(|f| (f.strip_prefix(src()).unwrap().to_owned(), read(&f))).collect();
    let files: Vec<(&Path, &str)> = texts.iter().map(|(f, text)| (f.as_path(), text.as_str())).collect();
    let files: Vec<_> = files.into_iter().filter(|(f, _)| *f != Path::new("lib.rs")).collect();
    let root = Root::of(&read(&src().join("lib.rs")));
    let all = Crate::new(&files);
    assert!(all.children.values().filter(|c| !c.is_empty()).count() > 10);
    let mut found = Vec::new();
    for module in all.children.keys().filter(|m| !m.iter().any(|n| n == "tests")) {
        found.extend(all.in_cycles(module, &root).into_iter().map(|node| format!("{}/{node}", module.join("/"))));
    }
    let wrong = differences(&found, IN_CYCLES);
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
