//! Problems of a scene file, each with its place and a remedy.

use std::fmt;
use std::ops::Range;

/// One problem of a scene file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Place in the text; none when the file as a whole could not be read.
    pub place: Option<TextPlace>,
    /// The problem, in one sentence without a full stop.
    pub message: String,
    /// A legal value: "a length, e.g. \"3 cm\"".
    pub expected: Option<String>,
    /// The remedy, or the nearest legal name.
    pub help: Option<String>,
}

/// A place in the text of a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPlace {
    /// Bytes of the text, for programs that mark them.
    pub span: Range<usize>,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

/// A scene that was refused, with all reasons in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// The file as the caller named it.
    pub name: String,
    /// At least one.
    pub problems: Vec<Problem>,
    /// Number of problems past [`MAX_PROBLEMS`].
    pub left_out: usize,
}

/// Problems reported at once. More are counted only: nobody reads the hundredth,
/// and a hostile file must not fill the memory with them.
pub const MAX_PROBLEMS: usize = 100;

impl SceneError {
    /// A file that could not be read at all.
    pub(super) fn whole(name: &str, message: impl Into<String>, help: Option<&str>) -> Self {
        let problem = Problem { place: None, message: message.into(), expected: None, help: help.map(str::to_owned) };
        Self { name: name.to_owned(), problems: vec![problem], left_out: 0 }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(expected) = &self.expected {
            write!(f, "; expected {expected}")?;
        }
        if let Some(help) = &self.help {
            write!(f, "; {help}")?;
        }
        Ok(())
    }
}

impl fmt::Display for SceneError {
    /// One `file:line:column: message` a line.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (i, problem) in self.problems.iter().enumerate() {
            let end = if i > 0 { "\n" } else { "" };
            match &problem.place {
                Some(at) => write!(f, "{end}{}:{}:{}: {problem}", self.name, at.line, at.column)?,
                None => write!(f, "{end}{}: {problem}", self.name)?,
            }
        }
        if self.left_out > 0 {
            write!(f, "\n{}: {} more problems not shown", self.name, self.left_out)?;
        }
        Ok(())
    }
}

impl std::error::Error for SceneError {}

/// Collects problems while a scene is read, so that one run reports them all.
#[derive(Default)]
pub(super) struct Problems {
    found: Vec<(Range<usize>, Problem)>,
    left_out: usize,
}

impl Problems {
    /// Notes a problem; the result takes the expected value and the remedy.
    pub(super) fn add(&mut self, span: &Range<usize>, message: impl Into<String>) -> Remedy<'_> {
        if self.is_full() {
            self.left_out += 1;
            return Remedy(None);
        }
        let problem = Problem { place: None, message: message.into(), expected: None, help: None };
        self.found.push((span.clone(), problem));
        Remedy(self.found.last_mut().map(|(_, problem)| problem))
    }

    /// Notes a problem where none was found so far: no part of a scene is left out without a message.
    pub(super) fn add_if_none(&mut self, span: &Range<usize>, message: &str) {
        if self.is_empty() {
            self.add(span, message);
        }
    }

    /// Whether further problems are only counted, so that remedies need not be looked for.
    pub(super) fn is_full(&self) -> bool {
        self.found.len() >= MAX_PROBLEMS
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The error for the file `name`, if anything was found.
    pub(super) fn into_error(mut self, text: &str, name: &str) -> Option<SceneError> {
        if self.found.is_empty() {
            return None;
        }
        self.found.sort_by_key(|(span, _)| (span.start, span.end));
        // A named material is read once for each body that uses it.
        self.found.dedup();
        let mut cursor = Cursor { text, at: 0, line: 1, line_start: 0 };
        let problems =
            self.found.into_iter().map(|(span, p)| Problem { place: Some(cursor.place(span)), ..p }).collect();
        Some(SceneError { name: name.to_owned(), problems, left_out: self.left_out })
    }
}

/// Adds to the problem just noted.
pub(super) struct Remedy<'a>(Option<&'a mut Problem>);

impl Remedy<'_> {
    pub(super) fn expected(self, expected: impl Into<String>) -> Self {
        self.with(|p| p.expected = Some(expected.into()))
    }
    pub(super) fn help(self, help: impl Into<String>) -> Self {
        self.with(|p| p.help = Some(help.into()))
    }
    /// "did you mean …?", when there is a nearest name.
    pub(super) fn did_you_mean(self, nearest: Option<&str>) -> Self {
        match nearest {
            Some(nearest) => self.help(format!("did you mean \"{nearest}\"?")),
            None => self,
        }
    }
    fn with(mut self, edit: impl FnOnce(&mut Problem)) -> Self {
        if let Some(problem) = &mut self.0 {
            edit(problem);
        }
        self
    }
}

/// Counts lines forward once, however many problems there are.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    line_start: usize,
}

impl Cursor<'_> {
    /// `span` must not start before the last one asked for.
    fn place(&mut self, span: Range<usize>) -> TextPlace {
        let start = self.text.floor_char_boundary(span.start.min(self.text.len()));
        let end = self.text.ceil_char_boundary(span.end.clamp(start, self.text.len()));
        for (i, byte) in self.text.as_bytes()[self.at..start].iter().enumerate() {
            if *byte == b'\n' {
                self.line += 1;
                self.line_start = self.at + i + 1;
            }
        }
        self.at = start;
        let column = self.text[self.line_start..start].chars().count() + 1;
        TextPlace { span: start..end, line: self.line, column }
    }
}

/// The name most like `name`, if any is near enough to be a misspelling.
pub(super) fn nearest<'a>(name: &str, among: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Below this likeness (1 is equal) a suggestion confuses more than it helps.
    const LIKENESS: f64 = 0.72;
    /// No word of ours is longer; comparing costs the product of both lengths.
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return None;
    }
    among
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST)
        .map(|candidate| (strsim::jaro_winkler(&name.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(likeness, _)| *likeness > LIKENESS)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
