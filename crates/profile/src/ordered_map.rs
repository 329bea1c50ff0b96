//! A map that is sorted by key, for the few rows of a view.
//!
//! The map is a sorted vector. Lookups are as fast as in a tree, but insertions are slower. Its code has a tenth of the
//! size of `BTreeMap`'s code. The size matters because the compiler generates the code again for each type, and every
//! report file contains it.

/// Values by key.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderedMap<K, V> {
    pairs: Vec<(K, V)>,
}

impl<K, V> Default for OrderedMap<K, V> {
    fn default() -> Self {
        Self { pairs: Vec::new() }
    }
}

impl<K: Ord, V> OrderedMap<K, V> {
    /// The value of a key, created if it is missing.
    pub fn at(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let place = self.pairs.partition_point(|(known, _)| *known < key);
        if self.pairs.get(place).is_none_or(|(known, _)| *known != key) {
            self.pairs.insert(place, (key, make()));
        }
        &mut self.pairs[place].1
    }

    /// Keys and values, in the order of keys.
    pub fn iter(&self) -> std::slice::Iter<'_, (K, V)> {
        self.pairs.iter()
    }

    /// Keys and values, in the order of keys.
    pub fn into_pairs(self) -> Vec<(K, V)> {
        self.pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_is_what_a_tree_is(pairs in proptest::collection::vec((0_u8..30, 0_u32..9), 0..100)) {
            let (mut own, mut tree) = (OrderedMap::default(), BTreeMap::new());
            for (key, value) in pairs {
                *own.at(key, || 7) += value;
                *tree.entry(key).or_insert(7) += value;
            }
            prop_assert_eq!(own.into_pairs(), tree.into_iter().collect::<Vec<_>>());
        }
    }
}
