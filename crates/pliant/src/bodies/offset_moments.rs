//! Volume and moments of the points within a distance of a convex skeleton or a circle, in closed form.
//!
//! *The idea*: at height z over its plane a flat skeleton grown by r is the skeleton grown by `s = √(r² − z²)` in the plane:
//! polygon, rectangles along its edges, sectors at its corners. With `z = r sin θ` the integral over z is smooth, and Gauss
//! points give it to rounding. Points and segments are polygons of one and two corners; a box is a polygon with height.

use super::moments::{Moments, outer};
use crate::fields::Skeleton;
use crate::math::{DMat3, DQuat, DVec3, Frame, gauss};
use std::f64::consts::{FRAC_PI_2, PI};

/// Gauss points over a quarter turn: integrands are polynomials of degree 4 in sine and cosine.
const POINTS: usize = 16;

/// Moments of all points within `offset` of `skeleton`; none where there is no closed form.
pub(super) fn of_offset(skeleton: &Skeleton, offset: f64) -> Option<Moments> {
    Some(match skeleton {
        Skeleton::Point(point) => ball(point.at, offset),
        Skeleton::Ball(core) => ball(core.center(), core.radius() + offset),
        Skeleton::Segment(segment) => {
            let middle = segment.a().midpoint(segment.b());
            let half = 0.5 * (segment.b() - segment.a());
            let frame = frame_at(middle, half, half.any_orthogonal_vector());
            let x = half.length() * DVec3::X;
            grown(0.0, offset, |s| polygon(&[-x, x], s)).moved(&frame)
        }
        Skeleton::Triangle(triangle) => {
            let [a, b, c] = triangle.corners();
            let middle = (a + b + c) / 3.0;
            let frame = frame_at(middle, b - a, c - a);
            let corners = [a, b, c].map(|p| frame.rotation.inverse() * (p - middle));
            grown(0.0, offset, |s| polygon(&corners, s)).moved(&frame)
        }
        Skeleton::Cuboid(cuboid) => {
            let h = cuboid.half_size();
            let corner = |x: f64, y: f64| DVec3::new(x * h.x, y * h.y, 0.0);
            let corners = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
            grown(h.z, offset, |s| polygon(&corners, s)).moved(&Frame::at(cuboid.center()))
        }
        Skeleton::Disc(disc) => {
            let u = disc.normal().any_orthogonal_vector();
            let frame = frame_at(disc.center(), u, disc.normal().cross(u));
            grown(0.0, offset, |s| round(disc.radius() + s)).moved(&frame)
        }
        // Without a hole, the section has none near its plane either: a crease in θ.
        Skeleton::Circle(circle) if circle.radius() >= offset => {
            let u = circle.normal().any_orthogonal_vector();
            let frame = frame_at(circle.center(), u, circle.normal().cross(u));
            let annulus = |s: f64| {
                let mut area = round(circle.radius() + s);
                area.add(&round(circle.radius() - s), -1.0);
                area
            };
            grown(0.0, offset, annulus).moved(&frame)
        }
        Skeleton::Circle(_) | Skeleton::HalfSpace(_) => return None,
        Skeleton::Polyline(_) | Skeleton::Curve(_) | Skeleton::TriangleMesh(_) | Skeleton::Patch(_) => return None,
    })
}

fn ball(center: DVec3, radius: f64) -> Moments {
    let volume = 4.0 / 3.0 * PI * radius.powi(3);
    let second = outer(center, center) + DMat3::from_diagonal(DVec3::splat(0.2 * radius * radius));
    Moments { volume, first: volume * center, second: volume * second }
}

/// The frame at `origin` whose x is along `u` and whose x–y plane holds `v`.
fn frame_at(origin: DVec3, u: DVec3, v: DVec3) -> Frame {
    let x = u.normalize();
    let z = x.cross(v).normalize();
    Frame { rotation: DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z)).normalize(), translation: origin }
}

/// Moments of a solid whose section at height z is `section(√(r² − (|z| − h)²))`, and `section(r)` within `h`. Sections are
/// moments of unit height.
fn grown(h: f64, r: f64, section: impl Fn(f64) -> Moments) -> Moments {
    let mut sum = Moments::ZERO;
    let mut slice = |z_sq: f64, height: f64, area: Moments| {
        let lifted = Moments { second: area.second + DMat3::from_diagonal(area.volume * z_sq * DVec3::Z), ..area };
        sum.add(&lifted, height);
    };
    slice(h * h / 3.0, 2.0 * h, section(r));
    let rule = gauss(POINTS);
    for (x, weight) in rule.nodes.iter().zip(&rule.weights) {
        let (sin, cos) = (FRAC_PI_2 * x).sin_cos();
        let z = h + r * sin;
        slice(z * z, 2.0 * FRAC_PI_2 * weight * r * cos, section(r * cos));
    }
    sum
}

/// A round disc in the x–y plane, times unit height.
fn round(radius: f64) -> Moments {
    let area = PI * radius * radius;
    let second = 0.25 * area * radius * radius * DVec3::new(1.0, 1.0, 0.0);
    Moments { volume: area, first: DVec3::ZERO, second: DMat3::from_diagonal(second) }
}

/// A convex polygon in the x–y plane, counter-clockwise, grown by `s`, times unit height.
fn polygon(corners: &[DVec3], s: f64) -> Moments {
    let n = corners.len();
    let mut sum = Moments::ZERO;
    for i in 2..n {
        sum.add(&triangle([corners[0], corners[i - 1], corners[i]]), 1.0);
    }
    let outward = |i: usize| (corners[(i + 1) % n] - corners[i]).cross(DVec3::Z).normalize();
    for i in 0..n {
        let (p, q) = (corners[i], corners[(i + 1) % n]);
        let (edge, normal) = (q - p, outward(i));
        let (area, middle) = (edge.length() * s, p.midpoint(q) + 0.5 * s * normal);
        let second = outer(middle, middle) + outer(edge, edge) / 12.0 + s * s / 12.0 * outer(normal, normal);
        sum.add(&Moments { volume: area, first: area * middle, second: area * second }, 1.0);
        sum.add(&sector(q, [normal, outward((i + 1) % n)], s), 1.0);
    }
    sum
}

fn triangle(corners: [DVec3; 3]) -> Moments {
    let [a, b, c] = corners;
    let area = 0.5 * (b - a).cross(c - a).z;
    let total = a + b + c;
    let second = (outer(a, a) + outer(b, b) + outer(c, c) + outer(total, total)) / 12.0;
    Moments { volume: area, first: area * total / 3.0, second: area * second }
}

/// The part of a disc of radius `s` around `corner` between two outward normals, counter-clockwise.
fn sector(corner: DVec3, [from, to]: [DVec3; 2], s: f64) -> Moments {
    let angle = from.cross(to).z.atan2(from.dot(to)).abs();
    let half = 0.5 * angle;
    let bisector = DQuat::from_rotation_z(half) * from;
    let across = DVec3::Z.cross(bisector);
    let area = s * s * half;
    let arm = if half > 0.0 { 2.0 / 3.0 * s * half.sin() / half * bisector } else { DVec3::ZERO };
    let (wide, narrow) = (half + 0.5 * angle.sin(), half - 0.5 * angle.sin());
    let own = 0.25 * s.powi(4) * (wide * outer(bisector, bisector) + narrow * outer(across, across));
    let first = area * arm;
    let second = own + outer(first, corner) + outer(corner, first) + area * outer(corner, corner);
    Moments { volume: area, first: first + area * corner, second }
}
