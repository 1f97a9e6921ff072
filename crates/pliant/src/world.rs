//! The world: bodies, their contacts, and a step that reads as a list.
//!
//! *The idea*: `step` = move bases → place fields → find contacts → respond. Nothing else closes the loop.
//! *What we promise*: the same bits for any number of threads, any order of bodies in the scene, and after resuming
//! from a [`Snapshot`]. For that, contacts are worked on in the order of names, and at the end of every advance they are
//! found anew without the memory that makes finding them fast in between.

mod books;
mod fair;
mod grip;
mod implicit;
mod leap;
mod limits;
mod near;
mod pull;
mod push;
mod ready;
mod sleep;
mod snapshot;
mod step;
mod sweep;
#[cfg(test)]
mod tests;
mod joints;
mod visible;
mod warning;

pub use books::PairLedger;
pub use grip::FrictionState;
pub use snapshot::{Snapshot, SnapshotError};
pub use step::AdvanceError;
pub(crate) use visible::Shared;
pub use warning::{Warning, WarningKind};

use crate::bodies::{Body, BodyError, Joint};
use crate::contact::{ContactForces, FoundPatches, Pair, Patch, Quality, ShearState, Side, WarmStart};
use crate::math::DVec3;
use crate::model::{CONTACT_TOLERANCE, MotionSettings, Scene};
use near::Near;
use rayon::prelude::*;
use ready::AllReady;
use std::collections::BTreeSet;
use step::Start;

/// Which layers of which bodies touch: indices into [`World::bodies`] and their layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LayerPair {
    /// One body and its layer.
    pub a: (usize, usize),
    /// The other.
    pub b: (usize, usize),
}

/// A patch between two bodies and what it does.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Who touches whom.
    pub touch: LayerPair,
    /// Where, and how hard.
    pub patch: Patch,
    /// Friction's memory.
    pub stick: ShearState,
    /// Total force on a, from the last response.
    pub answer: ContactForces,
}

/// Where a patch was, and how fine a rule it took: where the next search begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairSeed {
    /// Who touches whom.
    pub touch: LayerPair,
    /// What its patch left.
    pub memory: WarmStart,
}

/// Where the energy is, joules. `kinetic + potential + elastic + dissipated` changes only by the work of keyed bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// In gravity, against the world's origin.
    pub potential: f64,
    /// In overlaps, and in the shear that friction holds.
    pub elastic: f64,
    /// Lost to damping and friction since the start. It never goes down.
    pub dissipated: f64,
}

/// Bodies and time.
#[derive(Debug)]
pub struct World {
    /// In the order of the scene. Only bases change: names, number and layers are what the rest was made from.
    bodies: Vec<Body>,
    /// What joints them together. Only whether they are broken changes.
    joints: Vec<Joint>,
    /// How many joints hold each body.
    joint_counts: Vec<usize>,
    /// Bodies whose joints keep them from touching each other: smaller index first, in order.
    apart: Vec<[usize; 2]>,
    /// m/s².
    pub gravity: DVec3,
    /// How time is stepped.
    pub settings: MotionSettings,
    /// How carefully contacts are integrated.
    pub quality: Quality,
    time: f64,
    contacts: Vec<Contact>,
    dissipated: f64,
    warnings: Vec<Warning>,
    /// What `warnings` has already.
    warned: BTreeSet<((usize, usize), WarningKind)>,
    /// What the last search was helped by.
    hints: Vec<PairSeed>,
    /// Bodies in the order of their names.
    by_name: Vec<usize>,
    /// Place of each body in that order.
    rank: Vec<usize>,
    near: Near,
    /// What friction has taken and may give back, joules.
    sheared: f64,
    /// What was called dissipated and was not, joules: what is lost next is set against it.
    owed: f64,
    /// What each pair that touches has taken and given.
    books: Vec<PairLedger>,
    /// Where a step started, to go back to.
    start: Start,
    /// Room for what a step makes of contacts, and for contacts themselves.
    ready: AllReady,
    spare: Vec<Contact>,
    most_contacts: usize,
    /// Of every base that forces move.
    inertia_known: bool,
    /// Which those are, and how many.
    forced: Vec<bool>,
    movers: usize,
    /// For how many seconds each body has been slow; see `sleep.rs`.
    still: Vec<f64>,
    /// Gravity of the last step.
    slept_under: DVec3,
}

