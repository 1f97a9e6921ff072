//! Source files as text: comments are cut off at `//`, and inline modules are those that rustfmt leaves between `mod name {`
//! and `}` at the start of a line. *Not promised*: paths that a macro puts together.

use std::fs;
use std::path::{Path, PathBuf};

/// `mod name;` in a file.
pub struct Declared {
    pub name: String,
    pub public: bool,
}

/// Where in `line` a path goes on after `crate::` (`None`) or after so many `super::`.
pub fn path_starts(line: &str) -> Vec<(usize, Option<usize>)> {
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
pub fn first_names(path: &str) -> Vec<String> {
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
pub fn declared(text: &str) -> Vec<Declared> {
    let declaration = |line: &str| {
        let line = code(line).trim();
        let (public, rest) = line.strip_prefix("pub ").map_or((false, line), |rest| (true, rest));
        let name = rest.strip_prefix("pub(crate) ").unwrap_or(rest).strip_prefix("mod ")?.strip_suffix(';')?;
        Some(Declared { name: name.to_owned(), public })
    };
    text.lines().filter_map(declaration).collect()
}

/// `contact/star.rs` is `[contact, star]`; `contact/mod.rs` is `[contact]`.
pub fn module_path(file: &Path) -> Vec<String> {
    let file = file.with_extension("");
    let parts = file.components().map(|c| c.as_os_str().to_string_lossy().into_owned());
    parts.filter(|part| part != "mod").collect()
}

pub fn code(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _)| code).trim_end()
}

pub fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| c != '_' && !c.is_alphanumeric()).filter(|w| !w.is_empty())
}

pub fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

pub fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Every `.rs` file below `folder`, in the order of names. Folders cargo builds in are passed over.
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
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
