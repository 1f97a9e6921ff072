//! Structure of the workspace: imports go one way, the files of a module form no cycle, public names are used once, files
//! stay short, `unsafe` stays in one place.

mod cycles;
mod imports;
mod names;
mod source;

use source::{code, crates, declared, read, rust_files, src, words};
use std::path::Path;

/// Longer files are two files.
const MAX_LINES: usize = 500;

/// The only file that may say `unsafe`.
const LANES: &str = "pliant/src/math/lanes.rs";

/// Entries of `found` that are not `allowed`, and entries of `allowed` that are not `found`: both are to be mended.
fn differences(found: &[String], allowed: &[&str]) -> Vec<String> {
    let new = found.iter().filter(|f| !allowed.contains(&f.as_str())).map(|f| format!("new: {f}"));
    let stale = allowed.iter().filter(|a| !found.iter().any(|f| f == *a));
    new.chain(stale.map(|a| format!("no longer so, remove it from the list: {a}"))).collect()
}

#[test]
fn a_list_of_exceptions_may_be_neither_too_short_nor_too_long() {
    let found = ["a", "b"].map(str::to_owned);
    assert!(differences(&found, &["a", "b"]).is_empty());
    assert_eq!(differences(&found, &["b"]), ["new: a"]);
    assert_eq!(differences(&found, &["a", "b", "c"]), ["no longer so, remove it from the list: c"]);
}

/// Whether a file is over the limit: its number of lines if it is.
fn too_long(text: &str) -> Option<usize> {
    Some(text.lines().count()).filter(|n| *n > MAX_LINES)
}

#[test]
fn a_file_of_501_lines_is_too_long() {
    assert_eq!((too_long(&"\n".repeat(500)), too_long(&"\n".repeat(501))), (None, Some(501)));
}

#[test]
fn no_file_is_too_long_to_read() {
    let files = rust_files(&crates());
    assert!(files.len() > 50, "found only {} files", files.len());
    let long: Vec<_> =
        files.iter().filter_map(|f| too_long(&read(f)).map(|n| format!("{}: {n} lines", f.display()))).collect();
    assert!(long.is_empty(), "over {MAX_LINES} lines:\n{}", long.join("\n"));
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

/// `f64::max(NaN, x)` is x, so that a measurement which failed would vanish from a law.
#[test]
fn laws_do_not_drop_nan() {
    let mut found = Vec::new();
    for file in rust_files(&src().join("verify")) {
        for (number, line) in read(&file).lines().enumerate() {
            if ["f64::max", "f64::min", ".max(0.0)", ".min(0.0)"].iter().any(|call| code(line).contains(call)) {
                found.push(format!("{}:{}: {}", file.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "use greatest, least, worse or excess:\n{}", found.join("\n"));
}

/// Laws and tests must not depend on the speed of the machine.
#[test]
fn no_law_and_no_test_reads_a_clock() {
    let is_test = |file: &Path| file.components().any(|c| c.as_os_str() == "tests" || c.as_os_str() == "verify");
    let mut found = Vec::new();
    for file in rust_files(&crates()).iter().filter(|f| is_test(f)) {
        // Put together, so that this line is not one of them.
        let clocks = [concat!("Ins", "tant"), concat!("System", "Time"), concat!("elap", "sed")];
        if read(file).lines().any(|line| words(code(line)).any(|w| clocks.contains(&w))) {
            found.push(file.strip_prefix(crates()).unwrap().display().to_string());
        }
    }
    assert!(found.is_empty(), "{found:?}");
}
