//! Volume pressed away by a patch and regained by its bulge; the height that balances them.
//!
//! *The idea*: rays from inside the body meet its rest surface and its deformed surface once each where the patch acts,
//! so the change of volume is `∫ (r̃³ − r³)/3 dΩ`. Rays are laid so that the border of the patch and the end of the
//! bulge fall between panels, where the integrand has its kinks. *What we changed*: [OC97] §3.2 takes a percentage of the
//! compression and gains volume; here the height is solved for. *Not promised*: parts of the deformed surface that the
//! middle of the body behind the patch does not see.

use super::deform::{Collider, Deformed};
use crate::fields::{Field, Placed};
use crate::math::{DVec3, bracketed_root, gauss, refine_root};
use crate::scene::{Bulge, Height};

/// Directions around the patch's axis.
const AROUND: usize = 16;
/// Gauss points in each panel of polar angle.
const PER_PANEL: usize = 8;
/// Heights tried before the nearest is taken.
const TRIES: usize = 40;

/// What a patch does to a body's volume, cubic metres. Both are no numbers where rays could not measure it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VolumeChange {
    /// Pressed away.
    pub lost: f64,
    /// Regained by the bulge.
    pub gained: f64,
}

impl VolumeChange {
    /// Not measured: nothing inside the body sees the patch.
    pub const UNKNOWN: Self = Self { lost: f64::NAN, gained: f64::NAN };
}

/// A direction from inside the body, the solid angle it stands for, and where the rest surface is.
struct Ray {
    direction: DVec3,
    solid_angle: f64,
    rest: f64,
}

/// Rays over everything a patch can change.
struct Fan {
    origin: DVec3,
    rays: Vec<Ray>,
    reach: f64,
}

impl Fan {
    /// Rays from behind the patch at `center` on `deformed`'s only collider.
    fn new(deformed: &Deformed, center: DVec3) -> Option<Self> {
        let field = &deformed.field;
        let origin = behind(field, center)?;
        let axis = (center - origin).try_normalize()?;
        let (e1, e2) = axis.any_orthonormal_pair();
        let reach = field.solid().size().length();
        let collider = deformed.colliders.first()?;
        let end = deformed.bulge_end(collider);
        let mut fan = Self { origin, rays: Vec::new(), reach };
        for j in 0..AROUND {
            let (sin, cos) = (std::f64::consts::TAU * (j as f64 + 0.5) / AROUND as f64).sin_cos();
            let across = cos * e1 + sin * e2;
            let toward = |angle: f64| angle.cos() * axis + angle.sin() * across;
            // How far the collider's excess is below zero on the rest surface, in a direction.
            let below = |angle: f64| {
                let d = toward(angle);
                fan.rest(field, d).map_or(f64::INFINITY, |r| -deformed.excess_of(collider, origin + r * d))
            };
            let border = angle_where(below, 0.0, (0.0, 0.999 * std::f64::consts::PI));
            let limit = angle_where(below, end, (border, 0.999 * std::f64::consts::PI));
            let third = (limit - border) / 3.0;
            let edges = [0.0, border, border + 0.5 * third, border + 1.5 * third, limit];
            for panel in edges.windows(2) {
                let rule = gauss(PER_PANEL);
                for (x, w) in rule.nodes.iter().zip(&rule.weights) {
                    let angle = panel[0] + x * (panel[1] - panel[0]);
                    let direction = toward(angle);
                    let weight = w * (panel[1] - panel[0]) * angle.sin() * std::f64::consts::TAU / AROUND as f64;
                    if let Some(rest) = fan.rest(field, direction) {
                        fan.rays.push(Ray { direction, solid_angle: weight, rest });
                    }
                }
            }
        }
        Some(fan)
    }

    /// Distance along `d` to where the body first ends.
    fn rest(&self, field: &Placed, d: DVec3) -> Option<f64> {
        let iso = field.shape.iso();
        let value = |r: f64| field.value(self.origin + r * d) - iso;
        outward(value, (0.0, value(0.0)), (0.25 * field.shape.least_thickness(), self.reach))
    }

    fn change(&self, deformed: &Deformed) -> VolumeChange {
        let iso = deformed.field.shape.iso();
        let step = 0.02 * deformed.field.shape.least_thickness();
        let mut change = VolumeChange::default();
        for ray in &self.rays {
            let value = |r: f64| deformed.value(self.origin + r * ray.direction) - iso;
            let here = value(ray.rest);
            let found = if here > 0.0 {
                outward(value, (ray.rest, here), (step, self.reach))
            } else {
                let inward = outward(|x| -value(ray.rest - x), (0.0, -here), (step, ray.rest));
                inward.map(|x| ray.rest - x)
            };
            let Some(r) = found else { continue };
            let volume = ray.solid_angle * (r.powi(3) - ray.rest.powi(3)) / 3.0;
            if volume > 0.0 { change.gained += volume } else { change.lost -= volume }
        }
        change
    }
}

