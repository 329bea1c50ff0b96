//! The input: CPU time of functions by host and period.
//!
//! ```text
//! period            0        1        2        3
//! web-1  cpu_ns   9.1e9    9.0e9    8.8e9    9.2e9     runs the new version from period 2 on
//! web-2  cpu_ns   7.0e9    0        7.2e9    7.1e9     was not seen in period 1
//! function        web-1 0..4                web-2 0..4
//! cost_ns         [1e8, 1e8, 2e8, 2e8,      9e7, 0, 9e7, 9e7]
//! ```

use crate::regressions::RegressionsError;
use crate::verify::package_of;
use std::collections::BTreeSet;
use std::ops::Range;

/// A fleet's costs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FleetCosts {
    /// Number of periods. All periods have the same length and are in time order. Two periods are enough for a change
    /// of version. A change with an unknown date needs twenty periods or more. Use whole days if the load has a daily
    /// cycle.
    pub period_count: usize,
    /// The hosts. Each name occurs once.
    pub hosts: Vec<HostCosts>,
    /// The functions. Include all functions of a domain. Small functions can be combined as "other" of that domain.
    pub functions: Vec<FunctionCosts>,
}

/// One host.
#[derive(Debug, Clone, PartialEq)]
pub struct HostCosts {
    /// The host's name.
    pub host: String,
    /// The host's change of version. `None`: the host did not change, and is one of the other hosts.
    pub upgrade: Option<Upgrade>,
    /// One element for each period.
    pub periods: Vec<HostPeriod>,
}

/// When a host changed version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Upgrade {
    /// First period in which the host ran another version than the old version, at least for a part of the period.
    pub from: usize,
    /// First period in which the host ran only the new version. It is equal to `from` if the version changed between
    /// two periods, otherwise later.
    pub to: usize,
}

/// The values of a host in one period.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HostPeriod {
    /// CPU time of all samples, nanoseconds. 0: the host was not seen in this period.
    pub cpu_ns: f64,
    /// Number of these samples.
    pub samples: f64,
    /// Units of work done. `None`: unknown.
    pub units: Option<f64>,
}

/// One function on all hosts.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionCosts {
    /// The function's name, with class and signature.
    pub name: String,
    /// The function's domain. [`domain_of`] computes it from the function's name. Cost that moved within a domain is
    /// not a regression. `None`: no domain.
    pub domain: Option<String>,
    /// Exclusive CPU time, nanoseconds: `cost_ns[host * period_count + period]`. 0: no samples.
    pub cost_ns: Vec<f64>,
}

/// The compared periods. Hosts changed version one after the other in the periods between the two windows. Both windows
/// exclude these periods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Windows {
    /// Periods in which all hosts ran the old version.
    pub before: Range<usize>,
    /// Periods in which all upgraded hosts ran the new version.
    pub after: Range<usize>,
}

/// The domain of a function: its package, `app.io` for `app.io.Log.write(int)`. `None`: not a Java method, or no
/// package.
pub fn domain_of(function: &str) -> Option<&str> {
    package_of(function)
}

impl FleetCosts {
    /// The windows before the first host changed version, and after the last host changed. `None`: no host changed.
    pub fn windows(&self) -> Option<Windows> {
        let upgrades = || self.hosts.iter().filter_map(|host| host.upgrade);
        let begin = upgrades().map(|upgrade| upgrade.from).min()?;
        let end = upgrades().map(|upgrade| upgrade.to).max()?;
        Some(Windows { before: 0..begin, after: end..self.period_count })
    }

    /// Checks lengths and numbers.
    ///
    /// # Errors
    /// A list of the wrong length, a negative or infinite value, a duplicate host, or a change of version outside the
    /// periods.
    pub fn validate(&self) -> Result<(), RegressionsError> {
        let mut names = BTreeSet::new();
        for host in &self.hosts {
            if !names.insert(host.host.as_str()) {
                return Err(RegressionsError::HostTwice(host.host.clone()));
            }
            host.validate(self.period_count)?;
        }
        let expected = self.hosts.len().saturating_mul(self.period_count);
        self.functions.iter().try_for_each(|function| {
            let of = || format!("function {}", function.name);
            shape(of, function.cost_ns.len(), expected)?;
            function.cost_ns.iter().try_for_each(|cost| amount(of, *cost))
        })
    }

    /// Total cost of some functions, by host and period.
    pub(super) fn sum(&self, functions: &[usize]) -> Vec<f64> {
        let mut sum = vec![0.0; self.hosts.len() * self.period_count];
        for function in functions {
            sum.iter_mut().zip(&self.functions[*function].cost_ns).for_each(|(sum, cost)| *sum += cost);
        }
        sum
    }

    /// Positions of all functions of a domain.
    pub(super) fn of_domain(&self, domain: &str) -> Vec<usize> {
        let is_in = |function: &usize| self.functions[*function].domain.as_deref() == Some(domain);
        (0..self.functions.len()).filter(is_in).collect()
    }
}

impl HostCosts {
    fn validate(&self, period_count: usize) -> Result<(), RegressionsError> {
        let of = || format!("host {}", self.host);
        shape(of, self.periods.len(), period_count)?;
        for period in &self.periods {
            [period.cpu_ns, period.samples, period.units.unwrap_or(0.0)]
                .into_iter()
                .try_for_each(|value| amount(of, value))?;
        }
        match self.upgrade {
            Some(Upgrade { from, to }) if from > to || to > period_count => {
                Err(RegressionsError::Upgrade { host: self.host.clone(), from, to, period_count })
            }
            _ => Ok(()),
        }
    }
}

impl HostPeriod {
    /// Whether the host has data in this period. Without CPU time or samples, there are no shares.
    pub(super) fn is_seen(&self) -> bool {
        self.cpu_ns > 0.0 && self.samples > 0.0
    }
}

fn shape(of: impl Fn() -> String, found: usize, expected: usize) -> Result<(), RegressionsError> {
    if found == expected { Ok(()) } else { Err(RegressionsError::Shape { of: of(), found, expected }) }
}

fn amount(of: impl Fn() -> String, value: f64) -> Result<(), RegressionsError> {
    let is_amount = value.is_finite() && value >= 0.0;
    if is_amount { Ok(()) } else { Err(RegressionsError::NotAnAmount { of: of(), value }) }
}
