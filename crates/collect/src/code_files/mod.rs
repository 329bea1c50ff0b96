//! Files with code, read after a collection: binaries with their machine code and lines, and entries of jars.
//!
//! Other modules use the same readers to name native stacks and to archive classes. Here the readers are used to view
//! code. Their input is untrusted, so corrupt files give no result, never a panic.

mod binary_file;
mod file_symbols;
mod zip_entry;

pub use binary_file::{BinaryFile, Processor};
pub use file_symbols::FileSymbols;
pub use zip_entry::{jar_class_path, read_zip_entry};
