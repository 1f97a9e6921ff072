//! Strokes: overlay marks rasterised over a picture.
//!
//! *The idea*: a mark becomes segments and triangles in the picture; the signed distance to their union gives anti-aliased
//! coverage, with an outline of the opposite lightness around it. Parts behind a surface shine through faintly: contacts and
//! joints are inside or between bodies, where they would not be seen at all. Rays tell what is behind, for covered pixels only.
//! *Not promised*: marks behind each other are drawn in their order, not by depth.

use super::camera::{Camera, ImagePoint, Projection};
use super::image::Image;
use super::overlay::{OverlayMark, OverlayShape};
use super::ray::Ray;
use super::scene::RenderScene;
use crate::math::DVec3;
use rayon::prelude::*;

/// Height of a picture in which widths are as given, pixels. In others they are in proportion, but not below half.
const USUAL: f64 = 360.0;
const MIN_SCALE: f64 = 0.5;
/// Width of the outline, pixels of a usual picture.
const OUTLINE: f64 = 0.9;
/// Opacity of outlines.
const OUTLINE_OPACITY: f64 = 0.85;
/// Distance behind a surface at which the opacity of a hidden mark has halved, over the size of the scene. Larger: marks of a heap
/// cover each other. Smaller: forces inside a body cannot be read.
const XRAY: f64 = 0.2;
/// Distances behind a surface at which a mark begins to fade and has faded, pixels: lines on a surface must not.
const FADES: (f64, f64) = (2.0, 6.0);
/// Length and half the width of an arrow's head over the width of its shaft.
const HEAD: (f64, f64) = (5.0, 2.1);
/// Lengths in the picture from which a spring has windings, and from which they are in full, pixels.
const COILED: (f64, f64) = (22.0, 60.0);
/// Half the width of a coil over its length, and at most, pixels.
const COIL: (f64, f64) = (0.08, 5.0);
/// Least radius of a symbol, pixels.
const SYMBOL: f64 = 7.0;
/// Rays a covered pixel, across and down.
const RAYS: usize = 2;
/// Nearest depth that is drawn, over the distance of focus.
const NEAR: f64 = 1e-3;

/// Draws the overlays of `scene` over its picture.
pub(super) fn draw(image: &mut Image, scene: &RenderScene, camera: &Camera) {
    let Some(projection) = Projection::new(camera).filter(|_| !scene.overlays.is_empty()) else { return };
    let (width, height) = (f64::from(image.width), f64::from(image.height));
    let xray_depth = XRAY * scene.bounds().size().max_element();
    let canvas = StrokePainter { projection, width, height, scale: (height / USUAL).max(MIN_SCALE), xray_depth };
    let covers: Vec<Vec<Cover>> = scene.overlays.par_iter().map(|mark| canvas.cover(mark)).collect();
    let mut pixels: Vec<u32> = covers.iter().flatten().map(|c| c.pixel).collect();
    pixels.sort_unstable();
    pixels.dedup();
    let depths: Vec<Depths> = pixels.par_iter().map(|&pixel| canvas.depths(scene, pixel)).collect();
    for (mark, covered) in scene.overlays.iter().zip(&covers) {
        for cover in covered {
            let Ok(at) = pixels.binary_search(&cover.pixel) else { continue };
            let pixel = &mut image.pixels[cover.pixel as usize];
            let under = DVec3::from_array(pixel.map(f64::from));
            let visible = canvas.visibility(&depths[at], f64::from(cover.depth), mark.hidden);
            *pixel = canvas.blended(under, mark, cover, visible).to_array().map(|v| v as f32);
        }
    }
}

/// A pixel that a mark covers.
struct Cover {
    pixel: u32,
    /// Signed distance to the mark's edge, pixels; negative inside.
    edge: f32,
    /// Axial depth of the mark, over the distance of focus.
    depth: f32,
}

/// Axial depths of the surfaces at parts of a pixel, over the distance of focus.
type Depths = [f32; RAYS * RAYS];

/// A point in the picture, pixels from the top left corner, and its axial depth over the distance of focus.
#[derive(Clone, Copy)]
struct Dot {
    x: f64,
    y: f64,
    depth: f64,
}

impl Dot {
    fn distance(self, other: Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }

