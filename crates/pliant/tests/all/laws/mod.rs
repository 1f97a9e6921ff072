//! Laws of motion and contact.

mod scenes;
