//! Continuous collision detection: whether two bodies touch along their trajectories, and when first.
//!
//! *The idea* (conservative advancement): while the gap between two solids is at least `g`, and no two of their points
//! approach faster than `v`, they cannot touch for `g/v` seconds; then the gap is measured again. Where no gap is known the
//! bodies advance by the shortest stride, a part of the thinner one's thickness, and are tested exactly at its end.
//! *Not promised*: a graze between two tests. The radius of curvature of a solid is at least its thickness t, so solids that
//! are apart at both ends of a stride `s` overlap between by at most `s²/16t` ([`UNDETECTED_GRAZE`] times the thickness), a
//! little more where they rotate.

use super::ascent::seed;
use super::depth::is_enclosed;
use super::frame::{AllowedMotion, ContactFrame, Gap};
use super::gjk_distance::gjk_distance_bounds;
use super::pair::{Pair, Side};
use super::quality::Quality;
use super::search::proximity::{Proximity, proximity};
use super::separation::{Separation, enclosing_ball, rounding};
use crate::bodies::Layer;
use crate::fields::Posed;
use crate::math::{DVec3, Frame};

/// The shortest stride, as a fraction of the thinner thickness. Larger: deeper grazes go unseen. Smaller: more tests.
pub(crate) const STRIDE: f64 = 0.125;

/// The deepest graze that may not be detected, as a fraction of the thinner thickness: `STRIDE²/16`, and as much again
/// for turning.
#[cfg(test)]
const UNDETECTED_GRAZE: f64 = 2e-3;

/// Convex solids that overlap by this fraction of the thinner thickness touch for certain; less may be rounding.
const CERTAIN_OVERLAP: f64 = 1e-6;

/// Most strides of one search; reached only by bodies that go thousands of their thicknesses in a step, beside each other.
const MAX_STRIDES: usize = 4000;

/// A moving body.
pub(crate) struct Trajectory<'a> {
    pub layers: &'a [Layer],
    /// Its frame as a function of time, s.
    pub at: &'a dyn Fn(f64) -> Frame,
}

/// Two bodies that approach each other.
pub(crate) struct Approach<'a> {
    /// An upper bound on the relative speed of any two of their points, m/s.
    pub closing: f64,
    /// End of the search, s.
    pub until: f64,
    /// Gaps known between a layer of the first and one of the second. They save searches; no result depends on them.
    pub known: &'a dyn Fn(usize, usize) -> Option<Separation>,
}

/// Result of a search for the first touch.
#[derive(Default)]
pub(crate) struct FirstTouch {
    /// Seconds.
    pub time: Option<f64>,
    /// Gaps found between a layer of the first and one of the second.
    pub separations: Vec<(usize, usize, Separation)>,
}

/// Two layers, and the gap between them as far as it is known.
struct LayersApart<'a> {
    layers: [&'a Layer; 2],
    indices: [usize; 2],
    separation: Option<Separation>,
}

impl LayersApart<'_> {
    fn pair(&self, frames: [Frame; 2]) -> Pair<'_> {
        let [p, q] = self.layers;
        Pair { a: Side::of(p, frames[0]), b: Side::of(q, frames[1]) }
    }

    /// A lower bound on their distance, metres; zero or negative where nothing is known.
    fn gap(&self, frames: [Frame; 2]) -> f64 {
        let pair = self.pair(frames);
        let known = self.separation.map_or(0.0, |s| s.gap_at(&pair));
        if known > 0.0 { known } else { gap(&pair.a.field, &pair.b.field) }
    }
}

