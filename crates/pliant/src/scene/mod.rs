//! Scene files: read, checked and resolved into a [`Scene`].
//!
//! *The idea*: one table of keys (`keys/`) describes the format; `validate` checks a file against it and [`schema`] prints it,
//! so that the two allow the same. `resolve` then applies defaults, names and the rules between keys. All problems of a file
//! are reported at once, each with its place and a remedy.
//!
//! `text → validate → Fields → resolve → Scene`
//!
//! *What we changed*: [CD97]'s appendix gives parameters as a list of numbers; here each has a name, a unit and bounds.
//! *Not promised*: that a legal scene is a sensible one. Bodies may overlap at the start.
//!
//! [CD97]: https://doi.org/10.1109/2945.582343

mod body;
mod choices;
mod error;
mod grammar;
mod joints;
mod keys;
mod limits;
mod material;
mod node;
mod orientation;
mod read;
mod repeat;
mod resolve;
mod schema;
mod skeleton;
mod skeleton_field;
mod skeleton_spec;
mod solid_check;
#[cfg(test)]
mod tests;
mod units;
mod validate;

pub use error::{MAX_PROBLEMS, Problem, SceneError, TextPlace};
pub use limits::{LARGEST_FILE, MAX_BODIES, MAX_JOINTS, MAX_POINTS};
pub use read::{read, read_file};
pub use schema::schema;

pub use crate::model::MAX_FRAMES;
use crate::model::Scene;
use error::Problems;
use limits::{LARGEST_PARSED, LARGEST_TO_RECOVER};
use toml::de::DeTable;

impl Scene {
    /// The scene described by `text`; `name` is the file in messages.
    pub fn parse(text: &str, name: &str) -> Result<Self, SceneError> {
        let mut problems = Problems::default();
        let scene = parse(text, name, &mut problems)?;
        match problems.into_error(text, name) {
            None => Ok(scene),
            Some(error) => Err(error),
        }
    }

    /// The scene in the file at `path`. Keep the text ([`read_file`]) if it is to be recorded with the results.
    pub fn load(path: impl AsRef<std::path::Path>) -> Result<Self, SceneError> {
        let path = path.as_ref();
        Self::parse(&read_file(path)?, &path.to_string_lossy())
    }
}

fn parse(text: &str, name: &str, problems: &mut Problems) -> Result<Scene, SceneError> {
    if text.len() as u64 > LARGEST_FILE {
        return Err(read::too_large(name));
    }
    if read::parsed_size(text) > LARGEST_PARSED {
        let help = "use coarser meshes, and repeat bodies instead of listing them";
        return Err(SceneError::whole(name, "the file holds too many keys and values", Some(help)));
    }
    let document = syntax(text, problems);
    if !problems.is_empty() {
        // Problems after a syntax error are guesswork.
        return Ok(Scene::default());
    }
    let whole = 0..text.len();
    let fields = validate::validate(document.get_ref(), &whole, &keys::SCENE, problems);
    Ok(resolve::scene(&fields, &whole, problems))
}

fn syntax<'t>(text: &'t str, problems: &mut Problems) -> toml::Spanned<DeTable<'t>> {
    let (document, errors) = if text.len() <= LARGEST_TO_RECOVER {
        DeTable::parse_recoverable(text)
    } else {
        match DeTable::parse(text) {
            Ok(document) => (document, Vec::new()),
            Err(error) => (toml::Spanned::new(0..0, DeTable::new()), vec![error]),
        }
    };
    for error in errors {
        let message = match error.message().lines().next().unwrap_or("") {
            "recursion limit" => "nested too deeply".to_owned(),
            first => format!("not TOML here: {first}"),
        };
        problems.add(&error.span().unwrap_or(0..0), message);
    }
    document
}
