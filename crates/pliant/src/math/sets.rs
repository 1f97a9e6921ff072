//! Things that hang together.

/// Disjoint sets of the numbers below a count (union and find): each names another of its set, the least of it names itself.
pub(crate) struct Sets(Vec<usize>);

impl Sets {
    /// Each number by itself.
    pub(crate) fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// The least of the set that `i` is in.
    pub(crate) fn first(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    /// Makes one set of two.
    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b)] = a.min(b);
    }
}