    fn lerp(self, other: Self, t: f64) -> Self {
        let between = |a: f64, b: f64| a + t * (b - a);
        // The reciprocal of axial depth is linear in the picture.
        let depth = 1.0 / between(1.0 / self.depth, 1.0 / other.depth);
        Self { x: between(self.x, other.x), y: between(self.y, other.y), depth }
    }

    fn moved(self, x: f64, y: f64) -> Self {
        Self { x: self.x + x, y: self.y + y, ..self }
    }
}

/// A shape in the picture.
enum PixelShape {
    /// All within `radius` pixels of a segment.
    Segment { ends: [Dot; 2], radius: f64 },
    /// A filled triangle.
    Triangle([Dot; 3]),
}

impl PixelShape {
    /// Signed distance of a pixel's middle, and the depth there.
    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        match self {
            Self::Segment { ends: [a, b], radius } => {
                let (dx, dy) = (b.x - a.x, b.y - a.y);
                let length_sq = dx * dx + dy * dy;
                let t = if length_sq > 0.0 { ((x - a.x) * dx + (y - a.y) * dy) / length_sq } else { 0.0 };
                let on = a.lerp(*b, t.clamp(0.0, 1.0));
                ((x - on.x).hypot(y - on.y) - radius, on.depth)
            }
            Self::Triangle(corners) => {
                let cross = |a: Dot, b: Dot, x: f64, y: f64| (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
                let turn = cross(corners[0], corners[1], corners[2].x, corners[2].y).signum();
                let side = |i: usize| {
                    let (a, b) = (corners[i], corners[(i + 1) % 3]);
                    -turn * cross(a, b, x, y) / a.distance(b).max(1e-9)
                };
                (side(0).max(side(1)).max(side(2)), corners[0].depth)
            }
        }
    }

    /// Least and greatest coordinates, pixels.
    fn bounds(&self) -> ([f64; 2], [f64; 2]) {
        let (points, grow): (&[Dot], f64) = match self {
            Self::Segment { ends, radius } => (ends, *radius),
            Self::Triangle(corners) => (corners, 0.0),
        };
        let least = |f: fn(&Dot) -> f64| points.iter().map(f).fold(f64::INFINITY, f64::min) - grow;
        let most = |f: fn(&Dot) -> f64| points.iter().map(f).fold(f64::NEG_INFINITY, f64::max) + grow;
        ([least(|d| d.x), least(|d| d.y)], [most(|d| d.x), most(|d| d.y)])
    }
}

/// The picture's geometry.
struct StrokePainter {
    projection: Projection,
    width: f64,
    height: f64,
    /// Factor on widths.
    scale: f64,
    /// See [`XRAY`], metres.
    xray_depth: f64,
}

impl StrokePainter {
    /// A world point in the picture; none behind the camera.
    fn dot(&self, p: DVec3) -> Option<Dot> {
        let (at, _) = self.projection.project(p)?;
        let depth = self.projection.depth(p);
        let [x, y] = at.to_pixels([self.width, self.height]);
        let dot = Dot { x, y, depth };
        (dot.x.is_finite() && dot.y.is_finite() && depth > 0.0).then_some(dot)
    }

    /// A world segment in the picture, without the part behind the camera.
    fn segment(&self, a: DVec3, b: DVec3) -> Option<[Dot; 2]> {
        let ahead = |p: DVec3| self.projection.depth(p) - NEAR;
        let (da, db) = (ahead(a), ahead(b));
        let cut = |from: DVec3, to: DVec3, df: f64, dt: f64| from.lerp(to, df / (df - dt));
        match (da > 0.0, db > 0.0) {
            (true, true) => Some([self.dot(a)?, self.dot(b)?]),
            (true, false) => Some([self.dot(a)?, self.dot(cut(a, b, da, db))?]),
            (false, true) => Some([self.dot(cut(b, a, db, da))?, self.dot(b)?]),
            (false, false) => None,
        }
    }

