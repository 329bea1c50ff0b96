//! The data layout that the kernel side and the user side share. This is the Rust version of `records.h`. A test compares
//! it with the types in the BPF objects.

use std::mem::size_of;
use whittle_model::Metric;

pub(crate) const MAX_KERNEL_FRAMES: usize = 64;
/// Number of words of `pt_regs` in a record. This is sufficient for both architectures.
pub(crate) const MAX_REGISTERS: usize = 34;
/// A copy of the stack starts at this distance below the stack pointer.
pub(crate) const RED_ZONE_BYTES: u64 = 128;
pub(crate) const MAX_CALLS: usize = 512;
pub(crate) const STATE_COUNT: usize = 14;
pub(crate) const LATENCY_BUCKETS: usize = 40;
pub(super) const REQUEST_TEXT_BYTES: usize = 128;
pub(super) const TRACE_BYTES: usize = 16;
pub(crate) const COUNT_COUNT: u32 = 10;

/// Values of `enum state`. A thread on the CPU executes. A thread in the run queue or after preemption is ready to
/// execute.
pub(crate) const STATE_ON_CPU: u8 = 0;
pub(crate) const STATE_FUTEX: u8 = 1;
pub(crate) const STATE_SOCKET: u8 = 2;
pub(crate) const STATE_FILE: u8 = 3;
pub(crate) const STATE_SLEEP: u8 = 4;
pub(crate) const STATE_POLL: u8 = 5;
pub(crate) const STATE_RUN_QUEUE: u8 = 6;
pub(crate) const STATE_PAGE_FAULT: u8 = 7;
pub(crate) const STATE_PREEMPTION: u8 = 8;
pub(crate) const STATE_OTHER: u8 = 9;
pub(crate) const STATE_PIPE: u8 = 10;
pub(crate) const STATE_QUOTA: u8 = 13;

/// Values of `enum count`.
pub(crate) const COUNT_DROPPED_RECORDS: u32 = 0;
pub(crate) const COUNT_DROPPED_TICK_NS: u32 = 1;
pub(crate) const COUNT_UNACCOUNTED_CALLS: u32 = 2;
pub(crate) const COUNT_UNKNOWN_THREADS: u32 = 3;
pub(crate) const COUNT_FULL_TABLES: u32 = 5;
pub(crate) const COUNT_COMPAT_CALLS: u32 = 6;
pub(crate) const COUNT_HANDLERS: u32 = 4;
pub(crate) const COUNT_HANDLER_NS: u32 = 7;
pub(crate) const COUNT_UNSEEN_REQUESTS: u32 = 8;
pub(crate) const COUNT_UNSURE_ITEMS: u32 = 9;

/// Values of `enum peer`: parts of the device of a socket of TCP or UDP. The low 16 bits are a port.
pub(crate) const PEER_MARK: u32 = 0x7ff0_0000;
pub(crate) const PEER_UDP: u32 = 0x1_0000;
pub(crate) const PEER_LISTENS: u32 = 0x2_0000;
pub(crate) const PEER_CLIENTS: u32 = 0x4_0000;

/// The flags of `settings.calls`.
pub(crate) const CALL_HAS_DESCRIPTOR: u8 = 0x10;
pub(crate) const CALL_MOVES_BYTES: u8 = 0x20;
pub(crate) const CALL_CHANGES_FILES: u8 = 0x40;
pub(crate) const CALL_SENDS_BYTES: u8 = 0x80;

/// Values of `enum record_kind`.
pub(crate) mod kind {
    pub(crate) const TICK: u16 = 1;
    pub(crate) const CALLS: u16 = 2;
    pub(crate) const BYTES: u16 = 3;
    pub(crate) const CALL_TIME: u16 = 4;
    pub(crate) const BLOCKED: u16 = 5;
    pub(crate) const FAULTS: u16 = 6;
    pub(crate) const WAKE: u16 = 7;
    pub(crate) const VIRTUAL_PARKED: u16 = 8;
    pub(crate) const VIRTUAL_RESUMED: u16 = 9;
    pub(crate) const VIRTUAL_RETURNED: u16 = 10;
    pub(crate) const DELIVERY: u16 = 16;
    pub(crate) const USER_STACK: u16 = 17;
    pub(crate) const SPARE_STACK: u16 = 18;
    pub(crate) const THREAD_START: u16 = 32;
    pub(crate) const THREAD_END: u16 = 33;
    pub(crate) const EXEC: u16 = 34;
    pub(crate) const FILE: u16 = 35;
    pub(crate) const HTTP: u16 = 36;
    pub(crate) const ITEM: u16 = 37;
    pub(crate) const PART: u16 = 38;
    pub(crate) const PINNED: u16 = 39;
    pub(crate) const STATEMENT: u16 = 40;
}

