//! Reads directions and orientations.

use super::error::Problems;
use super::grammar::SMALLEST;
use super::node::{Fields, Node, SceneValue};
use crate::math::{DQuat, DVec3};

/// A rotation from an axis with an angle, or from a quaternion.
pub(super) fn orientation(node: &Node, problems: &mut Problems) -> Option<DQuat> {
    let SceneValue::Table(fields) = &node.value else { return None };
    let (axis, angle) = (fields.get("axis"), fields.get("angle"));
    if let Some(q) = fields.get("quaternion") {
        if axis.or(angle).is_some() {
            problems.add(&node.span, "an orientation has a quaternion or an axis with an angle").help("remove one");
            return None;
        }
        let [x, y, z, w] = *fields.quaternion("quaternion")?;
        let quaternion = DQuat::from_xyzw(x, y, z, w);
        if quaternion.length() < SMALLEST {
            problems.add(&q.span, "the quaternion is zero").expected("[x, y, z, w], e.g. [0, 0, 0, 1] for no turn");
            return None;
        }
        return Some(quaternion.normalize());
    }
    let (Some(_), Some(&angle)) = (axis, fields.number("angle")) else {
        if !fields.broken {
            problems
                .add(&node.span, "an orientation needs an axis and an angle, or a quaternion")
                .expected("e.g. { axis = [0, 0, 1], angle = \"30 deg\" }");
        }
        return None;
    };
    let axis = direction(fields, "axis", DVec3::Z, problems)?;
    Some(DQuat::from_axis_angle(axis, angle))
}

/// A direction of unit length.
pub(super) fn direction(fields: &Fields, key: &'static str, default: DVec3, problems: &mut Problems) -> Option<DVec3> {
    let Some(node) = fields.get(key) else { return Some(default) };
    let vector = *fields.vector(key)?;
    if vector.length() < SMALLEST {
        problems.add(&node.span, format!("{key} is zero")).expected("a direction, e.g. [0, 0, 1]");
        return None;
    }
    Some(vector.normalize())
}
