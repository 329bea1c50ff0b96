//! Holds a new process between fork and exec until it is observed.
//!
//! ```text
//! we      fork ──────────────── read id ── observe ── write "go" ─────────── program runs
//! child     └── write own id ── read ─────────────────────┴── exec ──┘
//! ```

use crate::process::Process;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::{PipeFlags, pipe_with};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::process::Child;
use std::thread::JoinHandle;

/// The longest single wait for the id of the new process.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 10_000_000 };

/// Whittle's side of the gate.
#[derive(Debug)]
pub(crate) struct Gate {
    ids: std::fs::File,
    go: Option<std::fs::File>,
}

/// The new process's side.
#[derive(Debug)]
pub(crate) struct GateOfChild {
    ids: OwnedFd,
    go: OwnedFd,
    /// Whittle's end of the pipe. The child has a copy of this end and closes it, so that the child notices when
    /// whittle dies.
    our_end: RawFd,
}

impl Gate {
    pub(crate) fn new() -> io::Result<(Self, GateOfChild)> {
        let (ids, ids_of_child) = pipe_with(PipeFlags::CLOEXEC)?;
        let (go_of_child, go) = pipe_with(PipeFlags::CLOEXEC)?;
        let of_child = GateOfChild { ids: ids_of_child, go: go_of_child, our_end: go.as_raw_fd() };
        Ok((Self { ids: ids.into(), go: Some(go.into()) }, of_child))
    }

    /// The new process. None: it could not be created.
    pub(crate) fn process(&mut self, starting: &JoinHandle<io::Result<Child>>) -> Option<Process> {
        loop {
            let mut descriptors = [PollFd::new(&self.ids, PollFlags::IN)];
            let is_ready = poll(&mut descriptors, Some(&PATIENCE)).is_ok_and(|count| count > 0);
            if is_ready {
                let mut id = [0; 4];
                return self.ids.read_exact(&mut id).ok().map(|()| Process(u32::from_ne_bytes(id)));
            }
            if starting.is_finished() {
                return None;
            }
        }
    }

    /// Lets the process continue, or ends it.
    pub(crate) fn open(&mut self, goes: bool) {
        // If the pipe is closed without a message, the process ends. It also ends if this write fails.
        if let Some(mut go) = self.go.take().filter(|_| goes) {
            let _ = go.write_all(b"g");
        }
    }
}

impl GateOfChild {
    /// Runs in the new process: writes its id and waits. Allocates no memory.
    pub(crate) fn wait(&self) -> io::Result<()> {
        // SAFETY: the descriptor belongs to the process that forked this process, and is not used here.
        unsafe { libc::close(self.our_end) };
        let id = rustix::process::getpid().as_raw_nonzero().get().to_ne_bytes();
        rustix::io::write(&self.ids, &id)?;
        let mut word = [0];
        match rustix::io::read(&self.go, &mut word)? {
            0 => Err(io::ErrorKind::Interrupted.into()),
            _ => Ok(()),
        }
    }
}
