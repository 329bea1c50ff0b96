//! Selects and sorts the shown rows of a table.

use crate::order::keep_first_by;
use crate::query::Window;
use std::cmp::Ordering;

/// Keeps the rows of a window, largest first. Equal values are sorted by name.
pub fn keep_largest<T, N: Ord>(rows: &mut Vec<T>, window: Window, value: impl Fn(&T) -> f64, name: impl Fn(&T) -> N) {
    keep(rows, window, |a, b| value(b).total_cmp(&value(a)).then_with(|| name(a).cmp(&name(b))));
}

/// Keeps the rows of a window in alphabetical order.
pub fn keep_first<T, N: Ord>(rows: &mut Vec<T>, window: Window, name: impl Fn(&T) -> N) {
    keep(rows, window, |a, b| name(a).cmp(&name(b)));
}

fn keep<T>(rows: &mut Vec<T>, window: Window, order: impl Fn(&T, &T) -> Ordering) {
    let end = window.limit.map_or(rows.len(), |limit| window.skip.saturating_add(limit));
    keep_first_by(rows, end, order);
    window.cut(rows);
}
