//! Conversion from sRGB to Y'CbCr 4:2:0: luma for every pixel, chroma for every 2x2 block.
//!
//! The matrix is that of BT.709 in limited range (luma 16 to 235, chroma 16 to 240 around 128), the default of players,
//! which the file also names. Chroma is sited where H.264 expects it: horizontally at the left pixel of a pair,
//! vertically between the two rows.

use crate::picture::Picture;

/// Weights of red, green and blue in 1/65536. Those of chroma sum to zero, so that grey is exactly neutral.
const Y: [i32; 3] = [11966, 40254, 4064];
const U: [i32; 3] = [-6596, -22188, 28784];
const V: [i32; 3] = [28784, -26145, -2639];

/// Planes of even width and height.
#[derive(Debug)]
pub struct Yuv {
    /// Width of the luma plane.
    pub width: usize,
    /// Height of the luma plane.
    pub height: usize,
    pub y: Vec<u8>,
    pub u: Vec<u8>,
    pub v: Vec<u8>,
}

impl Yuv {
    /// Black planes for pictures of this width and height.
    pub fn new((width, height): (u32, u32)) -> Self {
        let (width, height) = (width.next_multiple_of(2) as usize, height.next_multiple_of(2) as usize);
        let colours = width / 2 * (height / 2);
        Self { width, height, y: vec![16; width * height], u: vec![128; colours], v: vec![128; colours] }
    }

    /// Converts `picture`; its last column and row are repeated up to even sizes.
    pub fn convert(&mut self, picture: &Picture) {
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let row = |y: usize| &picture.pixels()[y.min(height - 1) * width..][..width];
        for (y, line) in self.y.chunks_exact_mut(self.width).enumerate() {
            for (to, pixel) in line.iter_mut().zip(row(y)) {
                *to = (16 + ((dot(Y, pixel.map(i32::from)) + (1 << 15)) >> 16)) as u8;
            }
            if width < self.width {
                line[width] = line[width - 1];
            }
        }
        let lines = self.u.chunks_exact_mut(self.width / 2).zip(self.v.chunks_exact_mut(self.width / 2));
        for (y, (u, v)) in lines.enumerate() {
            let (above, below) = (row(2 * y), row(2 * y + 1));
            for (x, (u, v)) in u.iter_mut().zip(v).enumerate() {
                let at = |x: usize, i: usize| i32::from(above[x][i]) + i32::from(below[x][i]);
                let (left, right) = ((2 * x).saturating_sub(1), (2 * x + 1).min(width - 1));
                // Eight times the weighted mean: both rows, and weights 1/4, 1/2, 1/4 across.
                let sum = [0, 1, 2].map(|i| at(left, i) + 2 * at(2 * x, i) + at(right, i));
                *u = (128 + ((dot(U, sum) + (1 << 18)) >> 19)) as u8;
                *v = (128 + ((dot(V, sum) + (1 << 18)) >> 19)) as u8;
            }
        }
    }
}

fn dot(weights: [i32; 3], rgb: [i32; 3]) -> i32 {
    weights[0] * rgb[0] + weights[1] * rgb[1] + weights[2] * rgb[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_one(rgb: [u8; 3]) -> [u8; 3] {
        let mut yuv = Yuv::new((1, 1));
        yuv.convert(&Picture::new(1, 1, rgb.to_vec()).unwrap());
        assert_eq!((yuv.width, yuv.height), (2, 2));
        assert!(yuv.y.iter().all(|y| *y == yuv.y[0]), "the pixel is repeated");
        [yuv.y[0], yuv.u[0], yuv.v[0]]
    }

    /// Rec. ITU-R BT.709-6, items 3.2 to 3.4 and 4.6: Y = 219 E'Y + 16, C = 224 E'C + 128, rounded.
    #[test]
    fn colours_are_those_of_bt709() {
        assert_eq!(of_one([0, 0, 0]), [16, 128, 128]);
        assert_eq!(of_one([255, 255, 255]), [235, 128, 128]);
        assert_eq!(of_one([255, 0, 0]), [63, 102, 240]);
        assert_eq!(of_one([0, 255, 0]), [173, 42, 26]);
        assert_eq!(of_one([0, 0, 255]), [32, 240, 118]);
        for grey in 0..=255 {
            let expected = (16.0 + 219.0 * f64::from(grey) / 255.0).round() as u8;
            assert_eq!(of_one([grey; 3]), [expected, 128, 128]);
        }
    }

    /// Red at columns 0 and 1 of four: the pair at 0 gets weight (1 + 2 + 1)/4, the pair at 2 gets 1/4.
    #[test]
    fn chroma_is_sited_at_the_left_pixel_of_a_pair() {
        let (red, black) = ([255, 0, 0], [0, 0, 0]);
        let rgb = [[red, red, black, black]; 2].concat().concat();
        let mut yuv = Yuv::new((4, 2));
        yuv.convert(&Picture::new(4, 2, rgb).unwrap());
        assert_eq!(yuv.v, [240, 128 + 28]);
    }
}
