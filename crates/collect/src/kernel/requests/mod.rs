//! Requests that servers answered: from records of the kernel side to rows of the table.
//!
//! ```text
//! record ──> names: method and path ──> rows of this second ──> thin: at most 10,000 ──> requests
//! mark of the code inside the program ─┘
//! ```

mod marked;
mod names;
mod thin;

pub(super) use names::RequestNames;
use names::SPAN;
pub(crate) use thin::MOST_PER_SECOND;

use marked::Marked;

use super::layout::{
    HttpRequest, Item, PartSeen, STATE_FILE, STATE_FUTEX, STATE_ON_CPU, STATE_PAGE_FAULT, STATE_PREEMPTION,
    StatementSeen,
};
use super::layout::{STATE_COUNT, STATE_QUOTA, STATE_RUN_QUEUE, STATE_SLEEP, STATE_SOCKET, TRACE_BYTES};
use whittle_model::{Request, RequestKind, RequestPart, RequestTimes, Tables, ThreadIndex};

/// The requests of a collection.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    names: RequestNames,
    /// Requests since the last call of [`take`](Self::take).
    rows: Vec<Request>,
    /// Parts since the last call of [`take`](Self::take).
    parts: Vec<RequestPart>,
    /// The requests that the code inside the program marks.
    marked: Marked,
    /// Number of parts that are not in the table.
    left_out_parts: u64,
}

impl Requests {
    /// Adds a request that was answered. `threads`: the rows of the thread that read it first, and of the thread that wrote last.
    /// Times count from `start_ns` of CLOCK_MONOTONIC. Bytes that are no request of HTTP/1.x are left out.
    pub(crate) fn add(
        &mut self,
        request: &HttpRequest,
        (thread, answering_thread): (ThreadIndex, ThreadIndex),
        start_ns: u64,
    ) {
        let Some(name) = self.names.name(request.text()) else { return };
        if self.marked.contains(request) {
            return;
        }
        let ends = (request.start_ns, request.end_ns);
        let row = Request {
            port: request.port.into(),
            status: (request.status != 0).then_some(request.status.into()),
            answering_thread,
            read_bytes: request.read_bytes,
            written_bytes: request.written_bytes,
            ..Request::unknown(RequestKind::Http, &name, thread, since(start_ns, ends))
        };
        self.rows.push(row.with_times((request.has_times != 0).then(|| times(&request.spent_ns))));
    }

    /// Adds a work item that the code inside the program has marked. `threads`: the rows of the threads that began and ended it.
    pub(crate) fn add_item(
        &mut self,
        item: &Item,
        (thread, answering_thread): (ThreadIndex, ThreadIndex),
        start_ns: u64,
    ) {
        let Some(kind) = kind_of(item.kind) else { return };
        if kind == RequestKind::MarkedHttp {
            self.marked.add(item, item.kind == SPAN);
        }
        let name = self.names.marked(item);
        let (start_ns, end_ns) = since(start_ns, (item.start_ns, item.end_ns));
        let row = Request {
            status: (item.status != 0).then_some(item.status.into()),
            answering_thread,
            number: (item.part_count > 0).then(|| number(item.head.process_id, item.id)),
            statements_count: Some(item.statement_count),
            statements_ns: Some(item.statement_ns),
            trace: trace(item.trace),
            ..Request::unknown(kind, &name, thread, (start_ns, end_ns))
        };
        self.rows.push(row.with_times(with_away(times(&item.spent_ns), end_ns - start_ns)));
    }

    /// Adds a statement of JDBC. `threads`: the rows of the threads that began and ended it.
    pub(crate) fn add_statement(
        &mut self,
        statement: &StatementSeen,
        (thread, answering_thread): (ThreadIndex, ThreadIndex),
        start_ns: u64,
    ) {
        let name = self.names.statement(statement);
        let (start_ns, end_ns) = since(start_ns, (statement.start_ns, statement.head.time_ns));
        let row =
            Request { answering_thread, ..Request::unknown(RequestKind::Statement, &name, thread, (start_ns, end_ns)) };
        let times = (statement.has_times != 0).then(|| times(&statement.spent_ns));
        self.rows.push(row.with_times(times.and_then(|times| with_away(times, end_ns - start_ns))));
    }

    /// Adds a thread's part of a work item. Like the rows of requests, there are at most [`thin::MOST_PER_SECOND`] for each second.
    pub(crate) fn add_part(&mut self, part: &PartSeen, thread: ThreadIndex, start_ns: u64) {
        let number = number(part.head.process_id, part.id);
        let (start_ns, end_ns) = since(start_ns, (part.start_ns, part.head.time_ns));
        self.parts.push(RequestPart { number, thread, start_ns, end_ns });
    }

