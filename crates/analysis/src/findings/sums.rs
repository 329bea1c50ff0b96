//! One pass over the samples: what each finding, thread group and stack has of each event.

use super::detector::Measure;
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
    /// Objects allocated.
    pub(crate) alloc_objects: f64,
    /// Time waited for Java locks by thread group, nanoseconds.
    pub(crate) lock_ns: Vec<f64>,
    /// CPU time in the kernel.
    pub(crate) system_ns: f64,
    /// CPU time whose mode is known.
    pub(crate) split_ns: f64,
    /// Page faults.
    pub(crate) faults: f64,
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

/// Sums over the samples that count.
#[derive(Debug)]
pub(crate) struct Sums {
    /// Of all work threads.
    pub(crate) all: Amounts,
    /// By finding.
    pub(crate) findings: Vec<Amounts>,
    /// By place, the weight of its finding's own event.
    pub(crate) places: Vec<f64>,
    /// By observed stack, CPU time of work threads.
    pub(crate) cpu_by_stack: Vec<f64>,
    /// CPU samples of work threads.
    pub(crate) samples_count: u64,
    /// CPU time of all threads, those of the JVM too.
    pub(crate) process_cpu_ns: f64,
}

/// Whose each place is.
pub(crate) struct Owners<'a> {
    pub(crate) matches: &'a Matches,
    /// Finding of each place.
    pub(crate) finding_of_place: &'a [u32],
    /// Number of findings.
    pub(crate) finding_count: usize,
}

impl Owners<'_> {
    /// For each observed stack, whether the application stands on it: a thread of a pool that waits for work is idle.
    fn has_application(&self, profile: &Profile) -> Vec<bool> {
        let application = &self.matches.application;
        profile.observed_stacks().iter().map(|stack| application[stack.row()] != NONE).collect()
    }
}

impl Sums {
    /// Adds up the samples of the work threads that a predicate keeps.
    pub(crate) fn new(profile: &Profile, work: &WorkThreads, owners: &Owners<'_>, predicate: &Predicate) -> Self {
        let samples: &Samples = profile.samples();
        let groups = work.names.len();
        let mut adding = Adding {
            sums: Self {
                all: Amounts::new(groups),
                findings: vec![Amounts::new(groups); owners.finding_count],
                places: vec![0.0; owners.matches.places.len()],
                cpu_by_stack: vec![0.0; profile.observed_stacks().len()],
                samples_count: 0,
                process_cpu_ns: 0.0,
            },
            owners,
            by_family: Family::ALL.map(|family| owners.matches.owners(family)),
        };
        let has_application = owners.has_application(profile);
        let classes: Vec<Class> = SampleKind::all().map(Class::of).collect();
        let columns = [WeightColumn::DurationNs, WeightColumn::Bytes, WeightColumn::Count];
        let [durations, bytes, counts] = columns.map(|column| samples.column(column));
        let blocks_per_ns = BLOCK_COUNT as f64 / (work.to_ns - work.from_ns).max(1) as f64;
        for_each_kept(samples, Some(predicate), |sample| {
            let class = classes[usize::from(samples.kind[sample])];
            let group = work.group_of_thread[samples.thread[sample].row()];
            if matches!(class, Class::UserCpu | Class::SystemCpu) {
                adding.sums.process_cpu_ns += durations[sample] as f64;
            }
            let is_idle = class == Class::Blocked && !has_application[samples.observed[sample] as usize];
            if group == NO_GROUP || class == Class::Other || is_idle {
                return;
            }
            let weight = match class {
                Class::Alloc => bytes[sample],
                Class::Fault => counts[sample],
                _ => durations[sample],
            };
            let since = samples.time_ns[sample].saturating_sub(work.from_ns) as f64;
            let block = ((since * blocks_per_ns) as usize).min(BLOCK_COUNT - 1);
            let reason = SampleKind::of_index(usize::from(samples.kind[sample])).reason;
            adding.add(
                class,
                Place {
                    observed: samples.observed[sample] as usize,
                    group: usize::from(group),
                    block,
                    reason,
                    count: counts[sample],
                },
                weight as f64,
            );
        });
        adding.sums
    }
}

/// Where a sample belongs.
#[derive(Clone, Copy)]
struct Place {
    observed: usize,
    group: usize,
    block: usize,
    reason: WaitReason,
    /// Number of things that the sample stands for.
    count: u64,
}

struct Adding<'a> {
    sums: Sums,
    owners: &'a Owners<'a>,
    by_family: [&'a [u32]; 3],
}

impl Adding<'_> {
    fn add(&mut self, class: Class, at: Place, weight: f64) {
        add_to(&mut self.sums.all, class, at, weight);
        if matches!(class, Class::UserCpu | Class::SystemCpu) {
            self.sums.cpu_by_stack[at.observed] += weight;
            self.sums.samples_count += 1;
        }
        let own = match class {
            Class::Alloc => Family::Alloc,
            Class::Lock => Family::Lock,
            _ => Family::Time,
        };
        // What a finding of another family has of this event supports it, whoever owns it.
        let supported = match class {
            Class::Alloc => &[Family::Time][..],
            Class::UserCpu | Class::SystemCpu => &[Family::Alloc, Family::Lock][..],
            _ => &[][..],
        };
        for family in std::iter::once(&own).chain(supported) {
            let place = self.by_family[*family as usize][at.observed];
            if place == NONE {
                continue;
            }
            let finding = &mut self.sums.findings[self.owners.finding_of_place[place as usize] as usize];
            add_to(finding, class, at, weight);
            if *family == own && class != Class::Fault {
                self.sums.places[place as usize] += weight;
            }
        }
    }
}

fn add_to(sums: &mut Amounts, class: Class, at: Place, weight: f64) {
    if let Some(blocks) = class.blocks() {
        sums.blocks[blocks][at.block] += 1.0;
    }
    match class {
        Class::UserCpu | Class::SystemCpu => {
            sums.cpu_ns[at.group] += weight;
            sums.split_ns += weight;
            if class == Class::SystemCpu {
                sums.system_ns += weight;
            }
        }
        Class::Blocked => {
            sums.blocked_ns[at.group] += weight;
            sums.blocked_by_reason[at.reason as usize] += weight;
        }
        Class::Alloc => {
            sums.alloc_bytes[at.group] += weight;
            sums.alloc_objects += at.count as f64;
        }
        Class::Lock => sums.lock_ns[at.group] += weight,
        Class::Fault => sums.faults += weight,
        Class::Other => {}
    }
}
