//! Adds up samples in two passes. The first pass computes sums per stack and per thread group. The second pass examines
//! a few candidates.
//!
//! An experiment can have a hundred million samples and a hundred thousand candidates. The first pass therefore writes
//! one number per sample, and the sums of candidates are computed from the sums of stacks. Only a few candidates are
//! large enough and meet their conditions. For these candidates, the second pass distinguishes thread groups, blocks of
//! time and reasons of waiting.

use crate::answered::Answered;
use crate::candidates::Candidate;
use crate::detector::{Detector, Measure};
use crate::matching::{Family, Matches};
use crate::stacks::NONE;
use crate::work::{NO_GROUP, WorkThreads};
use whittle_model::{CpuMode, FileIndex, Metric, ObjectClassIndex, Resource, WaitReason, WeightColumn};
use whittle_profile::Profile;
use whittle_profile::filter::Predicate;
use whittle_profile::ordered_map::OrderedMap;
use whittle_profile::samples::{SampleKind, Samples};
use whittle_profile::weights::for_each_kept;
use whittle_statistics::WeightedBlock;
use whittle_views::timeline::end_ns;

/// The observed range is divided into this many blocks of time. Shares are compared between blocks.
pub(crate) const BLOCK_COUNT: usize = 20;

/// The class of a sample in findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    UserCpu,
    SystemCpu,
    Blocked,
    Alloc,
    Fault,
    Other,
}

impl Class {
    fn of(kind: SampleKind) -> Self {
        match (kind.event.resource(), kind.mode, kind.reason) {
            (Resource::CpuTime, CpuMode::System, _) => Self::SystemCpu,
            (Resource::CpuTime, ..) => Self::UserCpu,
            // The machine, not the code, causes the wait for a CPU.
            (Resource::BlockedTime, _, WaitReason::RunQueue | WaitReason::Preemption | WaitReason::Quota) => {
                Self::Other
            }
            (Resource::BlockedTime, ..) => Self::Blocked,
            (Resource::Heap, ..) => Self::Alloc,
            (Resource::PageFaults, ..) => Self::Fault,
            (Resource::ElapsedTime | Resource::LockTime | Resource::Nothing, ..) => Self::Other,
        }
    }
}

impl Class {
    /// Number of classes.
    const COUNT: usize = Self::Other as usize + 1;

    /// The position in `Amounts::blocks` for this class.
    fn blocks(self) -> Option<usize> {
        match self {
            Self::UserCpu | Self::SystemCpu => Some(CPU_BLOCKS),
            Self::Blocked => Some(BLOCKED_BLOCKS),
            Self::Alloc => Some(2),
            Self::Fault | Self::Other => None,
        }
    }
}

const CPU_BLOCKS: usize = 0;
const BLOCKED_BLOCKS: usize = 1;

/// Sums of one finding, or of all work threads.
#[derive(Debug, Clone, Default)]
pub(crate) struct Amounts {
    /// CPU time by thread group, nanoseconds.
    pub(crate) cpu_ns: Vec<f64>,
    /// Blocked time by thread group, nanoseconds.
    pub(crate) blocked_ns: Vec<f64>,
    /// Bytes allocated by thread group.
    pub(crate) alloc_bytes: Vec<f64>,
    /// Number of samples in each block of time: CPU, blocked threads, allocations.
    pub(crate) blocks: [[u64; BLOCK_COUNT]; 3],
    /// For the same samples: the sum of the weights, and the sum of the squared weights.
    weights: [[[f64; 2]; BLOCK_COUNT]; 3],
    /// Blocked time by reason.
    pub(crate) blocked_by_reason: [f64; WaitReason::ALL.len()],
    /// Blocked time by file or peer.
    pub(crate) blocked_by_file: OrderedMap<FileIndex, f64>,
    /// CPU time and blocked time inside requests, by the number of the request's name.
    pub(crate) spent_by_request: OrderedMap<u32, f64>,
    /// Bytes allocated by class of the objects.
    pub(crate) alloc_by_class: OrderedMap<ObjectClassIndex, f64>,
}

impl Amounts {
    fn new(groups: usize) -> Self {
        let zeros = || vec![0.0; groups];
        Self { cpu_ns: zeros(), blocked_ns: zeros(), alloc_bytes: zeros(), ..Self::default() }
    }

