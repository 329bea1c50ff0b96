//! Which request a thread answered at a time: an index of the table of requests.
//!
//! A row is in the index if it has times: as far as the kernel showed, the thread worked for this request alone from start to end. A row
//! with a number has a row of request_parts for each time that a thread worked for it, and these are in the index. Statements are parts of
//! requests, so they are not in the index.
//!
//! ```text
//! thread     http-1 ──[ GET /fast )────[ GET /slow      )──
//! sample            ^ no    ^ yes   ^ no      ^ yes     ^ no
//! ```
//!
//! A sample of a CPU or an allocation is taken while it happens. A wait and a system call are recorded at their end, so they belong
//! to the request if they end after its start, and at its end at the latest. A request begins when its thread has read the first
//! bytes. So the thread executes at this time, and a wait that ends inside the request has also begun inside it. The wait for the
//! first bytes ended before.

use crate::order::sort_by_key;
use crate::samples::{SampleKind, Samples};
use rustc_hash::FxHashMap;
use whittle_model::{EventKind, RequestPartTable, RequestTable, Table};

/// The requests of each thread, by time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequestIndex {
    /// For each thread, where its requests begin in the columns below. One more entry than threads.
    first_of_thread: Vec<u32>,
    start_ns: Vec<u64>,
    end_ns: Vec<u64>,
    /// Row of the table of requests.
    row: Vec<u32>,
    /// For each kind of sample, true if its time is the end of what it observed.
    is_at_end: Vec<bool>,
}

impl RequestIndex {
    /// The index of the tables. If parts of a thread overlap, a part ends for the index when the next one begins.
    pub fn new(table: &RequestTable, parts: &RequestPartTable, thread_count: usize) -> Self {
        let mut parts: Vec<Part> = whole(table).chain(numbered(table, parts)).collect();
        sort_by_key(&mut parts, |part| (part.thread, part.start_ns, part.row));
        let starts = (0..=thread_count).map(|number| parts.partition_point(|part| part.thread < number) as u32);
        Self {
            first_of_thread: starts.collect(),
            start_ns: parts.iter().map(|part| part.start_ns).collect(),
            end_ns: parts.iter().map(|part| part.end_ns).collect(),
            row: parts.iter().map(|part| part.row).collect(),
            is_at_end: SampleKind::all().map(|kind| is_at_end(kind.event)).collect(),
        }
    }

    /// True if no request is in the index.
    pub fn is_empty(&self) -> bool {
        self.row.is_empty()
    }

    /// The row of the request that a thread answered at a time.
    pub fn at(&self, thread: usize, time_ns: u64) -> Option<usize> {
        let (first, last) = (self.first_of_thread[thread] as usize, self.first_of_thread[thread + 1] as usize);
        let after = first + self.start_ns[first..last].partition_point(|start| *start <= time_ns);
        let place = after.checked_sub(1).filter(|place| *place >= first && time_ns < self.end_ns[*place])?;
        Some(self.row[place] as usize)
    }

    /// The row of the request to which a sample belongs.
    pub fn of_sample(&self, samples: &Samples, sample: usize) -> Option<usize> {
        let is_at_end = self.is_at_end[usize::from(samples.kind[sample])];
        let time_ns = samples.time_ns[sample].checked_sub(u64::from(is_at_end))?;
        self.at(samples.thread[sample].row(), time_ns)
    }
}

/// A time in which a thread worked for the request of a row.
struct Part {
    thread: usize,
    start_ns: u64,
    end_ns: u64,
    row: u32,
}

/// The requests for which one thread worked from start to end.
fn whole(table: &RequestTable) -> impl Iterator<Item = Part> + '_ {
    let is_whole = |row: &usize| {
        !table.is_statement(*row)
            && table.number[*row].is_none()
            && table.times(*row).is_some()
            && table.thread[*row] == table.answering_thread[*row]
    };
    let part = |row: usize| Part {
        thread: table.thread[row].row(),
        start_ns: table.start_ns[row],
        end_ns: table.end_ns[row],
        row: row as u32,
    };
    (0..table.len()).filter(is_whole).map(part)
}

/// The parts of the requests with a number.
fn numbered<'a>(table: &'a RequestTable, parts: &'a RequestPartTable) -> impl Iterator<Item = Part> + 'a {
    let numbers = table.number.iter().zip(0_u32..).filter_map(|(number, row)| number.map(|number| (number, row)));
    let rows: FxHashMap<u64, u32> = numbers.collect();
    (0..parts.len()).filter_map(move |part| {
        let row = *rows.get(&parts.number[part])?;
        let (start_ns, end_ns) = (parts.start_ns[part], parts.end_ns[part]);
        Some(Part { thread: parts.thread[part].row(), start_ns, end_ns, row })
    })
}

/// True if the time of a sample is the end of what it observed.
fn is_at_end(event: EventKind) -> bool {
    matches!(
        event,
        EventKind::OffCpu | EventKind::Lock | EventKind::Syscall | EventKind::SyscallBytes | EventKind::SyscallTime
    )
}

/// For each row of requests, true if its name is `name`. Without such a request, returns the reason.
pub fn named(table: &RequestTable, name: &str) -> Result<Vec<bool>, String> {
    let is_kept: Vec<bool> = table.name.iter().map(|other| other == name).collect();
    some(is_kept, table, &format!("no request has the name \"{name}\""))
}

