//! Caches made to harm: none may panic, hang or fill the memory.

use super::{frames, recorded, scene, text};
use pliant::bodies::{LinkId, PerLink};
use pliant::math::Random;
use pliant::record::{Cache, Recorder};
use pliant::{State, StateError, Warning, WarningKind, World};
use std::path::Path;

/// Bytes that lengths and numbers are sensitive to, or any.
fn byte(random: &mut Random) -> u8 {
    [0, 1, 0x7f, 0x80, 0xff, random.below(256) as u8][random.below(6)]
}

/// Does with a file what users can; whatever it holds, this must come to an end.
fn use_cache(path: &Path) {
    if let Ok(cache) = Cache::open(path) {
        for i in [0, cache.frame_count().saturating_sub(1), cache.frame_count()] {
            let _ = cache.world_at(i);
        }
    }
    let _ = Recorder::resume(path, None);
}

#[test]
fn changed_and_cut_files_are_refused_or_read_in_part() {
    let (folder, _, whole) = recorded("mutate", 3);
    let path = folder.join("hostile.pliant");
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..150 {
        let mut bytes = whole.clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = byte(&mut random),
                1 => bytes.truncate(at + 1),
                2 => bytes.insert(at, byte(&mut random)),
                _ => {
                    let block: Vec<u8> = (0..random.below(40)).map(|_| byte(&mut random)).collect();
                    let end = bytes.len().min(at + block.len());
                    bytes[at..end].copy_from_slice(&block[..end - at]);
                }
            }
        }
        std::fs::write(&path, &bytes).unwrap();
        use_cache(&path);
    }
}

/// Makes every checksum right again, as an attacker would.
fn seal(bytes: &mut [u8], frames: &[std::ops::Range<usize>]) {
    for (i, frame) in frames.iter().enumerate() {
        let crc = crc32fast::hash(&bytes[frame.clone()]);
        let at = frame.start - 16;
        bytes[at + 8..at + 12].copy_from_slice(&crc.to_le_bytes());
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&(i as u64).to_le_bytes());
        hasher.update(&bytes[at..at + 12]);
        bytes[at + 12..at + 16].copy_from_slice(&hasher.finalize().to_le_bytes());
    }
}

#[test]
fn frames_with_right_checksums_and_wrong_contents_do_no_harm() {
    let (folder, _, whole) = recorded("sealed", 3);
    let path = folder.join("hostile.pliant");
    let frames = frames(&whole);
    assert_eq!(frames.len(), 3);
    let numbers = [0.0, -0.0, 1e-300, 1e-9, 0.1, 1e3, 1e14, 1e16, 1e300, f64::MAX, f64::NAN, f64::INFINITY, -1e10];
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for round in 0..60 {
        let mut bytes = whole.clone();
        let frame = frames[random.below(3)].clone();
        for _ in 0..1 + random.below(3) {
            if round % 2 == 0 {
                let at = frame.start + random.below(frame.len());
                bytes[at] = byte(&mut random);
            } else {
                // A number where numbers are: after the counts of warnings and of bases.
                let at = frame.start + 2 + 8 * random.below(39);
                bytes[at..at + 8].copy_from_slice(&numbers[random.below(numbers.len())].to_le_bytes());
            }
        }
        seal(&mut bytes, &frames);
        std::fs::write(&path, &bytes).unwrap();
        use_cache(&path);
    }
}

#[test]
fn counts_larger_than_the_file_allocate_nothing() {
    let (folder, _, whole) = recorded("counts", 1);
    let path = folder.join("hostile.pliant");
    let frame = frames(&whole)[0].clone();
    // The largest counts LEB128 can say, in place of the number of warnings, of bases, and in the middle.
    for at in [0, 1, 2, frame.len() / 2] {
        let mut bytes = whole.clone();
        bytes[frame.start + at..frame.start + at + 8].fill(0xff);
        bytes[frame.start + at + 8] = 0x7f;
        seal(&mut bytes, std::slice::from_ref(&frame));
        std::fs::write(&path, &bytes).unwrap();
        use_cache(&path);
    }
    // A header that claims four gigabytes, and a frame that claims 2⁶⁴ bytes.
    let mut bytes = whole.clone();
    bytes[12..16].fill(0xff);
    std::fs::write(&path, &bytes).unwrap();
    assert!(Cache::open(&path).is_err());
    let mut bytes = whole.clone();
    bytes[frame.start - 16..frame.start - 8].fill(0xff);
    seal(&mut bytes, &[frame]);
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(Cache::open(&path).unwrap().frame_count(), 0);
}

#[test]
fn a_snapshot_no_world_can_have_made_is_refused_and_changes_nothing() {
    let text = text(2);
    let mut world = World::new(&scene(&text)).unwrap();
    let good = world.snapshot();
    let mut refused = |change: &dyn Fn(&mut State)| {
        let mut bad = good.clone();
        change(&mut bad);
        let error = world.restore(&bad).unwrap_err();
        assert_eq!(world.snapshot(), good);
        error
    };
    let shortened = refused(&|s| s.links = PerLink::filled(s.links[LinkId(0)], 1));
    assert!(matches!(shortened, StateError::OtherLength { found: 1, expected: 4, .. }));
    assert!(matches!(refused(&|s| s.broken.push(true)), StateError::OtherLength { found: 1, expected: 0, .. }));
    assert_eq!(refused(&|s| s.links[LinkId(1)].position.x = f64::NAN), StateError::Impossible("b".to_owned()));
    assert_eq!(refused(&|s| s.links[LinkId(0)].rotation.w = 7.0), StateError::Impossible("a".to_owned()));
    assert!(matches!(refused(&|s| s.time = -1.0), StateError::OutOfRange(_)));
    assert!(matches!(refused(&|s| s.ledger.dissipated.friction = f64::INFINITY), StateError::OutOfRange(_)));
    let stray = Warning { time: 0.0, bodies: (0, 4), kind: WarningKind::BottomedOut, size: None };
    assert!(matches!(refused(&|s| s.warnings = [stray.clone()].into_iter().collect()), StateError::OutOfRange(_)));
    world.restore(&good).unwrap();
}
