//! The result of the readers as text, CSV or JSON.

use super::ReadersArguments;
use super::results::{Cell, JvmResult, Measure, Results};
use serde_json::{Value, json};
use std::fmt::Write;
use whittle_statistics::{Interval, median};
use whittle_terminal::Failure;

/// A reader that never waits should be on a CPU for at least this share of its time. If the share is smaller, other
/// programs used the CPUs.
const BUSY_RATIO: f64 = 0.85;

/// Space between columns.
const GAP: &str = "  ";

/// Prints the result in the requested format.
pub(crate) fn print(results: &Results, arguments: &ReadersArguments) -> Result<(), Failure> {
    let text = if arguments.json {
        format!("{:#}\n", json_of(results))
    } else if arguments.csv {
        csv_of(results)
    } else {
        text_of(results, arguments.details)
    };
    crate::terminal::output::print(&text)
}

fn text_of(results: &Results, has_details: bool) -> String {
    let megabytes = results.total_bytes().unwrap_or(0.0) / 1e6;
    let mut text = format!(
        "Six ways to read {} text files, {megabytes:.1} MB: seconds without the JVM's start\n{}\n\n",
        results.file_count,
        method(results)
    );
    text += &aligned(&run_time_rows(results));
    text += "\n";
    for jvm in &results.jvms {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}: {}, {}, {}", jvm.version, jvm.vendor, jvm.vm, jvm.home.display());
    }
    if let Some(ratio) = results.executing_ratio().filter(|ratio| *ratio < BUSY_RATIO) {
        let percent = ratio * 100.0;
        let _ = writeln!(
            text,
            "This machine is busy: the raw bytes reader was on a CPU for {percent:.0} % of its time and waited for a CPU in the \
             rest"
        );
    }
    if has_details {
        results.jvms.iter().for_each(|jvm| text += &details_text(jvm));
    } else {
        text += "Memory, throughput, latency and objects created: --details\n";
    }
    text
}

/// A text about the meaning of the columns and the true probability of the interval.
fn method(results: &Results) -> String {
    let rounds = results.rounds();
    let interval = results.jvms.first().and_then(JvmResult::start_interval);
    let percent = interval.map_or(0.0, |interval| interval.coverage_ratio * 100.0);
    let plural = if rounds == 1 { "" } else { "s" };
    let few = if percent < 95.0 { "; 95 % needs 6 rounds" } else { "" };
    format!(
        "Median of {rounds} round{plural}; interval of the median by order statistics ({percent:.0} %{few}); × fastest: median of the \
         rounds' ratios to the JVM's fastest reader"
    )
}

fn run_time_rows(results: &Results) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()], vec!["reader".to_owned()]];
    for jvm in &results.jvms {
        rows[0].extend([jvm.version.clone(), String::new(), String::new()]);
        rows[1].extend(["median s", "interval", "× fastest"].map(str::to_owned));
    }
    let cells = results.jvms.first().map_or(&[][..], |jvm| &jvm.cells);
    for (position, cell) in cells.iter().enumerate() {
        let mut row = vec![cell.reader.title.to_owned()];
        results.jvms.iter().for_each(|jvm| row.extend(run_time_words(jvm, &jvm.cells[position])));
        rows.push(row);
    }
    let mut row = vec!["(start of the JVM)".to_owned()];
    for jvm in &results.jvms {
        row.extend([seconds(median(&jvm.start_ns())), interval_text(jvm.start_interval()), String::new()]);
    }
    rows.push(row);
    rows
}

fn run_time_words(jvm: &JvmResult, cell: &Cell) -> [String; 3] {
    let ratio = jvm.ratio_to_fastest(cell).map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.1}"));
    [seconds(jvm.median(cell, Measure::RunNs)), interval_text(jvm.interval(cell, Measure::RunNs)), ratio]
}

fn seconds(ns: Option<f64>) -> String {
    scaled(ns, 1e9, 3)
}

fn interval_text(interval: Option<Interval>) -> String {
    interval.map_or_else(String::new, |interval| format!("{:.3} to {:.3}", interval.low / 1e9, interval.high / 1e9))
}

fn scaled(value: Option<f64>, unit: f64, decimals: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{:.decimals$}", value / unit))
}

/// Columns of a JVM's table: title, measure, unit, decimals.
const DETAILS: [(&str, Measure, f64, usize); 10] = [
    ("CPU s", Measure::CpuNs, 1e9, 3),
    ("reading s", Measure::ReadNs, 1e9, 3),
    ("MB/s", Measure::BytesPerSecond, 1e6, 1),
    ("files/s", Measure::FilesPerSecond, 1.0, 0),
    ("p50 ms", Measure::FileP50Ns, 1e6, 3),
    ("p99 ms", Measure::FileP99Ns, 1e6, 3),
    ("mean MB", Measure::MeanRssBytes, 1e6, 1),
    ("peak MB", Measure::PeakRssBytes, 1e6, 1),
    ("allocated MB", Measure::AllocatedBytes, 1e6, 3),
    ("read calls", Measure::ReadCalls, 1.0, 0),
];

