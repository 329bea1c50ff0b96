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
#[cfg(not(target_arch = "wasm32"))]
use whittle_profile::order::sort_by_key;
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
    /// When the collection ended. A wait that is open then has its own length.
    end_ns: u64,
    /// The rows of the table of wakes that ended sampled waits, by sample.
    wake_of_sample: FxHashMap<u32, u32>,
}

impl<'p> SampleTimes<'p> {
    /// The times of the samples of one thread or, without a thread, of all samples.
    pub(crate) fn new(profile: &'p Profile, thread: Option<usize>) -> Self {
        let this = Self::without_waits(profile);
        Self { wake_of_sample: wakes_of_samples(this.samples, this.wakes, thread), ..this }
    }

    /// The times of samples that are no waits.
    pub(crate) fn without_waits(profile: &'p Profile) -> Self {
        let (samples, wakes) = (profile.samples(), &profile.tables().wakes);
        let is_kernel = |used: &Collector| used.engine == Collector::KERNEL && used.status == CollectorStatus::Used;
        let has_scaled_weights = !wakes.is_empty() || profile.manifest().collectors.iter().any(is_kernel);
        let end_ns = profile.manifest().duration_ns;
        Self { samples, wakes, has_scaled_weights, end_ns, wake_of_sample: FxHashMap::default() }
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
            EventKind::OffCpu if self.has_scaled_weights => match self.wake_of_sample.get(&(sample as u32)) {
                Some(wake) => time(self.wakes.time_ns[*wake as usize], self.wakes.duration_ns[*wake as usize], false),
                None => time(end_ns, weight_ns, end_ns < self.end_ns),
            },
            event => time(end_ns, weight_ns, event == EventKind::SyscallTime && self.has_scaled_weights),
        }
    }
}

/// Report files hold no wakes.
#[cfg(target_arch = "wasm32")]
fn wakes_of_samples(_: &Samples, _: &WakeTable, _: Option<usize>) -> FxHashMap<u32, u32> {
    FxHashMap::default()
}

/// The wakes of sampled waits. A wake belongs to the first sampled wait of its thread at its time or later, if both have the same weight and
/// reason.
#[cfg(not(target_arch = "wasm32"))]
fn wakes_of_samples(samples: &Samples, wakes: &WakeTable, thread: Option<usize>) -> FxHashMap<u32, u32> {
    let mut of_threads: FxHashMap<usize, Vec<u32>> = FxHashMap::default();
    for row in 0..wakes.len() {
        let of_row = wakes.thread[row].row();
        if thread.is_none_or(|thread| thread == of_row) {
            of_threads.entry(of_row).or_default().push(row as u32);
        }
    }
    // The last wake of a thread is taken first.
    let time_ns = |row: &u32| std::cmp::Reverse(wakes.time_ns[*row as usize]);
    of_threads.values_mut().for_each(|rows| sort_by_key(rows, time_ns));
    let mut found = FxHashMap::default();
    if of_threads.is_empty() {
        return found;
    }
    let reasons: Vec<_> = SampleKind::all().map(|kind| (kind.event == EventKind::OffCpu, kind.reason)).collect();
    let mut look = |sample: u32| {
        let row = sample as usize;
        let (is_wait, reason) = reasons[usize::from(samples.kind[row])];
        let rows = is_wait.then(|| of_threads.get_mut(&samples.thread[row].row())).flatten();
        let Some(rows) = rows else { return };
        let weight_ns = samples.column(WeightColumn::DurationNs)[row];
        while let Some(wake) = rows.pop_if(|wake| wakes.time_ns[*wake as usize] <= samples.time_ns[row]) {
            if wakes.weight_ns[wake as usize] == weight_ns && wakes.reason[wake as usize] == reason {
                found.insert(sample, wake);
            }
        }
    };
    let all = 0..samples.len() as u32;
    if samples.is_in_time_order {
        all.for_each(&mut look);
    } else {
        let is_of_thread = |sample: &u32| thread.is_none_or(|thread| samples.thread[*sample as usize].row() == thread);
        let is_wait = |sample: &u32| reasons[usize::from(samples.kind[*sample as usize])].0;
        let mut sorted: Vec<u32> = all.filter(|sample| is_wait(sample) && is_of_thread(sample)).collect();
        sort_by_key(&mut sorted, |sample| samples.time_ns[*sample as usize]);
        sorted.into_iter().for_each(&mut look);
    }
    found
}
