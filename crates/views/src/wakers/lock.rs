//! The lock of a wait.

use crate::wakers::sampled_waits::SampledWaits;
use whittle_model::{FrameIndex, FunctionIndex, FunctionKind, StackIndex, Tables};
use whittle_profile::waits::WaitMeaning;

/// The package of the JDK's locks.
pub(crate) const LOCKS: &str = "java/util/concurrent/locks/";

/// A lock, and where a thread waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Lock {
    /// A monitor or a lock.
    pub(crate) meaning: WaitMeaning,
    /// The method that takes the lock: of a lock of `java.util.concurrent`, a method of its class. Missing: unknown.
    pub(crate) taken_in: Option<FunctionIndex>,
    /// The function of the calling code, and the line. Missing: unknown.
    pub(crate) place: Option<(FunctionIndex, Option<u32>)>,
}

/// Whether a wait is for a lock that has a holder.
pub(crate) fn is_for_lock(meaning: WaitMeaning) -> bool {
    matches!(meaning, WaitMeaning::Monitor | WaitMeaning::Lock)
}

/// The lock of a wait.
pub(crate) fn lock(waits: &SampledWaits<'_>, number: usize) -> Lock {
    let (wait, tables) = (waits.wait(number), waits.profile.tables());
    let functions = &tables.functions;
    let mut java =
        functions_of(tables, wait.stack).filter(|function| functions.kind[function.row()] == FunctionKind::Java);
    let taken_in = match wait.meaning {
        WaitMeaning::Monitor => java.next(),
        _ => java.filter(|function| functions.internal_name[function.row()].starts_with(LOCKS)).last(),
    };
    let frame = waits.calling_frame(wait.stack).map(FrameIndex::row);
    let place = frame.map(|frame| (tables.frames.function[frame], tables.frames.line[frame]));
    Lock { meaning: wait.meaning, taken_in, place }
}

/// The functions of a stack, the leaf first.
pub(crate) fn functions_of(tables: &Tables, stack: StackIndex) -> impl Iterator<Item = FunctionIndex> {
    let rows = std::iter::successors(Some(stack), |row| Some(tables.stacks.parent[row.row()]));
    rows.take_while(|row| row.row() != 0).map(|row| tables.frames.function[tables.stacks.frame[row.row()].row()])
}
