//! Tangential smoothing: triangles of more even shape on the same surface.
//!
//! *The idea*: marching cubes leaves slivers wherever the surface passes close to a corner of the grid. Each vertex moves part of
//! the way to the centroid of its neighbours, in the tangent plane, and is projected back onto the surface. Vertices beside a
//! crease stay, so that it is not rounded, and so do those whose move would flip a triangle.

use super::implicit::ImplicitSurface;
use super::marched::MarchedMesh;
use crate::fields::{Sample, Samples};
use crate::math::DVec3;
use rayon::prelude::*;

/// Smoothing iterations. Fewer: slivers are left. More: slower, with little gain.
const ITERATIONS: usize = 4;
/// Part of the way to the centroid of the neighbours that an iteration moves a vertex. 1: oscillates where triangles alternate.
const RELAXATION: f64 = 0.7;
/// Least cosine between the normals of a vertex and its neighbours for it to move. Less: creases are rounded. More: nothing
/// moves where cells are coarse.
const CREASE: f64 = 0.8;
/// Least cosine between a triangle's normals before and after.
const FLIP: f64 = 0.5;
/// Newton steps at the end; each doubles the digits.
const NEWTON_STEPS: usize = 3;
/// Greatest difference of a moved vertex's value from the isovalue, as a fraction of it; a vertex farther off is put
/// back.
const ON_SURFACE: f64 = 1e-7;
/// Vertices sampled in one batch.
const BATCH: usize = 1024;

/// Vertices before they were moved.
struct Before {
    positions: Vec<DVec3>,
    gradients: Vec<DVec3>,
}

/// Smooths `marched` along `surface`. Vertices marked in `fixed`, and their neighbours, stay; all are free if it is empty.
pub(super) fn relax(marched: &mut MarchedMesh, surface: &impl ImplicitSurface, fixed: &[bool]) {
    let before = Before { positions: marched.positions.clone(), gradients: marched.gradients.clone() };
    let MarchedMesh { positions, gradients, triangles, .. } = marched;
    let is_fixed = |i: usize| fixed.get(i).is_some_and(|s| *s);
    let mut free = vec![true; positions.len()];
    let normals: Vec<DVec3> = gradients.iter().map(|g| g.normalize_or_zero()).collect();
    for (a, b) in triangles.iter().flat_map(sides) {
        let movable = normals[a].dot(normals[b]) >= CREASE && !is_fixed(a) && !is_fixed(b);
        free[a] &= movable;
        free[b] &= movable;
    }
    for _ in 0..ITERATIONS {
        let mut around = vec![(DVec3::ZERO, 0.0); positions.len()];
        for (a, b) in triangles.iter().flat_map(sides) {
            around[a] = (around[a].0 + positions[b], around[a].1 + 1.0);
            around[b] = (around[b].0 + positions[a], around[b].1 + 1.0);
        }
        let vertices = positions.par_iter_mut().zip(&*gradients).zip(&around).zip(&free);
        vertices.filter(|(_, free)| **free).for_each(|(((p, g), (sum, count)), _)| {
            let step = RELAXATION * (sum / *count - *p);
            *p += step - step.project_onto(*g);
        });
        project(surface, positions, gradients, &free);
    }
    for _ in 0..NEWTON_STEPS {
        project(surface, positions, gradients, &free);
    }
    undo_failures(marched, surface, &before);
}

/// Moves free vertices by one Newton step towards `surface`, along the gradient where they are, and stores that gradient.
fn project(surface: &impl ImplicitSurface, positions: &mut [DVec3], gradients: &mut [DVec3], free: &[bool]) {
    let chunks = positions.par_chunks_mut(BATCH).zip(gradients.par_chunks_mut(BATCH)).zip(free.par_chunks(BATCH));
    chunks.for_each(|((positions, gradients), free)| {
        let mut samples = Samples::default();
        surface.samples(&positions.iter().copied().collect(), &mut samples);
        for i in (0..free.len()).filter(|i| free[*i]) {
            let Sample { value, gradient } = samples.get(i);
            gradients[i] = gradient;
            positions[i] -= (value - surface.iso()) / gradient.length_squared() * gradient;
        }
    });
}

/// Puts back vertices that are off the surface or flipped a triangle; repeated, because putting one back may flip a neighbour.
fn undo_failures(marched: &mut MarchedMesh, surface: &impl ImplicitSurface, before: &Before) {
    let MarchedMesh { positions, gradients, triangles, .. } = marched;
    let chunks = positions.par_chunks_mut(BATCH).zip(gradients.par_chunks_mut(BATCH)).enumerate();
    chunks.for_each(|(n, (positions, gradients))| {
        let mut samples = Samples::default();
        surface.samples(&positions.iter().copied().collect(), &mut samples);
        for i in 0..positions.len() {
            let Sample { value, gradient } = samples.get(i);
            let on_surface = (value - surface.iso()).abs() <= ON_SURFACE * surface.iso();
            let vertex = BATCH * n + i;
            // A vertex that stayed keeps its gradient, which on a crease is the mean of both sides.
            let moved = positions[i] != before.positions[vertex];
            (positions[i], gradients[i]) = if on_surface && moved {
                (positions[i], gradient)
            } else {
                (before.positions[vertex], before.gradients[vertex])
            };
        }
    });
    loop {
        let normal = |of: &[DVec3], [a, b, c]: [u32; 3]| {
            let at = |i: u32| of[i as usize];
            (at(b) - at(a)).cross(at(c) - at(a)).normalize_or_zero()
        };
        let flipped = |t: &&[u32; 3]| normal(positions, **t).dot(normal(&before.positions, **t)) < FLIP;
        let moved = |i: &usize| positions[*i] != before.positions[*i];
        let back: Vec<usize> =
            triangles.par_iter().filter(flipped).flat_map_iter(|t| t.map(|i| i as usize)).filter(moved).collect();
        if back.is_empty() {
            return;
        }
        for i in back {
            (positions[i], gradients[i]) = (before.positions[i], before.gradients[i]);
        }
    }
}

fn sides(t: &[u32; 3]) -> [(usize, usize); 3] {
    let [a, b, c] = t.map(|i| i as usize);
    [(a, b), (b, c), (c, a)]
}
