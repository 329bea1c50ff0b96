//! Finds the functions with the highest cost over all services of the fleet. The cost is in cores and money.

use crate::catalogue::Snapshot;
use crate::cost::{Cost, Price};
use crate::fleet::{Fleet, QueryError};
use crate::question::Question;
use serde::Serialize;
use whittle_model::FunctionKind;
use whittle_profile::Query;
use whittle_render::layout::note_line;
use whittle_render::{DrawnCell, DrawnColumn, DrawnTable, Sheet, View};

/// The answer of [`Fleet::top`].
#[derive(Debug, Clone, Serialize)]
pub struct TopView {
    /// The text `top`.
    pub view: &'static str,
    /// The observations, in words.
    pub whose: String,
    /// The requested time range, in words.
    pub time: String,
    /// How many seconds of this range are between the first and the last observation.
    pub covered_s: i64,
    /// The price of a core.
    #[serde(flatten)]
    pub price: Price,
    /// CPU time of all samples.
    pub cpu_ns: f64,
    /// Cost of this CPU time.
    pub total: Cost,
    /// Number of functions, before the limit is applied.
    pub row_count: usize,
    /// The functions. By default, the function with the largest exclusive value is first.
    pub rows: Vec<TopRow>,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// One function.
#[derive(Debug, Clone, Serialize)]
pub struct TopRow {
    /// The name as shown.
    pub function: String,
    /// Kind of code.
    pub kind: FunctionKind,
    /// Path of the file that contains the function. Missing: unknown.
    pub binary: Option<String>,
    /// CPU time of the function itself.
    pub exclusive_cpu_ns: f64,
    /// CPU time of the function and its callees.
    pub inclusive_cpu_ns: f64,
    /// Cost of `exclusive_cpu_ns`.
    pub exclusive: Cost,
    /// Cost of `inclusive_cpu_ns`.
    pub inclusive: Cost,
}

impl Fleet {
    /// The functions with the highest CPU time. Uses the query's mode, transforms, sort, skip and limit.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub async fn top(
        &self,
        snapshot: &Snapshot,
        (question, query): (&Question, &Query),
        price: Price,
    ) -> Result<TopView, QueryError> {
        let covered_s = question.covered_s(snapshot);
        let profile = self.ask(snapshot, question).await?.into_profile()?;
        let query = Query { metrics: Some("e.cpu,i.cpu".parse()?), ..query.clone() };
        let functions = whittle_views::functions::functions(&profile, &query)?;
        let cost = |ns: f64| price.cost(ns, covered_s);
        let rows = functions.rows.into_iter().map(|row| {
            let (exclusive_cpu_ns, inclusive_cpu_ns) = (row.values.numbers[0], row.values.numbers[1]);
            TopRow {
                function: row.function,
                kind: row.kind,
                binary: row.binary,
                exclusive_cpu_ns,
                inclusive_cpu_ns,
                exclusive: cost(exclusive_cpu_ns),
                inclusive: cost(inclusive_cpu_ns),
            }
        });
        let cpu_ns = functions.total.numbers[0];
        Ok(TopView {
            view: "top",
            whose: question.whose.words(),
            time: question.time.to_string(),
            covered_s,
            price,
            cpu_ns,
            total: cost(cpu_ns),
            row_count: functions.row_count,
            rows: rows.collect(),
            notes: [profile.notes(), &functions.preamble.notes].concat(),
        })
    }
}

impl TopView {
    /// The view with at most `limit` functions. If `text` is set, only functions with this text in their name are
    /// included, ignoring case.
    pub fn some(&self, text: Option<&str>, limit: Option<usize>) -> Self {
        let text = text.unwrap_or_default().to_lowercase();
        let is_named = |row: &&TopRow| text.is_empty() || row.function.to_lowercase().contains(&text);
        let named = || self.rows.iter().filter(is_named);
        let rows = named().take(limit.unwrap_or(usize::MAX)).cloned().collect();
        let (whose, time, notes) = (self.whose.clone(), self.time.clone(), self.notes.clone());
        Self { row_count: named().count(), rows, whose, time, notes, ..*self }
    }
}

const COLUMNS: [DrawnColumn; 6] = [
    DrawnColumn { above: "exclusive", title: "cores", field: "exclusive_cores", is_number: true },
    DrawnColumn { above: "exclusive", title: "%", field: "exclusive_ratio", is_number: true },
    DrawnColumn { above: "exclusive", title: "cost per year", field: "exclusive_cost_per_year", is_number: true },
    DrawnColumn { above: "inclusive", title: "cores", field: "inclusive_cores", is_number: true },
    DrawnColumn { above: "inclusive", title: "cost per year", field: "inclusive_cost_per_year", is_number: true },
    DrawnColumn { above: "", title: "function", field: "function", is_number: false },
];

impl View for TopView {
    fn sheet(&self) -> Sheet {
        let row = |row: &TopRow| {
            let ratio = (self.cpu_ns > 0.0).then(|| row.exclusive_cpu_ns / self.cpu_ns);
            let percent = DrawnCell::number(ratio.map(|ratio| ratio * 100.0), 2);
            vec![
                DrawnCell::number(Some(row.exclusive.cores), 3),
                DrawnCell { raw: DrawnCell::number(ratio, 4).raw, ..percent },
                DrawnCell::number(Some(row.exclusive.cost_per_year), 0),
                DrawnCell::number(Some(row.inclusive.cores), 3),
                DrawnCell::number(Some(row.inclusive.cost_per_year), 0),
                DrawnCell::text(&row.function),
            ]
        };
        let heading = vec![
            format!("Functions of {}, {} UTC", self.whose, self.time),
            format!("{:.3} cores in total; {}", self.total.cores, self.price.words()),
        ];
        let footer = self.notes.iter().map(|note| note_line(note)).collect();
        DrawnTable { heading, columns: COLUMNS.to_vec(), rows: self.rows.iter().map(row).collect(), footer }.into()
    }
}
