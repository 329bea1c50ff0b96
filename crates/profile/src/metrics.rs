//! The metric syntax: which values a table shows, and which column sorts it.
//!
//! ```text
//! e.system_cpu     exclusive system CPU          i.cpu%       inclusive CPU in percent
//! a.cpu            attributed CPU                system_cpu   the usual values of the view
//! e.cpu:delta      in a comparison: baseline, candidate, delta, ratio or both
//! ```

use crate::error::AnalysisError;
use crate::order::sort_by_key;
use crate::sides::{Compared, Part, TimeUnit};
use serde::Serialize;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use whittle_model::{CollectorStatus, Manifest, Metric, MetricDefinition, MetricName, Shown, Unit, WaitReason};

/// Which value of a function a column shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Flavour {
    /// The cost of the function itself.
    Exclusive,
    /// The cost of the function and all its callees, counted once per sample.
    Inclusive,
    /// A caller's or callee's part of the centre's inclusive value.
    Attributed,
    /// The only value, for example of a thread.
    Plain,
}

impl Flavour {
    /// The name in output; empty for [`Flavour::Plain`].
    pub fn name(self) -> &'static str {
        match self {
            Self::Exclusive => "exclusive",
            Self::Inclusive => "inclusive",
            Self::Attributed => "attributed",
            Self::Plain => "",
        }
    }

    fn letter(self) -> &'static str {
        match self {
            Self::Exclusive => "e.",
            Self::Inclusive => "i.",
            Self::Attributed => "a.",
            Self::Plain => "",
        }
    }
}

/// One metric in the metric syntax: `e.system_cpu%`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricTerm {
    flavour: Option<Flavour>,
    name: String,
    is_percent: bool,
    part: Option<Part>,
}

impl FromStr for MetricTerm {
    type Err = AnalysisError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let malformed = |problem| AnalysisError::MalformedMetric { text: text.to_owned(), problem };
        let (rest, part) = match text.split_once(':') {
            None => (text, None),
            Some((rest, part)) => {
                let known = Part::of_name(part);
                let unknown = || malformed("expected baseline, candidate, delta, ratio or both after the colon");
                (rest, Some(known.ok_or_else(unknown)?))
            }
        };
        let (rest, is_percent) = rest.strip_suffix('%').map_or((rest, false), |rest| (rest, true));
        let (flavour, name) = match rest.split_once('.') {
            None => (None, rest),
            Some(("e", name)) => (Some(Flavour::Exclusive), name),
            Some(("i", name)) => (Some(Flavour::Inclusive), name),
            Some(("a", name)) => (Some(Flavour::Attributed), name),
            Some(_) => return Err(malformed("expected e, i or a before the dot")),
        };
        if name.is_empty() {
            return Err(malformed("the metric's name is missing"));
        }
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(malformed("a name contains only letters, digits and underscores"));
        }
        Ok(Self { flavour, name: name.to_owned(), is_percent, part })
    }
}

impl fmt::Display for MetricTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = self.flavour.map_or("", Flavour::letter);
        let percent = if self.is_percent { "%" } else { "" };
        let (colon, part) = self.part.map_or(("", ""), |part| (":", part.name()));
        write!(f, "{letter}{}{percent}{colon}{part}", self.name)
    }
}

/// Metrics separated by commas: the argument of `--metrics`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricTerms(Vec<MetricTerm>);

impl FromStr for MetricTerms {
    type Err = AnalysisError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.split(',').map(|term| term.trim().parse()).collect::<Result<_, _>>().map(Self)
    }
}

/// The sort order of a table: the argument of `--sort`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SortTerm {
    /// By a metric, largest first.
    Metric(MetricTerm),
    /// By name, in alphabetical order.
    Name,
}

impl FromStr for SortTerm {
    type Err = AnalysisError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "name" { Ok(Self::Name) } else { text.parse().map(Self::Metric) }
    }
}

