//! What is true of a throw, worked out apart from the steps.

use crate::World;
use crate::bodies::{Body, Layer};
use crate::contact::{self, Pair, Patch, Probe, Quality, Side, SurfaceKind};
use crate::fields::Posed;
use crate::math::{Aabb, DVec3, Frame};

/// A graze that is to be seen is deeper than this part of the thinner thickness.
const SEEN: f64 = 4e-3;

/// Strides of the sampling, as a part of the thinner thickness: a graze as deep as [`SEEN`] is `2√(2·SEEN)` long or more,
/// which is longer than one.
const STRIDE: f64 = 0.15;

/// How deep an overlap is does not wait for its force.
const ROUGH: f64 = 0.1;

/// Points along each edge of the box around an overlap.
const COARSE: usize = 16;

/// A contact surface is looked for at skeletons where the overlap is deeper than this part of the thinner thickness.
const DEEP: f64 = 0.5;

/// Looks between two steps at most.
const MOST_LOOKS: f64 = 12.0;

/// Energy, as two bodies that fall together have it, or one that falls against what stands.
pub struct Accounts {
    starts: [DVec3; 2],
    energy: f64,
}

impl Accounts {
    pub fn new(world: &World) -> Self {
        let mut accounts = Self { starts: [0, 1].map(|i| world.bodies()[i].base.center()), energy: 0.0 };
        accounts.energy = accounts.moving(world);
        accounts
    }

    /// Of motion, less what both have together if nothing holds either; and in gravity else, joules.
    fn moving(&self, world: &World) -> f64 {
        let kinetic: f64 = world.bodies().iter().map(|b| b.base.kinetic_energy()).sum();
        match [0, 1].map(|i| world.bodies()[i].base.mass()) {
            [Some(m), Some(n)] => {
                let [v, w] = [0, 1].map(|i| world.bodies()[i].base.twist().linear);
                kinetic - 0.5 * (m * v + n * w).length_squared() / (m + n)
            }
            _ => kinetic - self.work(world),
        }
    }

    /// What gravity has done to bodies of which one is held, joules.
    fn work(&self, world: &World) -> f64 {
        let of =
            |(b, start): (&Body, &DVec3)| b.base.mass().map_or(0.0, |m| m * world.gravity.dot(b.base.center() - start));
        world.bodies().iter().zip(&self.starts).map(of).sum()
    }

    /// What there is to gain against, joules.
    pub fn scale(&self, world: &World) -> f64 {
        let held = world.bodies().iter().any(|b| b.base.mass().is_none());
        self.energy + if held { self.work(world).abs() } else { 0.0 }
    }

    /// What there is more of motion than of all energy at the start, as a part of that.
    pub fn gain_of_motion(&self, world: &World) -> f64 {
        (self.moving(world) - self.energy) / self.scale(world)
    }

    /// What there is more than at the start, as a part of that, and how far off that may be.
    pub fn gain(&self, world: &World) -> (f64, f64) {
        let mut touches: Vec<_> = world.contacts().iter().map(|c| c.touch).collect();
        touches.dedup();
        let (mut gained, mut error) = (self.moving(world) - self.energy, 0.0);
        for (energy, off) in touches.iter().map(|t| stored(&world.pair(t))) {
            (gained, error) = (gained + energy, error + off);
        }
        let scale = self.scale(world);
        (gained / scale, error / scale)
    }
}

/// `U = ∫ min(p_a, p_b) dV` by grids of points, joules, and what the finer of two differs from the coarser by: the search for
/// patches has no part in it.
fn stored(pair: &Pair) -> (f64, f64) {
    let shared = pair.overlap_box();
    if shared.is_empty() || !shared.is_finite() {
        return (0.0, 0.0);
    }
    let sum = |n: usize, shared: Aabb| {
        let cell = shared.size() / n as f64;
        let at = |i: usize| DVec3::new((i % n) as f64, (i / n % n) as f64, (i / n / n) as f64) + 0.5;
        let mut within = Aabb::EMPTY;
        let mut total = 0.0;
        for p in (0..n * n * n).map(|i| shared.min + at(i) * cell) {
            let depth = pair.probe(p).depth();
            if depth > 0.0 {
                total += depth;
                within = within.union(&Aabb { min: p - cell, max: p + cell });
            }
        }
        (total * cell.x * cell.y * cell.z, within.intersection(&shared))
    };
    // First where it is, then how much.
    let (_, close) = sum(COARSE, shared);
    if close.is_empty() {
        return (0.0, 0.0);
    }
    let (coarse, fine) = (sum(COARSE, close).0, sum(2 * COARSE, close).0);
    (fine, (fine - coarse).abs())
}

pub fn frames(world: &World) -> [Frame; 2] {
    [0, 1].map(|i| world.bodies()[i].base.world_from_body())
}

fn layers(world: &World, i: usize) -> &[Layer] {
    &world.bodies()[i].layers
}

pub fn thinner(world: &World) -> f64 {
    let all = layers(world, 0).iter().chain(layers(world, 1));
    all.map(|l| l.shape.least_thickness()).fold(f64::INFINITY, f64::min)
}

