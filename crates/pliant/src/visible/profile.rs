//! Bulge profiles: height of the surface beside a contact, as a function of one variable.
//!
//! *The idea*: a profile starts at zero with the slope that continues the compression, rises to a height, and ends at
//! zero with zero slope, so that the deformed surface is C¹ at the border of the patch and where the bulge ends.
//! *What we changed*: widths shrink with the height, so that a bulge grows from nothing at first touch.
//! *Not promised*: C² at either end.

/// [OC97] §3, in the potential of the collider: `b(y)`, `y ≥ 0` the negative excess of the collider.
/// Two cubics that meet at `middle` with `height`; slope 1 at `y = 0`, zero from `end` on.
///
/// `middle` is at most three heights: beyond that the first cubic would overshoot, and the bulge would stand
/// at its full width at first touch instead of growing from nothing.
///
/// [OC97]: crate#papers
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dilation {
    height: f64,
    middle: f64,
    end: f64,
}

impl Dilation {
    /// A bulge of `height`, highest at `middle` or before, ending at `end`; all in field units, `middle < end`.
    pub fn new(height: f64, middle: f64, end: f64) -> Self {
        Self { height, middle: middle.min(3.0 * height), end }
    }

    /// `b(y)` and its slope.
    pub fn value_and_slope(&self, y: f64) -> (f64, f64) {
        let Self { height: h, middle: m, end } = *self;
        if !(h > 0.0 && y > 0.0 && y < end) {
            return (0.0, if y == 0.0 { 1.0 } else { 0.0 });
        }
        if y <= m {
            let (c2, c3) = ((3.0 * h - 2.0 * m) / (m * m), (m - 2.0 * h) / (m * m * m));
            (y * (1.0 + y * (c2 + y * c3)), 1.0 + y * (2.0 * c2 + 3.0 * y * c3))
        } else {
            let (width, u) = (end - m, (end - y) / (end - m));
            (h * u * u * (3.0 - 2.0 * u), -6.0 * h * u * (1.0 - u) / width)
        }
    }

    /// Whether the bulge would cross the surface midway between the bodies, where it is cut off: it does as soon as
    /// the first cubic bends upward, `h > 2m/3`.
    pub fn is_cut_off(&self) -> bool {
        self.height > 2.0 / 3.0 * self.middle
    }
}

/// [G93] App. B, [CD97] eq. 10, in the distance `x` from the interpenetration: slope `slope` at `x = 0`, maximum
/// `height` half-way, zero from the width on.
///
/// The width is at most `6 height/slope`: below `height = width·slope/6` the first cubic overshoots and the bulge
/// would already be `0.074·slope·width` high at first touch.
///
/// [G93]: crate#papers
/// [CD97]: crate#papers
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attenuation {
    height: f64,
    slope: f64,
    width: f64,
}

impl Attenuation {
    /// Height and slope in field units and per metre, width in metres.
    pub fn new(height: f64, slope: f64, width: f64) -> Self {
        Self { height, slope, width: width.min(6.0 * height / slope) }
    }

    /// `a(x)` and its slope.
    pub fn value_and_slope(&self, x: f64) -> (f64, f64) {
        let Self { height: a0, slope: k, width: w } = *self;
        if !(a0 > 0.0 && x > 0.0 && x < w) {
            return (0.0, if x == 0.0 { k } else { 0.0 });
        }
        if x <= 0.5 * w {
            let (p1, p2) = (4.0 * (w * k - 4.0 * a0) / (w * w * w), 4.0 * (3.0 * a0 - w * k) / (w * w));
            (x * (k + x * (p2 + x * p1)), k + x * (2.0 * p2 + 3.0 * x * p1))
        } else {
            let (v, scale) = (x - w, 4.0 * a0 / (w * w * w));
            (scale * v * v * (4.0 * x - w), scale * v * (12.0 * x - 6.0 * w))
        }
    }

    /// Whether the bulge would cross the surface midway between the bodies: it does when the first cubic bends upward.
    pub fn is_cut_off(&self) -> bool {
        3.0 * self.height > self.width * self.slope
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected slope, height and end of a profile.
    struct Expected {
        slope: f64,
        height: f64,
        end: f64,
    }

    fn check(name: &str, at: impl Fn(f64) -> (f64, f64), Expected { slope, height, end }: Expected) {
        // The curve bends within a few heights over slopes of its start.
        let eps = 1e-9 * end.min(height / slope);
        assert!((at(eps).1 / slope - 1.0).abs() < 1e-6, "{name} starts with slope {}", at(eps).1);
        let (value, last) = at(end - eps);
        assert!(value < 1e-12 * height.max(1.0) && last.abs() < 1e-5 * slope, "{name} ends at {value}, {last}");
        let mut highest = 0.0f64;
        for i in 1..1000 {
            let y = end * i as f64 / 1000.0;
            let (value, slope_here) = at(y);
            highest = highest.max(value);
            let h = 1e-6 * end;
            let difference = (at(y + h).0 - at(y - h).0) / (2.0 * h);
            assert!((difference - slope_here).abs() < 1e-3 * slope, "{name} at {y}: {slope_here} {difference}");
        }
        assert!((highest / height - 1.0).abs() < 1e-3, "{name} rises to {highest}, not {height}");
    }

    #[test]
    fn every_bulge_starts_with_its_slope_rises_to_its_height_and_ends_flat() {
        for height in [1e-4, 0.01, 0.1, 0.3] {
            let b = Dilation::new(height, 0.3, 0.8);
            check("dilation", |y| b.value_and_slope(y), Expected { slope: 1.0, height, end: 0.8 });
            let a = Attenuation::new(height, 10.0, 0.1);
            check("attenuation", |x| a.value_and_slope(x), Expected { slope: 10.0, height, end: a.width });
        }
    }

    #[test]
    fn a_bulge_grows_from_nothing() {
        for height in [1e-3, 1e-6, 1e-9] {
            let highest =
                |at: &dyn Fn(f64) -> f64| (0..2000).map(|i| at(i as f64 * height / 100.0)).fold(0.0, f64::max);
            assert!(highest(&|y| Dilation::new(height, 0.3, 0.8).value_and_slope(y).0) <= height * (1.0 + 1e-9));
            assert!(highest(&|x| Attenuation::new(height, 1.0, 0.1).value_and_slope(x).0) <= height * (1.0 + 1e-9));
        }
    }
}
