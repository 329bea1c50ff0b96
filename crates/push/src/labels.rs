//! Labels of pushed profiles. The agents' names for service, version, host and region become whittle's names. Labels
//! that describe the agent itself are dropped.

use std::collections::BTreeMap;

/// Maximum number of labels. Further labels are left out.
const MAX_LABELS: usize = 32;
/// Maximum length of keys and values in characters. Longer texts are cut.
const MAX_LENGTH: usize = 256;

/// Whittle's label names, each with the names that agents use. The preferred name is first.
const NAMES: [(&str, &[&str]); 4] = [
    ("service", &["service", "service_name", "service.name"]),
    ("version", &["version", "service_version", "service.version"]),
    ("host", &["host", "host_name", "host.name", "hostname", "instance", "k8s.pod.name", "pod"]),
    ("region", &["region", "cloud_region", "cloud.region"]),
];

/// Prefixes of labels that do not describe the profiled program, or have a different value in each process.
const DROPPED: [&str; 6] = ["__", "otel.", "otel_", "process.", "process_", "telemetry."];

/// The labels of a segment. The profile's labels are used first. Labels of the sender are added if the profile does not
/// have these labels. The result always includes `service` and `host`.
pub(super) fn known_labels(
    said: impl IntoIterator<Item = (String, String)>,
    fallback: &BTreeMap<String, String>,
    (service, host): (&str, &str),
) -> BTreeMap<String, String> {
    let mut labels: BTreeMap<String, String> =
        said.into_iter().map(|(key, value)| (clean(&key), clean(&value))).collect();
    labels.retain(|key, value| {
        !key.is_empty() && !value.is_empty() && !DROPPED.iter().any(|dropped| key.starts_with(dropped))
    });
    for (name, others) in NAMES {
        let found = others.iter().find_map(|other| labels.get(*other)).cloned();
        // The name of a pod stays a separate label.
        others.iter().filter(|other| !other.contains("pod")).for_each(|other| drop(labels.remove(*other)));
        if let Some(value) = found {
            labels.insert(name.to_owned(), value);
        }
    }
    for (key, value) in fallback {
        labels.entry(key.clone()).or_insert_with(|| clean(value));
    }
    for (key, value) in [("service", service), ("host", host)] {
        labels.entry(key.to_owned()).or_insert_with(|| clean(value));
    }
    let is_named = |key: &str| NAMES.iter().any(|(name, _)| *name == key);
    let others: Vec<String> = labels.keys().filter(|key| !is_named(key)).skip(MAX_LABELS).cloned().collect();
    others.iter().for_each(|key| drop(labels.remove(key)));
    labels
}

/// Replaces control characters, and the characters that separate labels in a table. Cuts long texts.
fn clean(text: &str) -> String {
    let allowed = |character: char| {
        if character.is_control() || matches!(character, ',' | '=') { '_' } else { character }
    };
    text.trim().chars().take(MAX_LENGTH).map(allowed).collect()
}

/// Parses name and labels from `app{key=value,key=value}`, the syntax of Pyroscope's clients.
pub(super) fn parse_series(text: &str) -> (&str, Vec<(String, String)>) {
    let (name, rest) = text.split_once('{').unwrap_or((text, ""));
    let rest = rest.trim_end().strip_suffix('}').unwrap_or(rest);
    let pairs = rest.split(',').filter_map(|pair| pair.split_once('='));
    let unquoted = |value: &str| value.trim().trim_matches('"').to_owned();
    (name.trim(), pairs.map(|(key, value)| (key.trim().to_owned(), unquoted(value))).collect())
}

/// The decoded pairs of a query string.
pub(super) fn parse_query(query: &str) -> Vec<(String, String)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(key, value)| (decoded(key), decoded(value)))
        .collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).filter(|_| *first == b'%').and_then(hexadecimal);
        bytes.push(match (first, escaped) {
            (_, Some(value)) => value,
            (b'+', None) => b' ',
            (byte, None) => *byte,
        });
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hexadecimal(digits: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(digits).ok()?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u8::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    fn shown(labels: &BTreeMap<String, String>) -> String {
        labels.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn the_series_of_the_java_agent() {
        let query = "name=shop%7Botel.scope.version%3D2.9.2%2Cprocess.runtime.name%3DOpenJDK%20Runtime%2Cregion%3Deu%2C\
            version%3D1.2%7D&from=17&x";
        let query = parse_query(query);
        let (name, labels) = parse_series(&query[0].1);
        assert_eq!((name, query[1..].to_vec()), ("shop", pairs(&[("from", "17"), ("x", "")])));
        let labels = known_labels(labels, &BTreeMap::new(), (name, "10.0.0.7"));
        assert_eq!(shown(&labels), "host=10.0.0.7,region=eu,service=shop,version=1.2");
    }

    #[test]
    fn what_the_profile_says_comes_first() {
        let token = BTreeMap::from_iter(pairs(&[("region", "eu"), ("service", "none"), ("team", "a,b")]));
        let said = pairs(&[("service_name", "shop"), ("pod", "shop-7"), ("__name__", "cpu"), ("env", "")]);
        let labels = known_labels(said, &token, ("x", "y"));
        assert_eq!(shown(&labels), "host=shop-7,pod=shop-7,region=eu,service=shop,team=a_b");
    }

    #[test]
    fn names_that_are_always_there_stay_within_the_limit() {
        let many = (0..100).map(|number| (format!("a{number}"), "v".repeat(1000)));
        let labels = known_labels(many, &BTreeMap::new(), ("shop", "h"));
        assert_eq!((labels.len(), labels["service"].as_str(), labels["a0"].len()), (34, "shop", 256));
    }

    #[test]
    fn odd_queries_are_read_as_far_as_possible() {
        assert_eq!(parse_query("a=%4&b=%zz+1&&=%41"), pairs(&[("a", "%4"), ("b", "%zz 1"), ("", "A")]));
        assert_eq!(parse_series("app{"), ("app", Vec::new()));
        assert_eq!(parse_series("app{a=b,,c}"), ("app", pairs(&[("a", "b")])));
    }
}
