//! Tests of heat maps, on experiments drawn as text.

use crate::support::{scaled_waits, text};
use whittle_engine::{Answer, EngineError, answer};
use whittle_profile::{Profile, Query};
use whittle_render::{Format, Style, render};
use whittle_testkit::experiment_from_text;
use whittle_views::heat_map::{HeatMapShape, HeatMapView, heat_map};
use whittle_views::source::NoFiles;

fn profile(drawing: &str) -> Profile {
    let (manifest, tables) = experiment_from_text(drawing);
    Profile::load(manifest, tables).expect("a valid drawing")
}

/// Two CPU samples of half a second, and a wait of 1.5 s. The end of the run is at 4 s.
fn half_seconds() -> Profile {
    profile(
        "
        @thread  main  main           other
        @time    1     3              4
        @weight  0.5   1.5            0.25
        @event   cpu   off_cpu:futex  cpu
                 main  main           main
                 spin  wait[n]        write
        ",
    )
}

fn map(profile: &Profile, metric: &str, query: &Query) -> HeatMapView {
    let shape = HeatMapShape { metric: Some(metric.to_owned()), columns: Some(10), rows: Some(4) };
    heat_map(profile, query, &shape).expect("a heat map")
}

fn filtered(filter: &str) -> Query {
    Query { filter: Some(filter.parse().expect("a filter")), ..Query::default() }
}

/// Milliseconds by column, then by row from the start of the column.
fn cells(view: &HeatMapView) -> Vec<Vec<u64>> {
    let columns = view.cells.chunks(view.header.rows);
    columns.map(|rows| rows.iter().map(|ns| (ns / 1e6) as u64).collect()).collect()
}

#[test]
fn times_belong_to_the_cells_before_the_sample() {
    let profile = half_seconds();
    let cpu = map(&profile, "cpu", &Query::default());
    assert_eq!(cells(&cpu), [[0, 0, 250, 250], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 250]]);
    let header = &cpu.header;
    assert_eq!((header.column_ns, header.columns, header.rows), (1_000_000_000, 4, 4));
    assert_eq!((header.most, header.total, header.to_ns), (250e6, 750e6, 4_000_000_000));
    let blocked = map(&profile, "off_cpu", &Query::default());
    assert_eq!(cells(&blocked), [[0, 0, 0, 0], [0, 0, 250, 250], [250, 250, 250, 250], [0, 0, 0, 0]]);
    // Samples are counted at their moment. The last moment of the run is in the last cell.
    let counted = map(&profile, "samples", &Query::default());
    assert_eq!(counted.header.total, counted.cells.iter().sum::<f64>());
    assert_eq!(counted.cells[15], 1.0);
}

/// A wait of 1 s represents 4 s: they are distributed over this second.
#[test]
fn the_weight_of_a_wait_is_distributed_over_its_own_length() {
    let view = map(&scaled_waits(), "off_cpu", &Query::default());
    assert_eq!(cells(&view)[..5], [[0; 4], [0; 4], [1000; 4], [0; 4], [0; 4]]);
    assert_eq!(view.header.total, 8e9);
}

#[test]
fn the_filter_removes_samples_but_its_time_range_does_not() {
    let profile = half_seconds();
    let some = map(&profile, "cpu", &filtered("thread = \"other\" and time in 0s..1s"));
    assert_eq!(some.header.total, 250e6);
    let hidden = Query { transforms: vec!["hide \"spin\"".parse().expect("a transform")], ..Query::default() };
    assert_eq!(map(&profile, "cpu", &hidden).header.total, 250e6);
    let none = map(&profile, "cpu", &filtered("thread = \"main\" and thread = \"other\""));
    assert_eq!((none.header.total, none.header.preamble.notes.len()), (0.0, 1));
}

#[test]
fn it_reads_as_a_line_a_row() {
    let view = map(&half_seconds(), "cpu", &Query::default());
    assert_eq!(
        text(&view),
        "
Heat map of 4.000 s, CPU, 4 columns of 1.000 s, 4 rows of 0.250 s

after s  0.000
  0.750  █  █
  0.500  █
  0.250
  0.000

░ ▒ ▓ █ up to a quarter, half, three quarters and all of the most in a cell, 0.250 s CPU; blank: nothing
"
    );
    let csv = render(&view, Format::Csv, Style::default());
    assert_eq!(
        csv,
        "column,row,start_ns,cpu_ns\r\n0,2,500000000,250000000\r\n0,3,750000000,250000000\r\n3,3,3750000000,250000000\r\n"
    );
}

fn ask(profile: &Profile, request: &str) -> Result<Answer, EngineError> {
    answer(profile, request, &NoFiles { reason: "a test" })
}

#[test]
fn requests_are_answered_in_bytes_and_impossible_sizes_are_errors() {
    let profile = half_seconds();
    let request = r#"{"view":"heat-map","metric":"cpu","columns":100,"rows":50}"#;
    let Ok(Answer::Binary(bytes)) = ask(&profile, request) else { panic!("bytes") };
    let length = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes")) as usize;
    let header: serde_json::Value = serde_json::from_slice(&bytes[4..4 + length]).expect("a header in JSON");
    assert_eq!((&header["columns"], &header["arrays"][0]["length"]), (&4.into(), &200.into()));
    for (columns, rows) in [(0, 1), (1, 0), (4001, 1), (1, 201)] {
        let request = format!(r#"{{"view":"heat-map","columns":{columns},"rows":{rows}}}"#);
        let Err(error) = ask(&profile, &request) else { panic!("no error for {request}") };
        assert!(error.message.contains("a heat map has 1 to 4000 columns and 1 to 200 rows"), "{}", error.message);
    }
    assert!(ask(&profile, r#"{"view":"heat-map","metric":"nonsense"}"#).is_err());
}
