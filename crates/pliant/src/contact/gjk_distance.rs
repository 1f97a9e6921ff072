//! Support distance of two solids: GJK on convex sets around them.
//!
//! *The idea*: one skeleton's solid is everything within some distance of it, so the distance of two such solids is that of
//! their skeletons, less both distances; for convex skeletons that is exact. Other solids are replaced by their boxes in the
//! frames of their bodies. *Not promised*: an upper bound for solids that are not convex.

use crate::fields::skeleton::Distance;
use crate::fields::{Posed, Skeleton};
use crate::math::{DVec3, separation};

/// A convex set that, grown by `thickness`, contains a solid.
struct ConvexCover<'a> {
    field: &'a Posed<'a>,
    /// None: the solid's box.
    skeleton: Option<&'a Skeleton>,
    thickness: f64,
}

impl<'a> ConvexCover<'a> {
    fn new(field: &'a Posed<'a>) -> Self {
        let alone = field
            .shape
            .single_element()
            .and_then(|only| Some((only.skeleton()?, only.level_radius(field.shape.iso())?)));
        match alone {
            Some((skeleton, thickness)) => Self { field, skeleton: Some(skeleton), thickness },
            None => Self { field, skeleton: None, thickness: 0.0 },
        }
    }

    /// Its support point: farthest in `direction`.
    fn support(&self, direction: DVec3) -> DVec3 {
        let d = self.field.vector_to_body(direction);
        let p = match self.skeleton {
            Some(skeleton) => skeleton.support_point(d),
            None => self.field.shape.solid_bounds().farthest(d),
        };
        self.field.world_from_body.point(p)
    }

    /// Whether it is bounded.
    fn is_finite(&self) -> bool {
        self.field.shape.solid_bounds().is_finite()
    }

    /// The outward normal of a half-space.
    fn half_space_normal(&self) -> Option<DVec3> {
        let plane = self.skeleton?.as_plane()?;
        Some(self.field.world_from_body.vector(plane.normal))
    }
}

/// Lower and upper bound on the distance of two solids, metres, negative where they overlap; the upper one is infinite unless
/// both are convex. Lower bounds beyond `enough` are not improved.
pub(super) fn gjk_distance_bounds(a: &Posed, b: &Posed, enough: f64) -> (f64, f64) {
    let (p, q) = (ConvexCover::new(a), ConvexCover::new(b));
    let thickness = p.thickness + q.thickness;
    let exact = a.shape.is_convex() && b.shape.is_convex();
    let (lower, upper) = match (p.half_space_normal(), q.half_space_normal()) {
        (Some(n), None) if q.is_finite() => distance_from_plane(&p, n, &q),
        (None, Some(n)) if p.is_finite() => distance_from_plane(&q, n, &p),
        (None, None) if p.is_finite() && q.is_finite() => {
            separation(|d| p.support(d) - q.support(-d), enough + thickness)
        }
        _ => return (f64::NEG_INFINITY, f64::INFINITY),
    };
    (lower - thickness, if exact { upper - thickness } else { f64::INFINITY })
}

/// Distance of the second set from the plane that bounds the first, as both bounds.
fn distance_from_plane(ground: &ConvexCover, normal: DVec3, other: &ConvexCover) -> (f64, f64) {
    let lowest = other.support(-normal);
    let plane = ground.skeleton.and_then(Distance::as_plane);
    let on_plane = ground.field.world_from_body.point(plane.map_or(DVec3::ZERO, |plane| plane.point));
    let height = (lowest - on_plane).dot(normal);
    (height, height)
}
