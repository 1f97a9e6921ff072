//! True quantities of a throw, computed apart from the steps.

use crate::World;
use crate::bodies::{Layer, Link};
use crate::contact::{self, Pair, Patch, Probe, Quality, Side, SurfaceKind};
use crate::math::{Aabb, DVec3, Frame};
use crate::verify::setup::{link_at, links};
use crate::verify::{greatest, least, worse};

/// Least depth of a graze that must be detected, as a fraction of the thinner thickness.
const SEEN: f64 = 4e-3;

/// Strides of the sampling, as a fraction of the thinner thickness: a graze as deep as [`SEEN`] is `2√(2·SEEN)` long or
/// more, which is longer than one.
const STRIDE: f64 = 0.15;

/// Error of contact queries that only measure the depth of an overlap, which needs no exact force.
const ROUGH: f64 = 0.1;

/// Points along each edge of the box around an overlap.
const COARSE: usize = 16;

/// Depth of overlap, as a fraction of the thinner thickness, above which skeletons are tested against the contact
/// surface.
const DEEP: f64 = 0.5;

/// Greatest number of samples between two steps.
const MAX_LOOKS: f64 = 12.0;

/// Energy of two bodies in free fall, in the frame that falls with them, or of one against a fixed body.
pub struct Accounts {
    starts: [DVec3; 2],
    energy: f64,
}

impl Accounts {
    pub fn new(world: &World) -> Self {
        let mut accounts = Self { starts: [0, 1].map(|i| link_at(world, i).center()), energy: 0.0 };
        accounts.energy = accounts.moving(world);
        accounts
    }

    /// Kinetic energy, J: less that of the common motion if both are free, less the work of gravity else.
    fn moving(&self, world: &World) -> f64 {
        let kinetic: f64 = links(world).map(|b| b.kinetic_energy()).sum();
        match [0, 1].map(|i| link_at(world, i).mass()) {
            [Some(m), Some(n)] => {
                let [v, w] = [0, 1].map(|i| link_at(world, i).twist().linear);
                kinetic - 0.5 * (m * v + n * w).length_squared() / (m + n)
            }
            _ => kinetic - self.work(world),
        }
    }

    /// Work of gravity on bodies of which one is fixed, J.
    fn work(&self, world: &World) -> f64 {
        let of = |(b, start): (Link, &DVec3)| b.mass().map_or(0.0, |m| m * world.gravity().dot(b.center() - start));
        links(world).zip(&self.starts).map(of).sum()
    }

    /// Energy that gains are measured against, J.
    pub fn scale(&self, world: &World) -> f64 {
        let held = links(world).any(|b| b.mass().is_none());
        self.energy + if held { self.work(world).abs() } else { 0.0 }
    }

    /// Kinetic energy now less all energy at the start, over the latter.
    pub fn gain_of_motion(&self, world: &World) -> f64 {
        (self.moving(world) - self.energy) / self.scale(world)
    }

    /// Energy now less that at the start, over the latter, and its uncertainty.
    pub fn gain(&self, world: &World) -> (f64, f64) {
        let mut touches: Vec<_> = world.contacts().iter().map(|c| c.pair).collect();
        touches.dedup();
        let (mut gained, mut error) = (self.moving(world) - self.energy, 0.0);
        for (energy, off) in touches.iter().map(|t| stored(&world.pair(t))) {
            (gained, error) = (gained + energy, error + off);
        }
        let scale = self.scale(world);
        (gained / scale, error / scale)
    }
}

