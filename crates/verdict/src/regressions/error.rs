//! Errors in the values of a fleet, or in the question. Hosts without values are not errors: they are left out, and the
//! answer names them.

use thiserror::Error;

/// Why no answer can be computed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RegressionsError {
    /// A list does not have one number for each host and period.
    #[error("{of} has {found} values instead of {expected}: one value for each host and period is needed")]
    Shape {
        /// The owner of the list: `host web-1`, `function app.Main.run()`.
        of: String,
        /// Length of the list.
        found: usize,
        /// The correct length.
        expected: usize,
    },
    /// A cost, a number of samples or a number of units that is negative, infinite or not a number.
    #[error("{of} has a value that is negative, infinite or not a number: {value}")]
    NotAnAmount {
        /// The owner of the value.
        of: String,
        /// The value.
        value: f64,
    },
    /// Two hosts have the same name, but would be treated as two hosts.
    #[error("host {0} occurs twice; add up the values of both entries first")]
    HostTwice(String),
    /// A change of version that is outside the periods, or that ends before it begins.
    #[error("host {host}: the version change from period {from} to {to} is not valid with {period_count} periods")]
    Upgrade {
        /// The host.
        host: String,
        /// First period in which the host ran another version than the old version, at least for a part of the period.
        from: usize,
        /// First period in which the host ran only the new version.
        to: usize,
        /// Number of periods.
        period_count: usize,
    },
    /// A probability or a margin that is not between 0 and 1.
    #[error("{name} is {value}; it must be above 0 and below 1")]
    Ratio {
        /// Name of the probability or margin.
        name: &'static str,
        /// The wrong value.
        value: f64,
    },
}
