//! What the thread of a request did: the kinds of time that a request is made of.

use serde::Serialize;
use whittle_model::{EventKind, REQUEST_TIME_COUNT, RequestTimes, WaitReason};

/// A kind of time of a request's thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RequestTimeKind {
    /// The thread executed.
    OnCpu,
    /// The thread was able to execute, but no CPU was free.
    Runnable,
    /// The thread waited for a lock, for a task, or for the end of a time limit. In Java, sleeping is such a wait.
    Futex,
    /// The thread waited for a socket.
    Socket,
    /// The thread waited for a file, or for a page of memory from a disk.
    Disk,
    /// The thread slept.
    Sleep,
    /// The thread waited for something else.
    Other,
    /// No thread worked for the request: it waited in a queue, or for another program without a waiting thread.
    Away,
}

impl RequestTimeKind {
    /// All kinds, in the order of [`RequestTimes::values`].
    pub const ALL: [Self; REQUEST_TIME_COUNT] =
        [Self::OnCpu, Self::Runnable, Self::Futex, Self::Socket, Self::Disk, Self::Sleep, Self::Other, Self::Away];

    /// The kind of a sample. Missing if the sample does not observe what a thread did. A wait for a disk is a wait for a file, or for a
    /// page of memory.
    pub(crate) fn of_sample(event: EventKind, reason: WaitReason) -> Option<Self> {
        match event {
            EventKind::Cpu => Some(Self::OnCpu),
            EventKind::OffCpu => Some(match reason {
                WaitReason::RunQueue | WaitReason::Preemption | WaitReason::Quota => Self::Runnable,
                WaitReason::Futex => Self::Futex,
                WaitReason::Socket => Self::Socket,
                WaitReason::File | WaitReason::PageFault => Self::Disk,
                WaitReason::Sleep => Self::Sleep,
                WaitReason::None
                | WaitReason::Poll
                | WaitReason::Other
                | WaitReason::Pipe
                | WaitReason::Stopped
                | WaitReason::MemoryLimit => Self::Other,
            }),
            _ => None,
        }
    }

    /// The title of a column.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::OnCpu => "CPU",
            Self::Runnable => "runnable",
            Self::Futex => "futex",
            Self::Socket => "socket",
            Self::Disk => "disk",
            Self::Sleep => "sleep",
            Self::Other => "other",
            Self::Away => "no thread",
        }
    }

    /// The field of the mean time per request.
    pub(crate) fn field(self) -> &'static str {
        match self {
            Self::OnCpu => "on_cpu_ns",
            Self::Runnable => "runnable_ns",
            Self::Futex => "futex_ns",
            Self::Socket => "socket_ns",
            Self::Disk => "disk_ns",
            Self::Sleep => "sleep_ns",
            Self::Other => "other_ns",
            Self::Away => "away_ns",
        }
    }

    /// The name in JSON and CSV, such as `on_cpu`.
    pub(crate) fn name(self) -> String {
        self.field().trim_end_matches("_ns").to_owned()
    }

    /// The letter in a bar.
    pub(crate) fn letter(self) -> char {
        match self {
            Self::OnCpu => 'C',
            Self::Runnable => 'R',
            Self::Futex => 'F',
            Self::Socket => 'S',
            Self::Disk => 'D',
            Self::Sleep => 'Z',
            Self::Other => 'O',
            Self::Away => 'N',
        }
    }
}

/// Time of each kind, in nanoseconds: a sum, or a mean per request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RequestKindTimes {
    /// The thread executed.
    pub on_cpu_ns: f64,
    /// The thread was able to execute, but no CPU was free.
    pub runnable_ns: f64,
    /// The thread waited for a lock, for a task, or for the end of a time limit.
    pub futex_ns: f64,
    /// The thread waited for a socket.
    pub socket_ns: f64,
    /// The thread waited for a disk.
    pub disk_ns: f64,
    /// The thread slept.
    pub sleep_ns: f64,
    /// The thread waited for something else.
    pub other_ns: f64,
    /// No thread worked for the request.
    pub away_ns: f64,
}

impl RequestKindTimes {
    /// The times of a row, multiplied by the number of its requests.
    pub(crate) fn of_row(times: &RequestTimes, requests_count: u64) -> Self {
        Self::from_values(times.values().map(|time| time as f64 * requests_count as f64))
    }

    pub(crate) fn from_values(values: [f64; REQUEST_TIME_COUNT]) -> Self {
        let [on_cpu_ns, runnable_ns, futex_ns, socket_ns, disk_ns, sleep_ns, other_ns, away_ns] = values;
        Self { on_cpu_ns, runnable_ns, futex_ns, socket_ns, disk_ns, sleep_ns, other_ns, away_ns }
    }

    /// The times, in the order of [`RequestTimeKind::ALL`].
    pub(crate) fn values(&self) -> [f64; REQUEST_TIME_COUNT] {
        let Self { on_cpu_ns, runnable_ns, futex_ns, socket_ns, disk_ns, sleep_ns, other_ns, away_ns } = *self;
        [on_cpu_ns, runnable_ns, futex_ns, socket_ns, disk_ns, sleep_ns, other_ns, away_ns]
    }

    pub(crate) fn of(&self, kind: RequestTimeKind) -> f64 {
        self.values()[kind as usize]
    }

    pub(crate) fn add(&mut self, other: &Self) {
        let (own, more) = (self.values(), other.values());
        *self = Self::from_values(std::array::from_fn(|kind| own[kind] + more[kind]));
    }

    /// Each time divided by `count`.
    pub(crate) fn divided(&self, count: f64) -> Self {
        Self::from_values(self.values().map(|time| time / count))
    }
}
