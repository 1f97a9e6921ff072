//! The command line.

use clap::{Args as Arguments, Parser, Subcommand};
use std::path::PathBuf;

/// Animate soft bodies given by implicit surfaces.
#[derive(Debug, Parser)]
#[command(name = "pliant", version, max_term_width = 100)]
pub struct Args {
    /// What to do; nothing shows an overview.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// One variant a file in `commands/`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a small commented scene to start from
    New(New),
    /// Check a scene and show what is in it
    Check(Check),
    /// Print the JSON Schema of the scene format, for editors
    Schema,
}

/// Arguments of `pliant new`.
#[derive(Arguments, Debug)]
pub struct New {
    /// The scene is written to NAME.toml; an existing file is never overwritten
    pub name: PathBuf,
}

/// Arguments of `pliant check`.
#[derive(Arguments, Debug)]
pub struct Check {
    /// A scene file, or - for standard input
    pub scene: PathBuf,
    /// Print one JSON object a line: the problems, or the bodies and a summary
    #[arg(long)]
    pub json: bool,
}
