//! Native stacks: from registers and a copied piece of stack to rows of tables.
//!
//! ```text
//! registers, stack bytes ──walk──> places in code ──names──> frames ──> stack
//!                           │                        │
//!                  unwind tables of              symbols and debug
//!                  the mapped files              information of the same files
//! ```
//!
//! The kernel side copies what a thread's stack holds at one moment; everything else is found out later, from
//! the files that the process has mapped. No frame pointers are needed, and nothing is guessed where a table is at hand:
//! a stack that cannot be followed to its root ends with a frame that says why.
//!
//! Stacks of Java threads are not this module's: async-profiler walks them from inside.

mod addresses;
mod dwarf;
mod elf;
mod frames;
mod kernel_symbols;
mod module;
mod modules;
mod names;
mod process_map;
mod registers;
mod stack_copy;
mod stacks;
mod symbol_table;
#[cfg(test)]
mod tests;
mod unwind;
mod walk;

pub(crate) use addresses::{ElfAddr, FileOffset};
pub(crate) use dwarf::{DebugSections, SourceLines};
pub(crate) use elf::{DebugFiles, ElfBytes, ElfFile, open_regular_file};
pub(crate) use kernel_symbols::KernelSymbols;
pub(crate) use names::FunctionNames;
pub(crate) use registers::{Architecture, Registers};
pub(crate) use stacks::{CopiedStack, NativeStacks};
pub(crate) use symbol_table::SymbolTable;

/// Display name and internal name of a function that has none: those of an imported recording.
const UNKNOWN_NAMES: (&str, &str) = ("[unknown]", "unknown");
