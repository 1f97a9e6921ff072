//! Writing, reading, resuming.

use super::{Folder, frames, header_length, record, recorded, scene, text};
use pliant::contact::{ChordCounts, PersistentChart};
use pliant::record::{Cache, RecordError, Recorder, SceneText, Tail};
use pliant::{StateError, WarningKind, World};
use std::sync::Arc;

#[test]
fn every_frame_comes_back_as_the_world_was() {
    let folder = Folder::new("back");
    let (path, text) = (folder.join("run.pliant"), text(6));
    let scene = scene(&text);
    let (mut recorder, mut world) = (Recorder::create(&path, &text, &scene).unwrap(), World::new(&scene).unwrap());
    let mut seen = Vec::new();
    for frames in 1..=6 {
        record(&mut recorder, &mut world, frames);
        seen.push((world.snapshot(), world.contacts().iter().map(|c| c.forces).collect::<Vec<_>>(), world.energy()));
    }
    assert!(matches!(recorder.write(&world), Err(RecordError::Complete(6))));
    let cache = Cache::open(&path).unwrap();
    assert_eq!((cache.scene_text(), cache.frame_count(), cache.tail()), (&text, 6, &Tail::Clean));
    assert_eq!(cache.scene(), &scene);
    // Any order: frames do not need those before them.
    for i in [5, 0, 3, 1, 4, 2] {
        let shown = cache.world_at(i).unwrap();
        assert_eq!(shown.time(), i as f64 / 60.0);
        assert_eq!(shown.snapshot(), seen[i].0);
        assert_eq!(shown.contacts().iter().map(|c| c.forces).collect::<Vec<_>>(), seen[i].1);
        assert_eq!(shown.energy(), seen[i].2);
    }
    assert!(seen[5].1.len() >= 3, "the scene must have contacts to remember: {}", seen[5].1.len());
    assert!(matches!(cache.frame(&world, 6), Err(RecordError::NoFrame { frame: 6, count: 6, .. })));
}

#[test]
fn a_frame_of_three_moving_bodies_takes_about_a_kilobyte() {
    // 3 × 13 numbers of state, at most 6 contacts of 8 numbers and 4 indices, each with an account of 4 numbers, 4 indices and
    // a flag, 14 energies, 16 bytes around it, 8 around each of 4 chunks, and counts: 312 + 6 × (68 + 37) + 112 + 16 + 32 < 1120.
    let (_folder, path, _) = recorded("small", 6);
    let cache = Cache::open(path).unwrap();
    assert!(cache.frame_bytes() < 1120 * 6, "{} bytes a frame", cache.frame_bytes() / 6);
}

#[test]
fn a_run_cut_off_anywhere_resumes_to_the_same_bytes() {
    let (folder, path, whole) = recorded("resume", 5);
    let (first, frames) = (header_length(&whole), frames(&whole));
    // After the header, in a prefix, in frames, between frames, at the end.
    for length in [first, first + 7, first + 20, frames[1].start + 30, frames[2].end, whole.len() - 1, whole.len()] {
        let cut = folder.join("cut.pliant");
        std::fs::write(&cut, &whole[..length]).unwrap();
        let seen = Cache::open(&cut).unwrap();
        let mut resumed = Recorder::resume(&cut, Some(&text(5).text)).unwrap();
        assert_eq!((resumed.recorder.written(), &resumed.cut), (seen.frame_count(), seen.tail()));
        record(&mut resumed.recorder, &mut resumed.world, 5);
        assert!(std::fs::read(&cut).unwrap() == whole, "cut at {length}");
    }
    // Unwritten space after a power cut is a torn frame, too.
    let mut zeros = whole[..frames[1].end].to_vec();
    zeros.resize(whole.len(), 0);
    std::fs::write(&path, zeros).unwrap();
    assert!(matches!(Cache::open(&path).unwrap().tail(), Tail::Torn(_)));
}

/// A ball in a ring a nanometre larger: whether they touch is not decided, and that is reported at the start.
#[test]
fn warnings_come_back_with_their_size_and_are_not_repeated_after_resuming() {
    let folder = Folder::new("warnings");
    let (path, cut) = (folder.join("run.pliant"), folder.join("cut.pliant"));
    let body = |name: &str, skeleton: &str| format!("[[body]]\nname = \"{name}\"\nskeleton = [{{ {skeleton} }}]\n");
    let bodies = body("ball", "thickness = 0.1, point = {}")
        + &body("ring", "thickness = 0.01, circle = { radius = 0.110000001 }");
    let head = "duration = 0.003\nframe_rate = 1000\ngravity = [0, 0, 0]\n";
    let text = SceneText { name: "ring.toml".to_owned(), text: head.to_owned() + &bodies };
    let scene = scene(&text);
    let (mut recorder, mut world) = (Recorder::create(&path, &text, &scene).unwrap(), World::new(&scene).unwrap());
    record(&mut recorder, &mut world, 4);
    recorder.finish().unwrap();
    let kinds: Vec<_> = world.warnings().iter().map(|w| w.kind).collect();
    assert_eq!(kinds, [WarningKind::Undecided]);
    let cache = Cache::open(&path).unwrap();
    assert_eq!(cache.frame(&world, 0).unwrap().warnings, world.warnings());
    assert_eq!(cache.world_at(3).unwrap().warnings(), world.warnings());
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&cut, &whole[..frames(&whole)[1].end]).unwrap();
    let mut resumed = Recorder::resume(&cut, Some(&text.text)).unwrap();
    record(&mut resumed.recorder, &mut resumed.world, 4);
    assert!(std::fs::read(&cut).unwrap() == whole);
}

