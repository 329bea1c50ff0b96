//! The kubelet's list of the pods on its node: JSON, the same as the API server's `PodList`. Only a few fields are read.

use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::{BTreeMap, HashMap};

/// Labels of pods that become labels of segments, with the same names.
const KEPT_LABELS: [&str; 2] = [NAME_LABEL, APP_LABEL];
/// Names of the application. The first one is recommended by Kubernetes, the second one is older.
const NAME_LABEL: &str = "app.kubernetes.io/name";
const APP_LABEL: &str = "app";
const VERSION_LABEL: &str = "app.kubernetes.io/version";
/// The part of a ReplicaSet's name that its Deployment adds.
const HASH_LABEL: &str = "pod-template-hash";

/// Maximum length of a name in Kubernetes.
const MAX_NAME: usize = 253;
/// Maximum length of an error in a message.
const MAX_SHOWN_CHARACTERS: usize = 200;

/// A pod, as far as whittle needs it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pod {
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// The name for a service: of the application, or else of the Deployment, StatefulSet, DaemonSet or job, or else of the pod.
    pub(crate) workload: String,
    pub(crate) version: Option<String>,
    /// The chosen labels.
    pub(crate) labels: BTreeMap<String, String>,
    /// Names of containers by id.
    pub(crate) containers: BTreeMap<String, String>,
}

/// The pods of a node by UID.
pub(crate) type Pods = HashMap<String, Pod>;

/// The kubelet's answer.
#[derive(Debug, Default)]
pub(crate) struct PodList {
    pub(crate) pods: Pods,
    /// Items that are left out because they have no names, or names that Kubernetes does not allow.
    pub(crate) unreadable_count: usize,
}

/// Parses the kubelet's answer. An item that is no pod does not hide the other items.
pub(crate) fn parse_pods(json: &[u8]) -> Result<PodList, String> {
    let list: ListText = serde_json::from_slice(json)
        .map_err(|error| format!("its answer is no list of pods: {}", shortened(&error.to_string())))?;
    if list.kind != "PodList" {
        return Err("its answer is JSON, but no list of pods".to_owned());
    }
    let mut read = PodList::default();
    for item in list.items.unwrap_or_default() {
        match item.pod() {
            Some((uid, pod)) => drop(read.pods.insert(uid, pod)),
            None => read.unreadable_count += 1,
        }
    }
    Ok(read)
}

/// The start of an error. Parsers show the texts that they do not accept, which can have megabytes.
pub(crate) fn shortened(error: &str) -> String {
    match error.char_indices().nth(MAX_SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", &error[..end]),
        None => error.to_owned(),
    }
}

