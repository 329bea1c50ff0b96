//! Thread states, sorted by thread. A span usually begins where the previous span ended, and usually has one row.
//!
//! If there are too many spans, whittle joins spans. Spans of a thread become one span if they begin in the same bin
//! and have no gaps between them. The rows of this span are the sums by state and reason.

use crate::PackError;
use crate::bytes::{Reader, unzigzag, zigzag};
use crate::cells::bin_widths;
use crate::column::{put_integers, put_rows, read_integers, read_rows};
use whittle_model::{Table, ThreadIndex, ThreadState, ThreadStateSpan, ThreadStateTable, WaitReason};

/// How a row's span relates to the previous row's span. The row's span follows the previous span, equals it, or begins
/// at a distance.
const FOLLOWS: u64 = 0;
const IS_SAME: u64 = 1;
const FIRST_DISTANCE: u64 = 2;

/// Sorts the rows by thread. If there are more than `most_rows` rows, joins rows and returns the width of the bins.
pub(super) fn order_thread_states(table: &ThreadStateTable, most_rows: usize) -> (ThreadStateTable, Option<u64>) {
    let mut rows: Vec<u32> = (0..table.len() as u32).collect();
    rows.sort_by_key(|row| table.thread[*row as usize]);
    if table.len() <= most_rows {
        let mut ordered = ThreadStateTable::default();
        rows.into_iter().for_each(|row| ordered.push(table.row(row as usize)));
        return (ordered, None);
    }
    let widths: Vec<u64> = bin_widths().collect();
    let first = widths.partition_point(|bin_ns| joined(table, &rows, *bin_ns).len() > most_rows);
    let bin_ns = widths[first.min(widths.len() - 1)];
    (joined(table, &rows, bin_ns), Some(bin_ns))
}

/// A span under construction, with its rows.
struct JoinedSpan {
    thread: ThreadIndex,
    start_ns: u64,
    end_ns: u64,
    amounts: Vec<(ThreadState, WaitReason, u64)>,
}

impl JoinedSpan {
    /// Whether a row is part of this span, or of a span that can be joined to this span.
    fn takes(&self, row: &ThreadStateSpan, last: Option<(u64, u64)>, bin_ns: u64) -> bool {
        let is_same = last == Some((row.start_ns, row.end_ns));
        let follows = row.start_ns == self.end_ns && row.start_ns / bin_ns == self.start_ns / bin_ns;
        row.thread == self.thread && (is_same || follows)
    }

    fn add(&mut self, row: &ThreadStateSpan) {
        self.end_ns = row.end_ns;
        let known = self.amounts.iter_mut().find(|(state, reason, _)| (*state, *reason) == (row.state, row.reason));
        match known {
            Some((_, _, duration_ns)) => *duration_ns += row.duration_ns,
            None => self.amounts.push((row.state, row.reason, row.duration_ns)),
        }
    }

    fn push_rows(&self, table: &mut ThreadStateTable) {
        for (state, reason, duration_ns) in &self.amounts {
            table.push(ThreadStateSpan {
                thread: self.thread,
                start_ns: self.start_ns,
                end_ns: self.end_ns,
                state: *state,
                reason: *reason,
                duration_ns: *duration_ns,
            });
        }
    }
}

fn joined(table: &ThreadStateTable, rows: &[u32], bin_ns: u64) -> ThreadStateTable {
    let mut result = ThreadStateTable::default();
    let mut open: Option<JoinedSpan> = None;
    let mut last = None;
    for row in rows.iter().map(|row| table.row(*row as usize)) {
        match &mut open {
            Some(span) if span.takes(&row, last, bin_ns) => span.add(&row),
            _ => {
                let (thread, start_ns, end_ns) = (row.thread, row.start_ns, row.end_ns);
                let mut span = JoinedSpan { thread, start_ns, end_ns, amounts: Vec::new() };
                span.add(&row);
                if let Some(before) = open.replace(span) {
                    before.push_rows(&mut result);
                }
            }
        }
        last = Some((row.start_ns, row.end_ns));
    }
    if let Some(span) = open {
        span.push_rows(&mut result);
    }
    result
}

/// Appends the rows in their order.
pub(super) fn put_thread_states(bytes: &mut Vec<u8>, table: &ThreadStateTable) {
    let mut columns = Vec::new();
    put_integers(&mut columns, table.thread.iter().map(|thread| u64::from(thread.0)));
    let before = std::iter::once((0, 0)).chain(table.start_ns.iter().copied().zip(table.end_ns.iter().copied()));
    let spans = before.zip(table.start_ns.iter().zip(&table.end_ns));
    put_integers(&mut columns, spans.map(|(before, (start, end))| place(before, (*start, *end))));
    put_integers(&mut columns, table.start_ns.iter().zip(&table.end_ns).map(|(start, end)| end - start));
    put_integers(&mut columns, table.state.iter().zip(&table.reason).map(|(state, reason)| code(*state, *reason)));
    let lengths = table.start_ns.iter().zip(&table.end_ns).map(|(start, end)| end - start);
    put_integers(
        &mut columns,
        lengths.zip(&table.duration_ns).map(|(length, duration)| zigzag(length.wrapping_sub(*duration))),
    );
    put_rows(bytes, table.len(), columns);
}

fn place(before: (u64, u64), span: (u64, u64)) -> u64 {
    if span.0 == before.1 {
        return FOLLOWS;
    }
    if span == before {
        return IS_SAME;
    }
    zigzag(span.0.wrapping_sub(before.1)).saturating_add(FIRST_DISTANCE)
}

fn code(state: ThreadState, reason: WaitReason) -> u64 {
    (state as usize * WaitReason::ALL.len() + reason as usize) as u64
}

/// Reads the rows.
pub(super) fn read_thread_states(reader: &mut Reader<'_>) -> Result<ThreadStateTable, PackError> {
    let (rows, mut columns) = read_rows(reader)?;
    let threads: Vec<u32> = read_integers(&mut columns, rows)?;
    let places: Vec<u64> = read_integers(&mut columns, rows)?;
    let lengths: Vec<u64> = read_integers(&mut columns, rows)?;
    let codes: Vec<u16> = read_integers(&mut columns, rows)?;
    let rests: Vec<u64> = read_integers(&mut columns, rows)?;
    let mut table = ThreadStateTable::default();
    let mut before = (0_u64, 0_u64);
    for row in 0..rows {
        let start_ns = match places[row] {
            FOLLOWS => before.1,
            IS_SAME => before.0,
            distance => before.1.wrapping_add(unzigzag(distance - FIRST_DISTANCE)),
        };
        let end_ns = start_ns.checked_add(lengths[row]).ok_or(PackError::Damaged("a span"))?;
        let (state, reason) =
            (usize::from(codes[row]) / WaitReason::ALL.len(), usize::from(codes[row]) % WaitReason::ALL.len());
        before = (start_ns, end_ns);
        table.push(ThreadStateSpan {
            thread: ThreadIndex(threads[row]),
            start_ns,
            end_ns,
            state: *ThreadState::ALL.get(state).ok_or(PackError::Damaged("a state"))?,
            reason: WaitReason::ALL[reason],
            duration_ns: lengths[row].wrapping_sub(unzigzag(rests[row])),
        });
    }
    Ok(table)
}
