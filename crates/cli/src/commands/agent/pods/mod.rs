//! Names for the processes of pods: the control group shows a pod's UID, and the kubelet knows the pod with this UID.
//!
//! ```text
//! process ── control group ──> UID, container ──> known pods ──> labels
//!                                  unknown └──> kubelet, at most once in some seconds ──┘
//! ```
//!
//! Nobody waits for the kubelet. A process has the labels of its control group until the pod is known.

mod control_group;
mod kubelet;
mod list;

pub(crate) use control_group::{PodPlace, pod_place};
pub(crate) use kubelet::{Kubelet, KubeletOptions};

use super::labels::Labels;
use crate::terminal::output;
use list::{Pod, PodList, Pods};
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Minimum time between two requests to the kubelet.
const PAUSE: Duration = Duration::from_secs(5);
/// How often the kubelet is asked for one container. It learns of a new container some seconds after the container's start.
const TRIES: u8 = 3;
/// This many digits of a container's id are shown, as by container engines.
const SHOWN_DIGITS: usize = 12;

/// The pods of this node.
#[derive(Debug, Default)]
pub(crate) struct KnownPods {
    state: Mutex<State>,
    asked: Condvar,
}

#[derive(Debug, Default)]
struct State {
    pods: Pods,
    /// Unknown places, and how often the kubelet is still asked for them.
    wanted: BTreeMap<PodPlace, u8>,
    is_away: bool,
    /// How many items of the kubelet's last list whittle could not read.
    unreadable_count: usize,
}

/// The labels that a pod gives to a process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PodLabels {
    pub(crate) labels: Labels,
    /// False: the kubelet can have more names later.
    pub(crate) is_complete: bool,
}

impl KnownPods {
    /// Starts a thread that asks the kubelet when a pod is unknown. The thread ends with the program.
    pub(crate) fn ask(kubelet: Kubelet) -> std::io::Result<Arc<Self>> {
        let known = Arc::new(Self::default());
        let asking = Arc::clone(&known);
        thread::Builder::new().spawn(move || {
            loop {
                asking.wait_until_wanted();
                let answer = kubelet.pods();
                asking.answered(answer).into_iter().for_each(|note| output::note(&note));
                thread::sleep(PAUSE);
            }
        })?;
        Ok(known)
    }

    /// The labels of a process in this place. If the kubelet can have more, it is asked.
    pub(crate) fn labels(&self, place: &PodPlace) -> PodLabels {
        let mut state = self.state();
        let found = state.labels(place);
        if !found.is_complete {
            state.wanted.entry(place.clone()).or_insert(TRIES);
            self.asked.notify_all();
        }
        found
    }

    fn wait_until_wanted(&self) {
        let state = self.asked.wait_while(self.state(), |state| state.wanted.is_empty());
        drop(state.unwrap_or_else(PoisonError::into_inner));
    }

