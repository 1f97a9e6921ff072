//! A drawing as a list of marks (strokes, dots and text) in painting order.

/// A position from the top left corner, x to the right and y down, 96 units to the inch.
pub type CanvasPoint = [f64; 2];

/// Red, green and blue in sRGB.
pub type Color = [u8; 3];

/// Marks on a page of a given size.
pub struct Drawing {
    /// Width and height.
    pub size: CanvasPoint,
    /// Description of the figure, for the metadata of the file.
    pub description: String,
    /// In painting order.
    pub marks: Vec<Mark>,
}

/// One element of a drawing.
pub enum Mark {
    /// Start of a named group of marks.
    BeginGroup(&'static str),
    /// End of the group.
    EndGroup,
    /// A polyline.
    Line(Vec<CanvasPoint>, Stroke),
    /// A filled circle.
    Dot { at: CanvasPoint, radius: f64, color: Color },
    /// A line of text.
    Text(Label),
}

/// Width, colour and dashes of a line.
#[derive(Clone, Copy)]
pub struct Stroke {
    pub width: f64,
    pub color: Color,
    /// Alternating lengths of dashes and gaps; empty for a solid line.
    pub dashes: &'static [f64],
}

/// A line of text and its position.
pub struct Label {
    pub text: String,
    /// Position of the anchor, on the baseline.
    pub at: CanvasPoint,
    /// Font size.
    pub size: f64,
    pub anchor: Anchor,
    /// Whether the text is turned to run upwards.
    pub vertical: bool,
    pub color: Color,
}

/// The part of a text that lies at its position.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}
