//! Signals go to a JVM only while its signal handler is the profiler's handler. The handler of each JVM is confirmed once.

use super::KernelSide;
use crate::async_profiler::LIBRARY_NAME;
use crate::error::KernelError;
use crate::host;
use crate::process::Process;
use crate::process_memory::mapped_file_at;
use rustc_hash::FxHashMap;

/// The JVMs to which signals go.
#[derive(Debug, Clone, Default)]
pub(super) struct Handlers {
    /// The JVMs with a confirmed handler, each with the time on CLOCK_MONOTONIC until which its samples are complete.
    complete_until_ns: FxHashMap<u32, u64>,
    /// True if no more signals are sent.
    has_ended: bool,
}

impl Handlers {
    /// Until when the samples of all JVMs are complete. `None`: no JVM has a confirmed handler.
    pub(super) fn complete_until_ns(&self) -> Option<u64> {
        self.complete_until_ns.values().copied().min()
    }

    /// The samples of the process are complete until `until_ns` of CLOCK_MONOTONIC.
    pub(super) fn set_complete(&mut self, process: Process, until_ns: u64) {
        if let Some(complete_until_ns) = self.complete_until_ns.get_mut(&process.0) {
            *complete_until_ns = until_ns;
        }
    }

    /// Forgets a process that has ended.
    pub(super) fn forget(&mut self, process: Process) {
        self.complete_until_ns.remove(&process.0);
    }

    /// The handlers for tables that start at `at_ns` of CLOCK_MONOTONIC.
    pub(super) fn for_next_segment(&self, at_ns: u64) -> Self {
        let complete_until_ns = self.complete_until_ns.keys().map(|process_id| (*process_id, at_ns)).collect();
        Self { complete_until_ns, has_ended: self.has_ended }
    }
}

impl KernelSide {
    /// Allows signals to the process if its handler is in the profiler's library. Returns true if the handler is
    /// confirmed.
    pub(crate) fn confirm_handler(&mut self, process: Process) -> bool {
        if self.handlers.has_ended || self.is_handler_confirmed(process) {
            return self.is_handler_confirmed(process);
        }
        let seen = self.listener.processes().into_iter().find(|(id, _)| *id == process.0);
        let Some(address) = seen.map(|(_, value)| value.seen_handler).filter(|address| *address > 1) else {
            return false;
        };
        let path = mapped_file_at(process, address);
        let is_ours = path.is_some_and(|path| path.ends_with(LIBRARY_NAME));
        if is_ours && self.listener.confirm_handler(process.0, address).is_ok() {
            // No earlier event can be answered by the profiler.
            self.handlers.complete_until_ns.insert(process.0, host::monotonic_ns());
            // The libraries of the JVM are loaded by now.
            self.pipeline.events.open_again(process);
        }
        is_ours
    }

    /// True if signals go to the process.
    pub(crate) fn is_handler_confirmed(&self, process: Process) -> bool {
        self.handlers.complete_until_ns.contains_key(&process.0)
    }

    /// Stops observing and sends no more signals. Signals that were already sent are still answered.
    pub(crate) fn stop(&mut self) -> Result<(), KernelError> {
        self.handlers.has_ended = true;
        self.listener.stop()
    }
}
