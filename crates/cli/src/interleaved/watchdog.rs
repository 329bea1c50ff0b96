//! Ends a run that takes too long, for example because a change makes the program wait for itself.

use signal_hook::consts::SIGTERM;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;
use whittle_collect::{Stop, StopRequest};

/// The time between the request to end and the end by force.
const PATIENCE: Duration = Duration::from_secs(5);

/// Watches one run. The watch ends when the value is dropped.
pub(super) struct Watchdog {
    limit: Duration,
    has_requested: Arc<AtomicBool>,
    _ended: Sender<()>,
}

impl Watchdog {
    /// Requests the end of the run after `limit`, and its end by force soon after.
    pub(super) fn start(limit: Duration, stop: &Stop) -> Self {
        let (ended, has_ended) = channel::<()>();
        let stop = stop.clone();
        let has_requested = Arc::<AtomicBool>::default();
        let requests = Arc::clone(&has_requested);
        thread::spawn(move || {
            for time in [limit, PATIENCE] {
                // The sender is dropped at the end of the run.
                if has_ended.recv_timeout(time) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                requests.store(true, Ordering::Relaxed);
                stop.request(StopRequest { signal: SIGTERM, is_from_terminal: false });
            }
        });
        Self { limit, has_requested, _ended: ended }
    }

    /// Ends the watch. The result is the limit, if it was reached.
    pub(super) fn end(self) -> Option<Duration> {
        self.has_requested.load(Ordering::Relaxed).then_some(self.limit)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;
    use std::process::Command;
    use whittle_collect::{OutputFiles, run_measured_into};

    #[test]
    fn only_a_run_that_takes_too_long_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let files = OutputFiles { stdout: folder.path().join("stdout"), stderr: folder.path().join("stderr") };
        let ended = |seconds: &str, limit: Duration| {
            let stop = Stop::default();
            let mut command = Command::new("sleep");
            command.arg(seconds);
            let watchdog = Watchdog::start(limit, &stop);
            let exit_code = run_measured_into(command, &files, &stop).unwrap().exit_code;
            (exit_code, watchdog.end())
        };
        let limit = Duration::from_millis(50);
        assert_eq!(ended("60", limit), (None, Some(limit)));
        assert_eq!(ended("0.1", Duration::from_secs(60)), (Some(0), None));
    }
}
