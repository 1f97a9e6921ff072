//! `pliant new`.

use super::{Folder, pliant};

#[test]
fn the_scene_it_writes_is_legal_and_small() {
    let folder = Folder::new("new");
    for name in ["bounce", "named.toml", "v1.2"] {
        let said = pliant(&folder, &["new", name]);
        assert_eq!((said.code, said.err.as_str()), (0, ""));
    }
    for file in ["bounce.toml", "named.toml", "v1.2.toml"] {
        let said = pliant(&folder, &["check", file]);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{file}");
        let text = std::fs::read_to_string(folder.0.join(file)).unwrap();
        assert!(text.lines().count() < 60 && text.contains('#'));
    }
}

#[test]
fn it_never_overwrites() {
    let folder = Folder::new("overwrite");
    folder.write("mine.toml", "precious");
    let said = pliant(&folder, &["new", "mine"]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert!(said.err.contains("mine.toml exists already"), "{}", said.err);
    assert_eq!(std::fs::read_to_string(folder.0.join("mine.toml")).unwrap(), "precious");
}

#[test]
fn names_that_cannot_be_files_are_refused() {
    let folder = Folder::new("names");
    for (name, words) in [
        ("missing/scene", "there is no folder missing; make it first"),
        ("", "required"),
        ("..", "no name"),
        ("a/", "no name"),
    ] {
        let said = pliant(&folder, &["new", name]);
        assert_eq!(said.code, 2, "{name}");
        assert!(said.err.contains(words), "{name}: {}", said.err);
    }
}

#[test]
fn commands_it_offers_can_be_copied() {
    let folder = Folder::new("copied");
    let said = pliant(&folder, &["new", "my scene"]);
    assert!(said.out.contains("check 'my scene.toml'"), "{}", said.out);
    assert!(said.out.contains("run 'my scene.toml' -o 'my scene.pliant'"), "{}", said.out);
}
