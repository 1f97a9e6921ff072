//! Fingerprint of a world: names and sizes, by which a recorder refuses frames of another world.

use crate::model::Scene;
use crate::world::World;

/// Checksum of the names of bodies and joints, and of the numbers of their elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outline(u32);

impl Outline {
    pub fn of_world(world: &World) -> Self {
        let bodies = world.bodies().iter();
        let bodies = bodies.map(|b| (b.name.as_str(), b.coat.iter().map(|l| l.shape.elements().len()).sum()));
        Self::of(bodies.collect(), world.joints().iter().map(|j| j.name.as_str()).collect())
    }

    pub fn of_scene(scene: &Scene) -> Self {
        let bodies = scene.bodies.iter().map(|b| (b.name.as_str(), b.elements.len() + b.core.len()));
        Self::of(bodies.collect(), scene.joints.iter().map(|j| j.name.as_str()).collect())
    }

    fn of(mut bodies: Vec<(&str, usize)>, mut joints: Vec<&str>) -> Self {
        bodies.sort_unstable();
        joints.sort_unstable();
        let mut hasher = crc32fast::Hasher::new();
        for (name, elements) in bodies {
            hasher.update(name.as_bytes());
            hasher.update(&(elements as u64).to_le_bytes());
        }
        hasher.update(&[0]);
        for name in joints {
            hasher.update(name.as_bytes());
            hasher.update(&[0]);
        }
        Self(hasher.finalize())
    }
}
