//! The change of each host between two windows, and the hosts with enough data for a change.
//!
//! ```text
//!             before    after     log(after / before)
//! web-1       1.00 %    1.06 %         +0.058        upgraded
//! web-2       1.30 %    1.37 %         +0.052        upgraded
//! web-3       0.90 %    0.90 %          0.000        other
//! ```
//!
//! **No samples in a cell.** Zero has no logarithm. If hosts with empty cells were left out, the remaining hosts would
//! have larger values by chance. So if a cell of a function is empty, half a sample of an average host is added to all
//! cells of the function (F. J. Anscombe, Biometrika 43, 1956). The same *share* is added on every host, not the same
//! number of samples. If the same number were added, and a host had ten times the samples after the change, a missing
//! function would seem to fall to a tenth (edgeR scales its prior count in the same way). If a function has samples in
//! all cells, nothing is added.
//!
//! **Missing hosts.** A host without samples before or after the change is left out, and the answer names it. A host
//! that was seen in less than half of a window's periods is also left out, because its days differ from the other
//! hosts' days.

use crate::regressions::{FleetCosts, HostPeriod, LeftOut, LeftOutHost, Measure, Windows};
use std::ops::Range;
use whittle_statistics::{Difference, LoggedRuns};

/// Share of a window's periods in which a host must be seen.
const LEAST_SEEN: f64 = 0.5;
/// With fewer hosts on a side, the variation between hosts is unknown.
pub(super) const FEWEST_HOSTS: usize = 3;
/// Half a sample is added if there are no samples.
pub(super) const CONTINUITY: f64 = 0.5;

/// Hosts with a measured change.
#[derive(Debug)]
pub(super) struct Panel<'a> {
    costs: &'a FleetCosts,
    hosts: Vec<PanelHost>,
    pub(super) left_out: Vec<LeftOutHost>,
}

#[derive(Debug)]
struct PanelHost {
    host: usize,
    is_upgraded: bool,
    before: Whole,
    after: Whole,
}

/// The values of a host in a window.
#[derive(Debug)]
pub(super) struct Whole {
    /// Periods in which the host was seen.
    pub(super) periods: Vec<usize>,
    /// The divisor of costs: CPU time, or units of work.
    pub(super) divisor: f64,
    /// CPU time per sample.
    pub(super) sample_ns: f64,
}

/// The changes of one cost on the panel's hosts.
#[derive(Debug)]
pub(super) struct Changes {
    /// Changes of logarithms. The other hosts are the baseline, upgraded hosts are the candidate.
    pub(super) logged: LoggedRuns,
    /// Mean number of samples per host in a window. The side and window with the most samples are used.
    pub(super) samples: f64,
    /// Cost ÷ divisor of the upgraded hosts, before and after.
    pub(super) levels: (f64, f64),
}

impl<'a> Panel<'a> {
    pub(super) fn new(costs: &'a FleetCosts, windows: &Windows, measure: Measure) -> Self {
        let mut panel = Self { costs, hosts: Vec::new(), left_out: Vec::new() };
        for (position, host) in costs.hosts.iter().enumerate() {
            let whole = |window: &Range<usize>| Whole::new(&host.periods, window.clone(), measure);
            let ends = whole(&windows.before)
                .map_err(|why| if why == LeftOut::NotSeen { LeftOut::NotSeenBefore } else { why })
                .and_then(|before| {
                    let after = whole(&windows.after);
                    let after = after.map_err(|why| if why == LeftOut::NotSeen { LeftOut::NotSeenAfter } else { why });
                    after.map(|after| (before, after))
                });
            match ends {
                Ok((before, after)) => {
                    panel.hosts.push(PanelHost { host: position, is_upgraded: host.upgrade.is_some(), before, after });
                }
                Err(why) => panel.left_out.push(LeftOutHost { host: host.host.clone(), why }),
            }
        }
        panel
    }

    /// Number of hosts that changed version, and number of other hosts.
    pub(super) fn host_counts(&self) -> (usize, usize) {
        let upgraded = self.hosts.iter().filter(|host| host.is_upgraded).count();
        (upgraded, self.hosts.len() - upgraded)
    }

    pub(super) fn has_enough_hosts(&self) -> bool {
        let (upgraded, others) = self.host_counts();
        upgraded >= FEWEST_HOSTS && others >= FEWEST_HOSTS
    }

