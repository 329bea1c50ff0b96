//! Time by endpoint, from the samples of threads: used if no request has known times.
//!
//! The endpoint is the method of the program that a server or a framework calls. Samples show how long threads worked in it, but not how
//! many requests they answered. So numbers and lengths of requests are unknown here.

mod entry;
mod text;

use crate::requests::endpoints::entry::{Endpoint, endpoints};
use crate::requests::figures::RequestShares;
use crate::requests::kinds::{RequestKindTimes, RequestTimeKind};
use serde::Serialize;
use whittle_model::{EventKind, WeightColumn};
use whittle_profile::Profile;
use whittle_profile::filter::Predicate;
use whittle_profile::ordered_map::OrderedMap;
use whittle_profile::query::{Window, serialize_number};
use whittle_profile::ranking::{keep_first, keep_largest};
use whittle_profile::samples::SampleKind;
use whittle_profile::waits::{WaitMeaning, meaning};
use whittle_profile::weights::for_each_kept;

pub(super) use text::{csv_sheet, text_sheet};

/// Time of threads by endpoint.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Endpoints {
    /// All endpoints.
    pub total: EndpointFigures,
    /// Number of rows before the limit is applied.
    pub row_count: usize,
    /// The rows.
    pub rows: Vec<EndpointRow>,
}

/// A method of the program that a server or a framework calls.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EndpointRow {
    /// The method. Missing: code of the framework, outside the methods of the program.
    pub function: Option<String>,
    /// The server or framework: `Spring MVC`.
    pub framework: &'static str,
    /// The share of the time of all endpoints. Missing if this time is 0.
    pub ratio: Option<f64>,
    /// The values.
    #[serde(flatten)]
    pub figures: EndpointFigures,
}

/// Time of threads in endpoints, from samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EndpointFigures {
    /// Time of all kinds. Threads overlap, so it can be longer than the time range.
    #[serde(serialize_with = "serialize_number")]
    pub duration_ns: f64,
    /// Number of samples.
    pub samples_count: u64,
    /// The time of each kind, as a sum.
    pub times: RequestKindTimes,
    /// The parts of the time.
    pub shares: RequestShares,
}

impl EndpointFigures {
    fn add(&mut self, kind: RequestTimeKind, time_ns: f64) {
        let mut values = self.times.values();
        values[kind as usize] += time_ns;
        self.times = RequestKindTimes::from_values(values);
        self.samples_count += 1;
    }

    /// The same with the sums of the times.
    fn summed(self) -> Self {
        let duration_ns = self.times.values().iter().sum();
        Self { duration_ns, shares: RequestShares::new(&self.times, 0.0), ..self }
    }

    /// The value that rows are sorted by.
    fn value(&self, field: &str) -> f64 {
        match field {
            "on_cpu_ns" => self.times.on_cpu_ns,
            _ => self.duration_ns,
        }
    }
}

/// The endpoints of the samples that a predicate keeps. Missing: no stack contains a known server or framework. Threads that are idle add
/// nothing.
pub(super) fn by_endpoint(
    profile: &Profile,
    predicate: Option<&Predicate>,
    sorted_by: Option<&str>,
    window: Window,
) -> Option<Endpoints> {
    let mut total = EndpointFigures::default();
    let mut groups: OrderedMap<Endpoint, EndpointFigures> = OrderedMap::default();
    for_each_endpoint(profile, predicate, |endpoint, kind, time_ns| {
        groups.at(endpoint, EndpointFigures::default).add(kind, time_ns);
        total.add(kind, time_ns);
    });
    let total = total.summed();
    let functions = &profile.tables().functions;
    let row = |(endpoint, figures): (Endpoint, EndpointFigures)| {
        let figures = figures.summed();
        EndpointRow {
            function: endpoint.entry.map(|function| functions.display_name[function.row()].clone()),
            framework: endpoint.framework,
            ratio: (total.duration_ns > 0.0).then(|| figures.duration_ns / total.duration_ns),
            figures,
        }
    };
    let mut rows: Vec<EndpointRow> = groups.into_pairs().into_iter().map(row).collect();
    let row_count = rows.len();
    let name = |row: &EndpointRow| (row.function.clone(), row.framework);
    match sorted_by {
        Some(field) => keep_largest(&mut rows, window, |row| row.figures.value(field), name),
        None => keep_first(&mut rows, window, name),
    }
    (row_count > 0).then_some(Endpoints { total, row_count, rows })
}

fn for_each_endpoint(
    profile: &Profile,
    predicate: Option<&Predicate>,
    mut add: impl FnMut(Endpoint, RequestTimeKind, f64),
) {
    let (samples, meanings) = (profile.samples(), profile.wait_meanings());
    let kinds: Vec<SampleKind> = SampleKind::all().collect();
    let endpoints = endpoints(profile.tables());
    // Most programs are no servers, and there can be many more samples than stacks.
    if endpoints.iter().all(Option::is_none) {
        return;
    }
    for_each_kept(samples, predicate, |sample| {
        let SampleKind { event, reason, .. } = kinds[usize::from(samples.kind[sample])];
        let Some(kind) = RequestTimeKind::of_sample(event, reason) else { return };
        let observed = samples.observed[sample] as usize;
        let Some(endpoint) = endpoints[profile.observed_stacks()[observed].row()] else { return };
        let is_wait = event == EventKind::OffCpu;
        if is_wait && meaning(meanings[observed], reason) == Some(WaitMeaning::Idle) {
            return;
        }
        add(endpoint, kind, samples.column(WeightColumn::DurationNs)[sample] as f64);
    });
}