#[test]
fn a_changed_frame_is_named_and_computed_again() {
    let (_folder, path, whole) = recorded("damage", 4);
    let frames = frames(&whole);
    let mut changed = whole.clone();
    changed[frames[2].start + 40] ^= 1;
    std::fs::write(&path, changed).unwrap();
    let error = Cache::open(&path).unwrap_err();
    let words = error.to_string();
    let place = format!("frame 2, at byte {}:", frames[2].start - 16);
    assert!(words.contains(&place) && words.contains("--resume"), "{words}");
    // The frames before it are as good as they were.
    let cache = Cache::open_damaged(&path).unwrap();
    assert_eq!((cache.frame_count(), cache.world_at(1).unwrap().time()), (2, 1.0 / 60.0));
    assert_eq!(cache.world_at(2).unwrap_err().to_string(), words);
    let mut resumed = Recorder::resume(&path, None).unwrap();
    record(&mut resumed.recorder, &mut resumed.world, 4);
    assert!(std::fs::read(&path).unwrap() == whole);
    assert_eq!(resumed.recorder.frame_bytes(), Cache::open(&path).unwrap().frame_bytes());
}

#[test]
fn what_is_no_cache_of_ours_is_refused_with_a_remedy() {
    let (folder, path, whole) = recorded("refuse", 1);
    let refused = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = whole.clone();
        change(&mut bytes);
        let path = folder.join("other.pliant");
        std::fs::write(&path, bytes).unwrap();
        Cache::open(&path).unwrap_err().to_string()
    };
    for cut in [0, 5, 12, 40] {
        // Whoever killed a run this early is told how to begin again.
        let words = refused(&|b| b.truncate(cut));
        assert!(words.contains("damaged in its header") && words.contains("--force"), "{cut}: {words}");
    }
    assert!(refused(&|b| b[3] = b'x').contains("is not a cache"));
    assert!(refused(&|b| b[8] = 99).contains("cache format 99"));
    assert!(refused(&|b| b[8] = 99).contains("use a newer Pliant"));
    assert!(refused(&|b| b.truncate(40)).contains("header: it is cut off"));
    assert!(refused(&|b| b[30] ^= 4).contains("header: its checksum does not match"));
    assert!(refused(&|b| b.extend([1; 30])).contains("more bytes follow"));
    assert!(matches!(Cache::open(&folder.0), Err(RecordError::NotAFile(_))));
    assert!(matches!(Cache::open(folder.join("none")), Err(RecordError::Io { .. })));
    let other = text(1).text.replace("-1.5", "-1.6");
    let error = Recorder::resume(&path, Some(&other)).unwrap_err();
    assert!(matches!(error, RecordError::OtherScene { line: 6, .. }), "{error}");
    assert!(std::fs::read(&path).unwrap() == whole, "a refusal changes nothing");
}

#[test]
fn a_cache_of_another_engine_is_read_but_not_resumed() {
    let (_folder, path, mut bytes) = recorded("engine", 2);
    // The header begins with the length of the version and the version.
    let version = env!("CARGO_PKG_VERSION").len();
    bytes[21..21 + version].copy_from_slice(&b"9.9.9999999"[..version]);
    let end = header_length(&bytes);
    let crc = crc32fast::hash(&bytes[20..end]);
    bytes[16..20].copy_from_slice(&crc.to_le_bytes());
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(Cache::open(&path).unwrap().frame_count(), 2);
    let error = Recorder::resume(&path, None).unwrap_err();
    assert!(matches!(error, RecordError::OtherEngine { .. }) && error.to_string().contains("made by Pliant 9.9"));
}

