//! A plane cut through fields, as [G93] and [CD97] show contact (figs. 3, 4 and 8 of one, 2 and 4 of the other).
//!
//! *The idea*: a level of a field is `(f − v)/|∇f|` away, to first order, so that lines have the same width everywhere and
//! need no search. Inside bodies and around them lines join equal values of the *deformed* field; broken lines are rest
//! shapes; a thick one is where two bodies share their surface.
//! *Not promised*: widths of lines where a gradient in the plane vanishes or jumps within a pixel.
//!
//! [CD97]: https://doi.org/10.1109/2945.582343
//! [G93]: https://doi.org/10.1145/166117.166157

use super::hit::{Seen, Stage};
use super::image::Image;
use crate::fields::{Element, Field, Sample, Shape};
use crate::math::{Aabb, DVec3};
use rayon::prelude::*;

/// Where a cut lies and what of it is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// Middle of the picture, metres.
    pub at: DVec3,
    /// To the right and to the top of the picture, unit, at right angles.
    pub axes: [DVec3; 2],
    /// From the picture's bottom to its top, metres.
    pub height: f64,
    /// How much the field changes from line to line, inside bodies and outside; 0 draws none.
    pub steps: [f64; 2],
    /// How far above the isovalue a field is shown darkest.
    pub most: f64,
}

/// How much wider than the bodies a picture is: the fields around them are to be seen, too.
const MARGIN: f64 = 1.35;

/// Half the width of lines, pixels of a picture [`USUAL`] high: of a field, of a rest shape, of a surface and of a contact.
const FIELD: f64 = 0.35;
const REST: f64 = 0.55;
const OUTLINE: f64 = 0.9;
const CONTACT: f64 = 2.2;
/// Lines are wider in larger pictures, and never thinner than in this one.
const USUAL: f64 = 360.0;
/// Lines of a field fade where they are this close, pixels, and are gone at less than half of it.
const CLOSE: f64 = 5.0;
/// Of a broken line, pixels: what is drawn, and as much is left out.
const DASH: f64 = 4.0;

const PAPER: DVec3 = DVec3::new(0.955, 0.955, 0.94);
const INK: DVec3 = DVec3::new(0.012, 0.012, 0.016);

/// Looks at a pixel, across and down.
const LOOKS: usize = 2;

impl Cut {
    /// A cut along `axes` through `at` that shows what of `bounds` is in the plane, in a picture `aspect` times as wide as
    /// high. None if that is nothing.
    pub fn framing(bounds: &[Aabb], (at, axes): (DVec3, [DVec3; 2]), aspect: f64) -> Option<Self> {
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
        let seen = Aabb::of_points(bounds.iter().filter(is_cut).flat_map(corners).map(in_plane));
        if seen.is_empty() || !seen.is_finite() {
            return None;
        }
        let (middle, size) = (seen.center(), seen.size());
        let height = MARGIN * size.y.max(size.x / aspect);
        let at = at + middle.x * axes[0] + middle.y * axes[1];
        Some(Self { at, axes, height, steps: [0.0; 2], most: 1.0 })
    }

    /// The place in the plane of a place in a picture of `size` pixels, from its top left corner.
    fn place(&self, (x, y): (f64, f64), size: (f64, f64)) -> DVec3 {
        let pixel = self.height / size.1;
        self.at + pixel * ((x - 0.5 * size.0) * self.axes[0] + (0.5 * size.1 - y) * self.axes[1])
    }
}

/// How far above its isovalue the field of a body at rest rises, at its skeletons.
pub fn rise(shape: &Shape) -> f64 {
    let middle = |e: &Element| {
        let influence = e.influence();
        influence.is_finite().then(|| e.core_point(influence.center()).unwrap_or(influence.center()))
    };
    let above = shape.elements().iter().filter_map(middle).map(|p| shape.value(p) - shape.iso());
    above.filter(|rise| rise.is_finite()).fold(0.0, f64::max)
}

/// A picture of a cut.
pub fn cut(stage: &Stage, cut: &Cut, size: (u32, u32)) -> Image {
    let (width, height) = (f64::from(size.0), f64::from(size.1));
    let bodies = stage.bodies.iter().map(|seen| {
        let rest = &seen.field.field;
        Body { seen, around: rest.influence() }
    });
    let sheet = Sheet { bodies: bodies.collect(), cut, pixel: cut.height / height, wide: (height / USUAL).max(1.0) };
    let pixel = |x: u32, y: u32| {
        let mut sum = DVec3::ZERO;
        for look in 0..LOOKS * LOOKS {
            let part = |i: usize| (i as f64 + 0.5) / LOOKS as f64;
            let at = (f64::from(x) + part(look % LOOKS), f64::from(y) + part(look / LOOKS));
            sum += sheet.color(cut.place(at, (width, height)));
        }
        (sum / (LOOKS * LOOKS) as f64).to_array().map(|v| v as f32)
    };
    let row = |y: u32| (0..size.0).map(move |x| (x, y));
    let pixels = (0..size.1).into_par_iter().flat_map_iter(row).map(|(x, y)| pixel(x, y)).collect();
    Image { width: size.0, height: size.1, pixels }
}

struct Body<'a> {
    seen: &'a Seen<'a>,
    /// Where its field is not zero.
    around: Aabb,
}

struct Sheet<'a> {
    bodies: Vec<Body<'a>>,
    cut: &'a Cut,
    /// Metres.
    pixel: f64,
    /// How many times as wide as usual lines are.
    wide: f64,
}

