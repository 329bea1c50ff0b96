//! `whittle man-pages`: the manual pages of whittle and of each of its commands.

use clap::{Args, Command};
use std::fs;
use std::path::PathBuf;
use whittle_terminal::Failure;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  whittle man-pages ~/.local/share/man/man1, and then: man whittle-collect\n\n\
    Packages (.deb and .rpm) install these pages.")]
pub(crate) struct ManPagesArguments {
    /// The folder for the pages. It is created if it does not exist
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Writes `whittle.1`, and one page such as `whittle-collect.1` for each command.
pub(crate) fn run(arguments: &ManPagesArguments, whittle: Command) -> Result<(), Failure> {
    let folder = &arguments.folder;
    let failure = |error| Failure::new(format!("{}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(failure)?;
    clap_mangen::generate_to(whittle, folder).map_err(failure)
}
