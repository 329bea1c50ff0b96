//! Three kinds of addresses. Each kind is a separate type, so the kinds cannot be confused.
//!
//! ```text
//! ProcessAddr   in the running process        0x7f31c8c2a3f0
//!     │  minus the mapping's start, plus its offset in the file
//! FileOffset    position in the file          0x293f0
//!     │  minus the segment's offset, plus its address
//! ElfAddr       as in the file's headers      0x2a3f0       symbols, unwind tables and DWARF use these
//! ```

/// An address in the running process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessAddr(pub u64);

/// An address as in the headers of an ELF file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElfAddr(pub u64);

/// A position in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileOffset(pub u64);
