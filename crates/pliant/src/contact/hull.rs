//! How far apart two solids are, by convex sets around them.
//!
//! *The idea*: one skeleton's solid is all that lies within some distance of it, so that two of them are as far apart as
//! their skeletons, less both distances; of convex skeletons that is exact. Of other solids their boxes are taken, as they
//! lie in their bodies.

use crate::fields::skeleton::Distance;
use crate::fields::{Posed, Skeleton};
use crate::math::{DVec3, separation};

/// A convex set that contains a solid when it is grown by `reach`.
struct Hull<'a> {
    field: &'a Posed<'a>,
    /// None: the solid's box.
    skeleton: Option<&'a Skeleton>,
    reach: f64,
}

impl<'a> Hull<'a> {
    fn new(field: &'a Posed<'a>) -> Self {
        let alone = field.shape.only().and_then(|only| Some((only.skeleton()?, only.reach(field.shape.iso())?)));
        match alone {
            Some((skeleton, reach)) => Self { field, skeleton: Some(skeleton), reach },
            None => Self { field, skeleton: None, reach: 0.0 },
        }
    }

    fn farthest(&self, direction: DVec3) -> DVec3 {
        let d = self.field.vector_to_body(direction);
        let p = match self.skeleton {
            Some(skeleton) => skeleton.support_point(d),
            None => self.field.shape.solid().farthest(d),
        };
        self.field.world_from_body.point(p)
    }

    /// Whether it ends everywhere.
    fn is_finite(&self) -> bool {
        self.field.shape.solid().is_finite()
    }

    /// The outward normal of one that has no end but this.
    fn normal(&self) -> Option<DVec3> {
        let plane = self.skeleton?.as_plane()?;
        Some(self.field.world_from_body.vector(plane.normal))
    }
}

/// Bounds on how far two solids are apart, metres, negative where they overlap; the upper one tells only of convex solids.
/// Lower bounds beyond `enough` are not made closer.
pub(super) fn apart(a: &Posed, b: &Posed, enough: f64) -> (f64, f64) {
    let (p, q) = (Hull::new(a), Hull::new(b));
    let reach = p.reach + q.reach;
    let exact = a.shape.is_convex() && b.shape.is_convex();
    let (lower, upper) = match (p.normal(), q.normal()) {
        (Some(n), None) if q.is_finite() => above(&p, n, &q),
        (None, Some(n)) if p.is_finite() => above(&q, n, &p),
        (None, None) if p.is_finite() && q.is_finite() => {
            separation(|d| p.farthest(d) - q.farthest(-d), enough + reach)
        }
        _ => return (f64::NEG_INFINITY, f64::INFINITY),
    };
    (lower - reach, if exact { upper - reach } else { f64::INFINITY })
}

/// How far the second set is above the plane that ends the first, twice.
fn above(ground: &Hull, normal: DVec3, other: &Hull) -> (f64, f64) {
    let lowest = other.farthest(-normal);
    let plane = ground.skeleton.and_then(Distance::as_plane);
    let on_plane = ground.field.world_from_body.point(plane.map_or(DVec3::ZERO, |plane| plane.point));
    let height = (lowest - on_plane).dot(normal);
    (height, height)
}