/// The first tested time in `(0, until]`, s, at which two bodies touch that are apart at time 0. Two layers of which one is
/// inside the other at time 0 are not tested: they have touched before.
pub(crate) fn first_touch([a, b]: [&Trajectory; 2], approach: &Approach) -> FirstTouch {
    let Approach { closing, until, known } = *approach;
    let all = |n: usize| (0..a.layers.len()).map(move |m| [m, n]);
    let mut layers: Vec<LayersApart> = (0..b.layers.len())
        .flat_map(all)
        .map(|[m, n]| LayersApart { layers: [&a.layers[m], &b.layers[n]], indices: [m, n], separation: None })
        .collect();
    let frames = [(a.at)(0.0), (b.at)(0.0)];
    let never = |l: &LayersApart| {
        let known = known(l.indices[0], l.indices[1]);
        known.is_some_and(|s| s.gap_at(&l.pair(frames)) >= closing * until)
    };
    if layers.iter().all(never) {
        return FirstTouch::default();
    }
    let time = advance_to_touch([a, b], &mut layers, approach);
    let found = layers.iter().filter_map(|l| Some((l.indices[0], l.indices[1], l.separation?)));
    FirstTouch { time, separations: found.collect() }
}

/// Conservative advancement of two bodies until some of their layers touch.
fn advance_to_touch([a, b]: [&Trajectory; 2], layers: &mut Vec<LayersApart>, approach: &Approach) -> Option<f64> {
    let Approach { closing, until, .. } = *approach;
    let thickness = |t: &Trajectory| t.layers.iter().map(|l| l.shape.min_thickness()).fold(f64::INFINITY, f64::min);
    let stride = STRIDE * thickness(a).min(thickness(b));
    let mut time = 0.0;
    for _ in 0..MAX_STRIDES {
        let frames = [(a.at)(time), (b.at)(time)];
        let (mut nearest, mut touch) = (f64::INFINITY, false);
        layers.retain_mut(|layers| {
            let mut gap = layers.gap(frames);
            if gap <= 0.0 && time == 0.0 && is_enclosed(&layers.pair(frames)) {
                return false;
            }
            if gap <= 0.0 && time > 0.0 && !touch {
                let pair = layers.pair(frames);
                match touch_or_gap(&pair) {
                    Touch::Overlap => touch = true,
                    Touch::Apart(proved) => gap = proved,
                }
                layers.separation = Separation::new(&pair, gap);
            }
            nearest = nearest.min(gap);
            true
        });
        if touch {
            return Some(time);
        }
        if time >= until || time + nearest / closing >= until {
            return None;
        }
        time = (time + nearest.max(stride) / closing).min(until);
    }
    // Too far to prove anything: the step has to end here, and the next goes on.
    Some(time)
}

/// Whether two bodies touch in given frames.
pub(crate) fn touch_at([a, b]: [&[Layer]; 2], frames: [Frame; 2]) -> bool {
    let mut pairs = a.iter().flat_map(|p| b.iter().map(move |q| (p, q)));
    pairs.any(|(p, q)| touches(&Pair { a: Side::of(p, frames[0]), b: Side::of(q, frames[1]) }))
}

/// Whether two layers overlap.
fn touches(pair: &Pair) -> bool {
    matches!(touch_or_gap(pair), Touch::Overlap)
}

/// Whether two bodies overlap; if not, a lower bound on their distance, metres.
enum Touch {
    Overlap,
    Apart(f64),
}

/// The exact search for patches, without integrating any.
fn touch_or_gap(pair: &Pair) -> Touch {
    if pair.a.field.shape.is_convex() && pair.b.field.shape.is_convex() {
        let (_, at_most) = gjk_distance_bounds(&pair.a.field, &pair.b.field, 0.0);
        if at_most < -CERTAIN_OVERLAP * pair.min_thickness() {
            return Touch::Overlap;
        }
    }
    match proximity(pair, &Quality::default()) {
        Proximity::Overlap(..) => Touch::Overlap,
        Proximity::Apart { gap: Gap(gap), .. } => Touch::Apart(gap),
    }
}

/// Whether a short ascent finds a point in both bodies. `false` proves nothing.
pub(crate) fn ascent_finds_overlap(pair: &Pair) -> bool {
    ContactFrame::near(pair, None, AllowedMotion::NONE).is_ok_and(|frame| seed(&frame).is_some())
}

