//! Read access to a simulation at one moment.

use super::configuration::Configuration;
use super::contact::{Contact, LayerIndex, LayerPair};
use super::derived::Derived;
use super::model::Model;
use super::state::{SleepState, State};
use crate::bodies::{Body, Joint, Link, LinkId};
use crate::contact::{ContactLaw, Pair, Side};
use crate::fields::Posed;
use crate::math::{DVec3, Frame};
use rayon::prelude::*;

/// Number of items up to which a loop runs on one thread.
pub(crate) const MIN_PARALLEL: usize = 64;

/// Model, state and contacts of one moment, for reading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sim<'a> {
    /// Bodies, joints and settings.
    pub model: &'a Model,
    /// Everything a step changes.
    pub state: &'a State,
    /// Contacts and candidate pairs.
    pub derived: &'a Derived,
}

impl<'a> Sim<'a> {
    /// Model and state, without contacts.
    pub fn configuration(&self) -> Configuration<'a> {
        Configuration { model: self.model, state: self.state }
    }

    /// Contacts of this moment, in the order of pairs.
    pub fn contacts(&self) -> &'a [Contact] {
        &self.derived.contacts
    }

    /// Link `i`.
    pub fn link(&self, i: LinkId) -> Link<'a> {
        self.configuration().link(i)
    }

    /// Body `i`.
    pub fn body(&self, i: usize) -> &'a Body {
        self.configuration().body(i)
    }

    /// Frame of body `i`: world from body.
    pub fn frame(&self, body: usize) -> Frame {
        self.configuration().frame(body)
    }

    /// Rest field of a layer of body `i` where it is now.
    pub fn rest_field(&self, body: usize, layer: usize) -> Posed<'a> {
        self.body(body).coat[layer].posed(self.frame(body))
    }

    /// Whether link `i` is dynamic and awake.
    pub fn is_awake(&self, i: LinkId) -> bool {
        self.model.is_dynamic(i) && self.state.sleep[i] != SleepState::Asleep
    }

    /// The links of a pair's two sides.
    pub fn links_of(&self, pair: &LayerPair) -> [LinkId; 2] {
        [self.model.link_of(pair.a.body), self.model.link_of(pair.b.body)]
    }

    /// Whether one body of a pair is dynamic.
    pub fn is_dynamic(&self, pair: &LayerPair) -> bool {
        self.links_of(pair).into_iter().any(|i| self.model.is_dynamic(i))
    }

    /// Pairs in contact of which one body is dynamic, in order; one entry for each patch.
    pub fn dynamic_pairs(&self) -> impl Iterator<Item = LayerPair> + use<'a> {
        let sim = *self;
        self.contacts().iter().map(|c| c.pair).filter(move |pair| sim.is_dynamic(pair))
    }

    /// Fields and materials of two layers, posed, for contact queries.
    pub fn pair(&self, pair: &LayerPair) -> Pair<'a> {
        let side = |at: LayerIndex| Side::of(&self.body(at.body).coat[at.layer], self.frame(at.body));
        Pair { a: side(pair.a), b: side(pair.b) }
    }

    /// Damping and friction between the bodies of a pair.
    pub fn law(&self, pair: &LayerPair) -> ContactLaw {
        ContactLaw::between(self.body(pair.a.body), self.body(pair.b.body))
    }

    /// Sum of the inverse effective masses of both sides of a contact at `point` along `direction`, 1/kg.
    pub fn inverse_effective_mass(&self, c: &Contact, point: DVec3, direction: DVec3) -> f64 {
        let [a, b] = self.links_of(&c.pair);
        self.link(a).inverse_effective_mass(point, direction) + self.link(b).inverse_effective_mass(point, direction)
    }

    /// Thickness of the thinner of two bodies, m.
    pub fn thinner_thickness(&self, i: usize, j: usize) -> f64 {
        self.body(i).min_thickness().min(self.body(j).min_thickness())
    }

    /// Overlap of two bodies at which the contact surface reaches a skeleton, m. The two layers deform in series, each
    /// in proportion to its compliance; a rigid one does not deform.
    pub fn bottoming_overlap(&self, i: usize, j: usize) -> f64 {
        // Depth of the softest layer for each pascal.
        let side = |i: usize| {
            let skin = &self.body(i).coat[0];
            let thickness = self.body(i).min_thickness();
            (thickness, if skin.rigid { 0.0 } else { thickness / skin.material.stiffness })
        };
        let ((t_i, c_i), (t_j, c_j)) = (side(i), side(j));
        if c_i + c_j == 0.0 {
            return t_i.min(t_j);
        }
        let limit = |t: f64, own: f64| if own > 0.0 { t * (c_i + c_j) / own } else { f64::INFINITY };
        limit(t_i, c_i).min(limit(t_j, c_j))
    }

    /// Joints that are not broken.
    pub fn unbroken_joints(&self) -> impl Iterator<Item = (usize, &'a Joint)> + use<'a> {
        let broken = &self.state.broken;
        self.model.joints().iter().enumerate().filter(|(i, _)| !broken[*i])
    }

    /// Ends of joint `i` in the world.
    pub fn joint_ends(&self, i: usize) -> [Frame; 2] {
        self.model.joints()[i].placed(|link| self.link(link).world_from_link())
    }

    /// `f` of each contact, in their order; on all threads if they are many.
    pub fn map_contacts<T: Send>(&self, f: impl Fn(&Contact) -> T + Sync + Send) -> Vec<T> {
        if self.contacts().len() > MIN_PARALLEL {
            self.contacts().par_iter().with_min_len(MIN_PARALLEL).map(f).collect()
        } else {
            self.contacts().iter().map(f).collect()
        }
    }
}
