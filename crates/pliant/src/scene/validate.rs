//! Checks the form of a scene against the grammar: keys, kinds, units and ranges, all problems at once.

use super::error::{Problems, nearest};
use super::grammar::{KeyRule, NumberRange, Presence, TableRule, ValueKind, show};
use super::node::{Fields, Node, SceneValue, TextSpan};
use super::units::{self, Quantity, UnitError};
use crate::math::DVec3;
use std::ops::RangeInclusive;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

type Item<'i> = Spanned<DeValue<'i>>;

/// The well-formed part of `document`; everything else is noted in `problems`.
pub(super) fn validate(
    document: &DeTable,
    span: &TextSpan,
    table: &'static TableRule,
    problems: &mut Problems,
) -> Fields {
    Validator { problems }.table(document, span, table)
}

struct Validator<'a> {
    problems: &'a mut Problems,
}

impl Validator<'_> {
    fn table(&mut self, found: &DeTable, span: &TextSpan, table: &'static TableRule) -> Fields {
        let mut entries = Vec::with_capacity(table.keys.len().min(found.len()));
        for (name, item) in found.iter() {
            match table.key(name.get_ref()) {
                Some(key) => {
                    if let Some(value) = self.value(item, key.name, &key.kind) {
                        entries.push((key.name, Node { span: item.span(), value }));
                    }
                }
                None => self.unknown_key(name.get_ref(), &name.span(), table),
            }
        }
        self.missing_keys(found, span, table);
        let broken = entries.len() < found.len();
        Fields { table, entries, broken }
    }

    fn unknown_key(&mut self, name: &str, span: &TextSpan, table: &'static TableRule) {
        if self.problems.is_full() {
            self.problems.add(span, "");
            return;
        }
        let keys = || table.keys.iter().map(|k| k.name);
        let message = format!("unknown key \"{}\" in {}", short(name), table.name);
        let remedy = self.problems.add(span, message);
        match nearest(name, keys()) {
            Some(near) => drop(remedy.help(format!("did you mean \"{near}\"?"))),
            None if table.keys.is_empty() => drop(remedy.help("it has no keys")),
            None => drop(remedy.help(format!("its keys are {}", keys().collect::<Vec<_>>().join(", ")))),
        }
    }

    fn missing_keys(&mut self, found: &DeTable, span: &TextSpan, table: &'static TableRule) {
        let given = |name: &str| found.iter().any(|(k, _)| k.get_ref() == name);
        for KeyRule { name, kind, needed, .. } in table.keys {
            if matches!(needed, Presence::Always) && !given(name) {
                let message = format!("{} needs the key \"{name}\"", table.name);
                self.problems.add(&header(span), message).expected(expected(kind));
            }
        }
        if table.one_of.is_empty() {
            return;
        }
        let chosen: Vec<_> = found.iter().filter(|(k, _)| table.one_of.contains(&k.get_ref().as_ref())).collect();
        match chosen.as_slice() {
            [] => {
                let message = format!("{} needs one of the keys {}", table.name, table.one_of.join(", "));
                self.problems.add(&header(span), message);
            }
            [_] => {}
            [(first, _), rest @ ..] => {
                for (name, _) in rest {
                    let message =
                        format!("{} has one form only, \"{}\" or \"{}\"", table.name, first.get_ref(), name.get_ref());
                    self.problems.add(&name.span(), message).help("remove one of them");
                }
            }
        }
    }

    fn value(&mut self, item: &Item, name: &str, kind: &'static ValueKind) -> Option<SceneValue> {
        let span = item.span();
        match (kind, item.get_ref()) {
            (ValueKind::Either(kinds), found) => {
                let Some(kind) = kinds.iter().find(|k| suits(k, found)) else {
                    return self.wrong(&span, name, kind, found);
                };
                self.value(item, name, kind)
            }
            (ValueKind::Text, DeValue::String(text)) => self.text(text, &span, name),
            (ValueKind::Flag, DeValue::Boolean(flag)) => Some(SceneValue::Flag(*flag)),
            (ValueKind::Choice(words), DeValue::String(text)) => {
                let Some(word) = words.iter().find(|w| **w == text.as_ref()) else {
                    let message = format!("{name} cannot be \"{}\"", short(text));
                    let remedy = self.problems.add(&span, message).expected(expected(kind));
                    remedy.did_you_mean(nearest(text, words.iter().copied()));
                    return None;
                };
                Some(SceneValue::Choice(word))
            }
            (ValueKind::Whole(least, most), DeValue::Integer(_)) => {
                self.whole(item, name, *least..=*most).map(SceneValue::Whole)
            }
            (ValueKind::Counts(least, most), DeValue::Array(list)) => {
                let items = self.exactly::<3>(list, &span, name, kind)?;
                let [x, y, z] = items.map(|item| self.whole(item, name, *least..=*most));
                Some(SceneValue::Counts([x?, y?, z?]))
            }
            (ValueKind::Number(quantity, range), _) => {
                self.number(item, name, *quantity, *range).map(SceneValue::Number)
            }
            (ValueKind::Vector(quantity), DeValue::Array(_)) => {
                self.vector(item, name, *quantity).map(SceneValue::Vector)
            }
            (ValueKind::Quaternion, DeValue::Array(list)) => {
                let items = self.exactly::<4>(list, &span, name, kind)?;
                let [x, y, z, w] = items.map(|item| self.number(item, name, Quantity::Plain, NumberRange::ANY));
                Some(SceneValue::Quaternion([x?, y?, z?, w?]))
            }
            (ValueKind::Points(least, most), DeValue::Array(list)) => {
                if list.len() < *least || (*most > 0 && list.len() > *most) {
                    let message = format!("{name} has {} points", list.len());
                    self.problems.add(&span, message).expected(expected(kind));
                    return None;
                }
                self.each(list, |validator, item| validator.vector(item, name, Quantity::Length))
                    .map(SceneValue::Points)
            }
            (ValueKind::Grid, DeValue::Array(list)) => self.grid(list, &span, name, kind),
            (ValueKind::Triangles, DeValue::Array(list)) => {
                self.each(list, |validator, item| validator.triangle(item, name)).map(SceneValue::Triangles)
            }
            (ValueKind::Rows(a, b), DeValue::Array(list)) => {
                self.each(list, |validator, item| validator.row(item, name, [*a, *b])).map(SceneValue::Rows)
            }
            (ValueKind::Table(table), DeValue::Table(found)) => {
                Some(SceneValue::Table(self.table(found, &span, table)))
            }
            (ValueKind::Tables(table), DeValue::Array(list)) => {
                if list.is_empty() {
                    let message = format!("{name} is an empty list");
                    self.problems.add(&span, message).expected(format!("at least one table [[{name}]]"));
                    return None;
                }
                self.each(list, |validator, item| match item.get_ref() {
                    DeValue::Table(found) => Some((item.span(), validator.table(found, &item.span(), table))),
                    found => validator.wrong(&item.span(), name, kind, found),
                })
                .map(SceneValue::Tables)
            }
            (ValueKind::Named(table), DeValue::Table(found)) => {
                let mut named = Vec::new();
                for (key, item) in found.iter() {
                    match item.get_ref() {
                        DeValue::Table(inner) => {
                            named.push((key.get_ref().to_string(), self.table(inner, &item.span(), table)));
                        }
                        other => {
                            let what = format!("{name}.{}", short(key.get_ref()));
                            let _: Option<SceneValue> = self.wrong(&item.span(), &what, kind, other);
                        }
                    }
                }
                Some(SceneValue::Named(named))
            }
            (_, found) => self.wrong(&span, name, kind, found),
        }
    }

    /// Every item of a list, or none if one is wrong; all of them are looked at.
    fn each<T>(&mut self, list: &[Item], mut read: impl FnMut(&mut Self, &Item) -> Option<T>) -> Option<Vec<T>> {
        let mut all = Some(Vec::with_capacity(list.len()));
        for item in list {
            match (read(self, item), &mut all) {
                (Some(value), Some(values)) => values.push(value),
                _ => all = None,
            }
        }
        all
    }

    fn text(&mut self, text: &str, span: &TextSpan, name: &str) -> Option<SceneValue> {
        /// Longer names break tables and file names.
        const LONGEST: usize = 200;
        let why = if text.trim().is_empty() {
            "is empty".to_owned()
        } else if text.chars().any(char::is_control) {
            "contains a line break or control character".to_owned()
        } else if text.chars().count() > LONGEST {
            format!("is longer than {LONGEST} characters")
        } else {
            return Some(SceneValue::Text(text.to_owned()));
        };
        self.problems.add(span, format!("{name} {why}")).expected("a short line of text in quotes");
        None
    }

    fn number(&mut self, item: &Item, name: &str, quantity: Quantity, range: NumberRange) -> Option<f64> {
        let span = item.span();
        let value = match item.get_ref() {
            DeValue::Integer(digits) => match i64::from_str_radix(digits.as_str(), digits.radix()) {
                Ok(whole) => whole as f64,
                Err(_) => f64::INFINITY,
            },
            DeValue::Float(digits) => digits.as_str().parse().unwrap_or(f64::NAN),
            DeValue::String(text) => match units::parse(text, quantity) {
                Ok(value) => value,
                Err(error) => {
                    let (message, help) = unit_problem(name, text, quantity, error);
                    let remedy = self.problems.add(&span, message).expected(quantity.expected());
                    if let Some(help) = help {
                        remedy.help(help);
                    }
                    return None;
                }
            },
            found => {
                let message = format!("{name} is {}", describe(found));
                self.problems.add(&span, message).expected(quantity.expected());
                return None;
            }
        };
        if !(range.least..=range.most).contains(&value) {
            let unit = quantity.words().2;
            let got = format!("{} {unit}", show(value));
            let message = format!("{name} must be {}, got {}", range.remedy(value, unit), got.trim_end());
            self.problems.add(&span, message).expected(quantity.expected());
            return None;
        }
        Some(value)
    }

    fn whole(&mut self, item: &Item, name: &str, legal: RangeInclusive<i64>) -> Option<i64> {
        let value = match item.get_ref() {
            DeValue::Integer(digits) => i64::from_str_radix(digits.as_str(), digits.radix()).ok(),
            _ => None,
        };
        if let Some(value) = value.filter(|v| legal.contains(v)) {
            return Some(value);
        }
        let message = format!("{name} is {}", describe(item.get_ref()));
        self.problems.add(&item.span(), message).expected(expected(&ValueKind::Whole(*legal.start(), *legal.end())));
        None
    }

    fn vector(&mut self, item: &Item, name: &str, quantity: Quantity) -> Option<DVec3> {
        let kind = ValueKind::Vector(quantity);
        let DeValue::Array(list) = item.get_ref() else {
            return self.wrong(&item.span(), name, &kind, item.get_ref());
        };
        let items = self.exactly::<3>(list, &item.span(), name, &kind)?;
        let [x, y, z] = items.map(|item| self.number(item, name, quantity, NumberRange::ANY));
        Some(DVec3::new(x?, y?, z?))
    }

    fn grid(&mut self, list: &[Item], span: &TextSpan, name: &str, kind: &ValueKind) -> Option<SceneValue> {
        let rows = self.exactly::<4>(list, span, name, kind)?;
        let mut points = Vec::with_capacity(16);
        for row in rows {
            let DeValue::Array(list) = row.get_ref() else {
                return self.wrong(&row.span(), name, kind, row.get_ref());
            };
            for item in self.exactly::<4>(list, &row.span(), name, kind)? {
                points.push(self.vector(item, name, Quantity::Length)?);
            }
        }
        Some(SceneValue::Points(points))
    }

    fn triangle(&mut self, item: &Item, name: &str) -> Option<(TextSpan, [u32; 3])> {
        let DeValue::Array(list) = item.get_ref() else {
            return self.wrong(&item.span(), name, &ValueKind::Triangles, item.get_ref());
        };
        let items = self.exactly::<3>(list, &item.span(), name, &ValueKind::Triangles)?;
        let [a, b, c] = items.map(|item| self.whole(item, name, 0..=i64::from(u32::MAX)));
        Some((item.span(), [a? as u32, b? as u32, c? as u32]))
    }

    fn row(&mut self, item: &Item, name: &str, [a, b]: [Quantity; 2]) -> Option<(f64, f64)> {
        let kind = ValueKind::Rows(a, b);
        let DeValue::Array(list) = item.get_ref() else {
            return self.wrong(&item.span(), name, &kind, item.get_ref());
        };
        let [first, second] = self.exactly::<2>(list, &item.span(), name, &kind)?;
        let first = self.number(first, name, a, NumberRange::NOT_NEGATIVE);
        let second = self.number(second, name, b, NumberRange::NOT_NEGATIVE);
        Some((first?, second?))
    }

    fn exactly<'a, 'i, const N: usize>(
        &mut self,
        list: &'a [Item<'i>],
        span: &TextSpan,
        name: &str,
        kind: &ValueKind,
    ) -> Option<[&'a Item<'i>; N]> {
        if list.len() == N {
            return Some(std::array::from_fn(|i| &list[i]));
        }
        let message = format!("{name} has a list of {} where {N} belong", list.len());
        self.problems.add(span, message).expected(expected(kind));
        None
    }

    fn wrong<T>(&mut self, span: &TextSpan, name: &str, kind: &ValueKind, found: &DeValue) -> Option<T> {
        let message = format!("{name} is {}", describe(found));
        self.problems.add(span, message).expected(expected(kind));
        None
    }
}

