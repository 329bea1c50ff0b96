//! What a wait means. The kernel says how a thread sleeps: in a futex, in a poll. The stack says what it waits for: a
//! lock, a connection from a pool, the next job.
//!
//! ```text
//! Worker.run > ThreadPoolExecutor.getTask > LinkedBlockingQueue.take > … > park      idle
//! Shop.order > HikariPool.getConnection > ConcurrentBag.borrow > … > park            connection of a pool
//! Shop.order > ReentrantLock.lock > … > park                                         lock
//! ```
//!
//! A thread that waits for the result of a fork/join task executes other tasks meanwhile. What such a task waits for counts.
//!
//! The meaning is computed from the recorded stacks, so experiments of earlier versions gain from new rules.

mod meaning;
mod rules;

pub use meaning::WaitMeaning;
pub use rules::{RULES, Rule};

use crate::name_patterns::{NamePatterns, PatternId};
use whittle_model::{FrameKind, FunctionKind, LossReason, RequestKind, StackIndex, Tables, WaitReason};

/// What the stack of a wait says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackMeaning {
    /// A rule matches the stack.
    Known(WaitMeaning),
    /// No rule matches the stack. Only the kernel's reason is known.
    NoRule,
    /// The stack was not recorded, or not to its root.
    NoStack,
}

/// The meaning of a wait, from its stack and the kernel's reason. `None`: the thread does not wait.
pub fn meaning(stack: StackMeaning, reason: WaitReason) -> Option<WaitMeaning> {
    let by_reason = WaitMeaning::of_reason(reason)?;
    match stack {
        StackMeaning::Known(meaning) if !WaitMeaning::is_told_by_kernel(reason) => Some(meaning),
        _ => Some(by_reason),
    }
}

/// In this method a fork/join task begins. Frames nearer to the root do not wait: their thread executes the task.
const TASK: &str = "java/util/concurrent/ForkJoinTask.doExec";

/// Whether a method takes the next element of a queue.
///
/// The stack of a worker that waits for a task when the agent changes `ThreadPoolExecutor.getTask` ends at this method, because the profiler
/// cannot walk the old one. The other methods that the agent changes take nothing from a queue.
fn is_queue(internal_name: &str) -> bool {
    let (class, method) = internal_name.split('(').next().and_then(|name| name.rsplit_once('.')).unwrap_or_default();
    class.ends_with("Queue") && matches!(method, "take" | "poll")
}

/// What each of some stacks says about a wait.
pub fn meanings(tables: &Tables, stacks: &[StackIndex]) -> Vec<StackMeaning> {
    let names = RULES.iter().flat_map(|rule| rule.frames.iter().chain(rule.below).chain(rule.except)).copied();
    let names = NamePatterns::new(names, &tables.functions);
    let is_task: Vec<bool> = tables.functions.internal_name.iter().map(|name| name.starts_with(TASK)).collect();
    let rules: Vec<[Vec<PatternId>; 3]> =
        RULES.iter().map(|rule| [names.ids(rule.frames), names.ids(rule.below), names.ids(rule.except)]).collect();
    let is_instrumented = tables.requests.kind.iter().any(|kind| *kind != RequestKind::Http);
    let mut found: Vec<PatternId> = Vec::new();
    let meaning = |stack: &StackIndex| {
        found.clear();
        let (mut is_whole, mut is_in_task) = (stack.row() != 0, false);
        let (mut last, mut takes_task) = (None, false);
        let rows = std::iter::successors(Some(*stack), |row| Some(tables.stacks.parent[row.row()]));
        // The names near the leaf come first.
        for row in rows.take_while(|row| row.row() != 0) {
            let frame = tables.stacks.frame[row.row()].row();
            is_whole &= tables.frames.kind[frame] != FrameKind::Truncated;
            let function = tables.frames.function[frame].row();
            takes_task |= is_instrumented
                && tables.frames.reason[frame] == LossReason::UnwalkableJava
                && last.is_some_and(|last: usize| is_queue(&tables.functions.internal_name[last]));
            // Adapters of the JVM can be between two Java methods.
            if tables.functions.kind[function] == FunctionKind::Java {
                last = Some(function);
            }
            is_in_task |= is_task[function];
            if !is_in_task {
                found.extend(names.of(function));
            }
        }
        let rule = rules.iter().position(|rule| !found.is_empty() && matches(rule, &found));
        match rule {
            _ if takes_task => StackMeaning::Known(WaitMeaning::Idle),
            Some(rule) => StackMeaning::Known(RULES[rule].meaning),
            None if is_whole => StackMeaning::NoRule,
            None => StackMeaning::NoStack,
        }
    };
    stacks.iter().map(meaning).collect()
}

/// Whether names on a stack match a rule. The names near the leaf come first.
fn matches([frames, below, except]: &[Vec<PatternId>; 3], found: &[PatternId]) -> bool {
    if found.iter().any(|id| except.contains(id)) {
        return false;
    }
    let outer = found.iter().rposition(|id| frames.contains(id));
    outer.is_some_and(|outer| below.is_empty() || found[..outer].iter().any(|id| below.contains(id)))
}
