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

const MONITOR_ENTER: u8 = 0xc2;
const MONITOR_EXIT: u8 = 0xc3;

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
