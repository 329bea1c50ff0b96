//! A cost over time: in each period, the hosts' mean log cost.
//!
//! ```text
//! period          0      1      2      3
//! web-1        1.0 %  1.0 %  1.1 %  1.1 %    log, minus the host's own mean
//! web-2        2.0 %    -    2.2 %  2.2 %
//! mean         -0.05  -0.06   0.04   0.05    independent of a host's level and of missing values
//! ```
//!
//! If a host is added or removed, a plain mean changes, because hosts have different levels. Therefore each host's
//! level is subtracted first. If a cell of a function is empty, the share of half a sample is added to all cells of the
//! function, as in the comparison of versions.

use crate::regressions::panel::{CONTINUITY, Whole};
use crate::regressions::{FleetCosts, LeftOutHost, Measure};

/// Share of the hosts that must have data in a period.
const LEAST_HOSTS: f64 = 0.5;

/// Hosts that have data in most periods.
pub(super) struct Course<'a> {
    costs: &'a FleetCosts,
    measure: Measure,
    hosts: Vec<(usize, Whole)>,
    /// Periods in which at least half of these hosts were seen.
    pub(super) periods: Vec<usize>,
    pub(super) left_out: Vec<LeftOutHost>,
}

/// One cost over time.
#[derive(Debug, Clone)]
pub(super) struct Series {
    /// One value for each usable period.
    pub(super) logs: Vec<f64>,
    /// Total cost ÷ total divisor of all hosts, for the same periods.
    pub(super) levels: Vec<f64>,
    /// Mean number of samples per host and period.
    pub(super) samples: f64,
    /// The variance of a period's mean if sampling were the only noise.
    pub(super) sampling_variance: f64,
}

impl<'a> Course<'a> {
    pub(super) fn new(costs: &'a FleetCosts, measure: Measure) -> Self {
        let (mut hosts, mut left_out) = (Vec::new(), Vec::new());
        for (position, host) in costs.hosts.iter().enumerate() {
            match Whole::new(&host.periods, 0..costs.period_count, measure) {
                Ok(whole) => hosts.push((position, whole)),
                Err(why) => left_out.push(LeftOutHost { host: host.host.clone(), why }),
            }
        }
        let mut seen = vec![0_usize; costs.period_count];
        hosts.iter().flat_map(|(_, whole)| &whole.periods).for_each(|period| seen[*period] += 1);
        let is_enough = |period: &usize| seen[*period] > 0 && seen[*period] as f64 >= LEAST_HOSTS * hosts.len() as f64;
        let periods = (0..costs.period_count).filter(is_enough).collect();
        Self { costs, measure, hosts, periods, left_out }
    }

    pub(super) fn host_count(&self) -> usize {
        self.hosts.len()
    }

    /// A cost by period. `cost_ns` has one value for each host and period, in the order of [`FleetCosts`].
    pub(super) fn series(&self, cost_ns: &[f64]) -> Series {
        let count = self.costs.period_count;
        let cost = |host: usize, period: usize| cost_ns[host * count + period];
        let cells =
            || self.hosts.iter().flat_map(|(host, whole)| whole.periods.iter().map(move |period| (*host, *period)));
        let more = if cells().all(|(host, period)| cost(host, period) > 0.0) { 0.0 } else { self.half_a_sample() };
        let mut sums = vec![Sums::default(); count];
        for (host, whole) in &self.hosts {
            let logs: Vec<f64> = whole
                .periods
                .iter()
                .map(|period| (cost(*host, *period) / self.divisor(*host, *period) + more).ln())
                .collect();
            let mean = logs.iter().sum::<f64>() / logs.len() as f64;
            for (period, log) in whole.periods.iter().zip(logs) {
                let (divisor, cost_ns) = (self.divisor(*host, *period), cost(*host, *period));
                let samples = cost_ns / self.sample_ns(*host, *period);
                let variance = 1.0 / samples.max(CONTINUITY);
                sums[*period].add(&Sums { hosts: 1.0, logs: log - mean, cost_ns, divisor, samples, variance });
            }
        }
        let chosen: Vec<&Sums> = self.periods.iter().map(|period| &sums[*period]).collect();
        let mean =
            |value: &dyn Fn(&Sums) -> f64| chosen.iter().map(|sums| value(sums)).sum::<f64>() / chosen.len() as f64;
        Series {
            logs: chosen.iter().map(|sums| sums.logs / sums.hosts).collect(),
            levels: chosen.iter().map(|sums| sums.cost_ns / sums.divisor).collect(),
            samples: mean(&|sums| sums.samples / sums.hosts),
            sampling_variance: mean(&|sums| sums.variance / sums.hosts.powi(2)),
        }
    }

    fn divisor(&self, host: usize, period: usize) -> f64 {
        let cell = &self.costs.hosts[host].periods[period];
        match self.measure {
            Measure::Share => cell.cpu_ns,
            Measure::PerUnit => cell.units.unwrap_or(f64::NAN),
        }
    }

    fn sample_ns(&self, host: usize, period: usize) -> f64 {
        let cell = &self.costs.hosts[host].periods[period];
        cell.cpu_ns / cell.samples
    }

    /// Half a sample as a share of an average host's divisor in a period.
    fn half_a_sample(&self) -> f64 {
        let (mut sample_ns, mut divisor) = (0.0, 0.0);
        for (host, whole) in &self.hosts {
            for period in &whole.periods {
                sample_ns += self.sample_ns(*host, *period);
                divisor += self.divisor(*host, *period);
            }
        }
        CONTINUITY * sample_ns / divisor
    }
}

/// The sums of all hosts in a period.
#[derive(Debug, Clone, Default)]
struct Sums {
    hosts: f64,
    logs: f64,
    cost_ns: f64,
    divisor: f64,
    samples: f64,
    variance: f64,
}

impl Sums {
    fn add(&mut self, host: &Sums) {
        self.hosts += host.hosts;
        self.logs += host.logs;
        self.cost_ns += host.cost_ns;
        self.divisor += host.divisor;
        self.samples += host.samples;
        self.variance += host.variance;
    }
}
