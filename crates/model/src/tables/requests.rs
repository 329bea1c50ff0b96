//! Requests: what each request to a server took, from the first byte that the server read to the last byte of its answer. Tasks and
//! messages are rows of the same tables, if the collection has instrumented the program.

use crate::ThreadIndex;

codes! {
    /// What a request is.
    pub enum RequestKind {
        /// A request of HTTP/1.x over a connection without encryption, seen in the system calls of the server.
        Http = 0 "http",
        /// A request of HTTP that the instrumented program has marked.
        MarkedHttp = 1 "marked_http",
        /// A task of an executor.
        Task = 2 "task",
        /// A message that a consumer handled.
        Message = 3 "message",
        /// A task that an executor or a timer started at a planned time.
        Scheduled = 4 "scheduled",
        /// A call of gRPC.
        Grpc = 5 "grpc",
        /// A statement of JDBC that the program executed, usually for a request that is another row.
        Statement = 6 "statement",
    }
}

table! {
    /// One row per request that a server of the program answered, in any order. If there are very many requests, one row stands for
    /// several requests of the same name with similar lengths. Its length, times and bytes are their means.
    ///
    /// The times of a row's thread are exact, and they add up to the row's length. They are missing if another thread answered, or
    /// if the thread worked for another request or waited for events of many connections in the meantime: then the thread's time is not
    /// the request's time. With virtual threads, the thread is the carrier, which can have executed other virtual threads.
    ///
    /// A row whose kind is not `http` is known from the instrumented program. Several threads can work for it, one after the other; its
    /// times are those of these threads, and `away_ns` is the rest. Threads that work for it at the same time as another thread add nothing.
    ///
    /// A row of the kind `statement` is not a request: it is a part of the request that its thread answered, and the times of both
    /// contain this part. Its times are missing if a virtual thread left its carrier meanwhile and did not work for a request.
    pub table RequestTable of Request named "requests" {
        /// What the request is.
        kind: RequestKind,
        /// The method and the path, such as `GET /orders/{}`. `{}` stands for a part of the path that is a number or an id. The
        /// query is left out. Of other kinds: the class of the task, the topic of the message, the method of gRPC, or the SQL of the
        /// statement with `?` instead of literals. If OpenTelemetry made a span for the request: the name of the span.
        name: String,
        /// The port of TCP on which the server listens; 0: unknown.
        port: u32,
        /// The status of the answer, such as 200. Missing: the answer did not begin with a status.
        status: Option<u32>,
        /// When the server read the first bytes, in nanoseconds since the experiment's start.
        start_ns: u64,
        /// When the server had written the last bytes of the answer, in nanoseconds since the experiment's start; at least
        /// `start_ns`.
        end_ns: u64,
        /// Row of threads: the thread that read the first bytes.
        thread: ThreadIndex,
        /// Row of threads: the thread that wrote the last bytes.
        answering_thread: ThreadIndex,
        /// Bytes that the server read.
        read_bytes: u64,
        /// Bytes that the server wrote.
        written_bytes: u64,
        /// Number of requests that the row stands for, at least 1.
        requests_count: u64,
        /// Connects the row with its rows in request_parts. Missing: its thread worked for it from its start to its end.
        number: Option<u64>,
        /// Time in which the thread executed. Missing: see above.
        on_cpu_ns: Option<u64>,
        /// Time in which the thread was able to execute, but no CPU was free. Missing: see above.
        runnable_ns: Option<u64>,
        /// Time in which the thread waited for a lock, for a task, or for the end of a time limit: the kernel's futex. In Java, sleeping is
        /// such a wait. Missing: see above.
        futex_ns: Option<u64>,
        /// Time in which the thread waited for a socket. Missing: see above.
        socket_ns: Option<u64>,
        /// Time in which the thread waited for a disk: for a file or for a page of memory. Missing: see above.
        disk_ns: Option<u64>,
        /// Time in which the thread slept. Missing: see above.
        sleep_ns: Option<u64>,
        /// Time in which the thread waited for something else. Missing: see above.
        other_ns: Option<u64>,
        /// Time in which no thread worked for the request: it waited in a queue, or for another program's answer without a waiting thread.
        /// Missing: see above.
        away_ns: Option<u64>,
        /// Number of statements of JDBC that threads executed for the row's requests: the sum of all these requests. Missing: statements
        /// are not seen for this kind.
        statements_count: Option<u64>,
        /// The sum of the lengths of these statements, in nanoseconds. Missing: see `statements_count`.
        statements_ns: Option<u64>,
        /// The id of the trace of OpenTelemetry, 32 hexadecimal digits. Missing: there is no trace, or the row stands for several requests.
        trace: Option<String>,
    }
}

