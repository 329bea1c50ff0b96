//! Passes over the samples: the first adds up by stack and by thread group, the second looks closer at few candidates.
//!
//! An experiment can have a hundred million samples, and stacks of a hundred thousand candidates. So the first pass
//! writes to one number a sample, and what candidates have is added up from stacks; when conditions and sizes have left a
//! few, the second pass tells their thread groups, blocks of time and reasons apart.

use super::candidates::Candidate;
use super::detector::{Detector, Measure};
use super::matching::{Family, Matches, NONE};
use super::work::{NO_GROUP, WorkThreads};
use crate::Profile;
use crate::filter::Predicate;
use crate::samples::{SampleKind, Samples};
use crate::weights::for_each_kept;
use whittle_model::{CpuMode, EventKind, WaitReason, WeightColumn};

/// Blocks of time that shares are compared between.
pub(crate) const BLOCK_COUNT: usize = 20;

/// What a sample is for findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    UserCpu,
    SystemCpu,
    Blocked,
    Alloc,
    Lock,
    Fault,
    Other,
}

impl Class {
    fn of(kind: SampleKind) -> Self {
        match (kind.event, kind.mode, kind.reason) {
            (EventKind::Cpu, CpuMode::System, _) => Self::SystemCpu,
            (EventKind::Cpu, ..) => Self::UserCpu,
            // Waiting for a CPU is the machine's doing, not the code's.
            (EventKind::OffCpu, _, WaitReason::RunQueue | WaitReason::Preemption) => Self::Other,
            (EventKind::OffCpu, ..) => Self::Blocked,
            (EventKind::Alloc, ..) => Self::Alloc,
            (EventKind::Lock, ..) => Self::Lock,
            (EventKind::PageFault, ..) => Self::Fault,
            _ => Self::Other,
        }
    }
}

impl Class {
    /// Which blocks count it.
    fn blocks(self) -> Option<usize> {
        match self {
            Self::UserCpu | Self::SystemCpu => Some(CPU_BLOCKS),
            Self::Blocked => Some(BLOCKED_BLOCKS),
            Self::Alloc => Some(2),
            Self::Lock => Some(3),
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
    /// Time blocked by thread group, nanoseconds.
    pub(crate) blocked_ns: Vec<f64>,
    /// Bytes allocated by thread group.
    pub(crate) alloc_bytes: Vec<f64>,
    /// Time waited for Java locks by thread group, nanoseconds.
    pub(crate) lock_ns: Vec<f64>,
    /// Samples of CPU, of blocked threads, of allocations and of locks, by block of time.
    pub(crate) blocks: [[f64; BLOCK_COUNT]; 4],
    /// By reason, time blocked.
    pub(crate) blocked_by_reason: [f64; WaitReason::ALL.len()],
}

impl Amounts {
    fn new(groups: usize) -> Self {
        let zeros = || vec![0.0; groups];
        Self { cpu_ns: zeros(), blocked_ns: zeros(), alloc_bytes: zeros(), lock_ns: zeros(), ..Self::default() }
    }

    /// A measure, by thread group.
    pub(crate) fn measure(&self, measure: Measure) -> Vec<f64> {
        let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect();
        match measure {
            Measure::Cpu => self.cpu_ns.clone(),
            Measure::Elapsed => sum(&self.cpu_ns, &self.blocked_ns),
            Measure::LockWait => self.lock_ns.clone(),
            Measure::AllocBytes => self.alloc_bytes.clone(),
        }
    }

    /// Number of samples of a measure, by block of time.
    pub(crate) fn measure_blocks(&self, measure: Measure) -> [f64; BLOCK_COUNT] {
        match measure {
            Measure::Cpu => self.blocks[CPU_BLOCKS],
            Measure::Elapsed => {
                std::array::from_fn(|block| self.blocks[CPU_BLOCKS][block] + self.blocks[BLOCKED_BLOCKS][block])
            }
            Measure::AllocBytes => self.blocks[2],
            Measure::LockWait => self.blocks[3],
        }
    }
}

/// What one stack, or one candidate, has of each event.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Totals {
    pub(crate) user_ns: f64,
    pub(crate) system_ns: f64,
    pub(crate) blocked_ns: f64,
    pub(crate) alloc_bytes: f64,
    pub(crate) alloc_objects: f64,
    pub(crate) lock_ns: f64,
    pub(crate) faults: f64,
}

impl Totals {
    /// CPU time in any mode.
    pub(crate) fn cpu_ns(&self) -> f64 {
        self.user_ns + self.system_ns
    }

