//! Waits that are still open when a collection ends. Each wait becomes an event, as if it ended at that time. The
//! native stacks of the waiting threads are read from outside.

use super::threads::NamespacedThread;
use crate::kernel::layout::{Event, Head, STATE_ON_CPU, STATE_PREEMPTION, STATE_RUN_QUEUE, ThreadValue, kind, request};
use crate::process::Process;
use crate::process_memory::read_pages;
use crate::thread_dump::Holder;
use std::collections::HashMap;
use std::fs;
use whittle_model::{LossReason, StackIndex, TableBuilder};
use whittle_native::{CopiedStack, NativeStacks, Registers};

/// Maximum number of bytes that are read from a waiting thread's stack.
const STACK_BYTES: usize = 32 << 10;

/// The event of a wait that is open at the end of a collection.
pub(super) fn open_wait(thread_id: u32, value: &ThreadValue, now_ns: u64) -> Option<Event> {
    let is_waiting = ![STATE_ON_CPU, STATE_PREEMPTION, STATE_RUN_QUEUE].contains(&value.state);
    let is_woken = value.woken_ns >= value.state_since_ns;
    if !is_waiting || is_woken || now_ns <= value.state_since_ns {
        return None;
    }
    let head = Head {
        time_ns: now_ns,
        process_id: value.process_id,
        thread_id,
        epoch: value.epoch,
        kind: kind::BLOCKED,
        request: request::DEFERRED,
        is_kernel_mode: 1,
    };
    let call = if value.is_in_call != 0 { value.call } else { -1 };
    Some(Event { head, weight: now_ns - value.state_since_ns, call, reason: value.state, ..Event::default() })
}

/// The Java stacks of threads that wait in system calls, from the thread dumps of the JVMs.
#[derive(Debug, Default)]
pub(crate) struct WaitingStacks {
    /// The stacks, and CLOCK_MONOTONIC when the dump was requested.
    stacks: HashMap<NamespacedThread, (StackIndex, u64)>,
    /// The threads that hold the monitors that others wait for, by the waiting thread.
    holders: HashMap<NamespacedThread, (NamespacedThread, StackIndex)>,
}

/// What a thread dump says about the threads, by thread id in the process's pid namespace.
#[derive(Debug, Default)]
pub(crate) struct Dumped {
    pub(crate) stacks: HashMap<u32, StackIndex>,
    /// The threads that hold the monitors that others wait for, by the waiting thread.
    pub(crate) holders: HashMap<u32, Holder>,
}

impl WaitingStacks {
    /// Adds a dump of `process` that was requested at `dump_ns` of CLOCK_MONOTONIC.
    pub(crate) fn add(&mut self, Process(process_id): Process, dumped: Dumped, dump_ns: u64) {
        let of = |id| NamespacedThread { process_id, id };
        self.stacks.extend(dumped.stacks.into_iter().map(|(id, stack)| (of(id), (stack, dump_ns))));
        let holders = dumped.holders.into_iter();
        self.holders.extend(holders.map(|(waiting, holder)| (of(waiting), (of(holder.thread_id), holder.stack))));
    }

    /// The stack of a thread that has waited since `began_ns`. A dump does not show waits that began later.
    pub(super) fn of(&self, thread: NamespacedThread, began_ns: u64) -> Option<StackIndex> {
        self.stacks.get(&thread).filter(|(_, dump_ns)| began_ns < *dump_ns).map(|(stack, _)| *stack)
    }

    /// The thread that holds the monitor for which a thread has waited since `began_ns`, and its stack up to the method that took the
    /// monitor.
    pub(super) fn holder_for(&self, thread: NamespacedThread, began_ns: u64) -> Option<(NamespacedThread, StackIndex)> {
        self.of(thread, began_ns).and_then(|_| self.holders.get(&thread).copied())
    }
}

