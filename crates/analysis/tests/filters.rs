//! What filters keep, drawn.

mod support;

use support::{profile, query};
use whittle_analysis::{Profile, Query, ViewMode};

fn sample() -> Profile {
    profile(
        "
        @time    0             1            2          3
        @thread  main          worker 1     worker 2   GC [gc]
                 run()         run()        run()      mark[j]
                 write(int)    write(long)  spin()
                 __write[n]
                 vfs_write[k]
        ",
    )
}

/// Seconds that a filter keeps, or its error.
fn kept(filter: &str) -> Result<f64, String> {
    let filter = filter.parse().map_err(|error: whittle_analysis::FilterError| error.to_string())?;
    let query = Query { filter: Some(filter), ..query("e.cpu") };
    let view = sample().functions(&query).map_err(|error| error.to_string())?;
    Ok(view.total.numbers[0] / 1e9)
}

#[test]
fn filters_keep_what_they_name() {
    for (filter, seconds) in [
        ("thread ~ \"worker\"", 2.0),
        ("thread = \"worker 1\"", 1.0),
        ("time in 1s..3s", 2.0),
        ("time in 2s..", 2.0),
        ("time in ..1500ms", 2.0),
        ("stack has \"write\"", 2.0),
        ("stack has \"write(int)\"", 1.0),
        ("stack has \"vfs_write\"", 1.0),
        ("stack has \"<JVM-System>\"", 1.0),
        ("leaf is \"write(int)\"", 1.0),
        ("leaf is \"run()\"", 0.0),
        ("mode is system", 1.0),
        ("event is cpu", 4.0),
        ("event is alloc", 0.0),
        ("not thread ~ \"worker\"", 2.0),
        ("thread ~ \"worker\" and not stack has \"spin()\"", 1.0),
        ("thread ~ \"worker\" or mode is system", 3.0),
        ("not (thread ~ \"worker\" or mode is system) and time in 3s..4s", 1.0),
    ] {
        assert_eq!(kept(filter), Ok(seconds), "{filter}");
    }
}

#[test]
fn recorded_frames_can_be_named_in_every_mode() {
    let filter = "stack has \"vfs_write\"".parse().expect("a filter");
    let query = Query { filter: Some(filter), ..query("e.cpu") };
    for mode in ViewMode::ALL {
        let view = sample().functions(&Query { mode, ..query.clone() }).expect("functions");
        assert_eq!(view.total.numbers, [1e9], "{mode}");
    }
}

#[test]
fn a_name_that_is_not_there_is_an_error_not_an_empty_table() {
    let error = kept("mode is user and stack has \"wrte\"").expect_err("no such function");
    assert!(
        error.starts_with("the filter is wrong at character 28: no function \"wrte\" in this experiment"),
        "{error}"
    );
    let error = kept("thread = \"worker\"").expect_err("no such thread");
    assert!(error.contains("no thread is called \"worker\"; `whittle threads` lists all"), "{error}");
}

#[test]
fn an_empty_selection_is_said() {
    let filter = Some("event is alloc".parse().expect("a filter"));
    let view = sample().functions(&Query { filter, ..query("e.cpu") }).expect("functions");
    assert_eq!(view.preamble.notes, ["the filter leaves no samples"]);
    assert_eq!(view.preamble.filter.as_deref(), Some("event is alloc"));
}
