//! Folders of frames, from which a stopped movie goes on.

use crate::{Folder, ball, movie};
use pliant_media::{FrameFolder, MediaError, Picture};
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

fn pictures(count: usize) -> Vec<Picture> {
    (0..count).map(|frame| ball(48, 32, frame)).collect()
}

#[test]
fn a_stopped_movie_goes_on_to_the_same_bytes() {
    let folder = Folder::new("resume");
    let pictures = pictures(8);
    for name in ["a.mp4", "a.gif"] {
        let expected = movie(&folder.join(name), 25.0, &pictures);
        fs::remove_file(folder.join(name)).unwrap();
        let frames = FrameFolder::open(folder.join(name), 7).unwrap();
        for n in [0, 1, 2, 5] {
            frames.put(n, &pictures[n]).unwrap();
        }
        assert!(frames.folder().join("000005.png").is_file());
        drop(frames);

        let frames = FrameFolder::open(folder.join(name), 7).unwrap();
        assert_eq!((frames.count().unwrap(), frames.get(5).unwrap()), (4, Some(pictures[5].clone())));
        let rendered = AtomicUsize::new(0);
        // As a renderer does: frames over threads.
        std::thread::scope(|scope| {
            for n in (0..8).filter(|n| !frames.has(*n)) {
                let (frames, rendered, picture) = (&frames, &rendered, &pictures[n]);
                scope.spawn(move || {
                    frames.put(n, picture).unwrap();
                    rendered.fetch_add(1, Ordering::Relaxed);
                });
            }
        });
        assert_eq!(rendered.into_inner(), 4);
        let mut done = Vec::new();
        let bytes = frames.into_movie(0..8, 25.0, |n| done.push(n)).unwrap();
        assert_eq!((bytes, done), (expected.len() as u64, (1..=8).collect()));
        assert_eq!(fs::read(folder.join(name)).unwrap(), expected);
        assert_eq!(folder.names(), [name], "the folder of frames is gone");
        fs::remove_file(folder.join(name)).unwrap();
    }
}

#[test]
fn a_torn_frame_is_made_again() {
    let folder = Folder::new("torn");
    let (out, pictures) = (folder.join("a.mp4"), pictures(3));
    let frames = FrameFolder::open(&out, 7).unwrap();
    for (n, picture) in pictures.iter().enumerate() {
        frames.put(n, picture).unwrap();
    }
    let torn = frames.folder().join("000001.png");
    let bytes = fs::read(&torn).unwrap();
    fs::write(&torn, &bytes[..bytes.len() - 20]).unwrap();
    fs::write(frames.folder().join("000002.png"), "").unwrap();
    assert_eq!([0, 1, 2, 3].map(|n| frames.has(n)), [true, false, false, false]);
    assert!(frames.get(1).unwrap().is_none());
    drop(frames);

    let said = FrameFolder::open(&out, 7).unwrap().into_movie(0..3, 25.0, |_| ()).unwrap_err().to_string();
    assert!(said.ends_with("a.mp4.frames has no whole frame 1; render it first, the others are kept"), "{said}");
    assert_eq!(folder.names(), ["a.mp4.frames"]);

    let frames = FrameFolder::open(&out, 7).unwrap();
    frames.put(1, &pictures[1]).unwrap();
    frames.put(2, &pictures[2]).unwrap();
    frames.into_movie(0..3, 25.0, |_| ()).unwrap();
    assert_eq!(folder.names(), ["a.mp4"]);
}

#[test]
fn a_movie_may_begin_at_any_frame() {
    let folder = Folder::new("range");
    let (out, pictures) = (folder.join("a.gif"), pictures(6));
    let expected = movie(&out, 25.0, &pictures[2..5]);
    let frames = FrameFolder::open(&out, 7).unwrap();
    for (n, picture) in pictures.iter().enumerate().skip(1) {
        frames.put(n, picture).unwrap();
    }
    frames.into_movie(2..5, 25.0, |_| ()).unwrap();
    assert_eq!(fs::read(&out).unwrap(), expected);
    let none = FrameFolder::open(&out, 7).unwrap().into_movie(2..2, 25.0, |_| ());
    assert!(matches!(none, Err(MediaError::NoFrames(_))));
}

