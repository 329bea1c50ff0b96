//! CPU time that the host of a virtual machine took.

use std::fs;
use std::time::Duration;

/// The unit of `/proc/stat`: USER_HZ, 100 on all current architectures.
pub(crate) const TICK_NS: u64 = 10_000_000;

/// CPU time of the whole machine at one time, in the clock ticks of `/proc/stat` (proc_stat(5)).
#[derive(Debug, Clone, Copy)]
pub struct MachineTime {
    all: u64,
    /// `steal`: this machine had a program on a CPU, but the host did not run this machine there.
    stolen: u64,
}

impl MachineTime {
    /// The machine's time so far, or 0 if it is not in `/proc`.
    pub fn now() -> Self {
        Self::read(&fs::read_to_string("/proc/stat").unwrap_or_default())
    }

    fn read(text: &str) -> Self {
        let numbers = text.lines().next().unwrap_or("").split_whitespace().filter_map(|word| word.parse().ok());
        // The numbers from the ninth on are the time of guests, which user time already includes.
        let numbers: Vec<u64> = numbers.take(8).collect();
        Self { all: numbers.iter().sum(), stolen: numbers.get(7).copied().unwrap_or(0) }
    }

    /// The host's share of the CPU time since `self`.
    pub fn stolen_ratio_since(self) -> f64 {
        self.stolen_ratio_until(Self::now())
    }

    /// The time that the host took since `self`, summed over all CPUs. A thread may have been stopped for this long
    /// without being counted as executing or waiting.
    pub fn stolen_since(self) -> Duration {
        self.stolen_until(Self::now())
    }

    fn stolen_ratio_until(self, later: Self) -> f64 {
        let all = later.all.saturating_sub(self.all).max(1);
        later.stolen.saturating_sub(self.stolen) as f64 / all as f64
    }

    fn stolen_until(self, later: Self) -> Duration {
        Duration::from_nanos(later.stolen.saturating_sub(self.stolen) * TICK_NS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stolen_is_told_as_time_and_as_a_share() {
        let before = MachineTime::read("cpu  100 0 50 800 10 0 0 40 7 7\ncpu0 1 2 3 4 5 6 7 8 9 10\n");
        let after = MachineTime::read("cpu  160 0 60 820 10 0 0 50 9 9\n");
        assert_eq!((before.all, before.stolen), (1000, 40));
        assert_eq!(before.stolen_ratio_until(after), 0.1);
        assert_eq!(before.stolen_until(after), Duration::from_millis(100));
        assert_eq!(before.stolen_ratio_until(before), 0.0);
        assert_eq!(MachineTime::read("").stolen_ratio_until(MachineTime::read("")), 0.0);
    }
}