    /// Moves the requests since the last call to the table. If there are more rows than [`thin::MOST_PER_SECOND`] for each of the
    /// `seconds` since then, similar requests become one row.
    pub(crate) fn take(&mut self, seconds: f64, tables: &mut Tables) {
        for row in thin::thin(std::mem::take(&mut self.rows), seconds) {
            tables.requests.push(row);
        }
        let mut parts = std::mem::take(&mut self.parts);
        let most = thin::most_rows(seconds);
        self.left_out_parts += parts.len().saturating_sub(most) as u64;
        parts.truncate(most);
        for part in parts {
            tables.request_parts.push(part);
        }
    }

    /// Number of parts that are not in the table, because there were too many. `None`: all parts are there.
    pub(crate) fn left_out_parts(&self) -> Option<u64> {
        (self.left_out_parts > 0).then_some(self.left_out_parts)
    }
}

/// Times on CLOCK_MONOTONIC as times since the experiment's start. The end is not before the start.
fn since(experiment_ns: u64, (start_ns, end_ns): (u64, u64)) -> (u64, u64) {
    (start_ns.saturating_sub(experiment_ns), end_ns.max(start_ns).saturating_sub(experiment_ns))
}

/// The kind with this number in a mark. `None`: there is no such kind.
fn kind_of(mark: u16) -> Option<RequestKind> {
    const KINDS: [RequestKind; 6] = [
        RequestKind::MarkedHttp,
        RequestKind::Task,
        RequestKind::Message,
        RequestKind::Scheduled,
        RequestKind::Grpc,
        // A span of a server.
        RequestKind::MarkedHttp,
    ];
    KINDS.get(usize::from(mark).checked_sub(1)?).copied()
}

/// The id of a trace as OpenTelemetry writes it. All 0: unknown.
fn trace(bytes: [u8; TRACE_BYTES]) -> Option<String> {
    bytes.iter().any(|byte| *byte != 0).then(|| bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A number for an item: ids are different only within a process.
fn number(process_id: u32, id: u64) -> u64 {
    u64::from(process_id) << 40 ^ id
}

/// The times of an item, with the rest of its length. `None`: the times are longer than the item, because the threads that worked for it
/// changed at the same moment on different CPUs.
fn with_away(times: RequestTimes, length_ns: u64) -> Option<RequestTimes> {
    let spent_ns = times.values().iter().fold(0, |sum: u64, time| sum.saturating_add(*time));
    Some(RequestTimes { away_ns: length_ns.checked_sub(spent_ns)?, ..times })
}

fn times(spent_ns: &[u64; STATE_COUNT]) -> RequestTimes {
    let of = |states: &[u8]| states.iter().fold(0_u64, |sum, state| sum.saturating_add(spent_ns[usize::from(*state)]));
    let known = RequestTimes {
        on_cpu_ns: of(&[STATE_ON_CPU]),
        runnable_ns: of(&[STATE_RUN_QUEUE, STATE_PREEMPTION, STATE_QUOTA]),
        futex_ns: of(&[STATE_FUTEX]),
        socket_ns: of(&[STATE_SOCKET]),
        disk_ns: of(&[STATE_FILE, STATE_PAGE_FAULT]),
        sleep_ns: of(&[STATE_SLEEP]),
        other_ns: 0,
        away_ns: 0,
    };
    let all = spent_ns.iter().fold(0_u64, |sum, time| sum.saturating_add(*time));
    let other_ns = all.saturating_sub(known.values().iter().fold(0, |sum: u64, time| sum.saturating_add(*time)));
    RequestTimes { other_ns, ..known }
}

#[cfg(test)]
mod tests {
    use super::super::layout::Head;
    use super::*;
    use whittle_model::Table;

    #[test]
    fn parts_that_have_no_row_are_counted() {
        let (mut requests, mut tables) = (Requests::default(), Tables::default());
        let part = PartSeen { head: Head::default(), id: 1, start_ns: 0 };
        for _ in 0..2 {
            (0..thin::MOST_PER_SECOND).for_each(|_| requests.add_part(&part, ThreadIndex(0), 0));
            requests.take(1.0, &mut tables);
            assert_eq!(requests.left_out_parts(), None);
        }
        (0..=thin::MOST_PER_SECOND).for_each(|_| requests.add_part(&part, ThreadIndex(0), 0));
        requests.take(1.0, &mut tables);
        assert_eq!(requests.left_out_parts(), Some(1));
        assert_eq!(tables.request_parts.len(), 3 * thin::MOST_PER_SECOND);
    }
}
