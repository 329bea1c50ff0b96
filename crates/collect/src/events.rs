//! What a collection samples besides CPU time, and how far apart the samples are.

use std::str::FromStr;
use whittle_model::EventKind;

/// How far apart the samples of an event are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Amount {
    /// The event is not sampled.
    None,
    /// About as many samples a second whatever the program does.
    Following,
    /// One sample for this many nanoseconds, calls, bytes or faults on average.
    Fixed(u64),
}

impl Amount {
    /// True if the event is sampled.
    pub fn is_wanted(self) -> bool {
        self != Self::None
    }

    pub(crate) fn fixed_or(self, following: u64) -> u64 {
        match self {
            Self::None => 0,
            Self::Following => following,
            Self::Fixed(amount) => amount,
        }
    }
}

/// The events of a collection. CPU time is always among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Events {
    /// Time blocked, in nanoseconds.
    pub off_cpu: Amount,
    /// System calls, in calls. With it, or with one of the next two, all calls are counted exactly.
    pub syscalls: Amount,
    /// Elapsed time in system calls, in nanoseconds.
    pub syscall_time: Amount,
    /// Bytes moved by system calls.
    pub io_bytes: Amount,
    /// Page faults.
    pub page_faults: Amount,
    /// Bytes allocated on the Java heap.
    pub alloc: Amount,
    /// Waits for Java locks that are longer than this, in nanoseconds.
    pub lock: Amount,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            off_cpu: Amount::Following,
            syscalls: Amount::Following,
            syscall_time: Amount::Following,
            io_bytes: Amount::Following,
            page_faults: Amount::Following,
            alloc: Amount::Following,
            lock: Amount::Following,
        }
    }
}

/// The unit of an event's amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Time,
    Bytes,
    Count,
}

/// Allocated bytes between two samples where the user does not say: 1 to 2 % of an allocation-heavy
/// program's time (512 KB, async-profiler's own, cost 5 %).
const DEFAULT_ALLOC_BYTES: u64 = 2 << 20;

/// Shortest wait for a Java lock that is recorded where the user does not say.
const DEFAULT_LOCK_NS: u64 = 1_000_000;

impl Events {
    /// CPU time alone.
    pub const CPU_ONLY: Self = Self {
        off_cpu: Amount::None,
        syscalls: Amount::None,
        syscall_time: Amount::None,
        io_bytes: Amount::None,
        page_faults: Amount::None,
        alloc: Amount::None,
        lock: Amount::None,
    };

    /// True if exact accounts of system calls are kept.
    pub fn has_accounts(&self) -> bool {
        [self.syscalls, self.syscall_time, self.io_bytes].iter().any(|amount| amount.is_wanted())
    }

    /// Bytes between two samples of allocations; none if they are not sampled.
    pub(crate) fn alloc_bytes(&self) -> Option<u64> {
        Some(self.alloc.fixed_or(DEFAULT_ALLOC_BYTES)).filter(|bytes| *bytes > 0)
    }

    /// Shortest wait for a Java lock that is recorded; none if they are not.
    pub(crate) fn lock_ns(&self) -> Option<u64> {
        Some(self.lock.fixed_or(DEFAULT_LOCK_NS)).filter(|ns| *ns > 0)
    }

    /// The events that the kernel-driven engine samples.
    pub(crate) fn kernel_events(&self) -> Vec<EventKind> {
        let events = [
            (Amount::Following, EventKind::Cpu),
            (self.off_cpu, EventKind::OffCpu),
            (self.syscalls, EventKind::Syscall),
            (self.syscall_time, EventKind::SyscallTime),
            (self.io_bytes, EventKind::SyscallBytes),
            (self.page_faults, EventKind::PageFault),
        ];
        events.into_iter().filter(|(amount, _)| amount.is_wanted()).map(|(_, event)| event).collect()
    }

    fn field(&mut self, name: &str) -> Option<(&mut Amount, Unit)> {
        Some(match name {
            "off_cpu" => (&mut self.off_cpu, Unit::Time),
            "syscalls" => (&mut self.syscalls, Unit::Count),
            "syscall_time" => (&mut self.syscall_time, Unit::Time),
            "io_bytes" => (&mut self.io_bytes, Unit::Bytes),
            "page_faults" => (&mut self.page_faults, Unit::Count),
            "alloc" => (&mut self.alloc, Unit::Bytes),
            "lock" => (&mut self.lock, Unit::Time),
            _ => return None,
        })
    }
}

/// Names as the user writes them.
const NAMES: &str = "cpu, off_cpu, syscalls, syscall_time, io_bytes, page_faults, alloc, lock";

impl FromStr for Events {
    type Err = String;

    /// `cpu,off_cpu,alloc=512k`: the events, each with an amount if it is not to follow the program.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut events = Self::CPU_ONLY;
        for word in text.split(',').map(str::trim) {
            let (name, amount) = word.split_once('=').map_or((word, None), |(name, amount)| (name, Some(amount)));
            if name == "cpu" && amount.is_none() {
                continue;
            }
            let Some((field, unit)) = events.field(name) else {
                return Err(match (name, amount) {
                    ("cpu", _) => "the distance of CPU samples is set by --interval".to_owned(),
                    _ => format!("\"{name}\" is not an event; known: {NAMES}"),
                });
            };
            *field = match amount {
                None => Amount::Following,
                Some(amount) => Amount::Fixed(parse_amount(name, amount, unit)?),
            };
        }
        Ok(events)
    }
}

fn parse_amount(name: &str, text: &str, unit: Unit) -> Result<u64, String> {
    let (scales, example): (&[(&str, f64)], &str) = match unit {
        Unit::Time => (&[("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)], "10ms"),
        Unit::Bytes => (&[("", 1.0), ("k", 1024.0), ("m", 1_048_576.0), ("g", 1_073_741_824.0)], "512k"),
        Unit::Count => (&[("", 1.0), ("k", 1e3), ("m", 1e6)], "1000"),
    };
    let number_end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, suffix) = text.split_at(number_end);
    let scale = scales.iter().find(|(name, _)| suffix.eq_ignore_ascii_case(name)).map(|(_, scale)| *scale);
    let amount = scale.zip(number.parse::<f64>().ok()).map(|(scale, number)| number * scale);
    match amount {
        Some(amount) if (1.0..=1e15).contains(&amount) => Ok(amount as u64),
        _ => Err(format!("\"{text}\" is no amount for {name}; wanted something like {name}={example}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_named_with_or_without_an_amount() {
        let events: Events = "cpu,off_cpu=5ms, syscalls,alloc=512k,io_bytes=1m".parse().unwrap();
        assert_eq!(events.off_cpu, Amount::Fixed(5_000_000));
        assert_eq!(events.syscalls, Amount::Following);
        assert_eq!(events.alloc_bytes(), Some(512 * 1024));
        assert_eq!(events.io_bytes, Amount::Fixed(1 << 20));
        assert_eq!((events.lock_ns(), events.page_faults), (None, Amount::None));
        assert!(events.has_accounts());
        assert_eq!("cpu".parse::<Events>().unwrap(), Events::CPU_ONLY);
    }

    #[test]
    fn a_wrong_event_is_named() {
        for (text, part) in [
            ("cpu,syscall", "\"syscall\" is not an event; known: cpu, off_cpu"),
            ("", "\"\" is not an event"),
            ("cpu=10ms", "--interval"),
            ("off_cpu=10", "something like off_cpu=10ms"),
            ("alloc=0", "something like alloc=512k"),
            ("syscalls=-5", "something like syscalls=1000"),
        ] {
            let error = text.parse::<Events>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
