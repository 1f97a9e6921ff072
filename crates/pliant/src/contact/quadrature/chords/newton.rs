//! Newton's method in a chart: ends of chords, ends of the patch, heights of the surface.

use super::chart::{ChartCoords, ChartSample, ChordChart};
use crate::contact::frame::ContactFrame;
use crate::contact::persistent_chart::ChordFamily;

/// Steps towards an end. From a neighbour it takes two. Fewer: usable charts fail.
const END_STEPS: usize = 9;

/// Places tried between the middle of a chord and its end. Fewer: long flat chords fail.
const MAX_BRACKETS: usize = 24;

/// Steps of ascent into the patch. Fewer: chords of slanting patches fail. More: chords outside the patch take long.
const INSIDE_STEPS: usize = 5;

/// A last step shorter than this fraction of the narrower extent leaves an error of its square; and so does a pressure
/// below this part of twice the greatest, where the border is a narrow rim of a flat face. Smaller: one evaluation more
/// for each end. Larger: forces err, by the fourth power of it.
const LAST_STEP: f64 = 0.012;

/// The same across the chart, as a fraction of the overlap's depth: a point far off the surface tells little of the
/// border.
const LAST_RISE: f64 = 0.05;

/// The same for an end of the patch, which all rules share: no comparison of rules shows its error.
const LAST_STEP_OF_PATCH: f64 = 0.004;

/// Ratio of the accuracies of an end of the patch across its chord and along it: along a slanting border steps become short
/// before the end is reached.
const ALONG_CHORD: f64 = 8.0;

/// Least cosine between the chart's axis and the surface's normal. Smaller: heights lose digits. Larger: more charts
/// fail.
const MIN_COSINE: f64 = 0.15;

/// An end of a chord: a point on the border, and the surface there.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChordEnd {
    pub coords: ChartCoords,
    /// Slopes of the surface along and across the chord.
    pub slopes: [f64; 2],
    /// `ds/dt` of the border.
    pub border_slope: f64,
    /// The two solids face each other there.
    pub facing: bool,
}

/// A point near the end of a chord.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndGuess {
    pub coords: ChartCoords,
    /// 1 at the upper end, −1 at the lower one.
    pub outward: f64,
}

/// Sizes of a patch, and pressure and depth in its middle.
#[derive(Clone, Copy, Debug)]
pub(super) struct PatchScale {
    /// Half the middle chord.
    pub half: f64,
    /// Half the extent across.
    pub across: f64,
    /// Greatest pressure known.
    pub pressure: f64,
    /// Depth of the overlap there, metres.
    pub depth: f64,
}

impl PatchScale {
    /// Half the narrower extent, metres; `width` is the length of a unit across the chords.
    fn narrow(&self, width: f64) -> f64 {
        self.half.min(self.across * width)
    }
}

/// Chart and fields.
#[derive(Clone, Copy)]
pub(super) struct Newton<'a> {
    pub frame: &'a ContactFrame<'a>,
    pub chart: &'a ChordChart,
}