#[derive(Debug, Deserialize)]
struct ListText {
    kind: String,
    items: Option<Vec<ItemText>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum ItemText {
    Pod(Box<PodText>),
    Other(IgnoredAny),
}

#[derive(Debug, Deserialize)]
struct PodText {
    metadata: Metadata,
    #[serde(default)]
    status: Status,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    name: String,
    namespace: String,
    uid: String,
    labels: Option<BTreeMap<String, String>>,
    owner_references: Option<Vec<Owner>>,
}

#[derive(Debug, Deserialize)]
struct Owner {
    kind: String,
    name: String,
    #[serde(default)]
    controller: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    container_statuses: Option<Vec<ContainerStatus>>,
    init_container_statuses: Option<Vec<ContainerStatus>>,
    ephemeral_container_statuses: Option<Vec<ContainerStatus>>,
}

#[derive(Debug, Deserialize)]
struct ContainerStatus {
    name: String,
    /// `containerd://<id>`. Missing: the container has not started.
    #[serde(rename = "containerID")]
    container_id: Option<String>,
}

impl ItemText {
    fn pod(self) -> Option<(String, Pod)> {
        match self {
            Self::Pod(pod) => Some((plain_name(&pod.metadata.uid)?, pod.read()?)),
            Self::Other(_) => None,
        }
    }
}

impl PodText {
    fn read(self) -> Option<Pod> {
        let all = self.metadata.labels.unwrap_or_default();
        let value = |label: &str| all.get(label).and_then(|value| plain_name(value));
        let name = plain_name(&self.metadata.name)?;
        let owner = self.metadata.owner_references.into_iter().flatten().find(|owner| owner.controller);
        let of_owner = || owner.and_then(|owner| plain_name(owner.workload(value(HASH_LABEL).as_deref())));
        let workload = value(NAME_LABEL).or_else(|| value(APP_LABEL)).or_else(of_owner);
        Some(Pod {
            namespace: plain_name(&self.metadata.namespace)?,
            workload: workload.unwrap_or_else(|| name.clone()),
            version: value(VERSION_LABEL),
            labels: KEPT_LABELS.into_iter().filter_map(|label| Some((label.to_owned(), value(label)?))).collect(),
            containers: self.status.containers(),
            name,
        })
    }
}

impl Owner {
    /// The name of what the user wrote: `shop` for the ReplicaSet `shop-7d9f8b6c5d`, `report` for the Job `report-29387410`.
    fn workload(&self, hash: Option<&str>) -> &str {
        let (start, end) = self.name.rsplit_once('-').unwrap_or((&self.name, ""));
        let is_added = match self.kind.as_str() {
            "ReplicaSet" => Some(end) == hash,
            // A CronJob adds the minutes since 1970.
            "Job" => end.len() >= 8 && end.bytes().all(|byte| byte.is_ascii_digit()),
            _ => false,
        };
        if is_added { start } else { &self.name }
    }
}

impl Status {
    fn containers(self) -> BTreeMap<String, String> {
        let lists = [self.container_statuses, self.init_container_statuses, self.ephemeral_container_statuses];
        let id_and_name = |status: ContainerStatus| {
            let id = status.container_id?;
            Some((plain_name(id.rsplit('/').next()?)?, plain_name(&status.name)?))
        };
        lists.into_iter().flatten().flatten().filter_map(id_and_name).collect()
    }
}

/// A name or a label's value with the letters that Kubernetes allows. Other texts are left out.
fn plain_name(text: &str) -> Option<String> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let is_name = (1..=MAX_NAME).contains(&text.len()) && text.bytes().all(is_allowed);
    is_name.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;
    use serde_json::{Value, json};

    fn pod_with(metadata: Value) -> Pod {
        let mut whole = json!({"name": "shop-7d9f8b6c5d-x2k4p", "namespace": "front", "uid": "u"});
        whole.as_object_mut().unwrap().extend(metadata.as_object().unwrap().clone());
        let list = json!({"kind": "PodList", "items": [{"metadata": whole}]});
        parse_pods(list.to_string().as_bytes()).unwrap().pods.remove("u").unwrap()
    }