/// A column of values in a view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Column {
    /// The kind of value.
    pub flavour: Flavour,
    /// The metric's name.
    pub metric: String,
    /// The metric's title.
    pub title: String,
    /// Unit of the values. A percent column has the unit of its metric.
    pub unit: Unit,
    /// True if values are shown as percentages of the base that the view names. The stored values do not change.
    pub is_percent: bool,
    /// The part of a comparison. Missing if nothing is compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub part: Option<Part>,
    /// Position of the metric in the manifest.
    #[serde(skip)]
    pub metric_index: usize,
    /// For a ratio, the columns that are divided.
    #[serde(skip)]
    pub ratio_of: Option<Arc<[Column; 2]>>,
    /// The unit of times in text output.
    #[serde(skip)]
    pub time_unit: TimeUnit,
    /// The metric's wait reason. Only waits for this reason are added up.
    #[serde(skip)]
    pub reason: Option<WaitReason>,
}

impl Column {
    /// Creates a column for the metric at `metric_index` in `metrics`.
    pub fn new(flavour: Flavour, metrics: &[MetricDefinition], metric_index: usize) -> Self {
        let metric = &metrics[metric_index];
        Self {
            flavour,
            metric: metric.name.clone(),
            title: metric.title.clone(),
            unit: metric.unit,
            is_percent: false,
            part: None,
            metric_index,
            ratio_of: None,
            time_unit: TimeUnit::Seconds,
            reason: metric.reason,
        }
    }

    /// Computes a row's value. `sum` returns the row's sum for a column. A ratio is computed from two sums.
    pub fn value(&self, sum: impl Fn(&Self) -> f64) -> f64 {
        match &self.ratio_of {
            None => sum(self),
            Some(of) => sum(&of[0]) / sum(&of[1]),
        }
    }

    /// A row's sort key; the largest key comes first. `sum` returns the row's sum for a column. Increases and decreases
    /// are sorted by their absolute size.
    pub fn rank(&self, sum: impl Fn(&Self) -> f64) -> f64 {
        match self.part {
            Some(Part::Delta) => sum(self).abs(),
            Some(Part::Ratio) => {
                let (ratio, of) = (self.value(&sum), self.ratio_of.as_ref());
                let amount = of.map_or(0.0, |of| sum(&of[0]).max(sum(&of[1])));
                // Gone and new rows have no ratio. They come after all other rows, the largest first.
                if ratio.is_finite() && ratio > 0.0 { ratio.max(1.0 / ratio) } else { -1.0 / (1.0 + amount) }
            }
            _ => sum(self),
        }
    }

    /// Creates the column for a metric that is the only value of a row.
    pub fn plain(metrics: &[MetricDefinition], metric_index: usize) -> Self {
        Self::new(Flavour::Plain, metrics, metric_index)
    }

    /// Position of the sums that measure a row's size. In a comparison, they include both sides.
    pub fn magnitude_index(&self) -> usize {
        if self.part.is_none() { self.metric_index } else { Part::Both.metric_index(self.metric_index) }
    }

    /// The columns that contain sums: this column, or the two divided columns of a ratio.
    pub fn sums(&self) -> impl Iterator<Item = &Self> {
        let of = self.ratio_of.iter().flat_map(|of| of.iter());
        of.chain(Some(self).filter(|_| self.ratio_of.is_none()))
    }

    fn as_percent(&self) -> Self {
        Self { is_percent: true, ..self.clone() }
    }

    /// The field name in JSON and CSV: flavour, metric and unit, such as `exclusive_cpu_ns`. For a percent column, the
    /// name ends with `_ratio`, and values are from 0 to 1. In a comparison, the name ends with the part:
    /// `exclusive_cpu_delta`.
    pub fn field(&self) -> String {
        let unit = match self.unit {
            Unit::Nanoseconds => "_ns",
            Unit::Bytes => "_bytes",
            Unit::Count => "_count",
        };
        let suffix = match self.part {
            Some(part) => return self.field_of_part(part),
            None if self.is_percent => "_ratio",
            None => unit,
        };
        let stem = self.metric.strip_suffix(unit).unwrap_or(&self.metric);
        let flavour = self.flavour.name();
        format!("{flavour}{}{stem}{suffix}", if flavour.is_empty() { "" } else { "_" })
    }

