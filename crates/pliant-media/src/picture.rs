//! A picture in memory.

use crate::error::MediaError;

/// Longest side of a picture, pixels. Larger: pictures of gigabytes. Smaller: prints are limited.
pub const MAX_SIDE: u32 = 16384;

/// A picture in sRGB, 8 bits a channel, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    width: u32,
    height: u32,
    rgb: Vec<u8>,
}

impl Picture {
    /// `rgb` holds three bytes a pixel: red, green, blue.
    pub fn new(width: u32, height: u32, rgb: Vec<u8>) -> Result<Self, MediaError> {
        check_size((width, height))?;
        let expected = width as usize * height as usize * 3;
        if rgb.len() != expected {
            return Err(MediaError::WrongLength { width, height, expected, found: rgb.len() });
        }
        Ok(Self { width, height, rgb })
    }

    /// Pixels across.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Pixels down.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Width and height.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Three bytes a pixel, row by row from the top.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// Red, green and blue of every pixel, row by row from the top.
    pub fn pixels(&self) -> &[[u8; 3]] {
        self.rgb.as_chunks().0
    }

    /// Mutable [`pixels`](Picture::pixels).
    pub fn pixels_mut(&mut self) -> &mut [[u8; 3]] {
        self.rgb.as_chunks_mut().0
    }

    /// Consumes the picture; returns [`rgb`](Picture::rgb).
    pub fn into_rgb(self) -> Vec<u8> {
        self.rgb
    }
}

/// Refuses widths and heights that no picture may have.
pub(crate) fn check_size((width, height): (u32, u32)) -> Result<(), MediaError> {
    match (width, height) {
        (0, _) | (_, 0) => Err(MediaError::NoPixels(width, height)),
        _ if width.max(height) > MAX_SIDE => Err(MediaError::TooLarge(width, height)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_refused_that_has_no_pixels_too_many_or_not_three_bytes_for_each() {
        let said = |width, height, bytes: usize| Picture::new(width, height, vec![0; bytes]).unwrap_err().to_string();
        assert_eq!(said(0, 4, 0), "a picture of 0x4 has no pixels; give a width and a height of at least 1");
        assert_eq!(said(16385, 1, 0), "a picture of 16385x1 is too large; give at most 16384 to a side");
        assert_eq!(said(2, 2, 11), "a picture of 2x2 has 12 bytes, three a pixel, but 11 were given");
        assert_eq!(Picture::new(2, 1, vec![1, 2, 3, 4, 5, 6]).unwrap().pixels(), [[1, 2, 3], [4, 5, 6]]);
    }
}