/// What a search has found of two layers.
struct Fresh<'g> {
    touch: LayerPair,
    found: FoundPatches,
    /// See [`warning::undecided`].
    undecided: Option<f64>,
    /// What friction holds of their patches.
    held: &'g [FrictionState],
}

/// Patches below this number are found on one thread: handing them out costs more than finding them.
const WORTH_SHARING: usize = 16;

impl World {
    /// The world a scene describes, at time zero, with its first contacts found.
    pub fn new(scene: &Scene) -> Result<Self, BodyError> {
        let mut known = Vec::new();
        let bodies: Vec<Body> =
            scene.bodies.iter().map(|b| Body::new(b, scene.isovalue, &mut known)).collect::<Result<_, _>>()?;
        let lost = scene.joints.iter().find(|t| t.a.into_iter().chain([t.b]).any(|i| i >= bodies.len()));
        if let Some(joint) = lost {
            let what = "it joints a body that is not there";
            return Err(BodyError::Joint { name: joint.name.clone(), what });
        }
        let joints = scene.joints.iter().map(|t| Joint::new(t, |i| bodies[i].base.world_from_body())).collect();
        let (gravity, quality) = (scene.gravity, Quality::within(scene.contact_tolerance));
        Self::build((bodies, joints), gravity, scene.motion, quality)
    }

    /// A world of bodies made in code, perhaps on bases of one's own ([`crate::bodies::Base`] is an open trait), at time
    /// zero. Gravity is the Earth's and contacts are found as exactly as those of a scene that says nothing; both can be changed afterwards.
    pub fn from_bodies(bodies: Vec<Body>, settings: MotionSettings) -> Result<Self, BodyError> {
        Self::from_tied_bodies(bodies, Vec::new(), settings)
    }

    /// [`World::from_bodies`], with joints between them.
    pub fn from_tied_bodies(
        bodies: Vec<Body>,
        joints: Vec<Joint>,
        settings: MotionSettings,
    ) -> Result<Self, BodyError> {
        Self::build((bodies, joints), Scene::default().gravity, settings, Quality::within(CONTACT_TOLERANCE))
    }

    fn build(
        (bodies, joints): (Vec<Body>, Vec<Joint>),
        gravity: DVec3,
        settings: MotionSettings,
        quality: Quality,
    ) -> Result<Self, BodyError> {
        let mut by_name: Vec<usize> = (0..bodies.len()).collect();
        by_name.sort_by(|i, j| bodies[*i].name.cmp(&bodies[*j].name));
        if let Some(pair) = by_name.windows(2).find(|w| bodies[w[0]].name == bodies[w[1]].name) {
            return Err(BodyError::SameName(bodies[pair[0]].name.clone()));
        }
        bodies.iter().try_for_each(Body::check)?;
        let mut rank = vec![0; bodies.len()];
        by_name.iter().enumerate().for_each(|(r, i)| rank[*i] = r);
        let inertia_known = bodies.iter().all(|b| b.base.mass().is_none() || b.base.inertia().is_some());
        joints.iter().try_for_each(|t| t.check(&bodies))?;
        if let (Some(joint), false) = (joints.first(), inertia_known) {
            let what = "worlds with joints are stepped implicitly, for which the inertia of every base must be known";
            return Err(BodyError::Joint { name: joint.name.clone(), what });
        }
        let still = vec![0.0; bodies.len()];
        let forced: Vec<bool> = bodies.iter().map(|b| b.base.mass().is_some()).collect();
        let movers = forced.iter().filter(|f| **f).count();
        let mut world = Self {
            apart: Joint::apart(&joints),
            joint_counts: Joint::joint_counts(&joints, bodies.len()),
            bodies,
            joints,
            gravity,
            settings,
            quality,
            time: 0.0,
            contacts: Vec::new(),
            dissipated: 0.0,
            warnings: Vec::new(),
            warned: BTreeSet::new(),
            hints: Vec::new(),
            by_name,
            rank,
            near: Near::default(),
            sheared: 0.0,
            owed: 0.0,
            books: Vec::new(),
            start: Start::default(),
            ready: AllReady::default(),
            spare: Vec::new(),
            most_contacts: 0,
            inertia_known,
            forced,
            movers,
            still,
            slept_under: gravity,
        };
        if world.is_crowded() {
            return Err(BodyError::Crowded(near::MOST_PAIRS));
        }
        world.find_contacts_anew();
        world.open_books(false);
        world.look_for_hidden_bodies();
        Ok(world)
    }

