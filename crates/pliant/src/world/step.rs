//! Steps: leapfrog, looked at before they are kept.
//!
//! *The idea* ([G93] §2.3): a step that comes in too deep is taken back and shortened. *What we changed*: so is one whose
//! pushes could not follow the force. Over a step a contact's pushes do the work of a trapezoid under its force; where
//! the stiffness changes from `k₀` to `k₁` over a way `x`, that differs from the force's own by `x² (k₁ − k₀)/12`.
//!
//! [G93]: https://doi.org/10.1145/166117.166157

use super::{Contact, LayerPair, PairLedger, WarningKind, World, books};
use crate::contact::{self, Quality, Resolution};
use crate::math::Frame;
use crate::model::MotionSettings;
use crate::motion;

/// A step may grow an overlap by this fraction of the thinner thickness before it counts as a leap to take back.
const LEAP: f64 = 0.1;
/// Times one step is shortened before it is kept as it is. Each takes off at least a tenth, and a first touch three times
/// as much as needed.
const MOST_TRIES: usize = 24;
/// Part of a contact's energy that a first touch, or the last, may make or lose. Larger: bounces lose height. Smaller:
/// short steps at every touch.
pub(super) const TOUCH_ERROR: f64 = 1e-4;
/// The same while they touch, when what one step makes the others lose; for the usual `step_safety`.
pub(super) const PRESS_ERROR: f64 = 5e-4;
/// What [`PRESS_ERROR`] is meant for; errors go with the cube of a step.
const USUAL_SAFETY: f64 = 0.02;
/// A shortened step aims at this part of what it may do wrong.
const AIM: f64 = 0.6;

/// Why a world does not move on; it is left as it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AdvanceError {
    /// Not a number, infinite, or so late that steps are lost in rounding.
    #[error("{0} s is no time a world can advance to")]
    NoTime(f64),
    /// Time goes on only.
    #[error("the world is at {now} s and cannot advance back to {to} s; restore a snapshot of then")]
    Back {
        /// Asked for, s.
        to: f64,
        /// [`World::time`].
        now: f64,
    },
    /// A setting that was changed to what cannot be.
    #[error("{name} is {value}, and must be {expected}")]
    Setting {
        /// Which field of the world.
        name: &'static str,
        /// What it is.
        value: f64,
        /// What it may be.
        expected: &'static str,
    },
}

/// Where a step started.
#[derive(Debug, Default)]
pub(super) struct Start {
    pub bases: Vec<f64>,
    time: f64,
    dissipated: f64,
    sheared: f64,
    owed: f64,
    books: Vec<PairLedger>,
    warnings: usize,
}

/// A way bodies have just gone.
#[derive(Debug)]
pub(super) struct Stride {
    /// Seconds.
    pub dt: f64,
    /// Where bodies were before.
    pub frames: Vec<Frame>,
}

/// What is wrong with a step.
struct Flaw {
    touch: LayerPair,
    kind: WarningKind,
    /// A length that should do, s.
    shorter: f64,
    /// Whether it is worth a warning if nothing shorter is to be had.
    grave: bool,
}

/// What a pair did in a step.
#[derive(Clone, Copy, Default)]
struct Press {
    stiffness: f64,
    load: f64,
    overlap: f64,
}

impl Press {
    fn of(contacts: &[Contact]) -> Self {
        contacts.iter().fold(Self::default(), |sum, c| Self {
            stiffness: sum.stiffness + c.patch.stiffness,
            load: sum.load + c.patch.load,
            overlap: sum.overlap.max(c.patch.overlap),
        })
    }
}

impl World {
    /// Advances to `time`, in as many steps as it takes.
    pub fn advance_to(&mut self, time: f64) -> Result<(), AdvanceError> {
        self.check_settings()?;
        // Beyond, steps are lost in rounding.
        if !time.is_finite() || time + self.settings.smallest_step == time {
            return Err(AdvanceError::NoTime(time));
        }
        if time < self.time {
            return Err(AdvanceError::Back { to: time, now: self.time });
        }
        let ahead = self.time < time;
        let implicit = self.is_implicit();
        while self.time < time {
            self.step_towards(time);
        }
        if ahead {
            // Rounding may have carried the last step past it.
            self.time = time;
        }
        // A run and its resumption meet here. Explicit steps both go on from what the positions alone say; implicit ones
        // have found all patches, and a snapshot tells how.
        if !implicit {
            self.find_contacts_anew();
            self.open_books(true);
        }
        self.look_at_bulges();
        Ok(())
    }

