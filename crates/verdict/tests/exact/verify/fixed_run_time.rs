//! Programs that run for a fixed time: the cost per run misleads, and the reader is warned before the verdict.

use crate::verify::drawn::{design, runs, verified, with_metric};
use whittle_profile::Side;
use whittle_render::{Format, Style, render};
use whittle_verdict::verify::{DoubtKind, Run, VerificationView, Word, markdown};

/// Runs of about 8 seconds with the same CPU time. Units of work are unknown.
fn timer_runs(spread: f64) -> Vec<Run> {
    let mut all = runs(&[8000.0, 8010.0, 7995.0, 8005.0, 8000.0], &[8003.0, 7998.0, 8001.0, 8006.0, 7999.0]);
    for run in &mut all {
        let wobble = f64::from(run.order * 7 % 5) - 2.0;
        run.elapsed_ns = (8.05e9 * (1.0 + spread * wobble / 1.5)) as u64;
        run.units = None;
    }
    all
}

fn caution(view: &VerificationView) -> Option<&str> {
    view.doubts.iter().find(|doubt| doubt.kind == DoubtKind::FixedRunTime).map(|doubt| doubt.text.as_str())
}

const RATES: [f64; 10] = [100.0, 101.0, 99.0, 100.0, 100.0, 198.0, 202.0, 201.0, 199.0, 200.0];

/// The candidate does twice the work. Its cost per run is the same.
#[test]
fn the_caution_comes_before_the_verdict() {
    let view = verified(&design(), &with_metric(timer_runs(0.003), "documents_per_second", &RATES));
    assert_eq!(view.verdict.word, Word::NoRelevantChange);
    let text = caution(&view).expect("a caution");
    assert!(text.starts_with("the program seems to fix its run time: every run takes about 8.05 s"), "{text}");
    assert!(
        text.contains("documents_per_second varies by 37 %, so the work varies. The cost per run misleads"),
        "{text}"
    );
    let text = render(&view, Format::Text, Style::default());
    let place = |of: &str| text.find(of).unwrap_or_else(|| panic!("no {of} in {text}"));
    assert!(place("Caution:") < place("Verification:"), "{text}");
    assert_eq!(text.matches("fix its run time").count(), 1, "{text}");
    let text = markdown(&view);
    assert!(text.starts_with("> **Caution:** the program seems to fix its run time"), "{text}");
    assert_eq!(text.matches("fix its run time").count(), 1, "{text}");
}

#[test]
fn very_equal_run_times_are_enough_if_nothing_is_printed() {
    assert!(caution(&verified(&design(), &timer_runs(0.003))).is_some());
    assert!(caution(&verified(&design(), &timer_runs(0.009))).is_none());
    assert!(caution(&verified(&design(), &timer_runs(0.05))).is_none());
    let rates = with_metric(timer_runs(0.05), "documents_per_second", &RATES);
    assert!(caution(&verified(&design(), &rates)).is_none());
}

/// A latency can vary although every run does the same work. The run times alone are then too unequal to be a timer's.
#[test]
fn a_latency_that_varies_is_no_work() {
    let latencies = |name| verified(&design(), &with_metric(timer_runs(0.007), name, &RATES));
    assert!(caution(&latencies("documents_count")).is_some());
    for name in ["p99_ms", "pause_seconds", "heap_bytes"] {
        assert!(caution(&latencies(name)).is_none(), "{name}");
    }
}

#[test]
fn units_that_vary_need_no_caution_and_equal_units_do() {
    let mut all = with_metric(timer_runs(0.003), "documents_per_second", &RATES);
    for (run, rate) in all.iter_mut().zip(RATES) {
        run.units = Some(8.0 * rate);
    }
    let view = verified(&design(), &all);
    assert_eq!((view.verdict.word, caution(&view)), (Word::Improved, None));
    all.iter_mut().for_each(|run| run.units = Some(800.0));
    let view = verified(&design(), &all);
    assert!(caution(&view).is_some_and(|text| text.contains("with the same number of units in every run")), "{view:?}");
}

/// Costs are per run, because the candidate prints no units. The baseline's units vary and do not correct these costs.
#[test]
fn units_of_one_side_do_not_replace_the_caution() {
    let mut all = timer_runs(0.003);
    for (run, rate) in all.iter_mut().zip(RATES).filter(|(run, _)| run.side == Side::Baseline) {
        run.units = Some(8.0 * rate);
    }
    let view = verified(&design(), &all);
    assert_eq!(view.per, "run");
    assert!(caution(&view).is_some_and(|text| text.contains("The cost per run misleads")), "{view:?}");
}

/// The program prints its rate at the end, and one run ended without this line.
#[test]
fn a_rate_that_the_first_run_did_not_print_shows_that_the_work_varies() {
    let mut all = with_metric(timer_runs(0.007), "documents_per_second", &RATES);
    assert!(caution(&verified(&design(), &all)).is_some());
    all[0].metrics.clear();
    let view = verified(&design(), &all);
    assert!(caution(&view).is_some_and(|text| text.contains("documents_per_second varies by")), "{view:?}");
}
