//! The sampled waits with the wakes that ended them, and all samples of each thread by time.

use crate::calling_frame::calling_frames;
use whittle_model::{EventKind, FileIndex, FrameIndex, StackIndex, Table, ThreadIndex, WaitReason, Wake, WeightColumn};
use whittle_profile::Profile;
use whittle_profile::filter::Predicate;
use whittle_profile::order::sort_by_key;
use whittle_profile::samples::SampleKind;
use whittle_profile::waits::{StackMeaning, WaitMeaning, meaning};
use whittle_profile::weights::for_each_kept;

/// A sampled wait. Waits for a CPU are no waits here.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SampledWait {
    pub(crate) thread: ThreadIndex,
    pub(crate) meaning: WaitMeaning,
    pub(crate) file: FileIndex,
    /// The stack that waited.
    pub(crate) stack: StackIndex,
    /// Waiting time that the sample represents, in nanoseconds.
    pub(crate) weight_ns: u64,
    /// Row of the table of wakes. Missing: the kernel did not report who ended the wait.
    pub(crate) wake: Option<usize>,
}

/// What a thread did at the time of a sample.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Doing {
    /// It executed this stack.
    Executing(StackIndex),
    /// It executed code that takes a lock, for example because it spins.
    TakingLock(StackIndex),
    /// It waited for a CPU, with this stack.
    Runnable(StackIndex),
    /// It waited. The number is that of the sampled wait.
    Waiting(usize),
}

/// The waits of an experiment, and what its threads did.
pub(crate) struct SampledWaits<'p> {
    pub(crate) profile: &'p Profile,
    /// By number of the sample, ascending.
    waits: Vec<SampledWait>,
    samples_of_waits: Vec<u32>,
    /// All samples of time, by thread and then by time.
    by_thread: Vec<u32>,
    /// For each thread, where its samples begin. One more entry than threads.
    first_of_thread: Vec<usize>,
    kinds: Vec<SampleKind>,
    calling_frames: Vec<Option<FrameIndex>>,
}

impl<'p> SampledWaits<'p> {
    pub(crate) fn new(profile: &'p Profile) -> Self {
        let (samples, thread_count) = (profile.samples(), profile.tables().threads.len());
        let kinds: Vec<SampleKind> = SampleKind::all().collect();
        let is_of_time = |sample: &u32| {
            let event = kinds[usize::from(samples.kind[*sample as usize])].event;
            matches!(event, EventKind::Cpu | EventKind::OffCpu)
        };
        let mut by_thread: Vec<u32> = (0..samples.len() as u32).filter(is_of_time).collect();
        let thread = |sample: &u32| samples.thread[*sample as usize].row();
        sort_by_key(&mut by_thread, |sample| (thread(sample), samples.time_ns[*sample as usize], *sample));
        let first = |number: usize| by_thread.partition_point(|sample| thread(sample) < number);
        let first_of_thread = (0..=thread_count).map(first).collect();
        let mut all = Self {
            profile,
            waits: Vec::new(),
            samples_of_waits: Vec::new(),
            by_thread,
            first_of_thread,
            kinds,
            calling_frames: calling_frames(profile.tables()),
        };
        all.add_waits();
        all.add_wakes();
        all
    }

    fn add_waits(&mut self) {
        let (samples, of_stack) = (self.profile.samples(), self.profile.wait_meanings());
        for sample in 0..samples.len() {
            let SampleKind { event, reason, .. } = self.kinds[usize::from(samples.kind[sample])];
            let observed = samples.observed[sample] as usize;
            let meaning = meaning(of_stack[observed], reason).filter(|_| event == EventKind::OffCpu);
            let Some(meaning) = meaning else { continue };
            self.samples_of_waits.push(sample as u32);
            self.waits.push(SampledWait {
                thread: samples.thread[sample],
                meaning,
                file: samples.files().map_or(FileIndex::NONE, |files| files[sample]),
                stack: self.profile.observed_stacks()[observed],
                weight_ns: samples.column(WeightColumn::DurationNs)[sample],
                wake: None,
            });
        }
    }

    /// A wake belongs to the first wait of its thread that was sampled at its time or later. If the record of this sample was lost,
    /// the wake belongs to no sample.
    fn add_wakes(&mut self) {
        let wakes = &self.profile.tables().wakes;
        for row in 0..wakes.len() {
            let wake = wakes.row(row);
            let found =
                self.samples_from(wake.thread, wake.time_ns).iter().find_map(|sample| self.wait_of_sample(*sample));
            let Some(number) = found else { continue };
            let wait = &self.waits[number];
            if wait.weight_ns == wake.weight_ns && self.reason(number) == wake.reason && wait.wake.is_none() {
                self.waits[number].wake = Some(row);
            }
        }
    }

    /// The samples of a thread at a time or later.
    fn samples_from(&self, thread: ThreadIndex, from_ns: u64) -> &[u32] {
        let of_thread = &self.by_thread[self.first_of_thread[thread.row()]..self.first_of_thread[thread.row() + 1]];
        let times = &self.profile.samples().time_ns;
        &of_thread[of_thread.partition_point(|sample| times[*sample as usize] < from_ns)..]
    }

