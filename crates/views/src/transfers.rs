//! The mean bytes per call of the calls that move bytes. The overview and the table of system calls show this number.

use whittle_profile::amounts::decimal;

/// Adds up the calls that move bytes. Calls that move no bytes, for example `futex`, do not count.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Transfers {
    calls_count: f64,
    bytes: f64,
}

impl Transfers {
    /// Adds calls and the bytes that they moved.
    pub(crate) fn add(&mut self, calls_count: f64, bytes: f64) {
        if bytes > 0.0 {
            self.calls_count += calls_count;
            self.bytes += bytes;
        }
    }

    /// Missing if no call moved bytes.
    pub(crate) fn mean_bytes(&self) -> Option<f64> {
        (self.calls_count > 0.0).then(|| self.bytes / self.calls_count)
    }
}

/// `mean 2.4 bytes per call that moves bytes`.
pub(crate) fn mean_in_words(mean_bytes: f64) -> String {
    format!("mean {} bytes per call that moves bytes", decimal(mean_bytes, 1))
}
