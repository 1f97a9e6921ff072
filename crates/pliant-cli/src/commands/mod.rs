//! Commands, one file each.

mod check;
mod demo;
mod export;
mod inspect;
mod meshes;
mod new;
pub mod overview;
mod probe;
mod render;
mod run;
mod schema;
mod verify;

use crate::args::Command;
use crate::failure::Failure;

/// Runs a command.
pub fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::New(args) => new::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Schema => schema::run(),
        Command::Demo(args) => demo::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Probe(args) => probe::run(&args),
        Command::Verify(args) => verify::run(&args),
    }
}
