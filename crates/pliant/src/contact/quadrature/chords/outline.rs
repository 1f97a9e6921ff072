//! The border of a patch, chord by chord: from the middle outward, each chord guessed from its neighbour.

use super::chart::{ChartCoords, ChartSample};
use super::layout::QuadratureNode;
use super::newton::{ChordEnd, EndGuess, Newton, PatchScale};

/// A chord from border to border.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chord {
    pub t: f64,
    /// Extent across the chords that it stands for.
    pub weight: f64,
    /// Lower and upper end.
    pub ends: [ChordEnd; 2],
}

/// Approximate outline of a patch.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutlineGuess {
    /// Least and greatest `t`; not read if `closed`.
    pub range: [f64; 2],
    /// All around the pivot.
    pub closed: bool,
    /// A point on the surface, on the chord in the middle, and the surface there.
    pub middle: ChartSample,
    /// Ends of the chord in the middle.
    pub interval: [f64; 2],
}

impl Chord {
    pub fn length(&self) -> f64 {
        self.ends[1].coords.s - self.ends[0].coords.s
    }

    /// Height guessed at `s` by the cubic with the heights and slopes of both ends.
    #[inline]
    pub fn height(&self, s: f64) -> f64 {
        let [low, high] = &self.ends;
        let length = high.coords.s - low.coords.s;
        let x = (s - low.coords.s) / length;
        let y = 1.0 - x;
        let (rise, m0, m1) = (high.coords.z - low.coords.z, low.slopes[0] * length, high.slopes[0] * length);
        low.coords.z + x * x * (3.0 - 2.0 * x) * rise + x * y * (y * m0 - x * m1)
    }

    /// Guess of the ends on the chord at `t`.
    pub fn next(&self, t: f64, guess: &OutlineGuess) -> [ChartCoords; 2] {
        let [low, high] = &self.ends;
        let dt = t - self.t;
        let (half, center) = (0.5 * self.length(), 0.5 * (low.coords.s + high.coords.s));
        let (widening, drift) =
            (0.5 * (high.border_slope - low.border_slope), 0.5 * (high.border_slope + low.border_slope));
        let half = if guess.closed {
            half + widening * dt
        } else {
            // The square of the half chord as A + B q, with q a parabola that vanishes at both ends of the patch: an ellipse
            // has A = 0, a rectangle B = 0.
            let [t0, t1] = guess.range;
            let q = |t: f64| (t - t0) * (t1 - t);
            let (here, falling) = (q(self.t), t0 + t1 - 2.0 * self.t);
            let most = half * half / here;
            let b = if falling.abs() > 0.2 * (t1 - t0) { 2.0 * half * widening / falling } else { most };
            let b = if b >= 0.0 { b.min(most) } else { 0.0 };
            (half * half + b * (q(t) - here)).max(2.5e-3 * half * half).sqrt()
        };
        let center = center + drift.clamp(-2.0, 2.0) * dt;
        let coords = |end: &ChordEnd, s: f64| ChartCoords {
            s,
            t,
            z: end.coords.z + end.slopes[0] * (s - end.coords.s) + end.slopes[1] * dt,
        };
        [coords(low, center - half), coords(high, center + half)]
    }
}

/// A failure to find the next chord on one side.
pub(super) struct MissingChord {
    /// The last that was found.
    pub last: Chord,
    /// 0: towards the lower end of the patch, 1: towards the upper one.
    pub side: usize,
}

/// Chords at `nodes`, in their order, with both ends on the border.
pub(super) fn trace_outline(
    newton: &Newton,
    guess: &OutlineGuess,
    nodes: &[QuadratureNode],
    scale: &PatchScale,
) -> Result<Vec<Chord>, Option<Box<MissingChord>>> {
    let middle = guess.middle.coords;
    let distance = |w: &QuadratureNode| (w.at - middle.t).abs();
    let first = (0..nodes.len()).min_by(|i, j| distance(&nodes[*i]).total_cmp(&distance(&nodes[*j])));
    let first = first.ok_or(None)?;
    let [zs, zt] = guess.middle.slopes();
    let around =
        |t: f64| guess.interval.map(|s| ChartCoords { s, t, z: middle.z + zs * (s - middle.s) + zt * (t - middle.t) });
    let start = solve(newton, &[(nodes[first], around(nodes[first].at))], scale)[0].ok_or(None)?;
    // Both sides at once: four ends in SIMD lanes.
    let sides: [Vec<&QuadratureNode>; 2] = [nodes[..first].iter().rev().collect(), nodes[first + 1..].iter().collect()];
    let mut found: [Vec<Chord>; 2] = [Vec::with_capacity(sides[0].len()), Vec::with_capacity(sides[1].len())];
    for k in 0..sides[0].len().max(sides[1].len()) {
        let (mut guesses, mut of_side) = ([(nodes[first], around(middle.t)); 2], [0; 2]);
        let mut count = 0;
        for side in 0..2 {
            let Some(at) = sides[side].get(k) else { continue };
            let last = found[side].last().unwrap_or(&start);
            (guesses[count], of_side[count]) = ((**at, last.next(at.at, guess)), side);
            count += 1;
        }
        let chords = solve(newton, &guesses[..count], scale);
        for (chord, side) in chords.into_iter().zip(of_side).take(count) {
            match chord {
                Some(chord) => found[side].push(chord),
                None => {
                    let last = *found[side].last().unwrap_or(&start);
                    return Err(Some(Box::new(MissingChord { last, side })));
                }
            }
        }
    }
    let [below, above] = found;
    let mut chords = Vec::with_capacity(nodes.len());
    chords.extend(below.into_iter().rev());
    chords.push(start);
    chords.extend(above);
    Ok(chords)
}

/// One or two chords from guesses of their ends.
fn solve(newton: &Newton, guesses: &[(QuadratureNode, [ChartCoords; 2])], scale: &PatchScale) -> [Option<Chord>; 2] {
    let guess = |(_, ends): &(QuadratureNode, [ChartCoords; 2])| {
        [EndGuess { coords: ends[0], outward: -1.0 }, EndGuess { coords: ends[1], outward: 1.0 }]
    };
    let pairs = [guess(&guesses[0]), guess(guesses.last().unwrap_or(&guesses[0]))];
    let ends = newton.newton_ends(&pairs.as_flattened()[..2 * guesses.len()], scale);
    let chord = |i: usize| {
        let (at, [low, high]) = guesses.get(i)?;
        let inner = ChartCoords { s: 0.5 * (low.s + high.s), t: low.t, z: 0.5 * (low.z + high.z) };
        let lower = ends[2 * i].or_else(|| newton.bracketed_end(inner, -1.0, scale))?;
        let upper = ends[2 * i + 1].or_else(|| newton.bracketed_end(inner, 1.0, scale))?;
        let chord = Chord { t: at.at, weight: at.weight, ends: [lower, upper] };
        (chord.length() > 0.0).then_some(chord)
    };
    [chord(0), chord(1)]
}
