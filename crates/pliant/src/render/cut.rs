//! Pictures of a plane through fields, as [G93] and [CD97] show contact (figs. 3, 4 and 8 of one, 2 and 4 of the other).
//!
//! *The idea*: the level `v` of a field is `(f − v)/|∇f|` away, to first order, so that lines have the same width everywhere
//! without a search. Inside bodies and around them, lines join equal values of the *deformed* field; broken lines are rest
//! shapes; thick lines are contact surfaces.
//! *Not promised*: the width of lines where the gradient in the plane vanishes or jumps within a pixel.
//!
//! [CD97]: https://doi.org/10.1109/2945.582343
//! [G93]: https://doi.org/10.1145/166117.166157

use super::image::Image;
use super::instance::Instance;
use super::scene::RenderScene;
use crate::fields::{Element, Field, Sample, Shape};
use crate::math::{Aabb, DVec3};
use rayon::prelude::*;

/// A rectangle of a plane, and the levels drawn in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutPlane {
    /// Middle of the picture, metres.
    pub at: DVec3,
    /// To the right and to the top of the picture, unit, at right angles.
    pub axes: [DVec3; 2],
    /// Height of the picture, metres.
    pub height: f64,
    /// Difference of the field from line to line, inside bodies and outside; 0 draws none.
    pub steps: [f64; 2],
    /// Excess over the isovalue of the darkest tint.
    pub most: f64,
}

/// Size of a picture over the size of the bodies, so that the fields around them show, too.
const MARGIN: f64 = 1.35;

/// Half the width of lines, pixels of a picture [`USUAL`] high: of a field, of a rest shape, of a surface and of a contact.
const FIELD: f64 = 0.35;
const REST: f64 = 0.55;
const OUTLINE: f64 = 0.9;
const CONTACT: f64 = 2.2;
/// Height of a picture above which lines become wider, pixels.
const USUAL: f64 = 360.0;
/// Spacing at which lines of a field begin to fade, pixels; at half of it they are gone.
const CLOSE: f64 = 5.0;
/// Length of a dash and of a gap, pixels.
const DASH: f64 = 4.0;

const PAPER: DVec3 = DVec3::new(0.955, 0.955, 0.94);
const INK: DVec3 = DVec3::new(0.012, 0.012, 0.016);

/// Subsamples of a pixel, across and down.
const SUBSAMPLES: usize = 2;

impl CutPlane {
    /// The plane along `axes` through `at`, framing those of `bounds` that it cuts, in a picture `aspect` times as wide as high.
    /// None if it cuts none.
    pub fn framing(bounds: &[Aabb], at: DVec3, axes: [DVec3; 2], aspect: f64) -> Option<Self> {
        let normal = axes[0].cross(axes[1]);
        let corners = |b: &Aabb| {
            let (b, at) = (*b, at);
            (0..8).map(move |i| {
                DVec3::from_array([0, 1, 2].map(|a| if i >> a & 1 == 0 { b.min[a] } else { b.max[a] })) - at
            })
        };
        let is_cut = |b: &&Aabb| {
            let sides = corners(b).map(|c| c.dot(normal));
            sides.clone().fold(f64::INFINITY, f64::min) <= 0.0 && sides.fold(f64::NEG_INFINITY, f64::max) >= 0.0
        };
        let in_plane = |c: DVec3| DVec3::new(c.dot(axes[0]), c.dot(axes[1]), 0.0);
        let framed = Aabb::of_points(bounds.iter().filter(is_cut).flat_map(corners).map(in_plane));
        if framed.is_empty() || !framed.is_finite() {
            return None;
        }
        let (middle, size) = (framed.center(), framed.size());
        let height = MARGIN * size.y.max(size.x / aspect);
        let at = at + middle.x * axes[0] + middle.y * axes[1];
        Some(Self { at, axes, height, steps: [0.0; 2], most: 1.0 })
    }

