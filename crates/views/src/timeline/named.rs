//! The search for threads by a part of their name.

use crate::definition::Parameter;
use whittle_profile::Profile;

/// The option `--named`.
pub(super) const NAMED: Parameter = Parameter::text(
    "named",
    "TEXT",
    "Only threads with a name that contains the text, in upper or lower case. A number must be whole: exec-7 does not find exec-70. \
     The name of a pool also counts",
);

/// The threads with a name that contains the text with whole numbers, or in a pool with such a name. An empty text keeps all threads.
pub(super) fn with_name(
    profile: &Profile,
    threads: impl Iterator<Item = usize>,
    text: &str,
) -> impl Iterator<Item = usize> {
    let text = text.to_lowercase();
    let contains = move |name: &str| text.is_empty() || contains_whole(&name.to_lowercase(), &text);
    let names = &profile.tables().threads.name;
    threads.filter(move |thread| {
        contains(&names[*thread]) || profile.pools().of_thread(*thread).is_some_and(|pool| contains(&pool.name))
    })
}

/// Whether a name contains a text, and no digit of the name continues a number at the text's begin or end.
fn contains_whole(name: &str, text: &str) -> bool {
    let continues =
        |beside: Option<char>, edge: Option<char>| [beside, edge].iter().all(|c| c.is_some_and(|c| c.is_ascii_digit()));
    // Places can overlap, so each is looked at.
    name.char_indices().any(|(start, _)| {
        let Some(after) = name[start..].strip_prefix(text) else { return false };
        !continues(name[..start].chars().next_back(), text.chars().next())
            && !continues(after.chars().next(), text.chars().next_back())
    })
}

#[cfg(test)]
mod tests {
    use super::contains_whole;

    #[test]
    fn a_number_is_found_as_a_whole() {
        for (name, text, is_found) in [
            ("http-nio-8080-exec-7", "exec-7", true),
            ("http-nio-8080-exec-70", "exec-7", false),
            ("http-nio-8080-exec-70", "http-nio-8080-exec-7", false),
            ("http-nio-8080-exec-70", "exec-", true),
            ("http-nio-8080-exec-7", "080", false),
            ("pool-17-thread-7", "7", true),
            ("pool-17-thread-71", "7", false),
            ("exec-11-1-1", "1-1", true),
            ("worker", "ork", true),
        ] {
            assert_eq!(contains_whole(name, text), is_found, "{text} in {name}");
        }
    }
}
