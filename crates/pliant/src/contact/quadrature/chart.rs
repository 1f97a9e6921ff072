//! Polar charts: families of lines across a contact surface, each line meeting it once.
//!
//! *The idea*: a patch is a height field over the plane across `∇u` at its middle (parallel lines), or, where it
//! curves round past a right angle, over the directions from a point behind it (lines through a pivot).
//! Both give a point, an area vector and a border by the same few Newton steps. *Not promised*: a surface that lines graze
//! or meet twice; the chart then fails.

use crate::contact::frame::ContactFrame;
use crate::contact::law::{Probe, SurfaceKind};
use crate::contact::quality::Quality;
use crate::math::DVec3;

/// A family of lines around an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct PolarChart {
    /// On the contact surface; the axis passes through it.
    pub center: DVec3,
    /// Unit, along `∇u` at the centre: into a.
    pub axis: DVec3,
    /// Orthogonal to the axis; their lengths scale the two directions, so that a long patch is round in the chart.
    pub across: [DVec3; 2],
    /// Parallel lines, or lines through a point on the axis.
    pub lines: LineFamily,
    /// Typical size of the patch, metres.
    pub size: f64,
    /// Last step of a search for the border, as a fraction of the radius.
    pub border_tolerance: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LineFamily {
    Parallel,
    /// Signed distance along the axis from the pivot to the centre.
    Pivot(f64),
}

/// A line of the chart, and the derivatives of its points with respect to the chart's radius.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChartLine {
    origin: DVec3,
    pub direction: DVec3,
    /// `∂(origin + s direction)/∂τ` is `origin_rate + s direction_rate`.
    origin_rate: DVec3,
    direction_rate: DVec3,
}

/// A point of the contact surface found along a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfacePoint {
    /// Parameter along the line.
    pub s: f64,
    pub position: DVec3,
    pub probe: Probe,
}

/// A direction around a chart's axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Angle {
    pub cos: f64,
    pub sin: f64,
}

/// Coordinates in a chart, in a given direction: radius, and parameter along the line there.
#[derive(Clone, Copy, Debug)]
pub(super) struct PolarCoords {
    pub tau: f64,
    pub s: f64,
}

/// The border in one direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct BorderPoint {
    pub angle: Angle,
    pub tau: f64,
    pub s: f64,
    /// `ds/dτ` along the surface.
    pub slope: f64,
    /// Normal, across the chart's axis, out of the wedge of both surfaces' tangent planes; zero if they do not face each
    /// other.
    pub outward: DVec3,
}

/// Least cosine between line and normal. Smaller: areas and roots lose a digit. Larger: more charts fail.
pub(super) const MIN_COSINE: f64 = 0.15;

impl Angle {
    /// The `j`th of `count` equal turns.
    pub fn of_turn(j: usize, count: usize) -> Self {
        let (sin, cos) = (std::f64::consts::TAU * (j as f64 / count as f64)).sin_cos();
        Self { cos, sin }
    }
}

impl SurfacePoint {
    /// The contact pressure from a's field, and from b's.
    pub fn pressures(&self, kind: SurfaceKind) -> (f64, f64) {
        self.probe.contact_pressures(kind)
    }
}

impl ChartLine {
    pub fn at(&self, s: f64) -> DVec3 {
        self.origin + s * self.direction
    }

    fn rate(&self, s: f64) -> DVec3 {
        self.origin_rate + s * self.direction_rate
    }
}

impl PolarChart {
    /// Parallel lines along `∇u` at `center`, which lies on the surface.
    pub fn flat(frame: &ContactFrame, center: DVec3, size: f64, quality: &Quality) -> Option<Self> {
        let (_, g) = frame.probe(center).surface(frame.kind);
        let axis = g.try_normalize()?;
        let (e1, e2) = axis.any_orthonormal_pair();
        Some(Self {
            center,
            axis,
            across: [e1, e2],
            lines: LineFamily::Parallel,
            size,
            border_tolerance: (0.1 * quality.root_tolerance()).sqrt(),
        })
    }

    /// Lines through the centre of curvature behind the middle of this flat chart.
    pub fn around_pivot(&self, frame: &ContactFrame) -> Option<Self> {
        let kind = frame.kind;
        let h = 1e-4 * self.size;
        let mut curvature = 0.0;
        for e in self.across.map(|e| e.normalize()) {
            let forward = frame.probe(self.center + h * e).surface(kind).1.try_normalize()?;
            let back = frame.probe(self.center - h * e).surface(kind).1.try_normalize()?;
            curvature += 0.5 * (forward - back).dot(e) / (2.0 * h);
        }
        // The normal turns towards the pivot's far side: a converging normal (negative curvature) has it ahead.
        let radius = 1.0 / curvature;
        (radius.is_finite() && radius.abs() < 1e3 * self.size).then(|| Self {
            across: self.across.map(|e| e.normalize()),
            lines: LineFamily::Pivot(radius),
            ..*self
        })
    }

