//! Where a step started, to go back to.

use crate::state::{Contact, Derived, State};

/// State and contacts of before a step. Contacts share their patches: keeping them copies no points.
pub(super) struct Checkpoint {
    pub state: State,
    pub contacts: Vec<Contact>,
}

impl Checkpoint {
    pub fn of(state: &State, derived: &Derived) -> Self {
        Self { state: state.clone(), contacts: derived.contacts.clone() }
    }

    /// Goes back.
    pub fn restore(&self, state: &mut State, derived: &mut Derived) {
        state.clone_from(&self.state);
        derived.contacts.clone_from(&self.contacts);
    }
}
