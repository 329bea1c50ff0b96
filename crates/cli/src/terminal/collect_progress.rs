//! What is said while something takes long: the progress line of a collection, which rewrites itself on a terminal, and
//! single lines of other commands.

use crate::output;
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use whittle_collect::{Observer, Progress};

/// Work that takes longer says something.
const SILENCE: Duration = Duration::from_secs(2);

/// Does the work, and says the text if it takes long.
pub(crate) fn say_if_long<T>(text: &str, work: impl FnOnce() -> T) -> T {
    // The thread ends with the channel.
    let (done, waits) = mpsc::channel::<()>();
    let text = text.to_owned();
    let teller = std::thread::spawn(move || {
        if waits.recv_timeout(SILENCE) == Err(RecvTimeoutError::Timeout) {
            output::note(&text);
        }
    });
    let result = work();
    drop(done);
    // It only prints: whether it could is not worth an error.
    let _ = teller.join();
    result
}

/// Shows how a collection goes.
pub(crate) struct ProgressLine {
    is_shown: bool,
    is_quiet: bool,
    has_line: bool,
}

impl ProgressLine {
    /// A progress line, unless the user wants quiet or nobody looks.
    pub(crate) fn new(is_quiet: bool) -> Self {
        Self { is_shown: !is_quiet && io::stderr().is_terminal(), is_quiet, has_line: false }
    }

    /// Removes the line, so that other text can follow.
    pub(crate) fn clear(&mut self) {
        if self.has_line {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
            self.has_line = false;
        }
    }
}

impl Observer for ProgressLine {
    fn progress(&mut self, progress: &Progress) {
        if self.is_shown {
            self.has_line = true;
            let _ = write!(io::stderr().lock(), "\r\x1b[K{}", progress_text(progress));
            let _ = io::stderr().flush();
        }
    }

    fn note(&mut self, note: &str) {
        self.clear();
        if !self.is_quiet {
            output::note(note);
        }
    }
}

fn progress_text(progress: &Progress) -> String {
    let elapsed = progress.elapsed.as_secs();
    let time = format!("{}:{:02}", elapsed / 60, elapsed % 60);
    match progress.closure_ratio {
        Some(ratio) if progress.sample_count > 0 => {
            format!(
                "collecting {time}  {} samples  {:.1} % of CPU time explained",
                progress.sample_count,
                ratio * 100.0
            )
        }
        _ => format!("collecting {time}  (samples arrive every 5 s)  Ctrl-C ends"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_time_samples_and_closure() {
        let progress = Progress { elapsed: Duration::from_secs(75), sample_count: 812, closure_ratio: Some(0.987) };
        assert_eq!(progress_text(&progress), "collecting 1:15  812 samples  98.7 % of CPU time explained");
    }
}
