//! What a figure shows: a cache as curves over time, in SI units.

use super::style::MOST;
use crate::energy::total;
use crate::failure::Failure;
use pliant::World;
use pliant::record::Cache;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;

/// Frames of a figure, at most: twice as many as a printer has dots across it. More: nobody sees them, and the file grows.
const MOST_FRAMES: usize = 3000;
/// Of which volumes are measured, at most. It takes long: bulges are solved for. Fewer: an impact looks like a kink.
const MOST_VOLUMES: usize = 300;

/// One quantity over time; what is not known is not a number.
#[derive(Clone, Default)]
pub struct Curve {
    /// Of the body or of both bodies.
    pub names: Vec<String>,
    /// Seconds, and the value.
    pub points: Vec<[f64; 2]>,
}

/// The curves told apart, and those that are too many for it.
#[derive(Default)]
pub struct Curves {
    pub told: Vec<Curve>,
    pub others: Vec<Curve>,
}

/// A stretch of a recorded run.
pub struct History {
    /// Of the scene.
    pub title: String,
    /// From where the figure comes, in words.
    pub about: String,
    /// Seconds from one frame to the next.
    pub frame_time: f64,
    /// Kinetic, potential above its least, elastic, dissipated, their sum; joules.
    pub energies: [Curve; 5],
    /// Of bounded bodies, of one at rest.
    pub volumes: Curves,
    /// Newtons: what the patches of a pair press and rub with, added up.
    pub forces: Curves,
    /// Square metres, of the same pairs in the same order.
    pub areas: Curves,
}

/// At most `most` of the frames, evenly spread, the first and the last among them.
fn spread(frames: &Range<usize>, most: usize) -> Vec<usize> {
    let count = frames.len().min(most);
    let nth = |i: usize| if count < 2 { 0 } else { (i * (frames.len() - 1) + (count - 1) / 2) / (count - 1) };
    (0..count).map(|i| frames.start + nth(i)).collect()
}

/// Which of `frames` a figure shows, and of which it shows volumes.
pub fn chosen(frames: &Range<usize>) -> (Vec<usize>, Vec<usize>) {
    let shown = spread(frames, MOST_FRAMES);
    let measured = spread(&(0..shown.len()), MOST_VOLUMES).into_iter().map(|i| shown[i]).collect();
    (shown, measured)
}

impl History {
    /// Reads frames of a cache; `done` hears of each.
    pub fn read(cache: &Cache, frames: &Range<usize>, mut done: impl FnMut()) -> Result<Self, Failure> {
        let mut world = cache.world()?;
        let bounded: Vec<usize> = (0..world.bodies().len()).filter(|i| is_bounded(&world, *i)).collect();
        let name = |i: usize| world.bodies()[i].name.clone();
        let mut volumes: Vec<Curve> =
            bounded.iter().map(|i| Curve { names: vec![name(*i)], points: Vec::new() }).collect();
        let (shown, measured) = chosen(frames);
        let (mut times, mut energies, mut touching) = (Vec::new(), <[Curve; 5]>::default(), Pairs::default());
        for (nth, frame) in shown.iter().enumerate() {
            let time = cache.show(&mut world, *frame)?.snapshot.time;
            times.push(time);
            let e = world.energy();
            let kinds = [e.kinetic, e.potential, e.elastic, e.dissipated, total(&e)];
            energies.iter_mut().zip(kinds).for_each(|(curve, x)| curve.points.push([time, x]));
            touching.add(&world, nth);
            if measured.binary_search(frame).is_ok() {
                let now: Vec<f64> = bounded.par_iter().map(|i| relative_volume(&world, *i)).collect();
                volumes.iter_mut().zip(now).for_each(|(curve, x)| curve.points.push([time, x]));
            }
            done();
        }
        above_least(&mut energies);
        let (forces, areas) = touching.curves(&world, &times);
        let volumes = most_changed(volumes);
        let title = cache.scene().title.clone();
        let about = format!(
            "Energy, volumes, contact forces and contact areas of \"{title}\" ({}), {} of frames {} to {}; made by \
             Pliant {}",
            cache.scene_text().name,
            shown.len(),
            frames.start,
            frames.end.max(1) - 1,
            cache.engine()
        );
        Ok(Self { title, about, frame_time: 1.0 / cache.scene().frame_rate, energies, volumes, forces, areas })
    }
}

