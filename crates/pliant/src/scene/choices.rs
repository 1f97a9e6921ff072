//! Words of the format that stand for values: one list for the key table, the schema and the reader.
//!
//! *The idea*: every list of words is an enum, of the model where it has one. The key table takes its [`Words::WORDS`], the
//! reader asks [`Fields::choice`](super::node::Fields::choice) for a value of it and matches all variants. A variant without a
//! word, or a word without a meaning, does not compile.

use crate::model::{Interpolation, JointType, Response, Scheme};

/// An enum whose variants are words of the format.
pub(super) trait Words: Copy + 'static {
    /// All of them, in the order of the variants.
    const WORDS: &'static [&'static str];

    /// The word of a variant.
    fn word(self) -> &'static str;

    /// The variant of a word.
    fn from_word(word: &str) -> Option<Self>;
}

macro_rules! words {
    ($type:ident { $($variant:ident = $word:literal,)+ }) => {
        impl Words for $type {
            const WORDS: &'static [&'static str] = &[$($word),+];

            fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

macro_rules! choices {
    ($($(#[$doc:meta])* $type:ident { $($variant:ident = $word:literal,)+ })+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub(super) enum $type {
                $($variant,)+
            }

            words! { $type { $($variant = $word,)+ } }
        )+
    };
}

words! { Scheme { Auto = "auto", Explicit = "explicit", Implicit = "implicit", } }
words! { Response { Soft = "soft", Rigid = "rigid", } }
words! { Interpolation { Smooth = "smooth", Linear = "linear", } }
words! { JointType { Fixed = "fixed", Ball = "ball", Hinge = "hinge", Slider = "slider", } }

choices! {
    /// A motion that needs no table.
    MotionWord { Rigid = "rigid", Point = "point", Fixed = "fixed", }

    /// The key that names the motion in its table.
    MotionKey { Rigid = "rigid", Point = "point", Fixed = "fixed", Keyed = "keyed", }

    /// A bulge that needs no table.
    BulgeWord { None = "none", }

    /// The key that names the bulge in its table.
    BulgeKey { Dilation = "dilation", Attenuated = "attenuated", }

    /// A bulge's height that is no number.
    HeightWord { KeepVolume = "keep-volume", }

    /// A kernel that needs no table.
    KernelWord { Linear = "linear", NonLinear = "non-linear", Hardening = "hardening", Metaball = "metaball", }

    /// Field around a form: of the distance, or by convolution.
    FieldMethod { Distance = "distance", Convolution = "convolution", }

    /// Nodes of a network that never move.
    PinnedNodes { None = "none", Corners = "corners", Border = "border", }

    /// The key that names the form of a skeleton.
    FormKey {
        Point = "point",
        Segment = "segment",
        Polyline = "polyline",
        Curve = "curve",
        Triangle = "triangle",
        Mesh = "mesh",
        Patch = "patch",
        Disc = "disc",
        Circle = "circle",
        Ball = "ball",
        Box = "box",
        HalfSpace = "half_space",
    }
}

impl FormKey {
    /// Whether the form has an inside, at distance zero throughout.
    pub(super) fn is_solid(self) -> bool {
        match self {
            Self::Ball | Self::Box | Self::HalfSpace => true,
            Self::Point | Self::Segment | Self::Polyline | Self::Curve | Self::Triangle => false,
            Self::Mesh | Self::Patch | Self::Disc | Self::Circle => false,
        }
    }

    /// Whether the form is made of segments or triangles, along which a kernel can be integrated.
    pub(super) fn has_convolution(self) -> bool {
        match self {
            Self::Segment | Self::Polyline | Self::Triangle | Self::Mesh => true,
            Self::Point | Self::Curve | Self::Patch | Self::Disc => false,
            Self::Circle | Self::Ball | Self::Box | Self::HalfSpace => false,
        }
    }
}
