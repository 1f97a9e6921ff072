//! Regions: connected cells that may hold an overlap.
//!
//! *The idea*: in the box both solids share, drop every cell that bounds prove empty and bisect the others, until a region
//! is as many cells wide as asked for. *Not promised*: that each region holds an overlap; touching bodies leave cells that
//! only a finer search would empty.

use crate::contact::ascent::project;
use crate::contact::boxes::{EDGE_WEIGHTS, Region, are_adjacent, bisect, components};
use crate::contact::frame::ContactFrame;
use crate::contact::quality::Quality;
use crate::math::{Aabb, DMat3, DVec3, diagonalise};

/// Cells of all regions together, and more for each element. Reached only by bodies that overlap almost everywhere. Fewer:
/// neighbouring patches are merged. More: slower, and no more exact.
const MAX_CELLS: usize = 4096;
const CELLS_PER_ELEMENT: usize = 64;

/// Mean of unit normals below which they cancel, so that its direction is made of rounding errors.
const CANCELLED: f64 = 0.1;

/// Position and direction of the patches in a set of regions.
pub(super) struct Orientation {
    /// A point among them.
    pub place: DVec3,
    /// Their mean normal.
    pub normal: DVec3,
    /// The direction across the normal in which they are longest.
    pub long: DVec3,
}

/// Every region in which there may be an overlap, each some `cells_across` cells wide.
pub(in crate::contact) fn regions(frame: &ContactFrame, quality: &Quality) -> Vec<Region> {
    let floor = quality.finest_cell * frame.thickness;
    let mut found = Vec::new();
    // A rigid surface may be a face of the overlap box: it must lie well within a cell.
    let size = frame.overlap_bounds.size();
    let around = Aabb { min: frame.overlap_bounds.min - 0.0137 * size, max: frame.overlap_bounds.max + 0.0113 * size };
    let mut left = vec![vec![around]];
    let (mut count, most) = (0, MAX_CELLS + CELLS_PER_ELEMENT * frame.element_count());
    while let Some(cells) = left.pop() {
        let bounds = cells.iter().fold(Aabb::EMPTY, |b, c| b.union(c));
        let size = bounds.size() * EDGE_WEIGHTS;
        let target = (size.max_element() / quality.cells_across.clamp(1, 64) as f64).max(floor);
        // All cells of a group have one size.
        let edge = cells[0].size() * EDGE_WEIGHTS;
        if edge.max_element() <= 1.01 * target || count + cells.len() > most {
            count += cells.len();
            found.push(Region { cell_size: cells[0].size().max_element(), cells });
            continue;
        }
        let long = edge.to_array().map(|e| e > 1.01 * target);
        let mut kept = Vec::new();
        cells.iter().for_each(|c| bisect(c, long, &mut kept));
        kept.retain(|c| frame.may_overlap(c));
        left.extend(components(kept, are_adjacent));
    }
    found
}

/// The direction that normals have least of: of a band all round a body, whose normals cancel, its axis.
fn min_axis(normals: &[DVec3]) -> DVec3 {
    let outer = |n: &DVec3| DMat3::from_cols(n.x * *n, n.y * *n, n.z * *n);
    let sum = normals.iter().map(outer).fold(DMat3::ZERO, |a, b| a + b);
    let (sizes, axes) = diagonalise(sum);
    axes * DVec3::AXES[sizes.min_position()]
}

/// Orientation of the patches of `regions`. `None`: no surface was met.
pub(super) fn orientation(frame: &ContactFrame, regions: &[Region]) -> Option<Orientation> {
    let cells = regions.iter().flat_map(|r| &r.cells);
    // A narrow patch passes beside the middles of its cells; its surface, continued, does not.
    let (points, normals): (Vec<DVec3>, Vec<DVec3>) = cells
        .filter_map(|c| project(frame, c.center(), 0.5 * c.size().length()))
        .map(|(p, probe)| (p, probe.surface(frame.kind).1.normalize_or_zero()))
        .unzip();
    let mean = normals.iter().sum::<DVec3>() / normals.len() as f64;
    let normal = if mean.length() >= CANCELLED { mean.try_normalize()? } else { min_axis(&normals) };
    let place = points.iter().sum::<DVec3>() / points.len() as f64;
    let (e1, e2) = normal.any_orthonormal_pair();
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for d in points.iter().map(|p| *p - place) {
        let (x, y) = (d.dot(e1), d.dot(e2));
        (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
    }
    let (sin, cos) = (0.5 * (2.0 * xy).atan2(xx - yy)).sin_cos();
    Some(Orientation { place, normal, long: cos * e1 + sin * e2 })
}
