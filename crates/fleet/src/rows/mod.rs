//! Rows of the fleet's tables in memory, between reading segments and writing files.

mod columns;
mod counter_rows;
mod file;
mod names;
mod observation_rows;
mod stack_rows;

pub use counter_rows::CounterRows;
pub use file::{FileError, PlacedFile, read_file, write_file};
pub use names::Names;
pub use observation_rows::{Labels, Observation, ObservationRows};
pub use stack_rows::{StackId, StackRow, StackRows};
