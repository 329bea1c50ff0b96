//! The names of thread states: executing, waiting for a CPU, waiting for something.

use whittle_model::{CpuMode, Resource, ThreadState, WaitReason};
use whittle_profile::samples::SampleKind;

/// The sum to which a state's time is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StateGroup {
    /// The thread executed.
    Cpu,
    /// The thread could execute, or its state is unknown.
    Other,
    /// The thread waited for something other than a CPU.
    Blocked,
}

/// The names and groups of all states, in drawing order.
pub(crate) const STATES: [(&str, StateGroup); 19] = [
    ("user", StateGroup::Cpu),
    ("system", StateGroup::Cpu),
    // Executing, in an unknown mode.
    ("cpu", StateGroup::Cpu),
    ("run_queue", StateGroup::Other),
    ("preemption", StateGroup::Other),
    ("quota", StateGroup::Other),
    ("futex", StateGroup::Blocked),
    ("socket", StateGroup::Blocked),
    ("pipe", StateGroup::Blocked),
    ("poll", StateGroup::Blocked),
    ("file", StateGroup::Blocked),
    ("sleep", StateGroup::Blocked),
    ("page_fault", StateGroup::Blocked),
    ("memory_limit", StateGroup::Blocked),
    ("stopped", StateGroup::Blocked),
    ("other", StateGroup::Blocked),
    // A wait for a Java lock, if no other event shows that the thread was blocked.
    ("lock", StateGroup::Blocked),
    // The thread was observed, executing or not.
    ("wall", StateGroup::Other),
    // A thread of a pool, or an event loop, waits for work.
    ("idle", StateGroup::Other),
];

/// Number of the state `idle`.
pub(crate) const IDLE: usize = 18;

fn numbered(name: &str) -> usize {
    STATES.iter().position(|(known, _)| *known == name).unwrap_or(OTHER)
}

/// Number of the state `other`.
const OTHER: usize = 15;

/// The state of a span of the kernel's record.
pub(crate) fn of_span(state: ThreadState, reason: WaitReason) -> usize {
    match state {
        ThreadState::OnCpuUser => 0,
        ThreadState::OnCpuSystem => 1,
        ThreadState::Runnable if matches!(reason, WaitReason::Preemption | WaitReason::Quota) => {
            numbered(reason.name())
        }
        ThreadState::Runnable => numbered("run_queue"),
        ThreadState::Blocked => numbered(reason.name()),
    }
}

/// The state of a sample. Missing if the sample has no duration.
pub(crate) fn of_sample(kind: SampleKind, has_waits: bool) -> Option<usize> {
    match (kind.event.resource(), kind.mode) {
        (Resource::CpuTime, CpuMode::User) => Some(0),
        (Resource::CpuTime, CpuMode::System) => Some(1),
        (Resource::CpuTime, CpuMode::Unknown) => Some(numbered("cpu")),
        (Resource::BlockedTime, _) => Some(numbered(kind.reason.name())),
        // A wait for a Java lock is already part of the futex waits.
        (Resource::LockTime, _) => (!has_waits).then(|| numbered("lock")),
        (Resource::ElapsedTime, _) => Some(numbered("wall")),
        (Resource::Heap | Resource::PageFaults | Resource::Nothing, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_state() {
        for reason in WaitReason::ALL {
            let (name, _) = STATES[of_span(ThreadState::Blocked, *reason)];
            let expected = if *reason == WaitReason::None { "other" } else { reason.name() };
            assert_eq!(name, expected);
        }
        assert_eq!((STATES[OTHER].0, STATES[IDLE].0), ("other", "idle"));
    }
}