/// The metric of each kind of event.
pub(crate) const SAMPLED: [(u16, Metric); 6] = [
    (kind::TICK, Metric::Cpu),
    (kind::CALLS, Metric::Syscalls),
    (kind::BYTES, Metric::IoBytes),
    (kind::CALL_TIME, Metric::SyscallTime),
    (kind::BLOCKED, Metric::OffCpu),
    (kind::FAULTS, Metric::PageFaults),
];

/// The metric of records of a kind. Missing: records of this kind are not samples.
pub(crate) fn metric_of(kind: u16) -> Option<Metric> {
    SAMPLED.iter().find(|(known, _)| *known == kind).map(|(_, metric)| *metric)
}

/// Values of `enum request`.
pub(crate) mod request {
    pub(crate) const DEFERRED: u8 = 2;
    pub(crate) const NO_HANDLER: u8 = 4;
    pub(crate) const FAILED: u8 = 5;
}

/// The header of every record.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Head {
    /// Time on CLOCK_MONOTONIC.
    pub(crate) time_ns: u64,
    pub(crate) process_id: u32,
    pub(crate) thread_id: u32,
    /// Epoch of the record. Answers are valid only for events of their own epoch.
    pub(crate) epoch: u32,
    pub(crate) kind: u16,
    pub(crate) request: u8,
    pub(crate) is_kernel_mode: u8,
}

/// An event that needs a stack.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Event {
    pub(crate) head: Head,
    /// Amount that the event represents: nanoseconds, calls, bytes or faults.
    pub(crate) weight: u64,
    /// The system call, or -1 if there is no system call.
    pub(crate) call: i32,
    pub(crate) error: u32,
    pub(crate) call_bytes: u64,
    pub(crate) call_duration_ns: u64,
    pub(crate) inode: u64,
    pub(crate) device: u32,
    pub(crate) file_kind: u8,
    pub(crate) reason: u8,
    pub(crate) kernel_frame_count: u16,
}

/// The end of a sampled wait. The event's thread is the waker, if the waker is known; otherwise the thread that waited.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct WakeRecord {
    /// Its reason and weight are those of the wait.
    pub(crate) event: Event,
    pub(crate) waited_ns: u64,
    /// The thread that waited.
    pub(crate) process_id: u32,
    pub(crate) thread_id: u32,
    /// A number of [`WakerKind`](whittle_model::WakerKind).
    pub(crate) waker: u32,
    pub(super) reserved: u32,
}

/// The begin or the end of a sampled wait of a virtual thread, or a whole wait that has no stack. The event's thread is the carrier.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VirtualWait {
    /// Its weight is that of the wait, at the end. At the begin it is 0.
    pub(crate) event: Event,
    /// A number that is the same in both records of a wait. In the record of a whole wait, the number of the virtual thread. Then the error
    /// of the event is 1 if the thread has left right after another return.
    pub(crate) wait: u64,
    pub(super) name: [u8; 32],
}

impl VirtualWait {
    /// The beginning of the virtual thread's name. Most virtual threads have none.
    pub(crate) fn name(&self) -> String {
        text(&self.name)
    }
}

/// The virtual thread that the thread of the head carries. The thread's next record is that of a wait, and has the same epoch.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PinnedWait {
    pub(crate) head: Head,
    pub(super) name: [u8; 32],
}

impl PinnedWait {
    /// The beginning of the virtual thread's name. Most virtual threads have none.
    pub(crate) fn name(&self) -> String {
        text(&self.name)
    }
}

/// Key of the maps `items` and `virtual_threads`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ItemKey {
    pub(crate) id: u64,
    pub(crate) process_id: u32,
    pub(super) reserved: u32,
}

