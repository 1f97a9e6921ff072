//! `pliant` alone, `schema`, and requests that make no sense.

use super::{Folder, command, pliant};
use std::io::Read;
use std::process::Stdio;

#[test]
fn alone_it_says_what_it_can_do_and_where_to_begin() {
    let folder = Folder::new("overview");
    let said = pliant(&folder, &[]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    for words in [
        "pliant new NAME",
        "pliant check SCENE",
        "pliant schema",
        "pliant run SCENE -o CACHE ",
        "pliant probe CACHE --frame N --points FILE ",
        "pliant help",
    ] {
        assert!(said.out.contains(words), "{}", said.out);
    }
}

#[test]
fn the_schema_is_json_of_the_stated_draft() {
    let folder = Folder::new("schema");
    let said = pliant(&folder, &["schema"]);
    assert_eq!(said.code, 0);
    let schema: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["properties"]["frame_rate"]["default"], 60);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let folder = Folder::new("pipe");
    let mut child = command(&folder.0, &["schema"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert!(child.wait().unwrap().success(), "{err}");
    assert_eq!(err, "");
}

#[test]
fn a_wrong_request_ends_with_two() {
    let folder = Folder::new("request");
    for args in [&["chek"][..], &["check"], &["new"], &["schema", "x"], &["check", "a", "--jsn"]] {
        let said = pliant(&folder, args);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{args:?}");
        assert!(said.err.contains("error:"), "{args:?}: {}", said.err);
    }
}
