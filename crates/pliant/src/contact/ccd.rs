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
use super::frame::{AllowedMotion, ContactFrame};
use super::gjk_distance::gjk_distance_bounds;
use super::pair::{Pair, Side};
use super::quality::Quality;
use super::search::uncovered::has_overlap;
use crate::bodies::Layer;
use crate::fields::{Posed, Shape};
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

/// The first tested time in `(0, until]`, s, at which two bodies touch that are apart at time 0. `closing` is an upper
/// bound on the relative speed of any two of their points, m/s. Two layers of which one is inside the other at time 0
/// are not tested: they have touched before.
pub(crate) fn first_touch([a, b]: [&Trajectory; 2], closing: f64, until: f64) -> Option<f64> {
    let thickness = |t: &Trajectory| t.layers.iter().map(|l| l.shape.min_thickness()).fold(f64::INFINITY, f64::min);
    let stride = STRIDE * thickness(a).min(thickness(b));
    let mut time = 0.0;
    let mut layers: Vec<(&Layer, &Layer)> =
        a.layers.iter().flat_map(|p| b.layers.iter().map(move |q| (p, q))).collect();
    for _ in 0..MAX_STRIDES {
        let frames = [(a.at)(time), (b.at)(time)];
        let pair = |p, q| Pair { a: Side::of(p, frames[0]), b: Side::of(q, frames[1]) };
        if time == 0.0 {
            let open = |pair: &Pair| gap(&pair.a.field, &pair.b.field) > 0.0 || !is_enclosed(pair);
            layers.retain(|(p, q)| open(&pair(p, q)));
        }
        let mut nearest = f64::INFINITY;
        for (p, q) in &layers {
            let pair = pair(p, q);
            let gap = gap(&pair.a.field, &pair.b.field);
            if gap <= 0.0 && time > 0.0 && touches(&pair) {
                return Some(time);
            }
            nearest = nearest.min(gap);
        }
        if time >= until {
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

/// Whether the two overlap: the exact search for patches, without integrating any.
fn touches(pair: &Pair) -> bool {
    let (at_least, at_most) = gjk_distance_bounds(&pair.a.field, &pair.b.field, 0.0);
    if at_least > 0.0 || at_most < -CERTAIN_OVERLAP * pair.min_thickness() {
        return at_least <= 0.0;
    }
    let Some(frame) = ContactFrame::near(pair, None, AllowedMotion::NONE) else { return false };
    if seed(&frame).is_some() {
        return true;
    }
    let Some(frame) = (if frame.convex { frame.shrunk(pair) } else { Some(frame) }) else { return false };
    seed(&frame).is_some() || has_overlap(pair, &frame, &Quality::default())
}

/// Whether a short ascent finds a point in both bodies. `false` proves nothing.
pub(crate) fn ascent_finds_overlap(pair: &Pair) -> bool {
    ContactFrame::near(pair, None, AllowedMotion::NONE).is_some_and(|frame| seed(&frame).is_some())
}

/// A lower bound on the distance of two solids, metres; zero or negative where nothing is known.
fn gap(a: &Posed, b: &Posed) -> f64 {
    let (p, q) = (a.solid_bounds(), b.solid_bounds());
    let by_boxes = (p.min - q.max).max(q.min - p.max).max(DVec3::ZERO).length();
    let from = |field: &Posed, other: &Posed| match ball(other.shape) {
        Some((center, radius)) => {
            let there = other.world_from_body.point(center);
            field.shape.min_distance(field.to_body(there)) - radius
        }
        None => 0.0,
    };
    // Rounding, far from the origin, must not make a gap where there is none.
    let slack = 1e-12 * (a.world_from_body.translation.abs() + b.world_from_body.translation.abs()).max_element();
    let so_far = by_boxes.max(from(a, b)).max(from(b, a));
    so_far.max(gjk_distance_bounds(a, b, f64::INFINITY).0) - slack
}

/// A ball around a bounded solid: its centre, in the body's frame, and its radius.
fn ball(shape: &Shape) -> Option<(DVec3, f64)> {
    let solid = shape.solid_bounds();
    let size = solid.size();
    let is_round = shape.as_sphere().is_some();
    solid.is_finite().then(|| (solid.center(), 0.5 * if is_round { size.max_element() } else { size.length() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::skeleton::{Circle, Cuboid, HalfSpace, Point, Segment};
    use crate::fields::{Element, Field, Kernel, Skeleton};
    use crate::math::{DQuat, Random};
    use std::sync::Arc;

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
        let mut tight = 0;
        for round in 0..400 {
            let (a, b) = (&all[round % 5], &all[round / 5 % 5]);
            let frame = |random: &mut Random| Frame { rotation: random.rotation(), translation: 0.5 * random.vector() };
            let (at_a, at_b) = (frame(&mut random), frame(&mut random));
            let (p, q) = (Posed::rigid(&a.shape, at_a), Posed::rigid(&b.shape, at_b));
            let gap = gap(&p, &q);
            tight += usize::from(gap > 0.0);
            for _ in 0..200 {
                let (x, y) = (at_a.point(inside(a, &mut random)), at_b.point(inside(b, &mut random)));
                assert!(gap <= x.distance(y), "{gap} m, and two points {} m apart", x.distance(y));
            }
        }
        assert!(tight > 150, "{tight} of 400 are seen to be apart");
    }

    #[test]
    fn a_rod_that_turns_strikes_a_ball_when_its_skeleton_is_as_near_as_both_are_thick() {
        // The rod's line, turned by ω t about the origin, passes the middle of the ball, (0.2, 0.15).
        let (rod, ball) = (&layers()[1..2], &layers()[..1]);
        let (spin, reach) = (50.0, 0.32);
        let turn = |t: f64| Frame { rotation: DQuat::from_rotation_z(spin * t), translation: DVec3::ZERO };
        let still = |_: f64| Frame::at(DVec3::new(0.2, 0.13, 0.0));
        let bodies = [&Trajectory { layers: rod, at: &turn }, &Trajectory { layers: ball, at: &still }];
        let found = first_touch(bodies, spin * reach, 0.02).unwrap();
        let apart = |t: f64| {
            let (sin, cos) = (spin * t).sin_cos();
            let along = (0.2 * cos + 0.15 * sin).clamp(-0.3, 0.2);
            DVec3::new(0.2, 0.15, 0.0).distance(along * DVec3::new(cos, sin, 0.0)) - 0.12
        };
        assert!(apart(found) < 0.0 && apart(found) > -STRIDE * 0.02, "{} m apart", apart(found));
        // And away from it, never.
        let back = |t: f64| turn(-t);
        let bodies = [&Trajectory { layers: rod, at: &back }, &Trajectory { layers: ball, at: &still }];
        assert_eq!(first_touch(bodies, spin * reach, 0.02), None);
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
            let found = first_touch(bodies, 100.0, 1.0 / 60.0);
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
            let found = first_touch(bodies, 100.0, 1.0 / 60.0).unwrap();
            let fallen = 100.0 * found;
            assert!(fallen >= expected && fallen < expected + 2.0 * STRIDE * 1e-3, "{fallen} m, not {expected}");
        }
    }
}
