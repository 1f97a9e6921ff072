//! Energy that contacts take and give, booked step by step.
//!
//! *The idea*: what elastic forces do to bodies is known exactly, push by push. Two bodies that have parted hold nothing,
//! so what they took and gave must be equal; the difference is what the steps made or lost.

use super::{Contact, LayerPair, WarningKind, World};

/// What a pair took from its bodies' motion and gave back since it began to touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairLedger {
    /// Whose.
    pub touch: LayerPair,
    /// Given less taken, joules.
    pub work: f64,
    /// Given and taken together, joules.
    pub exchanged: f64,
    /// Whether it was open when they met. What touched from the start holds an unknown energy.
    pub whole: bool,
}

/// Energy made or lost, as a part of what a contact exchanged, that is worth a warning. Smaller: the tolerance of contact
/// forces shows. Larger: a ball that drops a few times has noticeably the wrong height.
pub(super) const UNFAIR: f64 = 0.01;

impl World {
    /// Opens books for pairs that have begun to touch, and closes those of pairs that have parted.
    pub(super) fn open_books(&mut self, whole: bool) {
        let old = std::mem::take(&mut self.books);
        let mut rest = old.as_slice();
        let mut parted = Vec::new();
        for c in &self.contacts {
            if self.books.last().is_some_and(|b| b.touch == c.touch) {
                continue;
            }
            let ended = rest.iter().take_while(|b| self.place(&b.touch) < self.place(&c.touch)).count();
            parted.extend_from_slice(&rest[..ended]);
            rest = &rest[ended..];
            self.books.push(match rest.first() {
                Some(book) if book.touch == c.touch => *book,
                _ => PairLedger { touch: c.touch, work: 0.0, exchanged: 0.0, whole },
            });
            if rest.first().is_some_and(|b| b.touch == c.touch) {
                rest = &rest[1..];
            }
        }
        parted.extend_from_slice(rest);
        // In implicit steps books hold what friction and damping took as well.
        parted.retain(|_| !self.is_implicit());
        for book in parted {
            if book.whole && book.work.abs() > 0.5 * UNFAIR * book.exchanged {
                self.warn((book.touch.a.0, book.touch.b.0), WarningKind::EnergyNotKept, None);
            }
        }
    }

    /// Books what `contacts`, which are in order, gave in one push.
    pub(super) fn book(&mut self, given: &[f64]) {
        let mut at = 0;
        for (Contact { touch, .. }, work) in self.contacts.iter().zip(given) {
            while self.books.get(at).is_some_and(|b| b.touch != *touch) {
                at += 1;
            }
            if let Some(book) = self.books.get_mut(at) {
                book.work += work;
                book.exchanged += work.abs();
            }
        }
    }
}
