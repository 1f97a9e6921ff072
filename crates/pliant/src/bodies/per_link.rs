//! Links of a world by number, and arrays with one entry for each.
//!
//! *The idea*: bodies and links are numbered apart, and an index of one must not reach an array of the other. So a
//! [`PerLink`] has no other index than a [`LinkId`].

use std::ops::{Index, IndexMut};

/// A link of the world: index of every per-link array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub usize);

impl LinkId {
    /// The first `count` links.
    pub fn first(count: usize) -> impl ExactSizeIterator<Item = Self> {
        (0..count).map(Self)
    }
}

/// One entry for each link of the world, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct PerLink<T>(Vec<T>);

impl<T> PerLink<T> {
    /// `value` for each of `count` links.
    pub fn filled(value: T, count: usize) -> Self
    where
        T: Clone,
    {
        Self(vec![value; count])
    }

    /// Number of links.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no links.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Entries in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// Entries in order, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.0.iter_mut()
    }

    /// Entries with their links.
    pub fn iter_enumerated(&self) -> impl ExactSizeIterator<Item = (LinkId, &T)> {
        LinkId::first(self.len()).zip(&self.0)
    }

    /// Entries with their links, to be changed.
    pub fn iter_mut_enumerated(&mut self) -> impl ExactSizeIterator<Item = (LinkId, &mut T)> {
        LinkId::first(self.len()).zip(&mut self.0)
    }

    /// Entry of a link, if there is such a link.
    pub fn get_mut(&mut self, link: LinkId) -> Option<&mut T> {
        self.0.get_mut(link.0)
    }

    /// Entries alone.
    pub(crate) fn as_slice(&self) -> &[T] {
        &self.0
    }

    /// Entries alone, to be changed.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.0
    }

    /// Appends the entry of the next link, and returns that.
    pub(crate) fn push(&mut self, value: T) -> LinkId {
        self.0.push(value);
        LinkId(self.len() - 1)
    }
}

impl<T> Default for PerLink<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Index<LinkId> for PerLink<T> {
    type Output = T;
    #[inline]
    fn index(&self, link: LinkId) -> &T {
        &self.0[link.0]
    }
}

impl<T> IndexMut<LinkId> for PerLink<T> {
    #[inline]
    fn index_mut(&mut self, link: LinkId) -> &mut T {
        &mut self.0[link.0]
    }
}

impl<T> From<Vec<T>> for PerLink<T> {
    fn from(entries: Vec<T>) -> Self {
        Self(entries)
    }
}

impl<T> FromIterator<T> for PerLink<T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

impl<'a, T> IntoIterator for &'a PerLink<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
