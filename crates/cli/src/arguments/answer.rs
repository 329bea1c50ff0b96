//! The arguments for the answer of interleaved runs: where it is kept, and how it is printed.

use clap::Args;
use std::path::PathBuf;
use whittle_terminal::FormatArguments;

#[derive(Debug, Args)]
pub(crate) struct AnswerArguments {
    /// Keep everything in this folder: the answer as JSON and Markdown, and the outputs and experiments of all runs
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing answer in the folder
    #[arg(short, long, requires = "output")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) format: FormatArguments,
    /// Append the answer as Markdown to this file [default: the file in GITHUB_STEP_SUMMARY, if set]
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
    /// Print only the answer, no progress and no notes
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
