//! How often a process's control group used up its CPU quota, according to the kernel's counters.
//!
//! Both versions of control groups have a file `cpu.stat` with `nr_periods` and `nr_throttled`
//! (Documentation/admin-guide/cgroup-v2.rst and Documentation/scheduler/sched-bwc.rst of the kernel).

use std::fs;
use std::path::{Path, PathBuf};

/// Where control groups are mounted.
const MOUNTED: &str = "/sys/fs/cgroup";

/// Periods since the group was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Periods {
    /// All periods in which a thread of the group executed.
    pub(crate) all_count: u64,
    /// Periods in which the quota was used up.
    pub(crate) throttled_count: u64,
}

impl Periods {
    /// The periods of a process's group. Missing: the group has no quota, or there is no file `cpu.stat`.
    pub(crate) fn of_process(process_id: u32) -> Option<Self> {
        let groups = fs::read_to_string(format!("/proc/{process_id}/cgroup")).ok()?;
        Self::read(Path::new(MOUNTED), &groups)
    }

    /// The periods of the first group with a quota. `groups` is the text of `/proc/PID/cgroup`.
    fn read(mounted: &Path, groups: &str) -> Option<Self> {
        let files = groups.lines().filter_map(|line| stat_file(mounted, line));
        files.filter_map(|file| Self::parse(&fs::read_to_string(file).ok()?)).next()
    }

    /// Parses the text of `cpu.stat`. None: the group has no quota.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let field = |name: &str| {
            let mut lines = text.lines().filter_map(|line| line.split_once(' '));
            lines.find(|(key, _)| *key == name)?.1.trim().parse::<u64>().ok()
        };
        let periods = Self { all_count: field("nr_periods")?, throttled_count: field("nr_throttled")? };
        (periods.all_count > 0).then_some(periods)
    }
}

/// The path of `cpu.stat` for a line such as `0::/app` (version 2) or `4:cpu,cpuacct:/app` (version 1).
pub(crate) fn stat_file(mounted: &Path, line: &str) -> Option<PathBuf> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (controllers, group) = (fields.next()?, fields.next()?.trim_start_matches('/'));
    // The kernel writes `/../app` for a group outside of whittle's control group namespace. It is not mounted here.
    if group.split('/').any(|part| part == "..") {
        return None;
    }
    let hierarchy = match controllers {
        "" => mounted.to_owned(),
        several if several.split(',').any(|controller| controller == "cpu") => mounted.join(several),
        _ => return None,
    };
    Some(hierarchy.join(group).join("cpu.stat"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mounted(file: &str, text: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, text).expect("a file");
        folder
    }

    #[test]
    fn both_versions_are_read() {
        let text = "usage_usec 10\nnr_periods 40\nnr_throttled 12\nthrottled_usec 7\n";
        for (file, groups) in [
            ("kube/pod/cpu.stat", "0::/kube/pod\n"),
            ("cpu,cpuacct/pod/cpu.stat", "5:memory:/pod\n4:cpu,cpuacct:/pod\n"),
        ] {
            let mounted = mounted(file, text);
            let periods = Periods::read(mounted.path(), groups);
            assert_eq!(periods, Some(Periods { all_count: 40, throttled_count: 12 }), "{file}");
        }
    }

    #[test]
    fn without_a_quota_there_are_no_periods() {
        let mounted = mounted("cpu.stat", "usage_usec 10\nnr_periods 0\nnr_throttled 0\n");
        assert_eq!(Periods::read(mounted.path(), "0::/\n"), None);
        assert_eq!(Periods::read(mounted.path(), "0::/gone\nbroken\n"), None);
    }

    #[test]
    fn a_group_of_another_namespace_is_not_looked_for_elsewhere() {
        assert!(stat_file(Path::new(MOUNTED), "0::/a..b").is_some());
        assert_eq!(stat_file(Path::new(MOUNTED), "0::/../etc"), None);
    }
}
