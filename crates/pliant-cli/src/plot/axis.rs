//! Axes: ticks at round numbers, in units that keep their labels short.

use crate::numbers::{PREFIXES, fixed};

/// Fraction of the range left free at both ends. Smaller: curves lie on the frame. Larger: curves get less room.
const MARGIN: f64 = 0.05;
/// Range relative to the magnitude of its values below which it is rounding error.
const ROUNDING: f64 = 1e-9;

/// A range of numbers with ticks.
#[derive(Debug)]
pub struct Axis {
    pub low: f64,
    pub high: f64,
    pub ticks: Vec<f64>,
    decimals: usize,
}

impl Axis {
    /// From `low` to `high`, with `min_ticks` to about three times as many.
    pub fn new(low: f64, high: f64, min_ticks: usize) -> Self {
        let most = low.abs().max(high.abs());
        let (low, high) = if high - low > ROUNDING * most {
            (low, high)
        } else {
            let half = if most > 0.0 { 0.5 * most } else { 0.5 };
            (low - half, high + half)
        };
        let (step, decimals) = round_step(low, high, min_ticks);
        let (first, last) = multiples(low, high, step);
        let ticks = (first..=last).map(|i| i as f64 * step).collect();
        Self { low, high, ticks, decimals }
    }

    /// As [`new`](Axis::new), with free margins at both ends.
    pub fn with_margins(low: f64, high: f64, min_ticks: usize) -> Self {
        let room = MARGIN * (high - low);
        Self::new(low - room, high + room, min_ticks)
    }

    /// Position of a number on the axis, from 0 to 1.
    pub fn fraction(&self, x: f64) -> f64 {
        (x - self.low) / (self.high - self.low)
    }

    /// Label of a tick, with a typographic minus sign.
    pub fn label(&self, tick: f64) -> String {
        fixed(tick, self.decimals).replace('-', "−")
    }
}

/// The first and the last multiple of `step` in the range, divided by `step`.
fn multiples(low: f64, high: f64, step: f64) -> (i64, i64) {
    ((low / step - 1e-6).ceil() as i64, (high / step + 1e-6).floor() as i64)
}

/// The greatest of 1, 2 and 5 times a power of ten with enough multiples in the range, and its number of decimals.
fn round_step(low: f64, high: f64, min_ticks: usize) -> (f64, usize) {
    let power = (high - low).log10().ceil() as i32;
    let mut steps =
        (power - 3..=power).rev().flat_map(|p| [5.0, 2.0, 1.0].map(|m| (m * 10f64.powi(p), (-p).max(0) as usize)));
    let enough = |step: &(f64, usize)| {
        let (first, last) = multiples(low, high, step.0);
        last - first + 1 >= min_ticks as i64
    };
    steps.find(enough).unwrap_or((high - low, 0))
}

/// Size and name of a unit for numbers up to `largest`. Tenths have no prefix: 0.4 s, not 400 ms.
pub fn unit(largest: f64, name: &str) -> (f64, String) {
    if largest == 0.0 || (0.1..1000.0).contains(&largest) {
        return (1.0, name.to_owned());
    }
    match PREFIXES.iter().find(|(size, _)| largest >= *size) {
        Some((size, prefix)) if largest < 1e15 => (*size, format!("{prefix}{name}")),
        _ => {
            let power = 3 * (largest.log10() / 3.0).floor() as i32;
            (10f64.powi(power), format!("10{} {name}", superscript(power)))
        }
    }
}

/// Size and name of a unit for areas up to `largest`: square centimetres if these give short labels.
pub fn area_unit(largest: f64) -> (f64, String) {
    match largest {
        x if x == 0.0 || (1e-5..1.0).contains(&x) => (1e-4, "cm²".to_owned()),
        x if (1e-8..1e-5).contains(&x) => (1e-6, "mm²".to_owned()),
        x if (1.0..1e4).contains(&x) => (1.0, "m²".to_owned()),
        x => {
            let power = 3 * (x.log10() / 3.0).floor() as i32;
            (10f64.powi(power), format!("10{} m²", superscript(power)))
        }
    }
}

/// `power` in superscript digits.
fn superscript(power: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        digit => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize - '0' as usize],
    };
    power.to_string().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_range_has_ticks_within_it(low in -1e12..1e12, length in -15..15, min_ticks in 2_usize..6) {
            let high = low + 10f64.powi(length);
            let axis = Axis::new(low, high, min_ticks);
            prop_assert!((min_ticks..=3 * min_ticks).contains(&axis.ticks.len()), "{:?}", axis);
            // Ticks on an end may be off by rounding.
            prop_assert!(axis.ticks.iter().all(|t| (-1e-5..1.0 + 1e-5).contains(&axis.fraction(*t))), "{:?}", axis);
            prop_assert!(axis.fraction(low) >= 0.0 && axis.fraction(high) <= 1.0, "{:?}", axis);
        }
    }

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks.iter().map(|t| axis.label(*t)).collect()
    }

    #[test]
    fn ticks_are_round_and_evenly_spaced() {
        assert_eq!(labels(&Axis::new(0.0, 1.3, 5)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0", "1.2"]);
        assert_eq!(labels(&Axis::new(-3.0, 17.0, 4)), ["0", "5", "10", "15"]);
        assert_eq!(labels(&Axis::new(0.0, 0.8, 3)), ["0.0", "0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(labels(&Axis::new(-0.001, 0.001, 3)), ["−0.001", "0.000", "0.001"]);
        assert_eq!(labels(&Axis::new(99.5, 100.5, 4)), ["99.6", "99.8", "100.0", "100.2", "100.4"]);
    }

    #[test]
    fn an_empty_or_huge_range_has_ticks() {
        for (low, high) in [(0.0, 0.0), (3.0, 3.0), (1e300, 2e300), (0.0, 1e-300), (1e9, 1e9 + 1e-3), (-5.0, -5.0)] {
            let axis = Axis::with_margins(low, high, 3);
            assert!((3..=9).contains(&axis.ticks.len()), "{axis:?}");
            assert!(axis.fraction(low) >= 0.0 && axis.fraction(high) <= 1.0, "{axis:?}");
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
