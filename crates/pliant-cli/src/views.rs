//! The view of a request and its scales, chosen once for all its frames, so that colours and arrows mean the same in each.

use crate::args::{AxisPlane, RenderArgs, Shown};
use crate::failure::Failure;
use crate::numbers::short;
use crate::plot;
use pliant::bodies::Body;
use pliant::math::{Aabb, DVec3};
use pliant::render::{CutPlane, OverlayScales, View, displacement, peak_excess};
use pliant::surface::Sampling;
use pliant::{Contact, World};
use pliant_media::{MediaError, Picture};

/// A view with its scale.
#[derive(Clone, Copy, Debug)]
pub enum ScaledView {
    /// Surfaces, traced.
    Traced(View),
    /// A plane through fields, and their isovalue.
    Cut(CutPlane, f64),
}

/// Extremes of the frames of a request.
#[derive(Clone, Debug, Default)]
pub struct FrameSurvey {
    /// Boxes of bounded bodies, one a body and frame.
    pub boxes: Vec<Aabb>,
    /// Greatest forces and tensions.
    pub overlays: OverlayScales,
    /// Greatest pressure, pascals.
    pressure: f64,
    /// Greatest displacements in and out, metres.
    moved: (f64, f64),
    /// The largest contact: its area, deepest point and normal.
    largest: Option<(f64, DVec3, DVec3)>,
    /// Greatest excess of the field of each bounded body, one a body and frame, and the isovalue.
    excesses: Vec<f64>,
    iso: f64,
}

/// Samples to half a turn by which the greatest displacements are found. Fewer: narrow bulges are underestimated.
const LOOKS: usize = 24;

/// Samples to half a turn that are drawn: half of what volumes are measured by, so that each is seen by itself.
const SCALES: usize = 16;

/// Lines of a field, from its isovalue to its greatest value, at most; and outside, to nothing.
const LINES: f64 = 7.0;
const LINES_OUTSIDE: f64 = 5.0;

/// Room for the legend of a cut at the right, as a fraction of the picture's height.
const LEGEND: f64 = 0.5;

/// Least ratio of the scales of displacements out and in, and the other way round.
const MIN_WAY: f64 = 0.1;

impl FrameSurvey {
    /// Adds a frame: the bodies `shown` of `world`.
    pub fn add(&mut self, world: &World, shown: &[usize], view: Shown) {
        self.overlays = self.overlays.union(OverlayScales::of(world));
        let bounded = |i: &&usize| world.bounds(**i).is_finite();
        for &i in shown.iter().filter(bounded) {
            let Body { coat, .. } = &world.bodies()[i];
            self.boxes.push(world.bounds(i));
            self.excesses.push(peak_excess(&coat[0].shape));
            self.iso = coat[0].shape.iso();
            if view == Shown::Deformation {
                self.add_ways(world, i);
            }
        }
        let of_shown = |c: &&Contact| shown.contains(&c.pair.a.body) || shown.contains(&c.pair.b.body);
        for Contact { patch, .. } in world.contacts().iter().filter(of_shown) {
            self.pressure = self.pressure.max(patch.max_pressure);
            if self.largest.is_none_or(|l| patch.area > l.0) {
                self.largest = Some((patch.area, patch.deepest, patch.on_a.force.normalize_or_zero()));
            }
        }
    }

    fn add_ways(&mut self, world: &World, i: usize) {
        let body = world.deformed(i);
        if body.colliders.is_empty() {
            return;
        }
        let samples = Sampling::new(body.field.shape, LOOKS).sample(&body).samples;
        let sampled = samples.iter().filter(|s| s.valid).map(|s| s.position);
        let deepest =
            world.contacts().iter().filter(|c| c.pair.a.body == i || c.pair.b.body == i).map(|c| c.patch.deepest);
        for way in sampled.chain(deepest).map(|p| displacement(&body, p)) {
            self.moved = (self.moved.0.max(-way), self.moved.1.max(way));
        }
    }

    /// The median: lines crowd in a body much stiffer, and are few in one much softer.
    fn usual_excess(&self) -> f64 {
        let mut excesses = self.excesses.clone();
        excesses.sort_unstable_by(f64::total_cmp);
        let middle = excesses.get(excesses.len().saturating_sub(1) / 2).copied().filter(|excess| *excess > 0.0);
        middle.unwrap_or(if self.iso > 0.0 { self.iso } else { 1.0 })
    }

