//! The scene as the rest of the engine uses it: resolved, checked, in SI units.

use super::TieSpec;
use crate::fields::Element;
use crate::math::{DVec3, Frame};

/// Everything a simulation starts from. Made by [`Scene::parse`]; may also be built in code.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// A line for people.
    pub title: String,
    /// Simulated time, s. Zero records only the start; very long ones fill the disk.
    pub duration: f64,
    /// Recorded frames a second. The step never exceeds a frame; very high ones fill the disk.
    pub frame_rate: f64,
    /// Acceleration of free fall, m/s².
    pub gravity: DVec3,
    /// Field value `c` of every surface. Kernels in `bodies` must have been made with the same.
    pub isovalue: f64,
    /// How time is stepped.
    pub motion: MotionSettings,
    /// Relative error allowed in a contact's force. Too large: forces flicker. Too small: slow.
    pub contact_tolerance: f64,
    /// The bodies, names all different.
    pub bodies: Vec<BodySpec>,
    /// What ties them together.
    pub ties: Vec<TieSpec>,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            title: "Untitled".to_owned(),
            duration: 1.0,
            frame_rate: 60.0,
            gravity: DVec3::new(0.0, 0.0, -9.81),
            isovalue: 1.0,
            motion: MotionSettings::default(),
            contact_tolerance: CONTACT_TOLERANCE,
            bodies: Vec::new(),
            ties: Vec::new(),
        }
    }
}

impl Scene {
    /// Frames recorded, the start included.
    pub fn frame_count(&self) -> usize {
        // The small excess keeps 0.1 s at 30/s, 3.0000000000000004 or 2.9999999999999996, at three steps.
        (self.duration * self.frame_rate * (1.0 + 1e-12) + 1e-9).floor() as usize + 1
    }

    /// When the last frame is, s. Less than `duration` where that is no whole number of frames.
    pub fn last_frame_time(&self) -> f64 {
        (self.frame_count() - 1) as f64 / self.frame_rate
    }
}

/// How steps follow forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Implicit where there are joints or springs, or more than [`MANY_BODIES`] that forces move; explicit otherwise.
    Auto,
    /// Short steps that keep energy.
    Explicit,
    /// Long steps that are stable however stiff bodies are, and lose energy.
    Implicit,
}

/// Where nothing else is said, scenes with more bodies that forces move are stepped implicitly. Fewer: impacts of a few
/// bodies lose energy. More: heaps take minutes a second.
pub const MANY_BODIES: usize = 50;

/// How time is stepped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionSettings {
    /// Explicit or implicit.
    pub scheme: Scheme,
    /// Whether bodies that have come to rest sleep until something wakes them; implicit steps only. On: what creeps stops.
    /// Off: heaps at rest cost as much as those that move.
    pub sleep: bool,
    /// Longest implicit step, s. Too long: impacts are soft and lose height. Too short: slow.
    pub implicit_step: f64,
    /// Longest explicit step, s. Too long: fast bodies pass through thin ones. Too short: slow.
    pub largest_step: f64,
    /// Shortest step, s. Too long: hard impacts fail. Too short: they take ages.
    pub smallest_step: f64,
    /// Step as a fraction of the fastest contact's period. Too large: contacts gain energy. Too small: slow.
    pub step_safety: f64,
    /// Overlap, as a fraction of the smaller thickness, beyond which a step is taken back.
    /// Too large: bodies may pass through each other. Too small: soft bodies never get squeezed.
    pub largest_overlap: f64,
}

impl Default for MotionSettings {
    fn default() -> Self {
        Self {
            scheme: Scheme::Auto,
            sleep: true,
            implicit_step: 1.0 / 60.0,
            largest_step: 5e-4,
            smallest_step: 1e-7,
            step_safety: 0.02,
            largest_overlap: 0.5,
        }
    }
}

/// [`Scene::contact_tolerance`] where nothing else is said; a world made in code has it, too.
pub const CONTACT_TOLERANCE: f64 = 1e-3;

/// One body at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySpec {
    /// Names the body in results.
    pub name: String,
    /// What it is made of.
    pub material: Material,
    /// Whether it deforms.
    pub response: Response,
    /// What moves it.
    pub motion: MotionSpec,
    /// `world_from_body` at the start; for keyed motion, the first key's.
    pub placement: Frame,
    /// Of the centre of mass, m/s.
    pub velocity: DVec3,
    /// In world axes, rad/s.
    pub angular_velocity: DVec3,
    /// Contributions to the field, in the body's frame; at least one.
    pub elements: Vec<Element>,
    /// A rigid core inside the soft shape; often empty.
    pub core: Vec<Element>,
}