    /// A measure.
    pub(crate) fn measure(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Cpu => self.cpu_ns(),
            Measure::Elapsed => self.cpu_ns() + self.blocked_ns,
            Measure::LockWait => self.lock_ns,
            Measure::AllocBytes => self.alloc_bytes,
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.user_ns += other.user_ns;
        self.system_ns += other.system_ns;
        self.blocked_ns += other.blocked_ns;
        self.alloc_bytes += other.alloc_bytes;
        self.alloc_objects += other.alloc_objects;
        self.lock_ns += other.lock_ns;
        self.faults += other.faults;
    }
}

/// Sums of the first pass.
#[derive(Debug)]
pub(crate) struct Sums {
    /// Of all work threads.
    pub(crate) all: Amounts,
    /// The same in sum.
    pub(crate) total: Totals,
    /// CPU samples of work threads.
    pub(crate) samples_count: u64,
    /// CPU time of all threads, those of the JVM too.
    pub(crate) process_cpu_ns: f64,
    /// By observed stack, CPU time of work threads.
    pub(crate) cpu_by_stack: Vec<f64>,
    /// By observed stack: CPU time in the kernel, blocked, bytes, objects, lock waits, faults.
    other_by_stack: [Vec<f64>; 6],
}

/// Which samples are added up.
#[derive(Clone, Copy)]
pub(crate) struct Selected<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) work: &'a WorkThreads,
    /// Missing: all.
    pub(crate) predicate: Option<&'a Predicate>,
    /// For each observed stack, whether the application stands on it: a thread of a pool that waits for work is idle.
    pub(crate) has_application: &'a [bool],
}

impl Sums {
    /// The first pass.
    pub(crate) fn new(selected: &Selected<'_>) -> Self {
        let stacks = selected.profile.observed_stacks().len();
        let mut sums = Self {
            all: Amounts::new(selected.work.names.len()),
            total: Totals::default(),
            samples_count: 0,
            process_cpu_ns: selected.process_cpu_ns(),
            cpu_by_stack: vec![0.0; stacks],
            other_by_stack: std::array::from_fn(|_| Vec::new()),
        };
        selected.for_each(|class, at, weight| {
            add_to(&mut sums.all, class, at, weight);
            let column = match class {
                Class::UserCpu | Class::SystemCpu => {
                    sums.cpu_by_stack[at.observed] += weight;
                    sums.samples_count += 1;
                    if class == Class::UserCpu {
                        return;
                    }
                    0
                }
                Class::Blocked => 1,
                Class::Alloc => {
                    add_at(&mut sums.other_by_stack[3], stacks, at.observed, at.count as f64);
                    2
                }
                Class::Lock => 4,
                Class::Fault => 5,
                Class::Other => return,
            };
            add_at(&mut sums.other_by_stack[column], stacks, at.observed, weight);
        });
        sums.total = (0..stacks).fold(Totals::default(), |mut total, observed| {
            total.add(&sums.of_stack(observed));
            total
        });
        sums
    }

    /// What an observed stack has.
    pub(crate) fn of_stack(&self, observed: usize) -> Totals {
        let other = |column: usize| self.other_by_stack[column].get(observed).copied().unwrap_or(0.0);
        let system_ns = other(0);
        Totals {
            user_ns: self.cpu_by_stack[observed] - system_ns,
            system_ns,
            blocked_ns: other(1),
            alloc_bytes: other(2),
            alloc_objects: other(3),
            lock_ns: other(4),
            faults: other(5),
        }
    }
}

/// Adds to a column that is made when something is in it.
fn add_at(column: &mut Vec<f64>, length: usize, position: usize, weight: f64) {
    if column.is_empty() {
        column.resize(length, 0.0);
    }
    column[position] += weight;
}

