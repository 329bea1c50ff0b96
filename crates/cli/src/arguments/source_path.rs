//! Folders and files with the code of functions.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
pub(crate) struct SourcePathArguments {
    /// Folders, jars and zip files with sources, class files or binaries. Separate several with colons, or repeat the
    /// option
    #[arg(long, value_name = "DIR|JAR", value_delimiter = ':')]
    pub(crate) source_path: Vec<PathBuf>,
}
