//! Volume lost to compression and regained by bulges, and the bulge heights that balance the two.
//!
//! *The idea*: columns through the rest surface ([`Columns`]), fine where the surface changes, give the volume between the
//! rest and the deformed surface with an estimate of the error, for a body of any shape. *What we changed*: [OC97] §3.2
//! takes a percentage of the compression and gains volume; here heights are solved for. The patches of one collider share
//! one ratio of height to compression, found with that collider alone, so that a contact far away changes nothing; then
//! one factor for all corrects for the bulges of several colliders that overlap. *Not promised*: see [`Columns`].
//!
//! [OC97]: crate#papers

use super::collider::Collider;
use super::columns::{Columns, VolumeChange};
use super::deformed::Deformed;
use super::facets::{ColliderInfluence, DeformableRegion};
use crate::model::{Bulge, Height};

/// Target error of a volume, as a fraction of the volume lost; the true error is mostly far smaller.
/// Smaller: slower, more columns at the border of every patch. Larger: heights that jump between frames.
const TOLERANCE: f64 = 5e-3;
/// Target error for deciding whether any height keeps the volume. Larger: more cases are decided twice.
const ROUGH: f64 = 5e-2;
/// Accuracy of the balance, as a fraction of the target error. Smaller: more heights are tried. Larger: heights jump.
const BALANCED: f64 = 0.1;
/// Greatest number of iterations. Fewer: a strongly non-linear bulge ends off balance.
const MAX_ITERATIONS: usize = 30;
/// Times that columns are refined for the height just found. Fewer: the border of a new bulge is measured coarsely.
const ROUNDS: usize = 2;
/// First guess of the ratio of height to compression.
const FIRST_RATIO: f64 = 0.1;

/// Target of a solve for bulge heights.
struct Goal<'a, F> {
    /// Heights before they are multiplied, field units.
    heights: &'a [f64],
    /// Volume to gain as a function of the volume lost, m³.
    wanted: &'a F,
    /// Accuracy of the gain, as a fraction of the volume lost.
    accuracy: f64,
}

impl<'a> Deformed<'a> {
    /// The value of `−e` at which a bulge ends everywhere, field units.
    fn bulge_end(&self, c: &Collider) -> f64 {
        let iso = c.field.shape.iso();
        match self.bulge {
            Bulge::None => 0.0,
            // With motion the bulge extends furthest behind the collider, to a field of zero.
            Bulge::Dilation { follows_motion: true, .. } => c.scale() * iso,
            Bulge::Dilation { falloff, .. } => c.scale() * iso * (1.0 - 0.5 * falloff),
            Bulge::Attenuated { .. } => c.scale() * iso,
        }
    }

