//! Reads ELF files of a process. Their content is untrusted.
//!
//! A file is read and never mapped, because truncating a mapped file kills the reader. Every length is checked before
//! memory is allocated for it.

mod build_id;
mod bytes;
mod file;
mod headers;
mod separate;
mod unpacked;

pub use bytes::ElfBytes;
pub use file::ElfFile;
pub(crate) use file::{DebugLink, SectionBytes};
pub use separate::{DebugFiles, debug_info_cache, is_own_cache};
