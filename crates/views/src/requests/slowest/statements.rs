//! The statements of JDBC of the slowest requests and of the others: how many per request, and how long they took.
//!
//! The numbers and lengths of all statements are exact. A statement belongs to the request for which its thread worked when it began. If
//! the experiment has one row for several statements, this row belongs to one request.

use crate::requests::cells::millis;
use crate::requests::figures::RequestFigures;
use crate::requests::slowest::{Split, TimeDifference};
use serde::Serialize;
use whittle_model::Table;
use whittle_profile::Profile;
use whittle_profile::order::sort_by;
use whittle_profile::ordered_map::OrderedMap;
use whittle_profile::query::Window;
use whittle_render::layout::with_total_row;
use whittle_render::{Cell, Head, Sheet, SheetRow};

const ALL_STATEMENTS: &str = "<All statements>";

/// The statements of the slowest requests, compared with those of the others.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StatementDifference {
    /// All statements.
    #[serde(flatten)]
    pub all: NamedStatements,
    /// Number of different statements before the limit is applied.
    pub name_count: usize,
    /// Each statement, the largest difference of time first.
    pub by_name: Vec<NamedStatements>,
    /// Number of statements whose request is known. Only these are in `by_name`.
    pub known_count: u64,
    /// Number of all statements.
    pub statements_count: u64,
}

/// The executions of a statement per request.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NamedStatements {
    /// The SQL without literals. Empty: all statements.
    pub name: String,
    /// Mean number of executions per slow request.
    pub slowest_per_request: f64,
    /// Mean number of executions per other request.
    pub others_per_request: f64,
    /// Mean time of these executions per request.
    #[serde(flatten)]
    pub times: TimeDifference,
}

/// Missing if no statement was executed for these requests, or if statements are not seen for one of the sides.
pub(super) fn statements(
    profile: &Profile,
    split: &Split,
    [slowest, others]: [&RequestFigures; 2],
    window: Window,
) -> Option<StatementDifference> {
    let exact = [slowest.statements?, others.statements?];
    let statements_count = exact[0].statements_count.saturating_add(exact[1].statements_count);
    if statements_count == 0 {
        return None;
    }
    let all = NamedStatements {
        name: String::new(),
        slowest_per_request: exact[0].per_request,
        others_per_request: exact[1].per_request,
        times: TimeDifference::new(exact[0].per_request_ns(), exact[1].per_request_ns()),
    };
    let requests = [slowest.requests_count, others.requests_count].map(|count| count as f64);
    let sums = sums(profile, split);
    let known_count = sums.iter().flat_map(|(_, sums)| sums.count).fold(0_u64, u64::saturating_add);
    let of_name = |(name, sums): (&str, Sums)| {
        let per_request = |side: usize| sums.count[side] as f64 / requests[side];
        let time_ns = |side: usize| sums.time_ns[side] / requests[side];
        NamedStatements {
            name: name.to_owned(),
            slowest_per_request: per_request(0),
            others_per_request: per_request(1),
            times: TimeDifference::new(time_ns(0), time_ns(1)),
        }
    };
    let mut by_name: Vec<NamedStatements> = sums.into_iter().map(of_name).collect();
    sort_by(&mut by_name, |a, b| b.times.difference_ns.total_cmp(&a.times.difference_ns));
    let name_count = by_name.len();
    window.cut(&mut by_name);
    Some(StatementDifference { all, name_count, by_name, known_count, statements_count })
}

/// Executions of a statement: for the slowest requests, and for the others.
#[derive(Default)]
struct Sums {
    count: [u64; 2],
    time_ns: [f64; 2],
}

fn sums<'p>(profile: &'p Profile, split: &Split) -> Vec<(&'p str, Sums)> {
    let (table, index) = (&profile.tables().requests, profile.request_index());
    let side_of_row = split.side_of_row(table.len());
    let mut sums: OrderedMap<&str, Sums> = OrderedMap::default();
    for row in (0..table.len()).filter(|row| table.is_statement(*row)) {
        let request = index.at(table.thread[row].row(), table.start_ns[row]);
        let Some(side) = request.and_then(|request| side_of_row[request]) else { continue };
        let (sum, count) = (sums.at(table.name[row].as_str(), Sums::default), table.requests_count[row]);
        sum.count[side] = sum.count[side].saturating_add(count);
        sum.time_ns[side] += table.length_ns(row) as f64 * count as f64;
    }
    sums.into_pairs()
}

/// The table of statements.
pub(super) fn sheet(view: &StatementDifference) -> Sheet {
    let cells = |row: &NamedStatements, name: &str| {
        vec![
            millis(Some(row.times.difference_ns)),
            millis(Some(row.times.slowest_ns)),
            millis(Some(row.times.others_ns)),
            Cell::Decimal(Some(row.slowest_per_request)),
            Cell::Decimal(Some(row.others_per_request)),
            Cell::Text(name.to_owned()),
        ]
    };
    let row = |row: &NamedStatements| SheetRow { cells: cells(row, &row.name), ..SheetRow::default() };
    let left_out = view.name_count - view.by_name.len();
    let left_out = (left_out > 0).then(|| format!("{left_out} more of {} are not shown (limit)", view.name_count));
    let unknown = view.statements_count.saturating_sub(view.known_count);
    let unknown = (unknown > 0).then(|| {
        format!("the requests of {unknown} of {} statements are unknown, so rows leave them out", view.statements_count)
    });
    Sheet {
        heading: vec!["Statements of JDBC per request".to_owned()],
        heads: vec![
            Head { is_sorted: true, ..Head::number_below("", "more ms", "difference_ns") },
            Head::number_below("slowest", "ms", "slowest_ns"),
            Head::number_below("others", "ms", "others_ns"),
            Head::number_below("slowest", "statements", "slowest_per_request"),
            Head::number_below("others", "statements", "others_per_request"),
            Head::text("SQL", "name"),
        ],
        rows: with_total_row(cells(&view.all, ALL_STATEMENTS), view.by_name.iter().map(row)),
        footer: left_out.into_iter().chain(unknown).collect(),
    }
}
