//! The requests that a server answered: how many, how long they took, and where their time went. Each name is a row.
//!
//! The kernel counted each request and the times of its thread, so the values are exact. If another thread answered, or if the
//! thread was not busy with this request alone, the thread's times are not the request's times. Such requests have no part in
//! the mean times, and their length has the share "unknown".

mod bar;
mod cells;
mod endpoints;
mod figures;
mod kinds;
mod slowest;
mod text;

use crate::definition::{Answered, Answerer, Command, Parameter, ViewDefinition, keys, read_count};
use crate::fixed_order::{preamble, sort_field};
use crate::requests::endpoints::by_endpoint;
use crate::requests::slowest::{OfName, slowest_requests};
use crate::timeline::without_time;
use serde::{Deserialize, Serialize};
use whittle_model::{RequestTable, Table};
use whittle_profile::filter::Predicate;
use whittle_profile::ordered_map::OrderedMap;
use whittle_profile::query::{Preamble, Query};
use whittle_profile::ranking::{keep_first, keep_largest};
use whittle_profile::{AnalysisError, Profile};

pub use endpoints::{EndpointFigures, EndpointRow, Endpoints};
pub use figures::{RequestFigures, RequestShares, StatementFigures};
pub use kinds::{RequestKindTimes, RequestTimeKind};
pub use slowest::{
    KindDifference, NamedStatements, PlaceDifference, SlowTrace, Slowest, SlowestRequests, StatementDifference,
    StopDifference, TimeDifference,
};

/// The definition of this view. Its answer is [`RequestsView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "requests",
        answer: |on, asked| {
            let asked = keys::<Keys>(asked)?.asked()?;
            Ok(Answered::view(requests(on.profile, on.query, &asked)?))
        },
    },
    not_compared: Some("requests of two versions are not compared: look at the requests of each version"),
    command: Some(Command {
        parameters: &[
            Parameter {
                read: |text| match text.parse::<Slowest>() {
                    Ok(_) => Ok(text.into()),
                    Err(error) => Err(error.to_string()),
                },
                ..Parameter::text(
                    "slowest",
                    "SHARE|N",
                    "Show what the slowest requests did that the others did not: 1% of them, or this number",
                )
            },
            Parameter::text(
                "request",
                "NAME",
                "With --slowest: the name of the requests. Default: the name with the most time",
            ),
            Parameter {
                read: read_count,
                ..Parameter::text(
                    "port",
                    "PORT",
                    "With --slowest: the port of the requests. Default: the port with the most time",
                )
            },
        ],
        orders: &["time", "count", "mean", "p50", "p99", "longest", "cpu", "errors", "name"],
        in_fleet: false,
        ..Command::table("Requests that a server answered: number, length, and where their time went")
    }),
};

/// The keys of a request for this view.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    slowest: Option<String>,
    request: Option<String>,
    port: Option<u32>,
}

impl Keys {
    fn asked(self) -> Result<Asked, AnalysisError> {
        let slowest = self.slowest.map(|text| text.parse()).transpose()?;
        Ok(Asked { slowest, name: self.request, port: self.port })
    }
}

/// What is requested in addition to the table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asked {
    /// The slowest requests, which are compared with the others.
    pub slowest: Option<Slowest>,
    /// The name of the slowest requests. Missing: the name with the most time.
    pub name: Option<String>,
    /// The port of the slowest requests. Missing: the port with the most time.
    pub port: Option<u32>,
}

/// The answer of [`requests`](requests()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RequestsView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// Length of the time range: the filter's range, otherwise the whole experiment.
    pub range_ns: u64,
    /// All selected requests.
    pub total: RequestFigures,
    /// Number of rows before the limit is applied.
    pub row_count: usize,
    /// The rows.
    pub rows: Vec<RequestRow>,
    /// All selected statements of JDBC. They are parts of requests, so they are not in `total`.
    pub statement_total: RequestFigures,
    /// Number of rows of statements before the limit is applied.
    pub statement_row_count: usize,
    /// The statements, each text as a row.
    pub statements: Vec<RequestRow>,
    /// Whether the requests came to several ports.
    pub has_ports: bool,
    /// The slowest requests of one name, compared with its other requests. Missing if they are not requested, or if no other requests exist.
    pub slowest: Option<SlowestRequests>,
    /// Time of threads by endpoint, from samples. Missing if requests have known times, or if no stack contains a known server or framework.
    #[cfg_attr(target_arch = "wasm32", serde(skip))]
    pub endpoints: Option<Endpoints>,
}

