//! The whole run at one glance: a metric by second, and by the part of the second.
//!
//! ```text
//! 0.75 s   ░ ▒ █        A cell is a quarter of a second. The program did most between 1.75 s and 3 s.
//! 0.50 s   ░ ░ █
//! 0.25 s     ░ █
//! 0.00 s     ░ █
//!          0 1 2 s
//! ```
//!
//! A column is a second, or more for long runs. Its rows begin at the bottom. A time is distributed over the cells that it
//! covers, and each other amount belongs to the cell of its moment. A wait has its own length, over which its weight is
//! distributed. If a time range and the other conditions of the filter are joined by `and`, the time range does not remove
//! data, as in the timeline.

mod cells;
mod text;

use crate::definition::{Answered, Answerer, Command, Parameter, ViewDefinition, ViewError, keys, read_count};
use crate::fixed_order::preamble;
use crate::heat_map::cells::{HeatCells, HeatShape, MOST_COLUMNS, MOST_ROWS};
use crate::sample_times::SampleTimes;
use crate::shown_stacks::{IdleWaits, without_idle};
use crate::timeline::{end_ns, without_time};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use whittle_model::{EventKind, MetricDefinition, Unit, WeightColumn};
use whittle_profile::filter::Predicate;
use whittle_profile::metrics::{Column, ColumnKind};
use whittle_profile::query::{Preamble, Query, serialize_number};
use whittle_profile::samples::SampleKind;
use whittle_profile::weights::{counts_for, for_each_kept};
use whittle_profile::{AnalysisError, Profile};
use whittle_render::binary_answer::{Numbers, encode};

/// The definition of this view. Its answer is [`HeatMapView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "heat-map",
        answer: |on, asked| {
            let shape: HeatMapShape = keys(asked)?;
            shape.check()?;
            let view = heat_map(on.profile, on.query, &shape)?;
            Ok(Answered::Binary(view.to_bytes(), Some(Box::new(view))))
        },
    },
    not_compared: Some("times of different runs cannot be aligned"),
    command: Some(Command {
        parameters: &[
            Parameter {
                default: Some("60"),
                read: read_count,
                ..Parameter::text(
                    "columns",
                    "",
                    "Largest number of columns. A column is 1 s, or more if the run is longer",
                )
            },
            Parameter {
                default: Some("20"),
                read: read_count,
                ..Parameter::text("rows", "", "Parts of a column's time")
            },
        ],
        rows: None,
        in_fleet: false,
        ..Command::table("A metric over the whole run, a column for each second and a row for each part of a second")
    }),
};

/// The size of a heat map, and its metric.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HeatMapShape {
    /// The metric. The default is the query's first metric.
    pub metric: Option<String>,
    /// Largest number of columns. The default is 60.
    pub columns: Option<usize>,
    /// Number of rows. The default is 20.
    pub rows: Option<usize>,
}

/// Number of columns that fit on a line of a terminal.
const USUAL_COLUMNS: usize = 60;
/// Number of rows that fit on the screen of a terminal.
const USUAL_ROWS: usize = 20;

impl HeatMapShape {
    fn size(&self) -> (usize, usize) {
        (self.columns.unwrap_or(USUAL_COLUMNS), self.rows.unwrap_or(USUAL_ROWS))
    }

    fn check(&self) -> Result<(), ViewError> {
        let (columns, rows) = self.size();
        if (1..=MOST_COLUMNS).contains(&columns) && (1..=MOST_ROWS).contains(&rows) {
            return Ok(());
        }
        Err(ViewError::Keys(format!(
            "a heat map has 1 to {MOST_COLUMNS} columns and 1 to {MOST_ROWS} rows; requested: {columns} columns, {rows} rows"
        )))
    }
}

/// The answer of [`heat_map`](heat_map()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HeatMapHeader {
    /// Mode, filter, transforms and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The metric's name.
    pub metric: String,
    /// The metric's title.
    pub title: String,
    /// Unit of all values.
    pub unit: Unit,
    /// End of the run, in nanoseconds since its start.
    pub to_ns: u64,
    /// Time of a column.
    pub column_ns: u64,
    /// Number of columns.
    pub columns: usize,
    /// Number of rows. The time of a row is `column_ns / rows`.
    pub rows: usize,
    /// The largest value of a cell.
    #[serde(serialize_with = "serialize_number")]
    pub most: f64,
    /// The sum of all cells.
    #[serde(serialize_with = "serialize_number")]
    pub total: f64,
}

/// The header and the cells of a heat map.
#[derive(Debug, Clone)]
pub struct HeatMapView {
    /// Everything except the cells.
    pub header: HeatMapHeader,
    /// Values in the order of time: `cells[column * rows + row]`.
    pub cells: Vec<f64>,
    /// The columns and rows.
    shape: HeatShape,
    /// The metric, for amounts in words.
    column: Column,
}