/// How a body answers a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Response {
    /// Deforms.
    #[default]
    Soft,
    /// Keeps its shape and deforms others.
    Rigid,
}

/// What moves a body.
#[derive(Clone, Debug, PartialEq)]
pub enum MotionSpec {
    /// Moves under forces, never turns.
    Point {
        /// kg; none means density times rest volume. Too small: tiny steps.
        mass: Option<f64>,
    },
    /// Moves and turns under forces.
    Rigid {
        /// kg; none means density times rest volume. Too small: tiny steps.
        mass: Option<f64>,
    },
    /// Follows keys whatever it meets.
    Keyed(Keys),
    /// Never moves.
    Fixed,
}

impl Default for MotionSpec {
    fn default() -> Self {
        Self::Rigid { mass: None }
    }
}

/// Placements at given times. Before the first and after the last the body rests.
#[derive(Clone, Debug, PartialEq)]
pub struct Keys {
    /// At least one; times strictly increasing.
    pub keys: Vec<Key>,
    /// What happens between them.
    pub interpolation: Interpolation,
}

/// Where a body is at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// s from the start.
    pub time: f64,
    /// `world_from_body`.
    pub placement: Frame,
}

/// How placements between keys are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Without jumps in velocity.
    #[default]
    Smooth,
    /// With constant velocity between keys.
    Linear,
}

/// What a body is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// K, Pa: pressure is `K (f − c)`. Too small: bodies sink into each other until steps are refused.
    /// Too large: steps shrink as `1/√K`.
    pub stiffness: f64,
    /// kg/m³, for bodies without a mass.
    pub density: f64,
    /// λ, √(Pa s/m): traction `λ_a λ_b` times the relative velocity, along the surface as well as across it, whatever the
    /// friction. Zero: contacts ring. Large: they stick.
    pub damping: f64,
    /// Coulomb's μ.
    pub friction: f64,
    /// From 0 (keeps all volume where the bulge's height is [`Height::KeepVolume`]) to 1 (keeps none).
    pub compressibility: f64,
    /// How the surface swells around a contact.
    pub bulge: Bulge,
}

impl Material {
    /// Of bodies that deform, where a scene says nothing else.
    pub const SOFT: Self = Self {
        stiffness: 1e5,
        density: 1000.0,
        damping: 70.0,
        friction: 0.5,
        compressibility: 0.0,
        bulge: Bulge::DILATION,
    };
    /// Of bodies that do not: so stiff that an overlap is not seen.
    pub const RIGID: Self = Self { stiffness: 1e8, bulge: Bulge::None, ..Self::SOFT };

    /// The default for a response.
    pub fn of(response: Response) -> Self {
        match response {
            Response::Soft => Self::SOFT,
            Response::Rigid => Self::RIGID,
        }
    }
}

impl Default for Material {
    fn default() -> Self {
        Self::SOFT
    }
}

/// How the surface swells around a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bulge {
    /// It does not.
    None,
    /// Dies out with the distance from the contact (`PAPERS.md`, Ours: attenuated bulges).
    Attenuated {
        /// How high.
        height: Height,
        /// w, metres; none derives it from the kernels. Too wide: reaches bodies that are far away.
        width: Option<f64>,
    },
    /// Shaped by the other body's field (`PAPERS.md`, Ours: dilation).
    Dilation {
        /// How high.
        height: Height,
        /// c₀ as a fraction of the isovalue. The bulge ends where the other field has fallen to half of it: near 0 it is
        /// as wide as the field, near 1 half the isovalue wide. In front of a motion it follows it ends at c₀ itself.
        reach: f64,
        /// Where it is highest, as a fraction of the isovalue between `reach/2` and 1; none means half-way. Nearer than
        /// asked where the bulge is low, or shorter than that.
        middle: Option<f64>,
        /// Higher and shorter in front of a moving body.
        follows_motion: bool,
    },
}

impl Bulge {
    /// What soft bodies do where a scene says nothing else.
    pub const DILATION: Self =
        Self::Dilation { height: Height::DEFAULT, reach: 0.5, middle: None, follows_motion: false };
}

impl Default for Bulge {
    fn default() -> Self {
        Self::DILATION
    }
}

/// How high a bulge is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Height {
    /// As a fraction of the largest compression on the patch. Above about 1 it is cut off by the other body.
    Ratio(f64),
    /// Such that the bulge holds what was pressed away, less the compressibility.
    KeepVolume,
}

impl Height {
    /// Visible, and within what most kernels can hold.
    pub const DEFAULT: Self = Self::Ratio(0.3);
}

impl Default for Height {
    fn default() -> Self {
        Self::DEFAULT
    }
}