/// Requests with the same name and port.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RequestRow {
    /// The method and the path.
    pub name: String,
    /// The port on which the server listens.
    pub port: u32,
    /// The share of the length of all requests. Missing if this length is 0.
    pub ratio: Option<f64>,
    /// The values.
    #[serde(flatten)]
    pub figures: RequestFigures,
}

/// The words that `--sort` accepts, each with the field that decides the order.
const SORTS: [(&str, &str); 8] = [
    ("time", "duration_ns"),
    ("count", "requests_count"),
    ("mean", "mean_ns"),
    ("p50", "p50_ns"),
    ("p99", "p99_ns"),
    ("longest", "longest_ns"),
    ("cpu", "on_cpu_ns"),
    ("errors", "errors_count"),
];

const NO_REQUESTS: &str = "this experiment has no requests: only the engine kernel sees them, if it counts system calls \
                           (`whittle collect --engine kernel`), and only HTTP/1.x that a server answers without encryption. \
                           `--instrument` shows more: TLS, HTTP/2, gRPC, messages and tasks";

const OF_SAMPLES: &str = "the table of endpoints tells how long threads worked or waited below known servers and frameworks, according to \
                          samples. An endpoint is the outermost method of the program below them. Samples do not tell the number and \
                          the lengths of requests, so these columns are empty. Work that a handler gives to other threads, and the time \
                          in which no thread works, are not in the table";

const NO_OTHERS: &str = "all requests of this name are among the slowest, so there are no others to compare them with";

const NONE_LEFT: &str = "the filter leaves no requests";

const PART_ONLY: &str = "only the conditions on time and on requests are used: this view counts requests, not samples";

/// The table of requests. `Query::sort` is one of `time`, `count`, `mean`, `p50`, `p99`, `longest`, `cpu`, `errors`, `name`.
/// `Query::metrics` must be missing.
///
/// # Errors
/// The order is unknown, columns are requested, or the filter or `asked` contains an unknown name.
pub fn requests(profile: &Profile, query: &Query, asked: &Asked) -> Result<RequestsView, AnalysisError> {
    let sorted_by = sort_field(query, "requests", &SORTS)?;
    let (table, selected) = (&profile.tables().requests, selected(profile, query)?);
    let of_requests = named_rows(table, &selected.rows, selected.range_ns, (query, sorted_by));
    let of_statements = named_rows(table, &selected.statements, selected.range_ns, (query, sorted_by));
    let (total, row_count) = (of_requests.total, of_requests.row_count);
    let slowest = match asked.slowest {
        None => None,
        Some(slowest) => {
            let of_name = of_name(table, &selected, asked)?;
            Some(of_name.and_then(|of_name| slowest_requests(profile, of_name, slowest, query.window())))
        }
    };
    // Without any request, also requested comparisons have no other answer.
    // Report files do not show it, and its code would make every report larger.
    let needs_endpoints = !cfg!(target_arch = "wasm32")
        && total.timed_count == 0
        && (table.is_empty() || (asked.slowest.is_none() && row_count > 0));
    let endpoints = match needs_endpoints {
        true => by_endpoint(profile, profile.selection(query)?.as_ref(), sorted_by, query.window()),
        false => None,
    };
    let mut preamble = preamble(profile, query, "requests", sorted_by);
    // The table of endpoints uses all conditions.
    let is_used = |note: &String| endpoints.is_none() || row_count > 0 || note != PART_ONLY;
    preamble.notes.extend(selected.notes.into_iter().filter(is_used));
    preamble.notes.extend(endpoints.is_some().then(|| OF_SAMPLES.to_owned()));
    match &slowest {
        Some(Some(slowest)) => preamble.notes.extend(slowest.notes()),
        Some(None) if row_count > 0 => preamble.notes.push(NO_OTHERS.to_owned()),
        _ => {
            preamble.notes.extend(untimed_note(&total));
            preamble.notes.extend(untimed_statements_note(&of_statements.total));
        }
    }
    Ok(RequestsView {
        preamble,
        range_ns: selected.range_ns,
        total,
        row_count,
        rows: of_requests.rows,
        has_ports: of_requests.has_ports,
        statement_total: of_statements.total,
        statement_row_count: of_statements.row_count,
        statements: of_statements.rows,
        slowest: slowest.flatten(),
        endpoints,
    })
}

