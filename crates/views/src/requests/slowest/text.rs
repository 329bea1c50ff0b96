//! The layout of the comparison of the slowest requests with the others, and its first sentence.

use crate::requests::cells::millis;
use crate::requests::figures::RequestFigures;
use crate::requests::kinds::RequestTimeKind;
use crate::requests::slowest::demand::longer_demand_ns;
use crate::requests::slowest::executes;
use crate::requests::slowest::{
    KindDifference, PlaceDifference, SlowestRequests, StopDifference, TimeDifference, statements, traces,
};
use crate::wait_words::waited_for;
use whittle_profile::amounts::count;
use whittle_profile::query::Preamble;
use whittle_render::layout::{footer, with_total_row};
use whittle_render::{Cell, Head, Sheet, SheetRow, harmless};

const WHOLE_LENGTH: &str = "<Whole length>";

/// Meanings of waits that say no more than the kind of time.
const SAYS_NO_MORE: [&str; 4] = ["socket", "other_thread", "file", "unknown"];

/// A kind of time with this part of the difference is also named in the sentence.
const LARGE_PART: f64 = 0.25;

/// `The slowest 1 % (12 of 1,200) took 412 ms more on average: 405 ms of it waiting for a socket, most for data from a socket (tcp
/// 10.0.0.7:5432) in app.Client.call(), according to 11 samples`.
pub(super) fn summary(view: &SlowestRequests) -> String {
    let count = |figures: &RequestFigures| figures.requests_count;
    let all = count(&view.slowest).saturating_add(count(&view.others));
    let begin = format!(
        "The slowest {} ({} of {}) took {} more on average",
        view.asked,
        grouped(count(&view.slowest)),
        grouped(all),
        duration(view.longer_ns)
    );
    if let Some(stops) = main_stops(view) {
        return format!("{begin}: {}", because_of_stops(stops, view));
    }
    let Some(largest) = view.kinds.first() else {
        return format!("{begin}: whittle does not know the times of their threads");
    };
    let is_known = view.slowest.timed_count == count(&view.slowest);
    let of_these = match is_known {
        true => String::new(),
        false => format!(" (known for {} of the slowest)", grouped(view.slowest.timed_count)),
    };
    let place = main_place(view, largest).map_or_else(String::new, |place| in_place(place, largest));
    let executes_longer = |_: &f64| largest.kind == RequestTimeKind::OnCpu;
    let (largest_words, next) = match longer_demand_ns(&view.kinds).filter(executes_longer) {
        Some(demand_ns) => {
            let executing = duration(largest.times.difference_ns);
            let words = format!("{} of it executing ({executing}) or waiting for a CPU", duration(demand_ns));
            (words, String::new())
        }
        None => {
            let words = format!("{} of it {}", duration(largest.times.difference_ns), words(largest.kind));
            (words, next_reason(view, largest))
        }
    };
    format!("{begin}: {largest_words}{of_these}{place}{next}")
}

/// `38.0 ms of it while the JVM had stopped all threads (in 30 of 102 requests), most for Pause Full (System.gc())`.
fn because_of_stops(stops: &StopDifference, view: &SlowestRequests) -> String {
    let operation = stops.operation.as_ref().map_or_else(String::new, |name| format!(", most for {name}"));
    format!(
        "{} of it while the JVM had stopped all threads (in {} of {} requests){operation}",
        duration(stops.times.difference_ns),
        grouped(stops.slowest_requests_count),
        grouped(view.slowest.requests_count)
    )
}

/// The place with the most of a kind's difference, if samples of the slowest requests tell it.
fn main_place<'v>(view: &'v SlowestRequests, largest: &KindDifference) -> Option<&'v PlaceDifference> {
    let is_of_largest = |place: &&PlaceDifference| {
        place.kind == largest.kind && place.times.difference_ns > 0.0 && place.slowest_samples_count > 0
    };
    view.places.iter().find(is_of_largest).filter(|place| place.function.is_some())
}

