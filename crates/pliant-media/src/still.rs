//! PNG files.

use crate::error::MediaError;
use crate::picture::{Picture, check_size};
use pliant_files::{AtomicFile, Signature};
use png::{BitDepth, ColorType, Compression, DecodeOptions, Decoder, DecodingError, Encoder, EncodingError};
use std::fs::File;
use std::io::{BufReader, BufWriter, Error};
use std::path::Path;

const SIGNATURE: Signature = Signature { offset: 0, bytes: b"\x89PNG\r\n\x1a\n" };

/// Writes `picture` to `path` with the sRGB tag, replacing any file there.
pub fn write_png(path: impl AsRef<Path>, picture: &Picture) -> Result<(), MediaError> {
    write(path.as_ref(), picture, Compression::Balanced)
}

/// As [`write_png`], with a chosen compression.
pub(crate) fn write(path: &Path, picture: &Picture, compression: Compression) -> Result<(), MediaError> {
    let mut file = BufWriter::new(AtomicFile::create_locked(path, SIGNATURE).map_err(MediaError::refused(path))?);
    let mut encode = || {
        let mut encoder = Encoder::new(&mut file, picture.width(), picture.height());
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(compression);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(picture.rgb())?;
        writer.finish()
    };
    let refuse = || MediaError::io(path, "write");
    encode().map_err(|error| match error {
        EncodingError::IoError(error) => refuse()(error),
        error => refuse()(Error::other(error)),
    })?;
    file.into_inner().map_err(|error| error.into_error()).and_then(AtomicFile::commit).map_err(refuse())?;
    Ok(())
}

/// Reads a PNG of any colour type and depth; transparency is ignored. Checksums are verified to the end of the file, so
/// that a truncated or changed file is an error.
pub fn read_png(path: impl AsRef<Path>) -> Result<Picture, MediaError> {
    let path = path.as_ref();
    let file = File::open(path).map_err(MediaError::io(path, "read"))?;
    let damaged = |what: String| MediaError::Damaged { path: path.to_owned(), what };
    let refuse = |error: DecodingError| match error {
        // An early end of the file is damage; a failing disk is not.
        DecodingError::IoError(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => {
            MediaError::io(path, "read")(error)
        }
        error => damaged(error.to_string()),
    };
    let mut options = DecodeOptions::default();
    options.set_ignore_checksums(false);
    options.set_skip_ancillary_crc_failures(false);
    let mut decoder = Decoder::new_with_options(BufReader::new(file), options);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let header = decoder.read_header_info().map_err(refuse)?;
    let (width, height) = (header.width, header.height);
    check_size((width, height)).map_err(|error| damaged(error.to_string()))?;
    let mut reader = decoder.read_info().map_err(refuse)?;
    let bytes = reader.output_buffer_size().ok_or_else(|| damaged("its size makes no sense".to_owned()))?;
    let mut pixels = vec![0; bytes];
    reader.next_frame(&mut pixels).map_err(refuse)?;
    reader.finish().map_err(refuse)?;
    let rgb = match reader.output_color_type().0 {
        ColorType::Rgb => pixels,
        ColorType::Rgba => pixels.as_chunks::<4>().0.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect(),
        ColorType::Grayscale => pixels.iter().flat_map(|&grey| [grey; 3]).collect(),
        ColorType::GrayscaleAlpha => pixels.as_chunks::<2>().0.iter().flat_map(|&[grey, _]| [grey; 3]).collect(),
        ColorType::Indexed => return Err(damaged("its palette is missing".to_owned())),
    };
    Picture::new(width, height, rgb)
}
