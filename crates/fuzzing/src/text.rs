//! Text of users and browsers.

use std::sync::OnceLock;
use whittle_profile::{Filter, Profile};
use whittle_testkit::experiment_of_two_threads;
use whittle_views::source::NoFiles;

/// The experiment that is queried.
fn profile() -> &'static Profile {
    static PROFILE: OnceLock<Profile> = OnceLock::new();
    PROFILE.get_or_init(|| {
        let (manifest, tables) = experiment_of_two_threads();
        Profile::load(manifest, tables).expect("a valid drawing")
    })
}

/// Parses a filter. Its text gives the same filter again.
pub(crate) fn filter(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(filter) = text.parse::<Filter>() else { return };
    filter.to_string().parse::<Filter>().expect("the text of a filter is a filter");
}

/// Answers a request in JSON, as the analyzer's server does.
pub(crate) fn request(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _answer = whittle_engine::answer(profile(), text, &NoFiles { reason: "not in tests" });
}
