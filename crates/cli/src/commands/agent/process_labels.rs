//! The labels of one process, from all sources: rules, environment, system properties, `--label`, pod, name of the process.

use super::labels::{Labels, Subject, of_environment, of_name, plain};
use super::pods::{KnownPods, PodPlace};

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
