//! A curved sheet: a bicubic Bézier patch.

use super::best::Best;
use super::error::{SMALLEST_LENGTH, SkeletonError, finite};
use super::patch_search::{self, Net};
use super::{Distance, Nearest, farthest_of, range};
use crate::math::{Aabb, Bvh, Cell, DVec3, Interval};
use std::sync::Arc;

/// `S(u, v) = Σ B_i(u) B_j(v) control[i][j]` for `u`, `v` from 0 to 1, with the cubic Bernstein polynomials `B`.
/// Sides may be collapsed to a point. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfacePatch {
    control: Arc<Net>,
    pieces: Arc<[Net]>,
    tree: Arc<Bvh>,
}

/// A piece is halved until its second differences fall below this part of its extent.
/// Smaller: more pieces. Larger: looser boxes, and more halving in each query.
const BEND: f64 = 0.1;
/// Halvings at most: 256 pieces, 100 kB.
const HALVINGS: u32 = 8;

impl SurfacePatch {
    /// From control points, `control[i][j]` with `i` along u and `j` along v; not all in the same place.
    pub fn new(control: [[DVec3; 4]; 4]) -> Result<Self, SkeletonError> {
        for (i, row) in control.iter().enumerate() {
            for (j, &c) in row.iter().enumerate() {
                finite(|| format!("control point [{i}][{j}] (from 0)"), c)?;
            }
        }
        let extent = Aabb::of_points(control.into_iter().flatten()).size().max_element();
        if extent <= SMALLEST_LENGTH {
            return Err(SkeletonError::NoExtent);
        }
        let mut pieces = Vec::new();
        refine(&control, HALVINGS, &mut pieces);
        let boxes: Vec<Aabb> = pieces.iter().map(|n| Aabb::of_points(n.iter().flatten().copied())).collect();
        Ok(Self { control: Arc::new(control), pieces: pieces.into(), tree: Arc::new(Bvh::new(&boxes, 1)) })
    }

    /// The control points, as given.
    pub fn control(&self) -> &[[DVec3; 4]; 4] {
        &self.control
    }

    /// The point `S(u, v)`.
    pub fn point(&self, u: f64, v: f64) -> DVec3 {
        patch_search::at(&self.control, u, v).s
    }
}

/// Halves a piece across its greater bend until it is nearly flat.
fn refine(net: &Net, halvings: u32, into: &mut Vec<Net>) {
    let [along_u, along_v] = [&patch_search::turned(net), net].map(|lines| {
        let bends = lines.iter().flat_map(|b| [b[0] - 2.0 * b[1] + b[2], b[1] - 2.0 * b[2] + b[3]]);
        bends.map(|b| b.length()).fold(0.0, f64::max)
    });
    let extent = Aabb::of_points(net.iter().flatten().copied()).size().length();
    if halvings == 0 || along_u.max(along_v) <= BEND * extent {
        into.push(*net);
        return;
    }
    let (low, high) = if along_u > along_v { patch_search::halves_u(net) } else { patch_search::halves_v(net) };
    refine(&low, halvings - 1, into);
    refine(&high, halvings - 1, into);
}

impl Distance for SurfacePatch {
    fn nearest(&self, p: DVec3) -> Nearest {
        let mut budget = patch_search::BUDGET;
        Best::of_pieces(&self.tree, (p, self.control[0][0]), |i, best| {
            patch_search::offer(&self.pieces[i], p, best, &mut budget);
        })
    }
    /// Of the net that contains it.
    fn farthest(&self, direction: DVec3) -> DVec3 {
        farthest_of(self.control.as_flattened(), direction)
    }

    fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }

    fn distance_range(&self, cell: &Cell) -> Interval {
        range::thin(self, cell)
    }
}
