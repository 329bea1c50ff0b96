//! What waits mean, compared with a program in which each thread waits for one purpose.

use crate::goals::GOAL_MEANING_ERROR;
use crate::kernel_waits::measured_until;
use crate::support::tables::kernel_jdks;
use crate::support::{Workspace, number, printed};
use crate::tolerance;
use std::time::Duration;

const PROGRAM: &str = "whittle.workloads.truth.Meanings";

/// The lines that the program prints for its threads.
fn threads(output: &str) -> impl Iterator<Item = &str> {
    output.lines().filter(|line| line.starts_with("thread="))
}

/// Checks each thread's time with its meaning. As for reasons, time that the machine's host took is allowed in the last
/// try.
fn check(workspace: &Workspace, output: &str, stolen: Duration) -> Result<(), String> {
    for line in threads(output) {
        let word = |key: &str| line.split(&[' ', '='][..]).skip_while(|word| *word != key).nth(1).unwrap().to_owned();
        let (thread, meaning) = (word("thread"), word("meaning"));
        let value = |key| printed(output, &format!("thread={thread} "), key);
        let expected = value("waited_ns") - value("run_queue_ns");
        let view = workspace.json(&["waits", "a.whittle", "--filter", &format!("thread = \"{thread}\"")]);
        let rows = view["rows"].as_array().unwrap();
        let found: f64 =
            rows.iter().filter(|row| row["meaning"] == meaning.as_str()).map(|row| number(&row["duration_ns"])).sum();
        // A thread that also waits for others has its exact time distributed by its samples.
        let samples: f64 = rows.iter().map(|row| number(&row["samples_count"])).sum();
        let chance = tolerance::spread(found / number(&view["total"]["duration_ns"]).max(found), samples);
        eprintln!("{thread} {meaning}: {:.4} of {:.3} s, by chance {chance:.3}", found / expected, expected / 1e9);
        let host = tolerance::taken_by_host_ns(expected, stolen);
        if (found - expected).abs() > (GOAL_MEANING_ERROR + chance) * expected + host {
            return Err(format!("{thread} waited {expected} for {meaning}, found {view}, the host took {stolen:?}"));
        }
    }
    Ok(())
}

#[test]
fn each_wait_has_its_meaning_and_threads_without_work_are_idle() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let options = ["-q", "-f", "-o", "a.whittle"];
        let output = measured_until(
            || workspace.collect_launched(&options, &jdk, &[PROGRAM, "--seconds", "4"]),
            |output, stolen| check(&workspace, output, stolen).map_err(|wrong| format!("JDK {}: {wrong}", jdk.version)),
        );
        let count = threads(&output).count();
        assert_eq!(count, 15, "JDK {}", jdk.version);
        // The shares are of the time in which no thread was idle.
        let view = workspace.json(&["waits", "a.whittle"]);
        let rows = view["rows"].as_array().unwrap();
        let sum: f64 = rows.iter().filter_map(|row| row["ratio"].as_f64()).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{view}");
        assert!(rows.iter().all(|row| row["ratio"].is_null() == (row["meaning"] == "idle")), "{view}");
    }
}
