//! Volume columns: lines through the rest surface of a body, cut where the deformed surface crosses them.
//!
//! *The idea*: over each [`Facet`] of the rest surface Gauss points carry columns. Lower-order rules over the same points
//! estimate the error, and the worst facets are quartered until the errors together are small enough. A facet is
//! quartered in its own coordinates, so that columns of neighbours still meet. Facets of which no column is compressed are
//! quartered too, while slopes allow compression between their columns. Where a bulge folds over, a column meets the
//! surface again beyond the first crossing; that is searched for, and counted as error.
//! *Not promised*: volume that a collider presses away beside its columns, deeper in than its widest place.

use super::deformed::Deformed;
use super::facets::{DeformableRegion, Facet};
use crate::fields::Field;
use crate::math::DVec3;

/// Radon's rule of degree five on a triangle: the smaller barycentric coordinate of each orbit, and the weights of the
/// centre and of both orbits.
const ORBITS: [f64; 2] = [0.101_286_507_323_456_34, 0.470_142_064_105_115_1];
const WEIGHTS: [f64; 3] = [0.225, 0.125_939_180_544_827_15, 0.132_394_152_788_506_2];
const ALL_WEIGHTS: [f64; 7] = [WEIGHTS[0], WEIGHTS[1], WEIGHTS[1], WEIGHTS[1], WEIGHTS[2], WEIGHTS[2], WEIGHTS[2]];
/// Check rules of degree two, from the centre and one orbit alone.
const CHECKS: [[f64; 3]; 2] = [check_rule(0), check_rule(1)];
/// Greatest number of pieces of facets. More: a hostile shape takes longer. Fewer: fine bulges keep a large error.
const MAX_PIECES: usize = 24_000;
/// Greatest number of rounds of quartering.
const ROUNDS: usize = 24;
/// Volume assumed to hide between the columns of a facet, as a fraction of its area times the greatest thickness.
const HIDDEN: f64 = 0.02;
/// Accuracy of a crossing, as a fraction of the thickness. Larger: seen in the volume. Smaller: more steps for nothing.
const ROOT: f64 = 1e-6;

/// Weights (centre, first orbit, second orbit) of the rule of degree two that uses the centre and one orbit: it
/// integrates `∫ L² = 1/6` exactly.
const fn check_rule(orbit: usize) -> [f64; 3] {
    let a = ORBITS[orbit];
    let mean_sq = (2.0 * a * a + (1.0 - 2.0 * a) * (1.0 - 2.0 * a)) / 3.0;
    let weight = (1.0 / 6.0 - 1.0 / 9.0) / (mean_sq - 1.0 / 9.0);
    let mut weights = [1.0 - weight, 0.0, 0.0];
    weights[1 + orbit] = weight / 3.0;
    weights
}

/// Change of a body's volume by its colliders, cubic metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VolumeChange {
    /// Lost by compression.
    pub lost: f64,
    /// Regained by bulges.
    pub gained: f64,
    /// Estimated error of both together; infinite where they could not be measured.
    pub error: f64,
}

impl VolumeChange {
    /// No measurement: the surface is unbounded or too large.
    pub const UNKNOWN: Self = Self { lost: f64::NAN, gained: f64::NAN, error: f64::INFINITY };

    /// Whether the error is at most `tolerance` of the change.
    pub(super) fn is_settled(&self, tolerance: f64) -> bool {
        self.error <= tolerance * self.lost.max(self.gained)
    }
}

/// A line through the rest surface.
#[derive(Clone, Copy, Debug)]
struct Column {
    /// Its crossing with the rest surface.
    start: DVec3,
    /// Direction out of the body, about unit length.
    out: DVec3,
    /// Unit normal of the rest surface at `start`, out of the body.
    normal: DVec3,
    /// Fall of the rest field along it at the start, 1/m.
    slope: f64,
    /// Cross-section for the piece's whole area, m²: coefficients of a quadratic in the distance from the start.
    section: [f64; 3],
    /// Distance from the start to the deformed surface along `out`, metres; NaN where none was found.
    thickness: f64,
}

impl Column {
    fn volume(&self) -> f64 {
        let ([a, b, c], x) = (self.section, self.thickness);
        x * (a + x * (b / 2.0 + x * c / 3.0))
    }
}