    /// The part of the surface that colliders may change.
    fn region(&self) -> DeformableRegion<'a> {
        let reach = |c: &Collider<'a>| {
            let end = if c.sources.is_empty() { 0.0 } else { self.bulge_end(c) };
            ColliderInfluence { field: c.field, above: c.field.shape.iso() - end / c.scale() }
        };
        DeformableRegion { field: self.field, influences: self.colliders.iter().map(reach).collect() }
    }

    /// Change of volume by all colliders together; [`VolumeChange::UNKNOWN`] where it cannot be measured.
    pub fn volume_change(&self) -> VolumeChange {
        if self.colliders.is_empty() {
            return VolumeChange::default();
        }
        let Some(mut columns) = Columns::new(self, &self.region()) else { return VolumeChange::UNKNOWN };
        let mut change = columns.refine(self, TOLERANCE);
        change.error += columns.folded(self);
        change
    }

    /// Sets the heights of all bulges: a share of the compression, or heights that keep `1 − compressibility` of the volume.
    /// Returns the volume that could not be kept, cubic metres: narrow bulges hold only so much. A volume that is not known
    /// well counts as not kept; the return is infinite where nothing is known.
    pub fn set_heights(&mut self, compressibility: f64) -> f64 {
        self.set_heights_to(1.0 - compressibility, TOLERANCE)
    }

    /// The volume that [`Deformed::set_heights`] could not keep; faster where all of it can be kept.
    pub fn missing_volume(&self, compressibility: f64) -> f64 {
        let share = 1.0 - compressibility;
        let rough = self.clone().set_heights_to(share, ROUGH);
        if rough == 0.0 { rough } else { self.clone().set_heights_to(share, TOLERANCE) }
    }

    fn set_heights_to(&mut self, share: f64, tolerance: f64) -> f64 {
        let height = match self.bulge {
            Bulge::None => return 0.0,
            Bulge::Dilation { height, .. } | Bulge::Attenuated { height, .. } => height,
        };
        let ratio = if let Height::Ratio(ratio) = height { ratio } else { 1.0 };
        for source in self.colliders.iter_mut().flat_map(|c| &mut c.sources) {
            source.height = if source.compression > 0.0 { ratio * source.compression } else { 0.0 };
        }
        if height != Height::KeepVolume {
            return 0.0;
        }
        let (mut missing, mut colliders, mut several) = (0.0, Vec::new(), 0);
        for layers in self.colliders.chunk_by(|c, d| c.body == d.body) {
            let mut alone = Self { colliders: layers.to_vec(), ..*self };
            missing += alone.balance(FIRST_RATIO, tolerance, |lost| share * lost);
            colliders.append(&mut alone.colliders);
            several += 1;
        }
        self.colliders = colliders;
        if several < 2 || missing == f64::INFINITY {
            return missing;
        }
        // Volume that the bulges of one collider cannot hold is not moved to another.
        missing + self.balance(1.0, tolerance, |lost| (share * lost - missing).max(0.0))
    }

    /// Multiplies all heights by one factor, at first `factor`, so that the gain is `wanted(lost)`. Returns the missing
    /// volume.
    fn balance(&mut self, factor: f64, tolerance: f64, wanted: impl Fn(f64) -> f64) -> f64 {
        let before: Vec<f64> = self.colliders.iter().flat_map(|c| &c.sources).map(|s| s.height).collect();
        if before.iter().all(|h| *h <= 0.0) {
            return 0.0;
        }
        self.multiply(&before, factor);
        let Some(mut columns) = Columns::new(self, &self.region()) else { return f64::INFINITY };
        let mut change = columns.refine(self, tolerance);
        let (mut factor, mut missing) = (factor, 0.0);
        for _ in 0..ROUNDS {
            let goal = Goal { heights: &before, wanted: &wanted, accuracy: BALANCED * tolerance };
            (factor, missing) = self.solve(&mut columns, factor, &goal);
            change = columns.sum();
            let count = columns.len();
            if change.is_settled(tolerance) || columns.refine(self, tolerance) == change || columns.len() == count {
                break;
            }
        }
        change.error += columns.folded(self);
        if change.is_settled(tolerance) { missing } else { missing + change.error }
    }

    /// The factor that meets `goal` on the present columns, from a `first` guess, and the missing volume if none does.
    fn solve(&mut self, columns: &mut Columns, first: f64, goal: &Goal<impl Fn(f64) -> f64>) -> (f64, f64) {
        let before = goal.heights;
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let (mut x, mut last): (f64, Option<(f64, f64)>) = (first, None);
        for _ in 0..MAX_ITERATIONS {
            let full = self.multiply(before, x);
            let change = columns.change(self);
            let over = change.gained - (goal.wanted)(change.lost);
            let wanted = change.gained - over;
            if wanted <= 0.0 {
                self.multiply(before, 0.0);
                columns.change(self);
                return (0.0, 0.0);
            }
            if over.abs() <= goal.accuracy * change.lost {
                return (x, 0.0);
            }
            if over < 0.0 && full {
                return (x, -over);
            }
            if over < 0.0 {
                low = x
            } else {
                high = x
            }
            // The gain grows from zero about as a power of the height.
            let power = match last {
                Some((before, gained)) => (change.gained / gained).ln() / (x / before).ln(),
                None => 1.0,
            };
            let next = x * (wanted / change.gained).powf(1.0 / power.clamp(0.2, 3.0)).clamp(0.2, 5.0);
            last = Some((x, change.gained));
            x = match next {
                inside if inside > low && inside < high => inside,
                _ if high.is_finite() => 0.5 * (low + high),
                _ => 2.0 * x,
            };
        }
        self.multiply(before, x);
        columns.change(self);
        (x, 0.0)
    }

    /// Sets heights to `factor` times those `before`, at most the greatest a bulge may have. Returns whether all have that.
    fn multiply(&mut self, before: &[f64], factor: f64) -> bool {
        let ends: Vec<f64> = self.colliders.iter().map(|c| self.bulge_end(c)).collect();
        let mut before = before.iter();
        let mut full = true;
        for (c, end) in self.colliders.iter_mut().zip(ends) {
            for (source, before) in c.sources.iter_mut().zip(&mut before) {
                source.height = (factor * before).min(end);
                full &= source.height >= end || *before <= 0.0;
            }
        }
        full
    }
}