    /// One of the steps that take the world to `time`, which is ahead.
    pub(crate) fn step_towards(&mut self, time: f64) {
        let left = time - self.time;
        if self.is_implicit() {
            let (pressing, touching) = self.longest_implicit_step();
            self.implicit_step(motion::even_step(left, pressing).min(touching));
        } else {
            let limits = self.limits();
            self.careful_step(motion::even_step(left, motion::longest_step(&self.settings, &limits)));
        }
        // Rounding must not leave a sliver of a frame.
        if (self.time - time).abs() < 1e-9 * left {
            self.time = time;
        }
    }

    /// One leapfrog step of `dt` seconds, whatever comes of it; where there are joints, as many implicit ones as it takes.
    pub fn step(&mut self, dt: f64) -> Result<(), AdvanceError> {
        self.check_settings()?;
        if !(dt > 0.0 && self.time + dt < f64::INFINITY) {
            return Err(AdvanceError::NoTime(self.time + dt));
        }
        if !self.joints.is_empty() {
            return self.advance_to(self.time + dt);
        }
        let (stride, _) = self.set_out(dt);
        self.arrive(&stride);
        self.answer(0.0);
        Ok(())
    }

    /// Settings are open to all: what would never end, or answer nonsense, is refused before it begins.
    fn check_settings(&self) -> Result<(), AdvanceError> {
        let MotionSettings { implicit_step, largest_step, smallest_step, step_safety, largest_overlap, .. } =
            self.settings;
        let Quality { resolution, cells_across, finest_cell } = self.quality;
        let positive = [
            ("settings.smallest_step", smallest_step),
            ("settings.largest_step", largest_step),
            ("settings.implicit_step", implicit_step),
            ("settings.step_safety", step_safety),
            ("settings.largest_overlap", largest_overlap),
            ("quality.cells_across", cells_across as f64),
            ("quality.finest_cell", finest_cell),
            match resolution {
                Resolution::Tolerance(tolerance) => ("quality.resolution", tolerance),
                Resolution::Fixed { radial, angular } => ("quality.resolution", radial.min(angular) as f64),
            },
        ];
        if let Some((name, value)) = positive.into_iter().find(|(_, x)| !(*x > 0.0 && x.is_finite())) {
            return Err(AdvanceError::Setting { name, value, expected: "a number above 0" });
        }
        if largest_step < smallest_step {
            let expected = "no less than settings.smallest_step";
            return Err(AdvanceError::Setting { name: "settings.largest_step", value: largest_step, expected });
        }
        if !self.gravity.is_finite() {
            let value = self.gravity.length();
            return Err(AdvanceError::Setting { name: "gravity", value, expected: "a finite vector" });
        }
        Ok(())
    }

    /// A step, shortened while something is wrong with it.
    fn careful_step(&mut self, dt: f64) {
        let mut start = std::mem::take(&mut self.start);
        self.save_start(&mut start);
        let mut dt = dt;
        for tries in 0.. {
            let (stride, before) = self.set_out(dt);
            let flaw = self.leapt(&before, dt).or_else(|| self.unfair(&before, &stride));
            let Some(flaw) = flaw else {
                self.arrive(&stride);
                break;
            };
            if tries == MOST_TRIES || dt <= self.settings.smallest_step {
                if flaw.grave {
                    self.warn((flaw.touch.a.0, flaw.touch.b.0), flaw.kind, None);
                }
                self.arrive(&stride);
                break;
            }
            self.go_back(&start);
            self.contacts = before;
            dt = flaw.shorter.max(self.settings.smallest_step);
        }
        self.start = start;
    }

    /// The first half of a step: push, move, find. Returns the way gone and the contacts of before.
    fn set_out(&mut self, dt: f64) -> (Stride, Vec<Contact>) {
        self.still.fill(0.0);
        self.answer(0.5 * dt);
        self.push(0.5 * dt);
        let frames = self.bodies.iter().map(|b| b.base.world_from_body()).collect();
        self.time += dt;
        for body in &mut self.bodies {
            body.base.advance(dt, self.time);
        }
        let before = self.find_contacts(Some(self.hints()), self.grips());
        (Stride { dt, frames }, before)
    }

    /// The second half: shear, respond, push.
    fn arrive(&mut self, stride: &Stride) {
        self.look_for_the_bottom();
        self.most_contacts = self.most_contacts.max(self.contacts.len());
        self.open_books(true);
        self.shear(stride);
        self.answer_after(0.5 * stride.dt, Some(stride));
        self.push(0.5 * stride.dt);
    }

