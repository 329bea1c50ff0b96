//! Requests: what each request to a server took, from the first byte that the server read to the last byte of its answer.

use crate::ThreadIndex;

codes! {
    /// What a request is.
    pub enum RequestKind {
        /// A request of HTTP/1.x over a connection without encryption, seen in the system calls of the server.
        Http = 0 "http",
    }
}

table! {
    /// One row per request that a server of the program answered, in any order. If there are very many requests, one row stands for
    /// several requests of the same name with similar lengths. Its length, times and bytes are their means.
    ///
    /// The times of a row's thread are exact, and they add up to the row's length. They are missing if another thread answered, or
    /// if the thread worked for another request or waited for events of many connections in the meantime: then the thread's time is not
    /// the request's time. With virtual threads, the thread is the carrier, which can have executed other virtual threads.
    pub table RequestTable of Request named "requests" {
        /// What the request is.
        kind: RequestKind,
        /// The method and the path, such as `GET /orders/{}`. `{}` stands for a part of the path that is a number or an id. The
        /// query is left out.
        name: String,
        /// The port of TCP on which the server listens.
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
        })
    }

    /// The length of the row's requests, in nanoseconds.
    pub fn length_ns(&self, row: usize) -> u64 {
        self.end_ns[row].saturating_sub(self.start_ns[row])
    }
}

impl RequestTimes {
    /// The times in the order of the columns.
    pub fn values(&self) -> [u64; 7] {
        let Self { on_cpu_ns, runnable_ns, futex_ns, socket_ns, disk_ns, sleep_ns, other_ns } = *self;
        [on_cpu_ns, runnable_ns, futex_ns, socket_ns, disk_ns, sleep_ns, other_ns]
    }
}
