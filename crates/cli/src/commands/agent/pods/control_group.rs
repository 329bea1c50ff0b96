//! The pod of a process, from the path of its control group. The kubelet makes a control group for each pod:
//!
//! ```text
//! /kubepods/burstable/pod<UID>/<container>                                               driver cgroupfs
//! /kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod<UID>.slice/cri-containerd-<container>.scope    systemd
//! ```
//!
//! A program can make control groups below the one of its container. So the outermost pod in the path counts. Users can make
//! control groups with any name below `user.slice`. So the path must be one that the kubelet makes.

/// Length of a container's id in hexadecimal digits.
const CONTAINER_DIGITS: usize = 64;

/// The control group of all processes of users.
const USERS: &str = "user.slice";

/// Where the kubelet has put a process.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PodPlace {
    /// The pod's UID, as the kubelet's list has it.
    pub(crate) pod_uid: String,
    /// The container's id. `None`: the process is in the pod, but in no container.
    pub(crate) container_id: Option<String>,
    /// The pod's class of service. `None`: the path does not show it, because whittle sees only a part of the path.
    pub(crate) class: Option<&'static str>,
}

/// The pod in the text of `/proc/PID/cgroup`. `None`: the process is in no pod.
pub(crate) fn pod_place(groups: &str) -> Option<PodPlace> {
    groups.lines().filter_map(|line| line.splitn(3, ':').nth(2)).find_map(place_in)
}

fn place_in(path: &str) -> Option<PodPlace> {
    // Some versions of containerd write `…-pod<UID>.slice:cri-containerd:<container>` as one part.
    let parts: Vec<&str> = path.split(['/', ':']).filter(|part| !part.is_empty()).collect();
    let (position, pod_uid) = parts.iter().enumerate().find_map(|(position, part)| Some((position, uid_in(part)?)))?;
    let (to_pod, in_pod) = parts.split_at(position + 1);
    if !is_of_kubelet(to_pod) {
        return None;
    }
    let container_id = in_pod.iter().take(2).find_map(|part| container_in(part));
    let class_of = |name: &str| to_pod.iter().any(|part| part.contains(name));
    let class = match () {
        () if class_of("burstable") => Some("burstable"),
        () if class_of("besteffort") => Some("besteffort"),
        () => class_of("kubepods").then_some("guaranteed"),
    };
    Some(PodPlace { pod_uid, container_id, class })
}

/// True if the path to a pod has a part `kubepods`, or if whittle sees the path from below the parts before the pod:
/// `../../besteffort/pod<UID>`.
fn is_of_kubelet(to_pod: &[&str]) -> bool {
    let is_kubepods = |part: &&str| part.trim_end_matches(".slice").split('-').any(|word| word == "kubepods");
    let [before @ .., _] = to_pod else { return false };
    let is_seen_from_below =
        before.first() == Some(&"..") && before.iter().all(|part| matches!(*part, ".." | "burstable" | "besteffort"));
    !before.contains(&USERS) && (to_pod.iter().any(is_kubepods) || is_seen_from_below)
}

/// The UID in `pod<UID>` or `kubepods-burstable-pod<UID>.slice`. The driver systemd writes `_` for `-`.
fn uid_in(part: &str) -> Option<String> {
    let name = part.strip_suffix(".slice").unwrap_or(part);
    let uid = match name.rsplit_once("-pod") {
        Some((before, uid)) if before.contains("kubepods") => uid,
        Some(_) => return None,
        None => name.strip_prefix("pod")?,
    };
    let uid = uid.replace('_', "-");
    is_uid(&uid).then_some(uid)
}

/// True for a UUID, and for the hash that is the UID of a pod from a file of the node.
fn is_uid(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_hexdigit).count();
    let dashes: Vec<usize> = text.match_indices('-').map(|(position, _)| position).collect();
    digits == 32 && digits + dashes.len() == text.len() && (dashes.is_empty() || dashes == [8, 13, 18, 23])
}