#[test]
fn two_runs_cannot_write_to_one_cache() {
    let (_folder, path, _) = recorded("busy", 2);
    let held = Recorder::resume(&path, None).unwrap();
    assert!(matches!(Recorder::resume(&path, None), Err(RecordError::Busy(_))));
    let text = text(2);
    assert!(matches!(Recorder::create(&path, &text, &scene(&text)), Err(RecordError::Busy(_))));
    drop(held);
    // A refused run leaves nothing beside; one that begins keeps others out from its first byte.
    let beside = path.with_file_name("run.pliant.part");
    assert!(!beside.exists());
    let held = Recorder::create(&path, &text, &scene(&text)).unwrap();
    assert!(matches!(Recorder::create(&path, &text, &scene(&text)), Err(RecordError::Busy(_))));
    assert!(!beside.exists());
    drop(held);
    assert!(Recorder::resume(&path, None).is_ok());
}

#[test]
fn a_file_of_the_user_beside_the_cache_is_left_alone() {
    let (_folder, path, _) = recorded("beside", 2);
    let beside = path.with_file_name("run.pliant.part");
    std::fs::write(&beside, "precious").unwrap();
    let text = text(2);
    assert!(matches!(Recorder::create(&path, &text, &scene(&text)), Err(RecordError::InTheWay(_))));
    assert_eq!(std::fs::read_to_string(&beside).unwrap(), "precious");
    // What a killed run left there is no obstacle.
    std::fs::write(&beside, b"\x89PLI").unwrap();
    assert!(Recorder::create(&path, &text, &scene(&text)).is_ok());
}

#[test]
fn a_world_that_is_not_where_the_frame_is_is_refused() {
    let folder = Folder::new("time");
    let text = text(3);
    let scene = scene(&text);
    let mut recorder = Recorder::create(folder.join("run.pliant"), &text, &scene).unwrap();
    let mut world = World::new(&scene).unwrap();
    recorder.write(&world).unwrap();
    assert!(matches!(recorder.write(&world), Err(RecordError::WrongTime { frame: 1, .. })));
    world.advance_to(1.0 / 60.0).unwrap();
    recorder.write(&world).unwrap();
}

/// Bodies that are no balls: patches are integrated along chords that a cache must keep.
const GENERAL: &str = r#"
duration = 0.4
frame_rate = 60
[motion]
scheme = "implicit"
[materials.soft]
stiffness = "50 kPa"
[[body]]
name = "capsule"
material = "soft"
position = [0, 0, 0.1]
angular_velocity = [0, 3, 0]
motion.rigid.mass = 1
skeleton = [{ thickness = 0.06, segment = { from = [-0.04, 0, 0], to = [0.04, 0, 0] } }]
[[body]]
name = "clover"
material = "soft"
position = [0.02, 0.01, 0.22]
motion.rigid.mass = 1
skeleton = [
    { thickness = 0.05, radius = 0.08, point = { at = [0.04, 0, 0] } },
    { thickness = 0.05, radius = 0.08, point = { at = [-0.04, 0, 0] } },
    { thickness = 0.05, radius = 0.08, point = { at = [0, 0.04, 0] } },
]
[[body]]
name = "floor"
response = "rigid"
motion = "fixed"
skeleton = [{ thickness = 0.1, half_space = {} }]
"#;

#[test]
fn a_run_with_carried_chords_resumes_to_the_same_bytes() {
    let folder = Folder::new("chords");
    let text = SceneText { text: GENERAL.to_owned(), name: "general".to_owned() };
    let scene = scene(&text);
    let path = folder.join("run.pliant");
    let (mut recorder, mut world) = (Recorder::create(&path, &text, &scene).unwrap(), World::new(&scene).unwrap());
    record(&mut recorder, &mut world, 20);
    let with_chart = world.snapshot().seeds.iter().filter(|s| s.start.chart.is_some()).count();
    assert!(with_chart > 0, "some patch must be integrated along chords");
    // A chart that no query makes is refused, whatever file it comes from.
    let seed = world.snapshot().seeds.iter().position(|s| s.start.chart.is_some()).unwrap();
    let spoiled: [fn(&mut PersistentChart); 4] = [
        |c| c.ends.reverse(),
        |c| c.middle.reverse(),
        |c| c.counts = ChordCounts { chords: 255, points: 1 },
        |c| c.body_from_chart[0].rotation *= 3.0,
    ];
    for spoil in spoiled {
        let mut state = world.snapshot();
        spoil(Arc::make_mut(state.seeds[seed].start.chart.as_mut().unwrap()));
        assert_eq!(world.clone().restore(&state), Err(StateError::OutOfRange("warm start")));
    }
    let whole = std::fs::read(&path).unwrap();
    for frame in [8, 13, 17] {
        let cut = folder.join("cut.pliant");
        std::fs::write(&cut, &whole[..frames(&whole)[frame].end]).unwrap();
        let mut resumed = Recorder::resume(&cut, Some(&text.text)).unwrap();
        record(&mut resumed.recorder, &mut resumed.world, 20);
        assert!(std::fs::read(&cut).unwrap() == whole, "cut after frame {frame}");
    }
}
