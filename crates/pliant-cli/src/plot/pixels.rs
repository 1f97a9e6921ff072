//! Drawings as pixels.

use super::drawing::{Anchor, CanvasPoint, Color, Drawing, Label, Mark, Stroke};
use super::font;
use pliant_media::{MediaError, Picture};
use tiny_skia as skia;
use tiny_skia::{FillRule, LineJoin, Paint, PathBuilder, Pixmap, StrokeDash, Transform};
use ttf_parser::OutlineBuilder;

/// Pixels per unit, for 300 to the inch.
const SCALE: f64 = 300.0 / 96.0;

/// Paints a drawing on white.
pub fn paint(drawing: &Drawing) -> Result<Picture, MediaError> {
    let [width, height] = drawing.size.map(|x| (x * SCALE).round() as u32);
    let mut map = Pixmap::new(width, height).ok_or(MediaError::NoPixels(width, height))?;
    map.fill(skia::Color::WHITE);
    put(&mut map, &drawing.marks, SCALE);
    picture(&map)
}

/// Paints marks, whose positions are in pixels, over a picture.
pub fn paint_over(under: &Picture, marks: &[Mark]) -> Result<Picture, MediaError> {
    let (width, height) = under.size();
    let mut map = Pixmap::new(width, height).ok_or(MediaError::NoPixels(width, height))?;
    for (pixel, rgb) in map.pixels_mut().iter_mut().zip(under.pixels()) {
        *pixel = skia::ColorU8::from_rgba(rgb[0], rgb[1], rgb[2], 255).premultiply();
    }
    put(&mut map, marks, 1.0);
    picture(&map)
}

/// The opaque pixels of `map`.
fn picture(map: &Pixmap) -> Result<Picture, MediaError> {
    let rgb = map.pixels().iter().flat_map(|p| [p.red(), p.green(), p.blue()]).collect();
    Picture::new(map.width(), map.height(), rgb)
}

fn put(map: &mut Pixmap, marks: &[Mark], pixels: f64) {
    let scale = Transform::from_scale(pixels as f32, pixels as f32);
    for mark in marks {
        match mark {
            Mark::BeginGroup(_) | Mark::EndGroup => {}
            Mark::Line(points, stroke) => line(map, points, stroke, scale),
            Mark::Dot { at: [x, y], radius, color } => {
                if let Some(circle) = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32) {
                    map.fill_path(&circle, &ink(*color), FillRule::Winding, scale, None);
                }
            }
            Mark::Text(label) => text_path(map, label, pixels),
        }
    }
}

fn line(map: &mut Pixmap, points: &[CanvasPoint], stroke: &Stroke, scale: Transform) {
    let mut path = PathBuilder::new();
    for (i, [x, y]) in points.iter().map(|p| p.map(|x| x as f32)).enumerate() {
        if i == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    let dash = StrokeDash::new(stroke.dashes.iter().map(|x| *x as f32).collect(), 0.0);
    let how = skia::Stroke { width: stroke.width as f32, line_join: LineJoin::Round, dash, ..Default::default() };
    if let Some(path) = path.finish() {
        map.stroke_path(&path, &ink(stroke.color), &how, scale, None);
    }
}

/// Fills the outlines of a text's glyphs.
fn text_path(map: &mut Pixmap, label: &Label, pixels: f64) {
    let length = font::width(&label.text, label.size);
    let before = match label.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => length / 2.0,
        Anchor::End => length,
    };
    let mut outline = Outline { path: PathBuilder::new(), across: 0.0 };
    for (id, advance) in label.text.chars().map(font::glyph) {
        font::face().outline_glyph(id, &mut outline);
        outline.across += advance as f32;
    }
    let Some(path) = outline.path.finish() else { return };
    let (size, [x, y]) = ((label.size / font::units()) as f32, label.at.map(|x| x as f32));
    let placed = Transform::from_row(size, 0.0, 0.0, -size, -before as f32, 0.0)
        .post_concat(if label.vertical {
            Transform::from_row(0.0, -1.0, 1.0, 0.0, 0.0, 0.0)
        } else {
            Transform::identity()
        })
        .post_translate(x, y)
        .post_scale(pixels as f32, pixels as f32);
    map.fill_path(&path, &ink(label.color), FillRule::Winding, placed, None);
}

fn ink([r, g, b]: Color) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Default::default() };
    paint.set_color_rgba8(r, g, b, 255);
    paint
}

/// Collects glyph outlines, each moved right by `across`.
struct Outline {
    path: PathBuilder,
    across: f32,
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(x + self.across, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(x + self.across, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.path.quad_to(x1 + self.across, y1, x + self.across, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.path.cubic_to(x1 + self.across, y1, x2 + self.across, y2, x + self.across, y);
    }
    fn close(&mut self) {
        self.path.close();
    }
}
