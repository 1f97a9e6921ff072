//! `pliant schema`: the scene format, for editors.

use crate::failure::Failure;
use crate::output;

/// Prints the JSON Schema.
pub fn run() -> Result<(), Failure> {
    output::print(&(pliant::scene::schema() + "\n"))?;
    Ok(())
}
