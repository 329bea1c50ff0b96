//! The meaning of a sample: its event and weight columns.
//!
//! Observations of different kinds are never mixed. async-profiler's execution samples and the JDK's CPU time samples
//! represent CPU time. The JDK's execution samples are a separate kind, because the JDK samples only a few threads at a
//! time.

use super::clock::ChunkClock;
use super::events::{EventReader, EventType, sample};
use super::layout::Slots;
use super::metadata::TimeUnit;
use super::pools::Pools;
use super::recording::{ExecutionMeaning, LeftOut};
use whittle_model::{EventKind, Observed, WaitReason};

/// Classes that represent locks. A thread that is parked on an object of another class waits for a condition or a
/// queue, or sleeps. async-profiler records only waits for the classes in this list.
const LOCK_CLASSES: [&str; 3] = [
    "java/util/concurrent/locks/ReentrantLock",
    "java/util/concurrent/locks/ReentrantReadWriteLock",
    "java/util/concurrent/Semaphore",
];

/// async-profiler's number for the state of a sleeping thread. Unfinished chunks have no names of states.
const SLEEPING: u64 = 2;

/// The weight columns of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Weight {
    pub(crate) event: EventKind,
    /// True if user and system mode are known.
    pub(crate) has_mode: bool,
    /// False for allocated objects of unknown size. Then `count` has no meaning.
    pub(crate) has_count: bool,
    pub(crate) count: u64,
    pub(crate) duration_ns: u64,
    pub(crate) bytes: u64,
}

impl Weight {
    fn of(event: EventKind) -> Self {
        Self { event, has_mode: false, has_count: true, count: 1, duration_ns: 0, bytes: 0 }
    }

    /// An allocation of `bytes` in objects of `object_bytes` each. If `object_bytes` is 0, the size of an object is
    /// unknown.
    fn of_objects(bytes: u64, object_bytes: u64) -> Self {
        // The addition must not overflow, because corrupt input can contain any size.
        let rounded = bytes
            .checked_div(object_bytes)
            .map(|whole| whole.saturating_add(u64::from(bytes % object_bytes >= object_bytes.div_ceil(2))));
        let (has_count, count) = (rounded.is_some(), rounded.unwrap_or(1).max(1));
        Self { bytes, has_count, count, ..Self::of(EventKind::Alloc) }
    }

    /// The properties that determine the recording's metrics. Only CPU samples can have an unknown time.
    #[inline]
    pub(crate) fn observed(&self) -> Observed {
        Observed {
            event: self.event,
            has_weight: self.event != EventKind::Cpu || self.duration_ns > 0,
            has_mode: self.has_mode,
            has_count: self.has_count,
            reason: WaitReason::None,
        }
    }
}

/// How samples of a chunk are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weighing {
    AsyncProfiler {
        execution: ExecutionMeaning,
        wall_interval_ns: u64,
        /// See [`JfrOptions::sleeping_is_waiting`](super::options::JfrOptions::sleeping_is_waiting).
        sleeping_is_waiting: bool,
    },
    Jdk {
        /// True if allocations are sampled. Then samples of allocated buffers would count the allocations twice.
        has_allocation_samples: bool,
    },
}

impl Default for Weighing {
    fn default() -> Self {
        Self::Jdk { has_allocation_samples: false }
    }
}

