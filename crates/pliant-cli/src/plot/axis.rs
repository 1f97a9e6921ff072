//! Axes: round numbers at even steps, in units that keep them short.

use crate::numbers::{PREFIXES, fixed};

/// Of the span, left free above and below curves, so that the outermost are not on the frame.
const MARGIN: f64 = 0.05;
/// A span narrower than this part of its numbers is rounding.
const ROUNDING: f64 = 1e-9;

/// A stretch of numbers and those that are marked.
#[derive(Debug)]
pub struct Axis {
    pub low: f64,
    pub high: f64,
    pub ticks: Vec<f64>,
    decimals: usize,
}

impl Axis {
    /// From `low` to `high`, with at least so many marks and no more than about three times as many.
    pub fn new(low: f64, high: f64, least: usize) -> Self {
        let most = low.abs().max(high.abs());
        let (low, high) = if high - low > ROUNDING * most {
            (low, high)
        } else {
            let half = if most > 0.0 { 0.5 * most } else { 0.5 };
            (low - half, high + half)
        };
        let (step, decimals) = round_step(low, high, least);
        let (first, last) = marked(low, high, step);
        let ticks = (first..=last).map(|i| i as f64 * step).collect();
        Self { low, high, ticks, decimals }
    }

    /// The same for curves, which get some room.
    pub fn with_margins(low: f64, high: f64, least: usize) -> Self {
        let room = MARGIN * (high - low);
        Self::new(low - room, high + room, least)
    }

    /// Where a number is, from 0 to 1.
    pub fn part(&self, x: f64) -> f64 {
        (x - self.low) / (self.high - self.low)
    }

    /// A mark's number, with a real minus sign.
    pub fn label(&self, tick: f64) -> String {
        fixed(tick, self.decimals).replace('-', "−")
    }
}

/// The first and the last multiple of `step`, counted in steps.
fn marked(low: f64, high: f64, step: f64) -> (i64, i64) {
    ((low / step - 1e-6).ceil() as i64, (high / step + 1e-6).floor() as i64)
}

/// The greatest of 1, 2 and 5 times a power of ten with enough multiples, and how many decimals those have.
fn round_step(low: f64, high: f64, least: usize) -> (f64, usize) {
    let power = (high - low).log10().ceil() as i32;
    let mut steps =
        (power - 3..=power).rev().flat_map(|p| [5.0, 2.0, 1.0].map(|m| (m * 10f64.powi(p), (-p).max(0) as usize)));
    let enough = |step: &(f64, usize)| {
        let (first, last) = marked(low, high, step.0);
        last - first + 1 >= least as i64
    };
    steps.find(enough).unwrap_or((high - low, 0))
}

/// A unit for numbers up to `most`, and its size. Tenths are shown as they are: 0.4 s, not 400 ms.
pub fn unit(most: f64, name: &str) -> (f64, String) {
    if most == 0.0 || (0.1..1000.0).contains(&most) {
        return (1.0, name.to_owned());
    }
    match PREFIXES.iter().find(|(size, _)| most >= *size) {
        Some((size, prefix)) if most < 1e15 => (*size, format!("{prefix}{name}")),
        _ => {
            let power = 3 * (most.log10() / 3.0).floor() as i32;
            (10f64.powi(power), format!("10{} {name}", raised(power)))
        }
    }
}

/// Square centimetres, unless they would be too few or too many.
pub fn area_unit(most: f64) -> (f64, String) {
    match most {
        x if x == 0.0 || (1e-5..1.0).contains(&x) => (1e-4, "cm²".to_owned()),
        x if (1e-8..1e-5).contains(&x) => (1e-6, "mm²".to_owned()),
        x if (1.0..1e4).contains(&x) => (1.0, "m²".to_owned()),
        x => {
            let power = 3 * (x.log10() / 3.0).floor() as i32;
            (10f64.powi(power), format!("10{} m²", raised(power)))
        }
    }
}

fn raised(power: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        digit => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize - '0' as usize],
    };
    power.to_string().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks.iter().map(|t| axis.label(*t)).collect()
    }

    #[test]
    fn marks_are_round_and_even() {
        assert_eq!(labels(&Axis::new(0.0, 1.3, 5)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0", "1.2"]);
        assert_eq!(labels(&Axis::new(-3.0, 17.0, 4)), ["0", "5", "10", "15"]);
        assert_eq!(labels(&Axis::new(0.0, 0.8, 3)), ["0.0", "0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(labels(&Axis::new(-0.001, 0.001, 3)), ["−0.001", "0.000", "0.001"]);
        assert_eq!(labels(&Axis::new(99.5, 100.5, 4)), ["99.6", "99.8", "100.0", "100.2", "100.4"]);
    }

    #[test]
    fn a_span_of_nothing_or_of_any_size_still_has_marks() {
        for (low, high) in [(0.0, 0.0), (3.0, 3.0), (1e300, 2e300), (0.0, 1e-300), (1e9, 1e9 + 1e-3), (-5.0, -5.0)] {
            let axis = Axis::with_margins(low, high, 3);
            assert!((3..=9).contains(&axis.ticks.len()), "{axis:?}");
            assert!(axis.part(low) >= 0.0 && axis.part(high) <= 1.0, "{axis:?}");
        }
    }

    #[test]
    fn units_keep_numbers_short() {
        let of = |most: f64| unit(most, "J");
        assert_eq!([of(0.0).1, of(0.4).1, of(0.02).1, of(5e4).1, of(3e17).1], ["J", "J", "mJ", "kJ", "10¹⁵ J"]);
        assert_eq!(of(2e-15), (1e-15, "10⁻¹⁵ J".to_owned()));
        assert_eq!([area_unit(2e-3).1, area_unit(2e-6).1, area_unit(4.0).1], ["cm²", "mm²", "m²"]);
    }
}
