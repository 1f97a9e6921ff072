//! Palettes of at most 255 colours, and ordered dithering.
//!
//! *The idea*: NeuQuant, which keeps rare colours, gives the first guess; a few iterations of Lloyd's method move every
//! colour to the mean of the pixels it represents, so that flat areas become exact. Dithering uses a fixed pattern in
//! space, so that still areas do not flicker.

use color_quant::NeuQuant;
use std::collections::HashSet;

/// One less than a GIF holds: the last index means "transparent".
const MAX_COLOURS: usize = 255;

/// Pixels sampled to choose colours. Smaller: small objects are missed. Larger: slower with no visible gain.
const SAMPLE: usize = 1 << 15;

/// Iterations of Lloyd's method; the error hardly falls after the third.
const ITERATIONS: usize = 3;

/// Squared distance, in levels, beyond which two colours are not dithered. Larger: single dots show. Smaller: banding.
const MAX_DITHER_SQ: i32 = 24 * 24;

/// Bayer's matrix: the order in which pixels of an 8x8 tile take the second colour.
const BAYER: [[u8; 8]; 8] = [
    [0, 32, 8, 40, 2, 34, 10, 42],
    [48, 16, 56, 24, 50, 18, 58, 26],
    [12, 44, 4, 36, 14, 46, 6, 38],
    [60, 28, 52, 20, 62, 30, 54, 22],
    [3, 35, 11, 43, 1, 33, 9, 41],
    [51, 19, 59, 27, 49, 17, 57, 25],
    [15, 47, 7, 39, 13, 45, 5, 37],
    [63, 31, 55, 23, 61, 29, 53, 21],
];

/// Colours sorted by green.
#[derive(Clone, Debug)]
pub struct Palette {
    colours: Vec<[u8; 3]>,
    /// For each level of green, the index of the first colour with at least that level.
    from_green: [u8; 256],
}

impl Palette {
    /// A palette for `all` pixels, in which those in `some` count twice.
    pub fn of(all: &[[u8; 3]], some: &[[u8; 3]]) -> Self {
        let mut few = HashSet::new();
        if all.iter().all(|colour| few.contains(colour) || (few.len() < MAX_COLOURS && few.insert(*colour))) {
            return Self::sorted(few.into_iter().collect());
        }
        let sample: Vec<[u8; 3]> = sampled(all, SAMPLE).chain(sampled(some, SAMPLE)).copied().collect();
        let rgba: Vec<u8> = sample.iter().flat_map(|&[r, g, b]| [r, g, b, 255]).collect();
        let guess = NeuQuant::new(3, MAX_COLOURS, &rgba).color_map_rgb();
        let guess = Self::sorted(guess.as_chunks().0.to_vec());
        (0..ITERATIONS).fold(guess, |palette, _| palette.moved_to_means(&sample))
    }

    fn sorted(mut colours: Vec<[u8; 3]>) -> Self {
        colours.sort_unstable_by_key(|&[r, g, b]| (g, r, b));
        let from_green = std::array::from_fn(|green| colours.partition_point(|c| usize::from(c[1]) < green) as u8);
        Self { colours, from_green }
    }

    fn moved_to_means(&self, sample: &[[u8; 3]]) -> Self {
        let mut sums = vec![[0_u32; 4]; self.colours.len()];
        for colour in sample {
            let sum = &mut sums[self.nearest(colour.map(i32::from)).0];
            (0..3).for_each(|i| sum[i] += u32::from(colour[i]));
            sum[3] += 1;
        }
        let mean = |(colour, [r, g, b, count]): (&[u8; 3], [u32; 4])| match count {
            0 => *colour,
            _ => [r, g, b].map(|sum| ((sum + count / 2) / count) as u8),
        };
        Self::sorted(self.colours.iter().zip(sums).map(mean).collect())
    }

    /// Number of colours.
    pub fn len(&self) -> usize {
        self.colours.len()
    }

    /// Three bytes a colour.
    pub fn rgb(&self) -> &[u8] {
        self.colours.as_flattened()
    }

    /// Mean squared distance of the sample from its nearest colours, in levels squared.
    pub fn error_sq(&self, sample: &[[u8; 3]]) -> f64 {
        let total: u64 = sample.iter().map(|colour| self.nearest(colour.map(i32::from)).1 as u64).sum();
        total as f64 / sample.len().max(1) as f64
    }