/// A part of a facet with its columns; corners are in the facet's barycentric coordinates.
struct FacetPart {
    facet: usize,
    corners: [[f64; 3]; 3],
    columns: [Column; 7],
    /// Upper estimate of the change between the columns, m³.
    hidden: f64,
    change: VolumeChange,
}

/// All columns of a body.
pub(super) struct Columns {
    facets: Vec<Facet>,
    pieces: Vec<FacetPart>,
}

impl Columns {
    /// Columns over `region`, the surface that the colliders of `deformed` may change; none if it is too large.
    pub fn new(deformed: &Deformed, region: &DeformableRegion) -> Option<Self> {
        let mut columns = Self { facets: region.facets()?, pieces: Vec::new() };
        let whole = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        for facet in 0..columns.facets.len() {
            let piece = columns.piece(deformed, facet, whole);
            columns.pieces.extend(piece);
        }
        Some(columns)
    }

    /// Change of volume of `deformed`, measured on the present pieces.
    pub fn change(&mut self, deformed: &Deformed) -> VolumeChange {
        for piece in &mut self.pieces {
            piece.measure(deformed);
        }
        self.sum()
    }

    /// Number of pieces.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Sum of the last measurement over all pieces.
    pub fn sum(&self) -> VolumeChange {
        self.pieces.iter().fold(VolumeChange::default(), |sum, p| VolumeChange {
            lost: sum.lost + p.change.lost,
            gained: sum.gained + p.change.gained,
            error: sum.error + p.change.error,
        })
    }

    /// Estimated volume beyond a second crossing of columns, m³: each column is sampled a little beyond the thickest one's
    /// end.
    pub fn folded(&self, deformed: &Deformed) -> f64 {
        let iso = deformed.field.shape.iso();
        let columns =
            self.pieces.iter().flat_map(|p| p.columns.iter().zip(ALL_WEIGHTS)).filter(|(c, _)| c.thickness >= 0.0);
        let thickest = columns.clone().map(|(c, _)| c.thickness).fold(0.0, f64::max);
        let again = |c: &Column| {
            let at = |share: f64| c.start + (c.thickness + share * thickest) * c.out;
            thickest > 0.0 && [0.1, 0.3, 1.0].into_iter().any(|share| deformed.value(at(share)) >= iso)
        };
        columns.filter(|(c, _)| again(c)).map(|(c, weight)| weight * c.section[0].abs() * thickest).sum()
    }

    /// Quarters the worst pieces until the error is at most `tolerance` of the change, or a limit is reached.
    pub fn refine(&mut self, deformed: &Deformed, tolerance: f64) -> VolumeChange {
        let mut change = self.sum();
        for _ in 0..ROUNDS {
            let allowed = tolerance * change.lost.max(change.gained);
            if change.error <= allowed {
                break;
            }
            // Pieces whose errors together stay below half of the allowed error are kept.
            let mut errors: Vec<f64> = self.pieces.iter().map(|p| p.change.error).filter(|e| *e > 0.0).collect();
            errors.sort_by(f64::total_cmp);
            let mut left = 0.0;
            let kept = errors.iter().take_while(|e| {
                left += **e;
                left <= 0.5 * allowed
            });
            let limit = kept.last().copied().unwrap_or(0.0);
            let count = errors.iter().filter(|e| **e > limit).count();
            if self.pieces.len() + 3 * count > MAX_PIECES {
                break;
            }
            let (worst, mut pieces): (Vec<FacetPart>, Vec<FacetPart>) =
                std::mem::take(&mut self.pieces).into_iter().partition(|p| p.change.error > limit);
            for piece in worst {
                for corners in quarters(&piece.corners) {
                    pieces.extend(self.piece(deformed, piece.facet, corners));
                }
            }
            self.pieces = pieces;
            change = self.sum();
        }
        change
    }

