//! Types of the registry: properties of events and metrics, and the macros that declare the two lists.

use super::weight::WeightColumn;

/// Properties of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventFacts {
    /// The column with the amount of a sample.
    pub weight: WeightColumn,
    /// The resource that the amount measures.
    pub resource: Resource,
    /// True if a sample shows whether the processor executed the program's code or the kernel's.
    pub has_mode: bool,
}

/// The program's resource that an event's samples measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// CPU time.
    CpuTime,
    /// Time that a thread waited for something other than a CPU.
    BlockedTime,
    /// Time that a thread waited for a Java lock. This is also blocked time.
    LockTime,
    /// Elapsed time, executing or not.
    ElapsedTime,
    /// Memory of the Java heap.
    Heap,
    /// Page faults.
    PageFaults,
    /// None of these resources.
    Nothing,
}

/// What a metric adds up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Summed {
    /// Nanoseconds.
    Time,
    /// Bytes.
    Bytes,
    /// The number of things that the samples represent: calls, faults, objects.
    Amount,
    /// The number of samples, if the weight of the samples is unknown.
    Samples,
}

impl Summed {
    /// The column of the samples table.
    pub const fn column(self) -> WeightColumn {
        match self {
            Self::Time => WeightColumn::DurationNs,
            Self::Bytes => WeightColumn::Bytes,
            Self::Amount | Self::Samples => WeightColumn::Count,
        }
    }
}

/// Which engines collect a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engines {
    /// Any engine, for any program.
    All,
    /// The engines that see the kernel: `kernel` and `cpu`.
    WithKernelFrames,
    /// Only the engine `kernel`.
    Kernel,
    /// The engine `kernel`. The other engines estimate the metric for JVMs: they observe all threads at intervals.
    KernelOrObserved,
    /// The profiler in a JVM, with any engine.
    Java,
    /// No engine: only imported files have the metric.
    Imported,
}

impl Engines {
    /// The text for the pages.
    pub fn words(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::WithKernelFrames => "`kernel`, `cpu`",
            Self::Kernel => "`kernel`",
            Self::KernelOrObserved => "`kernel`; `cpu` and `ctimer` estimate it for JVMs",
            Self::Java => "all, Java",
            Self::Imported => "imported files",
        }
    }
}

/// How the user selects an event to be sampled in addition to CPU time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The word in `--events`.
    pub word: &'static str,
    /// The text for the pages: when a sample is taken.
    pub one_sample: &'static str,
    /// The default distance between samples.
    pub distance: Distance,
}

/// The default distance between an event's samples, in the unit of the event's weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distance {
    /// The distance adapts to the program, to get about the same number of samples per second.
    Following {
        /// The distance at the start.
        first: u64,
        /// The smallest distance.
        least: u64,
        /// The wanted number of samples per second.
        per_second: u32,
    },
    /// One sample each time this amount is reached.
    Each(u64),
    /// One sample of each event that has at least this duration.
    From(u64),
}

/// When views show a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Shown {
    /// Tables, trees and exports show it if the user selects no metric.
    ByDefault,
    /// Tables show it next to the default metric.
    BesideDefault,
    /// Views show it only if the user selects it.
    WhenAsked,
}

/// Declares the events: one entry for each event, with its documentation, stored number, stored name and facts.
macro_rules! events {
    ($(#[doc = $about:literal])* enum $name:ident {
        $($(#[doc = $doc:literal])* $variant:ident = $code:literal $text:literal
        { weight: $weight:expr, resource: $resource:expr, has_mode: $has_mode:expr },)*
    }) => {
        codes! {
            $(#[doc = $about])*
            pub enum $name { $($(#[doc = $doc])* $variant = $code $text,)* }
        }

        impl $name {
            /// Its properties.
            pub fn facts(self) -> &'static EventFacts {
                const FACTS: &[EventFacts] =
                    &[$(EventFacts { weight: $weight, resource: $resource, has_mode: $has_mode },)*];
                &FACTS[self as usize]
            }
        }
    };
}

/// Declares the metrics: one entry for each metric, with its documentation and facts.
macro_rules! metrics {
    ($(#[doc = $about:literal])* enum $name:ident {
        $($(#[doc = $doc:literal])* $variant:ident { $($field:ident: $value:expr),* $(,)? },)*
    }) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[doc = $doc])* $variant,)* }

        impl $name {
            /// All metrics, in the order of the registry.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// Its properties.
            pub fn facts(self) -> &'static MetricFacts {
                const FACTS: &[MetricFacts] = &[$(MetricFacts { $($field: $value,)* ..MetricFacts::USUAL },)*];
                &FACTS[self as usize]
            }

            /// The documentation of the metric. It describes what the metric adds up.
            pub fn description(self) -> &'static str {
                const TEXTS: &[&str] = &[$(concat!($($doc),*),)*];
                TEXTS[self as usize].trim()
            }
        }
    };
}
