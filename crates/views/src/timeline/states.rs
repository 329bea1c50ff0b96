//! What threads did, by name: executing, waiting for a CPU, waiting for something.

use crate::samples::SampleKind;
use whittle_model::{CpuMode, EventKind, ThreadState, WaitReason};

/// What a state is for a thread's sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StateGroup {
    /// It executed.
    Cpu,
    /// It was able to execute, or nothing more is known.
    Other,
    /// It waited for something other than a CPU.
    Blocked,
}

/// All states, in the order in which they are drawn: names and groups.
pub(crate) const STATES: [(&str, StateGroup); 15] = [
    ("user", StateGroup::Cpu),
    ("system", StateGroup::Cpu),
    // Executing, in which mode is not known.
    ("cpu", StateGroup::Cpu),
    ("run_queue", StateGroup::Other),
    ("preemption", StateGroup::Other),
    ("futex", StateGroup::Blocked),
    ("socket", StateGroup::Blocked),
    ("pipe", StateGroup::Blocked),
    ("poll", StateGroup::Blocked),
    ("file", StateGroup::Blocked),
    ("sleep", StateGroup::Blocked),
    ("page_fault", StateGroup::Blocked),
    ("other", StateGroup::Blocked),
    // A Java lock, where nothing else tells that the thread was blocked.
    ("lock", StateGroup::Blocked),
    // Looked at, executing or not.
    ("wall", StateGroup::Other),
];

fn numbered(name: &str) -> usize {
    STATES.iter().position(|(known, _)| *known == name).unwrap_or(OTHER)
}

/// Number of the state `other`.
const OTHER: usize = 12;

/// The state of a span of the kernel's account.
pub(crate) fn of_span(state: ThreadState, reason: WaitReason) -> usize {
    match state {
        ThreadState::OnCpuUser => 0,
        ThreadState::OnCpuSystem => 1,
        ThreadState::Runnable if reason == WaitReason::Preemption => numbered("preemption"),
        ThreadState::Runnable => numbered("run_queue"),
        ThreadState::Blocked => numbered(reason.name()),
    }
}

/// The state that a sample tells of; missing if it does not tell how long anything took.
pub(crate) fn of_sample(kind: SampleKind, has_waits: bool) -> Option<usize> {
    match (kind.event, kind.mode) {
        (EventKind::Cpu, CpuMode::User) => Some(0),
        (EventKind::Cpu, CpuMode::System) => Some(1),
        (EventKind::Cpu, CpuMode::Unknown) => Some(numbered("cpu")),
        (EventKind::OffCpu, _) => Some(numbered(kind.reason.name())),
        // A wait for a Java lock is a futex wait already.
        (EventKind::Lock, _) if !has_waits => Some(numbered("lock")),
        (EventKind::Wall, _) => Some(numbered("wall")),
        _ => None,
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
        assert_eq!(STATES[OTHER].0, "other");
    }
}
