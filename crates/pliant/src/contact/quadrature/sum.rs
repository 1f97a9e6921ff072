//! Sums over the points of a patch: forces, moments, area, stiffness.

use super::chart::SurfacePoint;
use crate::contact::law::SurfaceKind;
use crate::contact::patch::{Layout, Method, Patch, PatchPoint, Wrench};
use crate::math::DVec3;

/// Sums over a patch as points are added.
#[derive(Clone, Debug, Default)]
pub(super) struct PatchSum {
    pub points: Vec<PatchPoint>,
    on_a: Wrench,
    on_b: Wrench,
    area: f64,
    /// N/m.
    stiffness: f64,
    /// To first order; [`Pair::overlap_at`](crate::contact::Pair::overlap_at) gives the exact depth in the end.
    overlap: f64,
    load: f64,
    load_moment: DVec3,
    max_pressure: f64,
    deepest: DVec3,
}

impl PatchSum {
    /// Adds a surface point found along `direction`, with the weight `measure` orthogonal to it. Returns the force on a.
    pub fn add(&mut self, kind: SurfaceKind, direction: DVec3, point: &SurfacePoint, measure: f64) -> DVec3 {
        let (_, g) = point.probe.surface(kind);
        let g_b = point.probe.surface_gradient_of_b(kind);
        // A point of the border may lie outside by a root's error.
        let (p_a, p_b) = point.probe.contact_pressures(kind);
        let (p_a, p_b) = (p_a.max(0.0), p_b.max(0.0));
        let per_chart = measure / g.dot(direction).abs();
        let (force_a, force_b) = (p_a * per_chart * g, p_b * per_chart * g_b);
        let arm = point.position;
        self.on_a.add_force(arm, force_a);
        self.on_b.add_force(arm, force_b);
        let slope = g.length();
        let area = slope * per_chart;
        self.area += area;
        self.load += p_a * area;
        self.load_moment += p_a * area * arm;
        let pressure_slope = point.probe.pressure_slope(kind);
        self.stiffness += area * pressure_slope;
        self.include_maximum(p_a, point.position, pressure_slope);
        self.points.push(PatchPoint {
            position: point.position,
            normal: -g / slope,
            pressure: p_a,
            area,
            pressure_slope,
        });
        force_a
    }

    /// Includes the pressure at a point without area in the maximum.
    pub fn include_maximum(&mut self, pressure: f64, position: DVec3, pressure_slope: f64) {
        if pressure > self.max_pressure {
            (self.max_pressure, self.deepest) = (pressure, position);
            self.overlap = pressure / pressure_slope;
        }
    }

    /// `∫ p dA`. Errors of the force are measured against it, for the force itself may cancel.
    pub fn load(&self) -> f64 {
        self.load
    }

    pub fn area(&self) -> f64 {
        self.area
    }

    /// The point of the greatest pressure.
    pub fn deepest(&self) -> Option<DVec3> {
        (self.max_pressure > 0.0).then_some(self.deepest)
    }

    pub fn clear(&mut self) {
        let mut points = std::mem::take(&mut self.points);
        points.clear();
        *self = Self { points, ..Self::default() };
    }

    /// The patch these sums describe, with moments about `reference`.
    pub fn finish(self, reference: DVec3, border: Vec<DVec3>, layout: Layout) -> Patch {
        let method = match layout {
            Layout::Polar { .. } => Method::Polar,
            Layout::Chords { .. } => Method::Chords,
            Layout::Cells { .. } => Method::Cells,
        };
        let about = |w: Wrench| Wrench { moment: w.moment - reference.cross(w.force), ..w };
        Patch {
            points: self.points,
            border,
            reference,
            on_a: about(self.on_a),
            on_b: about(self.on_b),
            area: self.area,
            load: self.load,
            stiffness: self.stiffness,
            overlap: self.overlap,
            center_of_pressure: self.load_moment / self.load.max(f64::MIN_POSITIVE),
            max_pressure: self.max_pressure,
            deepest: self.deepest,
            method,
            error: 0.0,
            resolved_to: 0.0,
            layout,
            chart: None,
            level: None,
        }
    }
}