/// `, most for a lock in app.Cache.get(), according to 9 samples; held by b in app.Cache.load()`.
fn in_place(place: &PlaceDifference, largest: &KindDifference) -> String {
    let is_most = place.times.difference_ns * 2.0 >= largest.times.difference_ns;
    let part = if is_most { "most" } else { "the largest part" };
    let doing = match place.wait {
        Some(wait) if place.file.is_empty() && SAYS_NO_MORE.contains(&wait) => String::new(),
        Some(_) => format!(" for {}", waited_for(place.wait, &place.file)),
        None => executes::words(place.executes).to_owned(),
    };
    let samples = match place.slowest_samples_count {
        1 => "1 sample".to_owned(),
        count => format!("{} samples", grouped(count)),
    };
    let holder = place.holder.as_ref().map_or_else(String::new, |holder| format!("; {holder}"));
    format!(", {part}{doing} in {}, according to {samples}{holder}", function(place))
}

/// `; 14.4 ms of it waiting for a socket`: the next kind, if it is a large part of a difference that the first kind does not explain alone.
fn next_reason(view: &SlowestRequests, largest: &KindDifference) -> String {
    let is_large = |kind: &&KindDifference| {
        kind.times.difference_ns >= view.longer_ns * LARGE_PART
            && largest.times.difference_ns <= view.longer_ns * (1.0 - LARGE_PART)
    };
    let next = view.kinds.get(1).filter(is_large);
    next.map_or_else(String::new, |next| format!("; {} of it {}", duration(next.times.difference_ns), words(next.kind)))
}

/// The tables of kinds and of places.
pub(crate) fn text_sheets(view: &SlowestRequests, preamble: &Preamble) -> Vec<Sheet> {
    let stops = view.stops.as_ref().map(|stops| in_words(stops, view));
    let stops = stops.unwrap_or_else(|| "The JVM reported no stops of all threads".to_owned());
    let is_shown = |row: &&KindDifference| row.times.slowest_ns > 0.0 || row.times.others_ns > 0.0;
    // Items that an agent marks have no port.
    let port = if view.port == 0 { String::new() } else { format!(" on port {}", view.port) };
    let title = format!("Slowest requests of {}{port}", view.name);
    let filter = preamble.filter.as_ref().map(|filter| format!("Only requests with {filter}"));
    let heading = [Some(title), filter, Some(view.summary.clone()), statement_sentence(view)];
    let heading = heading.iter().flatten().map(|line| harmless(line)).collect();
    let kinds = Sheet {
        heading,
        heads: with_last(Head::text("the thread", "kind")),
        rows: with_total_row(
            cells(&whole(view), [view.slowest.requests_count, view.others.requests_count], WHOLE_LENGTH),
            main_stops(view).map(stops_row).into_iter().chain(view.kinds.iter().filter(is_shown).map(|row| {
                let counts = [view.slowest.timed_count, view.others.timed_count];
                SheetRow { cells: cells(&row.times, counts, words(row.kind)), ..SheetRow::default() }
            })),
        ),
        footer: vec![stops],
    };
    let notes = footer(preamble, 0, 0);
    let left_out = view.place_count - view.places.len();
    let left_out = (left_out > 0).then(|| format!("{left_out} more of {} are not shown (limit)", view.place_count));
    let mut heads = heads("samples");
    heads.extend([Head::text("the thread", "kind"), Head::text("file or peer", "file"), Head::text("in", "function")]);
    let places = Sheet {
        heading: vec!["Places in code: the samples of these requests distribute the times above".to_owned()],
        heads,
        rows: view.places.iter().map(place_row).collect(),
        footer: notes.into_iter().chain(left_out).collect(),
    };
    // Report files have neither.
    if cfg!(target_arch = "wasm32") {
        return vec![kinds, places];
    }
    let statements = view.statements.as_ref().map(statements::sheet);
    [kinds].into_iter().chain(statements).chain([places]).chain(traces::sheet(&view.traces)).collect()
}