/// `U = ∫ min(p_a, p_b) dV` by grids of points, joules, and the difference of the finer and the coarser: the search for
/// patches has no part in it.
fn stored(pair: &Pair) -> (f64, f64) {
    let shared = pair.overlap_bounds();
    if shared.is_empty() || !shared.is_finite() {
        return (0.0, 0.0);
    }
    let sum = |n: usize, shared: Aabb| {
        let cell = shared.size() / n as f64;
        let at = |i: usize| DVec3::new((i % n) as f64, (i / n % n) as f64, (i / n / n) as f64) + 0.5;
        let mut within = Aabb::EMPTY;
        let mut total = 0.0;
        for p in (0..n * n * n).map(|i| shared.min + at(i) * cell) {
            let depth = pair.probe(p).min_pressure();
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
    [0, 1].map(|i| link_at(world, i).world_from_link())
}

fn layers(world: &World, i: usize) -> &[Layer] {
    &world.bodies()[i].coat
}

pub fn thinner_thickness(world: &World) -> f64 {
    let all = layers(world, 0).iter().chain(layers(world, 1));
    least(&all.map(|l| l.shape.min_thickness()).collect::<Vec<_>>())
}

/// Every pair of layers, with the bodies at these places.
fn pairs(world: &World, at: [Frame; 2]) -> Vec<Pair<'_>> {
    let others = |p| layers(world, 1).iter().map(move |q| Pair { a: Side::of(p, at[0]), b: Side::of(q, at[1]) });
    layers(world, 0).iter().flat_map(others).collect()
}

/// Bound of the distance of a body's points from its centre, m; 0 for an unbounded body, which does not turn.
fn reach(world: &World, i: usize) -> f64 {
    let b = world.bounds(i);
    if b.is_finite() { b.size().length() } else { 0.0 }
}

/// Depth of the overlap on free paths within the next `dt` seconds, metres; none below the threshold of a contact. Where a short
/// ascent finds no point in both, they are taken to be apart, unless the search is `careful`.
pub fn overlap_ahead(world: &World, dt: f64, careful: bool) -> Option<f64> {
    let falls = |i: usize| if link_at(world, i).mass().is_some() { world.gravity() } else { DVec3::ZERO };
    let turning = |i: usize| {
        let link = link_at(world, i);
        link.motion_law.max_speeds(link.state, world.time(), dt).1 * reach(world, i)
    };
    let linear = |i: usize| link_at(world, i).twist().linear;
    let closing = (linear(0) - linear(1)).length() + dt * (falls(0) - falls(1)).length() + turning(0) + turning(1);
    let at = |t: f64| {
        [0, 1].map(|i| {
            let link = link_at(world, i);
            let mut frame = link.motion_law.world_from_link(&link.predict(t, world.time() + t));
            frame.translation += 0.5 * t * t * falls(i);
            frame
        })
    };
    let t = thinner_thickness(world);
    let mut time = 0.0;
    loop {
        let mut gaps = Vec::new();
        for pair in pairs(world, at(time)) {
            let gap = gap(&pair.a.field.solid_bounds(), &pair.b.field.solid_bounds());
            gaps.push(gap);
            if gap == 0.0 && (careful || contact::ascent_finds_overlap(&pair)) {
                let deep = Patch::find(&pair, &Quality::within(ROUGH)).iter().map(|p| p.overlap).fold(0.0, worse);
                if deep > SEEN * t {
                    return Some(deep);
                }
            }
        }
        if time >= dt {
            return None;
        }
        let next = time + greatest(&[least(&gaps), STRIDE * t]) / closing;
        // Not below `dt` also where nothing closes in, or where that is unknown.
        time = if next < dt { next } else { dt };
    }
}

/// Distance of two boxes, or of balls around them, m: independent of the engine's own bounds.
fn gap(p: &Aabb, q: &Aabb) -> f64 {
    let boxes = (p.min - q.max).max(q.min - p.max).max(DVec3::ZERO).length();
    if !(p.is_finite() && q.is_finite()) {
        return boxes;
    }
    let balls = p.center().distance(q.center()) - 0.5 * (p.size().length() + q.size().length());
    greatest(&[boxes, balls])
}

/// Whether the contact surface has passed the skeleton of a side that yields: there the other's pressure is the greater. By
/// single points, for no patch is known to be right here.
fn passed(pair: &Pair) -> bool {
    let shared = pair.overlap_bounds();
    if shared.is_empty() || !shared.is_finite() {
        return false;
    }
    let beyond = |side: &Side, own: fn(&Probe) -> f64, other: fn(&Probe) -> f64| {
        let medial_points = side.field.medial_points(shared.center(), &shared);
        let mut probes = medial_points.map(|p| pair.probe(p)).filter(|p| own(p) > 0.0);
        // A rigid partner presses with all it takes.
        let stiff = pair.kind() != SurfaceKind::EqualPressure;
        probes.any(|p| other(&p) > 0.0 && (stiff || other(&p) >= own(&p)))
    };
    let (a, b) = (|p: &Probe| p.pressure_a, |p: &Probe| p.pressure_b);
    pair.kind() != SurfaceKind::RigidA && beyond(&pair.a, a, b)
        || pair.kind() != SurfaceKind::RigidB && beyond(&pair.b, b, a)
}

/// Energy the pair stores, J, where a contact surface has passed a skeleton: at the present poses, or between them and
/// those of `before`. Overlaps were and are not deeper than `deepest`.
pub fn bottomed(world: &World, before: [Frame; 2], deepest: f64) -> Option<f64> {
    let after = frames(world);
    let shift = (after[0].translation - before[0].translation) - (after[1].translation - before[1].translation);
    let turned = |i: usize| after[i].rotation.angle_between(before[i].rotation) * reach(world, i);
    let way = shift.length() + turned(0) + turned(1);
    if greatest(&[way, deepest]) < DEEP * thinner_thickness(world) {
        return None;
    }
    let looks = (way / (STRIDE * thinner_thickness(world))).ceil().clamp(1.0, MAX_LOOKS) as usize;
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
            most = Some(most.map_or(stored, |m| greatest(&[m, stored])));
        }
    }
    most
}
