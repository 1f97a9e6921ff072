//! Joints and springs.
//!
//! *The idea*: a joint is a symbol where it holds its second body, about as large as the thinner body; a spring is a coil between
//! its ends in the colour of its tension.

use super::marks::{OverlayMark, OverlayShape};
use crate::bodies::{Body, JointAction, LinkId};
use crate::math::{DVec3, Frame};
use crate::model::JointType;
use crate::render::colormap::diverging;
use crate::world::World;
use std::f64::consts::TAU;

const JOINT_COLOR: [f64; 3] = [0.95, 0.75, 0.05];
const JOINT_WIDTH: f64 = 1.6;
const JOINT_HIDDEN: f64 = 0.9;
/// Diameter of a ball joint.
const BALL_WIDTH: f64 = 5.0;
const SPRING_WIDTH: f64 = 1.8;
const SPRING_HIDDEN: f64 = 0.35;
const TURNS: u32 = 8;

/// Radius of a symbol over the thickness of the thinner body. Less: it is hidden inside. More: symbols of a chain overlap.
const SYMBOL: f64 = 1.3;
/// Points of a ring.
const RING: usize = 32;

/// A spring at one time.
struct Spring {
    ends: [DVec3; 2],
    /// Newtons; negative when it pushes.
    tension: f64,
    rope: bool,
}

/// The spring of a joint; none for other joints and broken springs.
fn spring_of(world: &World, n: usize) -> Option<Spring> {
    let joint = &world.joints()[n];
    let JointAction::Spring { rope, .. } = joint.action else { return None };
    let frames = world.joint_ends(n);
    let tension = joint.stretch(&frames)?.tension;
    let ends = frames.map(|f| f.translation);
    let tension = if rope { tension.max(0.0) } else { tension };
    (!world.is_broken(n) && tension.is_finite()).then_some(Spring { ends, tension, rope })
}

/// Greatest tension or push of a spring, newtons.
pub(super) fn greatest_tension(world: &World) -> f64 {
    (0..world.joints().len()).filter_map(|n| spring_of(world, n)).map(|s| s.tension.abs()).fold(0.0, f64::max)
}

/// Joints that belong to one of `bodies`.
fn joints_of<'a>(world: &'a World, bodies: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
    let own = |link: &LinkId| bodies.iter().any(|b| world.bodies()[*b].links.contains(link));
    (0..world.joints().len()).filter(move |n| world.joints()[*n].links.iter().flatten().any(own))
}

/// Springs of `bodies`, in full colour at a tension of `most` newtons.
pub(super) fn spring_marks(world: &World, bodies: &[usize], most: f64) -> Vec<OverlayMark> {
    let mark = |n: usize| {
        let Spring { ends, tension, rope } = spring_of(world, n)?;
        let part = if most > 0.0 { tension / most } else { 0.0 };
        let shape = if rope {
            OverlayShape::Line { points: ends.to_vec(), width: SPRING_WIDTH }
        } else {
            OverlayShape::Coil { ends, turns: TURNS, width: SPRING_WIDTH }
        };
        Some(OverlayMark { color: diverging(part), hidden: SPRING_HIDDEN, shapes: vec![shape] })
    };
    joints_of(world, bodies).filter_map(mark).collect()
}

/// Joints of `bodies`.
pub(super) fn joint_marks(world: &World, bodies: &[usize]) -> Vec<OverlayMark> {
    let mark = |n: usize| {
        let joint = &world.joints()[n];
        let JointAction::Frame { joint_type, .. } = joint.action else { return None };
        let own = |link: &LinkId| world.bodies().iter().find(|b| b.links.contains(link));
        let thickness = |b: &Body| b.coat[0].shape.min_thickness();
        let radius = SYMBOL * joint.links.iter().flatten().filter_map(own).map(thickness).fold(f64::INFINITY, f64::min);
        let [a, b] = world.joint_ends(n);
        let whole = radius.is_finite() && a.translation.is_finite() && b.translation.is_finite();
        if world.is_broken(n) || !whole {
            return None;
        }
        let at = b.translation;
        let symbol = |lines| OverlayShape::Symbol { at, radius, lines, width: JOINT_WIDTH };
        let shapes = match joint_type {
            JointType::Ball => vec![OverlayShape::Line { points: vec![at], width: BALL_WIDTH }],
            JointType::Hinge => vec![symbol(hinge(&a, radius))],
            // With the way it has slid.
            JointType::Slider => {
                let way = OverlayShape::Line { points: vec![a.translation, at], width: JOINT_WIDTH };
                vec![symbol(slider(&a, radius)), way]
            }
            JointType::Fixed => vec![symbol(cube(&a, radius))],
        };
        Some(OverlayMark { color: JOINT_COLOR, hidden: JOINT_HIDDEN, shapes })
    };
    joints_of(world, bodies).filter_map(mark).collect()
}

/// The axis, which is the z axis of `frame`, and a ring around it.
fn hinge(frame: &Frame, r: f64) -> Vec<Vec<DVec3>> {
    let [x, y, z] = axes(frame);
    let angle = |i: usize| TAU * i as f64 / RING as f64;
    let ring = (0..=RING).map(|i| 0.7 * r * (angle(i).cos() * x + angle(i).sin() * y)).collect();
    vec![vec![-1.6 * r * z, 1.6 * r * z], ring]
}

/// The axis, which is the z axis of `frame`, with a head at both ends.
fn slider(frame: &Frame, r: f64) -> Vec<Vec<DVec3>> {
    let [x, y, z] = axes(frame);
    let tip = 1.6 * r;
    let head = |tip: f64, side: DVec3| {
        let back = tip - 0.5 * r * tip.signum();
        vec![back * z + 0.4 * r * side, tip * z, back * z - 0.4 * r * side]
    };
    vec![vec![-tip * z, tip * z], head(tip, x), head(-tip, x), head(tip, y), head(-tip, y)]
}

/// The edges of a cube.
fn cube(frame: &Frame, r: f64) -> Vec<Vec<DVec3>> {
    let axes = axes(frame);
    let corner = |bits: usize| -> DVec3 {
        (0..3).map(|d| if bits >> d & 1 == 0 { -0.6 * r * axes[d] } else { 0.6 * r * axes[d] }).sum()
    };
    let edges = (0..8).flat_map(|from| (0..3).map(move |d| (from, from | 1 << d))).filter(|(from, to)| from != to);
    edges.map(|(from, to)| vec![corner(from), corner(to)]).collect()
}

fn axes(frame: &Frame) -> [DVec3; 3] {
    [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| frame.rotation * axis)
}
