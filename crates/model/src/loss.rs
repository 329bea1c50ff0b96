//! Why data is missing: reasons with fixed numbers, and how often each reason occurred.
//!
//! A lost or truncated sample is a result, not an error: it is counted, stored and shown.

use serde::{Deserialize, Serialize};

codes! {
    /// Why a sample, a frame or a part of the input is missing.
    pub enum LossReason {
        /// Nothing is missing.
        None = 0 "none",
        /// The stack was deeper than the depth limit. The frames near its root are missing.
        DepthLimit = 1 "depth_limit",
        /// The Java part of the stack could not be walked.
        UnwalkableJava = 2 "unwalkable_java",
        /// The native part of the stack could not be walked.
        UnwalkableNative = 3 "unwalkable_native",
        /// The sample has no frame at all.
        NoFrames = 4 "no_frames",
        /// The stack was not walked because the JVM was collecting garbage.
        GcActive = 5 "gc_active",
        /// The stack was not walked because the thread was being deoptimised.
        Deoptimization = 6 "deoptimization",
        /// No symbol contains this address.
        Unsymbolised = 7 "unsymbolised",
        /// The profiler skipped the sample because it was busy.
        ProfilerBusy = 8 "profiler_busy",
        /// A part of the input is unreadable.
        DamagedInput = 9 "damaged_input",
        /// The last part of the recording is incomplete.
        UnfinishedChunk = 10 "unfinished_chunk",
        /// CPU time before the profiler in the JVM was ready.
        BeforeAgent = 11 "before_agent",
        /// CPU time after the profiler in the JVM had stopped.
        AfterAgent = 12 "after_agent",
        /// An event refers to an entry that the input does not contain.
        MissingEntry = 13 "missing_entry",
        /// The producer reported the sample as failed without a known reason.
        FailedSample = 14 "failed_sample",
        /// The profiler reached its memory limit. It kept the sample without the stack.
        StorageLimit = 15 "storage_limit",
        /// The process had no handler for the profiler's signal, so whittle requested no stack.
        NoHandler = 16 "no_handler",
        /// The kernel refused to send the profiler's signal.
        SignalFailed = 17 "signal_failed",
        /// The signal was sent, but the profiler in the JVM returned no stack.
        Unanswered = 18 "unanswered",
        /// The thread ended before it could return its stack.
        ThreadEnded = 19 "thread_ended",
        /// The kernel's buffer for events was full.
        EventsOverflow = 20 "events_overflow",
        /// This address is in no mapped file.
        NoMapping = 21 "no_mapping",
        /// The native stack was too large: only a part was copied.
        StackCopyLimit = 22 "stack_copy_limit",
        /// The binary has no unwind information for its native stacks.
        NoUnwindInformation = 23 "no_unwind_information",
        /// The thread was still blocked when the collection ended, and no thread dump shows its stack.
        StillWaiting = 24 "still_waiting",
        /// The kernel-side table of exact counts was full.
        FileTableFull = 25 "account_table_full",
        /// The kernel skipped a program of whittle, because the program was already active on the same CPU. So a system
        /// call or a switch of a thread was not seen. The kernel counts this for the whole machine.
        SkippedRuns = 26 "skipped_runs",
        /// The kernel-side table of threads or of processes was full. A thread or a process was not observed.
        ThreadTableFull = 27 "thread_table_full",
        /// A 32-bit program made the system call. Its calls have other numbers, so whittle only counts them.
        CompatCalls = 28 "compat_calls",
        /// The kernel-side table of requests, or the buffer for them, was full. A request, an item or a statement was not seen.
        /// Statements that began before the collection are counted too.
        UnseenRequests = 29 "unseen_requests",
        /// Threads began or stopped to work for a work item on several CPUs at the same moment, or more than five threads
        /// worked for it. Some of the item's time is counted as time without a thread.
        UnsureItems = 30 "unsure_items",
        /// Only the begin or only the end of a sampled wait of a virtual thread is known. The wait is missing.
        HalfWaits = 31 "half_waits",
    }
}

/// How often one reason occurred.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Loss {
    /// Why data is missing.
    pub reason: LossReason,
    /// Number of affected samples, or of affected places in the input.
    pub count: u64,
    /// Affected CPU time, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub cpu_ns: Option<u64>,
    /// Affected bytes of the input, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub input_bytes: Option<u64>,
}

/// Losses by reason, in the order of the reasons' numbers. Each reason has at most one entry.
///
/// Sums stop at the largest number instead of overflowing, because unreadable input can contain any amount.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Losses(Vec<Loss>);

impl Losses {
    /// Adds `count` losses for `reason`.
    pub fn add_count(&mut self, reason: LossReason, count: u64) {
        let loss = self.entry(reason);
        loss.count = loss.count.saturating_add(count);
    }

    /// Counts one loss for `reason` with `cpu_ns` of CPU time.
    pub fn add_cpu(&mut self, reason: LossReason, cpu_ns: u64) {
        let loss = self.entry(reason);
        loss.count = loss.count.saturating_add(1);
        loss.cpu_ns = Some(loss.cpu_ns.unwrap_or(0).saturating_add(cpu_ns));
    }

    /// Counts one loss for `reason` with `input_bytes` bytes of the input.
    pub fn add_input_bytes(&mut self, reason: LossReason, input_bytes: u64) {
        let loss = self.entry(reason);
        loss.count = loss.count.saturating_add(1);
        loss.input_bytes = Some(loss.input_bytes.unwrap_or(0).saturating_add(input_bytes));
    }

    /// Adds all losses of `other`.
    pub fn merge(&mut self, other: &Self) {
        let add = |a: Option<u64>, b: Option<u64>| a.map(|a| a.saturating_add(b.unwrap_or(0))).or(b);
        for loss in other.iter() {
            let entry = self.entry(loss.reason);
            entry.count = entry.count.saturating_add(loss.count);
            entry.cpu_ns = add(entry.cpu_ns, loss.cpu_ns);
            entry.input_bytes = add(entry.input_bytes, loss.input_bytes);
        }
    }

    /// How often `reason` was counted.
    pub fn count(&self, reason: LossReason) -> u64 {
        self.0.iter().find(|loss| loss.reason == reason).map_or(0, |loss| loss.count)
    }

    /// The losses in the order of the reasons' numbers.
    pub fn iter(&self) -> impl Iterator<Item = &Loss> {
        self.0.iter()
    }

    /// True if nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn entry(&mut self, reason: LossReason) -> &mut Loss {
        let position = self.0.binary_search_by_key(&reason, |loss| loss.reason).unwrap_or_else(|position| {
            self.0.insert(position, Loss { reason, count: 0, cpu_ns: None, input_bytes: None });
            position
        });
        &mut self.0[position]
    }
}
