//! From when to when samples lasted. This is not the time that a sample represents, its weight: the engine `kernel` samples waits and
//! calls by amount, and a sampled one also represents others.
//!
//! ```text
//! weight      |--------- 4 s ---------|     the sample at 8 s represents 4 s of waits
//! its wait                    |- 1 s -|     the wait of the sample itself, from the table of wakes
//! ```

use rustc_hash::FxHashMap;
use whittle_model::{Collector, CollectorStatus, EventKind, Table, WakeTable, WeightColumn};
use whittle_profile::Profile;
use whittle_profile::samples::{SampleKind, Samples};

/// From when to when a sample lasted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SampleTime {
    /// Nanoseconds since the experiment's start. 0 also if it began earlier.
    pub(crate) start_ns: u64,
    /// End, not before the start. A row for several observations does not contain the time of each observation, so its
    /// start and its end are the sample's time.
    pub(crate) end_ns: u64,
    /// The whole length, also the part before the experiment's start.
    pub(crate) length_ns: u64,
    /// True if only the weight is known. Then the start is as far before the end as if the weight were the length.
    pub(crate) is_estimate: bool,
}

/// The times of the samples of a profile.
pub(crate) struct SampleTimes<'p> {
    samples: &'p Samples,
    wakes: &'p WakeTable,
    /// Whether weights of waits and calls differ from their lengths.
    has_scaled_weights: bool,
    /// Rows of the table of wakes in the order of time, by thread.
    wakes_of_threads: FxHashMap<usize, Vec<u32>>,
}

impl<'p> SampleTimes<'p> {
    /// The times of the samples of one thread or, without a thread, of all samples.
    pub(crate) fn new(profile: &'p Profile, thread: Option<usize>) -> Self {
        let wakes = &profile.tables().wakes;
        let mut wakes_of_threads: FxHashMap<usize, Vec<u32>> = FxHashMap::default();
        for row in 0..wakes.len() {
            let of_row = wakes.thread[row].row();
            if thread.is_none_or(|thread| thread == of_row) {
                wakes_of_threads.entry(of_row).or_default().push(row as u32);
            }
        }
        wakes_of_threads.values_mut().for_each(|rows| rows.sort_by_key(|row| wakes.time_ns[*row as usize]));
        let is_kernel = |used: &Collector| used.engine == Collector::KERNEL && used.status == CollectorStatus::Used;
        let has_scaled_weights = !wakes.is_empty() || profile.manifest().collectors.iter().any(is_kernel);
        Self { samples: profile.samples(), wakes, has_scaled_weights, wakes_of_threads }
    }

    /// The time of a sample. It ends at the sample's time, except that a wait ends when the thread is woken. A tick represents
    /// the CPU time since the last tick.
    pub(crate) fn of(&self, sample: usize) -> SampleTime {
        let end_ns = self.samples.time_ns[sample];
        if self.samples.column(WeightColumn::Count)[sample] != 1 {
            return SampleTime { start_ns: end_ns, end_ns, length_ns: 0, is_estimate: false };
        }
        let time = |end_ns: u64, length_ns: u64, is_estimate: bool| SampleTime {
            start_ns: end_ns.saturating_sub(length_ns),
            end_ns,
            length_ns,
            is_estimate,
        };
        let kind = SampleKind::of_index(usize::from(self.samples.kind[sample]));
        let weight_ns = self.samples.column(WeightColumn::DurationNs)[sample];
        match kind.event {
            EventKind::OffCpu if self.has_scaled_weights => match self.wake_of(sample, kind) {
                Some(wake) => time(self.wakes.time_ns[wake], self.wakes.duration_ns[wake], false),
                None => time(end_ns, weight_ns, true),
            },
            event => time(end_ns, weight_ns, event == EventKind::SyscallTime && self.has_scaled_weights),
        }
    }

    /// The wake that ended the sampled wait: the last one of the thread up to the sample's time, if it has the weight and the
    /// reason of the sample.
    fn wake_of(&self, sample: usize, kind: SampleKind) -> Option<usize> {
        let rows = self.wakes_of_threads.get(&self.samples.thread[sample].row())?;
        let time_ns = self.samples.time_ns[sample];
        let before = rows.partition_point(|row| self.wakes.time_ns[*row as usize] <= time_ns);
        let wake = rows[before.checked_sub(1)?] as usize;
        let weight_ns = self.samples.column(WeightColumn::DurationNs)[sample];
        let is_of_sample = self.wakes.weight_ns[wake] == weight_ns && self.wakes.reason[wake] == kind.reason;
        is_of_sample.then_some(wake)
    }
}
