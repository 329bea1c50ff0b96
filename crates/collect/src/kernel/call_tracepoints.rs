//! Which tracepoints run the programs that observe system calls.
//!
//! Before a program runs, the kernel raises a counter of this program and CPU, and skips the program if the counter was
//! already raised. At raw tracepoints of system calls, Linux 7.2 and later can preempt a program. Then no call of the
//! other threads on this CPU is seen until the first thread continues. At classic tracepoints, programs run without
//! preemption. They cost about twice as much, so older kernels use raw tracepoints.

use super::perf_events::ClassicTracepoint;
use crate::host::kernel_version;
use rustix::fs::{Mode, OFlags, openat};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// The first kernel that can preempt programs at raw tracepoints of system calls, as version and sublevel.
const FIRST_PREEMPTIBLE: (u32, u32) = (7, 2);

/// Where the kernel shows its tracepoints. The second place is for kernels before 4.1.
const TRACEFS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// The kind of tracepoints that run the programs of system calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallTracepoints {
    Raw,
    Classic,
}

impl CallTracepoints {
    /// The kind that this machine's kernel needs.
    pub(super) fn of_this_kernel() -> Self {
        Self::of(kernel_version())
    }

    /// An unknown version counts as new.
    fn of(version: Option<(u32, u32)>) -> Self {
        if version.is_some_and(|version| version < FIRST_PREEMPTIBLE) { Self::Raw } else { Self::Classic }
    }
}

/// Runs a program at a classic tracepoint, for example `raw_syscalls` and `sys_enter`.
pub(super) fn attach(category: &str, name: &str, program: BorrowedFd<'_>) -> io::Result<ClassicTracepoint> {
    ClassicTracepoint::open(id(category, name)?, program)
}

/// The kernel's number of a tracepoint. If tracefs is not mounted, it is mounted without a place in the file system.
fn id(category: &str, name: &str) -> io::Result<u64> {
    let path = format!("events/{category}/{name}/id");
    let mounted = TRACEFS.iter().find_map(|folder| fs::read_to_string(format!("{folder}/{path}")).ok());
    let text = mounted.map_or_else(|| read_below(&mounted_tracefs()?, &path), Ok)?;
    text.trim().parse().map_err(|_| io::Error::other(format!("{path} has no number, but {text:?}")))
}

/// A mount of tracefs that only this descriptor reaches. It ends with the descriptor.
fn mounted_tracefs() -> io::Result<OwnedFd> {
    let context = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_create(context.as_fd())?;
    Ok(fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::MOUNT_ATTR_RDONLY)?)
}

fn read_below(folder: &OwnedFd, path: &str) -> io::Result<String> {
    let mut text = String::new();
    File::from(openat(folder, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?).read_to_string(&mut text)?;
    Ok(text)
}

/// How often the kernel skipped a program because the program was already active on the CPU. The kernel counts this for
/// the whole machine, since the program was loaded. `None`: the kernel does not tell this (before Linux 5.12).
pub(super) fn skipped_runs(program: BorrowedFd<'_>) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/self/fdinfo/{}", program.as_raw_fd())).ok()?;
    text.lines().find_map(|line| line.strip_prefix("recursion_misses:")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_preempt_programs_get_classic_tracepoints() {
        for (version, expected) in [
            (Some((5, 10)), CallTracepoints::Raw),
            (Some((6, 18)), CallTracepoints::Raw),
            (Some((7, 1)), CallTracepoints::Raw),
            (Some((7, 2)), CallTracepoints::Classic),
            (Some((8, 0)), CallTracepoints::Classic),
            (None, CallTracepoints::Classic),
        ] {
            assert_eq!(CallTracepoints::of(version), expected, "{version:?}");
        }
    }
}
