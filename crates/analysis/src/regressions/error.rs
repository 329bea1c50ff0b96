//! What can be wrong with figures of a fleet, or with the question. Hosts without figures are no errors: they are left out, and
//! the answer names them.

use thiserror::Error;

/// Figures that no answer can be computed from.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RegressionsError {
    /// A list has not one number for each host and period.
    #[error("{of} has {found} figures, there should be {expected}: one for each host and period")]
    Shape {
        /// Whose list: `host web-1`, `function app.Main.run()`.
        of: String,
        /// Its length.
        found: usize,
        /// What fits.
        expected: usize,
    },
    /// A cost, a number of samples or of units that is negative, infinite or not a number.
    #[error("{of} has a figure that is no amount: {value}")]
    NotAnAmount {
        /// Whose figure.
        of: String,
        /// The figure.
        value: f64,
    },
    /// Two hosts have one name: they would count as two.
    #[error("host {0} is there twice; add its figures up first")]
    HostTwice(String),
    /// A change of version outside of the periods, or one that ends before it begins.
    #[error("host {host} changed version from period {from} to {to}, of {period_count} periods")]
    Upgrade {
        /// The host.
        host: String,
        /// First period not wholly on the old version.
        from: usize,
        /// First period wholly on the new one.
        to: usize,
        /// Number of periods.
        period_count: usize,
    },
    /// A probability or a margin that is not between 0 and 1.
    #[error("{name} is {value}; it has to be above 0 and below 1")]
    Ratio {
        /// Which one.
        name: &'static str,
        /// Its value.
        value: f64,
    },
}
