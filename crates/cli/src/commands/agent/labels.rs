//! Labels of a process: its service, its version, its region.
//!
//! The labels are derived from the command line and the environment of the process. The first source that has a label
//! sets its value. The order of sources is rules, environment, system properties, `--label`, pod, name of the process.

use super::pods::{KnownPods, PodPlace};
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

/// The labels of one process. The kubelet can know the process's pod later than the agent knows the process.
#[derive(Debug)]
pub(crate) struct ProcessLabels<'a> {
    of_name: Labels,
    /// The labels that are more important than those of the pod.
    of_user: Labels,
    /// `None`: the process is in no pod, or all names of the pod are known.
    pod: Option<(&'a KnownPods, PodPlace)>,
    current: Labels,
}

impl<'a> ProcessLabels<'a> {
    /// `of_rules` contains labels from the rules file. `given` contains the host's labels and labels for all processes.
    pub(crate) fn new(subject: &Subject, of_rules: Labels, given: &Labels) -> Self {
        let mut of_user = given.clone();
        of_user.extend(of_environment(subject));
        of_user.extend(of_rules);
        let mut labels = Self { of_name: of_name(&subject.name), of_user, pod: None, current: Labels::new() };
        labels.set_pod(Labels::new());
        labels
    }

    /// Adds the labels of the process's pod.
    pub(crate) fn in_pod(mut self, known: &'a KnownPods, place: PodPlace) -> Self {
        self.pod = Some((known, place));
        self.look_up();
        self
    }

    /// The labels that are known now.
    pub(crate) fn current(&self) -> &Labels {
        &self.current
    }

    /// Looks for names of the pod that were unknown before.
    pub(crate) fn look_up(&mut self) {
        let Some((known, place)) = &self.pod else { return };
        let found = known.labels(place);
        if found.is_complete {
            self.pod = None;
        }
        self.set_pod(found.labels);
    }

    fn set_pod(&mut self, of_pod: Labels) {
        let layers = [self.of_name.clone(), of_pod, self.of_user.clone()];
        self.current = layers.into_iter().flatten().map(|(name, value)| (name, plain(&value))).collect();
    }
}

/// Maximum length of a label in characters, as for pushed profiles.
const MAX_LENGTH: usize = 256;

/// A value without control characters. The observed program can set any value.
fn plain(value: &str) -> String {
    value.chars().filter(|letter| !letter.is_control()).take(MAX_LENGTH).collect()
}

fn of_environment(subject: &Subject) -> Labels {
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
fn of_name(name: &str) -> Labels {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(name: &str, command: &str, environment: &[(&str, &str)]) -> Subject {
        Subject {
            name: name.to_owned(),
            command: command.split(' ').map(str::to_owned).collect(),
            environment: environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        }
    }

    fn map(labels: &[(&str, &str)]) -> Labels {
        labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn text(subject: &Subject, of_rules: &[(&str, &str)], given: &[(&str, &str)]) -> String {
        in_words(&ProcessLabels::new(subject, map(of_rules), &map(given)))
    }

    fn in_words(labels: &ProcessLabels<'_>) -> String {
        labels.current().iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn by_default_the_name_is_the_service() {
        let jar = subject("shop-api-1.2.3-SNAPSHOT.jar", "java -jar x", &[]);
        assert_eq!(text(&jar, &[], &[]), "service=shop-api version=1.2.3-SNAPSHOT");
        let class = subject("com.example.Main-2", "java com.example.Main-2", &[]);
        assert_eq!(text(&class, &[], &[("host", "a")]), "host=a service=com.example.Main-2");
    }

    #[test]
    fn the_environment_overrides_the_name_and_a_rule_overrides_both() {
        let environment = [
            ("OTEL_SERVICE_NAME", "checkout"),
            ("OTEL_RESOURCE_ATTRIBUTES", "service.name=no,service.version=7, cloud.region=eu"),
        ];
        let found = subject("app.jar", "java -Dwhittle.version=8 -jar app.jar", &environment);
        assert_eq!(
            text(&found, &[], &[("region", "us"), ("team", "b")]),
            "region=eu service=checkout team=b version=8"
        );
        let of_rules = [("service", "till"), ("tier", "front")];
        assert_eq!(text(&found, &of_rules, &[]), "region=eu service=till tier=front version=8");
    }

    #[test]
    fn a_pod_overrides_the_name_and_nothing_else() {
        let known = KnownPods::default();
        let place = PodPlace { pod_uid: "u".to_owned(), container_id: None, class: None };
        let jar = subject("app-3.jar", "java -jar app-3.jar", &[("WHITTLE_VERSION", "8")]);
        let of_rules = map(&[("namespace", "mine")]);
        let mut labels = ProcessLabels::new(&jar, of_rules, &map(&[("host", "n")])).in_pod(&known, place);
        assert_eq!(in_words(&labels), "host=n namespace=mine pod_uid=u service=app version=8");
        known.answer_for_test("u", "shop");
        assert_eq!(in_words(&labels), "host=n namespace=mine pod_uid=u service=app version=8");
        labels.look_up();
        assert_eq!(in_words(&labels), "host=n namespace=mine pod=shop-0 pod_uid=u service=shop version=8");
        known.answer_for_test("u", "till");
        labels.look_up();
        assert!(in_words(&labels).contains("service=shop"), "a known pod is not looked up again");
    }
}
