//! What a finding's samples cost in another experiment: the same calling method and the same pattern, whether a detector
//! would call that a finding there or not. A verification asks this of each run.

use super::detector::Measure;
use super::view::Finding;
use crate::lexer::in_quotes;
use crate::{Filter, MetricTerms, Profile, Query, ViewMode};

/// A finding's calling method and the functions of its pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingPlace {
    /// What is added up. Allocated bytes stand for the CPU time of the stacks that allocate.
    pub measure: Measure,
    /// The calling method as shown.
    pub calling: String,
    /// Functions of the pattern, as shown.
    pub anchors: Vec<String>,
}

/// A finding's samples.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PlaceCost {
    /// Their weight in nanoseconds, of CPU time or of time waited, as the measure says.
    pub cost_ns: f64,
    /// How many.
    pub samples_count: u64,
}

impl FindingPlace {
    /// The place of a finding.
    pub fn of(finding: &Finding) -> Self {
        let (measure, calling) = (finding.spent.measure, finding.calling.function.clone());
        Self { measure, calling, anchors: finding.anchors.clone() }
    }

    /// Metrics that are added up, each with the event of its samples.
    fn metrics(&self) -> &'static [(&'static str, &'static str)] {
        match self.measure {
            Measure::Cpu | Measure::AllocBytes => &[("i.cpu", "cpu")],
            Measure::Elapsed => &[("i.cpu", "cpu"), ("i.off_cpu", "off_cpu")],
            Measure::LockWait => &[("i.lock_wait", "lock")],
        }
    }
}

impl Profile {
    /// What is spent on stacks with the place's calling method and one of its functions, over the whole experiment. Missing:
    /// the calling method is on no stack of this experiment.
    pub fn finding_cost(&self, place: &FindingPlace) -> Option<PlaceCost> {
        let calling = format!("stack has {}", in_quotes(&place.calling));
        self.metric_cost(&calling, None)?;
        let known = |anchor: &&String| {
            let filter = format!("stack has {}", in_quotes(anchor));
            self.metric_cost(&filter, None).is_some()
        };
        let anchors: Vec<String> =
            place.anchors.iter().filter(known).map(|anchor| format!("stack has {}", in_quotes(anchor))).collect();
        if anchors.is_empty() {
            return Some(PlaceCost::default());
        }
        let filter = format!("{calling} and ({})", anchors.join(" or "));
        // An event that was not collected has no metric.
        let costs = place
            .metrics()
            .iter()
            .filter_map(|(metric, event)| self.metric_cost(&format!("event is {event} and {filter}"), Some(metric)));
        let sum = |sum: PlaceCost, cost: PlaceCost| PlaceCost {
            cost_ns: sum.cost_ns + cost.cost_ns,
            samples_count: sum.samples_count + cost.samples_count,
        };
        Some(costs.fold(PlaceCost::default(), sum))
    }

    /// Missing: the filter names what is not there, or there is no such metric.
    fn metric_cost(&self, filter: &str, metric: Option<&str>) -> Option<PlaceCost> {
        let metrics = metric.map(str::parse::<MetricTerms>).transpose().ok()?;
        let filter = filter.parse::<Filter>().ok()?;
        let query =
            Query { mode: ViewMode::Machine, filter: Some(filter), metrics, limit: Some(1), ..Query::default() };
        let view = self.functions(&query).ok()?;
        let weights = self.weights(&query).ok()?;
        let cost_ns = metric.and_then(|_| view.total.numbers.first().copied()).unwrap_or(0.0);
        Some(PlaceCost { cost_ns, samples_count: weights.sample_count() })
    }
}
