//! Which bodies are near enough to look at: boxes in a grid.
//!
//! *The idea*: bodies of ordinary size are sorted into cells as large as the largest of them, so each meets only the
//! 27 cells around it and the cost grows linearly with bodies that do not all touch. The few that are much larger
//! (grounds, walls) are tried against all.

use crate::math::Aabb;

/// A box longer than this many times the median is treated as large. Smaller: more brute force.
/// Larger: one big body makes every cell crowded.
const LARGE: f64 = 4.0;

/// Pairs `(i, j)`, `i < j`, whose boxes overlap, in increasing order.
pub fn near_pairs(boxes: &[Aabb]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let length = |b: &Aabb| if b.is_empty() { 0.0 } else { b.size().max_element() };
    let mut lengths: Vec<f64> = boxes.iter().map(length).collect();
    lengths.sort_by(f64::total_cmp);
    let median = lengths.get(lengths.len() / 2).copied().unwrap_or(0.0);
    let is_large = |b: &Aabb| !(length(b) <= LARGE * median && b.is_finite());
    let (large, small): (Vec<usize>, Vec<usize>) = (0..boxes.len()).partition(|&i| is_large(&boxes[i]));
    let mut try_pair = |i: usize, j: usize| {
        if boxes[i].overlaps(&boxes[j]) && !boxes[i].is_empty() && !boxes[j].is_empty() {
            pairs.push((i.min(j), i.max(j)));
        }
    };
    for (n, &i) in large.iter().enumerate() {
        large[n + 1..].iter().chain(&small).for_each(|&j| try_pair(i, j));
    }
    // A little more than the largest, so that rounding cannot put a neighbour two cells away.
    let edge = small.iter().map(|&i| length(&boxes[i])).fold(f64::MIN_POSITIVE, f64::max) * (1.0 + 1e-9);
    let cell_of = |i: usize| (boxes[i].center() / edge).floor().to_array().map(|x| x as i64);
    let mut cells: Vec<([i64; 3], usize)> = small.iter().map(|&i| (cell_of(i), i)).collect();
    cells.sort_unstable();
    for &(cell, i) in &cells {
        for dx in -1..=1 {
            for dy in -1..=1 {
                // The three cells of a column along z lie side by side in the sorted list.
                let low = [cell[0].saturating_add(dx), cell[1].saturating_add(dy), cell[2].saturating_sub(1)];
                let high = [low[0], low[1], cell[2].saturating_add(1)];
                let start = cells.partition_point(|(c, _)| *c < low);
                cells[start..]
                    .iter()
                    .take_while(|(c, _)| *c <= high)
                    .filter(|(_, j)| *j > i)
                    .for_each(|(_, j)| try_pair(i, *j));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DVec3;

    #[test]
    fn the_grid_finds_exactly_the_pairs_brute_force_finds() {
        let mut seed = 12345u64;
        let mut random = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        for round in 0..50 {
            let mut boxes: Vec<Aabb> = (0..60)
                .map(|_| Aabb::around(DVec3::new(random(), random(), random()) * 3.0, 0.02 + 0.3 * random().powi(4)))
                .collect();
            boxes.push(Aabb { min: DVec3::NEG_INFINITY, max: DVec3::new(f64::INFINITY, f64::INFINITY, 0.5) });
            if round % 2 == 0 {
                boxes.push(Aabb::EMPTY);
            }
            let mut expected = Vec::new();
            for i in 0..boxes.len() {
                for j in i + 1..boxes.len() {
                    if !boxes[i].intersection(&boxes[j]).is_empty() && !boxes[i].is_empty() && !boxes[j].is_empty() {
                        expected.push((i, j));
                    }
                }
            }
            assert_eq!(near_pairs(&boxes), expected);
        }
    }
}