/// A point inside the body behind the surface point `p`: the nearest point of the nearest skeleton.
fn behind(field: &Placed, p: DVec3) -> Option<DVec3> {
    let local = field.to_body(p);
    let cores = field.shape.elements().iter().filter_map(|e| e.core_point(local));
    let nearest = cores.min_by(|a, b| a.distance_squared(local).total_cmp(&b.distance_squared(local)))?;
    let origin = field.world_from_body.point(nearest);
    (field.value(origin) > field.shape.iso()).then_some(origin)
}

/// First zero of `f` going outward from a point where it is positive, by steps that grow.
fn outward(f: impl Fn(f64) -> f64, start: (f64, f64), (step, reach): (f64, f64)) -> Option<f64> {
    let (mut before, mut step) = (start, step);
    if before.1 <= 0.0 {
        return Some(before.0);
    }
    while before.0 < start.0 + reach {
        let r = before.0 + step;
        let now = (r, f(r));
        if now.1 <= 0.0 {
            return refine_root(f, before, now, 1e-13 * reach);
        }
        before = now;
        step *= 1.5;
    }
    None
}

/// The angle at which `f` first reaches `level`, or the end of the range.
fn angle_where(f: impl Fn(f64) -> f64, level: f64, (from, to): (f64, f64)) -> f64 {
    const STEPS: usize = 24;
    let mut before = from;
    for i in 1..=STEPS {
        let angle = from + (to - from) * i as f64 / STEPS as f64;
        if f(angle) >= level {
            let bounded = |a: f64| (f(a) - level).clamp(-1e3, 1e3);
            return bracketed_root(bounded, (before, angle), 1e-9).unwrap_or(angle);
        }
        before = angle;
    }
    to
}

impl<'a> Deformed<'a> {
    /// Excess of a collider at `p`.
    pub(super) fn excess_of(&self, c: &Collider, p: DVec3) -> f64 {
        self.excess_at(c, p).value
    }

    /// How far below zero the excess falls before a bulge ends everywhere, field units.
    fn bulge_end(&self, c: &Collider) -> f64 {
        let iso = c.field.shape.iso();
        let s = if c.rigid { 1.0 } else { c.ratio };
        match self.bulge {
            Bulge::None => 0.0,
            // With motion the zone reaches furthest behind the collider, to zero.
            Bulge::Dilation { follows_motion: true, .. } => s * iso,
            Bulge::Dilation { reach, .. } => s * iso * (1.0 - 0.5 * reach),
            Bulge::Attenuated { .. } => s * iso,
        }
    }

    /// This body with one collider and one of its zones alone.
    fn alone(&self, collider: usize, zone: usize) -> Self {
        let c = &self.colliders[collider];
        let only = Collider { zones: vec![c.zones[zone]], ..c.clone() };
        Self { field: self.field, bulge: self.bulge, colliders: vec![only] }
    }

    /// What every patch does to the volume, patch after patch; [`VolumeChange::UNKNOWN`] where it cannot be measured.
    pub fn volume_changes(&self) -> Vec<VolumeChange> {
        let mut changes = Vec::new();
        for (i, c) in self.colliders.iter().enumerate() {
            for j in 0..c.zones.len() {
                let alone = self.alone(i, j);
                changes.push(Fan::new(&alone, c.zones[j].center).map_or(VolumeChange::UNKNOWN, |f| f.change(&alone)));
            }
        }
        changes
    }

    /// Sets the heights of all bulges: a share of the compression, or what keeps `1 − compressibility` of the volume.
    /// Returns the part of the volume that could not be kept, cubic metres: narrow zones hold only so much. It is
    /// infinite where what is lost cannot be measured, so that it is never taken for kept.
    pub fn set_heights(&mut self, compressibility: f64) -> f64 {
        let height = match self.bulge {
            Bulge::None => return 0.0,
            Bulge::Dilation { height, .. } | Bulge::Attenuated { height, .. } => height,
        };
        let mut deficit = 0.0;
        for i in 0..self.colliders.len() {
            for j in 0..self.colliders[i].zones.len() {
                let zone = self.colliders[i].zones[j];
                let solved = match height {
                    Height::Ratio(ratio) => ratio * zone.compression,
                    Height::KeepVolume => {
                        let (height, missing) = self.alone(i, j).keeping_height(compressibility);
                        deficit += missing;
                        height
                    }
                };
                self.colliders[i].zones[j].height = solved;
            }
        }
        deficit
    }

