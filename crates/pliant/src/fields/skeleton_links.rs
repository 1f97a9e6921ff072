//! Parts of a shape: elements, each fixed to one link. Skeletons of one body that move against each other are on several
//! links.

use super::Element;

/// Number of a link within its body: a frame of the body that moves on its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkNumber(pub u32);

impl LinkNumber {
    /// The first link; the only one of a rigid body.
    pub const ROOT: Self = Self(0);

    /// Place of the link in arrays of its body.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An element and the link that carries it.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// In the frame of its link.
    pub element: Element,
    /// Moves the element.
    pub link: LinkNumber,
}

impl From<Element> for Part {
    /// Carried by the first link.
    fn from(element: Element) -> Self {
        Self { element, link: LinkNumber::ROOT }
    }
}
