//! What a figure is made of: strokes and words, in the order they are put down.

/// From the top left corner, x to the right and y down; 96 to the inch.
pub type Point = [f64; 2];

/// Red, green and blue in sRGB.
pub type Color = [u8; 3];

/// A figure of a given size.
pub struct Sheet {
    /// Across and down.
    pub size: Point,
    /// Says what the figure is; not drawn.
    pub about: String,
    /// The first is lowest.
    pub marks: Vec<Mark>,
}

/// One thing on a sheet.
pub enum Mark {
    /// What follows belongs together, under this name, until the end.
    Begin(&'static str),
    /// Of what belongs together.
    End,
    /// From point to point.
    Line(Vec<Point>, Stroke),
    /// A full circle.
    Dot { at: Point, radius: f64, color: Color },
    /// A line of text.
    Words(Words),
}

/// How a line is drawn.
#[derive(Clone, Copy)]
pub struct Stroke {
    pub width: f64,
    pub color: Color,
    /// Lengths drawn and left out in turn; empty for a whole line.
    pub dashes: &'static [f64],
}

/// Text and its place.
pub struct Words {
    pub text: String,
    /// On the line the letters stand on.
    pub at: Point,
    /// Of the font, from line to line.
    pub size: f64,
    pub anchor: Anchor,
    /// Whether it runs upwards.
    pub upright: bool,
    pub color: Color,
}

/// Which part of a text is at its place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}
