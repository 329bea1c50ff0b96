//! Applies the view mode, the filter and the transforms, and exports the resulting stacks in four formats of other
//! viewers.
//!
//! ```text
//! samples ── filter ──> kept samples ── view mode, transforms ──> (time, thread, node of the shown tree, weights)
//!                                                          ├─> pprof       all metrics, by stack and thread
//!                                                          ├─> collapsed   one metric, by stack
//!                                                          ├─> firefox     one metric, every sample, by thread
//!                                                          └─> speedscope  one metric, every sample, by thread
//! ```
//!
//! The result is bytes. The caller compresses the bytes and writes the file.

mod collapsed;
mod firefox;
mod firefox_categories;
mod firefox_libs;
mod firefox_tables;
mod frame_kinds;
mod pprof;
mod protobuf;
mod shown;
mod speedscope;

use crate::shown::ShownSamples;
use std::fmt;
use std::str::FromStr;
use whittle_model::MetricDefinition;
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::metrics::ColumnKind;
use whittle_profile::query::Query;
use whittle_profile::reduction::EntityKey;

/// The format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// A `profile.proto`, not compressed, for `go tool pprof`, Pyroscope and other tools.
    Pprof,
    /// Collapsed stacks, for flamegraph.pl, inferno and async-profiler.
    Collapsed,
    /// The processed profile format of profiler.firefox.com, as JSON.
    Firefox,
    /// The file format of speedscope.app, as JSON.
    Speedscope,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Pprof, Self::Collapsed, Self::Firefox, Self::Speedscope];

    /// The name in options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pprof => "pprof",
            Self::Collapsed => "collapsed",
            Self::Firefox => "firefox",
            Self::Speedscope => "speedscope",
        }
    }
}

impl fmt::Display for ExportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ExportFormat {
    type Err = AnalysisError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.into_iter().find(|format| format.name() == text);
        named.ok_or_else(|| AnalysisError::UnknownExportFormat(text.to_owned()))
    }
}

/// An experiment in another tool's format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// The file's content.
    pub bytes: Vec<u8>,
    /// Names of the exported metrics.
    pub metrics: Vec<String>,
    /// Number of samples that the filter keeps, including samples without weight in these metrics.
    pub sample_count: usize,
}

/// Exports the stacks that `query` shows, for another viewer. The query's mode, filter, transforms and metrics apply.
/// Formats with one metric use the query's first metric. pprof uses all metrics of the query. If the query does not set
/// `metrics`, pprof uses all metrics with a total above zero.
///
/// # Errors
/// The metric is unknown, or the filter contains an unknown name.
pub fn export(profile: &Profile, format: ExportFormat, query: &Query) -> Result<Export, AnalysisError> {
    let weights = profile.weights(query)?;
    let asked = profile.columns(ColumnKind::Plain, query, &weights)?.shown;
    let known = &profile.manifest().metrics;
    let mut indices: Vec<usize> = asked.iter().map(|column| column.metric_index).collect();
    match format {
        ExportFormat::Pprof if query.metrics.is_none() => {
            // The default metric comes first, because viewers of pprof profiles show the first metric. The other
            // metrics keep their order.
            indices.truncate(1);
            let totals = whittle_profile::totals(&weights);
            indices.extend((0..known.len()).filter(|metric| totals[*metric] > 0.0));
        }
        ExportFormat::Pprof => {}
        _ => indices.truncate(1),
    }
    let metrics = in_order_of_first(&indices).into_iter().map(|index| &known[index]).collect();
    export_metrics(profile, format, query, metrics)
}

fn export_metrics(
    profile: &Profile,
    format: ExportFormat,
    query: &Query,
    metrics: Vec<&MetricDefinition>,
) -> Result<Export, AnalysisError> {
    // If a format stores functions and lines separately, the export writes both. In the other formats, lines would
    // divide a function into several functions.
    let key = match format {
        ExportFormat::Pprof | ExportFormat::Firefox => EntityKey::Line,
        ExportFormat::Collapsed | ExportFormat::Speedscope => EntityKey::Function,
    };
    let names = metrics.iter().map(|metric| metric.name.clone()).collect();
    let shown = ShownSamples::new(profile, query, (key, metrics))?;
    let bytes = match format {
        ExportFormat::Pprof => pprof::write(&shown),
        ExportFormat::Collapsed => collapsed::write(&shown).into_bytes(),
        ExportFormat::Firefox => firefox::write(&shown),
        ExportFormat::Speedscope => speedscope::write(&shown),
    };
    Ok(Export { bytes, metrics: names, sample_count: shown.rows.len() })
}

/// Returns each number once, at its first position.
fn in_order_of_first(numbers: &[usize]) -> Vec<usize> {
    let mut seen = Vec::new();
    numbers.iter().for_each(|number| {
        if !seen.contains(number) {
            seen.push(*number);
        }
    });
    seen
}
