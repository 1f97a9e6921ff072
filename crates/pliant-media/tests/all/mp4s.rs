//! MP4 movies: containers read by the standard, frames by an H.264 decoder.

use crate::mp4_file::{Mp4, child_of_entry, colours_of};
use crate::{Folder, ball, movie, paint};
use pliant_media::Picture;

#[test]
fn frames_come_back_in_their_colours() {
    let folder = Folder::new("mp4-colours");
    let patches = [
        [200, 30, 20],
        [20, 160, 60],
        [25, 60, 220],
        [128, 128, 128],
        [255, 255, 255],
        [0, 0, 0],
        [250, 220, 40],
        [90, 40, 130],
    ];
    // Colour is known for pairs of pixels: patches are shifted by whole ones.
    let frame = |n: u32| paint(256, 32, move |x, _| patches[((x / 32 + n) % 8) as usize]);
    let bytes = movie(&folder.join("a.mp4"), 30.0, &[frame(0), frame(1), frame(2)]);
    let decoded = Mp4::new(&bytes).decode();
    assert_eq!(decoded.len(), 3);
    for (n, frame) in decoded.iter().enumerate() {
        for place in 0..8 {
            let (found, expected) = (frame.mean(32 * place + 4..32 * place + 28, 4..28), patches[(place + n) % 8]);
            for i in 0..3 {
                // Rounding of each plane to whole levels is worth half a level, or a whole one of blue; the rest is
                // quantisation.
                let off = found[i] - f64::from(expected[i]);
                assert!(off.abs() < 2.0, "frame {n}, patch {place}: {found:?} for {expected:?}");
            }
        }
    }
}

#[test]
fn the_file_says_what_its_colours_mean() {
    let folder = Folder::new("mp4-says");
    let bytes = movie(&folder.join("a.mp4"), 30.0, &[ball(64, 36, 0)]);
    let mp4 = Mp4::new(&bytes);
    // Primaries and matrix of BT.709 are 1, the transfer of sRGB is 13; the range is limited.
    assert_eq!(colours_of(mp4.parameters().0), (1, 13, 1, false));
    assert_eq!(child_of_entry(&mp4, "colr"), b"nclx\x00\x01\x00\x0d\x00\x01\x00");
}

/// The slow gradient on which blocks would show first: a level in ten pixels.
#[test]
fn smooth_shading_shows_no_blocks() {
    let folder = Folder::new("mp4-blocks");
    let smooth = |n: u32| paint(640, 360, move |x, y| [(40 + (x + y + n) / 10) as u8; 3]);
    let pictures: Vec<Picture> = (0..8).map(smooth).collect();
    let bytes = movie(&folder.join("a.mp4"), 30.0, &pictures);
    for (frame, picture) in Mp4::new(&bytes).decode().iter().zip(&pictures) {
        let y_of = |grey: u8| 16.0 + 219.0 * f64::from(grey) / 255.0;
        let off = |at: usize| (f64::from(frame.y[at]) - y_of(picture.rgb()[3 * at])).abs();
        let worst = (0..640 * 360).map(off).fold(0.0, f64::max);
        assert!(worst < 2.0, "off by {worst}");
        let jump = |at: usize| frame.y[at].abs_diff(frame.y[at - 1]);
        let steepest = (0..640 * 360).filter(|at| at % 640 > 0).map(jump).max();
        assert!(steepest <= Some(2), "a jump of {steepest:?} levels, where the picture has 1");
    }
}

#[test]
fn the_container_lasts_as_long_as_its_frames() {
    let folder = Folder::new("mp4-times");
    for (rate, frames) in [(30.0, 1), (24.0, 48), (60.0, 7), (29.97, 31), (0.1, 2), (1000.0, 9), (7.3, 40)] {
        let pictures = vec![ball(16, 16, 0); frames];
        let bytes = movie(&folder.join("a.mp4"), rate, &pictures);
        let mp4 = Mp4::new(&bytes);
        let (scale, duration) = mp4.media_time();
        let expected = (frames as f64 / rate * f64::from(scale)).round() as u64;
        assert_eq!(duration, expected, "{frames} frames at {rate}");
        assert_eq!(mp4.durations(), (scale, expected, expected));
        let samples = mp4.samples();
        assert_eq!(samples.len(), frames);
        let mut time = 0;
        for (frame, sample) in samples.iter().enumerate() {
            assert_eq!(time, (frame as f64 / rate * f64::from(scale)).round() as u64);
            time += u64::from(sample.duration);
        }
        assert_eq!(time, duration);
    }
}

#[test]
fn players_can_begin_at_every_second() {
    let folder = Folder::new("mp4-keys");
    let pictures: Vec<Picture> = (0..25).map(|frame| ball(32, 32, frame)).collect();
    let bytes = movie(&folder.join("a.mp4"), 10.0, &pictures);
    let mp4 = Mp4::new(&bytes);
    let keys = mp4.samples().iter().map(|sample| sample.is_key).collect::<Vec<_>>();
    let expected: Vec<bool> = (0..25).map(|frame| frame % 10 == 0).collect();
    assert_eq!(keys, expected);
    assert_eq!(mp4.decode().len(), 25, "one set of parameters serves all key frames");
}

#[test]
fn odd_sizes_repeat_their_last_column_and_row() {
    let folder = Folder::new("mp4-odd");
    for (width, height) in [(15, 15), (17, 32), (64, 33), (99, 51)] {
        let pictures: Vec<Picture> = (0..3).map(|frame| ball(width, height, frame)).collect();
        let bytes = movie(&folder.join("a.mp4"), 25.0, &pictures);
        let mp4 = Mp4::new(&bytes);
        let even = (width.next_multiple_of(2), height.next_multiple_of(2));
        assert_eq!(mp4.size(), (even.0 as u16, even.1 as u16));
        let last = mp4.decode().pop().unwrap();
        assert_eq!((last.width, last.height), (even.0 as usize, even.1 as usize));
        // A green edge, as an unfilled column would be, is far off every colour of the picture.
        let right = last.mean(last.width - 2..last.width, 0..last.height);
        let column = |i: usize| {
            let levels = (0..height).map(|y| f64::from(pictures[2].pixels()[((y + 1) * width - 1) as usize][i]));
            levels.sum::<f64>() / f64::from(height)
        };
        assert!((0..3).all(|i| (right[i] - column(i)).abs() < 8.0), "{width}x{height}: {right:?}");
    }
}

#[test]
fn names_are_told_apart_by_their_ends_in_any_case() {
    let folder = Folder::new("mp4-case");
    let bytes = movie(&folder.join("A.MP4"), 25.0, &[ball(16, 16, 0)]);
    assert_eq!(&bytes[4..8], b"ftyp");
    assert_eq!(&movie(&folder.join("a.b.Gif"), 25.0, &[ball(16, 16, 0)])[..6], b"GIF89a");
}
