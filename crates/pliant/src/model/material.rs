//! Materials: stiffness, damping, friction, and the bulge around contacts.

/// Material of a body.
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
    /// From 0 (all volume is kept where the bulge's height is [`Height::KeepVolume`]) to 1 (none is).
    pub compressibility: f64,
    /// Bulge of the surface around a contact.
    pub bulge: Bulge,
}

impl Material {
    /// Default of bodies that deform.
    pub const SOFT: Self = Self {
        stiffness: 1e5,
        density: 1000.0,
        damping: 70.0,
        friction: 0.5,
        compressibility: 0.0,
        bulge: Bulge::DILATION,
    };
    /// Default of rigid bodies: so stiff that an overlap is not visible.
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

/// Response of a body to a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Response {
    /// Deforms.
    #[default]
    Soft,
    /// Keeps its shape and deforms others.
    Rigid,
}

/// Bulge of the surface around a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bulge {
    /// No bulge.
    None,
    /// Dies out with the distance from the contact (`PAPERS.md`, Ours: attenuated bulges).
    Attenuated {
        /// Height of the bulge.
        height: Height,
        /// w, metres; none derives it from the kernels. Too wide: reaches bodies that are far away.
        width: Option<f64>,
    },
    /// Shaped by the other body's field (`PAPERS.md`, Ours: dilation).
    Dilation {
        /// Height of the bulge.
        height: Height,
        /// c₀ as a fraction of the isovalue; `reach` in scenes. The bulge ends where the other field is `c₀/2`. Near 0
        /// the bulge spans the whole field; near 1 it ends where the other field is half the isovalue. With
        /// `follows_motion`, ahead of a moving body the bulge ends where the other field equals c₀.
        falloff: f64,
        /// Field of the other body at which the bulge is highest, as a fraction of the isovalue, between `falloff/2`
        /// and 1; none: half-way. Nearer to the contact where the bulge is low or short.
        middle: Option<f64>,
        /// Higher and shorter in front of a moving body.
        follows_motion: bool,
    },
}

impl Bulge {
    /// Default of soft bodies.
    pub const DILATION: Self =
        Self::Dilation { height: Height::DEFAULT, falloff: 0.5, middle: None, follows_motion: false };
}

impl Default for Bulge {
    fn default() -> Self {
        Self::DILATION
    }
}

/// Height of a bulge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Height {
    /// As a fraction of the largest compression on the patch. Above about 1 it is cut off by the other body.
    Ratio(f64),
    /// Solved for: the bulge holds the volume pressed away, times one minus the compressibility.
    KeepVolume,
}

impl Height {
    /// Visible, and within the range of most kernels.
    pub const DEFAULT: Self = Self::Ratio(0.3);
}

impl Default for Height {
    fn default() -> Self {
        Self::DEFAULT
    }
}
