//! The packages of an experiment, for input fields that complete them.
//!
//! The answer does not depend on the filter, so a page requests it once. It needs no samples, so it is fast.

use crate::definition::{Answered, Answerer, NoKeys, ViewDefinition, keys};
use serde::Serialize;
use whittle_profile::Profile;
use whittle_profile::order::sort_by;

/// The definition of this view. Its answer is [`Packages`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "packages",
        answer: |on, asked| {
            let NoKeys {} = keys(asked)?;
            Answered::data(&packages(on.profile))
        },
    },
    not_compared: None,
    command: None,
};

/// The answer of [`packages`](packages()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Packages {
    /// The view's name.
    pub view: &'static str,
    /// The names, as filters and transforms accept them. The package with the most functions comes first.
    pub names: Vec<String>,
}

/// The packages of all Java functions, and the packages around them.
pub fn packages(profile: &Profile) -> Packages {
    let mut packages = profile.code_groups().packages();
    sort_by(&mut packages, |(a, count_a), (b, count_b)| {
        count_b.cmp(count_a).then_with(|| a.len().cmp(&b.len())).then_with(|| a.cmp(b))
    });
    Packages { view: "packages", names: packages.into_iter().map(|(name, _)| name.to_owned()).collect() }
}