#[cfg(test)]
mod tests {
    use super::super::collider::BulgeSource;
    use super::*;
    use crate::fields::skeleton::{HalfSpace, Point};
    use crate::fields::{Element, Kernel, Posed, Shape, Skeleton};
    use crate::math::{DVec3, Frame};

    const KEEP: Bulge = Bulge::Attenuated { height: Height::KeepVolume, width: None };

    fn shape(skeleton: Skeleton) -> Shape {
        Shape::new(vec![Element::new(skeleton, Kernel::linear(1.0, 0.1, 0.2).unwrap())], 1.0)
    }

    /// `body` on the ground, with a bulge source of this compression at its centre.
    fn on_ground<'a>(body: &'a Shape, at: DVec3, ground: &'a Shape, compression: f64) -> Deformed<'a> {
        let sources = vec![BulgeSource { center: DVec3::ZERO, compression, height: 0.0 }];
        let field = Posed::rigid(ground, Frame::IDENTITY);
        let collider = Collider { body: 0, field, ratio: 1e3, rigid: true, velocity: DVec3::ZERO, sources };
        Deformed { field: Posed::rigid(body, Frame::at(at)), bulge: KEEP, colliders: vec![collider] }
    }

    #[test]
    fn a_touch_without_depth_needs_no_bulge_and_ends() {
        let ball = shape(Point { at: DVec3::ZERO }.into());
        let ground = shape(HalfSpace::new(-0.1 * DVec3::Z, DVec3::Z).unwrap().into());
        // Deep in the ground, but said to be pressed by nothing: growing a height of zero would never end.
        for compression in [0.0, f64::NAN] {
            let mut touch = on_ground(&ball, 0.09 * DVec3::Z, &ground, compression);
            assert_eq!(touch.set_heights(0.0), 0.0);
            assert_eq!(touch.colliders[0].sources[0].height, 0.0);
        }
    }

    /// `π d² (3t − d)/3`, from a touch to half the radius.
    #[test]
    fn what_a_ball_loses_is_its_cap() {
        let ball = shape(Point { at: DVec3::ZERO }.into());
        let ground = shape(HalfSpace::new(-0.1 * DVec3::Z, DVec3::Z).unwrap().into());
        for depth in [1e-6, 1e-4, 1e-3, 0.01, 0.03, 0.05] {
            let mut pressed = on_ground(&ball, (0.1 - depth) * DVec3::Z, &ground, 10.0 * depth);
            pressed.bulge = Bulge::None;
            let change = pressed.volume_change();
            let expected = std::f64::consts::PI * depth * depth * (0.3 - depth) / 3.0;
            assert!((change.lost / expected - 1.0).abs() < TOLERANCE, "{depth}: {} of {expected}", change.lost);
            assert!(change.is_settled(TOLERANCE) && change.gained == 0.0, "{change:?}");
        }
    }

    #[test]
    fn a_volume_that_cannot_be_measured_is_not_said_to_be_kept() {
        // Two half-spaces overlap without end.
        let ground = shape(HalfSpace::new(-0.1 * DVec3::Z, DVec3::Z).unwrap().into());
        let above = shape(HalfSpace::new(0.1 * DVec3::Z, -DVec3::Z).unwrap().into());
        let mut pressed = on_ground(&above, -0.01 * DVec3::Z, &ground, 0.1);
        assert!(pressed.volume_change().lost.is_nan());
        assert_eq!(pressed.set_heights(0.0), f64::INFINITY);
        // Past its skeleton a ball is punched through: columns find no surface, and the missing volume is reported.
        let ball = shape(Point { at: DVec3::ZERO }.into());
        let mut pierced = on_ground(&ball, -0.03 * DVec3::Z, &ground, 1.3);
        assert!(!pierced.volume_change().is_settled(TOLERANCE));
        assert!(pierced.set_heights(0.0) > 0.0);
    }
}