    /// The changes of a cost. `cost_ns` has one value for each host and period, in the order of [`FleetCosts`].
    pub(super) fn changes(&self, cost_ns: &[f64]) -> Changes {
        let cost = |host: &PanelHost, whole: &Whole| whole.sum(cost_ns, host.host, self.costs.period_count);
        let sums: Vec<(f64, f64)> =
            self.hosts.iter().map(|host| (cost(host, &host.before), cost(host, &host.after))).collect();
        let is_typical = sums.iter().all(|(before, after)| *before > 0.0 && *after > 0.0);
        let more = if is_typical { 0.0 } else { CONTINUITY * self.share_of_a_sample() };
        let mut logged = LoggedRuns { baseline: Vec::new(), candidate: Vec::new(), sampling_variance: 0.0, is_typical };
        for (host, (before, after)) in self.hosts.iter().zip(&sums) {
            let (before, after) = (host.before.level(*before, more), host.after.level(*after, more));
            let side = if host.is_upgraded { &mut logged.candidate } else { &mut logged.baseline };
            side.push(after.0.ln() - before.0.ln());
            logged.sampling_variance += (1.0 / before.1 + 1.0 / after.1) / self.hosts.len() as f64;
        }
        Changes { logged, samples: self.samples(&sums), levels: self.levels(&sums) }
    }

    /// One sample as a share of an average host's divisor in a window.
    fn share_of_a_sample(&self) -> f64 {
        let wholes = || self.hosts.iter().flat_map(|host| [&host.before, &host.after]);
        wholes().map(|whole| whole.sample_ns).sum::<f64>() / wholes().map(|whole| whole.divisor).sum::<f64>()
    }

    fn samples(&self, sums: &[(f64, f64)]) -> f64 {
        let mean = |is_upgraded: bool, count: &dyn Fn(&PanelHost, &(f64, f64)) -> f64| {
            let own = || self.hosts.iter().zip(sums).filter(|(host, _)| host.is_upgraded == is_upgraded);
            own().map(|(host, sums)| count(host, sums)).sum::<f64>() / own().count() as f64
        };
        let before = |host: &PanelHost, sums: &(f64, f64)| sums.0 / host.before.sample_ns;
        let after = |host: &PanelHost, sums: &(f64, f64)| sums.1 / host.after.sample_ns;
        [mean(true, &before), mean(true, &after), mean(false, &before), mean(false, &after)]
            .into_iter()
            .fold(0.0, f64::max)
    }

    fn levels(&self, sums: &[(f64, f64)]) -> (f64, f64) {
        let upgraded = || self.hosts.iter().zip(sums).filter(|(host, _)| host.is_upgraded);
        let before: f64 = upgraded().map(|(_, sums)| sums.0).sum();
        let after: f64 = upgraded().map(|(_, sums)| sums.1).sum();
        let divisors = |whole: &dyn Fn(&PanelHost) -> f64| upgraded().map(|(host, _)| whole(host)).sum::<f64>();
        (before / divisors(&|host| host.before.divisor), after / divisors(&|host| host.after.divisor))
    }
}

impl Whole {
    /// The sums of a host in a window.
    pub(super) fn new(periods: &[HostPeriod], window: Range<usize>, measure: Measure) -> Result<Self, LeftOut> {
        let length = window.len() as f64;
        let seen: Vec<usize> = window.filter(|period| periods.get(*period).is_some_and(HostPeriod::is_seen)).collect();
        if seen.is_empty() {
            return Err(LeftOut::NotSeen);
        }
        if (seen.len() as f64) < LEAST_SEEN * length {
            return Err(LeftOut::SeldomSeen);
        }
        let sum = |value: &dyn Fn(&HostPeriod) -> f64| seen.iter().map(|period| value(&periods[*period])).sum::<f64>();
        let cpu_ns = sum(&|period| period.cpu_ns);
        let sample_ns = cpu_ns / sum(&|period| period.samples);
        let divisor = match measure {
            Measure::Share => cpu_ns,
            Measure::PerUnit => {
                if seen.iter().any(|period| periods[*period].units.is_none_or(|units| units <= 0.0)) {
                    return Err(LeftOut::UnitsUnknown);
                }
                sum(&|period| period.units.unwrap_or_default())
            }
        };
        Ok(Self { periods: seen, divisor, sample_ns })
    }

    pub(super) fn sum(&self, cost_ns: &[f64], host: usize, period_count: usize) -> f64 {
        self.periods.iter().map(|period| cost_ns[host * period_count + period]).sum()
    }

    /// Cost ÷ divisor, and the number of samples. Both include the added share `more`.
    pub(super) fn level(&self, cost_ns: f64, more: f64) -> (f64, f64) {
        let level = cost_ns / self.divisor + more;
        (level, level * self.divisor / self.sample_ns)
    }
}

impl Changes {
    /// Change of upgraded hosts minus change of other hosts, by Welch's t. Its standard error is at least the sampling
    /// error.
    pub(super) fn welch(&self) -> Option<Difference> {
        let hosts = 1.0 / self.logged.baseline.len() as f64 + 1.0 / self.logged.candidate.len() as f64;
        let difference = Difference::welch(&self.logged.baseline, &self.logged.candidate)?;
        Some(difference.with_least_error((self.logged.sampling_variance * hosts).sqrt()))
    }
}
