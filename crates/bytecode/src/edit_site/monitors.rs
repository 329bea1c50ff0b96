//! The `monitorenter` instruction of the block that a stack shows.
//!
//! ```text
//!  8 monitorenter    compiled code that waits for the lock is here
//!  9 aload_0         the interpreter is here: it goes to the next instruction before it locks
//!    …
//! 19 aload_1
//! 20 monitorexit     code that releases the lock is here
//! ```
//!
//! The instruction after `monitorenter` is often on another line. Source for the interpreter: `TemplateTable::monitorenter`
//! of HotSpot.

use super::context::Context;
use crate::class_file::ExceptionHandler;

const MONITOR_ENTER: u8 = 0xc2;
const MONITOR_EXIT: u8 = 0xc3;
/// The handler that releases a lock stores the exception, loads the object, and releases it.
const HANDLER_INSTRUCTIONS: usize = 4;

/// The `monitorenter` at which a thread waits for a lock, or which belongs to the lock that the thread releases.
///
/// `is_deepest`: the method calls no Java code. A method that calls Java code is at the `monitorenter` itself, or it does
/// not wait for a block's lock.
pub(super) fn by_index(context: &Context<'_>, index: u32, is_deepest: bool) -> Option<u32> {
    if context.opcode(index) == Some(MONITOR_ENTER) {
        return Some(index);
    }
    is_deepest.then(|| just_before(context, index).or_else(|| of_exit(context, index))).flatten()
}

/// The first block on a line.
pub(super) fn on_line(context: &Context<'_>, line: u32) -> Option<u32> {
    all(context).find(|enter| context.line(*enter) == Some(line))
}

/// The first block with a first statement on this line.
pub(super) fn above_line(context: &Context<'_>, line: u32) -> Option<u32> {
    let is_above = |enter: &u32| {
        let next = context.flow.instructions.range(*enter + 1..).next();
        next.is_some_and(|(index, _)| context.line(*index) == Some(line))
    };
    all(context).find(is_above)
}

/// The `monitorenter` of the innermost block around an instruction. Java compilers write a handler for all exceptions of a block, which
/// releases the lock.
pub(super) fn around(context: &Context<'_>, index: u32) -> Option<u32> {
    let code = context.class.code(context.method)?;
    let is_around = |handler: &&ExceptionHandler<'_>| {
        handler.class.is_none() && (u32::from(handler.start)..u32::from(handler.end)).contains(&index)
    };
    code.exception_handlers.iter().filter(is_around).find_map(|handler| {
        let released = context.flow.instructions.range(u32::from(handler.handler)..).take(HANDLER_INSTRUCTIONS);
        let exit = released.map(|(at, _)| *at).find(|at| context.opcode(*at) == Some(MONITOR_EXIT))?;
        let enters: Vec<u32> = all(context).filter(|enter| *enter < index).collect();
        let lock = context.flow.operands_at(exit);
        let same = enters.iter().rev().find(|enter| !lock.is_empty() && context.flow.operands_at(**enter) == lock);
        same.or(enters.last()).copied()
    })
}

/// The `monitorenter` directly before an instruction.
fn just_before(context: &Context<'_>, index: u32) -> Option<u32> {
    let (before, instruction) = context.flow.instructions.range(..index).next_back()?;
    (instruction.opcode == MONITOR_ENTER).then_some(*before)
}

/// The `monitorenter` that locks the object which the instruction, or the next one, releases.
fn of_exit(context: &Context<'_>, index: u32) -> Option<u32> {
    let exit = context.flow.instructions.range(index..).take(2).find(|(_, it)| it.opcode == MONITOR_EXIT);
    let released = context.flow.operands_at(*exit?.0);
    let locks = all(context).filter(|enter| *enter < index && context.flow.operands_at(*enter) == released);
    // Blocks that lock the same object one after the other: the block nearest to the instruction.
    locks.filter(|_| !released.is_empty()).last()
}

fn all<'f>(context: &'f Context<'_>) -> impl Iterator<Item = u32> + 'f {
    context.flow.with_opcode(MONITOR_ENTER).map(|instruction| instruction.bytecode_index)
}