/// Why an experiment has neither requests nor, outside of report files, endpoints. Missing if it has some.
pub(crate) fn no_requests(profile: &Profile) -> Option<&'static str> {
    let has_endpoints =
        || !cfg!(target_arch = "wasm32") && by_endpoint(profile, None, None, Query::default().window()).is_some();
    (profile.tables().requests.is_empty() && !has_endpoints()).then_some(NO_REQUESTS)
}

/// Rows with a name each.
struct NamedRows {
    total: RequestFigures,
    row_count: usize,
    rows: Vec<RequestRow>,
    has_ports: bool,
}

/// The rows of the view for these rows of the table.
fn named_rows(
    table: &RequestTable,
    of_table: &[usize],
    range_ns: u64,
    (query, sorted_by): (&Query, Option<&'static str>),
) -> NamedRows {
    let total = RequestFigures::of_rows(table, of_table, range_ns);
    let mut rows: Vec<RequestRow> = Vec::new();
    for ((name, port), of_name) in by_name(table, of_table).into_pairs() {
        let figures = RequestFigures::of_rows(table, &of_name, range_ns);
        let ratio = (total.duration_ns > 0.0).then(|| figures.duration_ns / total.duration_ns);
        rows.push(RequestRow { name: name.to_owned(), port, ratio, figures });
    }
    let has_ports = rows.iter().any(|row| row.port != rows[0].port);
    let row_count = rows.len();
    let name = |row: &RequestRow| (row.name.clone(), row.port);
    match sorted_by {
        Some(field) => keep_largest(&mut rows, query.window(), |row| row.figures.value(field), name),
        None => keep_first(&mut rows, query.window(), name),
    }
    NamedRows { total, row_count, rows, has_ports }
}

/// The requests that a query selects.
struct Selected {
    /// Rows of the table of requests that are requests.
    rows: Vec<usize>,
    /// Rows of the table of requests that are statements of JDBC.
    statements: Vec<usize>,
    range_ns: u64,
    notes: Vec<String>,
}

/// A request is in the time range in which it began. So the numbers of adjacent ranges add up.
fn selected(profile: &Profile, query: &Query) -> Result<Selected, AnalysisError> {
    let table = &profile.tables().requests;
    let predicate = query.filter.as_ref().map(|filter| profile.predicate(filter, query.mode)).transpose()?;
    let (range, rest) = predicate.map_or((None, None), without_time);
    let (from_ns, to_ns) = range.unwrap_or((0, u64::MAX));
    let (is_kept, is_whole) = rest.map_or((None, true), |rest| kept_requests(&rest));
    let index = profile.request_index();
    // A condition on requests selects the statements of these requests.
    let asked_row = |row: usize| match table.is_statement(row) {
        true => index.at(table.thread[row].row(), table.start_ns[row]).unwrap_or(row),
        false => row,
    };
    let is_selected = |row: &usize| {
        (from_ns..to_ns).contains(&table.start_ns[*row])
            && is_kept.as_ref().is_none_or(|is_kept| is_kept[asked_row(*row)])
    };
    let (statements, rows): (Vec<usize>, Vec<usize>) =
        (0..table.len()).filter(is_selected).partition(|row| table.is_statement(*row));
    let mut notes = Vec::new();
    notes.extend((!is_whole).then(|| PART_ONLY.to_owned()));
    if rows.is_empty() && statements.is_empty() {
        notes.push(if table.is_empty() { NO_REQUESTS } else { NONE_LEFT }.to_owned());
    }
    let range_ns = to_ns.min(profile.manifest().duration_ns).saturating_sub(from_ns);
    Ok(Selected { rows, statements, range_ns, notes })
}

/// The requests that conditions keep, if they are joined by `and`, and whether there are no other conditions.
pub(crate) fn kept_requests(predicate: &Predicate) -> (Option<Vec<bool>>, bool) {
    match (predicate.requests_alone(), predicate) {
        (Some(is_kept), _) => (Some(is_kept), true),
        (None, Predicate::All(parts)) => parts.iter().map(kept_requests).fold((None, true), |all, part| {
            let kept = match (all.0, part.0) {
                (Some(a), Some(b)) => Some(a.iter().zip(b).map(|(a, b)| *a && b).collect()),
                (a, b) => a.or(b),
            };
            (kept, all.1 && part.1)
        }),
        (None, _) => (None, false),
    }
}

/// The requests with a name and a port, or those of the name and the port with the most time. Missing if there are no requests.
fn of_name<'t>(
    table: &'t RequestTable,
    selected: &Selected,
    asked: &Asked,
) -> Result<Option<OfName<'t>>, AnalysisError> {
    let time_ns = |rows: &[usize]| -> f64 {
        rows.iter().map(|row| table.length_ns(*row) as f64 * table.requests_count[*row] as f64).sum()
    };
    let groups = by_name(table, &selected.rows).into_pairs().into_iter();
    let is_wanted = |name: &str, port: u32| {
        asked.name.as_ref().is_none_or(|wanted| wanted == name) && asked.port.is_none_or(|wanted| wanted == port)
    };
    let wanted = groups.filter(|((name, port), _)| is_wanted(name, *port));
    let most = wanted.max_by(|(_, a), (_, b)| time_ns(a).total_cmp(&time_ns(b)));
    if let Some(((name, port), rows)) = most {
        return Ok(Some(OfName { name, port, rows, range_ns: selected.range_ns }));
    }
    let name = asked.name.as_ref().map(|name| format!("the name \"{name}\""));
    let port = asked.port.map(|port| format!("the port {port}"));
    let wanted: Vec<String> = name.into_iter().chain(port).collect();
    if wanted.is_empty() { Ok(None) } else { Err(AnalysisError::UnknownRequest(wanted.join(" and "))) }
}

