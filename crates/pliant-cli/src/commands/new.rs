//! `pliant new NAME`: a small commented scene.

use crate::args::NewArgs;
use crate::failure::Failure;
use crate::output;
use crate::places::cannot_write;
use crate::program::{self, quoted};
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

/// The scene users start from.
const SCENE: &str = include_str!("new.toml");

/// Writes the scene, if the path is free.
pub fn run(args: &NewArgs) -> Result<(), Failure> {
    let path = path(args)?;
    let shown = path.display();
    let mut file = File::create_new(&path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Failure::Request(format!("{shown} exists already and was left as it is; choose another name"))
        }
        _ => cannot_write(&path, &error),
    })?;
    file.write_all(SCENE.as_bytes()).map_err(|error| cannot_write(&path, &error))?;
    let cache = path.with_extension("pliant");
    let (program, scene, cache) = (program::name(), quoted(&path), quoted(&cache));
    output::print(&format!("Wrote {shown}. Next:\n  {program} check {scene}\n  {program} run {scene} -o {cache}\n"))?;
    Ok(())
}

/// NAME with `.toml`, which users may have typed already.
fn path(args: &NewArgs) -> Result<PathBuf, Failure> {
    let ends_in_separator = args.name.to_string_lossy().ends_with(std::path::MAIN_SEPARATOR);
    let Some(name) = args.name.file_name().filter(|_| !ends_in_separator) else {
        return Err(Failure::Request(format!(
            "\"{}\" is no name for a scene; try: pliant new bounce",
            args.name.display()
        )));
    };
    if args.name.extension().is_some_and(|e| e == "toml") {
        return Ok(args.name.clone());
    }
    let mut name = name.to_owned();
    name.push(".toml");
    Ok(args.name.with_file_name(name))
}