    /// The sum of a measure in each thread group.
    pub(crate) fn measure(&self, measure: Measure) -> Vec<f64> {
        let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect();
        match measure {
            Measure::Cpu => self.cpu_ns.clone(),
            Measure::Elapsed => sum(&self.cpu_ns, &self.blocked_ns),
            Measure::AllocBytes => self.alloc_bytes.clone(),
        }
    }

    /// A measure's number of samples in each block of time.
    pub(crate) fn measure_blocks(&self, measure: Measure) -> [f64; BLOCK_COUNT] {
        let blocks = |block: usize| match measure {
            Measure::Cpu => self.blocks[CPU_BLOCKS][block],
            Measure::Elapsed => self.blocks[CPU_BLOCKS][block] + self.blocks[BLOCKED_BLOCKS][block],
            Measure::AllocBytes => self.blocks[2][block],
        };
        std::array::from_fn(|block| blocks(block) as f64)
    }

    /// A measure's sum of weights, and sum of squared weights, in each block of time.
    fn measure_weights(&self, measure: Measure) -> [[f64; 2]; BLOCK_COUNT] {
        let [cpu, blocked, alloc] = &self.weights;
        match measure {
            Measure::Cpu => *cpu,
            Measure::Elapsed => {
                std::array::from_fn(|block| [cpu[block][0] + blocked[block][0], cpu[block][1] + blocked[block][1]])
            }
            Measure::AllocBytes => *alloc,
        }
    }
}

/// The sums of weights in each block of time, for the interval of a share of the sum of `all`.
pub(crate) fn weighted_blocks<'a>(
    own: (&Amounts, Measure),
    (all, measure): (impl Iterator<Item = &'a Amounts>, Measure),
) -> [WeightedBlock; BLOCK_COUNT] {
    let own = own.0.measure_weights(own.1);
    let mut blocks = own.map(|[own, own_squares]| WeightedBlock { own, own_squares, ..WeightedBlock::default() });
    for amounts in all {
        for (block, [weight, squares]) in blocks.iter_mut().zip(amounts.measure_weights(measure)) {
            block.all += weight;
            block.all_squares += squares;
        }
    }
    blocks
}

/// One stack's or one candidate's sums, by event.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Totals {
    pub(crate) user_ns: f64,
    pub(crate) system_ns: f64,
    pub(crate) blocked_ns: f64,
    pub(crate) alloc_bytes: f64,
    pub(crate) alloc_objects: f64,
    pub(crate) faults: f64,
}

impl Totals {
    /// CPU time in any mode.
    pub(crate) fn cpu_ns(&self) -> f64 {
        self.user_ns + self.system_ns
    }

    /// The sum of a measure.
    pub(crate) fn measure(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Cpu => self.cpu_ns(),
            Measure::Elapsed => self.cpu_ns() + self.blocked_ns,
            Measure::AllocBytes => self.alloc_bytes,
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.user_ns += other.user_ns;
        self.system_ns += other.system_ns;
        self.blocked_ns += other.blocked_ns;
        self.alloc_bytes += other.alloc_bytes;
        self.alloc_objects += other.alloc_objects;
        self.faults += other.faults;
    }
}

/// Sums of the first pass.
#[derive(Debug)]
pub(crate) struct Sums {
    /// Amounts of all work threads, without blocks and reasons.
    pub(crate) all: Amounts,
    /// Totals of all work threads.
    pub(crate) total: Totals,
    /// CPU samples of work threads.
    pub(crate) samples_count: u64,
    /// CPU time of all threads, including those of the JVM.
    pub(crate) process_cpu_ns: f64,
    /// For each observed stack, CPU time of work threads.
    pub(crate) cpu_by_stack: Vec<f64>,
    /// For each class, a list with every observed stack's sum. The list is empty if the class has no samples.
    by_stack: [Vec<f64>; Class::COUNT],
    /// Objects allocated, by observed stack.
    objects_by_stack: Vec<f64>,
}

