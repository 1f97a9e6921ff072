//! Loads and impulses applied from code.

use super::World;
use crate::bodies::Load;
use crate::math::DVec3;
use crate::state::SleepState;

impl World {
    /// Sets the load on body `i`: a force and a torque about its centre of mass, world axes. It acts in every step until it
    /// is set again. Kinematic bodies ignore it.
    pub fn set_load(&mut self, body: usize, load: Load) {
        let link = self.model.link_of(body);
        if self.state.applied[link] != load {
            self.state.applied[link] = load;
            self.wake(body);
        }
    }

    /// Load that [`World::set_load`] has set on body `i`.
    pub fn load(&self, body: usize) -> Load {
        self.state.applied[self.model.link_of(body)]
    }

    /// Applies an impulse (N s) to body `i` at `point`, world; its velocity changes at once. Kinematic bodies ignore it.
    pub fn apply_impulse(&mut self, body: usize, impulse: DVec3, point: DVec3) {
        let link = self.model.link_of(body);
        let base = self.model.base(link);
        if base.mass().is_none() {
            return;
        }
        let state = &mut self.state.links[link];
        let before = base.kinetic_energy(state);
        let torque = (point - state.position).cross(impulse);
        base.apply(state, &Load { force: impulse, torque }, 1.0);
        self.state.ledger.external.applied += base.kinetic_energy(state) - before;
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