/// `Statements: 101.0 of 3.8 ms per slow request, 2.0 of 3.7 ms per other request, so 376 ms more`. Missing if the statements make no difference.
fn statement_sentence(view: &SlowestRequests) -> Option<String> {
    if cfg!(target_arch = "wasm32") {
        return None;
    }
    let all = &view.statements.as_ref()?.all;
    if all.times.difference_ns <= 0.0 || view.longer_ns <= 0.0 {
        return None;
    }
    let mean = |time_ns: f64, count: f64| if count > 0.0 { duration(time_ns / count) } else { duration(0.0) };
    let [slowest, others] = [
        (all.slowest_per_request, mean(all.times.slowest_ns, all.slowest_per_request)),
        (all.others_per_request, mean(all.times.others_ns, all.others_per_request)),
    ];
    Some(format!(
        "Statements: {:.1} of {} per slow request, {:.1} of {} per other request, so {} more",
        slowest.0,
        slowest.1,
        others.0,
        others.1,
        duration(all.times.difference_ns)
    ))
}

/// The stops of the JVM, if they are the main reason.
fn main_stops(view: &SlowestRequests) -> Option<&StopDifference> {
    view.stops.as_ref().filter(|stops| stops.is_main_reason)
}

/// The stops are also part of other rows, so the row says it.
fn stops_row(stops: &StopDifference) -> SheetRow {
    let operation = stops.operation.as_ref().map_or_else(String::new, |name| format!(" ({name})"));
    let words = format!("the JVM had stopped all threads{operation}; also part of the rows below");
    let counts = [stops.slowest_requests_count, stops.others_requests_count];
    SheetRow { cells: cells(&stops.times, counts, &words), ..SheetRow::default() }
}

fn place_row(place: &PlaceDifference) -> SheetRow {
    let counts = [place.slowest_samples_count, place.others_samples_count];
    let wait = place.wait.map_or_else(|| executes::words(place.executes).to_owned(), |wait| format!(" ({wait})"));
    let mut cells = cells(&place.times, counts, &format!("{}{wait}", words(place.kind)));
    let holder = place.holder.as_ref().map_or_else(String::new, |holder| format!("; {holder}"));
    cells.extend([Cell::Text(place.file.clone()), Cell::Text(format!("{}{holder}", function(place)))]);
    SheetRow { cells, ..SheetRow::default() }
}

/// One row for each kind, for each place, and for the stops.
pub(crate) fn csv_sheet(view: &SlowestRequests) -> Sheet {
    let fields = ["row", "kind", "wait", "function", "source_file", "line", "file", "executes", "holder"];
    let texts = |texts: [String; 9]| texts.map(Cell::Text);
    let numbers = ["difference_ns", "slowest_ns", "others_ns", "slowest_count", "others_count"];
    let heads =
        numbers.iter().map(|field| Head::number(field, field)).chain(fields.map(|field| Head::text(field, field)));
    let timed = [view.slowest.timed_count, view.others.timed_count];
    let mut rows = vec![(
        whole(view),
        [view.slowest.requests_count, view.others.requests_count],
        ["length"].map(str::to_owned).to_vec(),
    )];
    rows.extend(view.kinds.iter().map(|row| (row.times, timed, vec!["kind".to_owned(), row.kind.name()])));
    rows.extend(view.stops.iter().map(|stops| {
        (stops.times, [stops.slowest_requests_count, stops.others_requests_count], vec!["stops".to_owned()])
    }));
    rows.extend(view.statements.iter().flat_map(|statements| {
        [&statements.all].into_iter().chain(&statements.by_name).map(|row| {
            let total = |per_request: f64, count: u64| (per_request * count as f64).round() as u64;
            let counts = [
                total(row.slowest_per_request, view.slowest.requests_count),
                total(row.others_per_request, view.others.requests_count),
            ];
            let words = ["statements", "", "", row.name.as_str()].map(str::to_owned).to_vec();
            (row.times, counts, words)
        })
    }));
    rows.extend(view.places.iter().map(|place| {
        let line = place.line.map_or(String::new(), |line| line.to_string());
        let texts = vec![
            "place".to_owned(),
            place.kind.name(),
            place.wait.unwrap_or_default().to_owned(),
            place.function.clone().unwrap_or_default(),
            place.source_file.clone().unwrap_or_default(),
            line,
            place.file.clone(),
            place.executes.unwrap_or_default().to_owned(),
            place.holder.clone().unwrap_or_default(),
        ];
        (place.times, [place.slowest_samples_count, place.others_samples_count], texts)
    }));
    let row = |(times, counts, mut words): (TimeDifference, [u64; 2], Vec<String>)| {
        words.resize(fields.len(), String::new());
        let words: [String; 9] = words.try_into().unwrap_or_default();
        SheetRow {
            cells: number_cells(&times, counts).into_iter().chain(texts(words)).collect(),
            ..SheetRow::default()
        }
    };
    Sheet { heads: heads.collect(), rows: rows.into_iter().map(row).collect(), ..Sheet::default() }
}