impl Weighing {
    /// The weight of a sample, or why the sample is left out.
    pub(crate) fn weigh(
        &self,
        reader: &EventReader,
        slots: &Slots,
        (clock, pools): (&ChunkClock, &Pools<'_>),
    ) -> Result<Weight, LeftOut> {
        let amount = slots[sample::AMOUNT];
        let amount_ns = || match reader.amount_unit {
            Some(TimeUnit::Nanos(nanos)) => amount.saturating_mul(nanos),
            Some(TimeUnit::Ticks) | None => clock.duration_ns(amount),
        };
        Ok(match reader.event_type {
            EventType::ExecutionSample => self.weigh_execution()?,
            EventType::CpuTimeSample => Weight { duration_ns: amount_ns(), ..Weight::of(EventKind::Cpu) },
            EventType::WallClockSample => self.weigh_look(amount, slots[sample::STATE])?,
            EventType::AllocationInNewTlab | EventType::AllocationOutsideTlab if self.has_allocation_samples() => {
                return Err(LeftOut::AllocationCountedTwice);
            }
            EventType::AllocationInNewTlab => Weight::of_objects(amount, slots[sample::OBJECT_SIZE]),
            EventType::AllocationOutsideTlab => Weight { bytes: amount, ..Weight::of(EventKind::Alloc) },
            EventType::AllocationSample => Weight::of_objects(amount, 0),
            EventType::ThreadPark if !is_parked_on_lock(slots, pools) => return Err(LeftOut::ParkedNotOnLock),
            EventType::MonitorEnter | EventType::ThreadPark => {
                Weight { duration_ns: amount_ns(), ..Weight::of(EventKind::Lock) }
            }
            _ => Weight::of(EventKind::JavaSample),
        })
    }

    fn weigh_execution(&self) -> Result<Weight, LeftOut> {
        match self {
            Self::Jdk { .. } => Ok(Weight::of(EventKind::JavaSample)),
            Self::AsyncProfiler { execution: ExecutionMeaning::OtherEvent, .. } => Err(LeftOut::OtherPerfEvent),
            Self::AsyncProfiler { execution: ExecutionMeaning::Cpu { weight_ns, sees_kernel }, .. } => {
                Ok(Weight { duration_ns: *weight_ns, has_mode: *sees_kernel, ..Weight::of(EventKind::Cpu) })
            }
        }
    }

    /// A wall clock sample represents one observation of a thread. If the thread was idle, the sample can represent
    /// many observations.
    fn weigh_look(&self, looks: u64, state: u64) -> Result<Weight, LeftOut> {
        let (interval_ns, sleeping_is_waiting) = match self {
            Self::AsyncProfiler { wall_interval_ns, sleeping_is_waiting, .. } => {
                (*wall_interval_ns, *sleeping_is_waiting)
            }
            Self::Jdk { .. } => (0, false),
        };
        let count = looks.max(1);
        let duration_ns = count.saturating_mul(interval_ns);
        match (sleeping_is_waiting, state) {
            (false, _) => Ok(Weight { count, duration_ns, ..Weight::of(EventKind::Wall) }),
            // The observations are of one wait, because the thread used no CPU time between them.
            (true, SLEEPING) => Ok(Weight { duration_ns, ..Weight::of(EventKind::OffCpu) }),
            (true, _) => Err(LeftOut::NotSleeping),
        }
    }

    fn has_allocation_samples(&self) -> bool {
        matches!(self, Self::Jdk { has_allocation_samples: true })
    }
}

fn is_parked_on_lock(slots: &Slots, pools: &Pools<'_>) -> bool {
    let class = pools.class_name(slots[sample::PARKED_CLASS]);
    class.is_some_and(|class| LOCK_CLASSES.iter().any(|lock| class.starts_with(lock)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_counted_by_their_size() {
        for (bytes, object_bytes, count) in [
            (524_288, 24, 21_845),
            (524_288, 524_288, 1),
            (40, 16, 3),
            (39, 16, 2),
            (0, 16, 1),
            (u64::MAX, 1, u64::MAX),
        ] {
            let weight = Weight::of_objects(bytes, object_bytes);
            assert_eq!(
                (weight.bytes, weight.count, weight.has_count),
                (bytes, count, true),
                "{bytes} / {object_bytes}"
            );
        }
        let weight = Weight::of_objects(524_288, 0);
        assert_eq!((weight.count, weight.has_count), (1, false), "without the object's size there is nothing to count");
    }
}
