//! `pliant` alone: an overview of commands, and the first step.

use crate::args::Args;
use crate::failure::Failure;
use crate::{output, program};
use clap::{Arg, CommandFactory};

/// Lists the commands and suggests the first step.
pub fn run() -> Result<(), Failure> {
    let (command, program) = (Args::command(), program::name());
    let rows: Vec<_> = command
        .get_subcommands()
        .map(|c| {
            let arguments: String = c.get_arguments().filter(|a| a.is_required_set()).map(argument).collect();
            vec![
                format!("pliant {}{arguments}", c.get_name()),
                c.get_about().map(ToString::to_string).unwrap_or_default(),
            ]
        })
        .collect();
    output::print(&format!(
        "Pliant {} animates soft bodies: what they look like, how they touch, how they move.\n\n{}\n\
         See it work:    {program} demo\nMore:           {program} help COMMAND\n",
        env!("CARGO_PKG_VERSION"),
        output::table(&rows)
    ))?;
    Ok(())
}

/// The required arguments of a command: " SCENE", " -o CACHE", " --frame N".
fn argument(a: &Arg) -> String {
    let value = match a.get_value_names() {
        Some([name, ..]) => name.to_string(),
        _ => a.get_id().as_str().to_uppercase(),
    };
    match (a.get_short(), a.get_long()) {
        (Some(short), _) => format!(" -{short} {value}"),
        (None, Some(long)) => format!(" --{long} {value}"),
        (None, None) => format!(" {value}"),
    }
}
