//! The events that a collection samples in addition to CPU time, and the distance between samples.

use std::str::FromStr;
use thiserror::Error;
use whittle_model::{Distance, Engines, EventKind, Metric, Unit};

/// The distance between the samples of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Amount {
    /// The event is not sampled.
    None,
    /// About the same number of samples per second, for any program.
    Following,
    /// On average, one sample per this many nanoseconds, calls, bytes or faults.
    Fixed(u64),
}

impl Amount {
    /// True if the event is sampled.
    pub fn is_wanted(self) -> bool {
        self != Self::None
    }

    /// The distance between the samples of `metric`; 0: the metric is not sampled.
    fn distance(self, metric: Metric) -> u64 {
        match (self, metric.distance()) {
            (Self::None, _) | (Self::Following, None) => 0,
            (
                Self::Following,
                Some(Distance::Following { first: usual, .. } | Distance::Each(usual) | Distance::From(usual)),
            ) => usual,
            (Self::Fixed(amount), _) => amount,
        }
    }
}

/// The events of a collection. CPU time is always among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Events {
    /// The amounts by metric, in the order of the registry. Metrics that cannot be selected are not sampled.
    amounts: [Amount; Metric::ALL.len()],
}

impl Default for Events {
    fn default() -> Self {
        let mut events = Self::CPU_ONLY;
        Metric::chosen().for_each(|metric| *events.amount_mut(metric) = Amount::Following);
        events
    }
}

impl Events {
    /// CPU time only.
    pub const CPU_ONLY: Self = Self { amounts: [Amount::None; Metric::ALL.len()] };

    /// The distance between the samples of a metric.
    pub fn amount(&self, metric: Metric) -> Amount {
        self.amounts[metric as usize]
    }

    fn amount_mut(&mut self, metric: Metric) -> &mut Amount {
        &mut self.amounts[metric as usize]
    }

    /// The initial distance between the samples of a metric, in the unit of the samples' weight; 0: the metric is not
    /// sampled.
    pub(crate) fn distance(&self, metric: Metric) -> u64 {
        self.amount(metric).distance(metric)
    }

    /// The same events without allocations.
    pub(crate) fn without_allocations(mut self) -> Self {
        *self.amount_mut(Metric::AllocBytes) = Amount::None;
        self
    }

    /// True if exact accounts of system calls are kept.
    pub fn has_accounts(&self) -> bool {
        [Metric::Syscalls, Metric::SyscallTime, Metric::IoBytes].iter().any(|metric| self.amount(*metric).is_wanted())
    }

    /// The events that the profiler in the JVM samples, with their names in its options, and the distances.
    pub(crate) fn java_distances(&self) -> Vec<(&'static str, u64)> {
        let java = wanted_of(*self, |engines| engines == Engines::Java);
        java.filter_map(|metric| Some((metric.facts().choice?.word, self.distance(metric)))).collect()
    }

    /// The events that the kernel-driven engine samples.
    pub(crate) fn kernel_events(&self) -> Vec<EventKind> {
        let chosen = wanted_of(*self, |engines| matches!(engines, Engines::Kernel | Engines::KernelOrObserved));
        std::iter::once(EventKind::Cpu).chain(chosen.map(Metric::event)).collect()
    }

    /// The explanation of `--events`.
    pub fn help() -> String {
        format!(
            "Events to sample in addition to CPU time: {}; each can have an amount (syscalls=1000,off_cpu=10ms,alloc=512k); \
             cpu: only CPU time [default: all]",
            words(|_| true).join(", ")
        )
    }
}

fn wanted_of(events: Events, is_of: impl Fn(Engines) -> bool) -> impl Iterator<Item = Metric> {
    Metric::chosen().filter(move |metric| is_of(metric.facts().engines) && events.amount(*metric).is_wanted())
}

/// The names of the metrics for which `fits` is true, as the user writes the names.
pub(crate) fn words(fits: impl Fn(Metric) -> bool) -> Vec<&'static str> {
    Metric::chosen().filter(|metric| fits(*metric)).filter_map(|metric| Some(metric.facts().choice?.word)).collect()
}

