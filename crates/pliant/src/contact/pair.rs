//! Two placed fields and the functions whose zeros are their contact.

use super::Patch;
use crate::bodies::{Body, Layer};
use crate::fields::{Field, Posed};
use crate::math::{Aabb, DVec3, refine_root};

/// An overlap deeper than this part of the thinner thickness may have passed a skeleton.
const DEEP: f64 = 0.5;

/// How well an overlap is measured, as a part of itself.
const WAY_OUT: f64 = 1e-9;

/// One body of a pair, as contact sees it.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Its rest field, placed.
    pub field: Posed<'a>,
    /// `K`, pascals: pressure is `K (f − c)`.
    pub stiffness: f64,
    /// A rigid side is never deformed; a soft partner fits its rest surface.
    pub rigid: bool,
}

impl<'a> Side<'a> {
    /// Layer number `layer` of `body`, where it is now.
    pub fn of(body: &'a Body, layer: usize) -> Self {
        let Layer { stiffness, rigid, .. } = body.layers[layer];
        Self { field: body.placed(layer), stiffness, rigid }
    }

    /// How far it is from `p` along `direction` until this side's rest shape ends, but not more than `farthest`, metres.
    fn way_out(&self, p: DVec3, direction: DVec3, farthest: f64) -> f64 {
        let excess = |s: f64| self.field.value(p + s * direction) - self.field.shape.iso();
        let here = self.field.sample(p);
        let inside = here.value - self.field.shape.iso();
        if inside <= 0.0 {
            return 0.0;
        }
        let thickness = self.field.shape.least_thickness();
        let guess = inside / -here.gradient.dot(direction);
        if guess > 0.0 && guess < WAY_OUT * thickness {
            return guess;
        }
        let (mut near, mut far) = ((0.0, inside), if guess > 0.0 { guess.min(farthest) } else { thickness });
        loop {
            let beyond = excess(far);
            // Straight curves end where their tangent does.
            if beyond.abs() <= WAY_OUT * inside {
                return far;
            }
            if beyond <= 0.0 {
                let way = refine_root(excess, near, (far, beyond), WAY_OUT * far.min(thickness));
                return way.unwrap_or(far);
            }
            if !(far < farthest && far < 1e6 * thickness) {
                return far;
            }
            (near, far) = ((far, beyond), (2.0 * far).min(farthest));
        }
    }
}

/// Which surface the pair shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceKind {
    /// Both soft, or both rigid: the surface of equal pressure.
    Shared,
    /// a is rigid, b soft: a's rest surface, under b's pressure.
    RigidA,
    /// b is rigid, a soft: b's rest surface, under a's pressure.
    RigidB,
}

/// Two sides whose contact is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// One side; `∇u` points into it.
    pub a: Side<'a>,
    /// The other.
    pub b: Side<'a>,
}

/// Both pressures and their gradients at a point.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// `K_a (f_a − c_a)`, pascals.
    pub pressure_a: f64,
    /// `K_b (f_b − c_b)`, pascals.
    pub pressure_b: f64,
    /// Gradient of `pressure_a`.
    pub gradient_a: DVec3,
    /// Gradient of `pressure_b`.
    pub gradient_b: DVec3,
}

impl Probe {
    /// The probe a small step `d` away, to first order.
    pub(super) fn advanced(mut self, d: DVec3) -> Self {
        self.pressure_a += self.gradient_a.dot(d);
        self.pressure_b += self.gradient_b.dot(d);
        self
    }

    /// The lesser pressure: positive exactly in the overlap.
    pub fn depth(&self) -> f64 {
        self.pressure_a.min(self.pressure_b)
    }

    /// `u`: zero on the contact surface, positive on a's side of it. And its gradient.
    pub(super) fn surface(&self, kind: SurfaceKind) -> (f64, DVec3) {
        match kind {
            SurfaceKind::Shared => (self.pressure_a - self.pressure_b, self.gradient_a - self.gradient_b),
            SurfaceKind::RigidA => (self.pressure_a, self.gradient_a),
            SurfaceKind::RigidB => (-self.pressure_b, -self.gradient_b),
        }
    }

