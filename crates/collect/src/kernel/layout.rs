//! What the kernel side and the user side share: the Rust mirror of `records.h`.
//!
//! The ring buffer's bytes are our own programs' output, yet nothing here trusts their length.

use std::mem::size_of;

pub(crate) const MAX_KERNEL_FRAMES: usize = 64;
/// The words of `pt_regs` that are kept: all of both architectures.
pub(crate) const MAX_REGISTERS: usize = 34;
/// A copy of the stack begins so much below the stack pointer.
pub(crate) const RED_ZONE_BYTES: u64 = 128;
pub(crate) const MAX_CALLS: usize = 512;
pub(crate) const STATE_COUNT: usize = 11;
pub(crate) const LATENCY_BUCKETS: usize = 40;
pub(crate) const COUNT_COUNT: u32 = 8;

/// `enum state`: not waiting but executing, and ready but not executing.
pub(crate) const STATE_ON_CPU: u8 = 0;
pub(crate) const STATE_RUN_QUEUE: u8 = 6;
pub(crate) const STATE_PREEMPTION: u8 = 8;
pub(crate) const STATE_OTHER: u8 = 9;

/// `enum count`.
pub(crate) const COUNT_DROPPED_RECORDS: u32 = 0;
pub(crate) const COUNT_DROPPED_TICK_NS: u32 = 1;
pub(crate) const COUNT_UNACCOUNTED_CALLS: u32 = 2;
pub(crate) const COUNT_UNKNOWN_THREADS: u32 = 3;

/// The flags of `settings.calls`.
pub(crate) const CALL_HAS_DESCRIPTOR: u8 = 0x10;
pub(crate) const CALL_MOVES_BYTES: u8 = 0x20;
pub(crate) const CALL_CHANGES_FILES: u8 = 0x40;

/// `enum record_kind`.
pub(crate) mod kind {
    pub(crate) const TICK: u16 = 1;
    pub(crate) const CALLS: u16 = 2;
    pub(crate) const BYTES: u16 = 3;
    pub(crate) const CALL_TIME: u16 = 4;
    pub(crate) const BLOCKED: u16 = 5;
    pub(crate) const FAULTS: u16 = 6;
    pub(crate) const DELIVERY: u16 = 16;
    pub(crate) const USER_STACK: u16 = 17;
    pub(crate) const SPARE_STACK: u16 = 18;
    pub(crate) const THREAD_START: u16 = 32;
    pub(crate) const THREAD_END: u16 = 33;
    pub(crate) const EXEC: u16 = 34;
    pub(crate) const FILE: u16 = 35;
}

/// `enum request`.
pub(crate) mod request {
    pub(crate) const DEFERRED: u8 = 2;
    pub(crate) const NO_HANDLER: u8 = 4;
    pub(crate) const FAILED: u8 = 5;
}

/// The head of every record.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Head {
    /// CLOCK_MONOTONIC.
    pub(crate) time_ns: u64,
    pub(crate) process_id: u32,
    pub(crate) thread_id: u32,
    /// Answers count for the events of their own epoch.
    pub(crate) epoch: u32,
    pub(crate) kind: u16,
    pub(crate) request: u8,
    pub(crate) is_kernel_mode: u8,
}

/// Something that a stack is wanted for.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Event {
    pub(crate) head: Head,
    /// Nanoseconds, calls, bytes or faults that the event stands for.
    pub(crate) weight: u64,
    /// The system call, or -1.
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

#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct UserStackHead {
    head: Head,
    registers: [u64; MAX_REGISTERS],
    stack_byte_count: u32,
    reserved: u32,
}

/// The beginning or end of a thread, with its figures.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ThreadLife {
    pub(crate) head: Head,
    pub(crate) namespaced_id: u32,
    /// Who started the process; 0: it is not new.
    pub(crate) parent_process_id: u32,
    pub(crate) cpu_ns: u64,
    /// The kernel's ticks, not scaled.
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

/// A file that an account was opened for.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileSeen {
    pub(crate) head: Head,
    pub(crate) inode: u64,
    pub(crate) device: u32,
    pub(crate) file_kind: u32,
    pub(crate) descriptor: u32,
    reserved: u32,
    name: [u8; 64],
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
    /// The confirmed signal handler; 0: never send.
    pub(crate) handler: u64,
    pub(crate) seen_handler: u64,
    /// Threads of a process that was observed from its beginning; else 0.
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
    pub(crate) reserved: [u16; 3],
    pub(crate) state_since_ns: u64,
    pub(crate) woken_ns: u64,
    pub(crate) fault_wait_multiple: u64,
    pub(crate) state_ns: [u64; STATE_COUNT],
}

/// Key of the map `accounts`, whose values are rows of `account_rows`.
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
    /// Of no calls.
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
    /// Another number whenever it changes which processes are observed.
    pub(crate) generation: u32,
    /// By record kind.
    pub(crate) intervals: [u64; 8],
    pub(crate) calls: [u8; MAX_CALLS],
}

/// A plain C struct: any bytes of its size are a value of it.
///
/// # Safety
/// The type is `repr(C)`, without padding, and all its fields are integers or arrays of integers.
unsafe trait Plain: Copy {}

