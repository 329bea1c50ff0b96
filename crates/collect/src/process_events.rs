//! Starts and ends of processes, as the kernel reports them.
//!
//! A perf event without a counter reports what happens on its CPU: a process executes a program, maps a file with code,
//! or ends. Nothing is sampled. Source of the format: perf_event_open(2), "PERF_RECORD_*".

use crate::cpus::online_cpus;
use perf_event_open_sys as sys;
use rustc_hash::FxHashSet;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering, fence};
use sys::bindings as perf;

/// The ring of a CPU has this many pages, and one page with positions in front of it. It holds some hundred starts of
/// programs; with more starts within a second, records are lost, which the kernel reports.
const RING_PAGES: usize = 16;
/// The library of a JVM. A process can load it at any time.
const JVM_LIBRARY: &[u8] = b"/libjvm.so";
/// Bytes of a record before the path of a mapped file.
const PATH_AT: usize = 72;
const HEADER_BYTES: usize = 8;

/// What happened to processes since the last reading.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Processes that executed a program.
    pub(crate) executed: FxHashSet<u32>,
    /// Processes that mapped the library of a JVM.
    pub(crate) mapped_jvm: FxHashSet<u32>,
    /// Processes that ended. Their ids can belong to other processes now.
    pub(crate) ended: FxHashSet<u32>,
    /// True if the kernel had to drop records.
    pub(crate) has_gap: bool,
}

/// The rings of all CPUs.
#[derive(Debug)]
pub(crate) struct ProcessEvents(Vec<Ring>);

impl ProcessEvents {
    /// Opens one event on each CPU.
    ///
    /// # Errors
    /// The kernel does not allow it. The collector needs CAP_PERFMON or root.
    pub(crate) fn open() -> io::Result<Self> {
        online_cpus().into_iter().map(Ring::open).collect::<io::Result<_>>().map(Self)
    }

    /// What happened since the last call.
    pub(crate) fn read(&mut self) -> Changes {
        let mut changes = Changes::default();
        for ring in &mut self.0 {
            add_records(&ring.take(), &mut changes);
        }
        changes
    }
}

/// The event of one CPU, and the memory that it shares with the kernel.
#[derive(Debug)]
struct Ring {
    _event: OwnedFd,
    memory: *mut u8,
    page_bytes: usize,
}

// SAFETY: the memory belongs to this value alone, and only `&mut self` reads it.
unsafe impl Send for Ring {}

impl Ring {
    fn open(cpu: u32) -> io::Result<Self> {
        let mut attributes = perf::perf_event_attr {
            size: size_of::<perf::perf_event_attr>() as u32,
            type_: perf::PERF_TYPE_SOFTWARE,
            config: perf::PERF_COUNT_SW_DUMMY.into(),
            ..Default::default()
        };
        attributes.set_comm(1);
        attributes.set_comm_exec(1);
        attributes.set_task(1);
        attributes.set_mmap(1);
        attributes.set_mmap2(1);
        let flags = perf::PERF_FLAG_FD_CLOEXEC.into();
        // SAFETY: the attributes are a live, fully initialised struct of the size that they state.
        let raw = unsafe { sys::perf_event_open(&raw mut attributes, -1, cpu as i32, -1, flags) };
        if raw < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has just given us this descriptor.
        let event = unsafe { OwnedFd::from_raw_fd(raw) };
        let page_bytes = rustix::param::page_size();
        let (length, protection) = ((1 + RING_PAGES) * page_bytes, libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: a new shared mapping of the event, at an address that the kernel chooses.
        let memory =
            unsafe { libc::mmap(std::ptr::null_mut(), length, protection, libc::MAP_SHARED, event.as_raw_fd(), 0) };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { _event: event, memory: memory.cast(), page_bytes })
    }

    /// The unread bytes, which become free for the kernel.
    fn take(&mut self) -> Vec<u8> {
        let positions = self.memory.cast::<perf::perf_event_mmap_page>();
        // SAFETY: the first page of the mapping is this struct, and the kernel accesses the positions atomically.
        let (head, tail) = unsafe {
            (AtomicU64::from_ptr(&raw mut (*positions).data_head), AtomicU64::from_ptr(&raw mut (*positions).data_tail))
        };
        let (end, start) = (head.load(Ordering::Acquire), tail.load(Ordering::Relaxed));
        let size = (RING_PAGES * self.page_bytes) as u64;
        let count = end.wrapping_sub(start).min(size);
        let mut bytes = vec![0; count as usize];
        for (place, byte) in (start..).zip(&mut bytes) {
            // SAFETY: the place is within the data pages, which follow the first page. The kernel has finished writing
            // everything before `head`.
            *byte = unsafe { *self.memory.add(self.page_bytes + (place % size) as usize) };
        }
        fence(Ordering::Release);
        tail.store(end, Ordering::Release);
        bytes
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: the mapping was made with this address and length, and nothing refers to it now.
        unsafe { libc::munmap(self.memory.cast(), (1 + RING_PAGES) * self.page_bytes) };
    }
}

