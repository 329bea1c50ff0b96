//! Facts about the machine.

use std::fs;
use whittle_model::Host;

/// The description of this machine for the manifest.
pub(crate) fn host() -> Host {
    let system = rustix::system::uname();
    Host {
        name: host_name(),
        kernel: system.release().to_string_lossy().into_owned(),
        cpu_count: std::thread::available_parallelism().map_or(1, |count| count.get() as u32),
        tick_hz: u32::try_from(1_000_000_000 / tick_ns()).ok(),
    }
}

/// The machine's name.
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Version and sublevel of the running kernel: (6, 12) for "6.12.8-amd64". `None`: its name has another form.
pub(crate) fn kernel_version() -> Option<(u32, u32)> {
    version_and_sublevel(&rustix::system::uname().release().to_string_lossy())
}

fn version_and_sublevel(release: &str) -> Option<(u32, u32)> {
    let mut parts = release.split(|character: char| !character.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// Length of the kernel's timer tick: the resolution of the coarse clock.
pub(crate) fn tick_ns() -> u64 {
    let resolution = rustix::time::clock_getres(rustix::time::ClockId::MonotonicCoarse);
    (resolution.tv_nsec as u64).max(1)
}

/// The current time on CLOCK_MONOTONIC.
pub(crate) fn monotonic_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// The current time on CLOCK_REALTIME, since 1970.
pub(crate) fn wall_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// `kernel.perf_event_paranoid`. None: this kernel has no perf events.
pub(crate) fn perf_event_paranoid() -> Option<i32> {
    fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernels_release_begins_with_its_version() {
        assert_eq!(version_and_sublevel("6.12.8-amd64"), Some((6, 12)));
        assert_eq!(version_and_sublevel("7.2-rc1"), Some((7, 2)));
        assert_eq!(version_and_sublevel("custom"), None);
    }
}