    /// World position of a point in a picture of `size` pixels, from its top left corner.
    fn world_point(&self, x: f64, y: f64, [width, height]: [f64; 2]) -> DVec3 {
        let pixel = self.height / height;
        self.at + pixel * ((x - 0.5 * width) * self.axes[0] + (0.5 * height - y) * self.axes[1])
    }
}

/// Greatest excess over the isovalue at the skeletons of a rest shape.
pub fn peak_excess(shape: &Shape) -> f64 {
    let middle = |e: &Element| {
        let influence = e.influence_bounds();
        influence.is_finite().then(|| e.medial_point(influence.center()).unwrap_or(influence.center()))
    };
    let above = shape.elements().iter().filter_map(middle).map(|p| shape.value(p) - shape.iso());
    above.filter(|rise| rise.is_finite()).fold(0.0, f64::max)
}

/// A picture of a plane through the fields of a scene.
pub fn paint_cut(scene: &RenderScene, cut: &CutPlane, size: (u32, u32)) -> Image {
    let (width, height) = (f64::from(size.0), f64::from(size.1));
    let bodies = scene.instances.iter().map(|instance| {
        let rest = &instance.field.field;
        CutInstance { instance, around: rest.influence_bounds() }
    });
    let painter =
        CutPainter { bodies: bodies.collect(), cut, pixel: cut.height / height, wide: (height / USUAL).max(1.0) };
    let pixel = |x: u32, y: u32| {
        let mut sum = DVec3::ZERO;
        for i in 0..SUBSAMPLES * SUBSAMPLES {
            let part = |i: usize| (i as f64 + 0.5) / SUBSAMPLES as f64;
            let (x, y) = (f64::from(x) + part(i % SUBSAMPLES), f64::from(y) + part(i / SUBSAMPLES));
            sum += painter.color(cut.world_point(x, y, [width, height]));
        }
        (sum / (SUBSAMPLES * SUBSAMPLES) as f64).to_array().map(|v| v as f32)
    };
    let row = |y: u32| (0..size.0).map(move |x| (x, y));
    let pixels = (0..size.1).into_par_iter().flat_map_iter(row).map(|(x, y)| pixel(x, y)).collect();
    Image { width: size.0, height: size.1, pixels }
}

/// An instance, and the box outside which its field is zero.
struct CutInstance<'a> {
    instance: &'a Instance<'a>,
    around: Aabb,
}

/// The plane, pixel by pixel.
struct CutPainter<'a> {
    bodies: Vec<CutInstance<'a>>,
    cut: &'a CutPlane,
    /// Size of a pixel, metres.
    pixel: f64,
    /// Factor on the width of lines.
    wide: f64,
}

/// A field at a point of the plane.
#[derive(Clone, Copy)]
struct LocalField {
    /// Excess over the isovalue.
    above: f64,
    /// Change over a pixel along the picture's axes.
    slope: [f64; 2],
}

impl LocalField {
    fn rate(&self) -> f64 {
        self.slope[0].hypot(self.slope[1])
    }

    /// Pixels to the line of excess `level`; positive where the field is greater.
    fn to(&self, level: f64) -> f64 {
        (self.above - level) / self.rate().max(f64::MIN_POSITIVE)
    }
}

/// Coverage of a point at a distance from the middle of a line, pixels.
fn line(distance: f64, half_width: f64) -> f64 {
    (half_width + 0.5 - distance.abs()).clamp(0.0, 1.0)
}