/// Value of the map `virtual_threads`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VirtualThreadValue {
    /// When it left its carrier; 0: it executes, or this was not seen.
    pub(crate) parked_ns: u64,
    /// The number of waits that a sampled wait represents; 0: the wait is not sampled.
    pub(crate) multiple: u64,
    /// The number of the sampled wait.
    pub(crate) wait: u64,
    /// What it worked for when it left its carrier without a mark of its own; 0: nothing.
    pub(super) item: u64,
    /// Whether it waits for a monitor that it did not get when it returned.
    pub(super) again: u64,
    pub(super) name: [u8; 32],
}

impl VirtualThreadValue {
    /// The sampled wait of a virtual thread that still waits at `end_ns`, as if it ended then. `None`: there is no such wait.
    pub(crate) fn wait_until(&self, process_id: u32, end_ns: u64) -> Option<VirtualWait> {
        let waited_ns = end_ns.checked_sub(self.parked_ns).filter(|waited_ns| *waited_ns > 0)?;
        let is_sampled = self.parked_ns != 0 && self.multiple != 0;
        let head = Head { time_ns: end_ns, process_id, kind: kind::VIRTUAL_RESUMED, ..Head::default() };
        let weight = waited_ns.saturating_mul(self.multiple);
        let event = Event { head, weight, call: -1, reason: STATE_FUTEX, ..Event::default() };
        is_sampled.then_some(VirtualWait { event, wait: self.wait, name: self.name })
    }
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct UserStackHead {
    pub(super) head: Head,
    pub(crate) registers: [u64; MAX_REGISTERS],
    pub(crate) stack_byte_count: u32,
    pub(super) reserved: u32,
}

/// The start or end of a thread, with its values.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ThreadLife {
    pub(crate) head: Head,
    pub(crate) namespaced_id: u32,
    /// The parent of the process; 0: the process is not new.
    pub(crate) parent_process_id: u32,
    pub(crate) cpu_ns: u64,
    /// CPU time from the kernel's ticks, not scaled.
    pub(crate) user_ns: u64,
    pub(crate) system_ns: u64,
    pub(crate) start_ns: u64,
    pub(crate) voluntary_switches: u64,
    pub(crate) involuntary_switches: u64,
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
    pub(crate) state_ns: [u64; STATE_COUNT],
    pub(crate) name: [u8; 16],
}

/// A file for which an account was opened.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileSeen {
    pub(crate) head: Head,
    pub(crate) inode: u64,
    pub(crate) device: u32,
    pub(crate) file_kind: u32,
    pub(crate) descriptor: u32,
    pub(super) reserved: u32,
    /// The remote address of a socket of TCP or UDP, as an IPv6 address in network order.
    pub(crate) remote: [u64; 2],
    pub(super) name: [u8; 64],
}

/// A request to a server, and its answer so far. The thread of the head read the first bytes of the request.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HttpRequest {
    pub(crate) head: Head,
    /// When the first bytes had been read, on CLOCK_MONOTONIC.
    pub(crate) start_ns: u64,
    /// When the last bytes of the answer had been written; 0: there is no answer yet.
    pub(crate) end_ns: u64,
    pub(crate) read_bytes: u64,
    pub(crate) written_bytes: u64,
    pub(super) before_ns: [u64; STATE_COUNT],
    /// The times of the thread from the start to the end, by state.
    pub(crate) spent_ns: [u64; STATE_COUNT],
    pub(crate) answering_thread_id: u32,
    pub(super) number: u32,
    pub(super) item_number: u32,
    pub(super) text_bytes: u32,
    pub(crate) port: u16,
    /// The status of the answer; 0: unknown.
    pub(crate) status: u16,
    /// 1: `spent_ns` are the times of this request.
    pub(crate) has_times: u32,
    pub(super) is_over: u16,
    /// 1: the code inside the program has marked this request too.
    pub(crate) is_marked: u16,
    pub(super) text: [u8; REQUEST_TEXT_BYTES],
}

