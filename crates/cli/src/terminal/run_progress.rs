//! Progress of commands that run programs many times. A line on the terminal shows the progress, and signals stop the
//! command.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use whittle_terminal::Failure;

/// Shells use this exit status for a program that Ctrl-C ended.
pub(crate) const INTERRUPTED_EXIT_CODE: u8 = 130;

/// The progress line, and whether a signal arrived.
pub(crate) struct RunProgress {
    is_shown: bool,
    has_line: bool,
    is_stopped: Arc<AtomicBool>,
}

impl RunProgress {
    /// Makes the line. From now on, signals that usually end a program only set a flag.
    pub(crate) fn new(is_quiet: bool) -> Result<Self, Failure> {
        let is_stopped = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&is_stopped))?;
        }
        Ok(Self { is_shown: !is_quiet && io::stderr().is_terminal(), has_line: false, is_stopped })
    }

    /// Shows a line with the remaining time, if the time is known.
    pub(crate) fn show(&mut self, text: &str, left: Option<Duration>) -> Result<(), Failure> {
        if self.is_shown {
            self.has_line = true;
            let _ = write!(io::stderr().lock(), "\r\x1b[K{}", line(text, left));
            let _ = io::stderr().flush();
        }
        self.check_signals()
    }

    /// Removes the line, so that other text can be printed.
    pub(crate) fn clear(&mut self) {
        if self.has_line {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
            self.has_line = false;
        }
    }

    /// Fails if a signal arrived, because the last run has no result in this case.
    pub(crate) fn check_signals(&mut self) -> Result<(), Failure> {
        if self.is_stopped.load(Ordering::Relaxed) {
            self.clear();
            let message = "stopped by a signal before the last round".to_owned();
            return Err(Failure { message, exit_code: INTERRUPTED_EXIT_CODE });
        }
        Ok(())
    }
}

fn line(text: &str, left: Option<Duration>) -> String {
    left.map_or_else(|| text.to_owned(), |left| format!("{text}, {} left", minutes(left)))
}

/// The time in minutes and seconds, such as `1:05`.
pub(crate) fn minutes(time: Duration) -> String {
    format!("{}:{:02}", time.as_secs() / 60, time.as_secs() % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_the_text() {
        assert_eq!(line("reading", Some(Duration::from_secs(22))), "reading, 0:22 left");
        assert_eq!(line("reading", None), "reading");
    }
}
