//! Which request a thread answered at a time: an index of the table of requests.
//!
//! Only rows with times are in the index: as far as the kernel showed, the thread worked for this request alone from start to end.
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

use crate::samples::{SampleKind, Samples};
use whittle_model::{EventKind, RequestTable, Table};

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
    /// The index of a table. If rows of a thread overlap, a row ends for the index when the next one begins.
    pub fn new(table: &RequestTable, thread_count: usize) -> Self {
        let mut rows: Vec<u32> = (0..table.len() as u32).filter(|row| table.times(*row as usize).is_some()).collect();
        rows.retain(|row| table.thread[*row as usize] == table.answering_thread[*row as usize]);
        let thread = |row: &u32| table.thread[*row as usize].row();
        rows.sort_unstable_by_key(|row| (thread(row), table.start_ns[*row as usize], *row));
        let starts = (0..=thread_count).map(|number| rows.partition_point(|row| thread(row) < number) as u32);
        Self {
            first_of_thread: starts.collect(),
            start_ns: rows.iter().map(|row| table.start_ns[*row as usize]).collect(),
            end_ns: rows.iter().map(|row| table.end_ns[*row as usize]).collect(),
            row: rows,
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
    use whittle_model::{Request, RequestKind, ThreadIndex};

    fn table(rows: &[(u32, u32, u64, u64, bool)]) -> RequestTable {
        let mut table = RequestTable::default();
        for (thread, answering, start_ns, length_ns, has_times) in rows {
            let time = has_times.then_some(0);
            table.push(Request {
                kind: RequestKind::Http,
                name: format!("GET /{start_ns}"),
                port: 80,
                status: None,
                start_ns: *start_ns,
                end_ns: start_ns + length_ns,
                thread: ThreadIndex(*thread),
                answering_thread: ThreadIndex(*answering),
                read_bytes: 0,
                written_bytes: 0,
                requests_count: 1,
                on_cpu_ns: time,
                runnable_ns: time,
                futex_ns: time,
                socket_ns: time,
                disk_ns: time,
                sleep_ns: time,
                other_ns: time,
            });
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
            let index = RequestIndex::new(&table, 3);
            for thread in 0..3 {
                for time_ns in 0..90 {
                    prop_assert_eq!(index.at(thread as usize, time_ns), slowly(&table, thread, time_ns));
                }
            }
        }
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