/// For each row of requests, true if its name contains `part`. Without such a request, returns the reason.
pub fn containing(table: &RequestTable, part: &str) -> Result<Vec<bool>, String> {
    let is_kept: Vec<bool> = table.name.iter().map(|other| other.contains(part)).collect();
    some(is_kept, table, &format!("no request has a name with \"{part}\""))
}

fn some(is_kept: Vec<bool>, table: &RequestTable, problem: &str) -> Result<Vec<bool>, String> {
    if is_kept.contains(&true) { Ok(is_kept) } else { Err(why_none(table, problem)) }
}

fn why_none(table: &RequestTable, problem: &str) -> String {
    match table.is_empty() {
        true => "this experiment has no requests: only the engine kernel sees them".to_owned(),
        false => format!("{problem}; `whittle requests` lists all"),
    }
}

/// For each row of requests, true if it took longer than `length_ns`. Without any requests, returns the reason.
pub fn longer(table: &RequestTable, length_ns: u64) -> Result<Vec<bool>, String> {
    if table.is_empty() {
        return Err(why_none(table, ""));
    }
    Ok((0..table.len()).map(|row| table.length_ns(row) > length_ns).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use whittle_model::{Request, RequestKind, RequestPart, RequestTimes, ThreadIndex};

    fn table(rows: &[(u32, u32, u64, u64, bool)]) -> RequestTable {
        let mut table = RequestTable::default();
        for (thread, answering, start_ns, length_ns, has_times) in rows {
            let (name, ends) = (format!("GET /{start_ns}"), (*start_ns, start_ns + length_ns));
            let request = Request::unknown(RequestKind::Http, &name, ThreadIndex(*thread), ends);
            let request = Request { answering_thread: ThreadIndex(*answering), ..request };
            table.push(request.with_times(has_times.then(RequestTimes::default)));
        }
        table
    }

    /// Of the rows of the thread that began before, the last one, if it has not ended.
    fn slowly(table: &RequestTable, thread: u32, time_ns: u64) -> Option<usize> {
        let is_of_thread = |row: &usize| table.thread[*row].0 == thread && table.answering_thread[*row].0 == thread;
        let rows = (0..table.len()).filter(|row| is_of_thread(row) && table.times(*row).is_some());
        let begun = rows.filter(|row| table.start_ns[*row] <= time_ns);
        begun.max_by_key(|row| (table.start_ns[*row], *row)).filter(|row| time_ns < table.end_ns[*row])
    }

    proptest! {
        #[test]
        fn the_index_finds_what_a_search_of_all_rows_finds(
            rows in proptest::collection::vec((0_u32..3, 0_u32..3, 0_u64..60, 0_u64..20, any::<bool>()), 0..40),
        ) {
            let table = table(&rows);
            let index = RequestIndex::new(&table, &RequestPartTable::default(), 3);
            for thread in 0..3 {
                for time_ns in 0..90 {
                    prop_assert_eq!(index.at(thread as usize, time_ns), slowly(&table, thread, time_ns));
                }
            }
        }
    }

    #[test]
    fn each_thread_that_works_for_a_request_has_it_meanwhile() {
        let mut table = table(&[(0, 0, 10, 90, true), (2, 2, 0, 100, true)]);
        table.number[0] = Some(4);
        let mut parts = RequestPartTable::default();
        for (thread, number, start_ns, end_ns) in [(0, 4, 10, 20), (1, 4, 30, 50), (0, 4, 60, 100), (1, 5, 70, 80)] {
            parts.push(RequestPart { number, thread: ThreadIndex(thread), start_ns, end_ns });
        }
        let index = RequestIndex::new(&table, &parts, 3);
        let of = |thread| [15, 25, 40, 55, 75].map(|time_ns| index.at(thread, time_ns));
        assert_eq!(of(0), [Some(0), None, None, None, Some(0)]);
        assert_eq!(of(1), [None, None, Some(0), None, None]);
        assert_eq!(of(2), [Some(1); 5]);
    }

    #[test]
    fn a_statement_belongs_to_the_request_of_its_thread() {
        let mut table = table(&[(0, 0, 10, 90, true), (0, 0, 20, 10, true)]);
        table.kind[1] = RequestKind::Statement;
        let index = RequestIndex::new(&table, &RequestPartTable::default(), 1);
        assert_eq!([10, 20, 25, 99].map(|time_ns| index.at(0, time_ns)), [Some(0); 4]);
    }

    #[test]
    fn names_without_requests_have_a_reason() {
        let table = table(&[(0, 0, 5, 10, true)]);
        assert_eq!(named(&table, "GET /5"), Ok(vec![true]));
        assert_eq!(containing(&table, "/"), Ok(vec![true]));
        assert!(named(&table, "GET").is_err_and(|problem| problem.contains("`whittle requests` lists all")));
        assert!(containing(&RequestTable::default(), "").is_err_and(|problem| problem.contains("engine kernel")));
        assert_eq!((longer(&table, 10), longer(&table, 9)), (Ok(vec![false]), Ok(vec![true])));
    }
}