    /// The height at which this body's only zone regains what was lost, and what is missing if none does.
    fn keeping_height(mut self, compressibility: f64) -> (f64, f64) {
        let Some(zone) = self.colliders.first().and_then(|c| c.zones.first()).copied() else { return (0.0, 0.0) };
        // A touch without depth presses nothing away, and no share of it is a height to begin with.
        if zone.compression.is_nan() || zone.compression <= 0.0 {
            return (0.0, 0.0);
        }
        let Some(fan) = Fan::new(&self, zone.center).filter(|f| !f.rays.is_empty()) else {
            return (0.0, f64::INFINITY);
        };
        let highest = self.bulge_end(&self.colliders[0]);
        let mut balance = |height: f64| {
            self.colliders[0].zones[0].height = height;
            let VolumeChange { lost, gained } = fan.change(&self);
            (gained - (1.0 - compressibility) * lost, lost)
        };
        let mut low = (0.0, balance(0.0).0);
        if low.1 >= 0.0 {
            return (0.0, 0.0);
        }
        // The gain grows with the height: widen the bracket upward, then close it.
        let mut high = (0.1 * zone.compression, 0.0);
        loop {
            high.1 = balance(high.0).0;
            if high.1 >= 0.0 {
                break;
            }
            if high.0 >= highest {
                return (highest, -high.1);
            }
            low = high;
            high.0 = (1.7 * high.0).min(highest);
        }
        let precise = 1e-6 * balance(low.0).1;
        for _ in 0..TRIES {
            let step = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
            // Pulled towards the middle, so that a bent curve cannot hold one end for ever.
            let x = 0.9 * step + 0.1 * 0.5 * (low.0 + high.0);
            let y = balance(x).0;
            if y.abs() <= precise {
                return (x, 0.0);
            }
            if y < 0.0 { low = (x, y) } else { high = (x, y) }
        }
        (high.0, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::skeleton::{Circle, HalfSpace, Point};
    use crate::fields::{Element, Kernel, Shape, Skeleton};
    use crate::math::Frame;

    const KEEP: Bulge = Bulge::Attenuated { height: Height::KeepVolume, width: None };

    fn shape(skeleton: Skeleton) -> Shape {
        Shape::new(vec![Element::new(skeleton, Kernel::linear(1.0, 0.1, 0.2).unwrap())], 1.0)
    }

    /// `body` on the ground, with a zone of this compression at `center`.
    fn on_ground<'a>((body, at): (&'a Shape, DVec3), ground: &'a Shape, zone: (DVec3, f64)) -> Deformed<'a> {
        let zones = vec![super::super::Zone { center: zone.0, compression: zone.1, height: 0.0 }];
        let field = Placed::new(ground, Frame::IDENTITY);
        let collider = Collider { field, ratio: 1e3, rigid: true, velocity: DVec3::ZERO, zones };
        Deformed { field: Placed::new(body, Frame::at(at)), bulge: KEEP, colliders: vec![collider] }
    }

    #[test]
    fn a_touch_without_depth_needs_no_bulge_and_ends() {
        let ball = shape(Point { at: DVec3::ZERO }.into());
        let ground = shape(HalfSpace::new(-0.1 * DVec3::Z, DVec3::Z).unwrap().into());
        // Deep in the ground, but said to be pressed by nothing: growing a height of zero would never end.
        for compression in [0.0, f64::NAN] {
            let mut touch = on_ground((&ball, 0.09 * DVec3::Z), &ground, (DVec3::ZERO, compression));
            assert_eq!(touch.set_heights(0.0), 0.0);
            assert_eq!(touch.colliders[0].zones[0].height, 0.0);
        }
    }

    #[test]
    fn a_volume_that_cannot_be_measured_is_not_said_to_be_kept() {
        // A skeleton too weak to reach the isovalue by itself: two of them make the solid, and the nearest point of
        // one, far out on its circle, lies outside.
        let weak = |skeleton: Skeleton| Element {
            strength: 0.2,
            ..Element::new(skeleton, Kernel::linear(1.0, 0.1, 0.2).unwrap())
        };
        let ring = Circle::new(DVec3::ZERO, DVec3::Z, 0.15).unwrap();
        let body = Shape::new(
            vec![
                Element::new(Point { at: DVec3::ZERO }.into(), Kernel::linear(1.0, 0.1, 0.2).unwrap()),
                weak(ring.into()),
            ],
            1.0,
        );
        let ground = shape(HalfSpace::new(-0.1 * DVec3::Z, DVec3::Z).unwrap().into());
        let center = DVec3::new(0.149, 0.0, 0.0);
        let mut pressed = on_ground((&body, 0.05 * DVec3::Z), &ground, (center, 0.1));
        assert!(pressed.volume_changes()[0].lost.is_nan());
        assert_eq!(pressed.set_heights(0.0), f64::INFINITY);
    }
}