/// The rows of each name and port.
fn by_name<'t>(table: &'t RequestTable, rows: &[usize]) -> OrderedMap<(&'t str, u32), Vec<usize>> {
    let mut groups = OrderedMap::default();
    for row in rows.iter().copied() {
        groups.at((table.name[row].as_str(), table.port[row]), Vec::new).push(row);
    }
    groups
}

/// `unknown times of the thread: 120 of 200 requests (another thread answered: 100; the thread was not busy with
/// this request alone: 20)`.
fn untimed_note(figures: &RequestFigures) -> Option<String> {
    let reasons = [
        (figures.other_thread_count, "another thread answered"),
        (figures.interleaved_count, "the thread was not busy with this request alone"),
    ];
    let reasons = reasons.iter().filter(|(count, _)| *count > 0).map(|(count, why)| format!("{why}: {count}"));
    let reasons = reasons.collect::<Vec<_>>().join("; ");
    let without = figures.requests_count.saturating_sub(figures.timed_count);
    (without > 0).then(|| {
        format!(
            "the times of the thread are unknown for {without} of {} requests ({reasons}); mean times leave them out",
            figures.requests_count
        )
    })
}

/// `the times of 3 of 200 statements are unknown: a virtual thread left its carrier, and it did not work for a request alone`.
fn untimed_statements_note(figures: &RequestFigures) -> Option<String> {
    let without = figures.requests_count.saturating_sub(figures.timed_count);
    (without > 0).then(|| {
        format!(
            "the times of {without} of {} statements are unknown: their virtual threads left their carriers and did not work for a \
             request, or another thread worked for the same request",
            figures.requests_count
        )
    })
}
