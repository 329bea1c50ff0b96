//! Labels of a process: its service, its version, its region.
//!
//! The labels are derived from the command line and the environment of the process. The first source that has a label
//! sets its value. [`process_labels`](super::process_labels) has the order of the sources.

use std::collections::BTreeMap;

/// The facts about a process that decide its labels.
#[derive(Debug, Clone, Default)]
pub(crate) struct Subject {
    /// Main class, jar or program, without folders.
    pub(crate) name: String,
    /// The command line.
    pub(crate) command: Vec<String>,
    /// The environment of the process.
    pub(crate) environment: BTreeMap<String, String>,
}

/// Labels by name.
pub(crate) type Labels = BTreeMap<String, String>;

/// Each label, with the environment variables and the system properties that set it, and its attribute in
/// OpenTelemetry.
const KNOWN: [(&str, &[&str], &[&str], &str); 3] = [
    ("service", &["WHITTLE_SERVICE", "OTEL_SERVICE_NAME"], &["whittle.service", "otel.service.name"], "service.name"),
    ("version", &["WHITTLE_VERSION"], &["whittle.version"], "service.version"),
    ("region", &["WHITTLE_REGION"], &["whittle.region"], "cloud.region"),
];

/// Maximum length of a label in characters, as for pushed profiles.
const MAX_LENGTH: usize = 256;

/// A value without control characters. The observed program can set any value.
pub(super) fn plain(value: &str) -> String {
    value.chars().filter(|letter| !letter.is_control()).take(MAX_LENGTH).collect()
}

pub(super) fn of_environment(subject: &Subject) -> Labels {
    let attributes = subject.environment.get("OTEL_RESOURCE_ATTRIBUTES").map_or("", String::as_str);
    let value = |(label, variables, properties, attribute): (&str, &[&str], &[&str], &str)| {
        let variable = variables.iter().find_map(|name| subject.environment.get(*name).cloned());
        let property = || properties.iter().find_map(|name| property(&subject.command, name));
        let value = variable.or_else(property).or_else(|| attribute_of(attributes, attribute))?;
        (!value.is_empty()).then(|| (label.to_owned(), value))
    };
    KNOWN.into_iter().filter_map(value).collect()
}

/// The value of `-Dname=value` in a command line.
fn property(command: &[String], name: &str) -> Option<String> {
    let value = |word: &String| word.strip_prefix("-D")?.strip_prefix(name)?.strip_prefix('=').map(str::to_owned);
    command.iter().find_map(value)
}

/// The value of a key in `key=value,key=value`.
fn attribute_of(attributes: &str, key: &str) -> Option<String> {
    let pairs = attributes.split(',').filter_map(|pair| pair.split_once('='));
    pairs.into_iter().find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim().to_owned())
}

/// Reads labels from a name. For example, `shop-1.2.3.jar` is version 1.2.3 of shop.
pub(super) fn of_name(name: &str) -> Labels {
    let stem = name.strip_suffix(".jar").unwrap_or(name);
    let is_version = |rest: &str| rest.starts_with(|letter: char| letter.is_ascii_digit());
    let dashes = stem.match_indices('-').map(|(position, _)| position);
    let cut = dashes.filter(|_| stem.len() < name.len()).find(|position| is_version(&stem[position + 1..]));
    let mut labels = Labels::new();
    let service = match cut {
        Some(position) if position > 0 => {
            labels.insert("version".to_owned(), stem[position + 1..].to_owned());
            &stem[..position]
        }
        _ => stem,
    };
    labels.insert("service".to_owned(), if service.is_empty() { "unknown".to_owned() } else { service.to_owned() });
    labels
}
