//! Pose and velocity of a body.

use crate::bodies::Twist;
use crate::math::{DVec3, Frame};
use crate::world::World;

/// Frame and velocity of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyPose {
    /// Frame of its layers.
    pub world_from_body: Frame,
    /// Centre of mass, or the frame's origin without mass.
    pub center: DVec3,
    /// Velocity of the centre, and angular velocity.
    pub twist: Twist,
    /// Whether forces move it.
    pub is_movable: bool,
}

/// Pose of body `i`: the only place in `surface` and `render` that reads links.
pub(crate) fn pose_of(world: &World, i: usize) -> BodyPose {
    let link = world.link(i);
    BodyPose {
        world_from_body: link.world_from_link(),
        center: link.center(),
        twist: link.twist(),
        is_movable: link.mass().is_some(),
    }
}

impl BodyPose {
    /// Velocity of the material point at `p`.
    pub fn velocity_at(&self, p: DVec3) -> DVec3 {
        self.twist.linear + self.twist.angular.cross(p - self.center)
    }
}
