//! What text output shows times in.

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum TimeUnit {
    /// The usual one.
    #[default]
    Seconds,
    /// Thousandths of it.
    Millis,
    /// Millionths.
    Micros,
    /// Billionths: of what one operation costs.
    Nanos,
}

impl TimeUnit {
    /// The unit for a table whose total, in nanoseconds, this is: three decimals still show a thousandth of it.
    pub(crate) fn of(total_ns: f64) -> Self {
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

    /// The sign behind a number.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Millis => "ms",
            Self::Micros => "µs",
            Self::Nanos => "ns",
        }
    }

    /// Nanoseconds in the unit.
    pub(crate) fn ns(self) -> f64 {
        match self {
            Self::Seconds => 1e9,
            Self::Millis => 1e6,
            Self::Micros => 1e3,
            Self::Nanos => 1.0,
        }
    }
}
