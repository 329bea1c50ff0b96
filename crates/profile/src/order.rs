//! The one sort behind all orders of rows.
//!
//! The standard library's sorts are made anew for each type and each order, 5 to 8 KB of code every time, and every
//! report file carries the engine. Here positions are sorted, by an order that is called through a pointer, and the
//! rows are then moved to their places: made anew are a few bytes.

use std::cmp::Ordering;

/// Sorts rows, of which there are fewer than 2³²; equal ones keep their order.
pub(crate) fn sort_by<T>(rows: &mut [T], order: impl Fn(&T, &T) -> Ordering) {
    if rows.len() < 2 {
        return;
    }
    let mut positions = sorted_positions(rows.len(), None, &|a, b| order(&rows[a as usize], &rows[b as usize]));
    arrange(&mut positions, &mut |a, b| rows.swap(a, b));
}

/// Sorts rows by what `key` says of them; equal ones keep their order.
pub(crate) fn sort_by_key<T, K: Ord>(rows: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(rows, |a, b| key(a).cmp(&key(b)));
}

/// Sorts the first `count` rows of an order, and drops the others. Picks before it sorts: of 200 thousand stacks a
/// screen shows a few.
pub(crate) fn keep_first_by<T>(rows: &mut Vec<T>, count: usize, order: impl Fn(&T, &T) -> Ordering) {
    let by_position = |a: u32, b: u32| order(&rows[a as usize], &rows[b as usize]);
    let mut positions = sorted_positions(rows.len(), Some(count), &by_position);
    arrange(&mut positions, &mut |a, b| rows.swap(a, b));
    rows.truncate(count);
}

/// All positions below `len`, of which the first `sorted_count` are those that come first, in order.
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

/// Swaps rows until each place has the row that stood at its position. Follows each circle of places once.
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