/// Message and remedy for the text of key `name` that is not the wanted quantity.
fn unit_problem(name: &str, text: &str, quantity: Quantity, error: UnitError) -> (String, Option<String>) {
    let text = short(text);
    let si = quantity.words().2;
    match error {
        UnitError::NoNumber => (format!("{name} is the text \"{text}\""), None),
        UnitError::NoUnit => {
            let help = format!("add a unit, or remove the quotes for {si}");
            (format!("{name} is \"{text}\" without a unit"), Some(help))
        }
        UnitError::UnknownUnit(unit, near) => {
            let help = near.map(|n| format!("did you mean \"{n}\"?"));
            (format!("{name} has the unknown unit \"{unit}\""), help)
        }
        UnitError::Malformed => (format!("{name} has a unit that cannot be read in \"{text}\""), None),
        UnitError::OtherQuantity(Some(other)) => (format!("{name} is \"{text}\", {other}"), None),
        UnitError::OtherQuantity(None) => (format!("{name} is \"{text}\", which measures something else"), None),
    }
}

/// Whether a value of this TOML type is meant for `kind`, among alternatives.
fn suits(kind: &ValueKind, found: &DeValue) -> bool {
    match (kind, found) {
        (ValueKind::Text, DeValue::String(_)) => true,
        // A word that begins like a number is one with a unit.
        (ValueKind::Choice(_), DeValue::String(text)) => !text.starts_with(|c: char| c.is_ascii_digit() || c == '-'),
        (ValueKind::Number(..), DeValue::String(text)) => text.starts_with(|c: char| c.is_ascii_digit() || c == '-'),
        (ValueKind::Number(..), DeValue::Integer(_) | DeValue::Float(_)) => true,
        (ValueKind::Whole(..), DeValue::Integer(_)) => true,
        (ValueKind::Vector(_) | ValueKind::Counts(..), DeValue::Array(_)) => true,
        (ValueKind::Table(_), DeValue::Table(_)) => true,
        _ => false,
    }
}

