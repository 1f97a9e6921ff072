//! Contact forces as arrows.
//!
//! *The idea*: an arrow begins in the centre of pressure and points the way a body is pushed. Bodies that no force can move
//! (ground, keyed bodies) get none, unless both are such.

use super::marks::{OverlayMark, OverlayShape};
use crate::math::DVec3;
use crate::state::Contact;
use crate::surface::pose_of;
use crate::world::World;

/// Length of force arrows: `newtons` are drawn `metres` long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceScale {
    /// 1, 2 or 5 times a power of ten, at most the greatest force.
    pub newtons: f64,
    /// 1, 2 or 5 times a power of ten.
    pub metres: f64,
}

/// Lime: no body has it, and it shows on dark and light ones.
const COLOR: [f64; 3] = [0.45, 1.0, 0.08];
const WIDTH: f64 = 2.2;
/// Arrows are mostly inside bodies.
const HIDDEN: f64 = 0.9;

/// Total force on the first body of a contact, newtons: elastic, damping and friction.
fn force_on_a(contact: &Contact) -> DVec3 {
    contact.forces.on_a.force
}

/// Greatest contact force, newtons.
pub(super) fn greatest(world: &World) -> f64 {
    world.contacts().iter().map(|c| force_on_a(c).length()).fold(0.0, f64::max)
}

/// Arrows of all contacts of `bodies`; none without a scale, when there is no force.
pub(super) fn marks(world: &World, bodies: &[usize], scale: Option<ForceScale>) -> Vec<OverlayMark> {
    let Some(ForceScale { newtons, metres }) = scale else { return Vec::new() };
    let arrows = |contact: &Contact| {
        let pair = [contact.pair.a.body, contact.pair.b.body];
        let (from, push) = (contact.patch.center_of_pressure, metres / newtons * force_on_a(contact));
        let moves = pair.map(|i| pose_of(world, i).is_movable);
        let arrow = |(side, i): (usize, usize)| {
            let is_pushed = moves[side] || moves == [false, false];
            let to = from + if side == 0 { push } else { -push };
            let shape = OverlayShape::Arrow { from, to, width: WIDTH };
            (is_pushed && bodies.contains(&i) && to.is_finite()).then_some(shape)
        };
        let shapes: Vec<OverlayShape> = pair.into_iter().enumerate().filter_map(arrow).collect();
        (!shapes.is_empty()).then_some(OverlayMark { color: COLOR, hidden: HIDDEN, shapes })
    };
    world.contacts().iter().filter_map(arrows).collect()
}
