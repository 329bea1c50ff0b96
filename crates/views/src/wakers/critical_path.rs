//! The critical path: where the time of the selected threads goes, if each wait for a thread is replaced by what that thread did
//! meanwhile.
//!
//! ```text
//! a executes 2 s, and waits 8 s for b          C 20 %   a executes
//!   meanwhile, b waits 6 s for a socket        S 60 %   sockets
//!   meanwhile, b executes 2 s                  c 20 %   other threads execute
//! ```

use crate::wakers::tree::{Node, Subject, Tree};
use serde::Serialize;
use whittle_model::WakerKind;
use whittle_profile::order::sort_by;
use whittle_profile::query::serialize_number;
use whittle_profile::waits::WaitMeaning;

/// What a part of the critical path consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PathKind {
    /// The selected threads executed.
    Executing,
    /// The selected threads waited for a CPU.
    Runnable,
    /// Other threads executed meanwhile.
    OthersExecuting,
    /// Other threads waited for a CPU meanwhile.
    OthersRunnable,
    /// A socket, or another program.
    Socket,
    /// A file, or a page of memory.
    Disk,
    /// A sleep, or the end of a time limit.
    Sleep,
    /// Something else, such as a stop of the JVM.
    Other,
    /// Another thread. No sample shows what it did meanwhile.
    OtherThread,
    /// Unknown: the kernel did not report who ended the wait.
    Unknown,
}

/// A part of the critical path.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PathPart {
    /// What it consists of.
    pub kind: PathKind,
    /// The letter in the bar.
    pub letter: char,
    /// The kind in words: `sockets`.
    pub words: String,
    /// Its estimated time.
    #[serde(serialize_with = "serialize_number")]
    pub duration_ns: f64,
    /// Its share of all parts.
    pub ratio: f64,
}

impl PathKind {
    const ALL: [Self; 10] = [
        Self::Executing,
        Self::Runnable,
        Self::OthersExecuting,
        Self::OthersRunnable,
        Self::Socket,
        Self::Disk,
        Self::Sleep,
        Self::Other,
        Self::OtherThread,
        Self::Unknown,
    ];

    /// The letter in a bar, and the words.
    fn letter_and_words(self) -> (char, &'static str) {
        match self {
            Self::Executing => ('C', "executing"),
            Self::Runnable => ('R', "waiting for a CPU"),
            Self::OthersExecuting => ('c', "others executing"),
            Self::OthersRunnable => ('r', "others waiting for a CPU"),
            Self::Socket => ('S', "sockets"),
            Self::Disk => ('D', "files"),
            Self::Sleep => ('Z', "sleeps and time limits"),
            Self::Other => ('O', "other waits"),
            Self::OtherThread => ('F', "other threads, not sampled meanwhile"),
            Self::Unknown => ('·', "unknown"),
        }
    }

    /// What a wait is that has no waker with samples.
    fn of_meaning(meaning: WaitMeaning) -> Self {
        use WaitMeaning as M;
        match meaning {
            M::Sleep => Self::Sleep,
            M::Selector
            | M::Connect
            | M::Accept
            | M::SocketRead
            | M::SocketWrite
            | M::Dns
            | M::Pipe
            | M::Process
            | M::Socket => Self::Socket,
            M::File | M::FileSync | M::PageFault => Self::Disk,
            M::Idle | M::HeapMemory | M::Safepoint | M::Stopped | M::MemoryLimit => Self::Other,
            M::TimedPark
            | M::Park
            | M::Monitor
            | M::Lock
            | M::Condition
            | M::ObjectWait
            | M::Queue
            | M::Result
            | M::Permit
            | M::ConnectionPool
            | M::ClassLoading
            | M::OtherThread => Self::OtherThread,
            M::Unknown => Self::Unknown,
        }
    }
}

/// The parts with time, in the order of [`PathKind`]. `own_ns`: the time in which the selected threads executed, and in which they
/// waited for a CPU.
pub(super) fn critical_path(tree: &Tree, [executing_ns, runnable_ns]: [f64; 2]) -> Vec<PathPart> {
    let mut times_ns = [0.0; PathKind::ALL.len()];
    let mut add = |kind: PathKind, nanos: f64| times_ns[kind as usize] += nanos;
    add(PathKind::Executing, executing_ns);
    add(PathKind::Runnable, runnable_ns);
    for (node, own_ns) in tree.nodes.iter().zip(tree.time_without_children()) {
        add(kind_of(tree, node), own_ns);
    }
    let all_ns: f64 = times_ns.iter().sum();
    let with_time = PathKind::ALL.into_iter().zip(times_ns).filter(|(_, nanos)| *nanos > 0.0);
    with_time.map(|(kind, nanos)| part(kind, nanos, nanos / all_ns)).collect()
}

fn part(kind: PathKind, duration_ns: f64, ratio: f64) -> PathPart {
    let (letter, words) = kind.letter_and_words();
    PathPart { kind, letter, words: words.to_owned(), duration_ns, ratio }
}

/// What the time of a node is that none of its children explains.
fn kind_of(tree: &Tree, node: &Node) -> PathKind {
    match &node.subject {
        Subject::MeanwhileExecutes { .. } => PathKind::OthersExecuting,
        Subject::MeanwhileRunnable { .. } => PathKind::OthersRunnable,
        Subject::Waiter { wait, .. } | Subject::MeanwhileWaits { wait, .. } => PathKind::of_meaning(wait.meaning),
        Subject::Lock(lock) => PathKind::of_meaning(lock.meaning),
        Subject::Waker { kind: Some(WakerKind::Timer), .. } => PathKind::Sleep,
        Subject::Waker { kind: Some(WakerKind::Thread | WakerKind::Holder), .. } => PathKind::OtherThread,
        // The kernel does not tell what became ready, but the wait tells what it was for.
        Subject::Waker { kind, .. } => {
            let wait = node.parent.map(|parent| kind_of(tree, &tree.nodes[parent]));
            match wait {
                Some(PathKind::OtherThread) | None if kind.is_none() => PathKind::Unknown,
                Some(PathKind::OtherThread) | None => PathKind::Other,
                Some(other) => other,
            }
        }
    }
}

/// The parts in a sentence, the largest first: `S sockets 60 %, C executing 20 %`. Small parts are left out.
pub(super) fn legend(parts: &[PathPart]) -> String {
    const SMALLEST: f64 = 0.005;
    let mut shown: Vec<&PathPart> = parts.iter().filter(|part| part.ratio >= SMALLEST).collect();
    sort_by(&mut shown, |a, b| b.ratio.total_cmp(&a.ratio).then(a.kind.cmp(&b.kind)));
    let words = shown.iter().map(|part| format!("{} {} {:.0} %", part.letter, part.words, part.ratio * 100.0));
    words.collect::<Vec<_>>().join(", ")
}
