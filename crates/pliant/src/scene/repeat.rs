//! Many bodies of one: rows and grids with a little disorder.

use super::error::Problems;
use super::node::{Fields, SceneValue, TextSpan};
use crate::math::DVec3;
use crate::model::{BodySpec, MotionSpec};

/// Copies in a row or a grid.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Repeat {
    pub(super) counts: [usize; 3],
    /// Offset from a copy to the next along each axis of the grid.
    steps: [DVec3; 3],
    jitter: f64,
    seed: u64,
}

impl Repeat {
    pub(super) fn total(&self) -> usize {
        // Each count is at most MAX_BODIES, so only hostile ones saturate.
        self.counts.iter().fold(1, |product, n| product.saturating_mul(*n))
    }

    /// Offset of copy `i` from the first, before jitter. x runs fastest.
    fn offset(&self, i: usize) -> DVec3 {
        let [nx, ny, _] = self.counts;
        let index = [i % nx, i / nx % ny, i / (nx * ny)];
        (0..3).map(|axis| index[axis] as f64 * self.steps[axis]).sum()
    }

    fn jitter(&self, i: usize) -> DVec3 {
        let random = |axis: u64| self.jitter * (2.0 * unit_random(self.seed, 3 * i as u64 + axis) - 1.0);
        DVec3::new(random(0), random(1), random(2))
    }
}

/// The `n`th number of the sequence `seed`, in [0, 1): splitmix64, the same on every machine.
fn unit_random(seed: u64, n: u64) -> f64 {
    let mut z = seed.wrapping_mul(0xD1B5_4A32_D192_ED03).wrapping_add((n + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

pub(super) fn read(fields: &Fields, span: &TextSpan, problems: &mut Problems) -> Option<Repeat> {
    let (count, spacing) = (fields.get("count")?, fields.get("spacing")?);
    let (counts, steps) = match (&count.value, &spacing.value) {
        (SceneValue::Whole(n), SceneValue::Number(d)) => ([*n, 1, 1], [*d * DVec3::X, DVec3::ZERO, DVec3::ZERO]),
        (SceneValue::Whole(n), SceneValue::Vector(v)) => ([*n, 1, 1], [*v, DVec3::ZERO, DVec3::ZERO]),
        (SceneValue::Counts(n), SceneValue::Number(d)) => (*n, [*d * DVec3::X, *d * DVec3::Y, *d * DVec3::Z]),
        (SceneValue::Counts(n), SceneValue::Vector(v)) => (*n, [v.x * DVec3::X, v.y * DVec3::Y, v.z * DVec3::Z]),
        _ => return None,
    };
    let counts = counts.map(|n| n as usize);
    if (0..3).any(|axis| counts[axis] > 1 && steps[axis] == DVec3::ZERO) {
        problems
            .add(&fields.span_of("spacing", span), "copies would lie in the same place")
            .help("give a spacing other than zero along every axis with more than one copy");
        return None;
    }
    let seed = fields.whole("seed").copied().unwrap_or(0) as u64;
    Some(Repeat { counts, steps, jitter: fields.number_or("jitter", 0.0), seed })
}

/// The bodies made of `body`: itself, or copies NAME-0, NAME-1, …
pub(super) fn copies(body: BodySpec, repeat: Option<Repeat>) -> Box<dyn Iterator<Item = BodySpec>> {
    let Some(repeat) = repeat else { return Box::new(std::iter::once(body)) };
    Box::new((0..repeat.total()).map(move |i| {
        let mut copy = body.clone();
        copy.name = format!("{}-{i}", body.name);
        let offset = repeat.offset(i) + repeat.jitter(i);
        copy.placement.translation += offset;
        if let MotionSpec::Keyed(keys) = &mut copy.motion {
            keys.keys.iter_mut().for_each(|key| key.placement.translation += offset);
        }
        copy
    }))
}