    /// A part of a facet; none where its columns miss the rest surface.
    fn piece(&self, deformed: &Deformed, facet: usize, corners: [[f64; 3]; 3]) -> Option<FacetPart> {
        let Facet { corners: at, out } = self.facets[facet];
        let part = area(&corners);
        let mix = |b: [f64; 3], of: &[DVec3; 3]| b[0] * of[0] + b[1] * of[1] + b[2] * of[2];
        let iso = deformed.field.shape.iso();
        let column = |b: [f64; 3]| -> Option<Column> {
            let (p, d) = (mix(b, &at), mix(b, &out));
            // Newton's method to the rest surface, from a facet that is near it.
            let (mut s, mut slope, mut normal) = (0.0, 0.0, DVec3::ZERO);
            for _ in 0..20 {
                let sample = deformed.field.sample(p + s * d);
                (slope, normal) = (-sample.gradient.dot(d), -sample.gradient);
                let step = (sample.value - iso) / slope;
                if !step.is_finite() {
                    return None;
                }
                s += step;
                if step.abs() <= ROOT * ROOT * deformed.field.shape.min_thickness() {
                    break;
                }
            }
            let edges = [(at[1] - at[0], out[1] - out[0]), (at[2] - at[0], out[2] - out[0])];
            let [(a, b), (e, f)] = edges.map(|(y, d)| (y + s * d, d));
            // The walls at the start are `a`, `e` and widen by `b`, `f`.
            let section = [a.cross(e), a.cross(f) + b.cross(e), b.cross(f)].map(|n| part * 0.5 * n.dot(d));
            let normal = normal.normalize_or_zero();
            Some(Column { start: p + s * d, out: d, normal, slope, section, thickness: 0.0 })
        };
        let mut columns = [const { None }; 7];
        for (i, b) in barycentric(&corners).into_iter().enumerate() {
            columns[i] = Some(column(b)?);
        }
        let columns = columns.map(|c| c.expect("every one was found"));
        let mut piece = FacetPart { facet, corners, columns, hidden: 0.0, change: VolumeChange::default() };
        piece.hidden = piece.may_hide(deformed);
        piece.measure(deformed);
        Some(piece)
    }
}

impl FacetPart {
    /// Finds the deformed surface on every column, and sums. Compressed columns stay compressed whatever bulges beside them.
    fn measure(&mut self, deformed: &Deformed) {
        for column in self.columns.iter_mut().filter(|c| c.thickness >= 0.0 || c.thickness.is_nan()) {
            column.thickness = thickness(deformed, column);
        }
        let volumes = self.columns.map(|c| c.volume());
        if volumes.iter().any(|v| v.is_nan()) {
            let known = volumes.iter().filter(|v| !v.is_nan()).fold(0.0, |most: f64, v| most.max(v.abs()));
            let deepest = self.columns[0].section[0] * deformed.field.shape.min_thickness();
            self.change = VolumeChange { error: known.max(deepest.abs()), ..VolumeChange::default() };
            return;
        }
        let sum = |weights: &[f64; 3], of: &dyn Fn(f64) -> f64| {
            let orbit = |i: usize| volumes[i..i + 3].iter().map(|v| of(*v)).sum::<f64>();
            weights[0] * of(volumes[0]) + weights[1] * orbit(1) + weights[2] * orbit(4)
        };
        let (mut error, mut parts) = (0.0, [0.0; 2]);
        for (part, sign) in parts.iter_mut().zip([-1.0, 1.0]) {
            let of = |v: f64| (sign * v).max(0.0);
            *part = sum(&WEIGHTS, &of);
            let difference = CHECKS.iter().map(|w| (sum(w, &of) - *part).abs()).fold(0.0, f64::max);
            // Of twice the degree: the rule's error is about the square of a check rule's, unless the integrand has a kink.
            if *part > 0.0 {
                error += difference.min(10.0 * difference * difference / *part);
            }
        }
        // One column may touch the edge of a bulge that lies between the others.
        if self.columns.iter().any(|c| c.thickness >= 0.0) {
            error = error.max(self.hidden);
        }
        self.change = VolumeChange { lost: parts[0], gained: parts[1], error };
    }