    /// The line at radius `tau` in a direction. Flat: τ in units of `across`. Pivot: τ is an angle.
    pub fn line(&self, tau: f64, angle: Angle) -> ChartLine {
        let d = self.direction(angle);
        match self.lines {
            LineFamily::Parallel => ChartLine {
                origin: self.center + tau * d,
                direction: self.axis,
                origin_rate: d,
                direction_rate: DVec3::ZERO,
            },
            LineFamily::Pivot(radius) => {
                let (s, c) = tau.sin_cos();
                ChartLine {
                    origin: self.center - radius * self.axis,
                    direction: radius.signum() * (c * self.axis + s * d),
                    origin_rate: DVec3::ZERO,
                    direction_rate: radius.signum() * (c * d - s * self.axis),
                }
            }
        }
    }

    /// Vector across the axis in a direction, as long as one unit of radius.
    pub fn direction(&self, Angle { cos, sin }: Angle) -> DVec3 {
        cos * self.across[0] + sin * self.across[1]
    }

    /// Parameter of the centre along its own line.
    pub fn center_coord(&self) -> f64 {
        match self.lines {
            LineFamily::Parallel => 0.0,
            LineFamily::Pivot(radius) => radius.abs(),
        }
    }

    /// Largest meaningful radius: half a turn for a pivot.
    pub fn largest_radius(&self) -> f64 {
        match self.lines {
            LineFamily::Parallel => f64::INFINITY,
            LineFamily::Pivot(_) => std::f64::consts::PI,
        }
    }

    /// Measure of chart at radius `x τ`, per angle and per weight of a rule for `∫ f x dx`;
    /// `s` is where the surface lies along the line.
    pub fn measure(&self, tau: f64, x: f64, s: f64) -> f64 {
        match self.lines {
            LineFamily::Parallel => tau * tau * self.across[0].length() * self.across[1].length(),
            LineFamily::Pivot(_) => tau * (x * tau).sin() / x * s * s,
        }
    }

    /// The surface along `line`, by Newton from `s`, to `tolerance · size`. `None` where it is grazed or not found.
    pub fn solve_height(&self, frame: &ContactFrame, line: &ChartLine, s: f64, tolerance: f64) -> Option<SurfacePoint> {
        let kind = frame.kind;
        let mut s = s;
        for _ in 0..25 {
            let position = line.at(s);
            let probe = frame.probe(position);
            let (u, g) = probe.surface(kind);
            let slope = g.dot(line.direction);
            if slope.abs() <= MIN_COSINE * g.length() || slope.is_nan() {
                return None;
            }
            let step = (-u / slope).clamp(-2.0 * self.size, 2.0 * self.size);
            s += step;
            if step.abs() <= tolerance * self.size {
                let d = step * line.direction;
                return Some(SurfacePoint { s, position: position + d, probe: probe.advanced(d) });
            }
        }
        None
    }

    /// The border in one direction, by Newton on both pressures.
    pub fn border(&self, frame: &ContactFrame, angle: Angle, guess: PolarCoords) -> Option<BorderPoint> {
        let PolarCoords { mut tau, mut s } = guess;
        for _ in 0..20 {
            let line = self.line(tau, angle);
            let probe = frame.probe(line.at(s));
            let rate = line.rate(s);
            let (ga, gb) = (probe.gradient_a, probe.gradient_b);
            let (a0, a1) = (ga.dot(rate), ga.dot(line.direction));
            let (b0, b1) = (gb.dot(rate), gb.dot(line.direction));
            let det = a0 * b1 - a1 * b0;
            let dtau = (-probe.pressure_a * b1 + probe.pressure_b * a1) / det;
            let ds = (-probe.pressure_b * a0 + probe.pressure_a * b0) / det;
            if !(dtau.is_finite() && ds.is_finite()) {
                return None;
            }
            // A full step may pass a narrow border; half the radius at a time cannot.
            let damp = (0.5 * tau / dtau.abs()).min(2.0 * self.size / ds.abs()).min(1.0);
            tau += damp * dtau;
            s += damp * ds;
            if tau > self.largest_radius() {
                return None;
            }
            // Newton squares the remaining error, and the force, whose pressure vanishes at the border, squares it again.
            if damp == 1.0 && dtau.abs() <= self.border_tolerance * tau {
                let (_, g) = probe.surface(frame.kind);
                let slope = -g.dot(rate) / g.dot(line.direction);
                // Both surfaces' tangent planes, the part along the axis cancelled. Gradients point inward.
                let (a, b) = (ga.dot(self.axis), gb.dot(self.axis));
                let facing = a > 0.0 && b < 0.0;
                let outward = if facing { ga * b - gb * a } else { DVec3::ZERO };
                return Some(BorderPoint { angle, tau, s, slope, outward });
            }
        }
        None
    }
}
