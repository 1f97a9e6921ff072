//! Tracked meshes: constant topology while the body deforms.
//!
//! *The idea* ([G93] §4.1): a body that cannot change its topology is meshed once, at rest; each vertex then moves along its rest
//! normal to the visible surface, searched from its last displacement.
//! *Not promised*: well-shaped faces where a body is pressed so far that neighbouring normals cross.
//!
//! [G93]: https://doi.org/10.1145/166117.166157

use super::implicit::ImplicitSurface;
use super::mesh::Mesh;
use crate::fields::Field;
use crate::math::{DVec3, bracketed_root};
use crate::visible::Deformed;
use rayon::prelude::*;

/// A rest mesh, and the displacement of each vertex along its normal.
#[derive(Clone, Debug)]
pub struct TrackedMesh {
    /// Mesh at rest, in the body's frame.
    rest: Mesh,
    displacements: Vec<f64>,
}

/// Step of the search along a normal, as a fraction of the least thickness.
const STEP: f64 = 0.05;
/// Greatest number of steps of that search.
const MAX_STEPS: u32 = 60;

impl TrackedMesh {
    /// Tracks `rest`, a mesh of the body at rest, in the body's frame, with normals.
    pub fn new(rest: Mesh) -> Self {
        let displacements = vec![0.0; rest.positions.len()];
        Self { rest, displacements }
    }

    /// With every quad cut into two triangles, the same in every frame.
    pub fn triangulated(self) -> Self {
        Self { rest: self.rest.triangulated(), ..self }
    }

    /// The mesh of `body`, which must have the rest shape of this mesh; and the number of vertices for which no surface was found,
    /// whose displacements stay as they were.
    pub fn follow(&mut self, body: &Deformed) -> (Mesh, usize) {
        let frame = body.field.world_from_body;
        let step = STEP * body.field.shape.min_thickness();
        let line = |i: usize| Line {
            point: frame.point(self.rest.positions[i]),
            direction: frame.vector(self.rest.normals[i]),
        };
        let found: Vec<Option<f64>> = self
            .displacements
            .par_iter()
            .enumerate()
            .map(|(i, from)| line(i).nearest_crossing(body, *from, step))
            .collect();
        let lost = found.iter().filter(|s| s.is_none()).count();
        for (displacement, found) in self.displacements.iter_mut().zip(&found) {
            *displacement = found.unwrap_or(*displacement);
        }
        let positions: Vec<DVec3> = (0..self.displacements.len()).map(|i| line(i).at(self.displacements[i])).collect();
        let normals = positions.par_iter().map(|p| -body.sample(*p).gradient.normalize_or_zero()).collect();
        let Mesh { triangles, quads, pressure, velocity, element, .. } = &self.rest;
        let mesh = Mesh {
            positions,
            normals,
            triangles: triangles.clone(),
            quads: quads.clone(),
            pressure: pressure.clone(),
            velocity: velocity.clone(),
            element: element.clone(),
        };
        (mesh, lost)
    }
}

/// A normal line of the rest surface, in the world.
struct Line {
    point: DVec3,
    /// Unit, outward.
    direction: DVec3,
}

impl Line {
    fn at(&self, s: f64) -> DVec3 {
        self.point + s * self.direction
    }

    /// Parameter of the crossing with the surface of `body` nearest to `from`, searched outward from inside and inward from
    /// outside.
    fn nearest_crossing(&self, body: &Deformed, from: f64, step: f64) -> Option<f64> {
        let excess = |s: f64| body.value(self.at(s)) - body.iso();
        let inside = excess(from) >= 0.0;
        let step_outward = if inside { step } else { -step };
        let mut here = from;
        for _ in 0..MAX_STEPS {
            let next = here + step_outward;
            if (excess(next) >= 0.0) != inside {
                return bracketed_root(excess, (here, next), 1e-12 * step);
            }
            here = next;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::skeleton::{HalfSpace, Point};
    use crate::fields::{Element, Kernel, Posed, Profile, Shape};
    use crate::math::Frame;
    use crate::model::Bulge;
    use crate::surface::{MarchedMesh, march};
    use crate::visible::Collider;

    /// A ball pressed into rigid ground by more and more: the same triangles all the way, on the surface, closed, and with
    /// the volume of a ball without its cap, `π d² (3t − d)/3`.
    #[test]
    fn a_tracked_mesh_follows_its_body() {
        let t = 0.1;
        let kernel = || Kernel::new(Profile::Linear, 1.0, (t, 1.0 / t, 2.0 * t)).unwrap();
        let ball = Shape::new(vec![Element::new(Point { at: DVec3::ZERO }.into(), kernel())], 1.0);
        let below = HalfSpace::new(-t * DVec3::Z, DVec3::Z).unwrap();
        let ground = Shape::new(vec![Element::new(below.into(), kernel())], 1.0);
        let MarchedMesh { positions, gradients, triangles, .. } =
            march(&Posed::rigid(&ball, Frame::IDENTITY), 0.05 * t).unwrap();
        let normals = gradients.iter().map(|g| -g.normalize()).collect();
        let mut tracked = TrackedMesh::new(Mesh { positions, normals, triangles, ..Mesh::default() });
        for i in 0..8 {
            let depth = 0.05 * t * f64::from(i);
            let mut body = Deformed {
                field: Posed::rigid(&ball, Frame::at((t - depth) * DVec3::Z)),
                bulge: Bulge::None,
                colliders: Vec::new(),
            };
            body.colliders.push(Collider {
                body: 1,
                field: Posed::rigid(&ground, Frame::IDENTITY),
                ratio: 1e3,
                rigid: true,
                velocity: DVec3::ZERO,
                sources: Vec::new(),
            });
            let (mesh, lost) = tracked.follow(&body);
            let off = mesh.positions.iter().map(|p| (body.value(*p) - 1.0).abs()).fold(0.0, f64::max);
            let cap = std::f64::consts::PI * depth * depth * (3.0 * t - depth) / 3.0;
            let volume = 4.0 / 3.0 * std::f64::consts::PI * t.powi(3) - cap;
            assert!(lost == 0 && off < 1e-9, "depth {depth}: {lost} lost, off by {off}");
            assert!((mesh.volume() / volume - 1.0).abs() < 5e-3, "depth {depth}: {} m³, not {volume}", mesh.volume());
        }
    }
}
