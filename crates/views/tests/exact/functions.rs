//! Tests of the table of functions, on experiments drawn as text.

use crate::support::{profile, text};
use whittle_profile::{Query, ViewMode};
use whittle_render::{Format, Style, render};

#[test]
fn values_are_exclusive_and_inclusive() {
    let profile = profile(
        "
        main    main    main
        write   write   parse
        flush
        ",
    );
    let view = whittle_views::functions::functions(&profile, &crate::support::query("e.samples,i.samples"))
        .expect("functions");
    assert_eq!(
        text(&view),
        "
Functions, user mode

exclusive  inclusive
▼ Samples    Samples  function
        3          3  <Total>
        1          1  flush
        1          1  parse
        1          2  write
        0          3  main
"
    );
}

#[test]
fn a_search_by_name_keeps_the_total() {
    let profile = profile(
        "
        main    main    main
        write   write   parse
        flush
        ",
    );
    let query = crate::support::query("e.samples");
    let named = |text| whittle_views::functions::functions_named(&profile, &query, text).expect("functions");
    assert_eq!(
        text(&named("RI")),
        "
Functions, user mode

exclusive
▼ Samples  function
        3  <Total>
        1  write
"
    );
    assert_eq!((named("").row_count, named("zip").row_count), (3, 0));
}

#[test]
fn recursion_counts_once_per_sample() {
    let profile = profile(
        "
        main  main
        ping  ping
        pong  pong
        ping  ping
        pong
        ",
    );
    let view =
        whittle_views::functions::functions(&profile, &crate::support::query("i.cpu,e.cpu,e.cpu%")).expect("functions");
    assert_eq!(
        text(&view),
        "
Functions, user mode
Percent of 2.000 s CPU of all samples shown

inclusive  exclusive  exclusive
  ▼ CPU s      CPU s      CPU %  function
    2.000      2.000     100.00  <Total>
    2.000      0.000       0.00  main
    2.000      1.000      50.00  ping
    2.000      1.000      50.00  pong
"
    );
}

#[test]
fn csv_and_json_hold_raw_numbers_under_documented_names() {
    let profile = profile(
        "
        main(int, int)  main(int, int)
        vfs_write[k]
        ",
    );
    let query = crate::support::query("e.system_cpu,i.cpu%");
    let view =
        whittle_views::functions::functions(&profile, &Query { mode: ViewMode::Machine, ..query }).expect("functions");
    assert_eq!(
        render(&view, Format::Csv, Style::default()),
        "exclusive_system_cpu_ns,inclusive_cpu_ratio,function\r\n\
         1000000000,0.5,vfs_write\r\n\
         0,1,\"main(int, int)\"\r\n"
    );
    let json: serde_json::Value = serde_json::from_str(&render(&view, Format::Json, Style::default())).expect("JSON");
    assert_eq!(json["view"], "functions");
    assert_eq!(json["sorted_by"], "exclusive_system_cpu_ns");
    assert_eq!(json["rows"][0]["exclusive_system_cpu_ns"], 1_000_000_000);
    assert_eq!(json["rows"][0]["inclusive_cpu_ratio"], 0.5);
    assert_eq!(json["rows"][0]["kind"], "kernel");
    assert_eq!(json["total"]["exclusive_system_cpu_ns"], 1_000_000_000);
}

#[test]
fn a_limit_says_how_many_rows_are_left_out() {
    let profile = profile("a  b  c");
    let view =
        whittle_views::functions::functions(&profile, &Query { limit: Some(1), ..crate::support::query("e.cpu") })
            .expect("functions");
    assert!(text(&view).ends_with("1.000  a\n\n2 more of 3 are not shown (limit)\n"), "{}", text(&view));
}

#[test]
fn an_unknown_metric_names_those_there_are() {
    let error =
        whittle_views::functions::functions(&profile("a"), &crate::support::query("e.alloc")).expect_err("unknown");
    assert_eq!(
        error.to_string(),
        "no metric \"alloc\" in this experiment. Its metrics: cpu, user_cpu, system_cpu, samples"
    );
}
