//! Frames are chunks: a reader skips those it does not know, and takes defaults for those that are missing.

use super::{Folder, frames, record, recorded, scene, text};
use pliant::World;
use pliant::model::{MotionSettings, Scene};
use pliant::record::{Cache, FrameTimes, RecordError, Recorder, chunks::chunks};

/// A cache whose frames are rewritten by `change`, with lengths and checksums that are right again.
fn rewritten(whole: &[u8], change: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let places = frames(whole);
    let mut bytes = whole[..places[0].start - 16].to_vec();
    for (index, place) in places.iter().enumerate() {
        let frame = change(&whole[place.clone()]);
        let mut prefix = (frame.len() as u64).to_le_bytes().to_vec();
        prefix.extend(crc32fast::hash(&frame).to_le_bytes());
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&(index as u64).to_le_bytes());
        hasher.update(&prefix);
        prefix.extend(hasher.finalize().to_le_bytes());
        bytes.extend(prefix);
        bytes.extend(frame);
    }
    bytes
}

fn chunk(tag: &[u8; 4], payload: &[u8]) -> Vec<u8> {
    let mut bytes = tag.to_vec();
    bytes.extend((payload.len() as u32).to_le_bytes());
    bytes.extend(payload);
    bytes
}

/// A later Pliant may write chunks that this one does not know.
#[test]
fn a_frame_with_a_chunk_of_a_later_version_reads_as_without_it() {
    let (folder, path, whole) = recorded("later", 4);
    let expected = Cache::open(&path).unwrap().world_at(3).unwrap().snapshot();
    let strange = chunk(b"XYZW", &[1, 2, 3, 4, 5]);
    let later = rewritten(&whole, |frame| [&strange[..], frame, &strange[..]].concat());
    let path = folder.join("later.pliant");
    std::fs::write(&path, later).unwrap();
    let cache = Cache::open(&path).unwrap();
    assert_eq!(cache.frame_count(), 4);
    assert_eq!(cache.world_at(3).unwrap().snapshot(), expected);
}

/// An earlier Pliant did not write chunks that came later. Without its links a frame is nothing.
#[test]
fn a_frame_without_a_chunk_takes_defaults_and_without_links_is_refused() {
    let (folder, path, whole) = recorded("earlier", 4);
    let full = Cache::open(&path).unwrap().world_at(3).unwrap();
    let tags: Vec<[u8; 4]> = chunks(&whole[frames(&whole)[3].clone()]).unwrap().iter().map(|c| c.0).collect();
    assert!(tags.len() >= 4 && tags.contains(b"FRIC") && tags.contains(b"ENRG"), "{tags:?}");
    let path = folder.join("earlier.pliant");
    for tag in tags {
        let less = |frame: &[u8]| {
            let kept = chunks(frame).unwrap().into_iter().filter(|c| c.0 != tag);
            kept.flat_map(|(tag, payload)| chunk(&tag, payload)).collect()
        };
        std::fs::write(&path, rewritten(&whole, less)).unwrap();
        let shown = Cache::open(&path).unwrap().world_at(3);
        if tag == *b"LINK" {
            assert!(matches!(shown, Err(RecordError::DamagedFrame { frame: 3, .. })), "{shown:?}");
            continue;
        }
        let shown = shown.unwrap();
        assert_eq!(shown.state().links, full.state().links, "without {tag:?}");
        assert_eq!(shown.contacts().len(), full.contacts().len(), "without {tag:?}");
        match &tag {
            b"FRIC" => assert!(shown.state().friction.iter().all(|f| f.shear == Default::default())),
            b"ENRG" => assert_eq!(shown.state().ledger.dissipated.total(), 0.0),
            b"WARN" => assert!(shown.warnings().is_empty()),
            _ => {}
        }
        shown.clone().advance_to(0.06).unwrap();
    }
}

/// A world of another scene is told at once, not when the cache is read.
#[test]
fn a_world_of_another_scene_is_not_recorded() {
    let folder = Folder::new("other");
    let text = text(4);
    let mut recorder = Recorder::create(folder.join("run.pliant"), &text, &scene(&text)).unwrap();
    let mut fewer = scene(&text);
    fewer.bodies.pop();
    let mut renamed = scene(&text);
    renamed.bodies[0].name = "other".to_owned();
    for other in [fewer, renamed, Scene { bodies: Vec::new(), ..Scene::default() }] {
        let refused = recorder.write(&World::new(&other).unwrap());
        assert!(matches!(refused, Err(RecordError::OtherWorld(_))), "{refused:?}");
    }
    assert_eq!(recorder.written(), 0);
    recorder.write(&World::new(&scene(&text)).unwrap()).unwrap();
}

/// A world made in code is recorded without a scene, and shown by a world that the same code makes.
#[test]
fn a_world_made_in_code_is_recorded_and_shown() {
    let folder = Folder::new("code");
    let path = folder.join("run.pliant");
    let make = || {
        let specs = scene(&text(4)).bodies;
        let new = |b| pliant::bodies::NewBody::new(b).unwrap();
        World::from_bodies(specs.iter().map(new).collect(), MotionSettings::default()).unwrap()
    };
    let mut world = make();
    let mut recorder = Recorder::create_for(&path, &world, FrameTimes { count: 4, rate: 60.0 }).unwrap();
    record(&mut recorder, &mut world, 4);
    recorder.finish().unwrap();
    let cache = Cache::open(&path).unwrap();
    assert!(matches!(cache.world(), Err(RecordError::NoScene(_))));
    let mut shown = make();
    cache.show(&mut shown, 3).unwrap();
    assert_eq!(shown.snapshot(), world.snapshot());
    let none = FrameTimes { count: 0, rate: 60.0 };
    assert!(matches!(Recorder::create_for(&path, &world, none), Err(RecordError::NoFrames)));
}
