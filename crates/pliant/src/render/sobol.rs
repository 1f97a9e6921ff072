//! Scrambled Sobol points, even over the samples of a pixel and over neighbouring pixels.
//!
//! *The idea*: every power of two of the points of Sobol's sequence fills the unit square evenly, and Owen's scrambling,
//! by hashes (Burley, "Practical hash-based Owen scrambling", 2020), makes as many unrelated sequences of it as there are
//! pairs of numbers. The pixels of a tile take one sequence in turns along a Z-curve (Ahmed and Wonka, "Screen-space
//! blue-noise diffusion of Monte Carlo sampling error", 2020): errors of neighbouring pixels have opposite signs, and grain is
//! too fine to be seen.

/// Logarithm of the pixels along a side of a tile. With 2¹⁶ samples a pixel, indices stay below 2³².
const TILE: u32 = 6;

/// Coordinates of one sample of a pixel, pair by pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct PixelSequence {
    seed: u32,
    index: u32,
    dimension: u32,
}

impl PixelSequence {
    /// Sample `number` of at most `samples` of pixel `x`, `y`.
    pub fn new(x: u32, y: u32, number: u32, samples: u32) -> Self {
        let within = (1 << TILE) - 1;
        let pixel = interleaved(x & within) | interleaved(y & within) << 1;
        let bits = samples.max(1).next_power_of_two().trailing_zeros();
        let tile = u64::from(x >> TILE) << 32 | u64::from(y >> TILE);
        Self { seed: mixed(tile), index: pixel << bits | number, dimension: 0 }
    }

    /// Two more coordinates, from 0 to less than 1.
    pub fn pair(&mut self) -> [f64; 2] {
        let seed = |k: u32| mixed(u64::from(self.seed) << 32 | u64::from(3 * self.dimension + k));
        // Each pair takes the points in an order of its own, so that pairs are independent.
        let index = scrambled(self.index, seed(0));
        let (x, y) = (scrambled(index.reverse_bits(), seed(1)), scrambled(second(index), seed(2)));
        self.dimension += 1;
        let unit = |n: u32| f64::from(n) / 4_294_967_296.0;
        [unit(x), unit(y)]
    }
}

/// The second dimension of Sobol's sequence; the first is the number's bits in reverse.
fn second(mut n: u32) -> u32 {
    let (mut sum, mut direction) = (0, 1u32 << 31);
    while n != 0 {
        if n & 1 != 0 {
            sum ^= direction;
        }
        direction ^= direction >> 1;
        n >>= 1;
    }
    sum
}

/// Owen's scrambling: every bit is flipped or not, by a hash of the bits before it.
fn scrambled(n: u32, seed: u32) -> u32 {
    let n = n.reverse_bits();
    let n = n ^ n.wrapping_mul(0x3D20_ADEA);
    let n = n.wrapping_add(seed).wrapping_mul(seed >> 16 | 1);
    let n = n ^ n.wrapping_mul(0x0552_6C56);
    (n ^ n.wrapping_mul(0x53A2_2864)).reverse_bits()
}

/// The lowest six bits, with a gap after each.
fn interleaved(n: u32) -> u32 {
    (0..TILE).fold(0, |sum, i| sum | (n >> i & 1) << (2 * i))
}

fn mixed(x: u64) -> u32 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((x ^ x >> 31) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 16 samples one lies in each cell of every way to cut the square into 16: 1 × 16, 2 × 8 and so on. The same of 64
    /// that four neighbouring pixels have together.
    #[test]
    fn samples_of_a_pixel_and_of_its_neighbours_fill_the_square_evenly() {
        let points = |pixels: &[(u32, u32)], dimension: usize| -> Vec<[f64; 2]> {
            let one = |p: &(u32, u32), n: u32| {
                let mut sequence = PixelSequence::new(p.0, p.1, n, 16);
                (0..dimension).for_each(|_| _ = sequence.pair());
                sequence.pair()
            };
            pixels.iter().flat_map(|p| (0..16).map(move |n| one(p, n))).collect()
        };
        for (pixels, count) in [(&[(131, 70)][..], 16), (&[(130, 70), (131, 70), (130, 71), (131, 71)][..], 64)] {
            for dimension in 0..5 {
                let points = points(pixels, dimension);
                let mut across = 1;
                while across <= count {
                    let cell = |[x, y]: &[f64; 2]| {
                        (x * across as f64) as usize + across * (y * (count / across) as f64) as usize
                    };
                    let mut cells: Vec<usize> = points.iter().map(cell).collect();
                    cells.sort_unstable();
                    assert!(cells.iter().copied().eq(0..count), "pair {dimension} in {across} columns: {cells:?}");
                    across *= 2;
                }
            }
        }
    }
}
