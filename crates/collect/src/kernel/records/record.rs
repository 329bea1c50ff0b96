//! One record of the ring buffer, read from its bytes.
//!
//! The bytes come from whittle's BPF programs. Their length is checked nevertheless.

use crate::kernel::layout::{
    Event, FileSeen, Head, HttpRequest, Item, MAX_KERNEL_FRAMES, MAX_REGISTERS, PartSeen, PinnedWait, StatementSeen,
    ThreadLife, UserStackHead, VirtualWait, WakeRecord, kind, metric_of, read,
};
use std::mem::size_of;
use whittle_model::Metric;

/// One record of the ring buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Record {
    /// An event that needs a stack, with the kernel frames, leaf first.
    Event { event: Event, sampled: Metric, kernel_frames: Box<[u64]> },
    /// A sampled wait has ended.
    Wake(Box<WakeRecord>),
    /// The begin or the end of a sampled wait of a virtual thread, or a whole wait without a stack.
    VirtualWait(Box<VirtualWait>),
    /// The profiler's handler begins to run. The handler's sample answers the events of the epoch.
    Delivery(Head),
    /// The copied stack answers the events of the epoch. A copy of kind `SPARE_STACK` is used only if there is no other
    /// answer.
    UserStack { head: Head, registers: Box<[u64; MAX_REGISTERS]>, stack: Box<[u8]> },
    /// A thread begins.
    ThreadStart(Box<ThreadLife>),
    /// A thread has ended.
    ThreadEnd(Box<ThreadLife>),
    /// The process executes another program from now on.
    Exec(Head),
    /// A file appears in the accounts.
    File(FileSeen),
    /// A request to a server that was answered.
    Http(Box<HttpRequest>),
    /// A work item that is complete.
    Item(Box<Item>),
    /// A thread's part of a work item.
    Part(PartSeen),
    /// The next wait of a thread is that of a virtual thread.
    Pinned(PinnedWait),
    /// A statement of JDBC that has been executed.
    Statement(Box<StatementSeen>),
}

impl Record {
    /// True for starts and ends of threads, and for starts of programs.
    pub(crate) fn is_life(&self) -> bool {
        matches!(self, Self::ThreadStart(_) | Self::ThreadEnd(_) | Self::Exec(_))
    }

    /// CPU time that a tick represents. For all other records, this is 0.
    pub(crate) fn tick_ns(&self) -> u64 {
        match self {
            Self::Event { event, sampled: Metric::Cpu, .. } => event.weight,
            _ => 0,
        }
    }

    /// The process of the record.
    pub(crate) fn process_id(&self) -> u32 {
        match self {
            Self::Event { event, .. } => event.head.process_id,
            Self::Wake(wake) => wake.event.head.process_id,
            Self::VirtualWait(wait) => wait.event.head.process_id,
            Self::Delivery(head) | Self::UserStack { head, .. } | Self::Exec(head) => head.process_id,
            Self::ThreadStart(life) | Self::ThreadEnd(life) => life.head.process_id,
            Self::File(seen) => seen.head.process_id,
            Self::Http(request) => request.head.process_id,
            Self::Item(item) => item.head.process_id,
            Self::Part(part) => part.head.process_id,
            Self::Pinned(wait) => wait.head.process_id,
            Self::Statement(statement) => statement.head.process_id,
        }
    }

    /// The time of the record, in CLOCK_MONOTONIC.
    pub(crate) fn time_ns(&self) -> u64 {
        match self {
            Self::Event { event, .. } => event.head.time_ns,
            Self::Wake(wake) => wake.event.head.time_ns,
            Self::VirtualWait(wait) => wait.event.head.time_ns,
            Self::Delivery(head) | Self::UserStack { head, .. } | Self::Exec(head) => head.time_ns,
            Self::ThreadStart(life) | Self::ThreadEnd(life) => life.head.time_ns,
            Self::File(seen) => seen.head.time_ns,
            Self::Http(request) => request.head.time_ns,
            Self::Item(item) => item.head.time_ns,
            Self::Part(part) => part.head.time_ns,
            Self::Pinned(wait) => wait.head.time_ns,
            Self::Statement(statement) => statement.head.time_ns,
        }
    }

    /// Approximate memory of the record.
    pub(crate) fn byte_count(&self) -> usize {
        let apart = match self {
            Self::Event { kernel_frames, .. } => size_of_val(&**kernel_frames),
            Self::UserStack { stack, .. } => stack.len() + size_of::<[u64; MAX_REGISTERS]>(),
            Self::ThreadStart(life) | Self::ThreadEnd(life) => size_of_val(&**life),
            Self::Http(request) => size_of_val(&**request),
            Self::Item(item) => size_of_val(&**item),
            Self::Statement(statement) => size_of_val(&**statement),
            Self::Wake(wake) => size_of_val(&**wake),
            Self::VirtualWait(wait) => size_of_val(&**wait),
            _ => 0,
        };
        size_of::<Self>() + apart
    }

    /// Reads a record. `None`: the bytes are not a record of whittle's BPF programs.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let head: Head = read(bytes)?;
        if let Some(sampled) = metric_of(head.kind) {
            let event: Event = read(bytes)?;
            return Some(Self::Event { event, sampled, kernel_frames: kernel_frames(&event, bytes) });
        }
        Some(match head.kind {
            kind::WAKE => Self::Wake(Box::new(read(bytes)?)),
            kind::VIRTUAL_PARKED | kind::VIRTUAL_RESUMED | kind::VIRTUAL_RETURNED => {
                Self::VirtualWait(Box::new(read(bytes)?))
            }
            kind::DELIVERY => Self::Delivery(head),
            kind::USER_STACK | kind::SPARE_STACK => {
                let copy: UserStackHead = read(bytes)?;
                let stack = &bytes[size_of::<UserStackHead>()..];
                let stack = &stack[..stack.len().min(copy.stack_byte_count as usize)];
                Self::UserStack { head, registers: Box::new(copy.registers), stack: stack.into() }
            }
            kind::THREAD_START => Self::ThreadStart(Box::new(read(bytes)?)),
            kind::THREAD_END => Self::ThreadEnd(Box::new(read(bytes)?)),
            kind::EXEC => Self::Exec(head),
            kind::FILE => Self::File(read(bytes)?),
            kind::HTTP => Self::Http(Box::new(read(bytes)?)),
            kind::ITEM => Self::Item(Box::new(read(bytes)?)),
            kind::PART => Self::Part(read(bytes)?),
            kind::PINNED => Self::Pinned(read(bytes)?),
            kind::STATEMENT => Self::Statement(Box::new(read(bytes)?)),
            _ => return None,
        })
    }
}

fn kernel_frames(event: &Event, bytes: &[u8]) -> Box<[u64]> {
    let count = usize::from(event.kernel_frame_count).min(MAX_KERNEL_FRAMES);
    let frames = bytes[size_of::<Event>()..].chunks_exact(8).take(count);
    frames.map(|frame| u64::from_ne_bytes(frame.try_into().unwrap_or_default())).collect()
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
        // The record now claims more frames than its bytes contain.
        tick[70] = 200;
        let Some(Record::Event { sampled, kernel_frames, .. }) = Record::parse(&tick) else { panic!("a tick") };
        assert_eq!((sampled, kernel_frames.len()), (Metric::Cpu, 0));
        assert_eq!(Record::parse(&tick[..71]), None);
    }
}