/// The samples that are added up.
#[derive(Clone, Copy)]
pub(crate) struct Selected<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) work: &'a WorkThreads,
    /// Selects samples. `None`: all samples.
    pub(crate) predicate: Option<&'a Predicate>,
    /// For each observed stack, whether a thread that waits on it is idle: it waits for work, or the stack has no
    /// application frame.
    pub(crate) is_idle: &'a [bool],
    /// `None`: no sample belongs to a request.
    pub(crate) requests: Option<&'a Answered<'a>>,
}

/// The value that a pass adds up for a sample, by class.
struct Weights<'a> {
    durations: &'a [u64],
    bytes: &'a [u64],
    counts: &'a [u64],
}

impl<'a> Weights<'a> {
    fn new(samples: &'a Samples) -> Self {
        let columns = [WeightColumn::DurationNs, WeightColumn::Bytes, WeightColumn::Count];
        let [durations, bytes, counts] = columns.map(|column| samples.column(column));
        Self { durations, bytes, counts }
    }

    fn of(&self, class: Class, sample: usize) -> f64 {
        let column = match class {
            Class::Alloc => self.bytes,
            Class::Fault => self.counts,
            _ => self.durations,
        };
        column[sample] as f64
    }
}

impl Sums {
    /// Makes the first pass.
    pub(crate) fn new(selected: &Selected<'_>) -> Self {
        let (samples, work) = (selected.profile.samples(), selected.work);
        let (stacks, threads) = (selected.is_idle.len(), work.group_of_thread.len());
        let weights = Weights::new(samples);
        let mut by_stack = selected.columns(stacks);
        // Sums are kept per thread, not per group. With few groups, each addition would have to wait for the previous
        // addition to the same sum.
        let mut by_thread = selected.columns(threads);
        let (mut objects_by_stack, mut samples_count) = (Vec::new(), 0);
        selected.for_each(|class, sample, observed| {
            let weight = weights.of(class, sample);
            by_stack[class as usize][observed] += weight;
            by_thread[class as usize][samples.thread[sample].row()] += weight;
            samples_count += u64::from(class <= Class::SystemCpu);
            if class == Class::Alloc {
                objects_by_stack.resize(stacks, 0.0);
                objects_by_stack[observed] += weights.counts[sample] as f64;
            }
        });
        let mut sums = Self {
            all: Amounts::of_threads(&by_thread, work),
            total: Totals::default(),
            samples_count,
            process_cpu_ns: selected.process_cpu_ns(),
            cpu_by_stack: Vec::new(),
            by_stack,
            objects_by_stack,
        };
        sums.cpu_by_stack = (0..stacks).map(|observed| sums.of_stack(observed).cpu_ns()).collect();
        sums.total = (0..stacks).fold(Totals::default(), |mut total, observed| {
            total.add(&sums.of_stack(observed));
            total
        });
        sums
    }

    /// The sums of an observed stack.
    pub(crate) fn of_stack(&self, observed: usize) -> Totals {
        let of = |class: Class| self.by_stack[class as usize].get(observed).copied().unwrap_or(0.0);
        Totals {
            user_ns: of(Class::UserCpu),
            system_ns: of(Class::SystemCpu),
            blocked_ns: of(Class::Blocked),
            alloc_bytes: of(Class::Alloc),
            alloc_objects: self.objects_by_stack.get(observed).copied().unwrap_or(0.0),
            faults: of(Class::Fault),
        }
    }
}

impl Amounts {
    /// Converts sums by class and thread to sums by thread group.
    fn of_threads(by_thread: &[Vec<f64>; Class::COUNT], work: &WorkThreads) -> Self {
        let mut amounts = Self::new(work.names.len());
        let groups = work.group_of_thread.iter().enumerate().filter(|(_, group)| **group != NO_GROUP);
        for (thread, group) in groups {
            let of = |class: Class| by_thread[class as usize].get(thread).copied().unwrap_or(0.0);
            let group = usize::from(*group);
            amounts.cpu_ns[group] += of(Class::UserCpu) + of(Class::SystemCpu);
            amounts.blocked_ns[group] += of(Class::Blocked);
            amounts.alloc_bytes[group] += of(Class::Alloc);
        }
        amounts
    }
}

