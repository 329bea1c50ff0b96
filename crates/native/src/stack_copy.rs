//! The bytes of a thread's stack as the kernel side copied them.
//!
//! ```text
//! below │ stack pointer                                      root of the thread
//! 128 B │ rest of its page │ page │ page │ … │ not copied … │
//! ```
//!
//! The copy ends at its limit, at the end of the stack, or at a page that was not in memory.

/// Addresses up to this distance above the start of the copy are treated as part of the stack. This is the usual size
/// limit of a stack.
const STACK_REACH_BYTES: u64 = 8 << 20;

/// A copied stack.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StackCopy<'a> {
    start: u64,
    bytes: &'a [u8],
}

/// A value was not in the copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotCopied {
    /// True if a longer copy would contain the value. Otherwise the address is not on the stack.
    pub(crate) is_beyond: bool,
}

impl<'a> StackCopy<'a> {
    /// A copy that starts at the address `start`.
    pub(crate) fn new(start: u64, bytes: &'a [u8]) -> Self {
        Self { start, bytes }
    }

    /// The value of `size` bytes (1, 2, 4 or 8) at `address`.
    pub(crate) fn read(&self, address: u64, size: u8) -> Result<u64, NotCopied> {
        let not_copied = NotCopied { is_beyond: address >= self.start && address - self.start < STACK_REACH_BYTES };
        let position = address.checked_sub(self.start).and_then(|position| usize::try_from(position).ok());
        let position = position.ok_or(not_copied)?;
        let end = position.checked_add(usize::from(size.min(8))).ok_or(not_copied)?;
        let bytes = self.bytes.get(position..end).ok_or(not_copied)?;
        let mut value = [0; 8];
        value[..bytes.len()].copy_from_slice(bytes);
        Ok(u64::from_le_bytes(value))
    }

    /// The word at `address`.
    pub(crate) fn word(&self, address: u64) -> Result<u64, NotCopied> {
        self.read(address, 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_from_the_copy_only() {
        let bytes: Vec<u8> = (0..16).collect();
        let stack = StackCopy::new(0x1000, &bytes);
        assert_eq!(stack.word(0x1008), Ok(0x0f0e_0d0c_0b0a_0908));
        assert_eq!(stack.read(0x1002, 2), Ok(0x0302));
        assert_eq!(stack.word(0x1009), Err(NotCopied { is_beyond: true }));
        assert_eq!(stack.word(0xff8), Err(NotCopied { is_beyond: false }));
        assert_eq!(stack.word(u64::MAX - 3), Err(NotCopied { is_beyond: false }));
    }
}
