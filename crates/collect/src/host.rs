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
