//! Persistent charts: the chords of a patch, fixed to both bodies, from which the next query starts.

use crate::math::{DQuat, DVec3, Frame};

/// Length of a [`PersistentChart`] as an array.
pub const CHART_LEN: usize = 24;

/// Extents of a patch against those before, from which it has lost no lobe. Smaller: the loss of a small lobe goes unseen until
/// the next proof. Larger: proofs are made again while bodies part.
const KEPT_EXTENT: f64 = 0.97;

/// Arrangement of the chords of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChordFamily {
    /// Parallel: `s` is a length along the first axis, `t` one along the second.
    Parallel,
    /// From the origin outward: `s` is a radius, `t` an angle about the third axis.
    Rays,
    /// Parallel lines over a rectangle, each with any number of intervals; the origin is a point of the patch.
    Lines,
}

/// Numbers of chords and points of a chord rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChordCounts {
    /// Chords across a patch without creases.
    pub chords: u8,
    /// Points on a chord without creases.
    pub points: u8,
}

/// Chord rules from coarse to fine. The coarsest that agrees with the two next finer ones is used.
pub(super) const CHORD_RULES: [ChordCounts; 6] =
    [counts(4, 3), counts(6, 4), counts(9, 6), counts(12, 8), counts(18, 10), counts(27, 12)];

/// Numbers of lines over a rectangle, and of points of an interval, from coarse to fine. Each suits the error it leaves.
pub(super) const LINE_COUNTS: [u8; 3] = [16, 32, 64];
pub(super) const LINE_POINTS: [u8; 3] = [5, 9, 14];

const fn counts(chords: u8, points: u8) -> ChordCounts {
    ChordCounts { chords, points }
}

/// Sizes of a patch, by which the next query knows whether the rule still suits it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PatchSizes {
    /// Extent across the chords: metres, or radians of rays.
    pub extent: f64,
    /// Length of the middle chord, metres.
    pub chord: f64,
    /// Greatest pressure, pascals.
    pub max_pressure: f64,
}

/// The chords of a patch, fixed to both bodies: the start of the next query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PersistentChart {
    /// Frame of the chart, as fixed to a and as fixed to b.
    pub body_from_chart: [Frame; 2],
    /// Arrangement of the chords.
    pub family: ChordFamily,
    /// All around the pivot, without ends.
    pub closed: bool,
    /// Along and across the chords: both ends of the patch.
    pub ends: [[f64; 2]; 2],
    /// Ends of the chord halfway between.
    pub middle: [f64; 2],
    /// The rule that met the tolerance.
    pub counts: ChordCounts,
    /// Sizes of the patch when the rule was chosen.
    pub sizes: PatchSizes,
    /// Number of creases between chords when the rule was chosen.
    pub crease_count: u8,
    /// Estimated error of the rule when it was chosen, as a fraction of the load.
    pub error: f64,
    /// Distance that points of b may still move against a until it must be proved again that nothing but the patches of the
    /// pair overlaps, metres.
    pub allowed_motion: f64,
}

impl PersistentChart {
    /// As an array: frames, ends, middle chord, sizes, error. Single precision suffices for the start of a query;
    /// kilometres from the origin of an unbounded body it does not, and patches are set up anew.
    pub fn to_array(&self) -> [f32; CHART_LEN] {
        let PatchSizes { extent, chord, max_pressure } = self.sizes;
        let mut all = [0.0; CHART_LEN];
        let frame = |f: &Frame| [f.translation.to_array().to_vec(), f.rotation.to_array().to_vec()].concat();
        let frames = self.body_from_chart.iter().flat_map(frame);
        let rest = self.ends.iter().flatten().chain(&self.middle).copied().chain([extent, chord, max_pressure]);
        all.iter_mut().zip(frames.chain(rest).chain([self.error])).for_each(|(to, from)| *to = from as f32);
        all
    }

