//! Ends a run that takes too long, for example because a change makes the program wait for itself.

use signal_hook::consts::SIGTERM;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;
use whittle_collect::{Stop, StopRequest};

/// The time between the request to end and the end by force.
const PATIENCE: Duration = Duration::from_secs(5);

/// Watches one run. The watch ends when the value is dropped.
pub(super) struct Watchdog {
    _ended: Sender<()>,
}

impl Watchdog {
    /// Requests the end of the run after `limit`, and its end by force soon after.
    pub(super) fn start(limit: Duration, stop: &Stop) -> Self {
        let (ended, has_ended) = channel::<()>();
        let stop = stop.clone();
        thread::spawn(move || {
            for time in [limit, PATIENCE] {
                // The sender is dropped at the end of the run.
                if has_ended.recv_timeout(time) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                stop.request(StopRequest { signal: SIGTERM, is_from_terminal: false });
            }
        });
        Self { _ended: ended }
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
        let exit_code = |seconds: &str, limit: Duration| {
            let stop = Stop::default();
            let mut command = Command::new("sleep");
            command.arg(seconds);
            let _watchdog = Watchdog::start(limit, &stop);
            run_measured_into(command, &files, &stop).unwrap().exit_code
        };
        assert_eq!(exit_code("60", Duration::from_millis(50)), None);
        assert_eq!(exit_code("0.1", Duration::from_secs(60)), Some(0));
    }
}
