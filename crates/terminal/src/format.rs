//! The output format of a view: text, JSON or comma-separated values.

use crate::colour::Colour;
use crate::failure::Failure;
use crate::output::print;
use clap::Args;
use whittle_render::{Format, Style};
use whittle_views::definition::Rendered;

/// The options of all commands that print a view.
#[derive(Debug, Clone, Copy, Args)]
pub struct FormatArguments {
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print comma-separated values
    #[arg(long)]
    csv: bool,
    /// Whether to colour the text
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    color: Colour,
}

impl FormatArguments {
    /// Text, unless the command line names another format.
    pub fn view_format(self) -> ViewFormat {
        let format = match (self.json, self.csv) {
            (true, _) => Format::Json,
            (_, true) => Format::Csv,
            _ => Format::Text,
        };
        ViewFormat { format, colour: self.color }
    }
}

/// How a view is printed.
#[derive(Debug, Clone, Copy)]
pub struct ViewFormat {
    /// The output format: text, JSON or comma-separated values.
    pub format: Format,
    /// Whether text is coloured.
    pub colour: Colour,
}

impl ViewFormat {
    /// Prints a view as the result of the command.
    ///
    /// # Errors
    /// See [`print`].
    pub fn print(self, view: &dyn Rendered) -> Result<(), Failure> {
        print(view.render(self.format, Style { is_coloured: self.colour.is_used() }))
    }
}
