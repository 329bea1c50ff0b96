//! Which thread stopped last. The JVM does not report it. A thread that executed while the JVM waited for the last
//! thread is the likely one, so this is an inference, and it needs a sample in this time.

use super::events_in;
use serde::Serialize;
use whittle_model::{EventKind, JvmEventKind};
use whittle_profile::Profile;
use whittle_profile::order::sort_by_key;
use whittle_profile::samples::SampleKind;

/// A safepoint is slow if the JVM waited at least this long for the last thread.
const SLOW_NS: u64 = 1_000_000;
/// Number of slow safepoints in the answer.
const MOST: usize = 5;

/// A safepoint for which the JVM waited long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SlowSafepoint {
    /// When the JVM requested the safepoint, in nanoseconds since the experiment's start.
    pub start_ns: u64,
    /// The JVM's reason.
    pub name: String,
    /// Time until the last thread had stopped.
    pub reaching_ns: u64,
    /// The thread that executed last in this time, and so probably stopped last. Missing if no sample shows it.
    pub thread: Option<String>,
    /// The function that this thread executed.
    pub function: Option<String>,
}

/// The slowest safepoints of a range, the slowest first.
pub(super) fn slow_safepoints(profile: &Profile, range: (u64, u64)) -> Vec<SlowSafepoint> {
    let is_slow = |kind: JvmEventKind, reaching_ns: u64| kind == JvmEventKind::Safepoint && reaching_ns >= SLOW_NS;
    let mut slow: Vec<_> = events_in(profile, range).filter(|event| is_slow(event.kind, event.reaching_ns)).collect();
    sort_by_key(&mut slow, |event| (std::cmp::Reverse(event.reaching_ns), event.start_ns));
    slow.truncate(MOST);
    let with_thread = slow.into_iter().map(|event| {
        let last = last_sample(profile, (event.start_ns, event.start_ns.saturating_add(event.reaching_ns)));
        let (thread, function) = last.unzip();
        SlowSafepoint { start_ns: event.start_ns, name: event.name, reaching_ns: event.reaching_ns, thread, function }
    });
    with_thread.collect()
}

/// The thread and function of the last CPU sample in a time, without threads of the JVM, which do not have to stop.
fn last_sample(profile: &Profile, (from_ns, to_ns): (u64, u64)) -> Option<(String, String)> {
    let (samples, tables) = (profile.samples(), profile.tables());
    let is_cpu = |row: &usize| SampleKind::of_index(usize::from(samples.kind[*row])).event == EventKind::Cpu;
    let is_work = |row: &usize| !tables.threads.class[samples.thread[*row].row()].is_jvm();
    let rows = (0..samples.len()).filter(|row| (from_ns..to_ns).contains(&samples.time_ns[*row]));
    let last = rows.filter(is_cpu).filter(is_work).max_by_key(|row| samples.time_ns[*row])?;
    let stack = profile.observed_stacks()[samples.observed[last] as usize];
    let function = tables.frames.function[tables.stacks.frame[stack.row()].row()];
    let thread = &tables.threads.name[samples.thread[last].row()];
    Some((thread.clone(), tables.functions.display_name[function.row()].clone()))
}
