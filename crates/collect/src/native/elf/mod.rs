//! ELF files of a process: outside bytes.
//!
//! A file is read, never mapped: a mapped file that is cut short kills the reader. What it says is not
//! believed: every length is checked before memory is taken for it.

mod build_id;
mod bytes;
mod file;
mod headers;
mod separate;

pub(crate) use bytes::ElfBytes;
pub(crate) use file::{DebugLink, ElfFile, SectionBytes};
pub(crate) use separate::{DebugFiles, open_regular_file, open_under_root};