/// A lower bound on the distance of two solids, metres; zero or negative where nothing is known.
fn gap(a: &Posed, b: &Posed) -> f64 {
    let (p, q) = (a.solid_bounds(), b.solid_bounds());
    let by_boxes = (p.min - q.max).max(q.min - p.max).max(DVec3::ZERO).length();
    let from = |field: &Posed, other: &Posed| match enclosing_ball(other.shape) {
        Some((center, radius)) => {
            let there = other.world_from_body.point(center);
            field.shape.min_distance(field.to_body(there)) - radius
        }
        None => 0.0,
    };
    let so_far = by_boxes.max(from(a, b)).max(from(b, a));
    // Rounding, far from the origin, must not make a gap where there is none.
    so_far.max(gjk_distance_bounds(a, b, f64::INFINITY).0) - rounding(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::skeleton::{Circle, Cuboid, HalfSpace, Point, Segment};
    use crate::fields::{Element, Field, Kernel, Shape, Skeleton};
    use crate::math::{DQuat, Random};
    use std::sync::Arc;

    fn within(closing: f64, until: f64) -> Approach<'static> {
        Approach { closing, until, known: &|_, _| None }
    }

    fn layer(skeletons: Vec<Skeleton>, t: f64) -> Layer {
        let kernel = Kernel::linear(1.0, t, 2.0 * t).unwrap();
        let elements = skeletons.into_iter().map(|s| Element::new(s, kernel.clone())).collect();
        Layer { shape: Arc::new(Shape::new(elements, 1.0)), material: crate::model::Material::SOFT, rigid: false }
    }

    fn layers() -> Vec<Layer> {
        let rod = Segment::new(-0.3 * DVec3::X, 0.2 * DVec3::X).unwrap();
        let point = |x: f64| Skeleton::from(Point { at: x * DVec3::Y });
        vec![
            layer(vec![point(0.02)], 0.1),
            layer(vec![rod.into()], 0.02),
            layer(vec![Cuboid::new(DVec3::ZERO, DVec3::new(0.1, 0.2, 0.05)).unwrap().into()], 0.03),
            layer(vec![Circle::new(DVec3::ZERO, DVec3::Z, 0.2).unwrap().into()], 0.03),
            layer(vec![point(-0.05), point(0.05)], 0.08),
        ]
    }

    #[test]
    fn a_gap_is_never_wider_than_the_distance_between_points_of_both() {
        let mut random = Random(31);
        let all = layers();
        let inside = |layer: &Layer, random: &mut Random| {
            let (solid, shape) = (layer.shape.solid_bounds(), &layer.shape);
            std::iter::repeat_with(|| solid.center() + 0.5 * solid.size() * random.vector())
                .find(|p| shape.value(*p) >= shape.iso())
                .unwrap()
        };
        let (mut tight, mut searched) = (0, 0);
        for round in 0..400 {
            let (a, b) = (&all[round % 5], &all[round / 5 % 5]);
            let far = [0.5, 0.2][round % 2];
            let frame = |random: &mut Random| Frame { rotation: random.rotation(), translation: far * random.vector() };
            let (at_a, at_b) = (frame(&mut random), frame(&mut random));
            let (p, q) = (Posed::rigid(&a.shape, at_a), Posed::rigid(&b.shape, at_b));
            let gap = gap(&p, &q);
            tight += usize::from(gap > 0.0);
            let pair = Pair { a: Side::of(a, at_a), b: Side::of(b, at_b) };
            let proved = match touch_or_gap(&pair) {
                Touch::Apart(gap) => gap,
                Touch::Overlap => 0.0,
            };
            searched += usize::from(gap <= 0.0 && proved > 0.0);
            // The same after b has moved by less than the gap.
            let separation = Separation::new(&pair, proved);
            let turn = DQuat::from_scaled_axis(0.3 * proved * random.vector());
            let moved = Frame {
                rotation: turn * at_b.rotation,
                translation: at_b.translation + 0.5 * proved * random.vector(),
            };
            let left = separation.map_or(0.0, |s| s.gap_at(&Pair { b: Side::of(b, moved), ..pair }));
            for _ in 0..200 {
                let (x, y) = (inside(a, &mut random), inside(b, &mut random));
                let apart = at_a.point(x).distance(at_b.point(y));
                assert!(gap.max(proved) <= apart, "{gap} m, {proved} m, and two points {apart} m apart");
                let apart = at_a.point(x).distance(moved.point(y));
                assert!(left <= apart, "{left} m, and two points {apart} m apart");
            }
        }
        assert!(tight > 150 && searched > 20, "{tight} of 400 are seen to be apart, {searched} more by a search");
    }

    #[test]
    fn a_rod_that_turns_strikes_a_ball_when_its_skeleton_is_as_near_as_both_are_thick() {
        // The rod's line, turned by ω t about the origin, passes the middle of the ball, (0.2, 0.15).
        let (rod, ball) = (&layers()[1..2], &layers()[..1]);
        let (spin, reach) = (50.0, 0.32);
        let turn = |t: f64| Frame { rotation: DQuat::from_rotation_z(spin * t), translation: DVec3::ZERO };
        let still = |_: f64| Frame::at(DVec3::new(0.2, 0.13, 0.0));
        let bodies = [&Trajectory { layers: rod, at: &turn }, &Trajectory { layers: ball, at: &still }];
        let found = first_touch(bodies, &within(spin * reach, 0.02)).time.unwrap();
        let apart = |t: f64| {
            let (sin, cos) = (spin * t).sin_cos();
            let along = (0.2 * cos + 0.15 * sin).clamp(-0.3, 0.2);
            DVec3::new(0.2, 0.15, 0.0).distance(along * DVec3::new(cos, sin, 0.0)) - 0.12
        };
        assert!(apart(found) < 0.0 && apart(found) > -STRIDE * 0.02, "{} m apart", apart(found));
        // And away from it, never.
        let back = |t: f64| turn(-t);
        let bodies = [&Trajectory { layers: rod, at: &back }, &Trajectory { layers: ball, at: &still }];
        assert_eq!(first_touch(bodies, &within(spin * reach, 0.02)).time, None);
    }

    #[test]
    fn grazes_deeper_than_what_may_go_unseen_are_seen() {
        let mut random = Random(5);
        let ball = &layers()[..1];
        let still = |_: f64| Frame::IDENTITY;
        for _ in 0..200 {
            let deep = 0.1 * UNDETECTED_GRAZE * (3.0 * random.unit() - 1.0);
            let start = -random.unit();
            let pass = |t: f64| Frame::at(DVec3::new(start + 100.0 * t, 0.2 - deep, 0.0));
            let bodies = [&Trajectory { layers: ball, at: &still }, &Trajectory { layers: ball, at: &pass }];
            let found = first_touch(bodies, &within(100.0, 1.0 / 60.0)).time;
            assert!(found.is_some() || deep < 0.1 * UNDETECTED_GRAZE, "{deep} m");
            assert!(found.is_none() || deep > 0.0, "{deep} m");
        }
    }

    #[test]
    fn a_plate_thin_as_a_sheet_is_met_and_a_tilted_ground_as_well() {
        let plate = [layer(vec![Cuboid::new(DVec3::ZERO, DVec3::new(0.5, 0.5, 1e-3)).unwrap().into()], 1e-3)];
        let normal = DVec3::new(0.6, 0.0, 0.8);
        let ground = [layer(vec![HalfSpace::new(-1e-3 * normal, normal).unwrap().into()], 1e-3)];
        let ball = &layers()[..1];
        let still = |_: f64| Frame::IDENTITY;
        let drop = |t: f64| Frame::at(DVec3::new(0.0, -0.02, 0.6 - 100.0 * t));
        for (other, expected) in [(&plate, 0.498), (&ground, 0.475)] {
            let bodies = [&Trajectory { layers: ball, at: &drop }, &Trajectory { layers: other, at: &still }];
            let found = first_touch(bodies, &within(100.0, 1.0 / 60.0)).time.unwrap();
            let fallen = 100.0 * found;
            assert!(fallen >= expected && fallen < expected + 2.0 * STRIDE * 1e-3, "{fallen} m, not {expected}");
        }
    }
}
