//! A stack trace of the recording that is already in the prefix tree.

use super::frames::KnownFrame;
use whittle_model::{LossReason, StackIndex, TableBuilder};

/// An interned stack trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KnownStack {
    pub(crate) stack: StackIndex,
    /// True if the sample was taken in the kernel.
    pub(crate) has_kernel_leaf: bool,
    /// Why the stack is incomplete; `None` if it is complete.
    pub(crate) reason: LossReason,
}

impl KnownStack {
    pub(crate) const ROOT: Self = Self { stack: StackIndex::ROOT, has_kernel_leaf: false, reason: LossReason::None };

    /// The stack with one more frame on top.
    pub(crate) fn with(self, frame: KnownFrame, builder: &mut TableBuilder) -> Self {
        Self {
            stack: builder.child(self.stack, frame.frame),
            has_kernel_leaf: frame.is_kernel,
            reason: worse(self.reason, frame.reason),
        }
    }
}

/// The reason to report if both reasons apply. Missing frames are worse than a missing name.
pub(crate) fn worse(a: LossReason, b: LossReason) -> LossReason {
    match (a, b) {
        (LossReason::None, other) => other,
        (LossReason::Unsymbolised, LossReason::None) => a,
        (LossReason::Unsymbolised, other) => other,
        _ => a,
    }
}
