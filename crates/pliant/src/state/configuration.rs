//! A model in a state: placement and motion of everything at one time.

use super::model::Model;
use super::state::State;
use crate::bodies::{Body, Link, LinkId};
use crate::math::Frame;

/// A model in a state, without contacts: all that the broad phase needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Configuration<'a> {
    /// Bodies, joints and settings.
    pub model: &'a Model,
    /// Placement and motion of links.
    pub state: &'a State,
}

impl<'a> Configuration<'a> {
    /// Link `i`.
    pub fn link(&self, i: LinkId) -> Link<'a> {
        self.model.link(i, &self.state.links[i])
    }

    /// Body `i`.
    pub fn body(&self, i: usize) -> &'a Body {
        &self.model.bodies()[i]
    }

    /// Link of body `i`.
    pub fn link_of(&self, body: usize) -> Link<'a> {
        self.link(self.model.link_of(body))
    }

    /// Frame of body `i`: world from body.
    pub fn frame(&self, body: usize) -> Frame {
        self.link_of(body).world_from_link()
    }
}
