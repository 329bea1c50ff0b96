//! The row of all threads that were idle all the time. A service with pools has many of them, and they would hide the others.
//!
//! ```text
//! without the row        closed                 open
//! main                   main                   main
//! exec-# (8 threads)     42 idle threads        42 idle threads
//! Finalizer                                       exec-# (8 threads)
//! …                                               Finalizer
//!                                                 …
//! ```

use crate::pool_rows::ThreadLine;
use serde::Deserialize;

/// Which rows idle threads have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdleRows {
    /// Idle threads have rows like other threads.
    #[default]
    None,
    /// All idle threads are one row.
    Closed,
    /// All idle threads are one row, and the rows below it are their rows.
    Open,
}

/// A row of a timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TimelineLine {
    /// The threads of the row, and its depth.
    pub(super) line: ThreadLine,
    /// What the row is, if it is neither a thread nor a pool.
    pub(super) outer: Option<Outer>,
}

/// A row around the rows of threads and pools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outer {
    /// The row of all idle threads.
    Idle,
    /// The row of a group with this name. Reports have none.
    #[cfg_attr(target_arch = "wasm32", expect(dead_code))]
    Group(String),
}

/// Moves the rows of idle threads into one row at the end. A single row stays where it is.
pub(super) fn with_idle_row(
    lines: Vec<ThreadLine>,
    rows: IdleRows,
    is_idle: impl Fn(&ThreadLine) -> bool,
) -> Vec<TimelineLine> {
    let idle_count = lines.iter().filter(|line| line.depth == 0 && is_idle(line)).count();
    let is_moved = rows != IdleRows::None && idle_count > 1;
    let (mut busy, mut below) = (Vec::new(), Vec::new());
    let mut is_below = false;
    for line in lines {
        // The rows of an open pool follow the row of their pool.
        is_below = is_moved && if line.depth == 0 { is_idle(&line) } else { is_below };
        if is_below {
            below.push(TimelineLine { line: ThreadLine { depth: line.depth + 1, ..line }, outer: None });
        } else {
            busy.push(TimelineLine { line, outer: None });
        }
    }
    if is_moved {
        let of_rows = below.iter().filter(|below| below.line.depth == 1);
        let threads = of_rows.flat_map(|below| below.line.threads.clone()).collect();
        busy.push(TimelineLine { line: ThreadLine { threads, depth: 0 }, outer: Some(Outer::Idle) });
    }
    if rows == IdleRows::Open {
        busy.extend(below);
    }
    busy
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows, each with its threads. `idle:` is the row of all idle threads. A row is indented by its depth.
    fn rows(rows: IdleRows) -> Vec<String> {
        let line = |threads: &[usize], depth| ThreadLine { threads: threads.to_vec(), depth };
        let lines =
            vec![line(&[0], 0), line(&[1, 2], 0), line(&[1], 1), line(&[2], 1), line(&[3, 4], 0), line(&[5], 0)];
        let shown = with_idle_row(lines, rows, |line| line.threads[0] == 1 || line.threads[0] == 5);
        let text = |TimelineLine { line, outer }: TimelineLine| {
            let name = if outer.is_some() { "idle: " } else { "" };
            format!("{}{name}{:?}", " ".repeat(line.depth), line.threads)
        };
        shown.into_iter().map(text).collect()
    }

    #[test]
    fn idle_threads_are_one_row_at_the_end() {
        assert_eq!(rows(IdleRows::None), ["[0]", "[1, 2]", " [1]", " [2]", "[3, 4]", "[5]"]);
        assert_eq!(rows(IdleRows::Closed), ["[0]", "[3, 4]", "idle: [1, 2, 5]"]);
        assert_eq!(rows(IdleRows::Open), ["[0]", "[3, 4]", "idle: [1, 2, 5]", " [1, 2]", "  [1]", "  [2]", " [5]"]);
    }
}
