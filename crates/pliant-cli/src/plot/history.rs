//! The data of a figure: time series read from a cache, in SI units.

use super::style::MAX_STYLES;
use crate::failure::Failure;
use pliant::World;
use pliant::record::Cache;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;

/// Largest number of frames of a figure, twice the dots a printer has across it. Larger: files grow with no visible
/// gain. Smaller: short events are lost.
const MAX_FRAMES: usize = 3000;
/// Largest number of frames in which volumes are measured. Larger: slow, because bulges are solved for. Smaller: an
/// impact looks like a kink.
const MAX_VOLUME_FRAMES: usize = 300;

/// One quantity over time; unknown values are NaN.
#[derive(Clone, Default)]
pub struct Series {
    /// Names of the body or of both bodies.
    pub names: Vec<String>,
    /// Time in seconds, and value.
    pub points: Vec<[f64; 2]>,
}

/// Series with a style of their own, and the others.
#[derive(Default)]
pub struct SeriesSet {
    pub named: Vec<Series>,
    pub others: Vec<Series>,
}

/// A range of frames of a recorded run.
pub struct History {
    /// Title of the scene.
    pub title: String,
    /// Description of the figure and its source.
    pub description: String,
    /// Time between frames, s.
    pub frame_time: f64,
    /// Kinetic, potential above its minimum, elastic, dissipated and total energy, J.
    pub energies: [Series; 5],
    /// Volumes of bounded bodies relative to rest.
    pub volumes: SeriesSet,
    /// Magnitudes of contact forces, summed over the patches of a pair, N.
    pub forces: SeriesSet,
    /// Contact areas of the same pairs in the same order, m².
    pub areas: SeriesSet,
}

/// At most `max` of the frames, evenly spaced, with the first and the last.
fn spread(frames: &Range<usize>, max: usize) -> Vec<usize> {
    let count = frames.len().min(max);
    let nth = |i: usize| if count < 2 { 0 } else { (i * (frames.len() - 1) + (count - 1) / 2) / (count - 1) };
    (0..count).map(|i| frames.start + nth(i)).collect()
}

/// The frames that a figure shows, and those of which it shows volumes.
pub fn chosen(frames: &Range<usize>) -> (Vec<usize>, Vec<usize>) {
    let shown = spread(frames, MAX_FRAMES);
    let measured = spread(&(0..shown.len()), MAX_VOLUME_FRAMES).into_iter().map(|i| shown[i]).collect();
    (shown, measured)
}

impl History {
    /// Reads frames of a cache; `done` is called after each.
    pub fn read(cache: &Cache, frames: &Range<usize>, mut done: impl FnMut()) -> Result<Self, Failure> {
        let mut world = cache.world()?;
        let bounded: Vec<usize> = (0..world.bodies().len()).filter(|i| is_bounded(&world, *i)).collect();
        let name = |i: usize| world.bodies()[i].name.clone();
        let mut volumes: Vec<Series> =
            bounded.iter().map(|i| Series { names: vec![name(*i)], points: Vec::new() }).collect();
        let (shown, measured) = chosen(frames);
        let (mut times, mut energies, mut touching) = (Vec::new(), <[Series; 5]>::default(), Pairs::default());
        for (nth, frame) in shown.iter().enumerate() {
            let time = cache.show(&mut world, *frame)?.state.time;
            times.push(time);
            let e = world.energy();
            let kinds = [e.kinetic, e.potential, e.elastic, e.dissipated.total(), e.total()];
            energies.iter_mut().zip(kinds).for_each(|(curve, x)| curve.points.push([time, x]));
            touching.add(&world, nth);
            if measured.binary_search(frame).is_ok() {
                let now: Vec<f64> = bounded.par_iter().map(|i| relative_volume(&world, *i)).collect();
                volumes.iter_mut().zip(now).for_each(|(curve, x)| curve.points.push([time, x]));
            }
            done();
        }
        above_minimum(&mut energies);
        let (forces, areas) = touching.curves(&world, &times);
        let volumes = most_changed(volumes);
        let title = cache.scene().title.clone();
        let description = format!(
            "Energy, volumes, contact forces and contact areas of \"{title}\" ({}), {} of frames {} to {}; made by \
             Pliant {}",
            cache.scene_text().name,
            shown.len(),
            frames.start,
            frames.end.max(1) - 1,
            cache.engine()
        );
        Ok(Self { title, description, frame_time: 1.0 / cache.scene().frame_rate, energies, volumes, forces, areas })
    }
}

fn is_bounded(world: &World, i: usize) -> bool {
    world.bodies()[i].rest_volume.is_finite() && world.bounds(i).is_finite()
}

