//! The search for threads by a part of their name.

use crate::definition::Parameter;
use whittle_profile::Profile;

/// The option `--named`.
pub(super) const NAMED: Parameter = Parameter::text(
    "named",
    "TEXT",
    "Only threads with a name that contains the text, in upper or lower case. The name of a pool also counts",
);

/// The threads with a name that contains the text, or in a pool with such a name. An empty text keeps all threads.
pub(super) fn with_name(
    profile: &Profile,
    threads: impl Iterator<Item = usize>,
    text: &str,
) -> impl Iterator<Item = usize> {
    let text = text.to_lowercase();
    let contains = move |name: &str| text.is_empty() || name.to_lowercase().contains(&text);
    let names = &profile.tables().threads.name;
    threads.filter(move |thread| {
        contains(&names[*thread]) || profile.pools().of_thread(*thread).is_some_and(|pool| contains(&pool.name))
    })
}
