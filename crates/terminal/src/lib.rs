//! The command line that `whittle` and `whittle-fleet` share: views as commands, output, failures.
//!
//! ```text
//! view_command ──> table_arguments, format ──> colour, output ──> failure
//!   all views         options of views           output
//! ```

mod colour;
mod failure;
mod format;
mod hints;
mod output;
mod stacks;
mod table_arguments;
mod view_command;

pub use colour::Colour;
pub use failure::{Failure, Hint, give_hints};
pub use format::{FormatArguments, ViewFormat};
pub use hints::hint_of_view;
pub use output::print;
pub use stacks::StackArguments;
pub use table_arguments::TableArguments;
pub use view_command::{Offer, ViewCommand, print_view};
