//! Choice of the integration scheme, and its reason.

use super::{BodySpec, MotionSpec, Scene, Scheme};
use crate::fields::skeleton::Distance;
use crate::fields::{Element, Skeleton, Source};

/// [`Scheme::Auto`] takes explicit steps for at most so many balls. Fewer: impacts of a handful of balls lose energy. More:
/// heaps of balls take several times as long as with implicit steps.
pub const FEW_BALLS: usize = 8;

/// Reason for the choice of a scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemeReason {
    /// [`MotionSettings::scheme`](super::MotionSettings::scheme) asks for it.
    Asked,
    /// There are joints or springs, which only implicit steps follow.
    Joints,
    /// The inertia of a motion law is unknown, which implicit steps need.
    InertiaUnknown,
    /// Forces move at most [`FEW_BALLS`] balls and nothing else, and every body is one convex skeleton. Contacts of balls
    /// take microseconds: short steps are cheap, and keep the energy of impacts.
    FewBalls,
    /// No body is moved by forces.
    NothingMoves,
    /// Any other scene. Contacts of general shapes, and of many bodies, take most of the time; implicit steps need fewer.
    General,
}

/// The scheme of a scene, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemeChoice {
    /// Whether steps are implicit.
    pub implicit: bool,
    /// Why.
    pub reason: SchemeReason,
}

/// Facts about a scene that the choice depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SchemeFacts {
    pub has_joints: bool,
    pub inertia_known: bool,
    /// Number of bodies moved by forces.
    pub dynamic_count: usize,
    /// Whether all bodies moved by forces are balls, and all others single convex skeletons.
    pub only_balls_move: bool,
}

impl SchemeChoice {
    pub(crate) fn new(asked: Scheme, facts: SchemeFacts) -> Self {
        let choice = |implicit: bool, reason: SchemeReason| Self { implicit, reason };
        if facts.has_joints {
            return choice(true, SchemeReason::Joints);
        }
        match asked {
            Scheme::Explicit => choice(false, SchemeReason::Asked),
            _ if !facts.inertia_known => choice(false, SchemeReason::InertiaUnknown),
            Scheme::Implicit => choice(true, SchemeReason::Asked),
            Scheme::Auto if facts.dynamic_count == 0 => choice(true, SchemeReason::NothingMoves),
            Scheme::Auto if facts.only_balls_move && facts.dynamic_count <= FEW_BALLS => {
                choice(false, SchemeReason::FewBalls)
            }
            Scheme::Auto => choice(true, SchemeReason::General),
        }
    }
}

/// Whether a layer of a body allows [`SchemeReason::FewBalls`]: one skeleton, a ball where forces move it, convex elsewhere.
pub(crate) fn is_simple_layer(elements: &[Element], dynamic: bool) -> bool {
    let [Element { source: Source::Distance(skeleton, _), .. }] = elements else { return false };
    if dynamic { matches!(skeleton, Skeleton::Point(_) | Skeleton::Ball(_)) } else { skeleton.is_convex() }
}

impl Scene {
    /// The scheme that a world of this scene takes, and why.
    pub fn scheme_choice(&self) -> SchemeChoice {
        let is_dynamic = |body: &BodySpec| match body.motion {
            MotionSpec::Point { .. } | MotionSpec::Rigid { .. } => true,
            MotionSpec::Keyed(_) | MotionSpec::Fixed => false,
        };
        let is_simple = |body: &BodySpec| {
            let simple = |elements: &[Element]| is_simple_layer(elements, is_dynamic(body));
            simple(&body.elements) && (body.core.is_empty() || simple(&body.core))
        };
        let facts = SchemeFacts {
            has_joints: !self.joints.is_empty(),
            inertia_known: true,
            dynamic_count: self.bodies.iter().filter(|body| is_dynamic(body)).count(),
            only_balls_move: self.bodies.iter().all(is_simple),
        };
        SchemeChoice::new(self.motion.scheme, facts)
    }
}
