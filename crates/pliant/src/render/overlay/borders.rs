//! Borders of contact surfaces.
//!
//! *The idea*: a contact surface ends where both rest surfaces meet. That curve is followed from a border point of the patch along
//! `∇f_a × ∇f_b`, each step put back onto both surfaces by Newton, until it closes. Border points that no curve has passed start
//! further curves: of patches with holes, and of those whose border points come in no order.
//! *Not promised*: a curve where the two surfaces are tangent; there the border points of the patch are drawn as dots.

use super::marks::{OverlayMark, OverlayShape};
use crate::fields::{Field, Posed};
use crate::math::DVec3;
use crate::state::Contact;
use crate::world::World;

const COLOR: [f64; 3] = [0.95, 0.95, 0.95];
const WIDTH: f64 = 1.4;
const HIDDEN: f64 = 0.22;
/// Diameter of a border point without curve, pixels.
const DOT: f64 = 2.0;

/// Step along a border, over the square root of the patch's area. Larger: corners are cut. Smaller: slower.
const STEP: f64 = 0.03;
/// Steps of one curve at most: a border much longer than that of a disc is drawn in several pieces.
const MAX_STEPS: usize = 2000;
/// Newton steps back onto both surfaces, and the part of a step that may be left.
const NEWTON: usize = 8;
const EXACT: f64 = 1e-3;

/// Borders of all contacts of `bodies`.
pub(super) fn marks(world: &World, bodies: &[usize]) -> Vec<OverlayMark> {
    let concerns = |c: &&Contact| bodies.contains(&c.pair.a.body) || bodies.contains(&c.pair.b.body);
    let mark = |contact: &Contact| {
        let fields = [contact.pair.a, contact.pair.b].map(|at| world.rest_field(at.body, at.layer));
        let step = STEP * contact.patch.area.sqrt();
        let shapes = curves(&fields, &contact.patch.border, step);
        (!shapes.is_empty()).then_some(OverlayMark { color: COLOR, hidden: HIDDEN, shapes })
    };
    world.contacts().iter().filter(concerns).filter_map(mark).collect()
}

/// Closed curves through `border`, and dots where there is none.
fn curves(fields: &[Posed; 2], border: &[DVec3], step: f64) -> Vec<OverlayShape> {
    let mut left: Vec<DVec3> = border.iter().copied().filter(|p| p.is_finite()).collect();
    let mut shapes = Vec::new();
    while let Some(start) = left.pop() {
        let points = if step > 0.0 { followed(fields, start, step) } else { Vec::new() };
        if points.len() > 2 {
            left.retain(|p| distance_to(&points, *p) > 0.5 * step);
            shapes.push(OverlayShape::Line { points, width: WIDTH });
        } else {
            shapes.push(OverlayShape::Line { points: vec![start], width: DOT });
        }
    }
    shapes
}

/// The curve in which both surfaces meet, from `start` until it closes; shorter if it gets lost.
fn followed(fields: &[Posed; 2], start: DVec3, step: f64) -> Vec<DVec3> {
    let Some((start, mut along)) = settled(fields, start, step) else { return Vec::new() };
    let mut points = vec![start];
    let mut far_from_start = false;
    for _ in 0..MAX_STEPS {
        let last = points[points.len() - 1];
        let Some((next, direction)) = settled(fields, last + step * along, step) else { return points };
        // A corner of a rest shape turns the curve by less than a right angle in a step; a jump is another curve.
        if direction.dot(along) < 0.0 || next.distance(last) > 3.0 * step {
            return points;
        }
        points.push(next);
        along = direction;
        let away = next.distance(start);
        far_from_start |= away > 2.0 * step;
        if far_from_start && away < 1.5 * step {
            points.push(start);
            return points;
        }
    }
    points
}

/// The nearest point on both surfaces, and the direction of their common curve there. None if they do not meet within two
/// steps, or are tangent.
fn settled(fields: &[Posed; 2], from: DVec3, step: f64) -> Option<(DVec3, DVec3)> {
    let mut p = from;
    for _ in 0..NEWTON {
        let [a, b] = fields.each_ref().map(|f| {
            let s = f.sample(p);
            (s.value - f.shape.iso(), s.gradient)
        });
        // The shortest move that zeroes both excesses, to first order.
        let (aa, ab, bb) = (a.1.dot(a.1), a.1.dot(b.1), b.1.dot(b.1));
        let det = aa * bb - ab * ab;
        let is_tangent = det.is_nan() || det <= 1e-8 * aa * bb;
        if is_tangent {
            return None;
        }
        let move_by = ((a.0 * bb - b.0 * ab) * a.1 + (b.0 * aa - a.0 * ab) * b.1) / det;
        p -= move_by;
        let moved = p.distance(from);
        if moved.is_nan() || moved > 2.0 * step {
            return None;
        }
        if move_by.length() < EXACT * step {
            return Some((p, a.1.cross(b.1).normalize_or_zero()));
        }
    }
    None
}

fn distance_to(points: &[DVec3], p: DVec3) -> f64 {
    let to_segment = |w: &[DVec3]| {
        let way = w[1] - w[0];
        let t = ((p - w[0]).dot(way) / way.length_squared()).clamp(0.0, 1.0);
        p.distance(w[0] + t * way)
    };
    points.windows(2).map(to_segment).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::skeleton::{HalfSpace, Point};
    use crate::fields::{Element, Kernel, Profile, Shape};
    use crate::math::Frame;

    fn kernel(t: f64) -> Kernel {
        Kernel::new(Profile::Linear, 1.0, (t, 1.0 / t, 2.0 * t)).unwrap()
    }

    /// A ball of radius 0.1 whose middle is 0.06 above a plane meets it in a circle of radius 0.08.
    #[test]
    fn the_border_of_a_ball_on_a_plane_is_one_circle() {
        let ball = Shape::new(vec![Element::new(Point { at: DVec3::ZERO }.into(), kernel(0.1))], 1.0);
        let below = HalfSpace::new(-0.1 * DVec3::Z, DVec3::Z).unwrap().into();
        let plane = Shape::new(vec![Element::new(below, kernel(0.1))], 1.0);
        let fields = [Posed::rigid(&ball, Frame::at(0.06 * DVec3::Z)), Posed::rigid(&plane, Frame::IDENTITY)];
        // In no order, and no farther from the circle than a root's error.
        let border: Vec<DVec3> =
            (0..7).map(|i| 0.08 * DVec3::new((2.5 * f64::from(i)).cos(), (2.5 * f64::from(i)).sin(), 0.0)).collect();
        let shapes = curves(&fields, &border, 0.004);
        let [OverlayShape::Line { points, .. }] = shapes.as_slice() else { panic!("{} curves", shapes.len()) };
        assert!(points.iter().all(|p| (p.truncate().length() - 0.08).abs() < 1e-5 && p.z.abs() < 1e-5), "{points:?}");
        let length: f64 = points.windows(2).map(|w| w[0].distance(w[1])).sum();
        assert!(points[0] == points[points.len() - 1] && (length / (0.16 * std::f64::consts::PI) - 1.0).abs() < 1e-3);
        // Surfaces that do not meet there: dots.
        let apart = [fields[0], Posed::rigid(&plane, Frame::at(-DVec3::Z))];
        assert_eq!(curves(&apart, &border, 0.004).len(), 7);
    }
}