fn is_bounded(world: &World, i: usize) -> bool {
    let body = &world.bodies()[i];
    body.rest_volume.is_finite() && body.bounds().is_finite()
}

fn relative_volume(world: &World, i: usize) -> f64 {
    let ratio = world.volume(i) / world.bodies()[i].rest_volume;
    if ratio.is_finite() { ratio } else { f64::NAN }
}

/// Takes the least potential energy off it and off the sum: heights are measured from anywhere.
fn above_least(energies: &mut [Curve; 5]) {
    let least = energies[1].points.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
    for curve in [1, 4] {
        energies[curve].points.iter_mut().for_each(|p| p[1] -= least);
    }
}

/// Tells those apart whose volume changes most, in the order they came.
fn most_changed(curves: Vec<Curve>) -> Curves {
    let change = |c: &Curve| c.points.iter().map(|p| (p[1] - 1.0).abs()).fold(0.0, f64::max);
    let mut order: Vec<usize> = (0..curves.len()).collect();
    order.sort_by(|a, b| change(&curves[*b]).total_cmp(&change(&curves[*a])));
    let mut told = vec![false; curves.len()];
    order.iter().take(MOST).for_each(|i| told[*i] = true);
    let mut both = Curves::default();
    for (curve, told) in curves.into_iter().zip(told) {
        if told { both.told.push(curve) } else { both.others.push(curve) }
    }
    both
}

/// Which of the frames shown, and a pair's force and area in it.
type Sums = (usize, [f64; 2]);

/// Every pair that touches, in the frames in which it does.
#[derive(Default)]
struct Pairs(BTreeMap<(usize, usize), Vec<Sums>>);

impl Pairs {
    fn add(&mut self, world: &World, nth: usize) {
        for c in world.contacts() {
            let sums = self.0.entry((c.touch.a.0, c.touch.b.0)).or_default();
            if sums.last().is_none_or(|(last, _)| *last != nth) {
                sums.push((nth, [0.0; 2]));
            }
            if let Some((_, [force, area])) = sums.last_mut() {
                *force += c.answer.on_a.force.length();
                *area += c.patch.area;
            }
        }
    }

    /// Forces and areas: pairs told apart by their greatest force, the largest first; of the others, the sum.
    fn curves(self, world: &World, times: &[f64]) -> (Curves, Curves) {
        let greatest = |sums: &[Sums]| sums.iter().map(|(_, s)| s[0]).fold(0.0, f64::max);
        let name = |i: usize| world.bodies()[i].name.clone();
        let named = self.0.into_iter().map(|((a, b), sums)| (greatest(&sums), vec![name(a), name(b)], sums));
        let mut pairs: Vec<_> = named.collect();
        // Names make it independent of the order in the file.
        pairs.sort_by(|(x, a, _), (y, b, _)| y.total_cmp(x).then_with(|| a.cmp(b)));
        let rest = pairs.split_off(pairs.len().min(MOST));
        let summed = match &rest[..] {
            [(_, names, _)] => names.clone(),
            rest => vec![format!("{} others, summed", rest.len())],
        };
        let of = |which: usize| {
            let curve = |names: &[String], all: &mut dyn Iterator<Item = &Sums>| {
                let mut points: Vec<_> = times.iter().map(|time| [*time, 0.0]).collect();
                all.for_each(|(nth, sums)| points[*nth][1] += sums[which]);
                Curve { names: names.to_vec(), points }
            };
            let told = pairs.iter().map(|(_, names, sums)| curve(names, &mut sums.iter())).collect();
            let others = curve(&summed, &mut rest.iter().flat_map(|(_, _, sums)| sums));
            Curves { told, others: if rest.is_empty() { Vec::new() } else { vec![others] } }
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
    fn the_bodies_told_apart_are_those_that_change_most() {
        let curve = |i: usize| Curve {
            names: vec![i.to_string()],
            points: vec![[0.0, f64::NAN], [1.0, 1.0 - 0.01 * i as f64]],
        };
        let Curves { told, others } = most_changed((0..10).map(curve).collect());
        assert_eq!(told.iter().map(|c| c.names[0].as_str()).collect::<String>(), "23456789");
        assert_eq!(others.len(), 2);
    }
}