fn relative_volume(world: &World, i: usize) -> f64 {
    let ratio = world.volume(i) / world.bodies()[i].rest_volume;
    if ratio.is_finite() { ratio } else { f64::NAN }
}

/// Subtracts the minimum of potential energy from it and from the total, because the zero of height is arbitrary.
fn above_minimum(energies: &mut [Series; 5]) {
    let least = energies[1].points.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
    for curve in [1, 4] {
        energies[curve].points.iter_mut().for_each(|p| p[1] -= least);
    }
}

/// Names the series that change most, in their given order.
fn most_changed(curves: Vec<Series>) -> SeriesSet {
    let change = |c: &Series| c.points.iter().map(|p| (p[1] - 1.0).abs()).fold(0.0, f64::max);
    let mut order: Vec<usize> = (0..curves.len()).collect();
    order.sort_by(|a, b| change(&curves[*b]).total_cmp(&change(&curves[*a])));
    let mut is_named = vec![false; curves.len()];
    order.iter().take(MAX_STYLES).for_each(|i| is_named[*i] = true);
    let mut both = SeriesSet::default();
    for (curve, is_named) in curves.into_iter().zip(is_named) {
        if is_named { both.named.push(curve) } else { both.others.push(curve) }
    }
    both
}

/// Index of a frame, and a pair's force and area in it.
type Sums = (usize, [f64; 2]);

/// Pairs of bodies in contact, with the frames in which they are.
#[derive(Default)]
struct Pairs(BTreeMap<(usize, usize), Vec<Sums>>);

impl Pairs {
    fn add(&mut self, world: &World, nth: usize) {
        for c in world.contacts() {
            let sums = self.0.entry((c.pair.a.body, c.pair.b.body)).or_default();
            if sums.last().is_none_or(|(last, _)| *last != nth) {
                sums.push((nth, [0.0; 2]));
            }
            if let Some((_, [force, area])) = sums.last_mut() {
                *force += c.forces.on_a.force.length();
                *area += c.patch.area;
            }
        }
    }

    /// Forces and areas: the pairs with the greatest forces first, and the sum of the others.
    fn curves(self, world: &World, times: &[f64]) -> (SeriesSet, SeriesSet) {
        let greatest = |sums: &[Sums]| sums.iter().map(|(_, s)| s[0]).fold(0.0, f64::max);
        let name = |i: usize| world.bodies()[i].name.clone();
        let named = self.0.into_iter().map(|((a, b), sums)| (greatest(&sums), vec![name(a), name(b)], sums));
        let mut pairs: Vec<_> = named.collect();
        // Ties are broken by name, not by the order in the file.
        pairs.sort_by(|(x, a, _), (y, b, _)| y.total_cmp(x).then_with(|| a.cmp(b)));
        let rest = pairs.split_off(pairs.len().min(MAX_STYLES));
        let summed = match &rest[..] {
            [(_, names, _)] => names.clone(),
            rest => vec![format!("{} others, summed", rest.len())],
        };
        let of = |which: usize| {
            let curve = |names: &[String], all: &mut dyn Iterator<Item = &Sums>| {
                let mut points: Vec<_> = times.iter().map(|time| [*time, 0.0]).collect();
                all.for_each(|(nth, sums)| points[*nth][1] += sums[which]);
                Series { names: names.to_vec(), points }
            };
            let named = pairs.iter().map(|(_, names, sums)| curve(names, &mut sums.iter())).collect();
            let others = curve(&summed, &mut rest.iter().flat_map(|(_, _, sums)| sums));
            SeriesSet { named, others: if rest.is_empty() { Vec::new() } else { vec![others] } }
        };
        (of(0), of(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_spread_evenly_from_the_first_to_the_last() {
        assert_eq!(spread(&(3..4), 300), [3]);
        assert_eq!(spread(&(2..7), 300), [2, 3, 4, 5, 6]);
        assert_eq!(spread(&(0..11), 6), [0, 2, 4, 6, 8, 10]);
        let (shown, measured) = chosen(&(10..100_010));
        assert_eq!((shown.len(), shown[0], shown[2999]), (3000, 10, 100_009));
        assert_eq!((measured.len(), measured[0], measured[299]), (300, 10, 100_009));
        assert!(measured.iter().all(|i| shown.binary_search(i).is_ok()));
    }

    #[test]
    fn the_named_bodies_are_those_that_change_most() {
        let curve = |i: usize| Series {
            names: vec![i.to_string()],
            points: vec![[0.0, f64::NAN], [1.0, 1.0 - 0.01 * i as f64]],
        };
        let SeriesSet { named, others } = most_changed((0..10).map(curve).collect());
        assert_eq!(named.iter().map(|c| c.names[0].as_str()).collect::<String>(), "23456789");
        assert_eq!(others.len(), 2);
    }
}