/// The stack of a thread that waits inside a system call. Only a part of it can be known, but the frames next to the wait
/// tell most. None: the thread does not wait, or the walk ends at an address in no file.
pub(super) fn native_stack(
    (process, thread_id): (Process, u32),
    native: &mut NativeStacks,
    builder: &mut TableBuilder,
) -> Option<StackIndex> {
    let text = fs::read_to_string(process.path(&format!("task/{thread_id}/syscall"))).ok()?;
    let (pointer, instruction) = parse_position(&text)?;
    // The kernel reports no other registers. Waiting code is in the C library, which can be walked without other
    // registers.
    let registers = Registers::at(instruction, pointer);
    let bytes = read_stack(process, pointer)?;
    let copied = CopiedStack { registers: &registers, start: pointer, bytes: &bytes, is_new: false };
    let (stack, reason) = native.stack(process.id(), &copied, builder);
    (reason != LossReason::NoMapping).then_some(stack)
}

/// The last two fields of `/proc/PID/task/TID/syscall`: stack pointer and program counter.
fn parse_position(text: &str) -> Option<(u64, u64)> {
    let mut fields = text.split_whitespace().rev();
    let mut number = || u64::from_str_radix(fields.next()?.strip_prefix("0x")?, 16).ok();
    let instruction = number()?;
    Some((number()?, instruction))
}

/// Reads the stack page by page, because pages after the end of the stack may be unreadable.
fn read_stack(process: Process, pointer: u64) -> Option<Vec<u8>> {
    let mut bytes = vec![0; STACK_BYTES];
    let size = read_pages(process, pointer, &mut bytes);
    bytes.truncate(size);
    (size > 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_thread_that_waits_has_an_open_wait() {
        let waiting =
            ThreadValue { process_id: 1, call: 7, is_in_call: 1, state: 1, state_since_ns: 100, ..Default::default() };
        let event = open_wait(5, &waiting, 400).unwrap();
        assert_eq!((event.head.kind, event.weight, event.call, event.reason), (kind::BLOCKED, 300, 7, 1));
        assert_eq!(open_wait(5, &ThreadValue { is_in_call: 0, ..waiting }, 400).map(|event| event.call), Some(-1));
        let none = [
            ThreadValue { woken_ns: 200, ..waiting },
            ThreadValue { state: STATE_ON_CPU, ..waiting },
            ThreadValue { state: STATE_RUN_QUEUE, ..waiting },
            ThreadValue { state_since_ns: 400, ..waiting },
        ];
        assert!(none.iter().all(|value| open_wait(5, value, 400).is_none()));
    }

    #[test]
    fn a_wait_that_began_after_the_dump_has_no_stack_of_it() {
        let mut stacks = WaitingStacks::default();
        let holders = HashMap::from([(7, Holder { thread_id: 8, stack: StackIndex(5) })]);
        stacks.add(Process(5), Dumped { stacks: HashMap::from([(7, StackIndex(3))]), holders }, 100);
        stacks.add(Process(6), Dumped { stacks: HashMap::from([(7, StackIndex(4))]), ..Dumped::default() }, 200);
        let of = |process_id, id, began_ns| stacks.of(NamespacedThread { process_id, id }, began_ns);
        assert_eq!([of(5, 7, 99), of(5, 7, 100), of(5, 8, 1)], [Some(StackIndex(3)), None, None]);
        assert_eq!([of(6, 7, 199), of(4, 7, 1)], [Some(StackIndex(4)), None]);
        let holder = |process_id, began_ns| stacks.holder_for(NamespacedThread { process_id, id: 7 }, began_ns);
        let eighth = (NamespacedThread { process_id: 5, id: 8 }, StackIndex(5));
        assert_eq!([holder(5, 99), holder(5, 100), holder(6, 99)], [Some(eighth), None, None]);
    }

    #[test]
    fn the_position_of_a_waiting_thread_is_its_last_two_fields() {
        let text = "202 0x7f 0x80 0x0 0x0 0x0 0x0 0x7ffc9a8b7c60 0x7f1234567890\n";
        assert_eq!(parse_position(text), Some((0x7ffc_9a8b_7c60, 0x7f12_3456_7890)));
        assert_eq!(parse_position("running\n"), None);
        assert_eq!(parse_position(""), None);
    }
}
