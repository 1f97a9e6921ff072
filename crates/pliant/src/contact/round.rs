//! Pairs that look the same from all around: what is found in one direction holds in every other.
//!
//! *The idea*: a ball against a ball or against a plane has an axis. A star whose middle lies on it needs its border, and the
//! points of its rule, in one direction only; the others are turns of those.

use super::chart::{Chart, Lifted, Rim};
use super::meeting::Meeting;
use super::pair::Probe;
use crate::fields::{Element, Placed, Skeleton, Source};
use crate::math::DVec3;

/// What a field is the same around.
enum Middle {
    Point(DVec3),
    /// Every line along this.
    Plane(DVec3),
}

fn middle(field: &Placed) -> Option<Middle> {
    let [Element { source: Source::Distance(skeleton, _), .. }] = field.shape.elements() else { return None };
    match skeleton {
        Skeleton::Point(p) => Some(Middle::Point(field.world_from_body.point(p.at))),
        Skeleton::Ball(b) => Some(Middle::Point(field.world_from_body.point(b.center()))),
        Skeleton::HalfSpace(h) => Some(Middle::Plane(field.world_from_body.vector(h.normal()))),
        _ => None,
    }
}

/// A point of the line around which both fields are the same, and its direction; none if there is no such line.
pub(super) fn axis(a: &Placed, b: &Placed) -> Option<(DVec3, DVec3)> {
    match (middle(a)?, middle(b)?) {
        (Middle::Point(p), Middle::Point(q)) => Some((p, (p - q).try_normalize()?)),
        (Middle::Point(p), Middle::Plane(n)) | (Middle::Plane(n), Middle::Point(p)) => Some((p, n)),
        _ => None,
    }
}

/// The point of the contact surface on the line around which the pair is the same, from a seed nearby.
pub(super) fn onto_axis(pair: &Meeting, (from, direction): (DVec3, DVec3), seed: DVec3) -> Option<DVec3> {
    let mut p = from + (seed - from).project_onto_normalized(direction);
    for _ in 0..20 {
        let (u, g) = pair.probe(p).surface(pair.kind);
        let step = -u / g.dot(direction);
        p += step * direction;
        if step.abs() <= 1e-13 * pair.thickness {
            let pressed = pair.probe(p).contact_pressures(pair.kind).0 > 0.0;
            return (pressed && p.distance_squared(seed) <= pair.thickness * pair.thickness).then_some(p);
        }
    }
    None
}

/// Whether a pair is the same all around a chart's axis.
pub(super) fn is_around(pair: &Meeting, chart: &Chart) -> bool {
    pair.axis.is_some_and(|(from, direction)| {
        let off = (chart.center - from).reject_from_normalized(direction);
        off.length_squared() <= (1e-12 * pair.thickness).powi(2) && chart.axis.dot(direction).abs() >= 1.0 - 1e-12
    })
}

impl Chart {
    /// A vector turned about the chart's axis.
    fn turned(&self, v: DVec3, (cos, sin): (f64, f64)) -> DVec3 {
        let along = v.dot(self.axis) * self.axis;
        along + cos * (v - along) + sin * self.axis.cross(v)
    }

    /// The border of a pair around whose axis this chart lies, in another direction.
    pub(super) fn turned_rim(&self, rim: &Rim, angle: (f64, f64)) -> Rim {
        Rim { angle, outward: self.turned(rim.outward, angle), ..*rim }
    }

    /// A point found in the first direction, and the line it was found along, in another.
    pub(super) fn turned_point(&self, found: &(Lifted, DVec3), angle: (f64, f64)) -> (Lifted, DVec3) {
        let (Lifted { s, position, probe }, direction) = *found;
        let probe = Probe {
            gradient_a: self.turned(probe.gradient_a, angle),
            gradient_b: self.turned(probe.gradient_b, angle),
            ..probe
        };
        let position = self.center + self.turned(position - self.center, angle);
        (Lifted { s, position, probe }, self.turned(direction, angle))
    }
}
