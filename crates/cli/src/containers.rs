//! Finds the process of a container by the container's id or name.
//!
//! The control group of a container's processes contains its id, for example `…/docker-ID.scope`, `…/libpod-ID.scope`,
//! `…/cri-containerd-ID.scope` or `/docker/ID`. Names are in files of the engines Docker and Podman. Containers of systemd-nspawn
//! and LXC have only a name, which is in the control group. Containers without a control group of their own are found by their
//! monitor (`monitors`).

mod monitors;

use monitors::Monitors;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;
use whittle_collect::{ProcessKind, RunningProcess, other_process_ids, running_process_without_jdk};
use whittle_terminal::Failure;

/// Length of an id in hexadecimal digits.
const ID_LENGTH: usize = 64;
/// Engines show this many digits of an id.
const SHOWN_DIGITS: usize = 12;
/// Minimum length of the start of an id.
const FEWEST_DIGITS: usize = 4;
/// Maximum number of containers or processes in a message.
const MAX_LISTED: usize = 10;
/// Maximum size of an engine's file. The list of all of Podman's containers has about 1 KiB for each.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// The monitors of Podman and CRI-O are outside of the container and have its id. libvirt's machines are no containers.
const NO_CONTAINERS: [&str; 2] = ["conmon-", "machine-qemu"];

const DOCKER: &str = "/var/lib/docker/containers";
const PODMAN: &str = "/var/lib/containers/storage";

/// The process to collect in the container with this name, or with an id that starts with this text: its only JVM. If there is no
/// JVM, the first process of the container.
///
/// # Errors
/// No running container or more than one fits, or the container has several JVMs.
pub(crate) fn process_of(wanted: &str) -> Result<u32, Failure> {
    let containers = running_containers();
    let container = chosen(wanted, &containers)?;
    let processes: Vec<RunningProcess> =
        container.processes.iter().filter_map(|id| running_process_without_jdk(*id)).collect();
    let jvms: Vec<&RunningProcess> = processes.iter().filter(|process| process.kind == ProcessKind::Jvm).collect();
    match jvms[..] {
        [jvm] => Ok(jvm.process_id),
        [] => {
            let first = processes.iter().min_by_key(|process| (process.start_ticks, process.process_id));
            let gone = || Failure::new(format!("the container {} has no process any more", container.shown()));
            first.map(|process| process.process_id).ok_or_else(gone)
        }
        _ => {
            let listed = listed(jvms.iter().map(|jvm| format!("{} {}", jvm.process_id, jvm.name)));
            Err(Failure::usage(format!(
                "the container {} has several JVMs: {listed}; choose one with -p PID",
                container.shown()
            )))
        }
    }
}

/// A container with processes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Container {
    /// The id, or the name of a container without an id.
    id: String,
    names: Vec<String>,
    /// Path of the control group. A user with control groups of their own can use the id of another container.
    group: String,
    processes: Vec<u32>,
}

impl Container {
    fn has_name(&self, wanted: &str) -> bool {
        self.id == wanted || self.names.iter().any(|name| name == wanted)
    }

    fn has_id_from(&self, wanted: &str) -> bool {
        wanted.len() >= FEWEST_DIGITS && self.has_id() && self.id.starts_with(wanted)
    }

    fn has_id(&self) -> bool {
        self.id.len() == ID_LENGTH && is_hexadecimal(&self.id)
    }

    /// The short id and the names.
    fn shown(&self) -> String {
        let id = if self.has_id() { &self.id[..SHOWN_DIGITS] } else { &self.id };
        if self.names.is_empty() { id.to_owned() } else { format!("{id} ({})", self.names.join(", ")) }
    }
}

fn chosen<'a>(wanted: &str, containers: &'a [Container]) -> Result<&'a Container, Failure> {
    // A name can look like the start of an id.
    let mut fitting: Vec<&Container> = containers.iter().filter(|container| container.has_name(wanted)).collect();
    if fitting.is_empty() {
        fitting = containers.iter().filter(|container| container.has_id_from(wanted)).collect();
    }
    match fitting[..] {
        [container] => Ok(container),
        [] if containers.is_empty() => {
            Err(Failure::new("whittle finds no container here: no process has the control group or the monitor of one"))
        }
        [] => {
            let running = listed(containers.iter().map(Container::shown));
            Err(Failure::new(format!("no running container has the id or name \"{wanted}\"; running: {running}")))
        }
        _ => {
            let all = listed(fitting.iter().map(|container| format!("{} at {}", container.shown(), container.group)));
            Err(Failure::usage(format!("\"{wanted}\" fits several containers: {all}")))
        }
    }
}