    /// Index of the colour shown for `colour` at column `x` and row `y`.
    pub fn dither(&self, colour: [u8; 3], x: usize, y: usize) -> u8 {
        let colour = colour.map(i32::from);
        let (near, distance_sq) = self.nearest(colour);
        if distance_sq == 0 {
            return near as u8;
        }
        // The second colour is the one nearest to the mirror image of the first.
        let a = self.colours[near].map(i32::from);
        let (other, _) = self.nearest([0, 1, 2].map(|i| 2 * colour[i] - a[i]));
        let b = self.colours[other].map(i32::from);
        let (across, along) = ([0, 1, 2].map(|i| b[i] - a[i]), [0, 1, 2].map(|i| colour[i] - a[i]));
        let length_sq = dot(across, across);
        if length_sq > MAX_DITHER_SQ {
            return near as u8;
        }
        let order = i32::from(BAYER[y % 8][x % 8]);
        // The second colour's share exceeds (order + 1/2)/64.
        let takes_other = 128 * dot(along, across) > (2 * order + 1) * length_sq;
        (if takes_other { other } else { near }) as u8
    }

    /// Index of the colour nearest to `to`, which may lie outside of the cube of colours, and the squared distance.
    fn nearest(&self, to: [i32; 3]) -> (usize, i32) {
        let middle = usize::from(self.from_green[to[1].clamp(0, 255) as usize]);
        let (mut best, mut best_sq) = (0, i32::MAX);
        // Outwards from the level of green, until the difference of green alone exceeds the best distance.
        let mut visit = |index: usize| {
            let [r, g, b] = [0, 1, 2].map(|i| i32::from(self.colours[index][i]) - to[i]);
            let distance_sq = r * r + g * g + b * b;
            if distance_sq < best_sq {
                (best, best_sq) = (index, distance_sq);
            }
            g * g < best_sq
        };
        let (mut up, mut down) = (middle, middle);
        let (mut is_up_open, mut is_down_open) = (true, true);
        while is_up_open || is_down_open {
            is_up_open = is_up_open && up < self.colours.len() && visit(up);
            up += 1;
            is_down_open = is_down_open && down > 0 && visit(down - 1);
            down = down.saturating_sub(1);
        }
        (best, best_sq)
    }
}

fn dot(a: [i32; 3], b: [i32; 3]) -> i32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// About `count` elements, evenly spaced; the step is odd so that it visits all columns.
pub fn sampled<T>(all: &[T], count: usize) -> impl Iterator<Item = &T> {
    all.iter().step_by((all.len() / count) | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(length: usize) -> Vec<[u8; 3]> {
        (0..length).map(|i| [(i % 251) as u8, (i / 7 % 256) as u8, (i / 91 % 253) as u8]).collect()
    }

    #[test]
    fn few_colours_are_kept_as_they_are() {
        let few: Vec<[u8; 3]> = (0..255).map(|i| [i, 255 - i, 7]).collect();
        let palette = Palette::of(&few, &few);
        assert_eq!((palette.len(), palette.error_sq(&few)), (255, 0.0));
        assert!(few.iter().all(|c| palette.colours[usize::from(palette.dither(*c, 3, 5))] == *c));
    }

    #[test]
    fn the_nearest_colour_is_the_one_a_full_search_finds() {
        let all = ramp(20_000);
        let palette = Palette::of(&all, &[]);
        for to in all.iter().step_by(17).map(|c| c.map(|level| 2 * i32::from(level) - 100)) {
            let distance_sq = |c: &[u8; 3]| (0..3).map(|i| (i32::from(c[i]) - to[i]).pow(2)).sum::<i32>();
            let least = palette.colours.iter().map(distance_sq).min().unwrap();
            assert_eq!(palette.nearest(to).1, least, "{to:?}");
        }
    }

    /// 102 is a quarter of the way from 100 to 108: 16 of 64 pixels take the second colour.
    #[test]
    fn dithering_keeps_the_mean() {
        let palette = Palette::sorted(vec![[100; 3], [108; 3]]);
        let bright = (0..64).filter(|i| palette.dither([102; 3], i % 8, i / 8) == 1).count();
        assert_eq!(bright, 16);
    }
}
