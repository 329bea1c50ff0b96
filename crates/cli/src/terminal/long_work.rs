//! Prints a note if work takes long.

use super::output;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// A note is printed if work takes longer than this.
pub(crate) const SILENCE: Duration = Duration::from_secs(2);

/// Does the work, and prints the text as a note if the work takes long.
pub(crate) fn say_if_long<T>(text: &str, work: impl FnOnce() -> T) -> T {
    // The thread ends when the channel closes.
    let (done, waits) = mpsc::channel::<()>();
    let text = text.to_owned();
    let teller = std::thread::spawn(move || {
        if waits.recv_timeout(SILENCE) == Err(RecvTimeoutError::Timeout) {
            output::note(&text);
        }
    });
    let result = work();
    drop(done);
    // The thread only prints, so its failure is ignored.
    let _ = teller.join();
    result
}