    /// Around everything; around the origin if everything is unbounded.
    pub fn bounds(&self) -> Aabb {
        let all = self.boxes.iter().fold(Aabb::EMPTY, |all, b| all.union(b));
        if all.is_empty() { Aabb::around(DVec3::ZERO, 1.0) } else { all }
    }
}

impl ScaledView {
    /// The view that `args` ask for, on scales for the frames surveyed.
    pub fn new(args: &RenderArgs, found: &FrameSurvey) -> Result<Self, Failure> {
        let or_one = |x: f64| if x > 0.0 { rounded_up(x) } else { 1.0 };
        Ok(Self::Traced(match args.shown() {
            Shown::Light => View::Beauty,
            Shown::Pressure => View::Pressure { most: or_one(found.pressure) },
            Shown::Depth => View::Depth,
            Shown::Normals => View::Normals,
            Shown::Samples => View::Samples { fineness: SCALES },
            Shown::Deformation => {
                let (pressed, swollen) = found.moved;
                let scale = |way: f64, other: f64| or_one(way.max(MIN_WAY * other));
                View::Deformation { pressed: scale(pressed, swollen), swollen: scale(swollen, pressed) }
            }
            Shown::Cut => return plane(args, found).map(|cut| Self::Cut(cut, found.iso)),
        }))
    }

    /// `picture` with a legend of its colours and lines.
    pub fn with_legend(&self, picture: Picture) -> Result<Picture, MediaError> {
        match self {
            Self::Traced(View::Pressure { most }) => plot::with_pressures(&picture, *most),
            Self::Traced(View::Deformation { pressed, swollen }) => {
                plot::with_displacements(&picture, *pressed, *swollen)
            }
            Self::Cut(cut, iso) => plot::with_lines(&picture, cut, *iso),
            Self::Traced(_) => Ok(picture),
        }
    }
}

/// The plane asked for, or the upright one that shows most of the largest contact, or of the bodies.
fn plane(args: &RenderArgs, found: &FrameSurvey) -> Result<CutPlane, Failure> {
    let (place, axes) = match (args.cut, found.largest) {
        (Some(AxisPlane { axis, at }), _) => {
            let mut place = found.bounds().center();
            place[axis] = at;
            (place, [[DVec3::Y, DVec3::Z], [DVec3::X, DVec3::Z], [DVec3::X, DVec3::Y]][axis])
        }
        (None, Some((_, place, normal))) => {
            let across = DVec3::new(normal.x, normal.y, 0.0);
            // A contact that lies flat is seen from the front, others from where they are seen edge on.
            let right = if across.length() > 0.1 { across.normalize() } else { DVec3::X };
            (place, [if right.x < -1e-9 { -right } else { right }, DVec3::Z])
        }
        (None, None) => (found.bounds().center(), [DVec3::X, DVec3::Z]),
    };
    let bounds = found.bounds();
    let all = if found.boxes.is_empty() { &[bounds][..] } else { &found.boxes[..] };
    let aspect = f64::from(args.size.0) / f64::from(args.size.1);
    let room = if aspect > 2.0 * LEGEND { LEGEND } else { 0.0 };
    let Some(mut cut) = CutPlane::framing(all, place, axes, aspect - room) else {
        let AxisPlane { axis, at } = args.cut.unwrap_or(AxisPlane { axis: 1, at: place.y });
        let name = ["x", "y", "z"][axis];
        let (from, to) = (short(bounds.min[axis]), short(bounds.max[axis]));
        let words = format!("nothing is cut at {name}={}; the bodies lie from {name}={from} to {name}={to}", short(at));
        return Err(Failure::Request(words));
    };
    cut.at += 0.5 * room * cut.height * axes[0];
    let excess = found.usual_excess();
    let step = round_step(excess / LINES);
    cut.most = step * (excess / step - 1e-9).ceil();
    cut.steps = [step, found.iso / LINES_OUTSIDE];
    Ok(cut)
}

/// The next number of two digits, the last of them even, so that half of it is short, too.
fn rounded_up(x: f64) -> f64 {
    let unit = 2.0 * 10f64.powf(x.log10().floor() - 1.0);
    (x / unit).ceil() * unit
}

/// The next of 1, 2 and 5 times a power of ten.
pub fn round_step(x: f64) -> f64 {
    let unit = 10f64.powf(x.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|n| n * unit).into_iter().find(|step| *step >= x * (1.0 - 1e-9)).unwrap_or(x)
}
