//! CPU time of the whole machine, as `/proc/stat` counts it (proc_stat(5)).

use std::fs;

/// CPU time since the machine started, summed over all CPUs, in clock ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MachineCpu {
    busy: u64,
    free: u64,
    /// `steal`: time in which a virtual machine had work for a CPU, and its host did not let the CPU run.
    stolen: u64,
}

/// How the CPUs were used between two readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MachineUse {
    pub(crate) busy_ratio: f64,
    pub(crate) stolen_ratio: f64,
}

impl MachineCpu {
    /// The current values. Missing: `/proc/stat` cannot be read.
    pub(crate) fn now() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/stat").ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
        // The time of guests is already part of `user` and `nice`.
        let mut ticks = line.split_whitespace().map_while(|word| word.parse::<u64>().ok());
        let (user, nice, system, idle) = (ticks.next()?, ticks.next()?, ticks.next()?, ticks.next()?);
        let [io_wait, interrupts, soft_interrupts, stolen] = std::array::from_fn(|_| ticks.next().unwrap_or(0));
        Some(Self { busy: user + nice + system + interrupts + soft_interrupts, free: idle + io_wait, stolen })
    }

    /// The use since `earlier`. Missing if no time has passed.
    pub(crate) fn since(&self, earlier: &Self) -> Option<MachineUse> {
        let grown = |figure: fn(&Self) -> u64| figure(self).saturating_sub(figure(earlier)) as f64;
        let (busy, free, stolen) = (grown(|cpu| cpu.busy), grown(|cpu| cpu.free), grown(|cpu| cpu.stolen));
        let all = busy + free + stolen;
        (all > 0.0).then(|| MachineUse { busy_ratio: busy / all, stolen_ratio: stolen / all })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_free_and_stolen_time_are_told_apart() {
        let before = MachineCpu::parse("cpu  100 0 50 800 10 0 0 40 7 7\ncpu0 1 2 3 4 5 6 7 8 9 10\n").unwrap();
        let after = MachineCpu::parse("cpu  150 5 65 815 15 3 2 45 9 9\n").unwrap();
        assert_eq!(after.since(&before), Some(MachineUse { busy_ratio: 0.75, stolen_ratio: 0.05 }));
        assert_eq!(before.since(&before), None);
    }

    #[test]
    fn kernels_that_do_not_know_of_hosts_tell_the_rest() {
        let (before, after) =
            (MachineCpu::parse("cpu  0 0 0 0\n").unwrap(), MachineCpu::parse("cpu  1 0 0 3\n").unwrap());
        assert_eq!(after.since(&before), Some(MachineUse { busy_ratio: 0.25, stolen_ratio: 0.0 }));
        assert_eq!(MachineCpu::parse("cpu  1 2\n"), None);
        assert_eq!(MachineCpu::parse("intr 5\n"), None);
    }
}
