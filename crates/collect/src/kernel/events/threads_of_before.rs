//! The states of threads that exist when observation begins.
//!
//! The kernel side sees only changes. If a thread already waits, or runs without a pause, its state would be unknown
//! until the state changes. `/proc` shows this state.

use crate::kernel::layout::{STATE_ON_CPU, STATE_OTHER, ThreadValue};
use crate::process::{Process, ThreadCall};
use crate::syscall_names;
use rustix::fs::FileType;
use whittle_model::WaitReason;

/// The threads of a process by id, with their state since `now_ns` of CLOCK_MONOTONIC.
pub(crate) fn threads_of_before(process: Process, now_ns: u64) -> Vec<(u32, ThreadValue)> {
    process.thread_ids().into_iter().map(|id| (id, thread_of_before(process, id, now_ns))).collect()
}

fn thread_of_before(process: Process, thread_id: u32, now_ns: u64) -> ThreadValue {
    let namespaced_id = process.namespaced_thread_id(thread_id).unwrap_or(thread_id);
    let value = ThreadValue {
        process_id: process.0,
        namespaced_id,
        state: STATE_OTHER,
        state_since_ns: now_ns,
        is_old: 1,
        ..ThreadValue::default()
    };
    match process.thread_call(thread_id) {
        None => value,
        Some(ThreadCall::Running) => ThreadValue { state: STATE_ON_CPU, ..value },
        Some(ThreadCall::Waiting { number, first_argument }) => {
            let state = wait_reason(process, number, first_argument) as u8;
            ThreadValue { state, is_in_call: 1, call: number as i32, ..value }
        }
    }
}

/// The kernel side's reason for waiting in a call.
fn wait_reason(process: Process, number: u32, descriptor: u64) -> WaitReason {
    let facts = syscall_names::facts(number);
    match facts.wait {
        WaitReason::None if facts.has_descriptor => reason_of_file(process, descriptor),
        WaitReason::None => WaitReason::Other,
        reason => reason,
    }
}

fn reason_of_file(process: Process, descriptor: u64) -> WaitReason {
    match process.linked_file(&format!("fd/{descriptor}")).map(|file| file.kind) {
        Ok(FileType::Socket) => WaitReason::Socket,
        Ok(FileType::Fifo) => WaitReason::Pipe,
        Ok(FileType::RegularFile | FileType::Directory | FileType::BlockDevice) => WaitReason::File,
        _ => WaitReason::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;
    use std::time::{Duration, Instant};

    /// The state of the thread that runs `wait`, as soon as it waits.
    fn state_of(wait: impl FnOnce() + Send + 'static) -> (u8, u8) {
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            // SAFETY: the call has no arguments and accesses no memory.
            tell.send(unsafe { libc::gettid() } as u32).unwrap();
            wait();
        });
        let (process, thread_id) = (Process(std::process::id()), told.recv().unwrap());
        let deadline = Instant::now() + Duration::from_secs(5);
        loop {
            let value = thread_of_before(process, thread_id, 1);
            if value.is_in_call != 0 || Instant::now() > deadline {
                return (value.state, value.is_in_call);
            }
        }
    }

    #[test]
    fn a_wait_that_began_before_has_its_reason() {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let socket = ours.as_raw_fd();
        let wait = move || {
            let _keep = ours;
            let mut byte = 0_u8;
            // SAFETY: `byte` is valid for a write of one byte.
            unsafe { libc::read(socket, (&raw mut byte).cast(), 1) };
        };
        assert_eq!(state_of(wait), (WaitReason::Socket as u8, 1));
        drop(theirs);
        let sleep = || std::thread::sleep(Duration::from_secs(1));
        assert_eq!(state_of(sleep), (WaitReason::Sleep as u8, 1));
        let (reader, writer) = std::io::pipe().unwrap();
        let wait = move || drop(std::io::read_to_string(reader));
        assert_eq!(state_of(wait), (WaitReason::Pipe as u8, 1));
        drop(writer);
    }

    #[test]
    fn a_thread_that_runs_is_on_the_cpu() {
        let (tell, told) = std::sync::mpsc::channel();
        let is_over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // SAFETY: the call has no arguments and accesses no memory.
                tell.send(unsafe { libc::gettid() } as u32).unwrap();
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
            let thread_id = told.recv().unwrap();
            std::thread::sleep(Duration::from_millis(50));
            let value = thread_of_before(Process(std::process::id()), thread_id, 7);
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
            assert_eq!((value.state, value.is_in_call, value.state_since_ns), (STATE_ON_CPU, 0, 7));
        });
    }
}