fn listed(texts: impl ExactSizeIterator<Item = String>) -> String {
    let count = texts.len();
    let mut shown: Vec<String> = texts.take(MAX_LISTED).collect();
    if count > MAX_LISTED {
        shown.push(format!("and {} more", count - MAX_LISTED));
    }
    shown.join(", ")
}

/// All containers with processes, by id and control group.
fn running_containers() -> Vec<Container> {
    let mut processes: BTreeMap<(String, String), Vec<u32>> = BTreeMap::new();
    // Whittle itself can be in a container.
    let process_ids: Vec<u32> = other_process_ids().collect();
    let monitors = Monitors::among(&process_ids);
    let mut podman = podman_names();
    for process_id in process_ids {
        let groups = fs::read_to_string(format!("/proc/{process_id}/cgroup")).unwrap_or_default();
        if let Some((id, group)) = container_of(&groups) {
            processes.entry((id, group.to_owned())).or_default().push(process_id);
        } else if let Some(container) = monitors.container_of(process_id) {
            let group = format!("below process {}", container.monitor);
            processes.entry((container.id.clone(), group)).or_default().push(process_id);
            if let Some(name) = &container.name {
                podman.insert(container.id.clone(), vec![name.clone()]);
            }
        }
    }
    let with_names = |((id, group), processes): ((String, String), Vec<u32>)| {
        let mut names = podman.get(&id).cloned().unwrap_or_default();
        names.extend(docker_name(&id));
        Container { id, names, group, processes }
    };
    processes.into_iter().map(with_names).collect()
}

/// The innermost container in the text of `/proc/PID/cgroup`: its id, or its name if it has no id, and the path of its control
/// group.
fn container_of(groups: &str) -> Option<(String, &str)> {
    let paths = groups.lines().filter_map(|line| line.splitn(3, ':').nth(2));
    paths.into_iter().find_map(|path| {
        // The ends of the path's parts, the last first.
        let ends = path.char_indices().rev().filter(|(_, letter)| *letter == '/').map(|(at, _)| at);
        std::iter::once(path.len()).chain(ends).find_map(|end| {
            let group = &path[..end];
            let part =
                group.rsplit('/').next().filter(|part| NO_CONTAINERS.iter().all(|other| !part.contains(other)))?;
            let is_id = |word: &&str| word.len() == ID_LENGTH && is_hexadecimal(word);
            let id = part.split(|letter: char| !letter.is_ascii_alphanumeric()).find(is_id).map(str::to_owned);
            Some((id.or_else(|| name_in(part))?, group))
        })
    })
}

