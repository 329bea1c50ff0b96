//! Why the caller of a frame was not found.

use crate::stack_copy::NotCopied;

/// Why a step was impossible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stuck {
    /// A needed value is not in the copied stack.
    NotCopied(NotCopied),
    /// A needed register is unknown.
    UnknownRegister,
    /// The table is corrupt, or describes other code.
    Damaged,
}

impl From<NotCopied> for Stuck {
    fn from(not_copied: NotCopied) -> Self {
        Self::NotCopied(not_copied)
    }
}