    /// The field name in a comparison: flavour, metric and part, such as `exclusive_cpu_delta`. The metric's name is
    /// not shortened, because `alloc_bytes` and `alloc_count` would be equal without their suffixes.
    fn field_of_part(&self, part: Part) -> String {
        let flavour = self.flavour.name();
        format!("{flavour}{}{}_{}", if flavour.is_empty() { "" } else { "_" }, self.metric, part.name())
    }

    /// The column as text, such as `exclusive System CPU`.
    pub fn words(&self) -> String {
        format!("{} {}", self.flavour.name(), self.title).trim_start().to_owned()
    }
}

/// Which values a view can show, and what a metric without a flavour letter means in this view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Tables of functions or lines: exclusive and inclusive values.
    Table,
    /// Callers and callees: attributed values; exclusive and inclusive values on request.
    Centre,
    /// The call tree: inclusive values; exclusive values on request.
    Tree,
    /// Each row has only one value.
    Plain,
}

impl ColumnKind {
    fn default_flavours(self) -> &'static [Flavour] {
        match self {
            Self::Table => &[Flavour::Exclusive, Flavour::Inclusive],
            Self::Centre => &[Flavour::Attributed],
            Self::Tree => &[Flavour::Inclusive],
            Self::Plain => &[Flavour::Plain],
        }
    }

    fn flavours(self, term: &MetricTerm) -> Result<Vec<Flavour>, AnalysisError> {
        let unfit = |view, reason| AnalysisError::UnfitMetric { term: term.to_string(), view, reason };
        match (self, term.flavour) {
            (_, None) => Ok(self.default_flavours().to_vec()),
            (Self::Table, Some(Flavour::Attributed)) => Err(unfit(
                "this table",
                "attributed values need a caller or a callee. Use e. or i. here, or `whittle callers-callees`",
            )),
            (Self::Tree, Some(Flavour::Attributed)) => Ok(vec![Flavour::Inclusive]),
            (Self::Plain, Some(_)) => Ok(vec![Flavour::Plain]),
            (_, Some(flavour)) => Ok(vec![flavour]),
        }
    }
}

/// The columns of a view, and the column that sorts it.
#[derive(Debug, Clone)]
pub struct Columns {
    /// The columns to show.
    pub shown: Vec<Column>,
    /// The sort column, which does not have to be shown. Missing: sorted by name.
    pub sort: Option<Column>,
}

impl Columns {
    /// The positions of the metrics that the columns need, each once.
    pub fn metrics(&self) -> Vec<usize> {
        let all = self.shown.iter().chain(&self.sort).flat_map(Column::sums);
        let mut metrics: Vec<usize> = all.map(|column| column.metric_index).collect();
        sort_by_key(&mut metrics, |metric| *metric);
        metrics.dedup();
        metrics
    }

    /// Adds exclusive and inclusive values of every metric, as numbers and in percent.
    pub fn with_all(self, metrics: &[MetricDefinition]) -> Self {
        let columns = (0..metrics.len()).flat_map(|metric| {
            let flavours = [Flavour::Exclusive, Flavour::Inclusive];
            flavours.map(|flavour| Column::new(flavour, metrics, metric))
        });
        let columns = columns.flat_map(|column| [column.clone(), column.as_percent()]).collect();
        if self.shown.iter().any(|column| column.part.is_some()) { self } else { Self { shown: columns, ..self } }
    }
}

/// The metrics from which an experiment's columns are created.
#[derive(Debug, Clone, Copy)]
pub struct KnownMetrics<'a> {
    /// The manifest, with the definitions of the metrics.
    pub manifest: &'a Manifest,
    /// Sum of each metric over the selected samples.
    pub totals: &'a [f64],
    /// The comparison. Missing if nothing is compared.
    pub compared: Option<&'a Compared>,
}

