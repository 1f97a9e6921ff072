//! Numbers that spread evenly over the samples of a pixel, and differ from pixel to pixel.

/// The places of one sample: a low-discrepancy sequence, shifted by a hash of the pixel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    shift: u64,
    number: u32,
    dimension: u32,
}

impl Spread {
    pub fn new(pixel: (u32, u32), number: u32) -> Self {
        Self { shift: mixed(u64::from(pixel.0) << 32 | u64::from(pixel.1)), number, dimension: 0 }
    }

    /// Two more coordinates between 0 and 1.
    pub fn pair(&mut self) -> (f64, f64) {
        // The plastic number's powers spread evenly in two dimensions.
        let dimension = u64::from(self.dimension);
        self.dimension += 1;
        let (a, b) = (mixed(self.shift ^ dimension << 1), mixed(self.shift ^ (dimension << 1 | 1)));
        // Each dimension takes the samples in an order of its own, so that they do not go together.
        let order = f64::from(self.number) + if dimension == 0 { 0.0 } else { (a % 4096) as f64 };
        let at = |start: u64, step: f64| (start as f64 / u64::MAX as f64 + order * step).fract();
        (at(a, 0.754_877_666_246_692_7), at(b, 0.569_840_290_998_053_2))
    }
}

fn mixed(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}
