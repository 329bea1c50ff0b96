//! The CPU time of a thread. Tests limit CPU time, because elapsed time also grows while other programs use the CPU.

use crate::stolen::TICK_NS;
use std::fs;
use std::time::Duration;

/// The CPU time that the calling thread has used so far.
#[derive(Debug, Clone, Copy)]
pub struct ThreadCpu {
    ticks: u64,
}

impl ThreadCpu {
    /// The CPU time so far.
    ///
    /// # Panics
    /// There is no `/proc`.
    pub fn now() -> Self {
        let text = fs::read_to_string("/proc/thread-self/stat").expect("a Linux with /proc");
        Self { ticks: ticks(&text) }
    }

    /// CPU time of this thread since `self`.
    pub fn elapsed(self) -> Duration {
        Duration::from_nanos((Self::now().ticks - self.ticks) * TICK_NS)
    }
}

/// User and system time in a line of proc_stat(5), in clock ticks. The name in parentheses can contain spaces.
fn ticks(line: &str) -> u64 {
    let (_, after_name) = line.rsplit_once(") ").expect("a name in brackets");
    let numbers = after_name.split(' ').skip(11).take(2);
    numbers.map(|number| number.parse::<u64>().expect("clock ticks")).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_times_are_read() {
        let line = "7 (a name) R 1 7 7 0 -1 4194304 100 0 0 0 25 17 0 0 20 0 1 0 100 0 0";
        assert_eq!(ticks(line), 42);
        assert!(ThreadCpu::now().elapsed() < Duration::from_secs(5));
    }
}
