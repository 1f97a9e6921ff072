//! Adaptive sampling: more samples for pixels whose samples disagree, and for those around them.
//!
//! *The idea*: samples are taken in rounds, each of which quadruples the samples of a pixel. A few samples that agree prove little:
//! where a tenth of the sky is hidden, four samples miss it in two pixels of three, and the third comes out dark, as pepper noise.
//! So a pixel is finished only when all its neighbours are, too; by then a hundred samples agree.
//! *Promised*: convergence to the mean as the number of samples grows, since the first round grows with it.

use crate::math::DVec3;
use rayon::prelude::*;

/// Samples of the first round, and at least this fraction (1/16) of all. Fewer: thin bodies and soft shadows are missed. More:
/// slower.
const FIRST: u32 = 4;
const MIN_PART: u32 = 16;
/// Growth of a pixel's samples by a round.
const GROWTH: u32 = 4;
/// Distance of the neighbours that count, pixels across and down.
const NEAR: usize = 2;
/// Greatest difference of shade between samples of the first round that agree; 1 is white on a screen.
const ALIKE: f64 = 0.012;
/// Standard error of the shade of a finished pixel: less than eyes can tell.
const CLEAN: f64 = 0.006;

/// Pixels, row by row: means of `color(x, y, number)` over samples numbered from 0.
pub(super) fn pixels(
    width: usize,
    height: usize,
    samples: u32,
    color: impl Fn(u32, u32, u32) -> DVec3 + Sync,
) -> Vec<[f32; 3]> {
    let samples = samples.max(1);
    let mut pixels = vec![[0.0; 3]; width * height];
    if pixels.is_empty() {
        return pixels;
    }
    let mut asked = vec![true; pixels.len()];
    let mut unsure = vec![false; pixels.len()];
    let (mut taken, mut next) = (0, FIRST.max(samples / MIN_PART).min(samples));
    loop {
        let rows = pixels.par_chunks_mut(width).zip(unsure.par_chunks_mut(width)).zip(asked.par_chunks(width));
        rows.enumerate().for_each(|(y, ((row, unsure), asked))| {
            for x in 0..width {
                unsure[x] = false;
                if asked[x] {
                    let mut tally = Tally::new(row[x], taken);
                    (taken..next).for_each(|number| tally.add(color(x as u32, y as u32, number)));
                    (row[x], unsure[x]) = (tally.mean(), tally.is_unsure());
                }
            }
        });
        if next == samples {
            return pixels;
        }
        // A finished pixel stays so: its samples are fewer.
        asked.par_iter_mut().zip(near(&unsure, width)).for_each(|(asked, near)| *asked &= near);
        (taken, next) = (next, GROWTH.saturating_mul(next).min(samples));
    }
}

/// Running sums over a pixel's samples.
struct Tally {
    sum: DVec3,
    taken: u32,
    /// Of this round: number, least and greatest shade, and sums of shades and of their squares.
    new: u32,
    range: (DVec3, DVec3),
    shades: (DVec3, DVec3),
}

impl Tally {
    /// After `taken` samples with this mean.
    fn new(mean: [f32; 3], taken: u32) -> Self {
        let sum = f64::from(taken) * DVec3::from_array(mean.map(f64::from));
        let range = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        Self { sum, taken, new: 0, range, shades: (DVec3::ZERO, DVec3::ZERO) }
    }

    fn add(&mut self, color: DVec3) {
        // Square root: the eye tells dark shades apart better.
        let shade = color.max(DVec3::ZERO).map(f64::sqrt);
        self.sum += color;
        self.taken += 1;
        self.new += 1;
        self.range = (self.range.0.min(shade), self.range.1.max(shade));
        self.shades = (self.shades.0 + shade, self.shades.1 + shade * shade);
    }

    fn mean(&self) -> [f32; 3] {
        (self.sum / f64::from(self.taken)).to_array().map(|v| v as f32)
    }

    /// Whether more samples would visibly change the mean.
    fn is_unsure(&self) -> bool {
        if self.new == self.taken {
            return (self.range.1 - self.range.0).max_element() > ALIKE;
        }
        let new = f64::from(self.new);
        let variance = self.shades.1 / new - (self.shades.0 / new) * (self.shades.0 / new);
        variance.max_element() > CLEAN * CLEAN * f64::from(self.taken)
    }
}

/// Dilation: whether a pixel or one of its neighbours is set.
fn near(pixels: &[bool], width: usize) -> Vec<bool> {
    let across: Vec<bool> = pixels
        .par_chunks(width)
        .flat_map_iter(|row| (0..width).map(|x| row[x.saturating_sub(NEAR)..width.min(x + NEAR + 1)].contains(&true)))
        .collect();
    let height = pixels.len() / width;
    let down = |y: usize, x: usize| (y.saturating_sub(NEAR)..height.min(y + NEAR + 1)).any(|y| across[y * width + x]);
    (0..pixels.len()).into_par_iter().map(|i| down(i / width, i % width)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A twentieth of all samples is dark, in no order: in 81 % of pixels the first four see none of it.
    fn rarely(x: u32, y: u32, number: u32) -> DVec3 {
        let mut n = (x << 20 ^ y << 10 ^ number).wrapping_mul(0x9E37_79B1);
        n = (n ^ n >> 15).wrapping_mul(0x85EB_CA77);
        DVec3::splat(if (n ^ n >> 13).is_multiple_of(20) { 0.0 } else { 0.8 })
    }

    #[test]
    fn shade_that_few_samples_see_is_no_pepper() {
        let shown = pixels(64, 48, 64, rarely);
        let dark = shown.iter().map(|p| f64::from(1.0 - p[0] / 0.8));
        let (mean, least) = (dark.clone().sum::<f64>() / 3072.0, dark.fold(1.0, f64::min));
        // Stopping at four would leave four pixels of five without any, and a mean of 0.05 · 0.19 at most there.
        assert!((mean - 0.05).abs() < 0.003, "{mean}");
        assert!(shown.iter().filter(|p| p[0] > 0.799).count() < 3072 / 10, "{least}");
    }

    #[test]
    fn pixels_that_agree_take_few_samples_and_the_others_all() {
        use std::sync::atomic::{AtomicU32, Ordering};
        let asked = AtomicU32::new(0);
        let edge = |x: u32, _: u32, number: u32| {
            asked.fetch_add(1, Ordering::Relaxed);
            DVec3::splat(if x < 50 || (x == 50 && number.is_multiple_of(2)) { 0.1 } else { 0.9 })
        };
        let shown = pixels(100, 10, 64, edge);
        // Five columns of ten go to 16, then to 64; the rest stay at 4.
        assert_eq!(asked.into_inner(), 95 * 10 * 4 + 5 * 10 * 64);
        assert!((shown[50][0] - 0.5).abs() < 1e-6 && (shown[10][0] - 0.1).abs() < 1e-6);
        assert!(pixels(0, 10, 4, |_, _, _| DVec3::ZERO).is_empty());
    }
}