/// Why a text is not a list of events.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EventsError {
    /// CPU time has an interval instead of an amount.
    #[error("the distance of CPU samples is the interval of the collection, not an amount")]
    CpuAmount,
    /// No event has this name.
    #[error("\"{name}\" is not an event; known: cpu, {}", words(|_| true).join(", "))]
    Unknown {
        /// The word in the text.
        name: String,
    },
    /// The amount is not a number with a unit.
    #[error("\"{text}\" is not an amount for {name}; expected, for example, {name}={example}")]
    Amount {
        /// The event.
        name: String,
        /// The text after the `=`.
        text: String,
        /// An amount with the right unit.
        example: &'static str,
    },
}

impl FromStr for Events {
    type Err = EventsError;

    /// Parses a list such as `cpu,off_cpu,alloc=512k`. If an event has no amount, the amount adapts to the program.
    fn from_str(text: &str) -> Result<Self, EventsError> {
        let mut events = Self::CPU_ONLY;
        for word in text.split(',').map(str::trim) {
            let (name, amount) = word.split_once('=').map_or((word, None), |(name, amount)| (name, Some(amount)));
            if name == "cpu" && amount.is_none() {
                continue;
            }
            let is_chosen = |metric: &Metric| metric.facts().choice.is_some_and(|choice| choice.word == name);
            let Some(metric) = Metric::chosen().find(is_chosen) else {
                let unknown = || EventsError::Unknown { name: name.to_owned() };
                return Err(if name == "cpu" { EventsError::CpuAmount } else { unknown() });
            };
            *events.amount_mut(metric) = match amount {
                None => Amount::Following,
                Some(amount) => Amount::Fixed(parse_amount(name, amount, metric.unit())?),
            };
        }
        Ok(events)
    }
}

fn parse_amount(name: &str, text: &str, unit: Unit) -> Result<u64, EventsError> {
    let (scales, example): (&[(&str, f64)], &'static str) = match unit {
        Unit::Nanoseconds => (&[("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)], "10ms"),
        Unit::Bytes => (&[("", 1.0), ("k", 1024.0), ("m", 1_048_576.0), ("g", 1_073_741_824.0)], "512k"),
        Unit::Count => (&[("", 1.0), ("k", 1e3), ("m", 1e6)], "1000"),
    };
    let number_end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, suffix) = text.split_at(number_end);
    let scale = scales.iter().find(|(name, _)| suffix.eq_ignore_ascii_case(name)).map(|(_, scale)| *scale);
    let amount = scale.zip(number.parse::<f64>().ok()).map(|(scale, number)| number * scale);
    match amount {
        Some(amount) if (1.0..=1e15).contains(&amount) => Ok(amount as u64),
        _ => Err(EventsError::Amount { name: name.to_owned(), text: text.to_owned(), example }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_named_with_or_without_an_amount() {
        let events: Events = "cpu,off_cpu=5ms, syscalls,alloc=512k,io_bytes=1m".parse().unwrap();
        assert_eq!(events.amount(Metric::OffCpu), Amount::Fixed(5_000_000));
        assert_eq!(events.amount(Metric::Syscalls), Amount::Following);
        assert_eq!(events.java_distances(), [("alloc", 512 * 1024)]);
        assert_eq!(events.amount(Metric::IoBytes), Amount::Fixed(1 << 20));
        assert_eq!((events.amount(Metric::LockWait), events.amount(Metric::PageFaults)), (Amount::None, Amount::None));
        assert!(events.has_accounts());
        assert_eq!("cpu".parse::<Events>().unwrap(), Events::CPU_ONLY);
    }

    #[test]
    fn a_wrong_event_is_named() {
        for (text, part) in [
            ("cpu,syscall", "\"syscall\" is not an event; known: cpu, off_cpu"),
            ("", "\"\" is not an event"),
            ("cpu=10ms", "interval"),
            ("off_cpu=10", "for example, off_cpu=10ms"),
            ("alloc=0", "for example, alloc=512k"),
            ("syscalls=-5", "for example, syscalls=1000"),
        ] {
            let error = text.parse::<Events>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
