//! Features that tests need but that some machines do not have. This module checks whether this machine has them.
//!
//! `scripts/setup.sh` installs everything else. If something else is missing, this is a mistake and not a property of
//! the machine.

use std::fs;
use std::path::Path;
use whittle_testkit::{has_jdk, has_reference_folder};

/// Bits in the capability sets in `/proc/self/status`.
const CAP_SYS_ADMIN: u64 = 1 << 21;
const CAP_PERFMON: u64 = 1 << 38;
const CAP_BPF: u64 = 1 << 39;

/// The first words of the reason why a test did not run, and a function that checks whether this reason is true on this
/// machine.
type Excuse = (&'static str, fn() -> bool);

const EXCUSES: [Excuse; 19] = [
    ("needs root", || !is_root()),
    ("needs the right to load BPF programs", || !may(CAP_PERFMON | CAP_BPF) || !exists("/sys/kernel/btf/vmlinux")),
    ("needs perf_event_paranoid above 1", || !is_root() || paranoid() <= 1),
    ("needs the right to mount a tmpfs", || !may(CAP_SYS_ADMIN)),
    ("needs JDK 17", || !has_jdk(17)),
    ("needs JDK 25", || !has_jdk(25)),
    ("needs two JDKs", || !has_jdk(17) || !has_jdk(25)),
    ("needs ../shared", || !has_reference_folder()),
    ("needs c++", || !is_tool("c++")),
    ("needs objcopy", || !is_tool("objcopy")),
    ("needs objdump", || !is_tool("objdump")),
    // The reasons below are always accepted, because the test itself has already checked them. They depend on the
    // kernel's settings, containers, the JDK's packages and the network.
    ("needs the right to unshare", || true),
    ("needs the right to choose process ids", || true),
    ("needs a network interface besides loopback", || true),
    ("needs kernel symbols", || true),
    ("needs the kernel's headers", || true),
    ("needs a JDK with jmods", || true),
    ("the kernel's threads are not visible here", || true),
    ("needs a network with the list of", || true),
];

/// True if the reason names a feature that a machine is allowed to lack, and if this machine lacks it.
pub(crate) fn is_excused(reason: &str) -> bool {
    EXCUSES.iter().any(|(start, is_missing)| reason.starts_with(start) && is_missing())
}

fn status_line(start: &str) -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find_map(|line| line.strip_prefix(start)).unwrap_or_default().trim().to_owned()
}

fn is_root() -> bool {
    // Real, effective, saved and file system user ids.
    status_line("Uid:").split_whitespace().nth(1) == Some("0")
}

fn may(capabilities: u64) -> bool {
    let effective = u64::from_str_radix(&status_line("CapEff:"), 16).unwrap_or(0);
    effective & capabilities == capabilities
}

fn paranoid() -> i32 {
    let level = fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").unwrap_or_default();
    level.trim().parse().unwrap_or(i32::MAX)
}

fn exists(path: &str) -> bool {
    Path::new(path).exists()
}

fn is_tool(name: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(name).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_setup_installs_is_no_excuse() {
        for reason in ["needs node", "needs a Python with duckdb in WHITTLE_PYTHON", "needs web/dist/engine.wasm"] {
            assert!(!is_excused(reason), "{reason}");
        }
    }

    #[test]
    fn a_privilege_is_an_excuse_where_it_is_missing() {
        assert_eq!(is_excused("needs root"), !is_root());
        assert!(is_excused("needs the right to unshare namespaces"));
    }
}
