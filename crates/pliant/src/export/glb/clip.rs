//! Clips: frames over which a body keeps its faces.

use crate::math::DVec3;
use crate::surface::Mesh;
use serde_json::Value;

/// A body of the animation.
#[derive(Debug)]
pub(super) struct AnimatedBody {
    pub name: String,
    pub color: [f32; 3],
    /// Position of its node.
    pub middle: [f32; 3],
    pub clips: Vec<Clip>,
    /// The end of the last clip, for comparison with the next frame.
    pub open: Option<OpenClip>,
}

/// Frames over which a body keeps its faces.
#[derive(Debug)]
pub(super) struct Clip {
    /// Its first frame.
    pub first: usize,
    /// Index of the shape shown by each frame; 0 is the base.
    pub shown: Vec<usize>,
    /// Accessors of the base's attributes, by name.
    pub attributes: Value,
    pub indices: usize,
    /// Accessors of each further shape, and its frame's number.
    pub targets: Vec<(Value, usize)>,
}

/// The end of a clip that may go on.
#[derive(Debug)]
pub(super) struct OpenClip {
    pub triangles: Vec<[u32; 3]>,
    pub quads: Vec<[u32; 4]>,
    pub base: Packed,
    pub last: Packed,
}

/// A shape in the body's frame.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Packed {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
}

impl Packed {
    pub fn of(mesh: &Mesh, middle: [f32; 3]) -> Self {
        let middle = DVec3::from_array(middle.map(f64::from));
        let positions = mesh.positions.iter().map(|p| (*p - middle).as_vec3().to_array()).collect();
        Self { positions, normals: mesh.normals.iter().map(|n| n.as_vec3().to_array()).collect() }
    }

    /// The difference to `base`.
    pub fn minus(&self, base: &Self) -> Self {
        let minus = |a: &[[f32; 3]], b: &[[f32; 3]]| {
            a.iter().zip(b).map(|(a, b)| std::array::from_fn(|k| a[k] - b[k])).collect()
        };
        Self { positions: minus(&self.positions, &base.positions), normals: minus(&self.normals, &base.normals) }
    }
}