impl Selected<'_> {
    /// For each class that occurs: a list of this length, filled with zeros.
    fn columns(&self, length: usize) -> [Vec<f64>; Class::COUNT] {
        let mut columns = std::array::from_fn(|_| Vec::new());
        for kind in SampleKind::all().filter(|kind| self.profile.samples().has(*kind)) {
            columns[Class::of(kind) as usize].resize(length, 0.0);
        }
        columns
    }

    /// Calls `add` for each relevant sample of the work threads, with the sample's class, number and observed stack.
    fn for_each(&self, mut add: impl FnMut(Class, usize, usize)) {
        let (samples, work): (&Samples, _) = (self.profile.samples(), self.work);
        let classes: Vec<Class> = SampleKind::all().map(Class::of).collect();
        let is_work: Vec<bool> = work.group_of_thread.iter().map(|group| *group != NO_GROUP).collect();
        for_each_kept(samples, self.predicate, |sample| {
            let class = classes[usize::from(samples.kind[sample])];
            let observed = samples.observed[sample] as usize;
            let is_idle = class == Class::Blocked && self.is_idle[observed];
            if is_work[samples.thread[sample].row()] && class != Class::Other && !is_idle {
                add(class, sample, observed);
            }
        });
    }

    /// CPU time of all threads in the observed range. It is estimated from the whole experiment, in proportion to the
    /// range's length. Filters are ignored.
    fn process_cpu_ns(&self) -> f64 {
        let profile = self.profile;
        let Some(cpu) = profile.manifest().metric_index(Metric::Cpu) else { return 0.0 };
        let all: f64 = profile.all_weights().by_thread[cpu].iter().sum();
        all * self.work.seconds() * 1e9 / end_ns(profile) as f64
    }

    /// Makes the second pass, which computes the amounts of a few candidates and the blocks of all samples. For each
    /// family and observed stack, `number_of` contains the candidate's number, or [`NONE`].
    pub(crate) fn details(&self, number_of: &[Vec<u32>; 2], count: usize) -> Details {
        let (samples, work) = (self.profile.samples(), self.work);
        let weights = Weights::new(samples);
        let reasons: Vec<WaitReason> = SampleKind::all().map(|kind| kind.reason).collect();
        let groups = work.names.len();
        let mut details = Details { all: vec![Amounts::new(0); groups], few: vec![Amounts::new(groups); count] };
        let is_wanted: Vec<bool> =
            (0..self.is_idle.len()).map(|observed| number_of.iter().any(|of| of[observed] != NONE)).collect();
        let mut blocks = Blocks::new(work);
        self.for_each(|class, sample, observed| {
            let block = blocks.of(samples.time_ns[sample]);
            let weight = weights.of(class, sample);
            let group = usize::from(work.group_of_thread[samples.thread[sample].row()]);
            details.all[group].count(class, block, weight);
            if !is_wanted[observed] {
                return;
            }
            let class_of_objects = samples.object_classes().map_or(ObjectClassIndex::UNKNOWN, |all| all[sample]);
            let file = samples.files().map_or(FileIndex::NONE, |all| all[sample]);
            let request = self.requests.and_then(|requests| requests.of_sample(samples, sample));
            let reason = reasons[usize::from(samples.kind[sample])];
            let at = At { group, block, reason, class_of_objects, file, request };
            for family in class.families() {
                if let Some(amounts) = details.few.get_mut(number_of[*family as usize][observed] as usize) {
                    amounts.add(class, at, weight);
                }
            }
        });
        details
    }
}

impl Selected<'_> {
    /// CPU time per group of observed stacks and per block of time. Stacks with a group number of `count` or more are
    /// left out.
    pub(crate) fn cpu_by_block(&self, group_of: &[u32], count: usize) -> Vec<[f64; BLOCK_COUNT]> {
        let samples = self.profile.samples();
        let weights = Weights::new(samples);
        let mut blocks = Blocks::new(self.work);
        let mut sums = vec![[0.0; BLOCK_COUNT]; count];
        self.for_each(|class, sample, observed| {
            if let (true, Some(sums)) = (class <= Class::SystemCpu, sums.get_mut(group_of[observed] as usize)) {
                sums[blocks.of(samples.time_ns[sample])] += weights.of(class, sample);
            }
        });
        sums
    }
}

/// The sums of the second pass.
#[derive(Default)]
pub(crate) struct Details {
    /// Blocks of all work threads, by thread group.
    pub(crate) all: Vec<Amounts>,
    /// Amounts of the few candidates.
    pub(crate) few: Vec<Amounts>,
}

