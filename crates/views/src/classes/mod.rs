//! The table of allocated objects: by class, by the line of the program that allocates them, or by both.
//!
//! The values are sums of samples of the event `alloc`. A sample contains the class of one object, and represents all
//! objects that were allocated since the sample before. So the shares of classes are estimates.

mod text;

use crate::calling_frame::calling_frames;
use crate::definition::{Answered, Answerer, Command, Parameter, ViewDefinition, keys};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use whittle_model::{EventKind, FrameIndex, FunctionIndex, Metric, ObjectClassIndex};
use whittle_profile::filter::Predicate;
use whittle_profile::metrics::{Column, ColumnKind, Columns, MetricTerms};
use whittle_profile::object_classes::shown_name;
use whittle_profile::ordered_map::OrderedMap;
use whittle_profile::query::{Preamble, Query, Values};
use whittle_profile::ranking::{keep_first, keep_largest};
use whittle_profile::samples::SampleKind;
use whittle_profile::value_shape::ValueShape;
use whittle_profile::weights::{Weights, for_each_kept, sums_by_place};
use whittle_profile::{AnalysisError, Profile, totals};

/// The definition of this view. Its answer is [`ClassesView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "classes",
        answer: |on, asked| {
            let by = keys::<Keys>(asked)?.by.map_or(Ok(ClassKeys::default()), |by| by.parse())?;
            Ok(Answered::view(classes(on.profile, on.query, &by)?))
        },
    },
    not_compared: None,
    command: Some(Command {
        parameters: &[Parameter {
            default: Some("class"),
            read: |text| match text.parse::<ClassKeys>() {
                Ok(_) => Ok(text.into()),
                Err(error) => Err(error.to_string()),
            },
            ..Parameter::text(
                "by",
                "",
                "Group rows by any of class, site. A site is a line of the program that allocates",
            )
        }],
        in_fleet: false,
        ..Command::table("Allocated objects by class, with the lines that allocate them")
    }),
};

/// The keys of a request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    by: Option<String>,
}

/// A key that rows are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ClassKey {
    /// The class of the objects.
    Class,
    /// The line that allocates them.
    Site,
}

impl fmt::Display for ClassKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Class => "class",
            Self::Site => "site",
        })
    }
}

/// The keys that rows are grouped by, separated by commas, as in the argument of `--by`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassKeys(Vec<ClassKey>);

impl Default for ClassKeys {
    fn default() -> Self {
        Self(vec![ClassKey::Class])
    }
}

impl FromStr for ClassKeys {
    type Err = AnalysisError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let words: Vec<&str> = text.split(',').map(str::trim).collect();
        let known = [ClassKey::Class, ClassKey::Site];
        match words.iter().find(|word| !known.iter().any(|key| key.to_string() == **word)) {
            Some(unknown) => Err(AnalysisError::UnknownClassKey((*unknown).to_owned())),
            None => Ok(Self(known.into_iter().filter(|key| words.contains(&key.to_string().as_str())).collect())),
        }
    }
}

/// The answer of [`classes`](classes()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ClassesView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The keys that rows are grouped by.
    pub by: Vec<ClassKey>,
    /// The columns of `total` and of each row.
    pub columns: Vec<Column>,
    /// The values of all selected allocations. They are the base of percentages.
    pub total: Values,
    /// Number of selected samples of allocations.
    pub samples_count: u64,
    /// Number of rows before the limit is applied.
    pub row_count: usize,
    /// The rows.
    pub rows: Vec<ClassRow>,
}

/// Allocations of one class, at one site, or both.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ClassRow {
    /// The class, as in the filter `class is "byte[]"`. `<unknown>`: the class is not in the data. Missing if rows are not
    /// grouped by class.
    pub class: Option<String>,
    /// The function that allocates. Missing if rows are not grouped by site, or if the stack has no such function.
    pub function: Option<String>,
    /// The function's source file name. Missing if unknown.
    pub source_file: Option<String>,
    /// The line that allocates, counted from 1. Missing if unknown, and in comparisons: line numbers differ between
    /// versions.
    pub line: Option<u32>,
    /// Number of samples.
    pub samples_count: u64,
    /// The values of these allocations.
    #[serde(flatten)]
    pub values: Values,
}

