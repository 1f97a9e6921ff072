//! One file a command.

mod check;
mod new;
pub mod overview;
mod schema;

use crate::args::Command;
use crate::failure::Failure;

/// Does what was asked.
pub fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::New(args) => new::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Schema => schema::run(),
    }
}