impl Class {
    /// The families in which samples of this class are added up. The class belongs to the first family. In the other
    /// families, these samples are evidence for a candidate.
    fn families(self) -> &'static [Family] {
        match self {
            Self::Alloc => &[Family::Alloc, Family::Time],
            Self::UserCpu | Self::SystemCpu => &[Family::Time, Family::Alloc],
            Self::Blocked | Self::Fault | Self::Other => &[Family::Time],
        }
    }
}

/// Returns the totals of each candidate, and each place's sum in its detector's measure. A stack's samples count for
/// the stack's owner.
pub(crate) fn candidate_totals(sums: &Sums, owners: &Owners<'_>) -> (Vec<Totals>, Vec<f64>) {
    let mut totals = vec![Totals::default(); owners.candidates.len()];
    let mut places = vec![0.0; owners.matches.places.len()];
    for family in Family::ALL {
        for (observed, place) in owners.matches.owners(family).iter().enumerate().filter(|(_, place)| **place != NONE) {
            let (of_stack, candidate) = (sums.of_stack(observed), owners.candidate_of_place[*place as usize] as usize);
            let counted = match family {
                Family::Time => of_stack,
                Family::Alloc => Totals { blocked_ns: 0.0, ..of_stack },
            };
            totals[candidate].add(&counted);
            places[*place as usize] += counted.measure(Detector::all()[owners.candidates[candidate].detector].measure);
        }
    }
    (totals, places)
}

/// The candidate that owns each place.
#[derive(Clone, Copy)]
pub(crate) struct Owners<'a> {
    pub(crate) matches: &'a Matches,
    pub(crate) candidates: &'a [Candidate],
    /// Candidate of each place.
    pub(crate) candidate_of_place: &'a [u32],
}

/// Finds the block of a point in time. Consecutive samples are usually in the same block.
struct Blocks {
    from_ns: u64,
    length_ns: u64,
    /// The block of the last sample, and the start of this block.
    last: (usize, u64),
}

impl Blocks {
    fn new(work: &WorkThreads) -> Self {
        let length_ns = ((work.to_ns - work.from_ns) / BLOCK_COUNT as u64).max(1);
        Self { from_ns: work.from_ns, length_ns, last: (0, work.from_ns) }
    }

    fn of(&mut self, time_ns: u64) -> usize {
        if time_ns.wrapping_sub(self.last.1) >= self.length_ns {
            let block = (time_ns.saturating_sub(self.from_ns) / self.length_ns).min(BLOCK_COUNT as u64 - 1);
            self.last = (block as usize, self.from_ns + block * self.length_ns);
        }
        self.last.0
    }
}

/// The position of a sample in the sums.
#[derive(Clone, Copy)]
struct At {
    group: usize,
    block: usize,
    reason: WaitReason,
    class_of_objects: ObjectClassIndex,
    file: FileIndex,
    /// The number of the request's name.
    request: Option<u32>,
}

impl Amounts {
    fn count(&mut self, class: Class, block: usize, weight: f64) {
        if let Some(blocks) = class.blocks() {
            self.blocks[blocks][block] += 1;
            let [sum, squares] = &mut self.weights[blocks][block];
            *sum += weight;
            *squares += weight * weight;
        }
    }

    fn add(&mut self, class: Class, at: At, weight: f64) {
        self.count(class, at.block, weight);
        let has_time = matches!(class, Class::UserCpu | Class::SystemCpu | Class::Blocked);
        if let Some(request) = at.request.filter(|_| has_time) {
            *self.spent_by_request.at(request, || 0.0) += weight;
        }
        match class {
            Class::UserCpu | Class::SystemCpu => self.cpu_ns[at.group] += weight,
            Class::Blocked => {
                self.blocked_ns[at.group] += weight;
                self.blocked_by_reason[at.reason as usize] += weight;
                *self.blocked_by_file.at(at.file, || 0.0) += weight;
            }
            Class::Alloc => {
                self.alloc_bytes[at.group] += weight;
                *self.alloc_by_class.at(at.class_of_objects, || 0.0) += weight;
            }
            Class::Fault | Class::Other => {}
        }
    }
}