/// A metric over the whole run.
///
/// # Errors
/// The metric is unknown, or the filter contains an unknown name.
pub fn heat_map(profile: &Profile, asked_for: &Query, shape: &HeatMapShape) -> Result<HeatMapView, AnalysisError> {
    let column = column_of(profile, asked_for, shape.metric.as_deref())?;
    let without_idle = without_idle(profile, asked_for, (Some(&column.metric), IdleWaits::LeftOut))?;
    let predicate = selection(profile, &without_idle)?;
    let (columns, rows) = shape.size();
    let to_ns = end_ns(profile);
    let shape = HeatShape::new(to_ns, columns, rows);
    let metric = &profile.manifest().metrics[column.metric_index];
    let cells = cells_of(profile, metric, predicate.as_ref(), shape);
    let total: f64 = cells.iter().sum();
    let notes = notes(matches!(without_idle, Cow::Owned(_)), total);
    let header = HeatMapHeader {
        preamble: Preamble { notes, ..preamble(profile, asked_for, "heat-map", Some("time_ns")) },
        metric: column.metric.clone(),
        title: column.title.clone(),
        unit: column.unit,
        to_ns,
        column_ns: shape.column_ns,
        columns: shape.columns,
        rows: shape.rows,
        most: cells.iter().copied().fold(0.0, f64::max),
        total,
    };
    Ok(HeatMapView { header, cells, shape, column })
}

fn column_of(profile: &Profile, query: &Query, metric: Option<&str>) -> Result<Column, AnalysisError> {
    let metrics = metric.map(str::parse).transpose()?.or_else(|| query.metrics.clone());
    let query = Query { metrics, sort: None, ..query.clone() };
    let columns = profile.columns(ColumnKind::Plain, &query, profile.all_weights())?;
    columns.shown.into_iter().next().ok_or(AnalysisError::NoMetrics)
}

/// The test of samples, without the filter's time range.
fn selection(profile: &Profile, query: &Query) -> Result<Option<Predicate>, AnalysisError> {
    let filter = query.filter.as_ref().map(|filter| profile.predicate(filter, query.mode)).transpose()?;
    let filter = filter.and_then(|filter| without_time(filter).1);
    let left = profile.selection(&Query { filter: None, ..query.clone() })?;
    Ok(Predicate::all(filter.into_iter().chain(left).collect()))
}

/// Adds up the samples in one pass.
fn cells_of(profile: &Profile, metric: &MetricDefinition, predicate: Option<&Predicate>, shape: HeatShape) -> Vec<f64> {
    let samples = profile.samples();
    let is_counted: Vec<bool> = SampleKind::all().map(|kind| counts_for(kind, metric)).collect();
    let amounts = samples.column(metric.weight);
    let is_time = metric.weight == WeightColumn::DurationNs;
    let has_waits = SampleKind::all().any(|kind| kind.event == EventKind::OffCpu && counts_for(kind, metric));
    let times = if has_waits { SampleTimes::new(profile, None) } else { SampleTimes::without_waits(profile) };
    let mut cells = HeatCells::new(shape);
    for_each_kept(samples, predicate, |sample| {
        if !is_counted[usize::from(samples.kind[sample])] {
            return;
        }
        if is_time {
            cells.add_time(times.of(sample), amounts[sample] as f64);
        } else {
            cells.add(samples.time_ns[sample], amounts[sample] as f64);
        }
    });
    cells.finish()
}

fn notes(leaves_out_idle: bool, total: f64) -> Vec<String> {
    let idle = leaves_out_idle.then_some("the waits of idle threads are left out");
    let nothing = (total <= 0.0).then_some("no sample is left: the filter, the transforms or the metric leave nothing");
    idle.into_iter().chain(nothing).map(str::to_owned).collect()
}

/// A cell that is not 0.
#[derive(Debug, Clone, Copy, Serialize)]
struct HeatMapCell {
    column: usize,
    row: usize,
    start_ns: u64,
    #[serde(serialize_with = "serialize_number")]
    value: f64,
}

impl HeatMapView {
    /// The answer in bytes: the header, then the cells.
    pub fn to_bytes(&self) -> Vec<u8> {
        encode(&self.header, &[("cells", Numbers::F64(&self.cells))])
    }

    fn filled_cells(&self) -> impl Iterator<Item = HeatMapCell> + '_ {
        let cells = self.cells.iter().enumerate().filter(|(_, value)| **value > 0.0);
        cells.map(|(cell, value)| HeatMapCell {
            column: cell / self.shape.rows,
            row: cell % self.shape.rows,
            start_ns: self.shape.start_of(cell),
            value: *value,
        })
    }
}

/// The header, and the cells with a value.
impl Serialize for HeatMapView {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            #[serde(flatten)]
            header: &'a HeatMapHeader,
            cells: Vec<HeatMapCell>,
        }
        Fields { header: &self.header, cells: self.filled_cells().collect() }.serialize(serializer)
    }
}