    pub(super) fn save_start(&self, to: &mut Start) {
        (to.time, to.dissipated) = (self.time, self.dissipated);
        (to.sheared, to.owed) = (self.sheared, self.owed);
        to.bases.clear();
        self.bodies.iter().for_each(|b| b.base.save(&mut to.bases));
        to.books.clone_from(&self.books);
        to.warnings = self.warnings.len();
    }

    pub(super) fn go_back(&mut self, start: &Start) {
        self.set_bases(&start.bases);
        (self.time, self.dissipated) = (start.time, start.dissipated);
        (self.sheared, self.owed) = (start.sheared, start.owed);
        self.books.clone_from(&start.books);
        self.unwarn(start.warnings);
    }

    /// The first contact whose overlap is too deep and was not nearly so `before` the step.
    fn leapt(&self, before: &[Contact], dt: f64) -> Option<Flaw> {
        let thickness = |(i, layer): (usize, usize)| self.bodies[i].layers[layer].shape.least_thickness();
        let depth = |c: &Contact| c.patch.overlap / thickness(c.touch.a).min(thickness(c.touch.b));
        let limit = self.settings.largest_overlap;
        let was = |touch: &LayerPair| self.between(before, touch).iter().map(depth).fold(0.0, f64::max);
        let deep = self.contacts.iter().find(|c| depth(c) > limit && depth(c) > was(&c.touch) + LEAP);
        // What pressed and has no surface to press on any more has parted, or gone right in.
        let gone =
            || before.iter().find(|c| self.between(&self.contacts, &c.touch).is_empty() && self.went_in(&c.touch));
        let leapt = deep.or_else(gone)?;
        Some(Flaw { touch: leapt.touch, kind: WarningKind::OverlapTooDeep, shorter: 0.5 * dt, grave: true })
    }

    pub(super) fn went_in(&self, touch: &LayerPair) -> bool {
        contact::is_enclosed(&self.pair(touch))
    }

    /// The contact that made or lost the most energy in the step, for its own, if that is too much.
    fn unfair(&self, before: &[Contact], stride: &Stride) -> Option<Flaw> {
        let mut touches: Vec<LayerPair> = self.contacts.iter().chain(before).map(|c| c.touch).collect();
        touches.sort_unstable_by_key(|t| self.place(t));
        touches.dedup();
        let flaws = touches.iter().filter_map(|t| self.unfair_touch(t, before, stride));
        flaws.reduce(|worst, flaw| if flaw.shorter < worst.shorter { flaw } else { worst })
    }

    fn unfair_touch(&self, touch: &LayerPair, before: &[Contact], stride: &Stride) -> Option<Flaw> {
        let (old, new) = (self.between(before, touch), self.between(&self.contacts, touch));
        let (was, is) = (Press::of(old), Press::of(new));
        let patch = &new.first().or(old.first())?.patch;
        let (normal, p) = (patch.mean_normal(), patch.center_of_pressure);
        let mobility = |i: usize| self.bodies[i].base.mobility(p, normal);
        let inverse_mass = mobility(touch.a.0) + mobility(touch.b.0);
        if inverse_mass == 0.0 {
            return None;
        }
        let way = (self.way(touch.b.0, stride, p).0 - self.way(touch.a.0, stride, p).0).dot(normal).abs();
        let speed = way / stride.dt;
        // A ball's overlap stores a third of its load times its depth.
        let stored = (is.load * is.overlap).max(was.load * was.overlap) / 3.0;
        let energy = 0.5 * speed * speed / inverse_mass + stored;
        let (error, allowed, shorter) = match (old.is_empty(), new.is_empty()) {
            (false, false) => {
                let error = way * way * (is.stiffness - was.stiffness).abs() / 12.0;
                let allowed = PRESS_ERROR * (self.settings.step_safety / USUAL_SAFETY).powi(3).max(1.0) * energy;
                (error, allowed, (AIM * allowed / error).cbrt())
            }
            (fresh, _) => {
                let Press { load, overlap, .. } = if fresh { is } else { was };
                // They did not come so deep in this step: a shorter one would find the same.
                if overlap > 2.0 * way {
                    return None;
                }
                let error = load * (0.5 * way - overlap / 3.0).max(overlap / 6.0);
                let allowed = TOUCH_ERROR * energy;
                // Loads go with the square of the depth, or nearly.
                let ratio = (AIM * allowed / error).sqrt();
                let inside = (overlap / way).min(1.0);
                (error, allowed, if fresh { 1.0 - inside * (1.0 - ratio) } else { ratio })
            }
        };
        let shorter = stride.dt * shorter.clamp(0.05, 0.9);
        let grave = error > books::UNFAIR * energy;
        (error > allowed).then_some(Flaw { touch: *touch, kind: WarningKind::EnergyNotKept, shorter, grave })
    }
}