    fn wait_of_sample(&self, sample: u32) -> Option<usize> {
        self.samples_of_waits.binary_search(&sample).ok()
    }

    fn reason(&self, number: usize) -> WaitReason {
        let sample = self.samples_of_waits[number] as usize;
        self.kinds[usize::from(self.profile.samples().kind[sample])].reason
    }

    pub(crate) fn wait(&self, number: usize) -> &SampledWait {
        &self.waits[number]
    }

    /// The wake that ended a wait. Missing: the kernel did not report it.
    pub(crate) fn wake(&self, number: usize) -> Option<Wake> {
        self.waits[number].wake.map(|row| self.profile.tables().wakes.row(row))
    }

    /// The time of a single wait, from its start to its end. Missing: the kernel did not report who ended it.
    pub(crate) fn times(&self, number: usize) -> Option<(u64, u64)> {
        self.wake(number).map(|wake| (wake.time_ns.saturating_sub(wake.duration_ns), wake.time_ns))
    }

    /// The numbers of the waits that a predicate keeps.
    pub(crate) fn kept(&self, predicate: Option<&Predicate>) -> Vec<usize> {
        let mut kept = Vec::new();
        for_each_kept(self.profile.samples(), predicate, |sample| kept.extend(self.wait_of_sample(sample as u32)));
        kept
    }

    /// How long the threads of the samples that a predicate keeps executed, and how long they waited for a CPU, in nanoseconds.
    pub(crate) fn executing_and_runnable_ns(&self, predicate: Option<&Predicate>) -> [f64; 2] {
        let samples = self.profile.samples();
        let durations = samples.column(WeightColumn::DurationNs);
        let mut sums_ns = [0.0; 2];
        for_each_kept(samples, predicate, |sample| match self.kinds[usize::from(samples.kind[sample])].event {
            EventKind::Cpu => sums_ns[0] += durations[sample] as f64,
            EventKind::OffCpu if self.wait_of_sample(sample as u32).is_none() => {
                sums_ns[1] += durations[sample] as f64;
            }
            _ => {}
        });
        sums_ns
    }

    /// The frame of the calling code: the deepest method outside the JDK, if there is one.
    pub(crate) fn calling_frame(&self, stack: StackIndex) -> Option<FrameIndex> {
        self.calling_frames[stack.row()]
    }

    /// What a thread did from a time to another, and how many nanoseconds of it the samples represent. Of a wait, only the part
    /// inside the times counts.
    pub(crate) fn doings(&self, thread: ThreadIndex, (from_ns, to_ns): (u64, u64)) -> Vec<(Doing, f64)> {
        let times = &self.profile.samples().time_ns;
        let within = self.samples_from(thread, from_ns).iter();
        let within = within.take_while(|sample| times[**sample as usize] <= to_ns);
        let doings = within.map(|sample| (self.doing(*sample), self.nanos_within(*sample, (from_ns, to_ns))));
        doings.filter(|(_, nanos)| *nanos > 0.0).collect()
    }

    /// All samples of time of a thread, by time.
    pub(crate) fn samples_of(&self, thread: ThreadIndex) -> &[u32] {
        self.samples_from(thread, 0)
    }

    /// What the thread of a sample of time did.
    pub(crate) fn doing(&self, sample: u32) -> Doing {
        let (samples, row) = (self.profile.samples(), sample as usize);
        let observed = samples.observed[row] as usize;
        let stack = self.profile.observed_stacks()[observed];
        if self.kinds[usize::from(samples.kind[row])].event != EventKind::Cpu {
            return self.wait_of_sample(sample).map_or(Doing::Runnable(stack), Doing::Waiting);
        }
        match self.profile.wait_meanings()[observed] {
            StackMeaning::Known(WaitMeaning::Monitor | WaitMeaning::Lock) => Doing::TakingLock(stack),
            _ => Doing::Executing(stack),
        }
    }

    /// How many nanoseconds a sample represents from a time to another. Of a wait, only the part inside the times counts.
    pub(crate) fn nanos_within(&self, sample: u32, (from_ns, to_ns): (u64, u64)) -> f64 {
        let (samples, row) = (self.profile.samples(), sample as usize);
        let duration_ns = samples.column(WeightColumn::DurationNs)[row];
        if self.kinds[usize::from(samples.kind[row])].event == EventKind::Cpu {
            return duration_ns as f64;
        }
        let inside = |start_ns: u64, end_ns: u64| end_ns.min(to_ns).saturating_sub(start_ns.max(from_ns)) as f64;
        match self.wait_of_sample(sample).and_then(|number| self.times(number)) {
            Some((start, end)) => inside(start, end) * duration_ns as f64 / end.saturating_sub(start).max(1) as f64,
            None => {
                let end_ns = samples.time_ns[row];
                inside(end_ns.saturating_sub(duration_ns), end_ns)
            }
        }
    }
}
