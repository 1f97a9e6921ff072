//! Marks: world geometry with widths in pixels.

use crate::math::DVec3;

/// Shapes of one colour, drawn as one: where they overlap nothing shows twice.
#[derive(Clone, Debug, PartialEq)]
pub struct OverlayMark {
    /// Linear red, green and blue. A thin outline of the opposite lightness is drawn around it.
    pub color: [f64; 3],
    /// Opacity just behind a surface, from 0 to 1; it falls off farther behind. Much: marks inside bodies can be read. Little: a
    /// crowd of hidden marks does not cover the surfaces.
    pub hidden: f64,
    /// At least one.
    pub shapes: Vec<OverlayShape>,
}

/// A shape of a mark. Widths are pixels of a picture 360 high, and grow with the picture.
#[derive(Clone, Debug, PartialEq)]
pub enum OverlayShape {
    /// Straight segments between points.
    Line {
        /// World, metres; one point alone is a dot.
        points: Vec<DVec3>,
        /// Pixels.
        width: f64,
    },
    /// A shaft with a head.
    Arrow {
        /// World, metres.
        from: DVec3,
        /// The tip.
        to: DVec3,
        /// Pixels, of the shaft.
        width: f64,
    },
    /// A spring: straight where it is short in the picture.
    Coil {
        /// World, metres.
        ends: [DVec3; 2],
        /// Windings, however long it is.
        turns: u32,
        /// Pixels.
        width: f64,
    },
    /// Lines around a point, enlarged where they would be too small to be seen.
    Symbol {
        /// World, metres.
        at: DVec3,
        /// Radius of the lines around `at`, metres.
        radius: f64,
        /// Points relative to `at`, metres.
        lines: Vec<Vec<DVec3>>,
        /// Pixels.
        width: f64,
    },
}
