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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

        /// Against labels that are rewritten one by one; in any order of unions.
        #[test]
        fn sets_are_those_of_labels_and_named_by_their_least(
            pairs in prop::collection::vec((0_usize..20, 0_usize..20), 0..30)
        ) {
            let (mut sets, mut reversed) = (UnionFind::new(20), UnionFind::new(20));
            let mut labels: Vec<usize> = (0..20).collect();
            for &(a, b) in &pairs {
                sets.union(a, b);
                let (from, to) = (labels[a].max(labels[b]), labels[a].min(labels[b]));
                labels.iter_mut().filter(|label| **label == from).for_each(|label| *label = to);
            }
            pairs.iter().rev().for_each(|&(a, b)| reversed.union(b, a));
            for (i, label) in labels.into_iter().enumerate() {
                prop_assert_eq!((sets.find(i), reversed.find(i)), (label, label));
            }
        }
    }
}
