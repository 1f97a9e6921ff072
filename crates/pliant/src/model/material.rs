//! Materials: stiffness, damping, friction, and the bulge around contacts.

use super::Response;

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