/// The id in `<id>`, `cri-containerd-<id>.scope`, `crio-<id>.scope` or `docker-<id>.scope`.
fn container_in(part: &str) -> Option<String> {
    let name = part.strip_suffix(".scope").unwrap_or(part);
    let id = name.rsplit('-').next()?;
    let is_id = id.len() == CONTAINER_DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| id.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;

    const UID: &str = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
    const SYSTEMD_UID: &str = "0f1e2d3c_4b5a_6978_8796_a5b4c3d2e1f0";
    const ID: &str = "4f3d8c1b2a90e7f65d4c3b2a190817263544f3d8c1b2a90e7f65d4c3b2a19081";
    const OTHER: &str = "deadbeefdeadbeefdeadbeefdeadbeefdeadbeefdeadbeefdeadbeefdeadbeef";

    #[test]
    fn the_path_names_pod_container_and_class() {
        let slice = "/kubepods.slice/kubepods-besteffort.slice";
        for (path, class) in [
            (format!("0::/kubepods/burstable/pod{UID}/{ID}"), Some("burstable")),
            (format!("0::/kubepods/pod{UID}/{ID}/init"), Some("guaranteed")),
            (
                format!("0::{slice}/kubepods-besteffort-pod{SYSTEMD_UID}.slice/cri-containerd-{ID}.scope"),
                Some("besteffort"),
            ),
            (format!("0::/kubepods.slice/kubepods-pod{SYSTEMD_UID}.slice/crio-{ID}.scope/x"), Some("guaranteed")),
            (format!("9:cpu:/docker/{OTHER}/kubelet/kubepods/burstable/pod{UID}/{ID}\n0::/\n"), Some("burstable")),
            (
                format!(
                    "0::/system.slice/containerd.service/kubepods-burstable-pod{SYSTEMD_UID}.slice:cri-containerd:{ID}"
                ),
                Some("burstable"),
            ),
            (format!("0::/../../kubepods-pod{SYSTEMD_UID}.slice/docker-{ID}.scope"), Some("guaranteed")),
            (format!("0::/../../pod{UID}/{ID}"), None),
            (format!("0::/../../../besteffort/pod{UID}/{ID}"), Some("besteffort")),
            (
                format!(
                    "0::/docker/{OTHER}/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod{SYSTEMD_UID}.slice/cri-containerd-{ID}.scope"
                ),
                Some("guaranteed"),
            ),
        ] {
            let expected = PodPlace { pod_uid: UID.to_owned(), container_id: Some(ID.to_owned()), class };
            assert_eq!(pod_place(&path), Some(expected), "{path}");
        }
        let hash = "0123456789abcdef0123456789abcdef";
        let of_file = pod_place(&format!("0::/kubepods/burstable/pod{hash}")).unwrap();
        assert_eq!((of_file.pod_uid.as_str(), of_file.container_id), (hash, None));
    }

    #[test]
    fn a_program_cannot_choose_another_pod() {
        let strange = "ffffffff-4b5a-6978-8796-a5b4c3d2e1f0";
        let below = format!("0::/kubepods/pod{UID}/{ID}/kubepods/pod{strange}/{OTHER}");
        let place = pod_place(&below).unwrap();
        assert_eq!((place.pod_uid.as_str(), place.container_id.as_deref()), (UID, Some(ID)));
        // Docker in a pod.
        let inner = pod_place(&format!("0::/kubepods/pod{UID}/{ID}/docker/{OTHER}")).unwrap();
        assert_eq!(inner.container_id.as_deref(), Some(ID));
    }

    #[test]
    fn a_user_cannot_choose_a_pod() {
        let users = "user.slice/user-1000.slice/user@1000.service";
        for path in [
            format!("/{users}/pod{UID}/{ID}"),
            format!("/{users}/kubepods/burstable/pod{UID}/{ID}"),
            format!("/{users}/kubepods.slice/kubepods-pod{SYSTEMD_UID}.slice/cri-containerd-{ID}.scope"),
            format!("/../../../{users}/kubepods/pod{UID}/{ID}"),
            format!("/../../{users}/pod{UID}/{ID}"),
            format!("/pod{UID}/{ID}"),
            format!("/system.slice/shop.service/pod{UID}/{ID}"),
            format!("/my.slice/pod{UID}/kubepods/pod{UID}/{ID}"),
            format!("/not_kubepods/pod{UID}/{ID}"),
            format!("/burstable/../pod{UID}/{ID}"),
        ] {
            assert_eq!(pod_place(&format!("0::{path}")), None, "{path}");
        }
    }

    #[test]
    fn other_paths_are_in_no_pod() {
        for path in [
            "",
            "0::/",
            "0::/user.slice/user-1000.slice/session-2.scope",
            "0::/machine.slice/libpod_pod_4f3d8c.slice",
            "0::/kubepods/burstable",
            "0::/kubepods/pod",
            "0::/kubepods/pod0f1e2d3c4b5a69788796a5b4c3d2e1f",
            "0::/kubepods/pod0f1e2d3c4-b5a-6978-8796-a5b4c3d2e1f0",
            "0::/my-pod0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
            &format!("0::/docker/{ID}"),
        ] {
            assert_eq!(pod_place(path), None, "{path}");
        }
    }
}
