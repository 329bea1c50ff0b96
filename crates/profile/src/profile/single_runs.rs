//! The single runs of a comparison, for views that examine one program at a time.

use super::Profile;
use std::fmt::Debug;

/// Loads the runs of a comparison again. A comparison contains only their merged tables, in which names are changed and
/// class files are those of one run.
pub trait SingleRuns: Debug + Send + Sync {
    /// The run with this number as a profile, with its own names. The baseline's runs come first, as in
    /// [`Compared::runs`](crate::sides::Compared::runs).
    ///
    /// # Errors
    /// The reason why the run cannot be loaded.
    fn load(&self, run: usize) -> Result<Profile, String>;

    /// A function's displayed name in the baseline, with the candidate's names of classes and packages.
    fn renamed(&self, name: &str) -> String;
}