/// The name of a container of systemd-nspawn or LXC in a part of the path. systemd writes `-` in a name as `\\x2d`.
fn name_in(part: &str) -> Option<String> {
    let of_service = part.strip_prefix("systemd-nspawn@").and_then(|rest| rest.strip_suffix(".service"));
    let of_machine = || part.strip_prefix("machine-").and_then(|rest| rest.strip_suffix(".scope"));
    let name = of_service.or_else(of_machine).or_else(|| part.strip_prefix("lxc.payload."))?;
    Some(name.replace("\\x2d", "-"))
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The name in Docker's description of a container.
fn docker_name(id: &str) -> Option<String> {
    let file = Path::new(DOCKER).join(id).join("config.v2.json");
    let name = read_json(&file)?.get("Name")?.as_str()?.trim_start_matches('/').to_owned();
    Some(name).filter(|name| !name.is_empty())
}

/// The names of root's containers of Podman by id. Each storage driver has a list, and one for containers that are removed at
/// their end.
fn podman_names() -> BTreeMap<String, Vec<String>> {
    let folders = fs::read_dir(PODMAN).into_iter().flatten().flatten().map(|entry| entry.path());
    let files =
        folders.flat_map(|folder| ["containers.json", "volatile-containers.json"].map(|file| folder.join(file)));
    let lists = files.filter_map(|file| read_json(&file));
    lists.flat_map(|list| names_in(&list)).collect()
}

fn names_in(list: &Value) -> Vec<(String, Vec<String>)> {
    let of_container = |container: &Value| {
        let names = container.get("names")?.as_array()?.iter().filter_map(|name| name.as_str().map(str::to_owned));
        Some((container.get("id")?.as_str()?.to_owned(), names.collect()))
    };
    list.as_array().into_iter().flatten().filter_map(of_container).collect()
}

fn read_json(file: &Path) -> Option<Value> {
    let mut text = String::new();
    fs::File::open(file).ok()?.take(MAX_FILE_BYTES).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "4f3d8c1b2a90e7f65d4c3b2a190817263544f3d8c1b2a90e7f65d4c3b2a19081";
    const TWO: &str = "4f3de00000000000000000000000000000000000000000000000000000000000";

    #[test]
    fn the_control_group_names_the_container() {
        for path in [
            format!("0::/system.slice/docker-{ONE}.scope"),
            format!("0::/docker/{ONE}"),
            format!("0::/machine.slice/libpod-{ONE}.scope/container"),
            format!("0::/kubepods.slice/kubepods-burstable.slice/kubepods-pod1.slice/cri-containerd-{ONE}.scope"),
            format!("12:memory:/user.slice\n4:cpu:/docker/{TWO}/docker/{ONE}\n"),
        ] {
            let (id, group) = container_of(&path).unwrap();
            assert_eq!(id, ONE, "{path}");
            assert!(path.contains(group) && group.trim_end_matches(".scope").ends_with(ONE), "{group}");
        }
        let nspawn = "/machine.slice/systemd-nspawn@web.service";
        let named = |name: &str, group| Some((name.to_owned(), group));
        assert_eq!(container_of(&format!("0::{nspawn}/payload")), named("web", nspawn));
        assert_eq!(container_of("0::/machine-web\\x2d1.scope"), named("web-1", "/machine-web\\x2d1.scope"));
        assert_eq!(container_of("0::/lxc.payload.web/init.scope"), named("web", "/lxc.payload.web"));
        for monitor in ["libpod", "crio"] {
            assert_eq!(container_of(&format!("0::/machine.slice/{monitor}-conmon-{ONE}.scope")), None);
        }
        assert_eq!(container_of("0::/machine.slice/machine-qemu\\x2d1\\x2dvm.scope"), None);
        for outside in ["", "0::/", "0::/user.slice/user-1000.slice/session-2.scope", "0::/docker/4f3d8c1b2a90"] {
            assert_eq!(container_of(outside), None, "{outside}");
        }
    }

    fn containers() -> Vec<Container> {
        let container = |id: &str, names: &[&str]| Container {
            id: id.to_owned(),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            group: format!("/docker/{id}"),
            processes: Vec::new(),
        };
        // Anybody with control groups of their own can choose names.
        let strange = "\u{e9}".repeat(ID_LENGTH / 2);
        vec![container(ONE, &["web"]), container(TWO, &["4f3d8"]), container("build", &[]), container(&strange, &[])]
    }

    #[test]
    fn a_name_or_the_start_of_an_id_chooses_a_container() {
        let containers = containers();
        let found = |wanted: &str| chosen(wanted, &containers).map(|container| container.id.as_str()).ok();
        assert_eq!((found("web"), found(TWO), found("build")), (Some(ONE), Some(TWO), Some("build")));
        assert_eq!((found("4f3d8c"), found("4f3d8")), (Some(ONE), Some(TWO)), "a name is more than the start of an id");
        assert_eq!((found("4f3"), found("4f3d"), found("we"), found("buil")), (None, None, None, None));
    }

    #[test]
    fn a_wrong_name_lists_what_there_is() {
        let error = |wanted: &str| chosen(wanted, &containers()).unwrap_err().message;
        let running = "no running container has the id or name \"shop\"; running: 4f3d8c1b2a90 (web), 4f3de0000000 (4f3d8), build, ";
        assert!(error("shop").starts_with(running), "{}", error("shop"));
        let several = format!(
            "\"4f3d\" fits several containers: 4f3d8c1b2a90 (web) at /docker/{ONE}, 4f3de0000000 (4f3d8) at /docker/{TWO}"
        );
        assert_eq!(error("4f3d"), several);
        assert!(chosen("web", &[]).unwrap_err().message.starts_with("whittle finds no container here"));
        assert_eq!(listed((0..12).map(|number| number.to_string())), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, and 2 more");
    }

    #[test]
    fn podmans_list_has_names() {
        let list = serde_json::json!([{"id": ONE, "names": ["web", "front"]}, {"id": TWO}, 5]);
        assert_eq!(names_in(&list), [(ONE.to_owned(), vec!["web".to_owned(), "front".to_owned()])]);
        assert!(names_in(&serde_json::json!({"id": ONE})).is_empty());
    }
}
