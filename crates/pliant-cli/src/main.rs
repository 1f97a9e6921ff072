//! `pliant`: animate soft bodies from scene files.
//!
//! A command is a file in `commands/` with `pub fn run(args) -> Result<(), Failure>`, a variant in `args.rs`,
//! and an arm in [`commands::run`]. Exit codes: 0 done, 1 the work failed, 2 the request was wrong.

mod args;
mod commands;
mod energy;
mod failure;
mod frames;
mod load;
mod numbers;
mod output;
mod places;
mod plot;
mod program;
mod progress;
mod scheme;
mod simulate;
mod views;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let result = match args::Args::parse().command {
        Some(command) => commands::run(command),
        None => commands::overview::run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
