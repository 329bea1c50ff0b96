//! Perf events that run BPF programs: two clocks for sampling, both on every CPU (CPU time and page faults), and classic
//! tracepoints.
//!
//! A software event on a CPU fires for any thread that runs there. The BPF program checks whether the thread is
//! observed.

use perf_event_open_sys as sys;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

/// The kind of event that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    /// Nanoseconds of the CPU's clock.
    CpuTime,
    /// Page faults.
    PageFaults,
}

/// A sampling event on one CPU. The event ends when this value is dropped.
#[derive(Debug)]
pub(crate) struct SamplingEvent(OwnedFd);

impl SamplingEvent {
    /// Opens the event on `cpu`. The kernel then runs `program` once per `period`.
    pub(crate) fn open(counted: Counted, cpu: u32, period: u64, program: RawFd) -> io::Result<Self> {
        let mut attributes = sys::bindings::perf_event_attr {
            size: size_of::<sys::bindings::perf_event_attr>() as u32,
            type_: sys::bindings::PERF_TYPE_SOFTWARE,
            config: match counted {
                Counted::CpuTime => sys::bindings::PERF_COUNT_SW_CPU_CLOCK,
                Counted::PageFaults => sys::bindings::PERF_COUNT_SW_PAGE_FAULTS,
            }
            .into(),
            ..Default::default()
        };
        attributes.__bindgen_anon_1.sample_period = period;
        attributes.set_disabled(1);
        open_event(attributes, cpu, program).map(Self)
    }

    /// Changes the period from now on.
    pub(crate) fn set_period(&self, period: u64) -> io::Result<()> {
        // SAFETY: the descriptor is open, and the kernel reads the number that the pointer refers to. (The crate's own
        // wrapper passes the number itself, which the kernel would treat as an address.)
        check(unsafe { libc::ioctl(self.0.as_raw_fd(), sys::bindings::PERIOD as libc::Ioctl, &raw const period) })
    }
}

/// A classic tracepoint that runs a program. The program stops when this value is dropped.
#[derive(Debug)]
pub(crate) struct ClassicTracepoint {
    _event: OwnedFd,
}

impl ClassicTracepoint {
    /// Runs `program` at the tracepoint with this number, on all CPUs.
    pub(crate) fn open(id: u64, program: BorrowedFd<'_>) -> io::Result<Self> {
        let mut attributes = sys::bindings::perf_event_attr {
            size: size_of::<sys::bindings::perf_event_attr>() as u32,
            type_: sys::bindings::PERF_TYPE_TRACEPOINT,
            config: id,
            ..Default::default()
        };
        attributes.set_disabled(1);
        // The program belongs to the tracepoint, so an event on one CPU is enough.
        let event = open_event(attributes, 0, program.as_raw_fd())?;
        Ok(Self { _event: event })
    }
}

/// Opens an event for whittle's own thread that also counts in the kernel, and closes it again. Container engines can forbid
/// the system call.
pub(crate) fn try_perf_event() -> io::Result<()> {
    let mut attributes = sys::bindings::perf_event_attr {
        size: size_of::<sys::bindings::perf_event_attr>() as u32,
        type_: sys::bindings::PERF_TYPE_SOFTWARE,
        config: sys::bindings::PERF_COUNT_SW_CPU_CLOCK.into(),
        ..Default::default()
    };
    attributes.set_disabled(1);
    let flags = sys::bindings::PERF_FLAG_FD_CLOEXEC.into();
    // SAFETY: the attributes are a live, fully initialised struct of the size that they state.
    let raw = unsafe { sys::perf_event_open(&raw mut attributes, 0, -1, -1, flags) };
    if raw < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just given us this descriptor.
    drop(unsafe { OwnedFd::from_raw_fd(raw) });
    Ok(())
}

/// Opens an event on `cpu` for all threads. The event runs `program`.
fn open_event(mut attributes: sys::bindings::perf_event_attr, cpu: u32, program: RawFd) -> io::Result<OwnedFd> {
    let flags = sys::bindings::PERF_FLAG_FD_CLOEXEC.into();
    // SAFETY: the attributes are a live, fully initialised struct of the size that they state.
    let raw = unsafe { sys::perf_event_open(&raw mut attributes, -1, cpu as i32, -1, flags) };
    if raw < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just given us this descriptor.
    let event = unsafe { OwnedFd::from_raw_fd(raw) };
    // SAFETY: both calls take a live descriptor and an integer.
    check(unsafe { sys::ioctls::SET_BPF(raw, program as u32) })?;
    // SAFETY: as above.
    check(unsafe { sys::ioctls::ENABLE(raw, 0) })?;
    Ok(event)
}

fn check(result: i32) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
