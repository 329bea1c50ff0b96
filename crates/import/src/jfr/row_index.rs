//! Finds rows by key, for keys that are mostly small and close together.

use rustc_hash::FxHashMap;

/// A list is used if it needs at most this many places per key. A hash table needs about as much memory as a list with
/// four places per key, but its lookups are slower.
const MAX_PLACES_PER_KEY: u64 = 8;

/// Finds the row of a key.
#[derive(Debug)]
pub(crate) enum RowIndex {
    /// A list of `rows[key - first_key]`, with [`NO_ROW`] for missing keys.
    List { first_key: u64, rows: Vec<u32> },
    /// A hash table, for all other keys.
    Map(FxHashMap<u64, u32>),
}

/// No row has this number, because such a table would not fit into memory.
const NO_ROW: u32 = u32::MAX;

impl RowIndex {
    /// An index over `keys`. The position of a key is its row. If keys are equal, the last key is used.
    pub(crate) fn new(keys: &[u64]) -> Self {
        let first_key = keys.iter().copied().min().unwrap_or(0);
        let key_range = keys.iter().copied().max().unwrap_or(0) - first_key;
        let numbered = keys.iter().copied().zip(0..NO_ROW);
        if key_range / MAX_PLACES_PER_KEY > keys.len() as u64 {
            return Self::Map(numbered.collect());
        }
        let mut rows = vec![NO_ROW; key_range as usize + 1];
        numbered.for_each(|(key, row)| rows[(key - first_key) as usize] = row);
        Self::List { first_key, rows }
    }

    /// The row of `key`.
    #[inline]
    pub(crate) fn row(&self, key: u64) -> Option<usize> {
        let row = match self {
            Self::List { first_key, rows } => {
                let place = usize::try_from(key.checked_sub(*first_key)?).ok()?;
                rows.get(place).copied().filter(|row| *row != NO_ROW)
            }
            Self::Map(rows) => rows.get(&key).copied(),
        };
        row.map(|row| row as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_keys_make_a_list_and_distant_ones_a_map() {
        let close = RowIndex::new(&[1_000_007, 1_000_001, 1_000_030]);
        assert!(matches!(close, RowIndex::List { .. }));
        let distant = RowIndex::new(&[7, u64::MAX, 0]);
        assert!(matches!(distant, RowIndex::Map(_)));
        assert_eq!([1_000_007, 1_000_030, 1_000_008, 0].map(|key| close.row(key)), [Some(0), Some(2), None, None]);
        assert_eq!([7, u64::MAX, 0, 1].map(|key| distant.row(key)), [Some(0), Some(1), Some(2), None]);
        assert_eq!(RowIndex::new(&[]).row(0), None);
        assert_eq!(RowIndex::new(&[5, 5]).row(5), Some(1));
    }
}
