//! Signals go to the observed JVM only while its signal handler is the profiler's handler. The handler is confirmed
//! once.

use super::KernelSide;
use crate::async_profiler::LIBRARY_NAME;
use crate::error::KernelError;
use crate::process_memory::mapped_file_at;

/// Whether signals go to the observed JVM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Handler {
    /// The handler was not confirmed yet, or there is no profiler.
    Unconfirmed,
    Confirmed,
    /// No more signals are sent.
    Ended,
}

impl KernelSide {
    /// Allows signals to the observed process if its handler is in the profiler's library. Returns true if the
    /// handler is confirmed.
    pub(crate) fn confirm_handler(&mut self) -> bool {
        let (Handler::Unconfirmed, Some(process)) = (self.handler, self.pipeline.events.lives.main()) else {
            return self.is_handler_confirmed();
        };
        let seen = self.listener.processes().into_iter().find(|(id, _)| *id == process.0);
        let Some(address) = seen.map(|(_, value)| value.seen_handler).filter(|address| *address > 1) else {
            return false;
        };
        let path = mapped_file_at(process, address);
        let is_ours = path.is_some_and(|path| path.ends_with(LIBRARY_NAME));
        if is_ours && self.listener.confirm_handler(process.0, address).is_ok() {
            self.handler = Handler::Confirmed;
            // The libraries of the JVM are loaded by now.
            self.pipeline.events.open_again(process);
        }
        is_ours
    }

    /// True if signals go to the observed process.
    pub(crate) fn is_handler_confirmed(&self) -> bool {
        self.handler == Handler::Confirmed
    }

    /// Stops observing and sends no more signals. Signals that were already sent are still answered.
    pub(crate) fn stop(&mut self) -> Result<(), KernelError> {
        self.handler = Handler::Ended;
        self.listener.stop()
    }
}