    #[test]
    fn a_pod_has_names_labels_and_containers() {
        let list = json!({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": [{
            "metadata": {"name": "shop-0", "namespace": "front", "uid": "u", "creationTimestamp": "2026-11-28T11:00:00Z",
                "labels": {"app": "shop", "app.kubernetes.io/version": "1.2", "secret-plan": "x"}},
            "spec": {"containers": [{"name": "web"}]},
            "status": {
                "containerStatuses": [{"name": "web", "containerID": "containerd://a1"}, {"name": "late"}],
                "initContainerStatuses": [{"name": "init", "containerID": "cri-o://b2"}]}}]});
        let pod = parse_pods(list.to_string().as_bytes()).unwrap().pods.remove("u").unwrap();
        assert_eq!(
            (pod.namespace.as_str(), pod.name.as_str(), pod.version.as_deref()),
            ("front", "shop-0", Some("1.2"))
        );
        assert_eq!(pod.labels, BTreeMap::from([("app".to_owned(), "shop".to_owned())]));
        let containers: Vec<(&str, &str)> = pod.containers.iter().map(|(id, name)| (&**id, &**name)).collect();
        assert_eq!(containers, [("a1", "web"), ("b2", "init")]);
    }

    #[test]
    fn the_workload_is_what_the_user_wrote() {
        let owned = |kind: &str, name: &str, labels: Value| {
            let owner = json!([{"kind": "Other", "name": "no"}, {"kind": kind, "name": name, "controller": true}]);
            pod_with(json!({"labels": labels, "ownerReferences": owner})).workload
        };
        let hash = || json!({"pod-template-hash": "7d9f8b6c5d"});
        assert_eq!(owned("ReplicaSet", "shop-7d9f8b6c5d", hash()), "shop");
        assert_eq!(owned("ReplicaSet", "shop-blue", hash()), "shop-blue");
        assert_eq!(owned("StatefulSet", "kafka-1", json!({})), "kafka-1");
        assert_eq!(owned("Job", "report-29387410", json!({})), "report");
        assert_eq!(owned("Job", "report-2026", json!({})), "report-2026");
        assert_eq!(owned("ReplicaSet", "x", json!({"app": "a", "app.kubernetes.io/name": "till"})), "till");
        assert_eq!(owned("ReplicaSet", "x", json!({"app": "a"})), "a");
        assert_eq!(pod_with(json!({"labels": null})).workload, "shop-7d9f8b6c5d-x2k4p");
    }

    #[test]
    fn strange_names_are_left_out() {
        let strange =
            json!({"labels": {"app": "a,service=b", "app.kubernetes.io/name": "x\n", "app.kubernetes.io/version": ""}});
        let pod = pod_with(strange);
        assert_eq!((pod.workload.as_str(), pod.version, pod.labels.len()), ("shop-7d9f8b6c5d-x2k4p", None, 0));
        let list = json!({"kind": "PodList", "items": [{"metadata": {"name": "a/b", "namespace": "n", "uid": "u"}}]});
        let read = parse_pods(list.to_string().as_bytes()).unwrap();
        assert_eq!((read.pods.len(), read.unreadable_count), (0, 1));
    }

    #[test]
    fn a_malformed_item_does_not_hide_the_others() {
        let named = |uid: &str| json!({"name": "shop-0", "namespace": "front", "uid": uid});
        let list = json!({"kind": "PodList", "items": [
            5, null, {}, {"metadata": {"name": "x"}}, {"metadata": named("u")}, {"metadata": named("v"), "status": {"containerStatuses": 7}},
            {"metadata": named("w"), "status": {"containerStatuses": [{"name": "web", "containerID": "a://b"}]}}]});
        let read = parse_pods(list.to_string().as_bytes()).unwrap();
        let mut uids: Vec<&str> = read.pods.keys().map(String::as_str).collect();
        uids.sort_unstable();
        assert_eq!((uids, read.unreadable_count), (vec!["u", "w"], 5));
        assert_eq!(read.pods["w"].containers["b"], "web");
    }

    #[test]
    fn a_message_shows_only_the_start_of_a_long_answer() {
        let text = json!({"kind": "PodList", "items": "ä".repeat(10_000)}).to_string();
        let error = parse_pods(text.as_bytes()).unwrap_err();
        assert!(error.starts_with("its answer is no list of pods: invalid type: string"), "{error}");
        assert!(error.ends_with('…') && error.chars().count() < 250, "{error}");
    }

    #[test]
    fn an_answer_of_another_kind_is_an_error() {
        assert!(parse_pods(br#"{"kind":"PodList","items":null}"#).unwrap().pods.is_empty());
        for (text, part) in [
            ("", "no list of pods: EOF"),
            ("Unauthorized", "no list of pods: expected value"),
            (r#"{"kind":"PodList","items":[{"meta"#, "no list of pods: EOF"),
            (r#"{"kind":"Status","code":403}"#, "JSON, but no list of pods"),
            (r#"{"kind":"PodList","items":5}"#, "invalid type"),
        ] {
            let error = parse_pods(text.as_bytes()).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        // A parser that calls itself for each level would end the program.
        let deep = format!(r#"{{"kind":"PodList","x":{}"#, "[".repeat(100_000));
        assert!(parse_pods(deep.as_bytes()).is_err());
    }
}
