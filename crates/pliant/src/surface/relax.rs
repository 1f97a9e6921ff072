//! Triangles of more even shape on the same surface.
//!
//! *The idea*: marching cubes leaves slivers wherever the surface passes close to a corner of its grid. Vertices go some
//! way towards the middle of their neighbours, along the surface, and back onto it. Those beside a crease stay, lest it
//! be rounded, and so do those that cannot go without turning a triangle over.

use super::implicit::ImplicitSurface;
use super::marched::MarchedMesh;
use crate::fields::{Sample, Samples};
use crate::math::DVec3;
use rayon::prelude::*;

/// Rounds. Fewer leave slivers; more take time, and gain little.
const ROUNDS: usize = 4;
/// Part of the way to the middle of the neighbours that a round takes. 1 would swing where triangles alternate.
const PART: f64 = 0.7;
/// Cosine between normals of neighbours, at least, for a vertex to move. Less: creases are rounded. More: nothing moves
/// where cells are coarse.
const CREASE: f64 = 0.8;
/// Cosine between a triangle's normals before and after, at least.
const TURN: f64 = 0.5;
/// Steps of Newton's method at the end; each doubles the digits.
const STEPS: usize = 3;
/// How far from the isovalue a vertex may end, as a part of it; one that does not come so near goes back.
const NEAR: f64 = 1e-7;
/// Vertices sampled at once.
const MANY: usize = 1024;

/// Moves the vertices of `marched` along `surface`, but for those that `stay`, and those beside them; none if it is empty.
pub(super) fn relax(marched: &mut MarchedMesh, surface: &impl ImplicitSurface, stay: &[bool]) {
    let MarchedMesh { positions, gradients, triangles, .. } = marched;
    let before = (positions.clone(), gradients.clone());
    let stays = |i: usize| stay.get(i).is_some_and(|s| *s);
    let mut free = vec![true; positions.len()];
    let normals: Vec<DVec3> = gradients.iter().map(|g| g.normalize_or_zero()).collect();
    for (a, b) in triangles.iter().flat_map(sides) {
        let may_go = normals[a].dot(normals[b]) >= CREASE && !stays(a) && !stays(b);
        free[a] &= may_go;
        free[b] &= may_go;
    }
    for _ in 0..ROUNDS {
        let mut around = vec![(DVec3::ZERO, 0.0); positions.len()];
        for (a, b) in triangles.iter().flat_map(sides) {
            around[a] = (around[a].0 + positions[b], around[a].1 + 1.0);
            around[b] = (around[b].0 + positions[a], around[b].1 + 1.0);
        }
        let vertices = positions.par_iter_mut().zip(&*gradients).zip(&around).zip(&free);
        vertices.filter(|(_, free)| **free).for_each(|(((p, g), (sum, count)), _)| {
            let way = PART * (sum / *count - *p);
            *p += way - way.project_onto(*g);
        });
        step_onto(surface, (positions, gradients), &free);
    }
    for _ in 0..STEPS {
        step_onto(surface, (positions, gradients), &free);
    }
    put_back(marched, surface, &before);
}

/// Takes vertices that are free a step of Newton's method to `surface`, by the gradient where they are; which is noted.
fn step_onto(surface: &impl ImplicitSurface, (positions, gradients): (&mut [DVec3], &mut [DVec3]), free: &[bool]) {
    let chunks = positions.par_chunks_mut(MANY).zip(gradients.par_chunks_mut(MANY)).zip(free.par_chunks(MANY));
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

/// Undoes what lost the surface or turned triangles over; what is undone may turn their neighbours over, until nothing
/// does.
fn put_back(marched: &mut MarchedMesh, surface: &impl ImplicitSurface, before: &(Vec<DVec3>, Vec<DVec3>)) {
    let MarchedMesh { positions, gradients, triangles, .. } = marched;
    let chunks = positions.par_chunks_mut(MANY).zip(gradients.par_chunks_mut(MANY)).enumerate();
    chunks.for_each(|(n, (positions, gradients))| {
        let mut samples = Samples::default();
        surface.samples(&positions.iter().copied().collect(), &mut samples);
        for i in 0..positions.len() {
            let Sample { value, gradient } = samples.get(i);
            let near = (value - surface.iso()).abs() <= NEAR * surface.iso();
            let there = MANY * n + i;
            // One that stayed keeps its gradient, which on a crease is that of both sides.
            let moved = positions[i] != before.0[there];
            (positions[i], gradients[i]) =
                if near && moved { (positions[i], gradient) } else { (before.0[there], before.1[there]) };
        }
    });
    loop {
        let normal = |of: &[DVec3], [a, b, c]: [u32; 3]| {
            let at = |i: u32| of[i as usize];
            (at(b) - at(a)).cross(at(c) - at(a)).normalize_or_zero()
        };
        let turned = |t: &&[u32; 3]| normal(positions, **t).dot(normal(&before.0, **t)) < TURN;
        let moved = |i: &usize| positions[*i] != before.0[*i];
        let back: Vec<usize> =
            triangles.par_iter().filter(turned).flat_map_iter(|t| t.map(|i| i as usize)).filter(moved).collect();
        if back.is_empty() {
            return;
        }
        for i in back {
            (positions[i], gradients[i]) = (before.0[i], before.1[i]);
        }
    }
}

fn sides(t: &[u32; 3]) -> [(usize, usize); 3] {
    let [a, b, c] = t.map(|i| i as usize);
    [(a, b), (b, c), (c, a)]
}
