//! Chords in the plane of a patch, and both pressures on the contact surface along them.

use crate::contact::frame::ContactFrame;
use crate::contact::law::Probe;
use crate::contact::persistent_chart::ChordFamily;
use crate::math::{DMat3, DQuat, DVec3, Frame};

/// A plane with chords, in the contact frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChordChart {
    pub origin: DVec3,
    /// Unit vectors: two in the plane, and one across it, into a.
    pub axes: [DVec3; 3],
    pub family: ChordFamily,
}

/// Coordinates in a chart.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ChartCoords {
    /// Along the chord.
    pub s: f64,
    /// Across the chords.
    pub t: f64,
    /// Across the plane, metres.
    pub z: f64,
}

/// Value and derivatives of a function of a [`ChartCoords`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Derivatives {
    pub value: f64,
    pub by_s: f64,
    pub by_t: f64,
    pub by_z: f64,
}

/// Both pressures at a point: the equation of the contact surface, and the pressure on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChartSample {
    pub coords: ChartCoords,
    pub position: DVec3,
    pub probe: Probe,
    /// Zero on the contact surface.
    pub surface: Derivatives,
    /// Contact pressure, from the soft side's field.
    pub pressure: Derivatives,
}

impl ChordChart {
    /// Position of a point.
    #[inline]
    pub fn position(&self, at: ChartCoords) -> DVec3 {
        let (x, y) = match self.family {
            ChordFamily::Parallel | ChordFamily::Lines => (at.s, at.t),
            ChordFamily::Rays => {
                let (sin, cos) = at.t.sin_cos();
                (at.s * cos, at.s * sin)
            }
        };
        self.origin + x * self.axes[0] + y * self.axes[1] + at.z * self.axes[2]
    }

    /// Coordinates of a position.
    pub fn coords(&self, p: DVec3) -> ChartCoords {
        let v = p - self.origin;
        let (x, y, z) = (v.dot(self.axes[0]), v.dot(self.axes[1]), v.dot(self.axes[2]));
        match self.family {
            ChordFamily::Parallel | ChordFamily::Lines => ChartCoords { s: x, t: y, z },
            ChordFamily::Rays => ChartCoords { s: x.hypot(y), t: y.atan2(x), z },
        }
    }

    /// Derivatives of the position by `s` and by `t`.
    #[inline]
    pub fn tangents(&self, at: ChartCoords) -> [DVec3; 2] {
        let [e, f, _] = self.axes;
        match self.family {
            ChordFamily::Parallel | ChordFamily::Lines => [e, f],
            ChordFamily::Rays => {
                let (sin, cos) = at.t.sin_cos();
                [cos * e + sin * f, at.s * (cos * f - sin * e)]
            }
        }
    }

    /// Area of the plane for each unit of `s` and `t`.
    #[inline]
    pub fn measure(&self, at: ChartCoords) -> f64 {
        match self.family {
            ChordFamily::Parallel | ChordFamily::Lines => 1.0,
            ChordFamily::Rays => at.s,
        }
    }

    /// Length of a unit of `t` at radius `s`, metres.
    pub fn width(&self, s: f64) -> f64 {
        match self.family {
            ChordFamily::Parallel | ChordFamily::Lines => 1.0,
            ChordFamily::Rays => s,
        }
    }

    /// Both pressures at a point.
    #[inline]
    pub fn sample(&self, frame: &ContactFrame, coords: ChartCoords) -> ChartSample {
        let position = self.position(coords);
        self.sample_of(frame, coords, position, frame.probe(position))
    }

    /// Both pressures at up to four points.
    pub fn sample_four(&self, frame: &ContactFrame, points: &[ChartCoords]) -> [ChartSample; 4] {
        let coords = |j: usize| points[j.min(points.len() - 1)];
        let positions: [DVec3; 4] = std::array::from_fn(|j| self.position(coords(j)));
        let probes = frame.probe_four(&positions, points.len());
        std::array::from_fn(|j| self.sample_of(frame, coords(j), positions[j], probes[j]))
    }

    #[inline(always)]
    fn sample_of(&self, frame: &ContactFrame, coords: ChartCoords, position: DVec3, probe: Probe) -> ChartSample {
        let [along, across] = self.tangents(coords);
        let derivatives = |value: f64, g: DVec3| Derivatives {
            value,
            by_s: g.dot(along),
            by_t: g.dot(across),
            by_z: g.dot(self.axes[2]),
        };
        let (u, g) = probe.surface(frame.kind);
        let p = probe.contact_pressures(frame.kind).0;
        let surface = derivatives(u, g);
        let pressure = derivatives(p, probe.pressure_gradient(frame.kind));
        ChartSample { coords, position, probe, surface, pressure }
    }
}

impl ChartSample {
    /// Whether the two solids face each other along the chart's axis. Gradients point inward.
    pub fn faces(&self, chart: &ChordChart) -> bool {
        let across = chart.axes[2];
        self.probe.gradient_a.dot(across) > 0.0 && self.probe.gradient_b.dot(across) < 0.0
    }

    /// Slopes of the contact surface along and across the chord.
    #[inline]
    pub fn slopes(&self) -> [f64; 2] {
        let u = &self.surface;
        [-u.by_s / u.by_z, -u.by_t / u.by_z]
    }

    /// Derivatives of the pressure on the surface along and across the chord.
    #[inline]
    pub fn tangential_pressure_slopes(&self) -> [f64; 2] {
        let ([s, t], p) = (self.slopes(), &self.pressure);
        [p.by_s + p.by_z * s, p.by_t + p.by_z * t]
    }
}

impl ChordChart {
    /// The chart with the axes of a frame.
    pub fn of_frame(here_from_chart: &Frame, family: ChordFamily) -> Self {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|e| here_from_chart.vector(e));
        Self { origin: here_from_chart.translation, axes, family }
    }

    /// Its frame.
    pub fn frame(&self) -> Frame {
        let [e, f, g] = self.axes;
        Frame { rotation: DQuat::from_mat3(&DMat3::from_cols(e, f, g)), translation: self.origin }
    }
}