impl KnownMetrics<'_> {
    /// The requested columns, or the default columns.
    pub fn columns(
        self,
        kind: ColumnKind,
        terms: Option<&MetricTerms>,
        sort: Option<&SortTerm>,
    ) -> Result<Columns, AnalysisError> {
        let mut shown = match terms {
            Some(MetricTerms(terms)) => {
                let columns: Result<Vec<_>, _> = terms.iter().map(|term| self.columns_of_term(kind, term)).collect();
                columns?.concat()
            }
            None => self.usual_columns(kind)?,
        };
        let sort = match sort {
            None => usual_order(&shown),
            Some(SortTerm::Name) => None,
            Some(SortTerm::Metric(term)) => {
                let asked = self.columns_of_term(kind, term)?;
                // If the columns are the default columns, the sort column must be one of them.
                if terms.is_none() && !asked.iter().all(|column| shown.contains(column)) {
                    shown.splice(0..0, asked.iter().cloned());
                }
                match term.part {
                    None => usual_order(&asked),
                    Some(Part::Both) => asked.first().map(|column| self.part(column, Part::Both)),
                    part => asked.into_iter().find(|column| column.part == part),
                }
            }
        };
        Ok(Columns { shown, sort })
    }

    /// The columns of a view with one value per row and metric. The manifest contains each metric `count` times.
    pub fn all_columns(self, count: usize) -> Vec<Column> {
        let metrics = &self.manifest.metrics;
        let plain = (0..metrics.len()).step_by(count).map(|metric| Column::plain(metrics, metric));
        plain.flat_map(|column| self.parts(column)).collect()
    }

    /// The column itself, or in a comparison the columns of its parts.
    fn parts(self, column: Column) -> Vec<Column> {
        if self.compared.is_none() { vec![column] } else { Part::SHOWN.map(|part| self.part(&column, part)).into() }
    }

    /// The column with one part of a comparison's values.
    pub fn part(self, column: &Column, part: Part) -> Column {
        let total = |part: Part| self.totals[part.metric_index(column.metric_index)];
        let time_unit = TimeUnit::of(total(Part::Baseline).max(total(Part::Candidate)));
        let sum = |part: Part| {
            let (is_percent, ratio_of) = (false, None);
            Column {
                metric_index: part.metric_index(column.metric_index),
                part: Some(part),
                time_unit,
                is_percent,
                ratio_of,
                ..column.clone()
            }
        };
        let of = |parts: [Part; 2]| Some(Arc::new(parts.map(sum)));
        match part {
            Part::Ratio => {
                Column { part: Some(part), ratio_of: of([Part::Candidate, Part::Baseline]), ..sum(Part::Baseline) }
            }
            _ => sum(part),
        }
    }

    fn columns_of_term(self, kind: ColumnKind, term: &MetricTerm) -> Result<Vec<Column>, AnalysisError> {
        let metrics = &self.manifest.metrics;
        let index = metrics.iter().position(|metric| metric.name == term.name);
        let index = index.ok_or_else(|| self.unknown_metric(&term.name))?;
        let flavours = kind.flavours(term)?;
        if term.part.is_some() && self.compared.is_none() {
            return Err(AnalysisError::NothingCompared { term: term.to_string() });
        }
        let column = |flavour| Column { is_percent: term.is_percent, ..Column::new(flavour, metrics, index) };
        let columns = flavours.into_iter().map(column);
        Ok(match term.part {
            Some(Part::Both) => columns.map(|column| self.part(&column, Part::Both)).collect(),
            _ => columns.flat_map(|column| self.parts(column)).collect(),
        })
    }

    /// The default columns: CPU with percentages, and system CPU if the experiment contains it. Without CPU, the
    /// default is the first metric that is not zero.
    fn usual_columns(self, kind: ColumnKind) -> Result<Vec<Column>, AnalysisError> {
        let metrics = &self.manifest.metrics;
        let is_shown = |index: usize, shown: Shown| metrics[index].shown() == shown;
        let by_default =
            (0..metrics.len()).find(|index| is_shown(*index, Shown::ByDefault) && self.totals[*index] > 0.0);
        let any = || (0..metrics.len()).find(|index| self.totals[*index] > 0.0);
        let first = Some(0).filter(|_| !metrics.is_empty());
        let main = by_default.or_else(any).or(first).ok_or(AnalysisError::NoMetrics)?;
        let flavours = kind.default_flavours();
        let mut columns: Vec<Column> = Vec::new();
        for flavour in flavours {
            let column = Column::new(*flavour, metrics, main);
            match self.compared {
                None => columns.extend([column.clone(), column.as_percent()]),
                Some(_) => columns.extend(self.parts(column)),
            }
        }
        if self.compared.is_some() {
            return Ok(columns);
        }
        if is_shown(main, Shown::ByDefault) {
            let beside = (0..metrics.len()).filter(|index| is_shown(*index, Shown::BesideDefault));
            columns.extend(
                beside.flat_map(|index| flavours.iter().map(move |flavour| Column::new(*flavour, metrics, index))),
            );
        }
        Ok(columns)
    }

    fn unknown_metric(self, name: &str) -> AnalysisError {
        if self.manifest.metrics.is_empty() {
            return AnalysisError::NoMetrics;
        }
        let known = self.manifest.metrics.iter().map(|metric| metric.name.clone()).collect();
        let why_missing = why_split_is_missing(self.manifest).filter(|_| is_split(name));
        AnalysisError::UnknownMetric { name: name.to_owned(), known, why_missing }
    }
}

