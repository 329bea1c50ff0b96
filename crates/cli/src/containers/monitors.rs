//! Containers without a control group. A user without control groups of their own (rootless Podman with version 1 of control groups)
//! starts containers in the control group of their shell. There the container's monitor `conmon`, an ancestor of its processes, has
//! the id and the name among its arguments: `conmon -c ID … -n NAME …`.

use super::{ID_LENGTH, is_hexadecimal};
use std::collections::BTreeMap;
use std::fs;

const MONITOR: &str = "conmon";

/// Maximum number of ancestors of a process that are examined.
const MOST_ANCESTORS: usize = 64;

/// A container as its monitor describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Monitored {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) monitor: u32,
}

/// The monitors among the processes of the machine.
#[derive(Debug, Default)]
pub(super) struct Monitors {
    parents: BTreeMap<u32, u32>,
    containers: BTreeMap<u32, Monitored>,
}

impl Monitors {
    /// Finds the monitors among these processes.
    pub(super) fn among(process_ids: &[u32]) -> Self {
        let mut found = Self::default();
        for id in process_ids {
            let read = |file: &str| fs::read_to_string(format!("/proc/{id}/{file}")).unwrap_or_default();
            found.parents.extend(parent_in(&read("status")).map(|parent| (*id, parent)));
            if read("comm").trim_end() == MONITOR {
                let container = container_in(&read("cmdline"));
                found
                    .containers
                    .extend(container.map(|(id_text, name)| (*id, Monitored { id: id_text, name, monitor: *id })));
            }
        }
        found
    }

    /// The container of a process: that of its closest ancestor that is a monitor.
    pub(super) fn container_of(&self, process_id: u32) -> Option<&Monitored> {
        let parents = std::iter::successors(self.parents.get(&process_id), |id| self.parents.get(id));
        parents.take(MOST_ANCESTORS).find_map(|id| self.containers.get(id))
    }
}

fn parent_in(status: &str) -> Option<u32> {
    status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok())
}

/// The id and the name in the command line of a monitor, in which a zero byte ends each word.
fn container_in(command: &str) -> Option<(String, Option<String>)> {
    let words: Vec<&str> = command.split('\0').collect();
    let after = |option: &str| words.windows(2).find(|pair| pair[0] == option).map(|pair| pair[1].to_owned());
    let id = after("-c").filter(|id| id.len() == ID_LENGTH && is_hexadecimal(id))?;
    Some((id, after("-n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "34943e8754da7e2037b38477df00f590c9a25d87c39e7578765817131e78bd3d";

    #[test]
    fn a_monitor_names_its_container() {
        let command = format!(
            "/usr/bin/conmon\0--api-version\01\0-c\0{ID}\0-u\0{ID}\0-r\0/usr/bin/runc\0-n\0web\0--exit-dir\0/x\0"
        );
        assert_eq!(container_in(&command), Some((ID.to_owned(), Some("web".to_owned()))));
        assert_eq!(container_in(&format!("conmon\0-c\0{ID}\0")), Some((ID.to_owned(), None)));
        for other in ["", "conmon\0-c\0", "conmon\0-c\0web\0-n\0web\0"] {
            assert_eq!(container_in(other), None, "{other}");
        }
    }

    #[test]
    fn the_closest_monitor_counts() {
        let monitored = |monitor| Monitored { id: format!("{ID}{monitor}"), name: None, monitor };
        let monitors = Monitors {
            parents: BTreeMap::from([(40, 30), (30, 20), (20, 10), (10, 1), (50, 50)]),
            containers: BTreeMap::from([(10, monitored(10)), (30, monitored(30))]),
        };
        let of = |id| monitors.container_of(id).map(|container| container.monitor);
        assert_eq!((of(40), of(30), of(20), of(10), of(50)), (Some(30), Some(10), Some(10), None, None));
        assert_eq!(parent_in("Name:\tjava\nPPid:\t4711\n"), Some(4711));
    }
}
