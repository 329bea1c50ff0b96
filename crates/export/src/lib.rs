//! Exports for other viewers: the stacks as a view mode shows them, after filters, in four formats.
//!
//! ```text
//! samples ── filter ──> kept samples ── view mode, transforms ──> (time, thread, node of the shown tree, weights)
//!                                                          ├─> pprof       all metrics, by stack and thread
//!                                                          ├─> collapsed   one metric, by stack
//!                                                          ├─> firefox     one metric, every sample, by thread
//!                                                          └─> speedscope  one metric, every sample, by thread
//! ```
//!
//! Bytes come out; writing files and compressing are left to the caller.

mod collapsed;
mod firefox;
mod firefox_tables;
mod frame_kinds;
mod pprof;
mod protobuf;
mod shown;
mod speedscope;

use crate::metrics::ColumnKind;
use crate::reduction::EntityKey;
use crate::{AnalysisError, Profile, Query};
use shown::ShownSamples;
use std::fmt;
use std::str::FromStr;
use whittle_model::MetricDefinition;

/// The format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// A `profile.proto`, not compressed: what `go tool pprof`, Pyroscope and others read.
    Pprof,
    /// Collapsed stacks: what flamegraph.pl, inferno and async-profiler read.
    Collapsed,
    /// The processed profile format of profiler.firefox.com, as JSON.
    Firefox,
    /// The file format of speedscope.app, as JSON.
    Speedscope,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Pprof, Self::Collapsed, Self::Firefox, Self::Speedscope];

    /// The word in flags.
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
    /// Names of the metrics that it has.
    pub metrics: Vec<String>,
    /// Samples that the filter keeps, whether or not they weigh anything in these metrics.
    pub sample_count: usize,
}

impl Profile {
    /// The stacks that `query` shows, for another viewer. Of the query count mode, filter, transforms and metrics: the
    /// formats with one metric take the first, pprof all of them, without `metrics` all that are not zero.
    ///
    /// # Errors
    /// An unknown metric, or a filter that names what is not there.
    pub fn export(&self, format: ExportFormat, query: &Query) -> Result<Export, AnalysisError> {
        let weights = self.weights(query)?;
        let asked = self.columns(ColumnKind::Plain, query, &weights)?.shown;
        let known = &self.manifest().metrics;
        let mut indices: Vec<usize> = asked.iter().map(|column| column.metric_index).collect();
        match format {
            ExportFormat::Pprof if query.metrics.is_none() => {
                // The usual one first, since readers show the first one; then the others in their own order.
                indices.truncate(1);
                let totals = crate::profile::totals(&weights);
                indices.extend((0..known.len()).filter(|metric| totals[*metric] > 0.0));
            }
            ExportFormat::Pprof => {}
            _ => indices.truncate(1),
        }
        let metrics = in_order_of_first(&indices).into_iter().map(|index| &known[index]).collect();
        self.export_metrics(format, query, metrics)
    }

    fn export_metrics(
        &self,
        format: ExportFormat,
        query: &Query,
        metrics: Vec<&MetricDefinition>,
    ) -> Result<Export, AnalysisError> {
        // Where a file tells lines apart from functions it gets both; elsewhere a line would tear its function apart.
        let key = match format {
            ExportFormat::Pprof | ExportFormat::Firefox => EntityKey::Line,
            ExportFormat::Collapsed | ExportFormat::Speedscope => EntityKey::Function,
        };
        let names = metrics.iter().map(|metric| metric.name.clone()).collect();
        let shown = ShownSamples::new(self, query, (key, metrics))?;
        let bytes = match format {
            ExportFormat::Pprof => pprof::write(&shown),
            ExportFormat::Collapsed => collapsed::write(&shown).into_bytes(),
            ExportFormat::Firefox => firefox::write(&shown),
            ExportFormat::Speedscope => speedscope::write(&shown),
        };
        Ok(Export { bytes, metrics: names, sample_count: shown.rows.len() })
    }
}

/// Each number once, where it stood first.
fn in_order_of_first(numbers: &[usize]) -> Vec<usize> {
    let mut seen = Vec::new();
    numbers.iter().for_each(|number| {
        if !seen.contains(number) {
            seen.push(*number);
        }
    });
    seen
}