/// The default sort column: the first column, or in a comparison its change.
fn usual_order(shown: &[Column]) -> Option<Column> {
    let changed = shown.iter().find(|column| column.part == Some(Part::Delta));
    changed.or(shown.first()).cloned()
}

fn is_split(name: &str) -> bool {
    matches!(MetricName::of(name), MetricName::Known(Metric::UserCpu | Metric::SystemCpu))
}

/// Why the experiment does not distinguish user from system CPU, as text. `None` if the experiment distinguishes them,
/// or if the reason is unknown.
pub fn why_split_is_missing(manifest: &Manifest) -> Option<String> {
    if manifest.metrics.is_empty() || manifest.metrics.iter().any(|metric| is_split(&metric.name)) {
        return None;
    }
    let used: Vec<String> = manifest
        .collectors
        .iter()
        .filter(|collector| collector.status == CollectorStatus::Used)
        .map(|collector| format!("{} ({})", collector.engine, collector.reason).replace(" ()", ""))
        .collect();
    let missing = manifest.collectors.iter().filter(|collector| collector.status == CollectorStatus::Unavailable);
    let missing: Vec<String> =
        missing.map(|collector| format!("{} was not available: {}", collector.engine, collector.reason)).collect();
    let mut sentences = Vec::new();
    if !used.is_empty() {
        sentences.push(format!("User and system CPU were not distinguished by the engine {}", used.join(" and ")));
    }
    sentences.extend(missing);
    Some(sentences.join(". ")).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        text.parse::<MetricTerms>().expect_err("malformed").to_string()
    }

    #[test]
    fn terms_are_read_as_written() {
        let MetricTerms(terms) = "e.system_cpu, i.cpu%,cpu".parse().expect("well formed");
        assert_eq!(terms.iter().map(ToString::to_string).collect::<Vec<_>>(), ["e.system_cpu", "i.cpu%", "cpu"]);
        assert_eq!(terms[1].flavour, Some(Flavour::Inclusive));
    }

    #[test]
    fn malformed_terms_say_what_is_wrong() {
        assert!(problem("x.cpu").starts_with("\"x.cpu\" is not a metric: expected e, i or a before the dot"));
        assert!(problem("e.").contains("the metric's name is missing"));
        assert!(problem("cpu,,").contains("the metric's name is missing"));
        assert!(problem("e.cpu time").contains("letters, digits and underscores"));
    }
}