const NO_ALLOCATIONS: &str = "this experiment has no allocations: `--events alloc` records allocations";
const NO_CLASSES: &str = "the classes of the objects are unknown: the input does not contain classes";
const NO_COUNT: &str = "the number of objects is unknown: the JDK's samples do not contain the sizes of objects";
const SAMPLED: &str = "a sample represents all objects that were allocated since the sample before: rows of few samples are \
                       unreliable";

/// The table of classes. All columns must be metrics of allocations.
///
/// # Errors
/// A metric is unknown or does not measure allocations, or the filter contains an unknown name.
pub fn classes(profile: &Profile, query: &Query, by: &ClassKeys) -> Result<ClassesView, AnalysisError> {
    let weights = profile.weights(query)?;
    let columns = columns(profile, query, &weights)?;
    let predicate = profile.selection(query)?;
    let groups = Groups::new(profile, predicate.as_ref(), by);
    let totals = totals(&weights);
    let shape = ValueShape::new(&columns.shown, |column| totals[column.metric_index]);
    let metrics = columns.metrics();
    let sums = groups.sums(profile, predicate.as_ref(), &metrics);
    let value = |column: &Column, row: usize| {
        let position = metrics.iter().position(|metric| *metric == column.metric_index);
        position.map_or(0.0, |position| sums[position][row])
    };
    let mut rows: Vec<usize> = (0..groups.keys.len()).collect();
    let (row_count, name) = (rows.len(), |row: &usize| groups.name(profile, *row));
    match &columns.sort {
        Some(column) => {
            keep_largest(&mut rows, query.window(), |row| column.rank(|column| value(column, *row)), name);
        }
        None => keep_first(&mut rows, query.window(), name),
    }
    let rows = rows.into_iter().map(|row| groups.row(profile, row, shape.values(|column| value(column, row))));
    let mut preamble = profile.preamble("classes", query, (&columns, &weights));
    preamble.notes.extend(notes(profile, row_count));
    Ok(ClassesView {
        preamble,
        by: by.0.clone(),
        total: shape.values(|column| totals[column.metric_index]),
        samples_count: groups.samples.iter().sum(),
        row_count,
        rows: rows.collect(),
        columns: columns.shown,
    })
}

/// The requested columns, otherwise allocated bytes with their share and the number of objects, if they are known.
fn columns(profile: &Profile, query: &Query, weights: &Weights) -> Result<Columns, AnalysisError> {
    let asked = Query { metrics: query.metrics.clone().or_else(|| usual_metrics(profile)), ..query.clone() };
    let mut columns = profile.columns(ColumnKind::Plain, &asked, weights)?;
    let metrics = &profile.manifest().metrics;
    let is_fit = |column: &Column| metrics[column.metric_index].event == EventKind::Alloc;
    if query.metrics.is_none() && query.sort.is_none() {
        columns.shown.retain(is_fit);
        columns.sort = columns.sort.filter(is_fit);
    }
    match columns.shown.iter().chain(&columns.sort).find(|column| !is_fit(column)) {
        None => Ok(columns),
        Some(column) => Err(AnalysisError::UnfitMetric {
            term: column.metric.clone(),
            view: "the table of classes",
            reason: "only allocations have a class. Use alloc_bytes or alloc_count",
        }),
    }
}

/// In a comparison, each metric has four columns, so only one metric fits on a screen.
fn usual_metrics(profile: &Profile) -> Option<MetricTerms> {
    let is_known = |metric: Metric| profile.manifest().metric_index(metric).is_some();
    let terms = match (is_known(Metric::AllocBytes), is_known(Metric::AllocCount)) {
        (true, true) if profile.comparison().is_none() => "alloc_bytes,alloc_bytes%,alloc_count",
        (true, _) if profile.comparison().is_none() => "alloc_bytes,alloc_bytes%",
        (true, _) => "alloc_bytes",
        (false, true) => "alloc_count",
        (false, false) => return None,
    };
    terms.parse().ok()
}

