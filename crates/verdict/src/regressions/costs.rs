//! What goes in: CPU time of functions by host and period.
//!
//! ```text
//! period            0        1        2        3
//! web-1  cpu_ns   9.1e9    9.0e9    8.8e9    9.2e9     runs the new version from period 2 on
//! web-2  cpu_ns   7.0e9    0        7.2e9    7.1e9     was not seen in period 1
//! function        web-1 0..4                web-2 0..4
//! cost_ns         [1e8, 1e8, 2e8, 2e8,      9e7, 0, 9e7, 9e7]
//! ```

use super::error::RegressionsError;
use crate::verify::package_of;
use std::collections::BTreeSet;
use std::ops::Range;

/// A fleet's costs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FleetCosts {
    /// Number of periods, all equally long, in the order of time. Two are enough for a change of version; a change whose date is
    /// not known wants twenty or more, of whole days where load has a daily course.
    pub period_count: usize,
    /// Hosts, each name once.
    pub hosts: Vec<HostCosts>,
    /// Functions; those of a domain should be all of it, small ones perhaps as one "other" of that domain.
    pub functions: Vec<FunctionCosts>,
}

/// One host.
#[derive(Debug, Clone, PartialEq)]
pub struct HostCosts {
    /// Its name.
    pub host: String,
    /// When it changed version. Missing: it did not, and is one of the others.
    pub upgrade: Option<Upgrade>,
    /// One for each period.
    pub periods: Vec<HostPeriod>,
}

/// When a host changed version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Upgrade {
    /// First period in which it did not run the old version all the time.
    pub from: usize,
    /// First period in which it ran the new version all the time; at least `from`, which it is where versions changed between
    /// two periods.
    pub to: usize,
}

/// All of a host in one period.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HostPeriod {
    /// CPU time of all samples, nanoseconds. 0: the host was not seen in this period.
    pub cpu_ns: f64,
    /// Number of these samples.
    pub samples: f64,
    /// Units of work done. Missing: not known.
    pub units: Option<f64>,
}

/// One function on all hosts.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionCosts {
    /// Its name, with class and signature.
    pub name: String,
    /// What it is a part of, so that cost that moved within is not taken for a change: [`domain_of`] its name. Missing: nothing.
    pub domain: Option<String>,
    /// Exclusive CPU time, nanoseconds: `cost_ns[host * period_count + period]`. 0 where it has no samples.
    pub cost_ns: Vec<f64>,
}

/// Periods that are compared. Between them hosts changed version one after the other: that belongs to neither.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Windows {
    /// Periods in which all hosts ran the old version.
    pub before: Range<usize>,
    /// Periods in which all upgraded hosts ran the new one.
    pub after: Range<usize>,
}

/// The domain of a function: its package, `app.io` of `app.io.Log.write(int)`. Missing: no Java method, or no package.
pub fn domain_of(function: &str) -> Option<&str> {
    package_of(function)
}

impl FleetCosts {
    /// Before the first host changed version, and after the last one did. Missing: no host did.
    pub fn windows(&self) -> Option<Windows> {
        let upgrades = || self.hosts.iter().filter_map(|host| host.upgrade);
        let begin = upgrades().map(|upgrade| upgrade.from).min()?;
        let end = upgrades().map(|upgrade| upgrade.to).max()?;
        Some(Windows { before: 0..begin, after: end..self.period_count })
    }

    /// Checks lengths and numbers.
    ///
    /// # Errors
    /// A list of the wrong length, a negative or infinite figure, a host that is there twice, a change of version outside of the
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

    /// Cost of a list of functions together.
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
    /// Whether anything was seen: a period without CPU time or samples says nothing of shares.
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