impl Newton<'_> {
    /// The border on the chord at `guess.t`: by Newton's method from `guess`, or, where that leads away, between `inner`,
    /// on the same chord and inside the patch, and a point outside. `outward` is 1 at the upper end, −1 at the lower
    /// one.
    pub fn chord_end(
        &self,
        guess: ChartCoords,
        inner: ChartCoords,
        outward: f64,
        scale: &PatchScale,
    ) -> Option<ChordEnd> {
        self.newton_end(guess, outward, scale).or_else(|| self.bracketed_end(inner, outward, scale))
    }

    fn newton_end(&self, guess: ChartCoords, outward: f64, scale: &PatchScale) -> Option<ChordEnd> {
        self.newton_ends(&[EndGuess { coords: guess, outward }], scale)[0]
    }

    /// Ends of up to four chords by Newton's method.
    pub fn newton_ends(&self, guesses: &[EndGuess], scale: &PatchScale) -> [Option<ChordEnd>; 4] {
        let mut found = [None; 4];
        let mut coords: [ChartCoords; 4] = Default::default();
        let mut open = [0; 4];
        let mut count = guesses.len();
        for i in 0..count {
            (coords[i], open[i]) = (guesses[i].coords, i);
        }
        for _ in 0..END_STEPS {
            let samples = self.chart.sample_four(self.frame, &coords[..count]);
            let mut left = 0;
            for i in 0..count {
                let guess = &guesses[open[i]];
                match self.end_step(&samples[i], guess, scale) {
                    Ok(end) => found[open[i]] = end,
                    Err(next) => {
                        (coords[left], open[left]) = (next, open[i]);
                        left += 1;
                    }
                }
            }
            count = left;
            if count == 0 {
                break;
            }
        }
        found
    }

    /// One step of Newton's method towards an end: the end, none where it leads away, or the next point.
    fn end_step(
        &self,
        here: &ChartSample,
        guess: &EndGuess,
        scale: &PatchScale,
    ) -> Result<Option<ChordEnd>, ChartCoords> {
        let (u, p) = (&here.surface, &here.pressure);
        let det = p.by_s * u.by_z - p.by_z * u.by_s;
        let ds = (-p.value * u.by_z + u.value * p.by_z) / det;
        let dz = (-u.value * p.by_s + p.value * u.by_s) / det;
        let [along, across] = here.tangential_pressure_slopes();
        // The pressure must fall outward.
        if !(ds.is_finite() && dz.is_finite() && guess.outward * along < 0.0 && ds.abs() <= scale.half) {
            return Ok(None);
        }
        let coords = ChartCoords { s: here.coords.s + ds, z: here.coords.z + dz, ..here.coords };
        let is_long = ds.abs() > LAST_STEP * scale.narrow(self.chart.width(guess.coords.s))
            || (ds * along).abs() > 2.0 * LAST_STEP * scale.pressure;
        if is_long || dz.abs() > LAST_RISE * scale.depth {
            return Err(coords);
        }
        let is_past_pivot = self.chart.family == ChordFamily::Rays && coords.s <= 0.0;
        if is_past_pivot || is_grazing(here, self.chart) {
            return Ok(None);
        }
        Ok(Some(ChordEnd {
            coords,
            slopes: here.slopes(),
            border_slope: -across / along,
            facing: here.faces(self.chart),
        }))
    }

    /// A point inside the patch on the chord of `start`, which may lie beside it: up the slope of the pressure.
    fn ascend_inside(&self, start: ChartCoords, near: f64, scale: &PatchScale) -> Option<ChartSample> {
        let mut here = self.solve_height(start, near)?;
        for _ in 0..INSIDE_STEPS {
            if here.pressure.value > 0.0 {
                return Some(here);
            }
            let along = here.tangential_pressure_slopes()[0];
            // Beyond where the slope reaches zero, for the border is not inside.
            let ds = (-1.5 * here.pressure.value / along).clamp(-0.5 * scale.half, 0.5 * scale.half);
            if !ds.is_finite() {
                return None;
            }
            let z = here.coords.z + here.slopes()[0] * ds;
            here = self.solve_height(ChartCoords { s: here.coords.s + ds, z, ..here.coords }, near)?;
        }
        None
    }

    /// The border between `inner` and the first point outward where the pressure is negative.
    pub fn bracketed_end(&self, inner: ChartCoords, outward: f64, scale: &PatchScale) -> Option<ChordEnd> {
        let inside = self.ascend_inside(inner, 0.02 * scale.half, scale)?;
        self.end_beyond(inside, None, outward, scale)
    }

    /// The border between a point inside and `outside`, on the same chord, or the first point outward where the pressure is
    /// negative.
    pub fn end_beyond(
        &self,
        mut inside: ChartSample,
        mut outside: Option<f64>,
        outward: f64,
        scale: &PatchScale,
    ) -> Option<ChordEnd> {
        let (near, is_known) = (0.02 * scale.half, outside.is_some());
        let mut step = 0.5 * scale.half;
        for _ in 0..MAX_BRACKETS {
            let s = match outside {
                None => inside.coords.s + outward * step,
                Some(s) => 0.5 * (inside.coords.s + s),
            };
            let ds = s - inside.coords.s;
            let guess = ChartCoords { s, z: inside.coords.z + inside.slopes()[0] * ds, ..inside.coords };
            match self.solve_height(guess, near) {
                Some(here) if here.pressure.value > 0.0 => {
                    inside = here;
                    step *= 2.0;
                }
                Some(here) => {
                    // From the near side of the border Newton's method leads onto it, unless a crease is between.
                    if let Some(end) = self.newton_end(here.coords, outward, scale)
                        && outward * (end.coords.s - inside.coords.s) > 0.0
                        && outward * (here.coords.s - end.coords.s) > -1e-9 * scale.half
                    {
                        return Some(end);
                    }
                    outside = Some(s);
                }
                // Between two points of the surface there must be one.
                None if is_known => return None,
                None => outside = Some(s),
            }
            if outside.is_some_and(|s| (s - inside.coords.s).abs() < 1e-5 * scale.half) {
                return None;
            }
        }
        None
    }

    /// The end of the patch across its chords, where the greatest pressure on a chord falls to zero; `outward` as the sign of `t`.
    pub fn patch_end(&self, guess: ChartCoords, outward: f64, scale: &PatchScale) -> Option<ChartCoords> {
        // Of a parabola across the ridge; then by the last two slopes.
        let mut bend = -2.0 * scale.pressure / (scale.half * scale.half);
        let mut last: Option<[f64; 2]> = None;
        let mut coords = guess;
        let width = self.chart.width(guess.s);
        let close = LAST_STEP_OF_PATCH * scale.narrow(width) / width;
        for _ in 0..2 * END_STEPS {
            let here = self.chart.sample(self.frame, coords);
            // First onto the surface, to first order.
            let (u, [zs, zt]) = (&here.surface, here.slopes());
            let onto = -u.value / u.by_z;
            let pressure = here.pressure.value + here.pressure.by_z * onto;
            let [along, across] = here.tangential_pressure_slopes();
            if let Some([s, slope]) = last
                && (coords.s - s).abs() > 1e-6 * scale.half
            {
                let secant = (along - slope) / (coords.s - s);
                bend = if secant < 0.0 { secant } else { bend };
            }
            last = Some([coords.s, along]);
            let ds = (-along / bend).clamp(-0.4 * scale.half, 0.4 * scale.half);
            let ridge = pressure + along * ds + 0.5 * bend * ds * ds;
            let mut dt = -ridge / across;
            if !(dt.is_finite() && onto.is_finite()) {
                return None;
            }
            // On the wrong side of the summit the slope leads back.
            if outward * across >= 0.0 {
                dt = outward * 0.3 * scale.across;
            }
            let dt = dt.clamp(-0.5 * scale.across, 0.5 * scale.across);
            coords.s += ds;
            coords.t += dt;
            coords.z += onto + zs * ds + zt * dt;
            let aside = 0.5 * along * ds / across;
            let settled = dt.abs().max(ALONG_CHORD * aside.abs()) <= close && onto.abs() <= LAST_RISE * scale.depth;
            if settled && outward * across < 0.0 {
                return Some(coords);
            }
        }
        None
    }

    /// The end of the patch across its chords, between the last chord outward that has a point inside and the first
    /// that has none; for patches with corners.
    pub fn bracketed_patch_end(&self, middle: &ChartSample, outward: f64, scale: &PatchScale) -> Option<ChartCoords> {
        let near = 0.02 * scale.half;
        let (mut inside, mut outside, mut step) = (*middle, None, 0.5 * scale.across);
        for _ in 0..MAX_BRACKETS {
            let t = match outside {
                None => inside.coords.t + outward * step,
                Some(t) => 0.5 * (inside.coords.t + t),
            };
            let [_, zt] = inside.slopes();
            let guess = ChartCoords { t, z: inside.coords.z + zt * (t - inside.coords.t), ..inside.coords };
            match self.ascend_inside(guess, near, scale) {
                Some(here) => (inside, step) = (here, 2.0 * step),
                None => outside = Some(t),
            }
            if outside.is_some_and(|t: f64| (t - inside.coords.t).abs() < LAST_STEP * scale.across) {
                break;
            }
        }
        let left = (outside? - inside.coords.t).abs();
        let scale =
            PatchScale { across: left.max(LAST_STEP * scale.across), pressure: inside.pressure.value, ..*scale };
        let beyond = |end: &ChartCoords| outward * (end.t - inside.coords.t) > 0.0;
        let end = self.patch_end(inside.coords, outward, &scale).filter(beyond);
        Some(end.unwrap_or(ChartCoords { t: inside.coords.t + 0.5 * outward * left, ..inside.coords }))
    }

    /// The surface at `coords.s` and `coords.t`, from a height near it: evaluated where it is known to within `near`,
    /// and moved onto it to first order.
    pub fn solve_height(&self, coords: ChartCoords, near: f64) -> Option<ChartSample> {
        self.solve_heights(&[coords], near)[0]
    }

    /// [`Newton::solve_height`] of up to four points.
    pub fn solve_heights(&self, coords: &[ChartCoords], near: f64) -> [Option<ChartSample>; 4] {
        let mut found = [None; 4];
        let mut current: [ChartCoords; 4] = Default::default();
        let mut open = [0; 4];
        let mut count = coords.len();
        for i in 0..count {
            (current[i], open[i]) = (coords[i], i);
        }
        for _ in 0..END_STEPS {
            let samples = self.chart.sample_four(self.frame, &current[..count]);
            let mut left = 0;
            for i in 0..count {
                let mut here = samples[i];
                let dz = -here.surface.value / here.surface.by_z;
                if dz.is_nan() || is_grazing(&here, self.chart) {
                    continue;
                }
                here.coords.z += dz;
                if dz.abs() > near {
                    (current[left], open[left]) = (here.coords, open[i]);
                    left += 1;
                    continue;
                }
                let step = dz * self.chart.axes[2];
                here.position += step;
                here.probe = here.probe.advanced(step);
                here.pressure.value += here.pressure.by_z * dz;
                here.surface.value = 0.0;
                found[open[i]] = Some(here);
            }
            count = left;
            if count == 0 {
                break;
            }
        }
        found
    }
}

/// Whether the surface is too steep for the chart, or faces the other way.
fn is_grazing(here: &ChartSample, chart: &ChordChart) -> bool {
    let (u, [along, across]) = (&here.surface, chart.tangents(here.coords));
    let flat = [u.by_s / along.length(), u.by_t / across.length()];
    let steep = u.by_z / (flat[0] * flat[0] + flat[1] * flat[1] + u.by_z * u.by_z).sqrt();
    steep <= MIN_COSINE || steep.is_nan()
}