    fn strokes(&self, shape: &OverlayShape) -> Vec<PixelShape> {
        let radius = |width: f64| 0.5 * width * self.scale;
        let line = |points: &[DVec3], width: f64| -> Vec<PixelShape> {
            let one = points.first().filter(|_| points.len() == 1).map(|p| [*p, *p]);
            let pairs = points.windows(2).map(|w| [w[0], w[1]]).chain(one);
            let segments = pairs.filter_map(|[a, b]| self.segment(a, b));
            segments.map(|ends| PixelShape::Segment { ends, radius: radius(width) }).collect()
        };
        match shape {
            OverlayShape::Line { points, width } => line(points, *width),
            OverlayShape::Arrow { from, to, width } => self.arrow(*from, *to, radius(*width)),
            OverlayShape::Coil { ends, turns, width } => self.coil(*ends, *turns, radius(*width)),
            OverlayShape::Symbol { at, radius: size, lines, width } => {
                let Some((_, metre)) = self.projection.project(*at) else { return Vec::new() };
                let pixels = 0.5 * self.height * metre * size;
                let grow = (SYMBOL * self.scale / pixels).max(1.0);
                let placed = |points: &Vec<DVec3>| points.iter().map(|p| *at + grow * *p).collect::<Vec<_>>();
                lines.iter().flat_map(|points| line(&placed(points), *width)).collect()
            }
        }
    }

    /// A dot, a shaft and a head; smaller where there is no room.
    fn arrow(&self, from: DVec3, to: DVec3, radius: f64) -> Vec<PixelShape> {
        let Some([a, b]) = self.segment(from, to) else { return Vec::new() };
        let length = a.distance(b);
        let head = (2.0 * radius * HEAD.0).min(0.6 * length);
        let small = head / (2.0 * radius * HEAD.0);
        let foot = PixelShape::Segment { ends: [a, a], radius: 1.6 * radius };
        if length < 1.0 {
            return vec![foot];
        }
        let (dx, dy) = ((b.x - a.x) / length, (b.y - a.y) / length);
        let base = a.lerp(b, 1.0 - head / length);
        let half = 2.0 * radius * HEAD.1 * small;
        let corners = [b, base.moved(-half * dy, half * dx), base.moved(half * dy, -half * dx)];
        let shaft =
            PixelShape::Segment { ends: [a, a.lerp(b, 1.0 - 0.8 * head / length)], radius: radius * small.max(0.5) };
        vec![foot, shaft, PixelShape::Triangle(corners)]
    }

    /// A wave between straight ends, which flattens to a line where it is short.
    fn coil(&self, ends: [DVec3; 2], turns: u32, radius: f64) -> Vec<PixelShape> {
        const POINTS: u32 = 8;
        let Some([a, b]) = self.segment(ends[0], ends[1]) else { return Vec::new() };
        let length = a.distance(b);
        let wound = ((length / self.scale - COILED.0) / (COILED.1 - COILED.0)).clamp(0.0, 1.0);
        let high = wound * (COIL.0 * length).min(COIL.1 * self.scale);
        if high < 0.3 {
            return vec![PixelShape::Segment { ends: [a, b], radius }];
        }
        let (dx, dy) = ((b.x - a.x) / length, (b.y - a.y) / length);
        let wave = (0..=turns * POINTS).map(|i| {
            let part = f64::from(i) / f64::from(turns * POINTS);
            let off = high * (std::f64::consts::TAU * f64::from(turns) * part).sin();
            a.lerp(b, 0.12 + 0.76 * part).moved(-off * dy, off * dx)
        });
        let points: Vec<Dot> = std::iter::once(a).chain(wave).chain([b]).collect();
        points.windows(2).map(|w| PixelShape::Segment { ends: [w[0], w[1]], radius: 0.8 * radius }).collect()
    }