/// Adds all records in `bytes`.
pub(crate) fn add_records(mut bytes: &[u8], changes: &mut Changes) {
    while let Some(length) = short(bytes, 6).map(usize::from).filter(|length| *length >= HEADER_BYTES)
        && let Some((record, rest)) = bytes.split_at_checked(length)
    {
        add_record(record, changes);
        bytes = rest;
    }
}

fn add_record(record: &[u8], changes: &mut Changes) {
    let (Some(kind), Some(flags)) = (number(record, 0), short(record, 4)) else { return };
    let Some(process_id) = number(record, HEADER_BYTES) else { return };
    match kind {
        perf::PERF_RECORD_COMM if u32::from(flags) & perf::PERF_RECORD_MISC_COMM_EXEC != 0 => {
            changes.executed.insert(process_id);
        }
        perf::PERF_RECORD_MMAP2 if record.get(PATH_AT..).is_some_and(is_jvm_library) => {
            changes.mapped_jvm.insert(process_id);
        }
        // The first thread of a process has the process's id.
        perf::PERF_RECORD_EXIT if number(record, HEADER_BYTES + 8) == Some(process_id) => {
            changes.ended.insert(process_id);
        }
        perf::PERF_RECORD_LOST => changes.has_gap = true,
        // Other kinds do not matter here.
        _ => {}
    }
}

fn is_jvm_library(path: &[u8]) -> bool {
    let end = path.iter().position(|byte| *byte == 0).unwrap_or(path.len());
    path[..end].ends_with(JVM_LIBRARY)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_ne_bytes(*bytes))
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_ne_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn record(kind: u32, flags: u16, fields: &[u32], text: &[u8]) -> Vec<u8> {
        let mut body: Vec<u8> = fields.iter().flat_map(|field| field.to_ne_bytes()).collect();
        body.extend(text);
        let length = (HEADER_BYTES + body.len()) as u16;
        let mut record = kind.to_ne_bytes().to_vec();
        record.extend(flags.to_ne_bytes());
        record.extend(length.to_ne_bytes());
        record.extend(body);
        record
    }

    #[test]
    fn each_kind_of_record_is_recognised() {
        let exec = perf::PERF_RECORD_MISC_COMM_EXEC as u16;
        let bytes = [
            record(perf::PERF_RECORD_COMM, exec, &[7, 7], b"java\0\0\0\0"),
            record(perf::PERF_RECORD_COMM, 0, &[8, 9], b"renamed\0"),
            record(
                perf::PERF_RECORD_MMAP2,
                0,
                &[[10, 10].as_slice(), &[0; 14]].concat(),
                b"/jdk/lib/server/libjvm.so\0\0",
            ),
            record(perf::PERF_RECORD_MMAP2, 0, &[[11, 11].as_slice(), &[0; 14]].concat(), b"/lib/libc.so.6\0\0"),
            record(perf::PERF_RECORD_EXIT, 0, &[12, 1, 12, 1, 0, 0], b""),
            record(perf::PERF_RECORD_EXIT, 0, &[13, 1, 14, 1, 0, 0], b""),
            record(perf::PERF_RECORD_LOST, 0, &[1, 0, 5, 0], b""),
        ]
        .concat();
        let mut changes = Changes::default();
        add_records(&bytes, &mut changes);
        let set = |id| FxHashSet::from_iter([id]);
        let expected = Changes { executed: set(7), mapped_jvm: set(10), ended: set(12), has_gap: true };
        assert_eq!(changes, expected);
        for end in 0..bytes.len() {
            add_records(&bytes[..end], &mut Changes::default());
        }
        add_records(&[0; 64], &mut Changes::default());
    }

    #[test]
    fn starts_and_ends_are_reported() {
        let Ok(mut events) = ProcessEvents::open() else {
            return whittle_testkit::not_run("perf events on CPUs are not allowed here");
        };
        let mut sleeper = Command::new("sleep").arg("60").spawn().unwrap();
        let id = sleeper.id();
        let mut sees = |set: fn(&Changes) -> &FxHashSet<u32>| {
            (0..1000).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(10));
                set(&events.read()).contains(&id)
            })
        };
        assert!(sees(|changes| &changes.executed));
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
        assert!(sees(|changes| &changes.ended));
    }
}