    /// The bodies, in the order of the scene. They are only looked at: a world is made from a scene and moved by steps.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// What joints them together, in the order of the scene.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Seconds since the start.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The patches of this moment, in the order of names.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// The greatest number of patches there were at once since the world was made, between frames as well.
    pub fn most_contacts(&self) -> usize {
        self.most_contacts
    }

    /// Warnings so far, each pair once for each kind.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Two layers as contact sees them, where they are now.
    pub fn pair(&self, touch: &LayerPair) -> Pair<'_> {
        Pair { a: Side::of(&self.bodies[touch.a.0], touch.a.1), b: Side::of(&self.bodies[touch.b.0], touch.b.1) }
    }

    /// Where a touch stands among contacts: by name, then by layer.
    fn place(&self, touch: &LayerPair) -> (usize, usize, usize, usize) {
        (self.rank[touch.a.0], self.rank[touch.b.0], touch.a.1, touch.b.1)
    }

    /// Those of `contacts`, which are in order, that are of `touch`.
    fn between<'c>(&self, contacts: &'c [Contact], touch: &LayerPair) -> &'c [Contact] {
        let place = self.place(touch);
        let start = contacts.partition_point(|c| self.place(&c.touch) < place);
        let count = contacts[start..].partition_point(|c| c.touch == *touch);
        &contacts[start..start + count]
    }

    /// Finds every patch from the positions alone.
    fn find_contacts_anew(&mut self) {
        self.find_contacts(None, self.grips());
        self.look_for_the_bottom();
        self.most_contacts = self.most_contacts.max(self.contacts.len());
        self.answer(0.0);
    }

    fn grips(&self) -> Vec<FrictionState> {
        self.contacts.iter().map(FrictionState::of).collect()
    }

    /// What the patches of this moment leave for the next search, in the order of names.
    fn hints(&self) -> Vec<PairSeed> {
        self.contacts.iter().map(|c| PairSeed { touch: c.touch, memory: c.patch.warm_start() }).collect()
    }

    /// Finds every patch, helped by `hints`, if there are any, which are in the order of names, and hands each its own of
    /// the `grips` of before. Returns the last ones. What no force moves is left out on the way through explicit steps.
    fn find_contacts(&mut self, hints: Option<Vec<PairSeed>>, mut grips: Vec<FrictionState>) -> Vec<Contact> {
        self.look_around();
        let touches = self.all_touches(hints.is_none() || self.is_implicit(), |_, _| true);
        grips.sort_by_key(|g| g.touch);
        self.hints = hints.unwrap_or_default();
        let found = self.find_patches(&touches, &grips);
        let (places, mut old): (Vec<usize>, _) = ((0..self.contacts.len()).collect(), Vec::new());
        self.replace(&places, found, &mut old);
        old
    }

    /// Finds the patches of `moved` bodies again, helped by those there are, which it adds to `old`; the others stay as they
    /// are.
    fn find_contacts_of(&mut self, moved: &[bool], grips: &[FrictionState], old: &mut Vec<Contact>) {
        self.look_around();
        let concerns = |t: &LayerPair| moved[t.a.0] || moved[t.b.0];
        let touches = self.all_touches(true, |i, j| moved[i] || moved[j]);
        let concerned = self.contacts.iter().filter(|c| concerns(&c.touch));
        let hints = concerned.map(|c| PairSeed { touch: c.touch, memory: c.patch.warm_start() }).collect();
        let mut kept = std::mem::take(&mut self.hints);
        kept.retain(|h| !concerns(&h.touch));
        self.hints = hints;
        let found = self.find_patches(&touches, grips);
        let hints = std::mem::take(&mut self.hints);
        self.hints = self.merged(hints, kept);
        let places: Vec<usize> = (0..self.contacts.len()).filter(|i| concerns(&self.contacts[*i].touch)).collect();
        self.replace(&places, found, old);
    }

    /// Puts what was `found` in the place of contacts at `places`, which are added to `old`. All are in the order of names.
    /// Contacts are large, and there are many: they stay where they are if they can, and no room is asked for twice.
    fn replace(&mut self, places: &[usize], found: Vec<Fresh>, old: &mut Vec<Contact>) {
        let fresh = found.iter().flat_map(|f| f.found.patches.iter().map(|_| f.touch));
        if places.len() < self.contacts.len() && places.iter().map(|i| self.contacts[*i].touch).eq(fresh) {
            let mut places = places.iter();
            for fresh in found {
                self.take(fresh, |world, c| {
                    let place = *places.next().expect("there are as many as were found");
                    old.push(std::mem::replace(&mut world.contacts[place], c));
                });
            }
            return;
        }
        let mut all = std::mem::take(&mut self.spare);
        all.reserve(self.contacts.len() - places.len() + found.iter().map(|f| f.found.patches.len()).sum::<usize>());
        let mut contacts = std::mem::take(&mut self.contacts);
        if places.len() == contacts.len() && old.is_empty() {
            std::mem::swap(old, &mut contacts);
        }
        let mut found = found.into_iter().peekable();
        let mut places = places.iter().peekable();
        for (i, c) in contacts.drain(..).enumerate() {
            if places.next_if(|p| **p == i).is_some() {
                old.push(c);
                continue;
            }
            let place = self.place(&c.touch);
            while let Some(fresh) = found.next_if(|f| self.place(&f.touch) < place) {
                self.take(fresh, |_, c| all.push(c));
            }
            all.push(c);
        }
        found.for_each(|fresh| self.take(fresh, |_, c| all.push(c)));
        self.contacts = all;
        if self.spare.capacity() < contacts.capacity() {
            self.spare = contacts;
        }
    }

    /// Hands on the contacts of what was found, and warns where that is not all.
    fn take(&mut self, fresh: Fresh, mut to: impl FnMut(&mut Self, Contact)) {
        let Fresh { touch, found, undecided, held } = fresh;
        let count = found.patches.len();
        for patch in found.patches {
            let stick = grip::remembered(&patch, count, held);
            to(self, Contact { touch, patch, stick, answer: ContactForces::default() });
        }
        if undecided.is_some() {
            self.warn((touch.a.0, touch.b.0), WarningKind::Undecided, undecided);
        }
    }

    /// One list of two in the order of names, which have no touch in common.
    fn merged(&self, a: Vec<PairSeed>, b: Vec<PairSeed>) -> Vec<PairSeed> {
        let mut all = Vec::with_capacity(a.len() + b.len());
        let mut b = b.into_iter().peekable();
        for hint in a {
            let place = self.place(&hint.touch);
            all.extend(std::iter::from_fn(|| b.next_if(|other| self.place(&other.touch) < place)));
            all.push(hint);
        }
        all.extend(b);
        all
    }

    /// Layers that may touch, of `some` pairs, in the order of names. Those that no force moves only if `on_show`.
    fn all_touches(&self, on_show: bool, some: impl Fn(usize, usize) -> bool + Sync) -> Vec<LayerPair> {
        let layers = |i: usize| 0..self.bodies[i].layers.len();
        let all = |(i, j): (usize, usize)| {
            layers(i).flat_map(move |a| layers(j).map(move |b| LayerPair { a: (i, a), b: (j, b) }))
        };
        self.meeting(on_show, some).into_iter().flat_map(all).collect()
    }

    /// The patches of `touches`, found with the hints that are there; `grips` are in the order of touches.
    fn find_patches<'g>(&self, touches: &[LayerPair], grips: &'g [FrictionState]) -> Vec<Fresh<'g>> {
        let memories: Vec<WarmStart> = self.hints.iter().map(|h| h.memory).collect();
        let known = self.ranges_of(touches);
        let find = |(touch, known): (&LayerPair, &std::ops::Range<usize>)| {
            let pair = self.pair(touch);
            let found = Patch::find_warm(&pair, &self.quality, &memories[known.clone()]);
            let undecided = warning::undecided(&found, &pair, &self.quality);
            let held = &grips[grips.partition_point(|g| g.touch < *touch)..];
            let held = &held[..held.iter().take_while(|g| g.touch == *touch).count()];
            Fresh { touch: *touch, found, undecided, held }
        };
        if touches.len() < WORTH_SHARING {
            touches.iter().zip(&known).map(find).collect()
        } else {
            touches.par_iter().zip(&known).with_min_len(WORTH_SHARING / 2).map(find).collect()
        }
    }

    /// Which hints each of `touches` has; both are in the order of names.
    fn ranges_of(&self, touches: &[LayerPair]) -> Vec<std::ops::Range<usize>> {
        let mut at = 0;
        let range = |touch: &LayerPair| {
            let place = self.place(touch);
            at += self.hints[at..].iter().take_while(|h| self.place(&h.touch) < place).count();
            at..at + self.hints[at..].iter().take_while(|h| h.touch == *touch).count()
        };
        touches.iter().map(range).collect()
    }
}