/// A work item that the code inside a program has marked, and that is complete. The thread of the head began it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) head: Head,
    /// Distinguishes the items of a process.
    pub(crate) id: u64,
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
    /// The times by state of the threads that worked for it one after the other.
    pub(crate) spent_ns: [u64; STATE_COUNT],
    pub(super) worker: u32,
    pub(super) helpers: [u32; 4],
    pub(super) lock: u32,
    pub(crate) ending_thread_id: u32,
    /// Number of parts that have ended before the item's end. There are records of these parts.
    pub(crate) part_count: u32,
    pub(super) text_bytes: u32,
    /// The kind in the mark.
    pub(crate) kind: u16,
    /// The status of the answer; 0: unknown.
    pub(crate) status: u16,
    /// The statements of JDBC that threads executed for it, and the sum of their lengths.
    pub(crate) statement_count: u64,
    pub(crate) statement_ns: u64,
    /// The id of its trace of OpenTelemetry; all 0: unknown.
    pub(crate) trace: [u8; TRACE_BYTES],
    /// Not 0 if the text is the name of a span.
    pub(crate) is_named_by_span: u32,
    pub(super) reserved: u32,
    pub(super) text: [u8; REQUEST_TEXT_BYTES],
}

/// A statement of JDBC that has been executed. The thread of the head ended it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StatementSeen {
    pub(crate) head: Head,
    pub(crate) start_ns: u64,
    /// The times by state from its begin to its end.
    pub(crate) spent_ns: [u64; STATE_COUNT],
    pub(crate) beginning_thread_id: u32,
    /// Not 0 if `spent_ns` are the times of this statement.
    pub(crate) has_times: u32,
    pub(super) text_bytes: u32,
    pub(super) reserved: u32,
    pub(super) text: [u8; REQUEST_TEXT_BYTES],
}

/// From `start_ns` to the time of the head, the thread of the head worked for an item.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PartSeen {
    pub(crate) head: Head,
    pub(crate) id: u64,
    pub(crate) start_ns: u64,
}

impl Item {
    /// The name that the program gave it.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text[..REQUEST_TEXT_BYTES.min(self.text_bytes as usize)]
    }
}

impl StatementSeen {
    /// The SQL without literals, or a part of it.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text[..REQUEST_TEXT_BYTES.min(self.text_bytes as usize)]
    }
}

impl HttpRequest {
    /// The first bytes of the request.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text[..REQUEST_TEXT_BYTES.min(self.text_bytes as usize)]
    }
}

impl FileSeen {
    /// The last part of the file's path.
    pub(crate) fn name(&self) -> String {
        text(&self.name)
    }
}

impl ThreadLife {
    /// The kernel's name of the thread.
    pub(crate) fn name(&self) -> String {
        text(&self.name)
    }
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// Value of the map `processes`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ProcessValue {
    /// The confirmed signal handler; 0: signals are never sent.
    pub(crate) handler: u64,
    pub(crate) seen_handler: u64,
    /// Number of live threads, if the process was observed from its start; otherwise 0.
    pub(crate) thread_count: u64,
}

/// Value of the map `threads`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ThreadValue {
    pub(crate) process_id: u32,
    pub(crate) namespaced_id: u32,
    pub(crate) epoch: u32,
    pub(crate) call: i32,
    pub(crate) is_in_call: u8,
    pub(crate) state: u8,
    pub(crate) is_old: u16,
    pub(crate) parks: u32,
    pub(crate) state_since_ns: u64,
    pub(crate) woken_ns: u64,
    pub(crate) waking_since_ns: u64,
    pub(crate) waking_weight: u64,
    pub(crate) fault_wait_multiple: u64,
    pub(crate) queue: u64,
    pub(crate) queue_quota_ns: u64,
    pub(crate) state_ns: [u64; STATE_COUNT],
}

/// Key of the map `accounts`. The map's values are row numbers of `account_rows`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct AccountKey {
    pub(crate) thread_id: u32,
    pub(crate) call: u32,
    pub(crate) inode: u64,
    pub(crate) device: u32,
    pub(crate) file_kind: u32,
}

/// Value of the maps `account_rows` and `unlisted`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AccountValue {
    pub(crate) calls: u64,
    pub(crate) errors: u64,
    pub(crate) bytes: u64,
    pub(crate) duration_ns: u64,
    pub(crate) longest_ns: u64,
    pub(crate) latencies: [u32; LATENCY_BUCKETS],
}

impl AccountValue {
    /// The value of an account without calls.
    pub(crate) const NOTHING: Self =
        Self { calls: 0, errors: 0, bytes: 0, duration_ns: 0, longest_ns: 0, latencies: [0; LATENCY_BUCKETS] };
}

