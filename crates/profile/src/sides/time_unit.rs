//! The unit of times in text output.

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeUnit {
    /// Seconds, the default.
    #[default]
    Seconds,
    /// Milliseconds.
    Millis,
    /// Microseconds.
    Micros,
    /// Nanoseconds: for the cost of one operation.
    Nanos,
}

impl TimeUnit {
    /// The unit for a table with this total in nanoseconds. Three decimals show at least a thousandth of the total.
    pub fn of(total_ns: f64) -> Self {
        if total_ns >= 1e9 {
            Self::Seconds
        } else if total_ns >= 1e6 {
            Self::Millis
        } else if total_ns >= 1e3 {
            Self::Micros
        } else {
            Self::Nanos
        }
    }

    /// The sign after a number.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Millis => "ms",
            Self::Micros => "µs",
            Self::Nanos => "ns",
        }
    }

    /// Length of the unit in nanoseconds.
    pub fn ns(self) -> f64 {
        match self {
            Self::Seconds => 1e9,
            Self::Millis => 1e6,
            Self::Micros => 1e3,
            Self::Nanos => 1.0,
        }
    }
}
