//! Forces, torques and impulses applied from code.

use super::World;
use crate::bodies::AppliedWrench;
use crate::math::DVec3;
use crate::state::SleepState;

impl World {
    /// Sets the wrench applied to body `i`: a force and a torque about its centre of mass, world axes. It acts in every
    /// step until it is set again. Kinematic bodies ignore it.
    pub fn set_applied_wrench(&mut self, body: usize, load: AppliedWrench) {
        let link = self.model.link_of(body);
        if self.state.applied[link] != load {
            self.state.applied[link] = load;
            self.wake(body);
        }
    }

    /// Wrench that [`World::set_applied_wrench`] has set on body `i`.
    pub fn applied_wrench(&self, body: usize) -> AppliedWrench {
        self.state.applied[self.model.link_of(body)]
    }

    /// Applies an impulse (N s) to body `i` at `point`, world; its velocity changes at once. Kinematic bodies ignore it.
    pub fn apply_impulse(&mut self, body: usize, impulse: DVec3, point: DVec3) {
        let link = self.model.link_of(body);
        let motion_law = self.model.motion_law(link);
        if motion_law.mass().is_none() {
            return;
        }
        let state = &mut self.state.links[link];
        let before = motion_law.kinetic_energy(state);
        let torque = (point - state.position).cross(impulse);
        motion_law.apply(state, &AppliedWrench { force: impulse, torque }, 1.0);
        self.state.ledger.external.applied += motion_law.kinetic_energy(state) - before;
        self.wake(body);
    }

    /// Wakes body `i` if it sleeps; bodies in contact with it wake in the next step if they have to move.
    pub fn wake(&mut self, body: usize) {
        let link = self.model.link_of(body);
        if self.state.is_asleep(link) {
            self.state.sleep[link] = SleepState::Awake(0.0);
        }
    }
}