fn notes(profile: &Profile, row_count: usize) -> Vec<String> {
    let is_known = |metric: Metric| profile.manifest().metric_index(metric).is_some();
    let mut notes = Vec::new();
    if !is_known(Metric::AllocBytes) && !is_known(Metric::AllocCount) {
        return vec![NO_ALLOCATIONS.to_owned()];
    }
    if profile.samples().object_classes().is_none() {
        notes.push(NO_CLASSES.to_owned());
    }
    if !is_known(Metric::AllocCount) {
        notes.push(NO_COUNT.to_owned());
    }
    if row_count > 0 {
        notes.push(SAMPLED.to_owned());
    }
    notes
}

/// A function, and in this function the line that allocates. The line is missing if it is unknown, and in comparisons.
type Site = (FunctionIndex, Option<u32>);

/// The class and the site of a row. Each is missing if rows are not grouped by it.
type GroupKey = (Option<ObjectClassIndex>, Option<Site>);

/// The selected samples of allocations, grouped into rows.
struct Groups {
    keys: Vec<GroupKey>,
    /// Number of samples of each row.
    samples: Vec<u64>,
    /// The row of each selected sample of an allocation. Other samples have row 0.
    row_of_sample: Vec<u32>,
}

impl Groups {
    fn new(profile: &Profile, predicate: Option<&Predicate>, by: &ClassKeys) -> Self {
        let samples = profile.samples();
        let sites = if by.0.contains(&ClassKey::Site) { sites(profile) } else { Vec::new() };
        let is_allocation: Vec<bool> = SampleKind::all().map(|kind| kind.event == EventKind::Alloc).collect();
        let mut groups = Self { keys: Vec::new(), samples: Vec::new(), row_of_sample: vec![0; samples.len()] };
        let mut rows: OrderedMap<GroupKey, u32> = OrderedMap::default();
        let class_of = |sample: usize| samples.object_classes().map_or(ObjectClassIndex::UNKNOWN, |all| all[sample]);
        for_each_kept(samples, predicate, |sample| {
            if !is_allocation[usize::from(samples.kind[sample])] {
                return;
            }
            let class = by.0.contains(&ClassKey::Class).then(|| class_of(sample));
            let key = (class, sites.get(samples.observed[sample] as usize).copied().flatten());
            let row = *rows.at(key, || {
                groups.keys.push(key);
                groups.samples.push(0);
                groups.keys.len() as u32 - 1
            });
            groups.samples[row as usize] += 1;
            groups.row_of_sample[sample] = row;
        });
        groups
    }

    /// The sums of several metrics, one per row.
    fn sums(&self, profile: &Profile, predicate: Option<&Predicate>, metrics: &[usize]) -> Vec<Vec<f64>> {
        let row = |sample: usize| self.row_of_sample[sample] as usize;
        sums_by_place((profile.samples(), predicate), (profile.summed(), metrics), (self.keys.len(), row))
    }

    /// Decides the order of equal rows.
    fn name(&self, profile: &Profile, row: usize) -> (String, Option<u32>) {
        let (class, site) = self.keys[row];
        let class = class.map_or("", |class| shown_name(&profile.tables().object_classes, class));
        let function = site.map_or("", |(function, _)| &profile.tables().functions.display_name[function.row()]);
        (format!("{class}\0{function}"), site.and_then(|(_, line)| line))
    }

    fn row(&self, profile: &Profile, row: usize, values: Values) -> ClassRow {
        let (tables, (class, site)) = (profile.tables(), self.keys[row]);
        let class = class.map(|class| shown_name(&tables.object_classes, class).to_owned());
        let function = site.map(|(function, _)| function);
        ClassRow {
            class,
            function: function.map(|function| tables.functions.display_name[function.row()].clone()),
            source_file: function.and_then(|function| tables.functions.source_file[function.row()].clone()),
            line: site.and_then(|(_, line)| line),
            samples_count: self.samples[row],
            values,
        }
    }
}

/// The site of each observed stack: the deepest line outside the JDK.
fn sites(profile: &Profile) -> Vec<Option<Site>> {
    let tables = profile.tables();
    let frames = calling_frames(tables);
    let has_lines = profile.comparison().is_none();
    let site = |frame: FrameIndex| {
        let line = tables.frames.line[frame.row()].filter(|_| has_lines);
        (tables.frames.function[frame.row()], line)
    };
    profile.observed_stacks().iter().map(|stack| frames[stack.row()].map(site)).collect()
}
