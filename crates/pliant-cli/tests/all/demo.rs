//! `pliant demo`.

use super::{Folder, command, pliant};

#[test]
fn the_demo_says_where_things_are_and_has_nothing_to_warn_of() {
    let folder = Folder::new("demo");
    let said = pliant(&folder, &["demo", "-o", "here", "--no-movie"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("97 frames") && said.out.contains("here/demo.pliant"), "{}", said.out);
    assert!(said.out.lines().any(|line| line.split_whitespace().eq(["warnings", "0"])), "{}", said.out);
    assert_eq!(pliant(&folder, &["check", "here/demo.toml"]).code, 0);
    let said = pliant(&folder, &["inspect", "here/demo.pliant", "--json", "--frames", "96"]);
    assert!(said.out.contains("\"contacts\":[{"), "{}", said.out);
}

/// The demo, and the command it offers for `part`.
fn offered(out: &str, part: &str) -> String {
    let command = out.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("no {part} in {out}"));
    command.trim().to_owned()
}

#[cfg(unix)]
#[test]
fn a_changed_scene_is_kept_and_the_commands_offered_work() {
    let folder = Folder::new("demo-changed");
    let said = pliant(&folder, &["demo", "--no-movie"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(pliant(&folder, &["demo", "--no-movie"]).code, 0, "unchanged, it may be had again");
    let path = folder.0.join("pliant-demo/demo.toml");
    let changed = std::fs::read_to_string(&path).unwrap().replace("duration = 2", "duration = 0.1");
    std::fs::write(&path, &changed).unwrap();
    let refused = pliant(&folder, &["demo", "--no-movie"]);
    assert_eq!((refused.code, refused.out.as_str()), (2, ""));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), changed);
    // What it offers, typed into a shell.
    for line in [offered(&said.out, "--force"), offered(&refused.err, "--force"), offered(&said.out, "inspect")] {
        let output = std::process::Command::new("sh").args(["-c", &line]).current_dir(&folder.0).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn run_by_cargo_it_offers_commands_for_cargo() {
    let folder = Folder::new("demo-cargo");
    let output = command(&folder.0, &["new", "a"]).env("CARGO_MANIFEST_DIR", ".").output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("cargo run "));
}

#[test]
fn a_place_that_cannot_be_a_folder_is_a_wrong_request_told_once() {
    let folder = Folder::new("demo-file");
    folder.write("file", "precious");
    let said = pliant(&folder, &["demo", "-o", "file"]);
    assert_eq!(said.code, 2);
    assert_eq!(said.err, "error: cannot make the folder file: there is a file of this name; choose another\n");
    let said = pliant(&folder, &["demo", "-o", "file/deeper"]);
    assert_eq!(said.code, 2);
    assert_eq!(said.err.matches("file/deeper").count(), 1, "{}", said.err);
}
