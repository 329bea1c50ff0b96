//! The progress line of a collection, which is updated in place on a terminal.

use super::output;
use std::io::{self, IsTerminal, Write};
use whittle_collect::{Observer, Progress};

/// Shows the state of a collection.
pub(crate) struct ProgressLine {
    is_shown: bool,
    is_quiet: bool,
    has_line: bool,
}

impl ProgressLine {
    /// Makes a progress line. The line is empty with `--quiet` or without a terminal.
    pub(crate) fn new(is_quiet: bool) -> Self {
        Self { is_shown: !is_quiet && io::stderr().is_terminal(), is_quiet, has_line: false }
    }

    /// Removes the line, so that other text can be printed.
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
    use std::time::Duration;

    #[test]
    fn the_line_shows_time_samples_and_closure() {
        let progress = Progress { elapsed: Duration::from_secs(75), sample_count: 812, closure_ratio: Some(0.987) };
        assert_eq!(progress_text(&progress), "collecting 1:15  812 samples  98.7 % of CPU time explained");
    }
}
