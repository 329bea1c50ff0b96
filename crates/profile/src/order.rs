//! One sort function for all orders of rows.
//!
//! The compiler generates the standard library's sort functions again for each type and each order: 5 to 8 KB of code
//! each time. Every report file contains this code. So this module sorts positions, calls the comparison through a
//! pointer, and then moves the rows. Only a few bytes of code are generated again.

use std::cmp::Ordering;

/// Sorts fewer than 2³² rows. Equal rows keep their order.
pub fn sort_by<T>(rows: &mut [T], order: impl Fn(&T, &T) -> Ordering) {
    if rows.len() < 2 {
        return;
    }
    let mut positions = sorted_positions(rows.len(), None, &|a, b| order(&rows[a as usize], &rows[b as usize]));
    arrange(&mut positions, &mut |a, b| rows.swap(a, b));
}

/// Sorts rows by `key`. Equal rows keep their order.
pub fn sort_by_key<T, K: Ord>(rows: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(rows, |a, b| key(a).cmp(&key(b)));
}

/// Sorts rows, keeps the first `count` rows, and drops the other rows. The rows are selected before they are sorted,
/// because a screen shows only a few of 200 thousand stacks.
pub fn keep_first_by<T>(rows: &mut Vec<T>, count: usize, order: impl Fn(&T, &T) -> Ordering) {
    let by_position = |a: u32, b: u32| order(&rows[a as usize], &rows[b as usize]);
    let mut positions = sorted_positions(rows.len(), Some(count), &by_position);
    arrange(&mut positions, &mut |a, b| rows.swap(a, b));
    rows.truncate(count);
}

/// All positions below `len`. The first `sorted_count` of them are the positions of the first rows, in order.
fn sorted_positions(len: usize, sorted_count: Option<usize>, order: &dyn Fn(u32, u32) -> Ordering) -> Vec<u32> {
    let mut positions: Vec<u32> = (0..len as u32).collect();
    let total_order = |a: &u32, b: &u32| order(*a, *b).then(a.cmp(b));
    let count = sorted_count.unwrap_or(len).min(len);
    if 0 < count && count < len {
        positions.select_nth_unstable_by(count - 1, total_order);
    }
    positions[..count].sort_unstable_by(total_order);
    positions
}

/// Swaps rows until each row is at its position. Follows each cycle of positions once.
fn arrange(positions: &mut [u32], swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..positions.len() {
        let mut place = start;
        loop {
            let from = std::mem::replace(&mut positions[place], place as u32) as usize;
            if from == start {
                break;
            }
            swap(place, from);
            place = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_stand_as_the_standard_library_sorts_them(rows in proptest::collection::vec((0_u8..20, 0_u16..9), 0..300)) {
            let (mut sorted, mut expected) = (rows.clone(), rows);
            sort_by_key(&mut sorted, |row| row.0);
            expected.sort_by_key(|row| row.0);
            prop_assert_eq!(sorted, expected);
        }

        #[test]
        fn the_first_rows_are_those_of_the_sorted_whole(
            rows in proptest::collection::vec((0_u8..20, 0_u16..9), 0..300),
            count in 0_usize..310,
        ) {
            let (mut kept, mut expected) = (rows.clone(), rows);
            keep_first_by(&mut kept, count, |a, b| b.0.cmp(&a.0));
            expected.sort_by_key(|row| std::cmp::Reverse(row.0));
            expected.truncate(count);
            prop_assert_eq!(kept, expected);
        }
    }
}