impl CutPainter<'_> {
    fn here(&self, s: Sample, iso: f64) -> LocalField {
        LocalField { above: s.value - iso, slope: self.cut.axes.map(|axis| s.gradient.dot(axis) * self.pixel) }
    }

    fn color(&self, p: DVec3) -> DVec3 {
        let near: Vec<(&Instance, LocalField, LocalField)> = self
            .bodies
            .iter()
            .filter(|body| body.around.contains(p))
            .map(|CutInstance { instance, .. }| {
                let (rest, iso) = (&instance.field.field, instance.field.field.shape.iso());
                let at_rest = self.here(rest.sample(p), iso);
                let deformed = if instance.field.colliders.is_empty() {
                    at_rest
                } else {
                    self.here(instance.field.sample(p), iso)
                };
                (*instance, deformed, at_rest)
            })
            .collect();
        let mut color = PAPER;
        for (instance, deformed, _) in &near {
            color = self.surroundings(color, instance, deformed);
        }
        for (instance, deformed, _) in &near {
            color = self.solid(color, instance, deformed);
        }
        for (instance, deformed, rest) in &near {
            if deformed.to(0.0).abs() > 1.0 {
                let drawn = 0.65 * line(rest.to(0.0), REST * self.wide) * self.dash(p, rest);
                color = color.lerp(dark(instance), drawn);
            }
        }
        for (instance, deformed, _) in &near {
            color = color.lerp(dark(instance), line(deformed.to(0.0), OUTLINE * self.wide));
        }
        color.lerp(INK, self.contact(&near))
    }

    /// The field around a body: a faint tint of its colour, and lines.
    fn surroundings(&self, under: DVec3, instance: &Instance, here: &LocalField) -> DVec3 {
        if here.above >= 0.0 {
            return under;
        }
        let iso = instance.field.field.shape.iso();
        let tint = (1.0 + here.above / iso).clamp(0.0, 1.0);
        let color = under.lerp(DVec3::from_array(instance.color), 0.16 * tint);
        color.lerp(dark(instance), 0.45 * self.lines(here, self.cut.steps[1]))
    }

    fn solid(&self, under: DVec3, instance: &Instance, here: &LocalField) -> DVec3 {
        let inside = (0.5 + here.to(0.0)).clamp(0.0, 1.0);
        let part = (here.above / self.cut.most).clamp(0.0, 1.0);
        let fill = PAPER.lerp(DVec3::from_array(instance.color), tint(part));
        let fill =
            if here.above > 0.0 { fill.lerp(dark(instance), 0.7 * self.lines(here, self.cut.steps[0])) } else { fill };
        under.lerp(fill, inside)
    }

    /// Lines of equal values, but for the surface itself.
    fn lines(&self, here: &LocalField, step: f64) -> f64 {
        let apart = step / here.rate();
        if !(step > 0.0 && apart.is_finite()) {
            return 0.0;
        }
        let nearest = (here.above / step).round();
        // A field of rounding size is the end of its support, not a line.
        if nearest == 0.0 || apart > 1e6 {
            return 0.0;
        }
        let fade = (2.0 * apart / (CLOSE * self.wide) - 1.0).clamp(0.0, 1.0);
        fade * line(here.to(nearest * step), FIELD * self.wide)
    }

    /// 1 or 0 in turns along a line, by the picture's axis that is closer to its direction.
    fn dash(&self, p: DVec3, here: &LocalField) -> f64 {
        let axis = usize::from(here.slope[0].abs() > here.slope[1].abs());
        let along = (p - self.cut.at).dot(self.cut.axes[axis]) / self.pixel;
        if (along / (DASH * self.wide)).rem_euclid(2.0) < 1.0 { 1.0 } else { 0.0 }
    }

    /// Contact surface: the deformed surface of one body within both rest shapes.
    fn contact(&self, near: &[(&Instance, LocalField, LocalField)]) -> f64 {
        let mut covered = 0.0f64;
        for (i, (instance, deformed, rest)) in near.iter().enumerate() {
            let is_within =
                |(j, (_, _, other)): (usize, &(&Instance, LocalField, LocalField))| j != i && other.to(0.0) > -0.5;
            let pressed = !instance.field.colliders.is_empty() && rest.to(0.0) > -0.5;
            if pressed && near.iter().enumerate().any(is_within) {
                covered = covered.max(line(deformed.to(0.0), CONTACT * self.wide));
            }
        }
        covered
    }
}

/// Part of a body's colour in its tint, for an excess from 0 to 1 of [`CutPlane::most`].
pub fn tint(part: f64) -> f64 {
    0.28 + 0.66 * part
}

fn dark(instance: &Instance) -> DVec3 {
    DVec3::from_array(instance.color) * 0.3
}
