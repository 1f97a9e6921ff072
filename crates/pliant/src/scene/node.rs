//! A scene after its form was checked: values of the right kind, in SI units, with their places in the text.

use super::choices::Words;
use super::grammar::TableRule;
use crate::math::DVec3;

/// Bytes of the text of a scene.
pub(super) type TextSpan = std::ops::Range<usize>;

/// A value and its span in the text.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) span: TextSpan,
    pub(super) value: SceneValue,
}

/// Mirrors [`super::grammar::ValueKind`].
#[derive(Debug)]
pub(super) enum SceneValue {
    Text(String),
    Flag(bool),
    Choice(&'static str),
    Whole(i64),
    Counts([i64; 3]),
    Number(f64),
    Vector(DVec3),
    Quaternion([f64; 4]),
    Points(Vec<DVec3>),
    Triangles(Vec<(TextSpan, [u32; 3])>),
    Rows(Vec<(f64, f64)>),
    Table(Fields),
    Tables(Vec<(TextSpan, Fields)>),
    Named(Vec<(String, Fields)>),
}

/// The keys of a table that were given and are well formed.
#[derive(Debug)]
pub(super) struct Fields {
    pub(super) table: &'static TableRule,
    pub(super) entries: Vec<(&'static str, Node)>,
    /// Whether other keys were given and refused: a missing key is then not reported.
    pub(super) broken: bool,
}

macro_rules! getters {
    ($($name:ident: $variant:ident => $type:ty,)*) => {
        $(pub(super) fn $name(&self, key: &'static str) -> Option<&$type> {
            match &self.get(key)?.value {
                SceneValue::$variant(value) => Some(value),
                _ => None,
            }
        })*
    };
}

impl Fields {
    /// The node of a key of this table. Asking for a key the format does not have is a mistake of ours.
    pub(super) fn get(&self, key: &'static str) -> Option<&Node> {
        debug_assert!(self.table.key(key).is_some(), "{} has no key {key}", self.table.name);
        #[cfg(test)]
        asked::note(self.table.name, key);
        self.entries.iter().find(|(name, _)| *name == key).map(|(_, node)| node)
    }

    getters! {
        text: Text => String,
        flag: Flag => bool,
        whole: Whole => i64,
        number: Number => f64,
        vector: Vector => DVec3,
        quaternion: Quaternion => [f64; 4],
        points: Points => Vec<DVec3>,
        triangles: Triangles => Vec<(TextSpan, [u32; 3])>,
        rows: Rows => Vec<(f64, f64)>,
        fields: Table => Fields,
        tables: Tables => Vec<(TextSpan, Fields)>,
        named: Named => Vec<(String, Fields)>,
    }

    /// The value of the word at `key`, where there is a word.
    pub(super) fn choice<T: Words>(&self, key: &'static str) -> Option<T> {
        let rule = self.table.key(key);
        debug_assert!(
            rule.is_some_and(|rule| rule.kind.has_words(T::WORDS)),
            "{key} has other words than {:?}",
            T::WORDS
        );
        match &self.get(key)?.value {
            SceneValue::Choice(word) => T::from_word(word),
            _ => None,
        }
    }

    /// The number at `key`, or `default`.
    pub(super) fn number_or(&self, key: &'static str, default: f64) -> f64 {
        self.number(key).copied().unwrap_or(default)
    }

    /// The vector at `key`, or `default`.
    pub(super) fn vector_or(&self, key: &'static str, default: DVec3) -> DVec3 {
        self.vector(key).copied().unwrap_or(default)
    }

    /// Span of `key`; that of the table if it was left out.
    pub(super) fn span_of(&self, key: &'static str, table: &TextSpan) -> TextSpan {
        self.get(key).map_or_else(|| table.clone(), |node| node.span.clone())
    }

    /// The only entry among `one_of`, of which the form check lets pass one only.
    pub(super) fn chosen<T: Words>(&self) -> Option<(T, &Node)> {
        debug_assert_eq!(self.table.one_of, T::WORDS, "{} has other forms", self.table.name);
        let (name, node) = self.entries.iter().find(|(name, _)| self.table.one_of.contains(name))?;
        #[cfg(test)]
        asked::note(self.table.name, name);
        Some((T::from_word(name)?, node))
    }
}

/// Keys that were ever asked for: a test compares them with the keys of the format.
#[cfg(test)]
pub(super) mod asked {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    thread_local! {
        static ASKED: RefCell<BTreeSet<(&'static str, &'static str)>> = const { RefCell::new(BTreeSet::new()) };
    }

    pub(super) fn note(table: &'static str, key: &'static str) {
        ASKED.with_borrow_mut(|asked| asked.insert((table, key)));
    }

    pub(in crate::scene) fn all() -> BTreeSet<(&'static str, &'static str)> {
        ASKED.with_borrow(Clone::clone)
    }
}