    /// How fast contact pressure grows as the bodies approach, pascals per metre: both layers yield in series.
    pub(super) fn approach_rate(&self, kind: SurfaceKind) -> f64 {
        let (a, b) = (self.gradient_a.length(), self.gradient_b.length());
        match kind {
            SurfaceKind::Shared => a * b / (a + b).max(f64::MIN_POSITIVE),
            SurfaceKind::RigidA => b,
            SurfaceKind::RigidB => a,
        }
    }

    /// Gradient of the contact pressure, as the softer side's field has it.
    pub(super) fn contact_gradient(&self, kind: SurfaceKind) -> DVec3 {
        let softer = self.gradient_a.length_squared() <= self.gradient_b.length_squared();
        match kind {
            SurfaceKind::RigidA => self.gradient_b,
            SurfaceKind::RigidB => self.gradient_a,
            SurfaceKind::Shared if softer => self.gradient_a,
            SurfaceKind::Shared => self.gradient_b,
        }
    }

    /// The contact pressure as a's own field gives it, and as b's does. A rigid side has no law of its own.
    pub(super) fn contact_pressures(&self, kind: SurfaceKind) -> (f64, f64) {
        match kind {
            SurfaceKind::Shared => (self.pressure_a, self.pressure_b),
            SurfaceKind::RigidA => (self.pressure_b, self.pressure_b),
            SurfaceKind::RigidB => (self.pressure_a, self.pressure_a),
        }
    }
}

impl Pair<'_> {
    /// Which surface is shared.
    pub fn kind(&self) -> SurfaceKind {
        match (self.a.rigid, self.b.rigid) {
            (true, false) => SurfaceKind::RigidA,
            (false, true) => SurfaceKind::RigidB,
            _ => SurfaceKind::Shared,
        }
    }

    /// Both pressures at `p`.
    pub fn probe(&self, p: DVec3) -> Probe {
        let (a, b) = (self.a.field.sample(p), self.b.field.sample(p));
        Probe {
            pressure_a: self.a.stiffness * (a.value - self.a.field.shape.iso()),
            pressure_b: self.b.stiffness * (b.value - self.b.field.shape.iso()),
            gradient_a: self.a.stiffness * a.gradient,
            gradient_b: self.b.stiffness * b.gradient,
        }
    }

    /// Whether the contact surface has passed a's skeleton, and b's: beyond that their kernels carry no more load.
    pub fn bottomed_out(&self, patch: &Patch) -> (bool, bool) {
        let kind = self.kind();
        // What has come through may press hardest where no skeleton is: deep overlaps are looked at from more places.
        let places = [patch.deepest, patch.center_of_pressure, self.overlap_box().center()];
        let deep = patch.overlap > DEEP * self.least_thickness();
        // A convolution is weak at the ends of its skeleton, which may lie close under its surface.
        let weak = |side: &Side| side.field.shape.elements().iter().any(|e| e.skeleton().is_none());
        let places = &places[..if deep || weak(&self.a) || weak(&self.b) { 3 } else { 1 }];
        let shared = self.overlap_box();
        let passed = |side: &Side, sign: f64| {
            let mut cores = places.iter().flat_map(|p| side.field.core_points(*p, &shared));
            cores.any(|core| {
                let probe = self.probe(core);
                // Both must be there: a weak element's core lies outside its own body's surface.
                probe.depth() >= 0.0 && sign * probe.surface(kind).0 <= 0.0
            })
        };
        (kind != SurfaceKind::RigidA && passed(&self.a, 1.0), kind != SurfaceKind::RigidB && passed(&self.b, -1.0))
    }

    /// How deep the rest shapes overlap along the normal of the contact surface at its point `p`, metres.
    pub fn overlap_at(&self, p: DVec3) -> f64 {
        let normal = -self.probe(p).surface(self.kind()).1.normalize_or_zero();
        let shared = self.overlap_box();
        let farthest = if shared.is_finite() { shared.size().length() } else { f64::INFINITY };
        self.a.way_out(p, normal, farthest) + self.b.way_out(p, -normal, farthest)
    }

    /// A box that contains every overlap.
    pub fn overlap_box(&self) -> Aabb {
        self.a.field.solid().intersection(&self.b.field.solid())
    }

    /// The thickness of the thinner side, metres.
    pub fn least_thickness(&self) -> f64 {
        self.a.field.shape.least_thickness().min(self.b.field.shape.least_thickness())
    }
}
