//! Native stacks: from registers and a copied part of a stack to rows of tables.
//!
//! ```text
//! registers, stack bytes ──walk──> places in code ──names──> frames ──> stack
//!                           │                        │
//!                  unwind tables of              symbols and debug
//!                  the mapped files              information of the same files
//! ```
//!
//! The kernel side copies the content of a thread's stack at one point in time. Whittle finds everything else later, in
//! the files that the process has mapped. With an unwind table, frame pointers are not needed and nothing is guessed. A
//! stack that cannot be walked to its root ends with a frame that shows the reason.
//!
//! This crate does not walk stacks of Java threads: async-profiler walks them inside the JVM.

mod addresses;
mod dwarf;
mod elf;
mod frames;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod kernel_symbols;
mod module;
mod modules;
mod names;
mod process_id;
mod process_map;
mod program_files;
mod read_at;
mod registers;
mod stack_copy;
mod stacks;
mod symbol_table;
#[cfg(test)]
mod tests;
mod unwind;
mod walk;

pub use addresses::{ElfAddr, FileOffset, ProcessAddr};
pub use dwarf::{DebugSections, SourceFrame, SourceLines};
pub use elf::{DebugFiles, ElfBytes, ElfFile, debug_info_cache, is_own_cache};
pub use kernel_symbols::{KernelSymbols, NoKernelSymbols};
pub use names::FunctionNames;
pub use process_id::ProcessId;
pub use process_map::mapped_range;
pub use program_files::{FindFiles, LocalFiles, MAX_MAPS_BYTES, ProgramFiles, TrustAll, open_regular_file};
pub use read_at::ReadAt;
pub use registers::{Architecture, Registers};
pub use stacks::{CopiedStack, NativeStacks};
pub use symbol_table::{Symbol, SymbolTable};

/// Display name and internal name of a function without a name, as in an imported recording.
const UNKNOWN_NAMES: (&str, &str) = ("[unknown]", "unknown");
