//! Union-find: disjoint sets that are merged in pairs.

/// A partition of the indices below a count. The least index of a set represents it, so that the result does not depend
/// on the order of unions.
pub(crate) struct UnionFind(Vec<usize>);

impl UnionFind {
    /// `count` sets of one index each.
    pub(crate) fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// The representative of the set of `i`: its least index. Halves the path on the way.
    pub(crate) fn find(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    /// Merges the sets of `a` and `b`.
    pub(crate) fn union(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}
