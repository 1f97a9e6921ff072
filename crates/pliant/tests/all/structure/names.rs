//! No two public types of the workspace have one name.

use super::differences;
use super::source::{code, crates, read, rust_files, words};
use std::collections::BTreeMap;

/// Names that two or more public types have today. To be shortened, never to be lengthened.
const NAMED_TWICE: &[&str] = &[];

/// Public types declared in a file.
fn public_types(text: &str) -> Vec<String> {
    let declared = |line: &str| {
        let mut rest = words(code(line).trim().strip_prefix("pub ")?).skip_while(|w| *w == "unsafe");
        matches!(rest.next()?, "struct" | "enum" | "trait" | "type" | "union")
            .then(|| rest.next().map(str::to_owned))?
    };
    text.lines().filter_map(declared).collect()
}

/// Names declared in more than one place of `files`, which are paths and texts, and those places.
fn named_twice(files: &[(String, String)]) -> BTreeMap<String, String> {
    let mut places: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (path, text) in files {
        public_types(text).into_iter().for_each(|name| places.entry(name).or_default().push(path));
    }
    let twice = places.into_iter().filter(|(_, places)| places.len() > 1);
    twice.map(|(name, places)| (name, places.join(", "))).collect()
}

#[test]
fn a_public_name_used_twice_is_noticed() {
    let files = |texts: &[&str]| -> Vec<(String, String)> {
        texts.iter().enumerate().map(|(i, text)| (format!("{i}.rs"), (*text).to_owned())).collect()
    };
    let pair = |name: &str, places: &str| BTreeMap::from([(name.to_owned(), places.to_owned())]);
    assert_eq!(named_twice(&files(&["pub struct Place {", "pub enum Place<T> {"])), pair("Place", "0.rs, 1.rs"));
    assert_eq!(named_twice(&files(&["pub trait A: B {\npub type A = u8;"])), pair("A", "0.rs, 0.rs"));
    let fine =
        ["pub struct Place;", "struct Place;\npub(crate) enum Place {", "// pub struct Place\n    type Place = u8;"];
    assert!(named_twice(&files(&fine)).is_empty());
}

#[test]
fn no_two_public_types_have_one_name() {
    let files = rust_files(&crates()).into_iter().filter(|f| f.components().any(|c| c.as_os_str() == "src"));
    let files: Vec<_> = files.map(|f| (f.strip_prefix(crates()).unwrap().display().to_string(), read(&f))).collect();
    assert!(files.iter().map(|(_, text)| public_types(text).len()).sum::<usize>() > 100);
    let found = named_twice(&files);
    let wrong = differences(&found.keys().cloned().collect::<Vec<_>>(), NAMED_TWICE);
    assert!(wrong.is_empty(), "\n{}\nall: {found:#?}", wrong.join("\n"));
}