impl Selected<'_> {
    /// Calls `add` for each sample of the work threads that counts.
    fn for_each(&self, mut add: impl FnMut(Class, At, f64)) {
        let (samples, work): (&Samples, _) = (self.profile.samples(), self.work);
        let kinds: Vec<(Class, WaitReason)> = SampleKind::all().map(|kind| (Class::of(kind), kind.reason)).collect();
        let columns = [WeightColumn::DurationNs, WeightColumn::Bytes, WeightColumn::Count];
        let [durations, bytes, counts] = columns.map(|column| samples.column(column));
        let mut blocks = Blocks::new(work);
        for_each_kept(samples, self.predicate, |sample| {
            let (class, reason) = kinds[usize::from(samples.kind[sample])];
            let group = work.group_of_thread[samples.thread[sample].row()];
            let observed = samples.observed[sample] as usize;
            if group == NO_GROUP
                || class == Class::Other
                || (class == Class::Blocked && !self.has_application[observed])
            {
                return;
            }
            let (weight, count) = match class {
                Class::Alloc => (bytes[sample], counts[sample]),
                Class::Fault => (counts[sample], counts[sample]),
                _ => (durations[sample], 1),
            };
            let block = blocks.of(samples.time_ns[sample]);
            add(class, At { observed, group: usize::from(group), block, reason, count }, weight as f64);
        });
    }

    /// CPU time of all threads in the time that counts, from the threads' sums; those of a filter are not told apart.
    fn process_cpu_ns(&self) -> f64 {
        let profile = self.profile;
        let Some(cpu) = profile.manifest().metrics.iter().position(|metric| metric.name == "cpu") else { return 0.0 };
        let all: f64 = profile.all_weights().by_thread[cpu].iter().sum();
        all * self.work.seconds() * 1e9 / profile.end_ns() as f64
    }

    /// The second pass: the amounts of few candidates. For each family and observed stack, the number of its candidate among
    /// them, or [`NONE`].
    pub(crate) fn details(&self, number_of: &[Vec<u32>; 3], count: usize) -> Vec<Amounts> {
        let mut amounts = vec![Amounts::new(self.work.names.len()); count];
        let is_wanted: Vec<bool> =
            (0..self.has_application.len()).map(|observed| number_of.iter().any(|of| of[observed] != NONE)).collect();
        self.for_each(|class, at, weight| {
            if !is_wanted[at.observed] {
                return;
            }
            for family in class.families() {
                if let Some(amounts) = amounts.get_mut(number_of[*family as usize][at.observed] as usize) {
                    add_to(amounts, class, at, weight);
                }
            }
        });
        amounts
    }
}

impl Class {
    /// The families whose candidates it counts for: its own first; what a candidate of another family has of it supports that one.
    fn families(self) -> &'static [Family] {
        match self {
            Self::Alloc => &[Family::Alloc, Family::Time],
            Self::Lock => &[Family::Lock],
            Self::UserCpu | Self::SystemCpu => &[Family::Time, Family::Alloc, Family::Lock],
            Self::Blocked | Self::Fault | Self::Other => &[Family::Time],
        }
    }
}

/// What each candidate has, by the owners of stacks; and each place of its detector's measure.
pub(crate) fn candidate_totals(sums: &Sums, owners: &Owners<'_>) -> (Vec<Totals>, Vec<f64>) {
    let mut totals = vec![Totals::default(); owners.candidates.len()];
    let mut places = vec![0.0; owners.matches.places.len()];
    for family in Family::ALL {
        for (observed, place) in owners.matches.owners(family).iter().enumerate().filter(|(_, place)| **place != NONE) {
            let (of_stack, candidate) = (sums.of_stack(observed), owners.candidate_of_place[*place as usize] as usize);
            let counted = match family {
                Family::Time => Totals { lock_ns: 0.0, ..of_stack },
                Family::Alloc => Totals { blocked_ns: 0.0, lock_ns: 0.0, faults: 0.0, ..of_stack },
                Family::Lock => {
                    Totals { blocked_ns: 0.0, alloc_bytes: 0.0, alloc_objects: 0.0, faults: 0.0, ..of_stack }
                }
            };
            totals[candidate].add(&counted);
            places[*place as usize] += counted.measure(Detector::all()[owners.candidates[candidate].detector].measure);
        }
    }
    (totals, places)
}

/// Whose each place is.
#[derive(Clone, Copy)]
pub(crate) struct Owners<'a> {
    pub(crate) matches: &'a Matches,
    pub(crate) candidates: &'a [Candidate],
    /// Candidate of each place.
    pub(crate) candidate_of_place: &'a [u32],
}

/// Blocks of time, looked up; samples of one block mostly follow one another.
struct Blocks {
    from_ns: u64,
    length_ns: u64,
    /// The block of the last sample, and its start.
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

/// Where a sample belongs.
#[derive(Clone, Copy)]
struct At {
    observed: usize,
    group: usize,
    block: usize,
    reason: WaitReason,
    /// Number of things that the sample stands for.
    count: u64,
}

fn add_to(sums: &mut Amounts, class: Class, at: At, weight: f64) {
    if let Some(blocks) = class.blocks() {
        sums.blocks[blocks][at.block] += 1.0;
    }
    match class {
        Class::UserCpu | Class::SystemCpu => sums.cpu_ns[at.group] += weight,
        Class::Blocked => {
            sums.blocked_ns[at.group] += weight;
            sums.blocked_by_reason[at.reason as usize] += weight;
        }
        Class::Alloc => sums.alloc_bytes[at.group] += weight,
        Class::Lock => sums.lock_ns[at.group] += weight,
        Class::Fault | Class::Other => {}
    }
}
