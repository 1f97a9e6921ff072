//! Patches found so far, by place: a cell asks only those around it.

use crate::contact::quadrature::covered::CoveredPatch;
use crate::math::{Aabb, Cell, DVec3};
use std::collections::HashMap;

/// Patches from which there is a grid. Fewer: asking each costs less.
const GRID_FROM: usize = 8;

/// Grid cells that a patch may lie in; larger ones are asked for every place.
const MOST_CELLS: f64 = 64.0;

/// Patches of a pair, in the order found.
#[derive(Default)]
pub(in crate::contact) struct PatchSet {
    all: Vec<CoveredPatch>,
    /// See [`CoveredPatch::bounds`].
    boxes: Vec<Aabb>,
    grid: Option<Grid>,
}

/// Boxes of patches in a grid of cubes.
struct Grid {
    /// Edge of a cube, metres.
    edge: f64,
    cubes: HashMap<[i64; 3], Vec<u32>>,
    /// Patches that extend over too many cubes.
    large: Vec<u32>,
    /// Patches for which the edge was chosen.
    made_for: usize,
}

impl Grid {
    fn new(boxes: &[Aabb]) -> Self {
        let mean = boxes.iter().map(|b| b.size().max_element()).sum::<f64>() / boxes.len() as f64;
        let mut grid = Self { edge: mean, cubes: HashMap::new(), large: Vec::new(), made_for: boxes.len() };
        boxes.iter().enumerate().for_each(|(i, b)| grid.add(i, b));
        grid
    }

    fn cube(&self, p: DVec3) -> [i64; 3] {
        (p / self.edge).to_array().map(|x| x.floor() as i64)
    }

    fn add(&mut self, patch: usize, bounds: &Aabb) {
        let (low, high) = (self.cube(bounds.min), self.cube(bounds.max));
        let count: f64 = (0..3).map(|k| (high[k] - low[k]) as f64 + 1.0).product();
        if count.is_nan() || count > MOST_CELLS {
            self.large.push(patch as u32);
            return;
        }
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    self.cubes.entry([x, y, z]).or_default().push(patch as u32);
                }
            }
        }
    }
}

impl PatchSet {
    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn iter(&self) -> std::slice::Iter<'_, CoveredPatch> {
        self.all.iter()
    }

    pub fn into_patches(self) -> Vec<CoveredPatch> {
        self.all
    }

    pub fn push(&mut self, patch: CoveredPatch) {
        let bounds = patch.bounds();
        self.all.push(patch);
        self.boxes.push(bounds);
        match &mut self.grid {
            Some(grid) if self.all.len() < 2 * grid.made_for => grid.add(self.all.len() - 1, &bounds),
            None if self.all.len() < GRID_FROM => {}
            _ => self.grid = Some(Grid::new(&self.boxes)),
        }
    }

    /// Whether `is` holds for a patch whose box contains `p`.
    fn any_at(&self, p: DVec3, is: impl Fn(&CoveredPatch) -> bool) -> bool {
        let ask = |i: usize| self.boxes[i].contains(p) && is(&self.all[i]);
        let Some(grid) = &self.grid else { return (0..self.all.len()).any(ask) };
        let near = grid.cubes.get(&grid.cube(p)).map_or(&[][..], Vec::as_slice);
        near.iter().chain(&grid.large).any(|i| ask(*i as usize))
    }

    /// Whether any overlap in `cell` belongs to a patch.
    pub fn covers(&self, cell: &Aabb) -> bool {
        let here = Cell::from(*cell);
        self.any_at(here.center, |p| p.covers(&here))
    }

    /// Whether an overlap at `p` cannot belong to any patch.
    pub fn all_beyond(&self, p: DVec3) -> bool {
        !self.any_at(p, |patch| !patch.is_beyond(p))
    }

    /// Whether `cell` is known to overlap, for the middle of a patch lies in it. Of many patches that is not asked.
    pub fn has_middle_in(&self, cell: &Aabb) -> bool {
        self.grid.is_none() && self.all.iter().any(|p| cell.contains(p.patch.reference))
    }

    /// Patches whose boxes meet that of `patch`.
    pub fn around<'s>(&'s self, patch: &CoveredPatch) -> impl Iterator<Item = &'s CoveredPatch> {
        let bounds = patch.bounds();
        self.boxes.iter().zip(&self.all).filter(move |(b, _)| b.overlaps(&bounds)).map(|(_, p)| p)
    }
}
