//! The option for folders and files with the code of functions.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
pub(crate) struct SourcePathArguments {
    /// Find sources, class files and binaries in these folders, jars and zip files. Separate paths with colons, or
    /// repeat the option
    #[arg(long, value_name = "DIR|JAR", value_delimiter = ':')]
    pub(crate) source_path: Vec<PathBuf>,
}
