//! A row of a tree of wakers.

use crate::wakers::tree::Sum;
use serde::Serialize;
use whittle_profile::query::serialize_number;

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

impl WakerFigures {
    /// The values of a node. `has_longest`: whether the longest wait says something.
    pub(crate) fn new(sum: &Sum, has_longest: bool) -> Self {
        Self {
            duration_ns: sum.duration_ns,
            samples_count: sum.waits_count,
            longest_ns: Some(sum.longest_ns).filter(|longest| has_longest && *longest > 0),
        }
    }

    /// The value of a field, for the order of rows.
    pub(crate) fn value(&self, field: &str) -> f64 {
        match field {
            "samples_count" => self.samples_count as f64,
            "longest_ns" => self.longest_ns.unwrap_or_default() as f64,
            _ => self.duration_ns,
        }
    }
}