#[test]
fn frames_of_another_request_are_refused_or_emptied() {
    let folder = Folder::new("other");
    let (out, pictures) = (folder.join("a.mp4"), pictures(2));
    FrameFolder::open(&out, 7).unwrap().put(0, &pictures[0]).unwrap();
    let said = FrameFolder::open(&out, 8).unwrap_err().to_string();
    let expected = "a.mp4.frames holds frames of a movie asked for differently; repeat that request to go on with it, \
                    or start over with --force";
    assert!(said.ends_with(expected), "{said}");
    assert!(FrameFolder::open(&out, 7).unwrap().has(0), "they are still there");
    assert!(FrameFolder::open_or_empty(&out, 7).unwrap().has(0), "the same request has nothing to empty");
    let frames = FrameFolder::open_or_empty(&out, 8).unwrap();
    assert_eq!(frames.count().unwrap(), 0);
    drop(frames);
    assert!(FrameFolder::open(&out, 7).is_ok(), "without frames there is nothing to lose");
}

#[test]
fn a_folder_of_somebody_else_is_left_alone() {
    let folder = Folder::new("somebody");
    let theirs = folder.join("a.mp4.frames");
    fs::create_dir(&theirs).unwrap();
    fs::write(theirs.join("000000.png"), "theirs").unwrap();
    fs::write(theirs.join("letter.txt"), "theirs").unwrap();
    for opened in [FrameFolder::open(folder.join("a.mp4"), 7), FrameFolder::open_or_empty(folder.join("a.mp4"), 7)] {
        assert!(matches!(opened, Err(MediaError::InTheWay(_))));
    }
    assert_eq!(fs::read_dir(&theirs).unwrap().count(), 2);
    fs::write(folder.join("b.mp4.frames"), "a file").unwrap();
    assert!(matches!(FrameFolder::open_or_empty(folder.join("b.mp4"), 7), Err(MediaError::InTheWay(_))));
}

#[test]
fn two_runs_do_not_share_a_folder() {
    let folder = Folder::new("shared");
    let first = FrameFolder::open(folder.join("a.mp4"), 7).unwrap();
    assert!(matches!(FrameFolder::open(folder.join("a.mp4"), 7), Err(MediaError::Busy(_))));
    drop(first);
    assert!(FrameFolder::open(folder.join("a.mp4"), 7).is_ok());
}

#[test]
fn what_would_fail_at_the_end_fails_at_the_beginning() {
    let folder = Folder::new("early");
    assert!(matches!(FrameFolder::open(folder.join("a.avi"), 7), Err(MediaError::UnknownFormat(_))));
    let said = FrameFolder::open("no/such.mp4", 7).unwrap_err().to_string();
    assert_eq!(said, "cannot write no/such.mp4.frames: there is no folder no; make it first");
    let frames = FrameFolder::open(folder.join("a.mp4"), 7).unwrap();
    assert!(matches!(frames.put(0, &ball(4, 4, 0)), Err(MediaError::TooSmallForMp4(4, 4))));
    frames.remove().unwrap();
    assert!(folder.names().is_empty());
}

#[test]
fn what_a_killed_run_was_writing_is_swept_away() {
    let folder = Folder::new("swept");
    let frames = FrameFolder::open(folder.join("a.gif"), 7).unwrap();
    let part = frames.folder().join("000003.png.part");
    drop(frames);
    fs::write(&part, "half a frame").unwrap();
    let frames = FrameFolder::open(folder.join("a.gif"), 7).unwrap();
    assert!(!part.exists());
    frames.put(3, &ball(8, 8, 0)).unwrap();
}