// SAFETY: each is a repr(C) struct of integers; the padding-free layout is checked by the sizes below.
unsafe impl Plain for Head {}
// SAFETY: as above.
unsafe impl Plain for Event {}
// SAFETY: as above.
unsafe impl Plain for UserStackHead {}
// SAFETY: as above.
unsafe impl Plain for ThreadLife {}
// SAFETY: as above.
unsafe impl Plain for FileSeen {}
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
    assert!(size_of::<UserStackHead>() == 24 + 272 + 8);
    assert!(size_of::<ThreadLife>() == 24 + 8 + 64 + 88 + 16);
    assert!(size_of::<FileSeen>() == 24 + 24 + 64);
    assert!(size_of::<ThreadValue>() == 16 + 8 + 24 + 88);
    assert!(size_of::<AccountKey>() == 24);
    assert!(size_of::<AccountValue>() == 40 + 160);
    assert!(size_of::<SettingsValue>() == 24 + 64 + 512);
};

/// Reads a struct from the start of `bytes`.
fn read<T: Plain>(bytes: &[u8]) -> Option<T> {
    // SAFETY: the length is checked, any bytes are a value of a Plain type, and the read is unaligned.
    (bytes.len() >= size_of::<T>()).then(|| unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
}

/// One record of the ring buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Record {
    /// Something that a stack is wanted for, with the kernel frames, leaf first.
    Event(Event, Box<[u64]>),
    /// The profiler's handler begins to run: its sample answers the events of the epoch.
    Delivery(Head),
    /// The copied stack answers the events of the epoch; one of kind `SPARE_STACK` only if nothing else does.
    UserStack { head: Head, registers: Box<[u64; MAX_REGISTERS]>, stack: Box<[u8]> },
    /// A thread begins.
    ThreadStart(ThreadLife),
    /// A thread has ended.
    ThreadEnd(ThreadLife),
    /// The process is another program from here on.
    Exec(Head),
    /// A file appears in the accounts.
    File(FileSeen),
}

impl Record {
    /// True for the beginnings and ends of threads and programs.
    pub(crate) fn is_life(&self) -> bool {
        matches!(self, Self::ThreadStart(_) | Self::ThreadEnd(_) | Self::Exec(_))
    }

    /// CPU time that a tick stands for; 0 for all other records.
    pub(crate) fn tick_ns(&self) -> u64 {
        match self {
            Self::Event(event, _) if event.head.kind == kind::TICK => event.weight,
            _ => 0,
        }
    }

    /// The process that it tells of.
    pub(crate) fn process_id(&self) -> u32 {
        match self {
            Self::Event(event, _) => event.head.process_id,
            Self::Delivery(head) | Self::UserStack { head, .. } | Self::Exec(head) => head.process_id,
            Self::ThreadStart(life) | Self::ThreadEnd(life) => life.head.process_id,
            Self::File(seen) => seen.head.process_id,
        }
    }

    /// CLOCK_MONOTONIC of what the record tells.
    pub(crate) fn time_ns(&self) -> u64 {
        match self {
            Self::Event(event, _) => event.head.time_ns,
            Self::Delivery(head) | Self::UserStack { head, .. } | Self::Exec(head) => head.time_ns,
            Self::ThreadStart(life) | Self::ThreadEnd(life) => life.head.time_ns,
            Self::File(seen) => seen.head.time_ns,
        }
    }

    /// About how much memory the record takes.
    pub(crate) fn byte_count(&self) -> usize {
        let apart = match self {
            Self::Event(_, frames) => size_of_val(&**frames),
            Self::UserStack { stack, .. } => stack.len() + size_of::<[u64; MAX_REGISTERS]>(),
            _ => 0,
        };
        size_of::<Self>() + apart
    }

    /// Reads a record; none if it is not one of ours.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let head: Head = read(bytes)?;
        Some(match head.kind {
            kind::TICK..=kind::FAULTS => {
                let event: Event = read(bytes)?;
                let count = usize::from(event.kernel_frame_count).min(MAX_KERNEL_FRAMES);
                let frames = bytes[size_of::<Event>()..].chunks_exact(8).take(count);
                let frames = frames.map(|frame| u64::from_ne_bytes(frame.try_into().unwrap_or_default()));
                Self::Event(event, frames.collect())
            }
            kind::DELIVERY => Self::Delivery(head),
            kind::USER_STACK | kind::SPARE_STACK => {
                let copy: UserStackHead = read(bytes)?;
                let stack = &bytes[size_of::<UserStackHead>()..];
                let stack = &stack[..stack.len().min(copy.stack_byte_count as usize)];
                Self::UserStack { head, registers: Box::new(copy.registers), stack: stack.into() }
            }
            kind::THREAD_START => Self::ThreadStart(read(bytes)?),
            kind::THREAD_END => Self::ThreadEnd(read(bytes)?),
            kind::EXEC => Self::Exec(head),
            kind::FILE => Self::File(read(bytes)?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_or_foreign_bytes_are_no_record() {
        assert_eq!(Record::parse(&[]), None);
        assert_eq!(Record::parse(&[0; 24]), None);
        let mut tick = vec![0; 72];
        tick[20] = 1;
        // Claims more frames than there are bytes.
        tick[70] = 200;
        let Some(Record::Event(event, frames)) = Record::parse(&tick) else { panic!("a tick") };
        assert_eq!((event.head.kind, frames.len()), (kind::TICK, 0));
        assert_eq!(Record::parse(&tick[..71]), None);
    }
}
