//! The contact surface of two pressures: its equation, its normal and the pressure on it.
//!
//! *The idea* ([G93] §3.2): two soft bodies share the surface of equal pressure `u = p_a − p_b = 0`; a soft and a rigid
//! body share the rest surface of the rigid one. *What we changed*: pressures weighted by stiffness instead of field
//! values, so that action equals reaction. *Not promised*: a normal where both gradients are equal.
//!
//! [G93]: crate#papers

use crate::fields::Sample;
use crate::math::DVec3;
use std::ops::{Neg, Sub};

/// Kind of surface that a pair shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceKind {
    /// Both soft, or both rigid: the surface of equal pressure.
    EqualPressure,
    /// a is rigid, b soft: a's rest surface, under b's pressure.
    RigidA,
    /// b is rigid, a soft: b's rest surface, under a's pressure.
    RigidB,
}

/// Both pressures and their gradients at a point. Gradients are vectors of space, or of a half-plane of it.
#[derive(Clone, Copy, Debug)]
pub struct Probe<V = DVec3> {
    /// `K_a (f_a − c_a)`, pascals.
    pub pressure_a: f64,
    /// `K_b (f_b − c_b)`, pascals.
    pub pressure_b: f64,
    /// Gradient of `pressure_a`.
    pub gradient_a: V,
    /// Gradient of `pressure_b`.
    pub gradient_b: V,
}

/// A vector that pressures have for a gradient.
pub(crate) trait Gradient: Copy + Sub<Output = Self> + Neg<Output = Self> {
    fn size(self) -> f64;
}

impl Gradient for DVec3 {
    #[inline]
    fn size(self) -> f64 {
        self.length()
    }
}

impl<V> Probe<V> {
    /// The lesser pressure: positive exactly in the overlap.
    pub fn min_pressure(&self) -> f64 {
        self.pressure_a.min(self.pressure_b)
    }

    /// The contact pressure from a's own field, and from b's. Against a soft side a rigid one takes
    /// the soft side's pressure.
    #[inline]
    pub(crate) fn contact_pressures(&self, kind: SurfaceKind) -> (f64, f64) {
        match kind {
            SurfaceKind::EqualPressure => (self.pressure_a, self.pressure_b),
            SurfaceKind::RigidA => (self.pressure_b, self.pressure_b),
            SurfaceKind::RigidB => (self.pressure_a, self.pressure_a),
        }
    }
}

#[expect(private_bounds, reason = "methods of the contact search alone")]
impl<V: Gradient> Probe<V> {
    /// `u`: zero on the contact surface, positive on a's side of it; and its gradient.
    #[inline]
    pub(crate) fn surface(&self, kind: SurfaceKind) -> (f64, V) {
        match kind {
            SurfaceKind::EqualPressure => (self.pressure_a - self.pressure_b, self.gradient_a - self.gradient_b),
            SurfaceKind::RigidA => (self.pressure_a, self.gradient_a),
            SurfaceKind::RigidB => (-self.pressure_b, -self.gradient_b),
        }
    }

    /// `−∇u` as b's own deformed field has it: opposite to the gradient of [`Probe::surface`], computed separately.
    #[inline]
    pub(crate) fn surface_gradient_of_b(&self, kind: SurfaceKind) -> V {
        match kind {
            SurfaceKind::EqualPressure => self.gradient_b - self.gradient_a,
            SurfaceKind::RigidA => -self.gradient_a,
            SurfaceKind::RigidB => self.gradient_b,
        }
    }

    /// Growth of the contact pressure as the bodies approach, pascals per metre: both layers yield in series.
    #[inline]
    pub(crate) fn pressure_slope(&self, kind: SurfaceKind) -> f64 {
        let (a, b) = (self.gradient_a.size(), self.gradient_b.size());
        match kind {
            SurfaceKind::EqualPressure => a * b / (a + b).max(f64::MIN_POSITIVE),
            SurfaceKind::RigidA => b,
            SurfaceKind::RigidB => a,
        }
    }
}

impl Probe {
    /// From both pressures as samples.
    #[inline]
    pub(crate) fn of(a: Sample, b: Sample) -> Self {
        Self { pressure_a: a.value, pressure_b: b.value, gradient_a: a.gradient, gradient_b: b.gradient }
    }

    /// The probe a small step `d` away, to first order.
    pub(crate) fn advanced(mut self, d: DVec3) -> Self {
        self.pressure_a += self.gradient_a.dot(d);
        self.pressure_b += self.gradient_b.dot(d);
        self
    }

    /// Gradient of [`Probe::contact_pressures`]' first.
    #[inline]
    pub(crate) fn pressure_gradient(&self, kind: SurfaceKind) -> DVec3 {
        match kind {
            SurfaceKind::RigidA => self.gradient_b,
            SurfaceKind::RigidB | SurfaceKind::EqualPressure => self.gradient_a,
        }
    }

    /// Gradient of the contact pressure, from the softer side's field.
    pub(crate) fn contact_gradient(&self, kind: SurfaceKind) -> DVec3 {
        let softer = self.gradient_a.length_squared() <= self.gradient_b.length_squared();
        match kind {
            SurfaceKind::RigidA => self.gradient_b,
            SurfaceKind::RigidB => self.gradient_a,
            SurfaceKind::EqualPressure if softer => self.gradient_a,
            SurfaceKind::EqualPressure => self.gradient_b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_layers_yield_in_series_and_a_rigid_one_not_at_all() {
        // Pressures grow by 3 and 6 Pa/m: together 1/(1/3 + 1/6) = 2 Pa/m; against a rigid side, the other's rate.
        let probe = Probe { pressure_a: 1.0, pressure_b: 2.0, gradient_a: 3.0 * DVec3::X, gradient_b: -6.0 * DVec3::X };
        assert!((probe.pressure_slope(SurfaceKind::EqualPressure) - 2.0).abs() < 1e-15);
        assert_eq!([SurfaceKind::RigidA, SurfaceKind::RigidB].map(|k| probe.pressure_slope(k)), [6.0, 3.0]);
    }

    #[test]
    fn both_sides_have_one_surface_and_opposite_normals() {
        let probe = Probe { pressure_a: 1.0, pressure_b: 2.0, gradient_a: DVec3::X, gradient_b: DVec3::Y };
        for kind in [SurfaceKind::EqualPressure, SurfaceKind::RigidA, SurfaceKind::RigidB] {
            assert_eq!(probe.surface(kind).1, -probe.surface_gradient_of_b(kind), "{kind:?}");
        }
        assert_eq!(probe.surface(SurfaceKind::EqualPressure).0, -1.0, "the greater pressure is b's: this is b's side");
    }
}
