//! One chord rule: ends of the patch, ends of its chords, points between them, sums.

use super::chart::{ChartCoords, ChordChart};
use super::layout::{self, Crease, QuadratureNode};
use super::newton::{Newton, PatchScale};
use super::outline::{Chord, MissingChord, OutlineGuess, trace_outline};
use crate::contact::patch::{Layout, Patch, StripLayout};
use crate::contact::persistent_chart::{ChordCounts, ChordFamily};
use crate::contact::quadrature::chart::SurfacePoint;
use crate::contact::quadrature::sum::PatchSum;
use crate::math::DVec3;

/// Accuracy of heights, as a fraction of the overlap's depth: pressures are then right to its square. Smaller: most
/// points are evaluated twice.
const HEIGHT_ACCURACY: f64 = 0.02;

/// A pressure below zero by this fraction of the greatest is a hole; less is the rounding of a border.
const HOLE_PRESSURE: f64 = 5e-3;

/// Distance beyond an end of the patch, as a fraction of its extent, at which there must be no more pressure.
const END_CHECK: f64 = 0.03;

/// A patch integrated along chords.
pub(super) struct ChordIntegral {
    pub patch: Patch,
    /// Some point between the ends of its chord has no pressure.
    pub holes: bool,
    /// Creases between the chords.
    pub crease_count: usize,
    pub chords: Vec<Chord>,
}

/// Fields, guess and creases shared by all rules of a patch.
pub(super) struct ChordRule<'a> {
    pub newton: Newton<'a>,
    pub guess: OutlineGuess,
    pub scale: PatchScale,
    pub creases: &'a [Crease],
}