    /// Takes an answer of the kubelet. Returns what the user must know.
    fn answered(&self, answer: Result<PodList, String>) -> Vec<String> {
        let mut state = self.state();
        let was_away = state.is_away;
        state.is_away = answer.is_err();
        let mut notes = Vec::new();
        match answer {
            Ok(PodList { pods, unreadable_count }) => {
                state.pods = pods;
                if was_away {
                    notes.push("agent: the kubelet answers again".to_owned());
                }
                if unreadable_count > state.unreadable_count {
                    notes.push(format!(
                        "agent: whittle cannot read {unreadable_count} of the pods in the kubelet's list; these pods have only \
                         the labels of their control group"
                    ));
                }
                state.unreadable_count = unreadable_count;
            }
            Err(reason) if !was_away => notes.push(format!(
                "agent: no names of new pods from the kubelet: {reason}. New pods have only the labels of their control \
                 group; the agent tries again from time to time"
            )),
            Err(_) => {}
        }
        state.forget_answered();
        notes
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn labels(&self, place: &PodPlace) -> PodLabels {
        let pod = self.pods.get(&place.pod_uid);
        let container = pod.zip(place.container_id.as_ref()).and_then(|(pod, id)| pod.containers.get(id));
        let is_complete = pod.is_some() && container.is_some() == place.container_id.is_some();
        PodLabels { labels: of_place(place, pod, container), is_complete }
    }

    fn forget_answered(&mut self) {
        let wanted = std::mem::take(&mut self.wanted).into_iter();
        let still = wanted.filter(|(place, tries)| *tries > 1 && !self.labels(place).is_complete);
        self.wanted = still.map(|(place, tries)| (place, tries - 1)).collect();
    }
}

fn of_place(place: &PodPlace, pod: Option<&Pod>, container: Option<&String>) -> Labels {
    let mut labels = pod.map_or_else(Labels::new, of_pod);
    let mut add = |name: &str, value: &str| drop(labels.insert(name.to_owned(), value.to_owned()));
    add("pod_uid", &place.pod_uid);
    place.class.into_iter().for_each(|class| add("qos", class));
    match (container, &place.container_id) {
        (Some(name), _) => add("container", name),
        (None, Some(id)) => add("container_id", &id[..SHOWN_DIGITS.min(id.len())]),
        (None, None) => {}
    }
    labels
}

fn of_pod(pod: &Pod) -> Labels {
    let mut labels = pod.labels.clone();
    let named = [("namespace", &pod.namespace), ("pod", &pod.name), ("service", &pod.workload)];
    labels.extend(named.map(|(name, value)| (name.to_owned(), value.clone())));
    labels.extend(pod.version.clone().map(|version| ("version".to_owned(), version)));
    labels
}

#[cfg(test)]
impl KnownPods {
    /// The kubelet answers with one pod.
    pub(crate) fn answer_for_test(&self, uid: &str, workload: &str) {
        let pod = Pod { name: "shop-0".to_owned(), workload: workload.to_owned(), ..Pod::default() };
        self.answered(Ok(PodList { pods: Pods::from([(uid.to_owned(), pod)]), unreadable_count: 0 }));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;

    const ID: &str = "4f3d8c1b2a90e7f65d4c3b2a190817263544f3d8c1b2a90e7f65d4c3b2a19081";

    fn place(uid: &str) -> PodPlace {
        PodPlace { pod_uid: uid.to_owned(), container_id: Some(ID.to_owned()), class: Some("burstable") }
    }

    fn pods(uid: &str, containers: &[&str]) -> PodList {
        let containers = containers.iter().map(|id| ((*id).to_owned(), "web".to_owned())).collect();
        let pod = Pod {
            namespace: "front".to_owned(),
            name: "shop-0".to_owned(),
            workload: "shop".to_owned(),
            version: Some("1.2".to_owned()),
            labels: Labels::from([("app".to_owned(), "shop".to_owned())]),
            containers,
        };
        PodList { pods: Pods::from([(uid.to_owned(), pod)]), unreadable_count: 0 }
    }

    fn text(found: &PodLabels) -> String {
        let labels: Vec<String> = found.labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{}{}", labels.join(" "), if found.is_complete { "" } else { " …" })
    }

    #[test]
    fn names_replace_what_the_control_group_shows() {
        let known = KnownPods::default();
        let labels = |uid: &str| text(&known.labels(&place(uid)));
        assert_eq!(labels("u"), "container_id=4f3d8c1b2a90 pod_uid=u qos=burstable …");
        known.answered(Ok(pods("u", &[])));
        let named = "app=shop container_id=4f3d8c1b2a90 namespace=front pod=shop-0 pod_uid=u qos=burstable service=shop version=1.2";
        assert_eq!(labels("u"), format!("{named} …"));
        known.answered(Ok(pods("u", &[ID])));
        assert_eq!(labels("u"), named.replace("container_id=4f3d8c1b2a90", "container=web"));
        let pause = PodPlace { container_id: None, ..place("u") };
        assert!(known.labels(&pause).is_complete, "a process of the pod itself has no container");
    }

    #[test]
    fn the_kubelet_is_asked_a_few_times_for_each_unknown_container() {
        let known = KnownPods::default();
        let is_wanted = || !known.state().wanted.is_empty();
        assert!(!is_wanted());
        known.labels(&place("u"));
        for tries in (0..TRIES).rev() {
            assert!(is_wanted());
            known.labels(&place("u"));
            known.answered(Ok(pods("other", &[ID])));
            assert_eq!(is_wanted(), tries > 0);
        }
        known.labels(&place("u"));
        known.answered(Ok(pods("u", &[ID])));
        assert!(!is_wanted() && known.labels(&place("u")).is_complete && !is_wanted());
    }

    #[test]
    fn a_kubelet_without_an_answer_is_reported_once_and_known_pods_stay() {
        let known = KnownPods::default();
        assert!(known.answered(Ok(pods("u", &[ID]))).is_empty());
        let denied = || known.answered(Err("it does not accept the token (401)".to_owned()));
        assert!(denied()[0].starts_with("agent: no names of new pods from the kubelet: it does not accept"));
        assert!(denied().is_empty());
        assert!(known.labels(&place("u")).is_complete);
        assert_eq!(known.answered(Ok(pods("u", &[ID]))), ["agent: the kubelet answers again"]);
    }

    #[test]
    fn unreadable_pods_are_reported_once() {
        let known = KnownPods::default();
        let answered = |unreadable_count| known.answered(Ok(PodList { unreadable_count, ..pods("u", &[ID]) }));
        assert!(answered(2)[0].contains("cannot read 2 of the pods"));
        assert!(answered(2).is_empty() && answered(1).is_empty());
        assert_eq!(answered(2).len(), 1);
    }
}
