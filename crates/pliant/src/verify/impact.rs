//! Hard impacts, strong damping, and friction on a turntable.

use super::motion::{G, ball, frames, world};
use super::setup::{self, T, link_at};
use super::{Check, Claim, excess, worse};
use crate::World;
use crate::fields::{Element, Profile};
use crate::math::{DQuat, DVec3, Frame};
use crate::model::{BodySpec, Interpolation, Key, Keys, Material, MotionSpec, Response};

fn total(world: &World) -> f64 {
    let e = world.energy();
    e.kinetic + e.potential + e.elastic + e.dissipated.total()
}

/// A ball of 1 kg falls 20 cm on a rigid floor and bounces for two seconds, however stiff both are.
pub fn hard() -> Option<Vec<Check>> {
    let mut checks = Vec::new();
    for (name, stiffness, rigid) in [
        ("soft ball of 1 GPa", 1e9, false),
        ("soft ball of 70 GPa", 7e10, false),
        ("rigid ball of 100 MPa", 1e8, true),
        ("rigid ball of 200 GPa", 2e11, true),
    ] {
        let hard = |body: BodySpec| BodySpec { material: Material { stiffness, ..body.material }, ..body };
        let response = if rigid { Response::Rigid } else { Response::Soft };
        let falling = BodySpec { response, ..hard(ball("ball", DVec3::Z * 0.3)) };
        let mut drop = world(vec![hard(setup::floor(DVec3::Z)), falling])?;
        let start = total(&drop);
        let (mut worst, mut heights) = (0.0f64, Vec::new());
        frames(&mut drop, 2.0, |w| {
            worst = worse(worst, (total(w) - start) / (0.2 * G));
            heights.push(link_at(w, 1).center().z);
            true
        })?;
        let law = format!("{name}, dropped: worst energy error over the energy it fell with");
        checks.push(Check::small(law, worst, 1e-3));
        let quiet =
            drop.warnings().is_empty() && drop.stats().max_contacts == 1 && heights.iter().all(|z| *z > 0.9 * T);
        checks.push(Check::yes(
            format!("{name}, dropped: it touches, stays above the floor, and nothing is wrong"),
            quiet,
        ));
    }
    let (counted, measured): (Vec<_>, Vec<_>) = checks.into_iter().partition(|c| c.claim == Claim::Holds);
    Some(Check::worst(measured).into_iter().chain(counted).collect())
}

/// The same ball, soft, damped as strongly as one likes.
pub fn damped() -> Option<Vec<Check>> {
    let (mut worst, mut down, mut bounced) = (0.0f64, 0.0f64, false);
    for damping in [1e2, 1e4, 1e7, 1e9] {
        let material = Material { damping, friction: 0.5, ..Material::SOFT };
        let floor = BodySpec { material: Material { stiffness: 1e8, ..material }, ..setup::floor(DVec3::Z) };
        let falling = BodySpec { material, velocity: DVec3::X * 0.5, ..ball("ball", DVec3::Z * 0.3) };
        let mut drop = world(vec![floor, falling])?;
        let (start, mut lost) = (total(&drop), 0.0);
        frames(&mut drop, 0.5, |w| {
            worst = worse(worst, (total(w) - start) / (0.2 * G));
            let now = w.energy().dissipated.total();
            down = worse(down, excess(lost - now));
            lost = now;
            // At a damping of 1e4 and more the ball stops in its first millimetre.
            bounced |= damping >= 1e4 && w.time() > 0.3 && w.contacts().is_empty();
            true
        })?;
    }
    Some(vec![
        Check::small(
            "ball damped by 1e2 to 1e9, dropped: worst energy error over the energy it fell with",
            worst,
            1e-3,
        ),
        Check::small("ball damped by 1e2 to 1e9, dropped: dissipated energy goes down by [J]", down, 0.0),
        Check::yes("ball damped by 1e4 to 1e9: it does not bounce", !bounced),
    ])
}

/// Three feet of a trivet stand on a table that turns; friction carries them round, and they must not creep.
pub fn turntable() -> Option<Vec<Check>> {
    let (foot, mut creeps) = (0.03, Vec::new());
    let kernel = setup::kernel(Profile::Linear, foot);
    let feet = (0..3).map(|i| DQuat::from_rotation_z(std::f64::consts::TAU / 3.0 * f64::from(i)) * (0.08 * DVec3::X));
    let elements: Vec<Element> = feet.map(|at| Element::new(setup::point(at), kernel.clone())).collect();
    for rate in [1.0, 2.0] {
        let key = |time: f64| Key {
            time,
            placement: Frame { rotation: DQuat::from_rotation_z(rate * time), translation: DVec3::ZERO },
        };
        let keys = Keys { keys: (0..4).map(|i| key(f64::from(i))).collect(), interpolation: Interpolation::Linear };
        let material = Material { friction: 0.5, damping: 100.0, ..Material::SOFT };
        let table = BodySpec {
            motion: MotionSpec::Keyed(keys),
            material: Material { stiffness: 1e8, ..material },
            ..setup::floor(DVec3::Z)
        };
        let at = DVec3::new(0.2, 0.0, 0.99 * foot);
        let spin = rate * DVec3::Z;
        let trivet = BodySpec {
            material,
            velocity: spin.cross(at),
            angular_velocity: spin,
            ..setup::body("trivet", elements.clone(), at)
        };
        let mut turning = world(vec![table, trivet])?;
        let seen = |w: &World| link_at(w, 0).world_from_link().inverse().point(link_at(w, 1).center());
        frames(&mut turning, 1.0, |_| true)?;
        let before = seen(&turning);
        frames(&mut turning, 1.0, |_| true)?;
        let creep = (seen(&turning) - before).length();
        creeps.push(Check::small(format!("trivet 0.2 m out on a table at {rate} rad/s: creep [m/s]"), creep, 1e-6));
    }
    Some(creeps)
}