    /// Pixels that a mark or its outline covers.
    fn cover(&self, mark: &OverlayMark) -> Vec<Cover> {
        let strokes: Vec<PixelShape> = mark.shapes.iter().flat_map(|shape| self.strokes(shape)).collect();
        let reach = OUTLINE * self.scale + 1.0;
        let span = |(least, most): ([f64; 2], [f64; 2])| {
            let clamp = |v: f64, size: f64| v.clamp(0.0, size) as usize;
            let columns = clamp((least[0] - reach).floor(), self.width)..clamp((most[0] + reach).ceil(), self.width);
            let rows = clamp((least[1] - reach).floor(), self.height)..clamp((most[1] + reach).ceil(), self.height);
            (columns, rows)
        };
        let spans: Vec<_> =
            strokes.iter().map(|s| span(s.bounds())).filter(|(c, r)| !c.is_empty() && !r.is_empty()).collect();
        let (Some(left), Some(right)) = (spans.iter().map(|s| s.0.start).min(), spans.iter().map(|s| s.0.end).max())
        else {
            return Vec::new();
        };
        let top = spans.iter().map(|s| s.1.start).min().unwrap_or(0);
        let bottom = spans.iter().map(|s| s.1.end).max().unwrap_or(0);
        let mut nearest = vec![(f32::INFINITY, 0f32); (right - left) * (bottom - top)];
        for stroke in &strokes {
            let (columns, rows) = span(stroke.bounds());
            for y in rows {
                for x in columns.clone() {
                    let (edge, depth) = stroke.at(x as f64 + 0.5, y as f64 + 0.5);
                    let best = &mut nearest[(y - top) * (right - left) + x - left];
                    if (edge as f32) < best.0 {
                        *best = (edge as f32, depth as f32);
                    }
                }
            }
        }
        let outer = (OUTLINE * self.scale + 0.5) as f32;
        let covered = nearest.iter().enumerate().filter(|(_, (edge, _))| *edge < outer);
        let cover = |(i, (edge, depth)): (usize, &(f32, f32))| {
            let (x, y) = (left + i % (right - left), top + i / (right - left));
            Cover { pixel: (y * self.width as usize + x) as u32, edge: *edge, depth: *depth }
        };
        covered.map(cover).collect()
    }

    /// Depths of surfaces at parts of a pixel; infinite for none.
    fn depths(&self, scene: &RenderScene, pixel: u32) -> Depths {
        let (x, y) = (f64::from(pixel) % self.width, (f64::from(pixel) / self.width).floor());
        let part = |i: usize| (i as f64 + 0.5) / RAYS as f64;
        let exact = 0.1 * self.projection.pixel(self.height as usize);
        std::array::from_fn(|i| {
            let (x, y) = (x + part(i % RAYS), y + part(i / RAYS));
            let at = ImagePoint::from_pixels(x, y, [self.width, self.height]);
            let ray = self.projection.ray(at, [0.0, 0.0]);
            let axial = 1.0 / self.projection.direction_through(at).length();
            scene.first(&ray, (0.0, Ray::FAR), exact).map_or(f32::INFINITY, |hit| (axial * hit.distance) as f32)
        })
    }

    /// Opacity: 1 in front of all surfaces, `hidden` just behind one.
    fn visibility(&self, surfaces: &Depths, depth: f64, hidden: f64) -> f64 {
        let pixel = self.projection.pixel(self.height as usize) * depth;
        let opacity = |surface: &f32| {
            let behind = (self.projection.focus() * (depth - f64::from(*surface))).max(0.0);
            let faded = ((behind / (pixel * self.scale) - FADES.0) / (FADES.1 - FADES.0)).clamp(0.0, 1.0);
            let through = hidden / (1.0 + (behind / self.xray_depth) * (behind / self.xray_depth));
            1.0 + faded * (through - 1.0)
        };
        surfaces.iter().map(opacity).sum::<f64>() / surfaces.len() as f64
    }

    fn blended(&self, under: DVec3, mark: &OverlayMark, cover: &Cover, visible: f64) -> DVec3 {
        let edge = f64::from(cover.edge);
        let within = |grow: f64| (0.5 - (edge - grow)).clamp(0.0, 1.0);
        let color = DVec3::from_array(mark.color);
        let is_light = color.dot(DVec3::new(0.21, 0.72, 0.07)) > 0.25;
        let outline = DVec3::splat(if is_light { 0.01 } else { 0.95 });
        // Around the shape only: under a hidden shape it would show through.
        let around = within(OUTLINE * self.scale) * (1.0 - within(0.0));
        let outline = (outline, OUTLINE_OPACITY * visible * around);
        // In square roots, which are closer to what the eye sees: half a black line looks half as dark.
        let root = |v: DVec3| v.max(DVec3::ZERO).map(f64::sqrt);
        let layers = [outline, (color, visible * within(0.0))];
        let mixed = layers.into_iter().fold(root(under), |sum, (ink, part)| sum.lerp(root(ink), part));
        mixed * mixed
    }
}
