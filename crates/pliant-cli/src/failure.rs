//! Failures of commands, and their messages.

use crate::places::is_wrong_place;
use miette::{Diagnostic, GraphicalReportHandler, LabeledSpan, NamedSource, SourceCode};
use pliant::record::RecordError;
use pliant::scene::{Problem, SceneError};
use std::fmt;
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

/// A failed command.
#[derive(Debug)]
pub enum Failure {
    /// The scene has errors; with its text, to show the lines.
    Scene(SceneError, String),
    /// The request is wrong: the message names the cause and a remedy.
    Request(String),
    /// Already reported in the form the user asked for; the request was wrong.
    Reported,
    /// The request was right, the work failed.
    Work(anyhow::Error),
    /// The user stopped it: the message says what is kept, and how to continue.
    Interrupted(String),
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Work(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Work(error.into())
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        // As text: the message contains the system's error, which would otherwise follow again as the cause.
        let words = error.to_string();
        match error {
            RecordError::Io { source, .. } if !is_wrong_place(source.kind()) => Self::Work(anyhow::anyhow!(words)),
            RecordError::RanAway(_) => Self::Work(anyhow::anyhow!(words)),
            _ => Self::Request(words),
        }
    }
}

impl Failure {
    /// Prints the message to standard error; returns the exit code.
    pub fn report(&self) -> ExitCode {
        let mut err = std::io::stderr().lock();
        // If standard error is closed, the exit code still tells of the failure.
        let _ = match self {
            Self::Scene(error, text) if err.is_terminal() => write!(err, "{}", snippets(error, text)),
            Self::Scene(error, _) => writeln!(err, "{error}"),
            Self::Request(message) => writeln!(err, "error: {message}"),
            Self::Reported => Ok(()),
            Self::Work(error) if is_broken_pipe(error) => return ExitCode::SUCCESS,
            Self::Work(error) => writeln!(err, "error: {error:#}"),
            Self::Interrupted(message) => writeln!(err, "{message}"),
        };
        ExitCode::from(match self {
            Self::Work(_) | Self::Interrupted(_) => 1,
            Self::Scene(..) | Self::Request(_) | Self::Reported => 2,
        })
    }
}

/// A closed pipe is no failure: in `pliant schema | head` the reader has seen enough.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == ErrorKind::BrokenPipe)
}

/// Prints every problem with its lines.
fn snippets(error: &SceneError, text: &str) -> String {
    let handler = GraphicalReportHandler::new();
    let source = NamedSource::new(&error.name, text.to_owned());
    let mut all = String::new();
    for problem in &error.problems {
        let report = Report { problem, source: &source };
        if handler.render_report(&mut all, &report).is_err() {
            all.push_str(&format!("{}: {problem}\n", error.name));
        }
        all.push('\n');
    }
    let count = error.problems.len() + error.left_out;
    let noun = if count == 1 { "problem" } else { "problems" };
    all + &format!("{}: {count} {noun}\n", error.name)
}

/// A problem as a diagnostic of miette.
#[derive(Debug)]
struct Report<'a> {
    problem: &'a Problem,
    source: &'a NamedSource<String>,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.problem.message)
    }
}

impl std::error::Error for Report<'_> {}

impl Diagnostic for Report<'_> {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.problem.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.problem.place.as_ref().map(|_| self.source as &dyn SourceCode)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.problem.place.as_ref()?;
        let label = self.problem.expected.as_ref().map(|expected| format!("expected {expected}"));
        Some(Box::new(std::iter::once(LabeledSpan::new(label, place.span.start, place.span.len()))))
    }
}