impl ChordRule<'_> {
    /// The rule of these `counts`. `None` where the patch has no such chords.
    pub fn integrate(&mut self, counts: ChordCounts) -> Option<ChordIntegral> {
        let mut tries = 0;
        loop {
            match self.attempt(counts) {
                Ok(integrated) => return Some(integrated),
                // The end of the patch was guessed too far out: once more, from the last chord that was found.
                Err(Some(missing)) if !self.guess.closed && tries < 2 => {
                    self.guess.range[missing.side] = self.end_beyond(&missing)?
                }
                Err(_) => return None,
            }
            tries += 1;
        }
    }

    /// Half the narrower extent of the patch, metres.
    pub fn arm(&self) -> f64 {
        let [low, high] = self.guess.range;
        self.scale.half.min(0.5 * self.newton.chart.width(self.guess.middle.coords.s) * (high - low))
    }

    /// The end of the patch beyond a chord.
    fn end_beyond(&self, missing: &MissingChord) -> Option<f64> {
        let MissingChord { last, side } = missing;
        let [low, high] = last.ends.map(|e| e.coords);
        let start = ChartCoords { s: 0.5 * (low.s + high.s), t: last.t, z: last.height(0.5 * (low.s + high.s)) };
        let here =
            self.newton.solve_height(start, HEIGHT_ACCURACY * self.scale.depth).filter(|h| h.pressure.value > 0.0)?;
        let across = 0.5 * (self.guess.range[*side] - last.t).abs();
        let scale = PatchScale { half: 0.5 * last.length(), across, pressure: here.pressure.value, ..self.scale };
        let end = self.newton.patch_end(here.coords, [-1.0, 1.0][*side], &scale)?.t;
        let beyond = [-1.0, 1.0][*side] * (end - last.t) > 0.0;
        let nearer = [-1.0, 1.0][*side] * (self.guess.range[*side] - end) > 0.0;
        (beyond && nearer).then_some(end)
    }

    fn attempt(&self, counts: ChordCounts) -> Result<ChordIntegral, Option<Box<MissingChord>>> {
        let (mut nodes, mut crease_coords) = (Vec::with_capacity(32), Vec::with_capacity(8));
        let middle = self.guess.middle.coords;
        if self.guess.closed {
            layout::rays(counts, &mut nodes);
        } else {
            crease_coords.extend(self.creases.iter().filter_map(|c| c.across_chords(middle.s, middle.z)));
            layout::chords(self.guess.range, &mut crease_coords, counts, &mut nodes);
        }
        let strips = crease_coords.len();
        let chords = trace_outline(&self.newton, &self.guess, &nodes, &self.scale)?;
        let (patch, holes) = self.sum(&chords, counts, &mut crease_coords).ok_or(None)?;
        Ok(ChordIntegral { patch, holes, crease_count: strips, chords })
    }

    /// Points on `chords` and their sums, and whether there are holes.
    fn sum(&self, chords: &[Chord], counts: ChordCounts, crease_coords: &mut Vec<f64>) -> Option<(Patch, bool)> {
        let Newton { frame, chart } = self.newton;
        let (mut sum, mut holes) = (PatchSum::default(), false);
        sum.points.reserve(chords.len() * usize::from(counts.points));
        let mut strips = Vec::with_capacity(chords.len());
        let mut nodes: Vec<QuadratureNode> = Vec::with_capacity(16);
        for (i, chord) in chords.iter().enumerate() {
            let [low, high] = chord.ends.map(|e| e.coords);
            crease_coords.clear();
            let height = 0.5 * (low.z + high.z);
            crease_coords.extend(self.creases.iter().filter_map(|c| c.on_chord(chord.t, height)));
            layout::points([low.s, high.s], crease_coords, counts, &mut nodes);
            let first = sum.points.len();
            for four in nodes.chunks(4) {
                let coords = |at: &QuadratureNode| ChartCoords { s: at.at, t: chord.t, z: chord.height(at.at) };
                let mut at: [ChartCoords; 4] = Default::default();
                at.iter_mut().zip(four).for_each(|(to, from)| *to = coords(from));
                let samples = self.newton.solve_heights(&at[..four.len()], HEIGHT_ACCURACY * self.scale.depth);
                for (at, here) in four.iter().zip(samples) {
                    let here = here?;
                    // A hole, or the rounding of a border.
                    if here.pressure.value <= 0.0 {
                        holes |= here.pressure.value < -HOLE_PRESSURE * self.scale.pressure;
                        continue;
                    }
                    let point = SurfacePoint { s: here.coords.z, position: here.position, probe: here.probe };
                    let measure = at.weight * chord.weight * chart.measure(here.coords);
                    sum.add(frame.kind, chart.axes[2], &point, measure);
                }
            }
            let side = usize::from(i > 0);
            if !self.guess.closed && (i == 0 || i + 1 == chords.len()) && self.has_pressure_beyond(chord, side)? {
                return None;
            }
            if sum.points.len() > first {
                strips.push(strip(chart, chords, i, first, sum.points.len() - first));
            }
        }
        let middle = &self.guess.middle;
        sum.include_maximum(middle.pressure.value, middle.position, middle.probe.pressure_slope(frame.kind));
        let border = border(chart, chords, &self.guess);
        Some((sum.finish(middle.position, border, Layout::Chords { strips }), holes))
    }

    /// Whether there is pressure beyond the end of the patch next to its last chord.
    fn has_pressure_beyond(&self, last: &Chord, side: usize) -> Option<bool> {
        let [low, high] = self.guess.range;
        let t = self.guess.range[side] + [-END_CHECK, END_CHECK][side] * (high - low);
        let ends = last.next(t, &self.guess);
        for x in [0.0, 0.5, 1.0] {
            let mix = |p: f64, q: f64| p + x * (q - p);
            let coords = ChartCoords { s: mix(ends[0].s, ends[1].s), t, z: mix(ends[0].z, ends[1].z) };
            if self.newton.solve_height(coords, 0.5 * self.scale.depth)?.pressure.value
                > END_CHECK * self.scale.pressure
            {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// The strip of chord `i`: halfway to its neighbours.
pub(super) fn strip(chart: &ChordChart, chords: &[Chord], i: usize, first: usize, count: usize) -> StripLayout {
    let chord = &chords[i];
    let ends = chord.ends.map(|e| chart.position(e.coords));
    let across = |s: f64| chart.tangents(ChartCoords { s, t: chord.t, z: 0.0 })[1];
    let middle = across(0.5 * (chord.ends[0].coords.s + chord.ends[1].coords.s));
    // Weights are the extents that chords stand for; halves of them reach as far as the neighbours'.
    let to_edges = [-0.5, 0.5].map(|half| half * chord.weight * middle);
    StripLayout { first, count, ends, to_edges }
}

/// Points of the border, around the patch.
fn border(chart: &ChordChart, chords: &[Chord], guess: &OutlineGuess) -> Vec<DVec3> {
    let end = |c: &Chord, upper: usize| chart.position(c.ends[upper].coords);
    let tip = |c: &Chord, t: f64| {
        let [low, high] = c.ends.map(|e| e.coords);
        let slope = 0.5 * (c.ends[0].slopes[1] + c.ends[1].slopes[1]);
        let z = 0.5 * (low.z + high.z) + slope * (t - c.t);
        chart.position(ChartCoords { s: 0.5 * (low.s + high.s), t, z })
    };
    let mut border: Vec<DVec3> = chords.iter().map(|c| end(c, 0)).collect();
    let tips = !guess.closed && chart.family == ChordFamily::Parallel;
    if tips {
        border.extend(chords.last().map(|c| tip(c, guess.range[1])));
    }
    border.extend(chords.iter().rev().map(|c| end(c, 1)));
    if tips {
        border.extend(chords.first().map(|c| tip(c, guess.range[0])));
    }
    border
}
