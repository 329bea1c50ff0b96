//! Prepares experiments for the server.

use crate::artefact::Artefact;
use crate::code_source::FileCode;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use whittle_profile::Profile;
use whittle_server::{Served, Source};

/// A loaded experiment for the server. Sources are first looked up in `source_path`.
pub(super) fn served(profile: Profile, source_path: &[PathBuf]) -> Served {
    let code = FileCode::new(source_path, profile.manifest());
    Served { profile: Arc::new(profile), code: Arc::new(code) }
}

/// The name of an experiment on the page, and its path.
pub(super) fn source(path: &Path, live: Option<u32>) -> Source {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let keeps_program = Artefact::is_in(path);
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    Source { name, path: path.display().to_string(), live, keeps_program, sides: None }
}
