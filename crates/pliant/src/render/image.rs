//! Pictures in linear colours.

/// Pixels in linear colours, row by row from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Red, green and blue of each pixel.
    pub pixels: Vec<[f32; 3]>,
}

impl Image {
    /// Three bytes a pixel in sRGB, for screens and files.
    pub fn to_srgb(&self) -> Vec<u8> {
        let level = |v: f32| {
            // Highlights are compressed instead of clipped.
            let v = f64::from(v).max(0.0);
            let v = if v < 0.7 { v } else { 0.7 + 0.3 * (1.0 - (-(v - 0.7) / 0.3).exp()) };
            let s = if v <= 0.003_130_8 { 12.92 * v } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 };
            (255.0 * s + 0.5) as u8
        };
        self.pixels.iter().flatten().map(|v| level(*v)).collect()
    }
}
