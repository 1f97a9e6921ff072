//! PNG files.

use crate::{Folder, ball, paint};
use pliant_media::{MediaError, Picture, read_png, write_png};
use png::{BitDepth, ColorType};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::fs::{self, File};
use std::path::Path;
use std::sync::LazyLock;

#[test]
fn a_picture_comes_back_as_it_was_written() {
    let folder = Folder::new("png-trip");
    let path = folder.join("a.png");
    for (width, height) in [(1, 1), (1, 7), (5, 3), (64, 36), (640, 360)] {
        let picture = ball(width, height, 3);
        write_png(&path, &picture).unwrap();
        assert_eq!(read_png(&path).unwrap(), picture);
    }
    assert_eq!(folder.names(), ["a.png"]);
}

/// So that no program guesses another meaning of its levels.
#[test]
fn a_png_says_that_it_is_srgb() {
    let folder = Folder::new("png-srgb");
    write_png(folder.join("a.png"), &ball(8, 8, 0)).unwrap();
    assert!(fs::read(folder.join("a.png")).unwrap().windows(4).any(|bytes| bytes == b"sRGB"));
}

#[test]
fn a_cut_or_changed_png_is_an_error() {
    let folder = Folder::new("png-damage");
    let (path, torn) = (folder.join("a.png"), folder.join("torn.png"));
    write_png(&path, &ball(20, 10, 1)).unwrap();
    let whole = fs::read(&path).unwrap();
    let is_damaged = |bytes: &[u8]| {
        fs::write(&torn, bytes).unwrap();
        matches!(read_png(&torn), Err(MediaError::Damaged { .. }))
    };
    for length in 0..whole.len() {
        assert!(is_damaged(&whole[..length]), "cut at {length} of {}", whole.len());
    }
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x11;
        assert!(is_damaged(&bytes), "changed at {at} of {}", whole.len());
    }
    let said = read_png(&torn).unwrap_err().to_string();
    assert!(said.contains("torn.png is not a whole PNG: ") && said.ends_with("; make it again"), "{said}");
}

/// The header alone asks for 800 MB, or for more than any picture may have.
#[test]
fn a_png_that_claims_to_be_huge_is_refused() {
    let folder = Folder::new("png-huge");
    let path = folder.join("a.png");
    for side in [16_384_u32, 16_385, u32::MAX >> 1] {
        let mut encoder = png::Encoder::new(File::create(&path).unwrap(), side, side);
        encoder.set_color(ColorType::Rgb);
        // Without its pixels, as if it had been cut.
        let _ = encoder.write_header().unwrap().finish();
        assert!(matches!(read_png(&path), Err(MediaError::Damaged { .. })), "{side}");
    }
}

#[test]
fn pngs_of_other_kinds_are_read_as_well() {
    let folder = Folder::new("png-kinds");
    let path = folder.join("a.png");
    let write = |color, depth, palette: &[u8], data: &[u8]| {
        let mut encoder = png::Encoder::new(File::create(&path).unwrap(), 2, 1);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if color == ColorType::Indexed {
            encoder.set_palette(palette.to_vec());
        }
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(data).unwrap();
        writer.finish().unwrap();
        read_png(&path).unwrap().into_rgb()
    };
    let eight = BitDepth::Eight;
    assert_eq!(write(ColorType::Grayscale, eight, &[], &[7, 9]), [7, 7, 7, 9, 9, 9]);
    assert_eq!(write(ColorType::GrayscaleAlpha, eight, &[], &[7, 0, 9, 255]), [7, 7, 7, 9, 9, 9]);
    assert_eq!(write(ColorType::Rgba, eight, &[], &[1, 2, 3, 0, 4, 5, 6, 255]), [1, 2, 3, 4, 5, 6]);
    assert_eq!(write(ColorType::Indexed, eight, &[1, 2, 3, 4, 5, 6], &[1, 0]), [4, 5, 6, 1, 2, 3]);
    assert_eq!(write(ColorType::Grayscale, BitDepth::Sixteen, &[], &[7, 99, 9, 200]), [7, 7, 7, 9, 9, 9]);
}

#[test]
fn a_picture_that_is_not_there_is_told_with_what_to_do() {
    let said = read_png(Path::new("no/such.png")).unwrap_err().to_string();
    assert_eq!(said, "cannot read no/such.png: there is no such file; check the path");
    let said = write_png("no/such.png", &paint(1, 1, |_, _| [0; 3])).unwrap_err().to_string();
    assert_eq!(said, "cannot write no/such.png: there is no folder no; make it first");
}

#[test]
fn a_picture_can_be_painted_on() {
    let mut picture = Picture::new(2, 1, vec![0; 6]).unwrap();
    picture.pixels_mut()[1] = [1, 2, 3];
    assert_eq!((picture.size(), picture.rgb()), ((2, 1), &[0, 0, 0, 1, 2, 3][..]));
}

/// A file to be damaged.
static WHOLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = Folder::new("png-whole");
    write_png(folder.join("a.png"), &ball(20, 10, 1)).unwrap();
    fs::read(folder.join("a.png")).unwrap()
});

/// `png` with the checksum of every chunk set right, so that a reader looks at the contents.
fn with_checksums(mut png: Vec<u8>) -> Vec<u8> {
    let mut at = 8;
    while let Some(length) = png.get(at..at + 4).map(|b| u32::from_be_bytes(b.try_into().unwrap()) as usize) {
        let Some(chunk) = png.get(at + 4..at + 8 + length) else { break };
        let sum = crc32fast::hash(chunk).to_be_bytes();
        let Some(place) = png.get_mut(at + 8 + length..at + 12 + length) else { break };
        place.copy_from_slice(&sum);
        at += 12 + length;
    }
    png
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    /// Checksums keep most damage from the decoder; a hostile file has right ones.
    #[test]
    fn a_hostile_png_is_a_picture_or_damaged(edits in prop::collection::vec((8_usize..1000, any::<u8>()), 1..6)) {
        let mut png = WHOLE.clone();
        for (at, byte) in edits {
            png[8 + at % (WHOLE.len() - 8)] = byte;
        }
        let folder = Folder::new("png-hostile");
        let path = folder.join("a.png");
        fs::write(&path, with_checksums(png)).unwrap();
        match read_png(&path) {
            Ok(picture) => prop_assert_eq!(picture.rgb().len() as u32, 3 * picture.width() * picture.height()),
            Err(error) => prop_assert!(matches!(error, MediaError::Damaged { .. }), "{}", error),
        }
    }
}
