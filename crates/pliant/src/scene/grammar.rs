//! Description of the scene format: tables of keys, each with its kind of value.
//!
//! *The idea*: one description ([`super::keys`]) serves the reader and the JSON Schema, so that the two cannot
//! drift apart.

use super::units::Quantity;

/// A table of the format.
#[derive(Debug)]
pub(super) struct TableRule {
    /// Name in messages: "a body".
    pub(super) name: &'static str,
    pub(super) doc: &'static str,
    pub(super) keys: &'static [KeyRule],
    /// Exactly one of these keys must be given; empty where there is no such choice.
    pub(super) one_of: &'static [&'static str],
}

impl TableRule {
    pub(super) fn key(&self, name: &str) -> Option<&'static KeyRule> {
        self.keys.iter().find(|k| k.name == name)
    }
}

/// A key of a table.
#[derive(Debug)]
pub(super) struct KeyRule {
    pub(super) name: &'static str,
    pub(super) kind: ValueKind,
    pub(super) doc: &'static str,
    pub(super) needed: Presence,
}

/// Whether a key may be left out.
#[derive(Debug)]
pub(super) enum Presence {
    Always,
    /// Left out, it means this TOML value (also legal JSON).
    Or(&'static str),
    /// Left out, the default is as `doc` says.
    No,
}

impl KeyRule {
    pub(super) const fn required(name: &'static str, kind: ValueKind, doc: &'static str) -> Self {
        Self { name, kind, doc, needed: Presence::Always }
    }
    pub(super) const fn optional(name: &'static str, kind: ValueKind, doc: &'static str) -> Self {
        Self { name, kind, doc, needed: Presence::No }
    }
    /// Optional with a default, given as it would be written in a scene.
    pub(super) const fn or(name: &'static str, kind: ValueKind, default: &'static str, doc: &'static str) -> Self {
        Self { name, kind, doc, needed: Presence::Or(default) }
    }
}

/// Kind of value that a key takes.
#[derive(Debug)]
pub(super) enum ValueKind {
    /// A short line of text.
    Text,
    Flag,
    /// One of these words, of a [`Words`](super::choices::Words).
    Choice(&'static [&'static str]),
    Whole(i64, i64),
    /// Three whole numbers.
    Counts(i64, i64),
    Number(Quantity, NumberRange),
    /// Three numbers.
    Vector(Quantity),
    /// Four plain numbers.
    Quaternion,
    /// At least (and, if the second is not zero, at most) so many vectors of lengths.
    Points(usize, usize),
    /// Four rows of four vectors of lengths.
    Grid,
    /// Triples of indices.
    Triangles,
    /// Rows of two numbers.
    Rows(Quantity, Quantity),
    Table(&'static TableRule),
    /// A non-empty list of tables.
    Tables(&'static TableRule),
    /// Tables under names the user chooses.
    Named(&'static TableRule),
    /// Any of these; which one is decided by the TOML type found.
    Either(&'static [ValueKind]),
}

impl ValueKind {
    /// Whether a value may be one of exactly these words.
    pub(super) fn has_words(&self, words: &[&str]) -> bool {
        match self {
            Self::Choice(own) => *own == words,
            Self::Either(kinds) => kinds.iter().any(|kind| kind.has_words(words)),
            _ => false,
        }
    }
}

/// Legal numbers, ends included.
#[derive(Clone, Copy, Debug)]
pub(super) struct NumberRange {
    pub(super) least: f64,
    pub(super) most: f64,
}

/// Beyond this no quantity of an animation makes sense, and squares and cubes start to overflow.
pub(super) const LARGEST: f64 = 1e12;
/// Positive numbers below this would vanish in the products they enter.
pub(super) const SMALLEST: f64 = 1e-12;

impl NumberRange {
    pub(super) const ANY: Self = Self { least: -LARGEST, most: LARGEST };
    pub(super) const POSITIVE: Self = Self { least: SMALLEST, most: LARGEST };
    pub(super) const NOT_NEGATIVE: Self = Self { least: 0.0, most: LARGEST };
    pub(super) const FRACTION: Self = Self { least: 0.0, most: 1.0 };

    pub(super) const fn new(least: f64, most: f64) -> Self {
        Self { least, most }
    }

    /// The requirement that `value`, which lies outside, breaks, in words: only the end it lies beyond where that is one of
    /// our own limits.
    pub(super) fn remedy(&self, value: f64, unit: &str) -> String {
        let with_unit = |x: f64| format!("{} {unit}", show(x)).trim_end().to_owned();
        if self.most == LARGEST && self.least >= 0.0 && value > self.most {
            format!("at most {}", with_unit(self.most))
        } else if self.least == SMALLEST && value > 0.0 {
            format!("at least {}", with_unit(self.least))
        } else {
            self.words()
        }
    }

    /// The range in words: "positive", "from 0 to 1".
    pub(super) fn words(&self) -> String {
        let no_most = self.most == LARGEST;
        if self.least == -LARGEST && no_most {
            format!("finite and within ±{LARGEST:e}")
        } else if self.least == SMALLEST && no_most {
            "greater than zero".to_owned()
        } else if self.least == 0.0 && no_most {
            "zero or more".to_owned()
        } else {
            format!("from {} to {}", show(self.least), show(self.most))
        }
    }
}

/// A number as a person would write it.
pub(super) fn show(x: f64) -> String {
    if x != 0.0 && !(1e-4..1e7).contains(&x.abs()) { format!("{x:e}") } else { format!("{x}") }
}
