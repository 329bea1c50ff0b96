//! Files that code comes from, read after the fact: binaries with their machine code and lines, and what is in jars.
//!
//! The same readers that name native stacks and archive classes, for those who show code. They take outside bytes:
//! damaged files give nothing, never a panic.

mod binary_file;
mod file_symbols;
mod zip_entry;

pub use binary_file::{BinaryFile, Processor};
pub use file_symbols::FileSymbols;
pub use zip_entry::{jar_class_path, read_zip_entry};
