//! The rows of a tree of wakers, and which of them are shown.

use crate::wakers::tree::{Node, Subject, Sum, Tree, Waiting};
use crate::wakers::words;
use serde::Serialize;
use whittle_model::{FunctionIndex, ThreadIndex, WakerKind};
use whittle_profile::Profile;
use whittle_profile::order::sort_by_key;
use whittle_profile::query::{Window, serialize_number};
use whittle_profile::ranking::{keep_first, keep_largest};

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum WakerRole {
    /// A thread waits.
    Waiter,
    /// Threads wait for a lock.
    Lock,
    /// Who ended the wait of the row above.
    Waker,
    /// Who held the lock of the row above.
    Holder,
    /// The waker waited meanwhile.
    Waits,
    /// The waker executed meanwhile.
    Executes,
    /// The waker waited for a CPU meanwhile.
    Runnable,
}

/// A waiter, a waker, or what a waker did meanwhile.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WakerRow {
    /// 0 for waiters, 1 for their wakers, and so on.
    pub depth: usize,
    /// What the row is about.
    pub role: WakerRole,
    /// Name of the thread or the pool. Empty: no thread ended the wait, or it is unknown.
    pub thread: String,
    /// Who ended the wait. Missing: the row is no waker, or the kernel did not report it.
    pub waker_kind: Option<&'static str>,
    /// The meaning of the wait, as in the filter `wait is lock`. Missing: the row is no wait.
    pub meaning: Option<&'static str>,
    /// The file, or the peer of the socket, that the thread waited for. Empty: none or unknown.
    pub file: String,
    /// The lock: its class, or that it is a monitor, and the method of the JDK that takes the monitor. Empty: the row is no lock.
    pub lock: String,
    /// The line that waits for the lock. Missing: the row is no lock, or the line is unknown.
    pub line: Option<u32>,
    /// The method that waits, ends the wait, or is executed: the deepest method outside the JDK. Missing: unknown.
    pub function: Option<String>,
    /// The row as a sentence.
    pub words: String,
    /// The share of the time of all rows of waiters. Missing: there is no such time.
    pub ratio: Option<f64>,
    /// The values.
    #[serde(flatten)]
    pub figures: WakerFigures,
}

/// Values of some waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WakerFigures {
    /// Estimated time that the waiters waited.
    #[serde(serialize_with = "serialize_number")]
    pub duration_ns: f64,
    /// Number of sampled waits.
    pub samples_count: u64,
    /// The longest sampled wait. Missing if the kernel did not report who ended the waits, and for what wakers did meanwhile.
    pub longest_ns: Option<u64>,
}

/// The shown rows, and the number of all rows. `sorted_by`: the field of the order.
pub(crate) fn shown_rows(
    profile: &Profile,
    tree: &Tree,
    sorted_by: Option<&str>,
    window: Window,
) -> (Vec<WakerRow>, usize) {
    let total_ns = tree.total().duration_ns;
    let mut rows: Vec<(usize, WakerRow)> = Vec::new();
    for position in tree.in_order() {
        rows.push((rows.len(), row(profile, tree, (&tree.nodes[position], total_ns))));
    }
    let row_count = rows.len();
    // A row never has more than the row above it. So the largest rows include all rows above them.
    match sorted_by {
        Some(field) => keep_largest(&mut rows, window, |(_, row)| row.figures.value(field), |(place, _)| *place),
        None => keep_first(&mut rows, window, |(place, _)| *place),
    }
    sort_by_key(&mut rows, |(place, _)| *place);
    (rows.into_iter().map(|(_, row)| row).collect(), row_count)
}

fn row(profile: &Profile, tree: &Tree, (node, total_ns): (&Node, f64)) -> WakerRow {
    let tables = profile.tables();
    let functions = &tables.functions;
    let name = |function: FunctionIndex| functions.display_name[function.row()].clone();
    let thread_name = |thread: ThreadIndex| words::thread_name(profile, thread);
    let is_meanwhile = node.depth >= 2;
    let parent = node.parent.map(|parent| tree.nodes[parent].subject);
    let is_holder = matches!(parent, Some(Subject::Lock(_)));
    let base = WakerRow {
        depth: node.depth,
        role: WakerRole::Waiter,
        thread: String::new(),
        waker_kind: None,
        meaning: None,
        file: String::new(),
        lock: String::new(),
        line: None,
        function: None,
        words: String::new(),
        ratio: (total_ns > 0.0).then(|| node.sum.duration_ns / total_ns),
        figures: WakerFigures::new(&node.sum, !is_meanwhile),
    };
    let waiting = |role: WakerRole, thread: ThreadIndex, wait: &Waiting| WakerRow {
        role,
        thread: thread_name(thread),
        meaning: Some(wait.meaning.name()),
        file: tables.files.path[wait.file.row()].clone(),
        function: wait.place.map(name),
        ..base.clone()
    };
    let meanwhile = |role: WakerRole, thread: ThreadIndex, place: Option<FunctionIndex>| WakerRow {
        role,
        thread: thread_name(thread),
        function: place.map(name),
        ..base.clone()
    };
    let mut row = match &node.subject {
        Subject::Waiter { thread, wait } => waiting(WakerRole::Waiter, *thread, wait),
        Subject::MeanwhileWaits { thread, wait } => waiting(WakerRole::Waits, *thread, wait),
        Subject::Lock(lock) => {
            let function = lock.place.map(|(function, _)| function);
            WakerRow {
                role: WakerRole::Lock,
                meaning: Some(lock.meaning.name()),
                lock: words::of_lock(functions, lock, function),
                line: lock.place.and_then(|(_, line)| line),
                function: function.map(name),
                ..base.clone()
            }
        }
        Subject::Waker { kind, thread, place } => WakerRow {
            role: if is_holder { WakerRole::Holder } else { WakerRole::Waker },
            thread: thread.map_or_else(String::new, thread_name),
            waker_kind: kind.map(WakerKind::name),
            function: place.map(name),
            ..base.clone()
        },
        Subject::MeanwhileExecutes { thread, place } => meanwhile(WakerRole::Executes, *thread, *place),
        Subject::MeanwhileRunnable { thread } => meanwhile(WakerRole::Runnable, *thread, None),
    };
    row.words = words::of_row(&row);
    row
}

impl WakerFigures {
    pub(crate) fn new(sum: &Sum, has_longest: bool) -> Self {
        Self {
            duration_ns: sum.duration_ns,
            samples_count: sum.waits_count,
            longest_ns: Some(sum.longest_ns).filter(|longest| has_longest && *longest > 0),
        }
    }

    fn value(&self, field: &str) -> f64 {
        match field {
            "samples_count" => self.samples_count as f64,
            "longest_ns" => self.longest_ns.unwrap_or_default() as f64,
            _ => self.duration_ns,
        }
    }
}
