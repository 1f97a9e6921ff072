//! Checkpoint: state and contacts at the start of a step, to be restored if it is rejected.

use crate::state::{Contact, Derived, State};

/// State and contacts at the start of a step. Contacts share their patches: keeping them copies no points.
pub(super) struct Checkpoint {
    pub state: State,
    pub contacts: Vec<Contact>,
}

impl Checkpoint {
    pub fn of(state: &State, derived: &Derived) -> Self {
        Self { state: state.clone(), contacts: derived.contacts.clone() }
    }

    /// Restores them.
    pub fn restore(&self, state: &mut State, derived: &mut Derived) {
        state.clone_from(&self.state);
        derived.contacts.clone_from(&self.contacts);
    }
}