table! {
    /// One row for each time that a thread worked for a request, in any order. Only requests with a `number` have such rows. If there are
    /// very many requests, some have none.
    pub table RequestPartTable of RequestPart named "request_parts" {
        /// The `number` of the request in the table requests.
        number: u64,
        /// Row of threads.
        thread: ThreadIndex,
        /// When the thread began to work for the request, in nanoseconds since the experiment's start.
        start_ns: u64,
        /// When the thread stopped; at least `start_ns`.
        end_ns: u64,
    }
}

/// The times of a request's thread, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RequestTimes {
    /// The thread executed.
    pub on_cpu_ns: u64,
    /// No CPU was free.
    pub runnable_ns: u64,
    /// It waited for a lock, for a task, or for the end of a time limit.
    pub futex_ns: u64,
    /// It waited for a socket.
    pub socket_ns: u64,
    /// It waited for a disk.
    pub disk_ns: u64,
    /// It slept.
    pub sleep_ns: u64,
    /// It waited for something else.
    pub other_ns: u64,
    /// No thread worked for the request.
    pub away_ns: u64,
}

/// Number of kinds of time in [`RequestTimes`].
pub const REQUEST_TIME_COUNT: usize = 8;

impl Request {
    /// A request that `thread` answered alone, from `start_ns` to `end_ns`. Its bytes, status and times are unknown.
    pub fn unknown(kind: RequestKind, name: &str, thread: ThreadIndex, (start_ns, end_ns): (u64, u64)) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            port: 0,
            status: None,
            start_ns,
            end_ns,
            thread,
            answering_thread: thread,
            read_bytes: 0,
            written_bytes: 0,
            requests_count: 1,
            number: None,
            on_cpu_ns: None,
            runnable_ns: None,
            futex_ns: None,
            socket_ns: None,
            disk_ns: None,
            sleep_ns: None,
            other_ns: None,
            away_ns: None,
            statements_count: None,
            statements_ns: None,
            trace: None,
        }
    }

    /// The times. `None`: they are unknown.
    pub fn times(&self) -> Option<RequestTimes> {
        Some(RequestTimes {
            on_cpu_ns: self.on_cpu_ns?,
            runnable_ns: self.runnable_ns?,
            futex_ns: self.futex_ns?,
            socket_ns: self.socket_ns?,
            disk_ns: self.disk_ns?,
            sleep_ns: self.sleep_ns?,
            other_ns: self.other_ns?,
            away_ns: self.away_ns?,
        })
    }

    /// The same request with these times.
    pub fn with_times(self, times: Option<RequestTimes>) -> Self {
        let of = |time: fn(&RequestTimes) -> u64| times.as_ref().map(time);
        Self {
            on_cpu_ns: of(|times| times.on_cpu_ns),
            runnable_ns: of(|times| times.runnable_ns),
            futex_ns: of(|times| times.futex_ns),
            socket_ns: of(|times| times.socket_ns),
            disk_ns: of(|times| times.disk_ns),
            sleep_ns: of(|times| times.sleep_ns),
            other_ns: of(|times| times.other_ns),
            away_ns: of(|times| times.away_ns),
            ..self
        }
    }
}

impl RequestTable {
    /// The times of the row's thread. `None`: they are not the request's times.
    pub fn times(&self, row: usize) -> Option<RequestTimes> {
        Some(RequestTimes {
            on_cpu_ns: self.on_cpu_ns[row]?,
            runnable_ns: self.runnable_ns[row]?,
            futex_ns: self.futex_ns[row]?,
            socket_ns: self.socket_ns[row]?,
            disk_ns: self.disk_ns[row]?,
            sleep_ns: self.sleep_ns[row]?,
            other_ns: self.other_ns[row]?,
            away_ns: self.away_ns[row]?,
        })
    }

    /// True if the row is a part of a request, and not a request.
    pub fn is_statement(&self, row: usize) -> bool {
        self.kind[row] == RequestKind::Statement
    }

    /// The length of the row's requests, in nanoseconds.
    pub fn length_ns(&self, row: usize) -> u64 {
        self.end_ns[row].saturating_sub(self.start_ns[row])
    }
}

impl RequestTimes {
    /// The times in the order of the columns.
    pub fn values(&self) -> [u64; REQUEST_TIME_COUNT] {
        let Self { on_cpu_ns, runnable_ns, futex_ns, socket_ns, disk_ns, sleep_ns, other_ns, away_ns } = *self;
        [on_cpu_ns, runnable_ns, futex_ns, socket_ns, disk_ns, sleep_ns, other_ns, away_ns]
    }

    /// The times from values in the order of the columns.
    pub fn from_values(values: [u64; REQUEST_TIME_COUNT]) -> Self {
        let [on_cpu_ns, runnable_ns, futex_ns, socket_ns, disk_ns, sleep_ns, other_ns, away_ns] = values;
        Self { on_cpu_ns, runnable_ns, futex_ns, socket_ns, disk_ns, sleep_ns, other_ns, away_ns }
    }
}
