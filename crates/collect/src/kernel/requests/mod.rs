//! Requests that servers answered: from records of the kernel side to rows of the table.
//!
//! ```text
//! record ──> names: method and path ──> rows of this second ──> thin: at most 10,000 ──> requests
//! ```

mod names;
mod thin;

pub(super) use names::RequestNames;

use super::layout::{HttpRequest, STATE_FILE, STATE_FUTEX, STATE_ON_CPU, STATE_PAGE_FAULT, STATE_PREEMPTION};
use super::layout::{STATE_COUNT, STATE_QUOTA, STATE_RUN_QUEUE, STATE_SLEEP, STATE_SOCKET};
use whittle_model::{Request, RequestKind, RequestTable, RequestTimes, ThreadIndex};

/// The requests of a collection.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    names: RequestNames,
    /// Requests since the last call of [`take`](Self::take).
    rows: Vec<Request>,
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
        let times = (request.has_times != 0).then(|| times(&request.spent_ns));
        let of = |time: fn(&RequestTimes) -> u64| times.as_ref().map(time);
        self.rows.push(Request {
            kind: RequestKind::Http,
            name,
            port: request.port.into(),
            status: (request.status != 0).then_some(request.status.into()),
            start_ns: request.start_ns.saturating_sub(start_ns),
            end_ns: request.end_ns.max(request.start_ns).saturating_sub(start_ns),
            thread,
            answering_thread,
            read_bytes: request.read_bytes,
            written_bytes: request.written_bytes,
            requests_count: 1,
            on_cpu_ns: of(|times| times.on_cpu_ns),
            runnable_ns: of(|times| times.runnable_ns),
            futex_ns: of(|times| times.futex_ns),
            socket_ns: of(|times| times.socket_ns),
            disk_ns: of(|times| times.disk_ns),
            sleep_ns: of(|times| times.sleep_ns),
            other_ns: of(|times| times.other_ns),
        });
    }

    /// Moves the requests since the last call to the table. If there are more rows than [`thin::MOST_PER_SECOND`] for each of the
    /// `seconds` since then, similar requests become one row.
    pub(crate) fn take(&mut self, seconds: f64, table: &mut RequestTable) {
        for row in thin::thin(std::mem::take(&mut self.rows), seconds) {
            table.push(row);
        }
    }
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
    };
    let all = spent_ns.iter().fold(0_u64, |sum, time| sum.saturating_add(*time));
    let other_ns = all.saturating_sub(known.values().iter().fold(0, |sum: u64, time| sum.saturating_add(*time)));
    RequestTimes { other_ns, ..known }
}
