//! The metaballs of the peers: the same skeletons, radii and random numbers.

use pliant::fields::{Element, Kernel, KernelParameters, Profile, Shape};
use pliant::math::DVec3;

/// The peers' generator: xorshift64, 24 bits a number.
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }
}

/// `n` points in a cube of edge 1.4 and their radius of influence.
pub fn skeletons(n: usize) -> (Vec<[f32; 3]>, f32) {
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ n as u64);
    (0..16).for_each(|_| _ = random.unit());
    let radius = (1.3 * (n as f32).powf(-1.0 / 3.0)).min(0.6);
    let mut coordinate = || random.unit() * 1.4 - 0.7;
    ((0..n).map(|_| [coordinate(), coordinate(), coordinate()]).collect(), radius)
}

/// A sum of curves around points, with its surface where the peers' metaball `(1 − r²/R²)³` has it: at 0.5.
pub fn shape(profile: Profile, (centers, radius): &(Vec<[f32; 3]>, f32)) -> Shape {
    let radius = f64::from(*radius);
    let thickness = radius * (1.0 - 0.5f64.cbrt()).sqrt();
    let size = KernelParameters { thickness, slope: None, radius };
    let kernel = Kernel::new(profile, 0.5, size).expect("legal for every radius");
    let point = |c: &[f32; 3]| super::point(DVec3::from_array(c.map(f64::from)));
    Shape::new(centers.iter().map(|c| Element::new(point(c), kernel.clone())).collect(), 0.5)
}