    /// Upper estimate of the change between columns that show none, from the slopes of colliders along the surface, m³.
    fn may_hide(&self, deformed: &Deformed) -> f64 {
        let [p, q, r] = [1, 2, 3].map(|i| self.columns[i].start);
        // The distance from the outermost columns to a corner is a sixth of the width, between columns about a third.
        let across = 0.4 * p.distance(q).max(q.distance(r)).max(r.distance(p)) / (1.0 - 3.0 * ORBITS[0]);
        let mut thickest = 0.0f64;
        for c in &deformed.colliders {
            let height = c.greatest_height();
            let scale = c.scale();
            let bend = deformed.field.shape.min_thickness().min(c.field.shape.min_thickness());
            for column in &self.columns {
                let s = c.field.sample(column.start);
                let along =
                    s.gradient.reject_from_normalized(column.normal).length() + s.gradient.length() * across / bend;
                let excess = scale * (s.value - c.field.shape.iso() + along * across);
                // Without compression there is no bulge.
                if excess > 0.0 {
                    thickest = thickest.max(excess.max(height) / column.slope);
                }
            }
        }
        HIDDEN * thickest * self.columns[0].section[0].abs()
    }
}

/// Distance from the start of `column` to the deformed surface: outward if the start is inside it, else inward.
fn thickness(deformed: &Deformed, column: &Column) -> f64 {
    let iso = deformed.field.shape.iso();
    let here = deformed.value(column.start) - iso;
    if here.abs() <= 1e-15 * iso {
        return 0.0;
    }
    let sign = here.signum();
    let at = |x: f64| sign * (deformed.value(column.start + sign * x * column.out) - iso);
    let furthest =
        deformed.field.shape.solid_bounds().size().max_element().min(1e3 * deformed.field.shape.min_thickness());
    let known = sign * column.thickness;
    let guess = if known > 0.0 { known } else { here.abs() / column.slope };
    let (mut inner, mut x) = ((0.0, here.abs()), guess);
    let mut outer = loop {
        if x.is_nan() || x > furthest {
            return f64::NAN;
        }
        let value = at(x);
        if value <= 0.0 {
            break (x, value);
        }
        let secant = x - value * (x - inner.0) / (value - inner.1);
        inner = (x, value);
        x = if secant > x { (secant + ROOT * secant).min(3.0 * x) } else { 2.0 * x };
    };
    // The Illinois method, until a step is short.
    let (mut low, mut high) = (inner.1, outer.1);
    let mut last = 0;
    for _ in 0..60 {
        x = (inner.0 * high - outer.0 * low) / (high - low);
        let step = (x - inner.0).min(outer.0 - x);
        if step <= ROOT * x || high == 0.0 {
            break;
        }
        let value = at(x);
        if value > 0.0 {
            (inner, low) = ((x, value), value);
            high = if last == 1 { 0.5 * high } else { outer.1 };
            last = 1;
        } else {
            (outer, high) = ((x, value), value);
            low = if last == -1 { 0.5 * low } else { inner.1 };
            last = -1;
        }
    }
    sign * x
}

/// Area of a part of a facet as a fraction of the facet's.
fn area(corners: &[[f64; 3]; 3]) -> f64 {
    let [a, b, c] = corners.map(DVec3::from_array);
    DVec3::from_array([a, b, c].map(|v| v.x))
        .dot(DVec3::from_array([a, b, c].map(|v| v.y)).cross(DVec3::from_array([a, b, c].map(|v| v.z))))
}

fn quarters([a, b, c]: &[[f64; 3]; 3]) -> [[[f64; 3]; 3]; 4] {
    let middle = |p: &[f64; 3], q: &[f64; 3]| std::array::from_fn(|i| 0.5 * (p[i] + q[i]));
    let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
    [[*a, ab, ca], [ab, *b, bc], [ca, bc, *c], [ab, bc, ca]]
}

/// The seven points of Radon's rule in a part of a facet, in the facet's coordinates: centre and both orbits.
fn barycentric(corners: &[[f64; 3]; 3]) -> [[f64; 3]; 7] {
    let [a, b] = ORBITS;
    let mix = |w: [f64; 3]| std::array::from_fn(|i| (0..3).map(|k| w[k] * corners[k][i]).sum());
    let third = 1.0 / 3.0;
    [
        mix([third; 3]),
        mix([1.0 - 2.0 * a, a, a]),
        mix([a, 1.0 - 2.0 * a, a]),
        mix([a, a, 1.0 - 2.0 * a]),
        mix([1.0 - 2.0 * b, b, b]),
        mix([b, 1.0 - 2.0 * b, b]),
        mix([b, b, 1.0 - 2.0 * b]),
    ]
}