fn details_text(jvm: &JvmResult) -> String {
    let titles = DETAILS.iter().map(|(title, ..)| (*title).to_owned());
    let mut rows = vec![std::iter::once("reader".to_owned()).chain(titles).chain(["objects".to_owned()]).collect()];
    for cell in &jvm.cells {
        let mut row = vec![cell.reader.title.to_owned()];
        row.extend(
            DETAILS.iter().map(|(_, measure, unit, decimals)| scaled(jvm.median(cell, *measure), *unit, *decimals)),
        );
        row.push(scaled(cell.created_objects, 1.0, 0));
        rows.push(row);
    }
    format!(
        "\n{}: medians of the rounds. Measured outside: CPU and throughput, without the JVM's start; memory of the whole JVM. \
         Measured inside, around\nthe reading: its time, p50 and p99 of one file, allocation, read calls. Objects created: \
         counted in a separate run\n\n{}",
        jvm.version,
        aligned(&rows)
    )
}

/// Aligns the rows: the first column to the left, the other columns to the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|word| word.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let words = row.iter().zip(&widths).enumerate().map(|(column, (word, width))| match column {
            0 => format!("{word:<width$}"),
            _ => format!("{word:>width$}"),
        });
        text += words.collect::<Vec<_>>().join(GAP).trim_end();
        text.push('\n');
    }
    text
}

/// One row per JVM and reader, with the medians.
fn csv_of(results: &Results) -> String {
    let mut names = vec!["java_version", "vendor", "vm", "home", "reader", "rounds", "run_low_ns", "run_high_ns"];
    names.extend(["run_coverage_ratio", "run_to_fastest_ratio", "start_ns", "created_objects"]);
    names.extend(Measure::ALL.map(|(_, name)| name));
    let mut text = names.join(",") + "\n";
    for jvm in &results.jvms {
        for cell in &jvm.cells {
            text += &csv_words(jvm, cell).join(",");
            text.push('\n');
        }
    }
    text
}

fn csv_words(jvm: &JvmResult, cell: &Cell) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let interval = jvm.interval(cell, Measure::RunNs);
    let home = jvm.home.to_string_lossy();
    let mut words: Vec<String> = [jvm.version.as_str(), &jvm.vendor, &jvm.vm, &home].map(quoted).to_vec();
    words.extend([cell.reader.name.to_owned(), cell.runs.len().to_string()]);
    words.extend([interval.map(|i| i.low), interval.map(|i| i.high), interval.map(|i| i.coverage_ratio)].map(number));
    words.extend([jvm.ratio_to_fastest(cell), median(&jvm.start_ns()), cell.created_objects].map(number));
    words.extend(Measure::ALL.map(|(measure, _)| number(jvm.median(cell, measure))));
    words
}

/// A field of CSV, in quotation marks if needed.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// The whole result, with the values of every round.
fn json_of(results: &Results) -> Value {
    json!({
        "files_count": results.file_count,
        "files_bytes": results.total_bytes(),
        "rounds": results.rounds(),
        "interval": "of the median, by order statistics",
        "jvms": results.jvms.iter().map(jvm_json).collect::<Vec<_>>(),
    })
}

fn jvm_json(jvm: &JvmResult) -> Value {
    json!({
        "java_version": jvm.version,
        "vendor": jvm.vendor,
        "vm": jvm.vm,
        "home": jvm.home.to_string_lossy(),
        "start_ns": median(&jvm.start_ns()),
        "start_interval_ns": jvm.start_interval(),
        "start_round_ns": jvm.start_ns(),
        "readers": jvm.cells.iter().map(|cell| cell_json(jvm, cell)).collect::<Vec<_>>(),
    })
}

fn cell_json(jvm: &JvmResult, cell: &Cell) -> Value {
    let mut object = json!({
        "reader": cell.reader.name,
        "run_to_fastest_ratio": jvm.ratio_to_fastest(cell),
        "created_objects": cell.created_objects,
    });
    for (measure, name) in Measure::ALL {
        object[name] = json!({
            "median": jvm.median(cell, measure),
            "interval": jvm.interval(cell, measure),
            "rounds": jvm.values(cell, measure),
        });
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_by_characters_not_bytes() {
        let rows = [["reader", "× fastest"], ["raw", "9.0"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(aligned(&rows), "reader  × fastest\nraw           9.0\n");
    }

    #[test]
    fn csv_quotes_fields_with_commas() {
        assert_eq!(quoted("a, b"), "\"a, b\"");
        assert_eq!(quoted("plain"), "plain");
    }
}
