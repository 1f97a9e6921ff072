//! Overlays: contact forces, contact borders, joints and springs as marks to draw over a picture.
//!
//! *The idea*: a mark is world geometry with a width in pixels ([`OverlayMark`]); it knows no camera, so the same marks serve
//! every view, and callers may add their own. Scales are chosen once for all frames of a movie ([`OverlayScales`]), so that an
//! arrow of one length always means the same force.
//! *Not promised*: broken joints and springs are not drawn; neither are contacts and joints of bodies that were not asked for.

mod borders;
mod force_arrows;
mod joints;
mod marks;

pub use force_arrows::ForceScale;
pub use marks::{OverlayMark, OverlayShape};

use crate::math::Aabb;
use crate::world::World;
use std::str::FromStr;

/// A kind of overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Overlay {
    /// An arrow for each contact force, on every body that forces can move.
    Forces,
    /// Lines around contact surfaces.
    Borders,
    /// A symbol for each joint: a dot for a ball joint, an axis with a ring for a hinge, an axis with two heads for a slider, a cube
    /// for a fixed joint.
    Joints,
    /// A coil for each spring, a line for each rope: blue pushes, grey is slack, red pulls.
    Springs,
}

/// A name that is no overlay.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no overlay; there are forces, borders, joints and springs")]
pub struct UnknownOverlay(pub String);

impl Overlay {
    /// Every overlay, in the order in which they are drawn.
    pub const ALL: [Self; 4] = [Self::Borders, Self::Springs, Self::Joints, Self::Forces];

    /// Name in commands.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forces => "forces",
            Self::Borders => "borders",
            Self::Joints => "joints",
            Self::Springs => "springs",
        }
    }
}

impl FromStr for Overlay {
    type Err = UnknownOverlay;

    fn from_str(text: &str) -> Result<Self, UnknownOverlay> {
        let name = text.trim();
        Self::ALL.into_iter().find(|o| o.name() == name).ok_or_else(|| UnknownOverlay(name.to_owned()))
    }
}

/// Extremes of one or several frames, from which scales are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OverlayScales {
    /// Greatest contact force, newtons.
    pub force: f64,
    /// Greatest tension or push of a spring, newtons.
    pub tension: f64,
    /// Longest side of the box around all bounded bodies, metres.
    pub size: f64,
}

/// Length of the longest arrow over the size of all bodies. Longer: arrows leave the picture. Shorter: small forces vanish.
const LONGEST: f64 = 0.3;

impl OverlayScales {
    /// Extremes of a world as it is now.
    pub fn of(world: &World) -> Self {
        let boxes = (0..world.bodies().len()).map(|i| world.bounds(i)).filter(Aabb::is_finite);
        let all = boxes.fold(Aabb::EMPTY, |all, b| all.union(&b));
        let size = if all.is_empty() { 0.0 } else { all.size().max_element() };
        Self { force: force_arrows::greatest(world), tension: joints::greatest_tension(world), size }
    }

    /// Extremes of both.
    pub fn union(self, other: Self) -> Self {
        Self {
            force: self.force.max(other.force),
            tension: self.tension.max(other.tension),
            size: self.size.max(other.size),
        }
    }

    /// A readable scale on which the greatest force is a tenth to a third of the size of all bodies. None if there is no force.
    pub fn force_scale(&self) -> Option<ForceScale> {
        let newtons = round_down(self.force)?;
        let metres = round_down(LONGEST * self.size * newtons / self.force)?;
        Some(ForceScale { newtons, metres })
    }
}

/// The greatest of 1, 2 and 5 times a power of ten that is not above `x`; none unless `x` is positive and finite.
fn round_down(x: f64) -> Option<f64> {
    if !(x > 0.0 && x.is_finite()) {
        return None;
    }
    let unit = 10f64.powf(x.log10().floor());
    [5.0, 2.0, 1.0].into_iter().map(|n| n * unit).find(|step| *step <= x * (1.0 + 1e-9))
}

/// Overlays of all bodies of a world, on scales for the world as it is now.
pub fn overlays(world: &World, show: &[Overlay]) -> Vec<OverlayMark> {
    let bodies: Vec<usize> = (0..world.bodies().len()).collect();
    overlays_of(world, &bodies, show, &OverlayScales::of(world))
}

/// Overlays of some bodies, on given scales.
pub fn overlays_of(world: &World, bodies: &[usize], show: &[Overlay], scales: &OverlayScales) -> Vec<OverlayMark> {
    let mut marks = Vec::new();
    for overlay in Overlay::ALL.into_iter().filter(|o| show.contains(o)) {
        marks.extend(match overlay {
            Overlay::Forces => force_arrows::marks(world, bodies, scales.force_scale()),
            Overlay::Borders => borders::marks(world, bodies),
            Overlay::Joints => joints::joint_marks(world, bodies),
            Overlay::Springs => joints::spring_marks(world, bodies, scales.tension),
        });
    }
    marks
}