/// The value of the map `settings`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SettingsValue {
    pub(crate) only_process: u32,
    pub(crate) follows: u32,
    pub(crate) has_accounts: u32,
    pub(crate) has_calls: u32,
    pub(crate) drop_every: u32,
    /// Changes whenever the set of observed processes changes.
    pub(crate) generation: u32,
    /// Whether the kernel measures pressure (PSI).
    pub(crate) has_pressure: u32,
    /// The record kinds whose events are sampled by place, as a set of bits.
    pub(crate) by_place: u32,
    /// Whether the marks of the code inside a program are observed.
    pub(crate) has_marks: u32,
    pub(super) reserved: u32,
    /// Intervals by record kind.
    pub(crate) intervals: [u64; 8],
    pub(crate) calls: [u8; MAX_CALLS],
}

/// A plain C struct. Any bytes of its size are a valid value.
///
/// # Safety
/// The type is `repr(C)`, without padding, and all its fields are integers or arrays of integers.
pub(crate) unsafe trait Plain: Copy {}

// SAFETY: this is a repr(C) struct of integers; the checks of sizes below prove that it has no padding.
unsafe impl Plain for Head {}
// SAFETY: as above.
unsafe impl Plain for Event {}
// SAFETY: as above.
unsafe impl Plain for WakeRecord {}
// SAFETY: as above.
unsafe impl Plain for VirtualWait {}
// SAFETY: as above.
unsafe impl Plain for PinnedWait {}
// SAFETY: as above.
unsafe impl Plain for UserStackHead {}
// SAFETY: as above.
unsafe impl Plain for ThreadLife {}
// SAFETY: as above.
unsafe impl Plain for FileSeen {}
// SAFETY: as above.
unsafe impl Plain for HttpRequest {}
// SAFETY: as above.
unsafe impl Plain for Item {}
// SAFETY: as above.
unsafe impl Plain for PartSeen {}
// SAFETY: as above.
unsafe impl Plain for StatementSeen {}
// SAFETY: as above.
unsafe impl aya::Pod for HttpRequest {}
// SAFETY: as above.
unsafe impl aya::Pod for ItemKey {}
// SAFETY: as above.
unsafe impl aya::Pod for VirtualThreadValue {}
// SAFETY: as above.
unsafe impl aya::Pod for ProcessValue {}
// SAFETY: as above.
unsafe impl aya::Pod for ThreadValue {}
// SAFETY: as above.
unsafe impl aya::Pod for AccountKey {}
// SAFETY: as above.
unsafe impl aya::Pod for AccountValue {}
// SAFETY: as above.
unsafe impl aya::Pod for SettingsValue {}

const _: () = {
    assert!(size_of::<Head>() == 24);
    assert!(size_of::<Event>() == 72);
    assert!(size_of::<WakeRecord>() == 72 + 24);
    assert!(size_of::<VirtualWait>() == 72 + 8 + 32);
    assert!(size_of::<UserStackHead>() == 24 + 272 + 8);
    assert!(size_of::<ThreadLife>() == 24 + 8 + 64 + 112 + 16);
    assert!(size_of::<FileSeen>() == 24 + 24 + 16 + 64);
    assert!(size_of::<HttpRequest>() == 24 + 32 + 224 + 16 + 12 + 4 + 128);
    assert!(size_of::<PinnedWait>() == 24 + 32);
    assert!(size_of::<ItemKey>() == 16);
    assert!(size_of::<VirtualThreadValue>() == 40 + 32);
    assert!(size_of::<Item>() == 24 + 24 + 112 + 40 + 40 + 128);
    assert!(size_of::<PartSeen>() == 24 + 16);
    assert!(size_of::<StatementSeen>() == 24 + 8 + 8 * STATE_COUNT + 16 + REQUEST_TEXT_BYTES);
    assert!(size_of::<ThreadValue>() == 16 + 8 + 56 + 112);
    assert!(size_of::<AccountKey>() == 24);
    assert!(size_of::<AccountValue>() == 40 + 160);
    assert!(size_of::<SettingsValue>() == 40 + 64 + 512);
};

/// Reads a struct from the start of `bytes`. `None`: there are too few bytes.
pub(crate) fn read<T: Plain>(bytes: &[u8]) -> Option<T> {
    // SAFETY: the length is checked, any bytes are a value of a Plain type, and the read is unaligned.
    (bytes.len() >= size_of::<T>()).then(|| unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
}