/// A field where it is looked at.
#[derive(Clone, Copy)]
struct Here {
    /// Above the isovalue.
    above: f64,
    /// Along the picture's axes, by which it changes over a pixel.
    slope: [f64; 2],
}

impl Here {
    fn rate(&self) -> f64 {
        self.slope[0].hypot(self.slope[1])
    }

    /// Pixels to where the field is `level` above its isovalue: positive where it is more.
    fn to(&self, level: f64) -> f64 {
        (self.above - level) / self.rate().max(f64::MIN_POSITIVE)
    }
}

/// What of a point is covered by a line, given its distance from the middle, in pixels.
fn line(distance: f64, half_width: f64) -> f64 {
    (half_width + 0.5 - distance.abs()).clamp(0.0, 1.0)
}

impl Sheet<'_> {
    fn here(&self, s: Sample, iso: f64) -> Here {
        Here { above: s.value - iso, slope: self.cut.axes.map(|axis| s.gradient.dot(axis) * self.pixel) }
    }

    fn color(&self, p: DVec3) -> DVec3 {
        let near: Vec<(&Seen, Here, Here)> = self
            .bodies
            .iter()
            .filter(|body| body.around.contains(p))
            .map(|Body { seen, .. }| {
                let (rest, iso) = (&seen.field.field, seen.field.field.shape.iso());
                let at_rest = self.here(rest.sample(p), iso);
                let deformed =
                    if seen.field.colliders.is_empty() { at_rest } else { self.here(seen.field.sample(p), iso) };
                (*seen, deformed, at_rest)
            })
            .collect();
        let mut color = PAPER;
        for (seen, deformed, _) in &near {
            color = self.surroundings(color, seen, deformed);
        }
        for (seen, deformed, _) in &near {
            color = self.solid(color, seen, deformed);
        }
        for (seen, deformed, rest) in &near {
            if deformed.to(0.0).abs() > 1.0 {
                let drawn = 0.65 * line(rest.to(0.0), REST * self.wide) * self.dash(p, rest);
                color = color.lerp(dark(seen), drawn);
            }
        }
        for (seen, deformed, _) in &near {
            color = color.lerp(dark(seen), line(deformed.to(0.0), OUTLINE * self.wide));
        }
        color.lerp(INK, self.contact(&near))
    }

    /// The field around a body: a breath of its colour, and lines.
    fn surroundings(&self, under: DVec3, seen: &Seen, here: &Here) -> DVec3 {
        if here.above >= 0.0 {
            return under;
        }
        let iso = seen.field.field.shape.iso();
        let tint = (1.0 + here.above / iso).clamp(0.0, 1.0);
        let color = under.lerp(DVec3::from_array(seen.color), 0.16 * tint);
        color.lerp(dark(seen), 0.45 * self.lines(here, self.cut.steps[1]))
    }

    fn solid(&self, under: DVec3, seen: &Seen, here: &Here) -> DVec3 {
        let inside = (0.5 + here.to(0.0)).clamp(0.0, 1.0);
        let part = (here.above / self.cut.most).clamp(0.0, 1.0);
        let fill = PAPER.lerp(DVec3::from_array(seen.color), tint(part));
        let fill =
            if here.above > 0.0 { fill.lerp(dark(seen), 0.7 * self.lines(here, self.cut.steps[0])) } else { fill };
        under.lerp(fill, inside)
    }

    /// Lines of equal values, but for the surface itself.
    fn lines(&self, here: &Here, step: f64) -> f64 {
        let apart = step / here.rate();
        if !(step > 0.0 && apart.is_finite()) {
            return 0.0;
        }
        let nearest = (here.above / step).round();
        // What is no more than rounding away from zero is the end of a field, not a line of it.
        if nearest == 0.0 || apart > 1e6 {
            return 0.0;
        }
        let fade = (2.0 * apart / (CLOSE * self.wide) - 1.0).clamp(0.0, 1.0);
        fade * line(here.to(nearest * step), FIELD * self.wide)
    }

    /// 1 or 0 in turns along a line, by the axis that it runs along rather than across.
    fn dash(&self, p: DVec3, here: &Here) -> f64 {
        let axis = usize::from(here.slope[0].abs() > here.slope[1].abs());
        let along = (p - self.cut.at).dot(self.cut.axes[axis]) / self.pixel;
        if (along / (DASH * self.wide)).rem_euclid(2.0) < 1.0 { 1.0 } else { 0.0 }
    }

    /// Where two bodies share a surface: the deformed surface of one, within both rest shapes.
    fn contact(&self, near: &[(&Seen, Here, Here)]) -> f64 {
        let mut covered = 0.0f64;
        for (i, (seen, deformed, rest)) in near.iter().enumerate() {
            let is_within = |(j, (_, _, other)): (usize, &(&Seen, Here, Here))| j != i && other.to(0.0) > -0.5;
            let pressed = !seen.field.colliders.is_empty() && rest.to(0.0) > -0.5;
            if pressed && near.iter().enumerate().any(is_within) {
                covered = covered.max(line(deformed.to(0.0), CONTACT * self.wide));
            }
        }
        covered
    }
}

/// How much of a body's colour shows where its field has come so far from its isovalue to its greatest.
pub fn tint(part: f64) -> f64 {
    0.28 + 0.66 * part
}

fn dark(seen: &Seen) -> DVec3 {
    DVec3::from_array(seen.color) * 0.3
}
