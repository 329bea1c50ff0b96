//! Native stacks of threads that wait in the kernel and will not come back in time: read from outside.

use crate::native::{CopiedStack, NativeStacks, Registers};
use crate::process::Process;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use whittle_model::{LossReason, StackIndex, TableBuilder};

/// Of a waiting thread's stack so much is read; less if it ends before.
const STACK_BYTES: usize = 32 << 10;
const PAGE_BYTES: usize = 4 << 10;

/// The stack of a thread that waits inside a system call; none if it does not, or cannot be walked to its root.
pub(crate) fn native_stack(
    (process, thread_id): (Process, u32),
    native: &mut NativeStacks,
    builder: &mut TableBuilder,
) -> Option<StackIndex> {
    let text = fs::read_to_string(process.path(&format!("task/{thread_id}/syscall"))).ok()?;
    let (pointer, instruction) = parse_position(&text)?;
    // The other registers are not told; waiting code is in the C library, which does without.
    let registers = Registers::at(instruction, pointer);
    let bytes = read_stack(process, pointer)?;
    let copied = CopiedStack { registers: &registers, start: pointer, bytes: &bytes };
    let (stack, reason) = native.stack(process, &copied, builder);
    (reason == LossReason::None).then_some(stack)
}

/// The last two fields of `/proc/PID/task/TID/syscall`: stack pointer and program counter.
fn parse_position(text: &str) -> Option<(u64, u64)> {
    let mut fields = text.split_whitespace().rev();
    let mut number = || u64::from_str_radix(fields.next()?.strip_prefix("0x")?, 16).ok();
    let instruction = number()?;
    Some((number()?, instruction))
}

/// Page by page: what lies behind the stack's end may not be readable.
fn read_stack(process: Process, pointer: u64) -> Option<Vec<u8>> {
    let memory = File::open(process.path("mem")).ok()?;
    let mut bytes = vec![0; STACK_BYTES];
    let first = PAGE_BYTES - (pointer as usize % PAGE_BYTES);
    let mut size = 0;
    let mut next = first;
    while next <= STACK_BYTES && memory.read_exact_at(&mut bytes[size..next], pointer + size as u64).is_ok() {
        size = next;
        next += PAGE_BYTES;
    }
    bytes.truncate(size);
    (size > 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_position_of_a_waiting_thread_is_its_last_two_fields() {
        let text = "202 0x7f 0x80 0x0 0x0 0x0 0x0 0x7ffc9a8b7c60 0x7f1234567890\n";
        assert_eq!(parse_position(text), Some((0x7ffc_9a8b_7c60, 0x7f12_3456_7890)));
        assert_eq!(parse_position("running\n"), None);
        assert_eq!(parse_position(""), None);
    }
}
