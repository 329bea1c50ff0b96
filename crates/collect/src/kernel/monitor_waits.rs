//! Waits of virtual threads for monitors, from JDK 24 on.
//!
//! Such a thread leaves its carrier inside the JVM, so neither the kernel nor the agent sees its stack. But the profiler reports each
//! wait for a Java lock of a millisecond or more. A wait is made from its sample, which has got its length from `virtual_returns.rs`:
//!
//! ```text
//! lock       10 ms, 20 ms long    VirtualThread.run … Checkout.pay, ThawBase::handle_preempted_continuation, …
//! off_cpu    30 ms, 20 ms long    VirtualThread.run … Checkout.pay, ObjectMonitor::enter
//! ```
//!
//! The JVM has often restored only the innermost frames of the virtual thread when it reports the wait. Then the outermost frame is the stub
//! that restores the others.

use crate::monitor_frame::monitor_frame;
use whittle_model::{EventKind, FunctionKind, Sample, StackIndex, TableBuilder, Tables, WaitReason};

/// The method that each virtual thread executes.
const RUN: &str = "java/lang/VirtualThread.run";

/// Where only virtual threads are: the JVM's function that ends such a wait, and the stub that restores their outer frames.
const RESTORED: [&str; 2] = ["ThawBase::handle_preempted_continuation", "cont_returnBarrier"];

/// Where threads wait for the locks of `java.util.concurrent`. The agent sees these waits.
const PARK: &str = "jdk/internal/misc/Unsafe.park";

/// Whether the stack is that of a virtual thread.
pub(super) fn is_of_virtual_thread(tables: &Tables, stack: StackIndex) -> bool {
    has_frame(tables, stack, &[RUN])
}

/// Whether a virtual thread waited for a monitor.
pub(super) fn is_monitor_wait(tables: &Tables, sample: &Sample) -> bool {
    let has = |names: &[&str]| has_frame(tables, sample.stack, names);
    sample.event == EventKind::Lock && (has(&[RUN]) || has(&RESTORED)) && !has(&[PARK])
}

/// The wait of a sample for which [`is_monitor_wait`] is true. A wait has the time of its end. The profiler's sample has the JVM's
/// frames of the end of the wait.
pub(super) fn monitor_wait(sample: &Sample, builder: &mut TableBuilder) -> Sample {
    let frame = monitor_frame(builder);
    let waiting = java_part(builder.tables(), sample.stack);
    let (time_ns, stack) = (sample.time_ns + sample.duration_ns, builder.child(waiting, frame));
    let wait = Sample::new(time_ns, sample.thread, stack, EventKind::OffCpu);
    Sample { duration_ns: sample.duration_ns, reason: WaitReason::Futex, ..wait }
}

/// The stack without the frames above its innermost Java frame.
fn java_part(tables: &Tables, stack: StackIndex) -> StackIndex {
    let is_java = |row: &StackIndex| tables.functions.kind[function_of(tables, *row)] == FunctionKind::Java;
    rows(tables, stack).find(is_java).unwrap_or(StackIndex::ROOT)
}

/// Whether a function of the stack has a name that begins with one of `names`.
fn has_frame(tables: &Tables, stack: StackIndex, names: &[&str]) -> bool {
    rows(tables, stack).any(|row| {
        let of_row = &tables.functions.internal_name[function_of(tables, row)];
        names.iter().any(|name| of_row.starts_with(name))
    })
}

/// The rows of the stack's frames, from the innermost outwards.
fn rows(tables: &Tables, stack: StackIndex) -> impl Iterator<Item = StackIndex> {
    let rows = std::iter::successors(Some(stack), |row| Some(tables.stacks.parent[row.row()]));
    rows.take_while(|row| row.row() != 0)
}

fn function_of(tables: &Tables, row: StackIndex) -> usize {
    tables.frames.function[tables.stacks.frame[row.row()].row()].row()
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::{BinaryIndex, FrameKind, NewFrame, NewFunction, ThreadIndex};

    /// A stack with these functions, outermost first. Names of Java methods have a `/`.
    fn stack(functions: &[&str], builder: &mut TableBuilder) -> StackIndex {
        functions.iter().fold(StackIndex::ROOT, |stack, name| {
            let kind = if name.contains('/') { FunctionKind::Java } else { FunctionKind::Jvm };
            let function = builder.function(&NewFunction {
                display_name: name,
                internal_name: name,
                kind,
                binary: BinaryIndex::NONE,
            });
            let kind = FrameKind::Interpreted;
            let frame = builder.frame(NewFrame { function, kind, line: None, bytecode_index: None, address: None });
            builder.child(stack, frame)
        })
    }

    #[test]
    fn only_virtual_threads_that_wait_for_monitors_count() {
        let builder = &mut TableBuilder::new();
        let (virtual_run, pay) = ("java/lang/VirtualThread.run(Ljava/lang/Runnable;)V", "a/Checkout.pay()V");
        let waiting = stack(&[virtual_run, pay], builder);
        let parked = stack(&[virtual_run, pay, "jdk/internal/misc/Unsafe.park(ZJ)V"], builder);
        let restored = stack(&["cont_returnBarrier", pay], builder);
        let platform = stack(&["java/lang/Thread.run()V", pay], builder);
        let expected = [
            (EventKind::Lock, waiting, true),
            (EventKind::Lock, restored, true),
            (EventKind::Lock, parked, false),
            (EventKind::Lock, platform, false),
            (EventKind::Alloc, waiting, false),
        ];
        for (event, stack, is_wait) in expected {
            let sample = Sample::new(10, ThreadIndex(3), stack, event);
            assert_eq!(is_monitor_wait(builder.tables(), &sample), is_wait, "{event:?} {stack:?}");
        }
    }

    #[test]
    fn a_wait_ends_after_its_length_in_the_jvm() {
        let builder = &mut TableBuilder::new();
        let waiting = stack(&["java/lang/VirtualThread.run()V"], builder);
        let ended = stack(&["java/lang/VirtualThread.run()V", "ThawBase::handle_preempted_continuation"], builder);
        let sample = Sample { duration_ns: 20, ..Sample::new(10, ThreadIndex(3), ended, EventKind::Lock) };
        let wait = monitor_wait(&sample, builder);
        assert_eq!(
            (wait.time_ns, wait.duration_ns, wait.thread, wait.event),
            (30, 20, ThreadIndex(3), EventKind::OffCpu)
        );
        assert_eq!(wait.reason, WaitReason::Futex);
        assert_eq!(builder.tables().stacks.parent[wait.stack.row()], waiting);
    }
}