/// Every pair of layers, with the bodies at these places.
fn pairs(world: &World, at: [Frame; 2]) -> Vec<Pair<'_>> {
    let others = |p| layers(world, 1).iter().map(move |q| Pair { a: side(p, at[0]), b: side(q, at[1]) });
    layers(world, 0).iter().flat_map(others).collect()
}

fn side(layer: &Layer, at: Frame) -> Side<'_> {
    Side { field: Posed::rigid(&layer.shape, at), stiffness: layer.stiffness, rigid: layer.rigid }
}

/// How far points of a body are from its centre at most, metres; nothing for what does not turn.
fn reach(body: &Body) -> f64 {
    let b = body.bounds();
    if b.is_finite() { b.size().length() } else { 0.0 }
}

/// How deep the two come into each other within the next `dt` seconds if nothing touches them, metres; none if that is too
/// little to be seen. Where no short climb finds a place in both, they are taken to be apart, unless looked at `carefully`.
pub fn overlap_ahead(world: &World, dt: f64, carefully: bool) -> Option<f64> {
    let falls = |i: usize| if world.bodies()[i].base.mass().is_some() { world.gravity } else { DVec3::ZERO };
    let turning = |i: usize| world.bodies()[i].base.max_speeds(dt).1 * reach(&world.bodies()[i]);
    let linear = |i: usize| world.bodies()[i].base.twist().linear;
    let closing = (linear(0) - linear(1)).length() + dt * (falls(0) - falls(1)).length() + turning(0) + turning(1);
    let at = |t: f64| {
        [0, 1].map(|i| {
            let (mut frame, _) = world.bodies()[i].base.after(t, world.time() + t);
            frame.translation += 0.5 * t * t * falls(i);
            frame
        })
    };
    let t = thinner(world);
    let mut time = 0.0;
    loop {
        let mut nearest = f64::INFINITY;
        for pair in pairs(world, at(time)) {
            let gap = gap(&pair.a.field.solid(), &pair.b.field.solid());
            nearest = nearest.min(gap);
            if gap == 0.0 && (carefully || contact::meets(&pair)) {
                let deep = Patch::find(&pair, &Quality::within(ROUGH)).iter().map(|p| p.overlap).fold(0.0, f64::max);
                if deep > SEEN * t {
                    return Some(deep);
                }
            }
        }
        if time >= dt {
            return None;
        }
        time = (time + nearest.max(STRIDE * t) / closing).min(dt);
    }
}

/// How far two boxes are apart, and balls around them, metres: what the steps go by has no part in it.
fn gap(p: &Aabb, q: &Aabb) -> f64 {
    let boxes = (p.min - q.max).max(q.min - p.max).max(DVec3::ZERO).length();
    if !(p.is_finite() && q.is_finite()) {
        return boxes;
    }
    let balls = p.center().distance(q.center()) - 0.5 * (p.size().length() + q.size().length());
    boxes.max(balls)
}

/// Whether the contact surface has passed the skeleton of a side that yields: there the other's pressure is the greater. By
/// single points, for no patch is known to be right here.
fn passed(pair: &Pair) -> bool {
    let shared = pair.overlap_box();
    if shared.is_empty() || !shared.is_finite() {
        return false;
    }
    let beyond = |side: &Side, own: fn(&Probe) -> f64, other: fn(&Probe) -> f64| {
        let cores = side.field.core_points(shared.center(), &shared);
        let mut probes = cores.map(|core| pair.probe(core)).filter(|p| own(p) > 0.0);
        // A rigid partner presses with all it takes.
        let stiff = pair.kind() != SurfaceKind::Shared;
        probes.any(|p| other(&p) > 0.0 && (stiff || other(&p) >= own(&p)))
    };
    let (a, b) = (|p: &Probe| p.pressure_a, |p: &Probe| p.pressure_b);
    pair.kind() != SurfaceKind::RigidA && beyond(&pair.a, a, b)
        || pair.kind() != SurfaceKind::RigidB && beyond(&pair.b, b, a)
}

/// What the pair stores, joules, where a contact surface has passed a skeleton: at the present places, or between them and
/// those of `before`. Overlaps were and are not deeper than `deepest`.
pub fn bottomed(world: &World, before: [Frame; 2], deepest: f64) -> Option<f64> {
    let after = frames(world);
    let shift = (after[0].translation - before[0].translation) - (after[1].translation - before[1].translation);
    let turned = |i: usize| after[i].rotation.angle_between(before[i].rotation) * reach(&world.bodies()[i]);
    let way = shift.length() + turned(0) + turned(1);
    if way.max(deepest) < DEEP * thinner(world) {
        return None;
    }
    let looks = (way / (STRIDE * thinner(world))).ceil().clamp(1.0, MOST_LOOKS) as usize;
    let mut most: Option<f64> = None;
    for look in 1..=looks {
        let s = look as f64 / looks as f64;
        let at = [0, 1].map(|i| Frame {
            rotation: before[i].rotation.slerp(after[i].rotation, s),
            translation: before[i].translation.lerp(after[i].translation, s),
        });
        let all = pairs(world, at);
        if all.iter().any(passed) {
            let stored: f64 = all.iter().map(|pair| stored(pair)).map(|(energy, error)| energy - error).sum();
            most = Some(most.map_or(stored, |m| m.max(stored)));
        }
    }
    most
}