fn heads(counted: &str) -> Vec<Head> {
    vec![
        Head { is_sorted: true, ..Head::number_below("", "more ms", "difference_ns") },
        Head::number_below("slowest", "ms", "slowest_ns"),
        Head::number_below("others", "ms", "others_ns"),
        Head::number_below("slowest", counted, "slowest_count"),
        Head::number_below("others", counted, "others_count"),
    ]
}

fn with_last(last: Head) -> Vec<Head> {
    let mut heads = heads("requests");
    heads.push(last);
    heads
}

fn number_cells(times: &TimeDifference, counts: [u64; 2]) -> Vec<Cell> {
    let times = [times.difference_ns, times.slowest_ns, times.others_ns].map(|time| millis(Some(time)));
    times.into_iter().chain(counts.map(|count| Cell::Count(count as f64))).collect()
}

fn cells(times: &TimeDifference, counts: [u64; 2], words: &str) -> Vec<Cell> {
    let mut cells = number_cells(times, counts);
    cells.push(Cell::Text(words.to_owned()));
    cells
}

/// The mean lengths.
fn whole(view: &SlowestRequests) -> TimeDifference {
    let mean = |figures: &RequestFigures| figures.mean_ns.unwrap_or(0.0);
    TimeDifference::new(mean(&view.slowest), mean(&view.others))
}

fn words(kind: RequestTimeKind) -> &'static str {
    match kind {
        RequestTimeKind::OnCpu => "executing",
        RequestTimeKind::Runnable => "waiting for a CPU",
        RequestTimeKind::Futex => "waiting for a lock, a task or a time limit",
        RequestTimeKind::Socket => "waiting for a socket",
        RequestTimeKind::Disk => "waiting for a file or a page",
        RequestTimeKind::Sleep => "sleeping",
        RequestTimeKind::Other => "waiting for something else",
        RequestTimeKind::Away => "no thread worked for it",
    }
}

/// `app.Client.call() (Client.java:10)`.
fn function(place: &PlaceDifference) -> String {
    let is_sampled = place.slowest_samples_count > 0 || place.others_samples_count > 0;
    let no_name = if is_sampled { "<no function of the program>" } else { "<not sampled>" };
    let name = place.function.as_deref().unwrap_or(no_name);
    match (&place.source_file, place.line) {
        (Some(file), Some(line)) => format!("{name} ({file}:{line})"),
        (None, Some(line)) => format!("{name} (line {line})"),
        _ => name.to_owned(),
    }
}

fn in_words(stops: &StopDifference, view: &SlowestRequests) -> String {
    let side = |time_ns: f64, stopped: u64, figures: &RequestFigures| {
        format!("{} (in {} of {})", duration(time_ns), grouped(stopped), grouped(figures.requests_count))
    };
    let slowest = side(stops.times.slowest_ns, stops.slowest_requests_count, &view.slowest);
    let others = side(stops.times.others_ns, stops.others_requests_count, &view.others);
    format!("Mean time in which the JVM stopped all threads: slowest {slowest}, others {others}")
}

/// `412 ms`, `4.1 ms`, `12.3 s`.
fn duration(nanos: f64) -> String {
    match nanos.abs() {
        10e9.. => format!("{:.1} s", nanos / 1e9),
        100e6.. => format!("{:.0} ms", nanos / 1e6),
        100e3.. => format!("{:.1} ms", nanos / 1e6),
        _ => format!("{:.1} µs", nanos / 1e3),
    }
}

fn grouped(number: u64) -> String {
    count(number as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([12, 1_200, 123_456, 1_000_000].map(grouped), ["12", "1,200", "123,456", "1,000,000"]);
        assert_eq!([412e6, 4.1e6, 12.34e9, 900.0].map(duration), ["412 ms", "4.1 ms", "12.3 s", "0.9 µs"]);
    }
}