/// A kind of value in words, for "expected …".
pub(super) fn expected(kind: &ValueKind) -> String {
    match kind {
        ValueKind::Text => "a short line of text in quotes".to_owned(),
        ValueKind::Flag => "true or false".to_owned(),
        ValueKind::Choice(words) => words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(" or "),
        ValueKind::Whole(least, i64::MAX) => format!("a whole number, {least} or more"),
        ValueKind::Whole(least, most) => format!("a whole number from {least} to {most}"),
        ValueKind::Counts(least, most) => format!("three whole numbers from {least} to {most}, e.g. [5, 5, 4]"),
        ValueKind::Number(quantity, _) => quantity.expected(),
        ValueKind::Vector(quantity) => {
            let (name, ..) = quantity.words();
            let example = if *quantity == Quantity::Length { ", e.g. [0, \"3 cm\", 1]" } else { ", e.g. [0, 0, 1]" };
            format!("three numbers, each {name}{example}")
        }
        ValueKind::Quaternion => "four numbers [x, y, z, w]".to_owned(),
        ValueKind::Points(least, most) if least == most => format!("a list of {least} points [x, y, z]"),
        ValueKind::Points(least, _) => format!("a list of {least} or more points [x, y, z]"),
        ValueKind::Grid => "four rows of four points [x, y, z]".to_owned(),
        ValueKind::Triangles => "a list of triangles, three indices of vertices each, e.g. [[0, 1, 2]]".to_owned(),
        ValueKind::Rows(..) => "rows of [depth, pressure], e.g. [[0, 0], [\"1 cm\", \"2 kPa\"]]".to_owned(),
        ValueKind::Table(table) if !table.one_of.is_empty() => {
            format!("a table with one of {}", table.one_of.join(", "))
        }
        ValueKind::Table(table) => {
            format!("a table with keys {}", table.keys.iter().map(|k| k.name).collect::<Vec<_>>().join(", "))
        }
        ValueKind::Tables(table) => format!("a list of tables, each {}", table.name),
        ValueKind::Named(table) => format!("a table of tables, each {}", table.name),
        ValueKind::Either(kinds) => kinds.iter().map(expected).collect::<Vec<_>>().join(", or "),
    }
}

fn describe(found: &DeValue) -> String {
    match found {
        DeValue::String(text) => format!("the text \"{}\"", short(text)),
        DeValue::Integer(digits) => format!("the number {}", short(&digits.to_string())),
        DeValue::Float(digits) => format!("the number {}", short(digits.as_str())),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(list) => format!("a list of {}", list.len()),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// At most the first few words of something a user wrote, on one line.
pub(super) fn short(text: &str) -> String {
    const LONGEST: usize = 40;
    let line: String = text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.len() < text.len() && text.chars().nth(LONGEST).is_some() { line + "…" } else { line }
}

/// A missing key is shown at the table's opening, not over all its lines.
fn header(span: &TextSpan) -> TextSpan {
    const LONGEST: usize = 80;
    span.start..span.end.min(span.start + LONGEST)
}
