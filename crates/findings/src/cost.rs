//! The cost of a finding's samples in another experiment. A sample matches if its stack has the finding's calling
//! method and a function of the finding's pattern, even if no detector reports a finding in that experiment. A
//! verification requests this cost for each run.

use crate::detector::Measure;
use crate::view::Finding;
use whittle_model::Metric;
use whittle_profile::Profile;
use whittle_profile::ViewMode;
use whittle_profile::filter::Filter;
use whittle_profile::lexer::in_quotes;
use whittle_profile::metrics::MetricTerms;
use whittle_profile::query::Query;
use whittle_views::functions::functions;

/// A finding's calling method and the functions of its pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingPlace {
    /// The measure. For allocated bytes, the cost is the CPU time of the stacks that allocate.
    pub measure: Measure,
    /// The calling method as displayed.
    pub calling: String,
    /// Functions of the pattern, as displayed.
    pub anchors: Vec<String>,
}

/// The samples of a finding and their cost.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PlaceCost {
    /// Cost in nanoseconds: CPU time or waiting time, depending on the measure.
    pub cost_ns: f64,
    /// Number of samples.
    pub samples_count: u64,
}

impl FindingPlace {
    /// The place of a finding.
    pub fn of(finding: &Finding) -> Self {
        let (measure, calling) = (finding.spent.measure, finding.calling.function.clone());
        Self { measure, calling, anchors: finding.anchors.clone() }
    }

    /// The metrics that are added up for the cost.
    fn metrics(&self) -> &'static [Metric] {
        match self.measure {
            Measure::Cpu | Measure::AllocBytes => &[Metric::Cpu],
            Measure::Elapsed => &[Metric::Cpu, Metric::OffCpu],
        }
    }
}

/// The time on stacks with the calling method and a function of the pattern, over the whole experiment. `None`: the
/// calling method is on no stack of this experiment.
pub fn finding_cost(profile: &Profile, place: &FindingPlace) -> Option<PlaceCost> {
    let calling = format!("stack has {}", in_quotes(&place.calling));
    metric_cost(profile, &calling, None)?;
    Some(cost_of_anchors(profile, place, &format!("{calling} and ")))
}

/// The time on stacks with a function of the pattern, below any caller, over the whole experiment. If the calling method
/// was renamed, moved, split or inlined, its cost is still in this time.
pub fn pattern_cost(profile: &Profile, place: &FindingPlace) -> PlaceCost {
    cost_of_anchors(profile, place, "")
}

/// The time on stacks with a function of the pattern. `condition` is the beginning of the filter.
fn cost_of_anchors(profile: &Profile, place: &FindingPlace, condition: &str) -> PlaceCost {
    let known = |anchor: &&String| {
        let filter = format!("stack has {}", in_quotes(anchor));
        metric_cost(profile, &filter, None).is_some()
    };
    let anchors: Vec<String> =
        place.anchors.iter().filter(known).map(|anchor| format!("stack has {}", in_quotes(anchor))).collect();
    if anchors.is_empty() {
        return PlaceCost::default();
    }
    let filter = format!("{condition}({})", anchors.join(" or "));
    // An event that was not collected has no metric.
    let costs = place.metrics().iter().filter_map(|metric| {
        let filter = format!("event is {} and {filter}", metric.event());
        metric_cost(profile, &filter, Some(&format!("i.{}", metric.name())))
    });
    let sum = |sum: PlaceCost, cost: PlaceCost| PlaceCost {
        cost_ns: sum.cost_ns + cost.cost_ns,
        samples_count: sum.samples_count + cost.samples_count,
    };
    costs.fold(PlaceCost::default(), sum)
}

/// The cost of the samples that a filter selects. `None`: a name in the filter does not exist, or the metric does not
/// exist.
fn metric_cost(profile: &Profile, filter: &str, metric: Option<&str>) -> Option<PlaceCost> {
    let metrics = metric.map(str::parse::<MetricTerms>).transpose().ok()?;
    let filter = filter.parse::<Filter>().ok()?;
    let query = Query { mode: ViewMode::Machine, filter: Some(filter), metrics, limit: Some(1), ..Query::default() };
    let view = functions(profile, &query).ok()?;
    let weights = profile.weights(&query).ok()?;
    let cost_ns = metric.and_then(|_| view.total.numbers.first().copied()).unwrap_or(0.0);
    Some(PlaceCost { cost_ns, samples_count: weights.sample_count() })
}
