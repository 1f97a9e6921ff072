//! A body: links that move, and the coat of layers over them.

use super::coat::{self, Layer};
use super::link::Link;
use super::per_link::LinkId;
use crate::math::{Aabb, DVec3, Frame};
use crate::model::Material;
use std::ops::Range;

/// Stable handle of a body in one world: unlike an index it stays the same when other bodies are added or removed, and it is
/// never given to another body. Clones of a world share it; files do not hold it, they tell bodies apart by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub(crate) u64);

/// A body of a world: a coat of layers over links.
#[derive(Clone, Debug)]
pub struct Body {
    /// Stable handle; see [`World::index_of`](crate::World::index_of).
    pub id: BodyId,
    /// Unique in a world.
    pub name: String,
    /// Its links among all links of the world; one for now.
    pub links: Range<LinkId>,
    /// Layers over its links: the skin first, then the rigid core if there is one.
    pub coat: Vec<Layer>,
    /// Volume of the rest shape, cubic metres; infinite for half-spaces.
    pub rest_volume: f64,
}

/// A span of time that begins now, s.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lookahead {
    /// Time of the world.
    pub now: f64,
    /// Length of the span.
    pub ahead: f64,
}

impl Body {
    /// Material of the skin.
    pub fn material(&self) -> &Material {
        &self.coat[0].material
    }

    /// World box around the rest surface, and around a core that sticks out of it, where the link is at `frame`.
    pub fn bounds(&self, frame: &Frame) -> Aabb {
        coat::bounds(&self.coat, frame)
    }

    /// Largest lever arm of a turn that can change the shape inside `region`, once the centre has moved `by`, m. The shape of
    /// a ball does not change when it turns about its middle.
    pub(crate) fn lever(&self, link: &Link, region: &Aabb, by: f64) -> f64 {
        let center = link.center();
        match coat::sphere_center(&self.coat) {
            Some(middle) => center.distance(link.world_from_link().point(middle)),
            None => (region.max - center).abs().max((center - region.min).abs()).length() + by,
        }
    }

    /// Greatest speed at which its shape can approach anything in `region` without forces, m/s. Infinite for a body that
    /// turns, if `region` is infinite.
    pub(crate) fn top_speed(&self, link: &Link, region: &Aabb, Lookahead { now, ahead }: Lookahead) -> f64 {
        let (speed, spin) = link.motion_law.max_speeds(link.state, now, ahead);
        if spin == 0.0 {
            return speed;
        }
        speed + spin * self.lever(link, region, speed * ahead)
    }

    /// Bounding ball of a round body: centre, world, and radius, m.
    pub(crate) fn ball(&self, frame: &Frame) -> Option<(DVec3, f64)> {
        let center = coat::sphere_center(&self.coat)?;
        Some((frame.point(center), coat::sphere_radius(&self.coat)))
    }

    /// Thickness of its thinnest layer, m.
    pub fn min_thickness(&self) -> f64 {
        self.coat.iter().map(|l| l.shape.min_thickness()).fold(f64::INFINITY, f64::min)
    }
}
