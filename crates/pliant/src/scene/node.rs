//! A scene after its form was checked: values of the right kind, in SI units, with their places.

use super::grammar::Table;
use crate::math::DVec3;

pub(super) type Span = std::ops::Range<usize>;

/// A value and where it stands.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) span: Span,
    pub(super) value: Value,
}

/// Mirrors [`super::grammar::Kind`].
#[derive(Debug)]
pub(super) enum Value {
    Text(String),
    Flag(bool),
    Choice(&'static str),
    Whole(i64),
    Counts([i64; 3]),
    Number(f64),
    Vector(DVec3),
    Quaternion([f64; 4]),
    Points(Vec<DVec3>),
    Triangles(Vec<(Span, [u32; 3])>),
    Rows(Vec<(f64, f64)>),
    Table(Fields),
    Tables(Vec<(Span, Fields)>),
    Named(Vec<(String, Fields)>),
}

/// The keys of a table that were given and are well formed.
#[derive(Debug)]
pub(super) struct Fields {
    pub(super) table: &'static Table,
    pub(super) entries: Vec<(&'static str, Node)>,
    /// Whether others were given and refused: rules about what is missing must then keep quiet.
    pub(super) broken: bool,
}

macro_rules! getters {
    ($($name:ident: $variant:ident => $type:ty,)*) => {
        $(pub(super) fn $name(&self, key: &'static str) -> Option<&$type> {
            match &self.get(key)?.value {
                Value::$variant(value) => Some(value),
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
        choice: Choice => &'static str,
        whole: Whole => i64,
        number: Number => f64,
        vector: Vector => DVec3,
        quaternion: Quaternion => [f64; 4],
        points: Points => Vec<DVec3>,
        triangles: Triangles => Vec<(Span, [u32; 3])>,
        rows: Rows => Vec<(f64, f64)>,
        fields: Table => Fields,
        tables: Tables => Vec<(Span, Fields)>,
        named: Named => Vec<(String, Fields)>,
    }

    /// The number at `key`, or what it is when left out.
    pub(super) fn number_or(&self, key: &'static str, default: f64) -> f64 {
        self.number(key).copied().unwrap_or(default)
    }

    /// The vector at `key`, or what it is when left out.
    pub(super) fn vector_or(&self, key: &'static str, default: DVec3) -> DVec3 {
        self.vector(key).copied().unwrap_or(default)
    }

    /// Where `key` stands; where the table stands if it was left out.
    pub(super) fn span_of(&self, key: &'static str, table: &Span) -> Span {
        self.get(key).map_or_else(|| table.clone(), |node| node.span.clone())
    }

    /// The only entry among `one_of`, which the form check has seen to.
    pub(super) fn chosen(&self) -> Option<(&'static str, &Node)> {
        let (name, node) = self.entries.iter().find(|(name, _)| self.table.one_of.contains(name))?;
        #[cfg(test)]
        asked::note(self.table.name, name);
        Some((name, node))
    }
}

/// Which keys were ever asked for: a test compares them with the keys of the format.
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
