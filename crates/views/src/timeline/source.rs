//! The source of a timeline's times. It is the kernel's record of every thread's states, or samples.

use crate::timeline::bins::TimeRange;
use crate::timeline::idle::IdleShares;
use crate::timeline::states::{IDLE, STATES, StateGroup, of_sample, of_span};
use serde::Serialize;
use whittle_model::{EventKind, Table, ThreadStateTable, WeightColumn};
use whittle_profile::filter::Predicate;
use whittle_profile::samples::{SampleKind, Samples};
use whittle_profile::waits::{StackMeaning, WaitMeaning};

/// The source of a timeline's times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TimelineSource {
    /// The kernel's record of thread states. It is exact and has no gaps.
    ThreadStates,
    /// Samples give estimates. The duration of a sample is the time just before it.
    Samples,
}

/// A time range of a thread in one state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StateRange {
    /// Row of the threads table.
    pub(crate) thread: usize,
    /// Number of the state.
    pub(crate) state: usize,
    pub(crate) range: TimeRange,
}

/// The selected time ranges, with their source.
pub(crate) enum Times<'a> {
    States { table: &'a ThreadStateTable, is_kept: Option<Vec<bool>>, idle: IdleShares },
    Samples { samples: &'a Samples, predicate: Option<Predicate>, is_shown: Vec<bool>, meanings: &'a [StackMeaning] },
}

/// Number of samples that are tested together.
const BLOCK_LENGTH: usize = 2048;

impl Times<'_> {
    /// Name of the source.
    pub(crate) fn source(&self) -> TimelineSource {
        match self {
            Self::States { .. } => TimelineSource::ThreadStates,
            Self::Samples { .. } => TimelineSource::Samples,
        }
    }

    /// Calls `found` with every time range that can overlap times at or after `from_ns`.
    pub(crate) fn each(&self, from_ns: u64, mut found: impl FnMut(StateRange)) {
        match self {
            Self::States { table, is_kept, idle } => {
                let rows = (0..table.len()).filter(|row| table.end_ns[*row] >= from_ns);
                each_span(table, rows, (is_kept.as_deref(), idle), found);
            }
            Self::Samples { samples, predicate, is_shown, meanings } => {
                let states = states_of_kinds(samples);
                each_kept(samples, predicate.as_ref(), from_ns, |sample| {
                    if is_shown[samples.observed[sample] as usize]
                        && let Some(state) = states[usize::from(samples.kind[sample])]
                    {
                        let thread = samples.thread[sample].row();
                        let is_idle = STATES[state].1 == StateGroup::Blocked
                            && meanings[samples.observed[sample] as usize] == StackMeaning::Known(WaitMeaning::Idle);
                        let state = if is_idle { IDLE } else { state };
                        found(StateRange { thread, state, range: range_of(samples, sample) });
                    }
                });
            }
        }
    }
}

fn each_span(
    table: &ThreadStateTable,
    rows: impl Iterator<Item = usize>,
    (is_kept, idle): (Option<&[bool]>, &IdleShares),
    mut found: impl FnMut(StateRange),
) {
    for row in rows {
        let thread = table.thread[row].row();
        if is_kept.is_none_or(|is_kept| is_kept[thread]) {
            let state = of_span(table.state[row], table.reason[row]);
            let (start_ns, end_ns) = (table.start_ns[row], table.end_ns[row]);
            let spent_ns = table.duration_ns[row] as f64;
            let range = TimeRange { start_ns, end_ns, spent_ns };
            let idle_ns = match STATES[state].1 {
                StateGroup::Blocked => idle.ratio(thread, table.reason[row], range) * spent_ns,
                _ => 0.0,
            };
            for (state, spent_ns) in [(state, spent_ns - idle_ns), (IDLE, idle_ns)] {
                if spent_ns > 0.0 {
                    found(StateRange { thread, state, range: TimeRange { spent_ns, ..range } });
                }
            }
        }
    }
}

/// The state of each kind of sample.
pub(crate) fn states_of_kinds(samples: &Samples) -> Vec<Option<usize>> {
    let has_waits = SampleKind::all().any(|kind| kind.event == EventKind::OffCpu && samples.has(kind));
    SampleKind::all().map(|kind| of_sample(kind, has_waits)).collect()
}

/// The time that a sample represents, just before the sample. A sampled wait also represents waits that were not sampled, so this time
/// is not its own. A tick represents the CPU time since the last tick. A wait is recorded at its end. A row for several observations
/// does not contain the time of each observation.
fn range_of(samples: &Samples, sample: usize) -> TimeRange {
    let (time_ns, duration_ns) = (samples.time_ns[sample], samples.column(WeightColumn::DurationNs)[sample]);
    let is_one = samples.column(WeightColumn::Count)[sample] == 1;
    let start_ns = if is_one { time_ns.saturating_sub(duration_ns) } else { time_ns };
    TimeRange { start_ns, end_ns: time_ns, spent_ns: duration_ns as f64 }
}

/// Calls `found` with every sample at or after `from_ns` that the predicate keeps.
pub(crate) fn each_kept(samples: &Samples, predicate: Option<&Predicate>, from_ns: u64, mut found: impl FnMut(usize)) {
    // The time range of a sample ends at the sample's time.
    let from = if samples.is_in_time_order { samples.time_ns.partition_point(|time| *time < from_ns) } else { 0 };
    let mut is_kept = vec![true; BLOCK_LENGTH];
    for start in (from..samples.len()).step_by(BLOCK_LENGTH) {
        let block = start..samples.len().min(start + BLOCK_LENGTH);
        if let Some(predicate) = predicate {
            predicate.test(samples, block.clone(), &mut is_kept);
        }
        block.zip(&is_kept).filter(|(_, is_kept)| **is_kept).for_each(|(sample, _)| found(sample));
    }
}