    /// The same chart with the numbers of such an array.
    pub fn with_array(&self, numbers: &[f32; CHART_LEN]) -> Self {
        let n = numbers.map(f64::from);
        let frame = |at: usize| {
            let rotation = DQuat::from_array([n[at + 3], n[at + 4], n[at + 5], n[at + 6]]);
            Frame { translation: DVec3::new(n[at], n[at + 1], n[at + 2]), rotation }
        };
        Self {
            body_from_chart: [frame(0), frame(7)],
            ends: [[n[14], n[15]], [n[16], n[17]]],
            middle: [n[18], n[19]],
            sizes: PatchSizes { extent: n[20], chord: n[21], max_pressure: n[22] },
            error: n[23],
            ..*self
        }
    }

    /// Rounded to what a cache keeps, so that a resumed run goes on with the same bits.
    /// `None` where the rounded chart is not usable.
    pub(super) fn rounded(&self) -> Option<Self> {
        Some(self.with_array(&self.to_array()).with_allowed_motion(self.allowed_motion)).filter(Self::is_usable)
    }

    /// The same with another allowed motion, rounded to what a cache keeps.
    pub(super) fn with_allowed_motion(&self, allowed_motion: f64) -> Self {
        Self { allowed_motion: f64::from(allowed_motion as f32), ..*self }
    }

    /// Whether a query can start from it; a state with a chart that cannot come from a query is refused.
    pub(super) fn is_usable(&self) -> bool {
        let [low, high] = self.middle;
        let extent = self.ends[1][1] - self.ends[0][1];
        let rays = self.family == ChordFamily::Rays;
        self.to_array().iter().all(|x| x.is_finite())
            && self.body_from_chart.iter().all(|f| f.rotation.is_normalized())
            && low < high
            && (!rays || low > 0.0 && extent < std::f64::consts::TAU)
            && (if self.closed { rays } else { extent > 0.0 })
            && [self.sizes.extent, self.sizes.chord, self.sizes.max_pressure].iter().all(|x| *x > 0.0)
            && self.error >= 0.0
            && self.allowed_motion >= 0.0
            && self.allowed_motion.is_finite()
            && match self.family {
                ChordFamily::Lines => {
                    LINE_COUNTS.contains(&self.counts.chords) && LINE_POINTS.contains(&self.counts.points)
                }
                ChordFamily::Parallel | ChordFamily::Rays => CHORD_RULES.contains(&self.counts),
            }
    }

    /// Greatest motion of points of b against a since the chart was made, of those up to `radius` from its origin, metres.
    pub(super) fn motion_since(&self, world_from_body: [Frame; 2], radius: f64) -> f64 {
        let [a, b] = [0, 1].map(|i| world_from_body[i] * self.body_from_chart[i]);
        let moved = a.inverse() * b;
        moved.translation.length() + 2.0 * moved.rotation.xyz().length() * radius
    }

    /// Whether the patch of `next` is about as large: then it has lost no lobe since.
    pub(super) fn keeps_extents(&self, next: &Self) -> bool {
        let length = |[from, to]: [f64; 2]| to - from;
        let across = |c: &Self| length(c.ends.map(|[_, t]| t));
        self.family != ChordFamily::Lines
            && self.family == next.family
            && (self.closed || across(next) > KEPT_EXTENT * across(self))
            && length(next.middle) > KEPT_EXTENT * length(self.middle)
    }

    /// The chart's frame in the world: halfway between the frame fixed to a and the frame fixed to b.
    pub fn world_from_chart(&self, world_from_body: [Frame; 2]) -> Frame {
        let [a, b] = [0, 1].map(|i| world_from_body[i] * self.body_from_chart[i]);
        let near = if a.rotation.dot(b.rotation) < 0.0 { -b.rotation } else { b.rotation };
        Frame { rotation: (a.rotation + near).normalize(), translation: 0.5 * (a.translation + b.translation) }
    }
}
