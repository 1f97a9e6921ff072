//! Refused requests: messages, and no files left behind.

use crate::{Folder, ball, paint};
use pliant_media::{MediaError, Movie, MovieFormat, write_png};
use std::fs;

const NAMES: [&str; 2] = ["a.gif", "a.mp4"];

#[test]
fn a_dropped_movie_leaves_nothing() {
    let folder = Folder::new("drop");
    for name in NAMES {
        let mut movie = Movie::create(folder.join(name), (32, 32), 25.0).unwrap();
        assert_eq!(folder.names(), [format!("{name}.part")]);
        movie.push(&ball(32, 32, 0)).unwrap();
        movie.push(&ball(32, 32, 1)).unwrap();
        drop(movie);
        assert!(folder.names().is_empty());
    }
}

#[test]
fn what_was_there_stays_until_the_movie_is_whole() {
    let folder = Folder::new("stays");
    for name in NAMES {
        fs::write(folder.join(name), "the last one").unwrap();
        let mut movie = Movie::create(folder.join(name), (32, 32), 25.0).unwrap();
        movie.push(&ball(32, 32, 0)).unwrap();
        assert_eq!(fs::read(folder.join(name)).unwrap(), b"the last one");
        movie.finish().unwrap();
        assert_ne!(fs::read(folder.join(name)).unwrap(), b"the last one");
    }
    assert_eq!(folder.names(), NAMES);
}

#[test]
fn a_movie_without_frames_is_refused() {
    let folder = Folder::new("empty");
    for name in NAMES {
        let said = Movie::create(folder.join(name), (32, 32), 25.0).unwrap().finish().unwrap_err().to_string();
        assert!(said.ends_with("would have no frames, which no player opens; give it at least one"), "{said}");
    }
    assert!(folder.names().is_empty());
}

#[test]
fn a_frame_of_another_size_is_refused_and_the_movie_goes_on() {
    let folder = Folder::new("sizes");
    for name in NAMES {
        let mut movie = Movie::create(folder.join(name), (32, 32), 25.0).unwrap();
        movie.push(&ball(32, 32, 0)).unwrap();
        let said = movie.push(&ball(32, 16, 1)).unwrap_err().to_string();
        assert_eq!(said, "frame 1 is 32x16, but the movie is 32x32; render all frames at one size");
        movie.push(&ball(32, 32, 1)).unwrap();
        assert_eq!(movie.frames(), 2);
        movie.finish().unwrap();
    }
}

#[test]
fn a_wrong_request_is_told_with_what_would_do() {
    let folder = Folder::new("requests");
    let said = |name: &str, size, rate| Movie::create(folder.join(name), size, rate).unwrap_err().to_string();
    for name in ["a.avi", "a", "a.png", ".mp4"] {
        let expected = "does not say which kind of movie it is to be; end the name in .gif or .mp4";
        assert!(said(name, (32, 32), 25.0).ends_with(expected));
    }
    for rate in [0.0, -1.0, 1e9, f64::NAN, f64::INFINITY] {
        let expected = format!("{rate} frames a second cannot be shown; give a rate from 0.1 to 1000");
        assert_eq!(said("a.mp4", (32, 32), rate), expected);
        assert_eq!(said("a.gif", (32, 32), rate), expected);
    }
    assert_eq!(
        said("a.mp4", (0, 32), 25.0),
        "a picture of 0x32 has no pixels; give a width and a height of at least 1"
    );
    assert_eq!(said("a.gif", (16385, 32), 25.0), "a picture of 16385x32 is too large; give at most 16384 to a side");
    assert_eq!(
        said("a.mp4", (2200, 2200), 25.0),
        "a movie of 2200x2200 is too large for MP4, which holds 3840x2160 or 2160x3840; lower its size, or write a .gif"
    );
    assert_eq!(
        said("a.mp4", (14, 32), 25.0),
        "a movie of 14x32 is too small for MP4, which begins at 16x16; raise its size, or write a .gif"
    );
    assert!(MovieFormat::Mp4.check_size((2159, 3839)).is_ok() && MovieFormat::Gif.check_size((1, 16384)).is_ok());
    assert!(folder.names().is_empty());
}

#[test]
fn a_missing_folder_is_named() {
    for name in NAMES {
        let said = Movie::create(format!("no/such/{name}"), (32, 32), 25.0).unwrap_err().to_string();
        assert_eq!(said, format!("cannot write no/such/{name}: there is no folder no/such; make it first"));
    }
}

#[test]
fn a_folder_that_goes_away_is_an_error_at_the_end() {
    for name in NAMES {
        let folder = Folder::new("goes-away");
        let mut movie = Movie::create(folder.join(name), (32, 32), 25.0).unwrap();
        movie.push(&ball(32, 32, 0)).unwrap();
        fs::remove_dir_all(&folder.0).unwrap();
        assert!(matches!(movie.finish(), Err(MediaError::Io { doing: "write", .. })));
    }
}

#[test]
fn a_folder_in_place_of_the_file_is_refused() {
    let folder = Folder::new("not-a-file");
    for name in ["a.gif", "a.mp4", "a.png"] {
        fs::create_dir(folder.join(name)).unwrap();
        let refused = match name {
            "a.png" => write_png(folder.join(name), &ball(4, 4, 0)).unwrap_err(),
            _ => Movie::create(folder.join(name), (32, 32), 25.0).unwrap_err(),
        };
        assert!(matches!(refused, MediaError::NotAFile(_)), "{refused}");
    }
    assert_eq!(folder.names(), ["a.gif", "a.mp4", "a.png"]);
}

#[test]
fn what_a_killed_run_left_is_replaced_and_what_is_not_ours_stays() {
    let folder = Folder::new("parts");
    let begin = |name: &str| Movie::create(folder.join(name), (32, 32), 25.0);
    for (name, head) in [
        ("a.gif", &b"GIF89a and more"[..]),
        ("a.mp4", b""),
        ("b.gif", b"GIF"),
        ("b.mp4", b"\0\0\0\x20ftypisom and more"),
    ] {
        fs::write(folder.join(&format!("{name}.part")), head).unwrap();
        let mut movie = begin(name).unwrap();
        movie.push(&ball(32, 32, 0)).unwrap();
        movie.finish().unwrap();
    }
    fs::write(folder.join("c.mp4.part"), "notes").unwrap();
    let said = begin("c.mp4").unwrap_err().to_string();
    assert!(said.ends_with("c.mp4.part is in the way and is not ours; move it, or choose another name"), "{said}");
    fs::create_dir(folder.join("d.mp4.part")).unwrap();
    assert!(matches!(begin("d.mp4"), Err(MediaError::InTheWay(_))));
    assert_eq!(folder.names(), ["a.gif", "a.mp4", "b.gif", "b.mp4", "c.mp4.part", "d.mp4.part"]);
    assert_eq!(fs::read(folder.join("c.mp4.part")).unwrap(), b"notes");
}

#[test]
fn two_movies_do_not_write_to_one_place_at_once() {
    let folder = Folder::new("busy");
    for name in NAMES {
        let mut first = Movie::create(folder.join(name), (32, 32), 25.0).unwrap();
        let said = Movie::create(folder.join(name), (32, 32), 25.0).unwrap_err().to_string();
        assert!(said.ends_with("is being written by another run; wait for it, or choose another name"), "{said}");
        first.push(&paint(32, 32, |_, _| [9; 3])).unwrap();
        first.finish().unwrap();
    }
    assert_eq!(folder.names(), NAMES);
}
