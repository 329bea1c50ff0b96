//! Verdicts on invented runs.

mod calling_method;
mod drawn;
mod finding_alone;
mod fixed_run_time;
mod functions;
mod robust;
mod shown;

use self::drawn::{design, finding, profiled, run, runs, verified, with_metric};
use whittle_profile::Side;
use whittle_profile::sides::Better;
use whittle_render::{Format, Style, render};
use whittle_verdict::verify::{
    Design, Doubt, DoubtKind, EndpointKind, Expected, ExpectedOf, Measured, Method, MetricDirection, Order,
    PlannedRuns, PrimaryEndpoint, Run, VerificationView, Word, forecast, markdown, verify,
};

fn has(view: &VerificationView, kind: DoubtKind) -> bool {
    view.doubts.iter().any(|doubt| doubt.kind == kind)
}

#[test]
fn half_the_cost_is_an_improvement() {
    let view = verified(&design(), &runs(&[100.0, 102.0, 99.0, 101.0, 100.0], &[50.0, 51.0, 50.0, 49.0, 50.0]));
    assert_eq!((view.words.as_str(), view.exit_status), ("improved", 0));
    let cpu = &view.endpoints[0];
    assert_eq!((cpu.kind, cpu.method, cpu.is_primary), (EndpointKind::Cpu, Some(Method::PairedT), true));
    let (low, high) = (cpu.low_ratio.expect("interval"), cpu.high_ratio.expect("interval"));
    assert!(low < 0.5 && 0.5 < high && high - low < 0.05, "{low} {high}");
    assert_eq!(cpu.baseline.values.len(), 5);
}

#[test]
fn a_fifth_more_is_worse() {
    let view = verified(&design(), &runs(&[100.0, 101.0, 99.0, 100.5], &[120.0, 121.5, 119.0, 120.0]));
    assert_eq!((view.words.as_str(), view.exit_status), ("worse", 4));
}

#[test]
fn the_same_program_with_little_noise_is_no_relevant_change() {
    let view = verified(&design(), &runs(&[100.0, 100.2, 99.9, 100.1, 100.0], &[100.1, 100.0, 100.0, 100.2, 99.9]));
    assert_eq!((view.words.as_str(), view.exit_status), ("no relevant change", 0));
    assert!(view.sentences[0].contains("no relevant change (within ±2 %)"), "{}", view.sentences[0]);
}

/// The 90 % interval decides "no relevant change". Here, the 95 % interval is partly outside the margin of 2 %.
#[test]
fn no_relevant_change_has_the_interval_that_decides() {
    let view = verified(&design(), &runs(&[100.0; 5], &[98.0, 102.0, 98.0, 102.0, 100.0]));
    let cpu = &view.endpoints[0];
    assert_eq!((cpu.verdict.word, cpu.high_ratio > Some(1.02)), (Word::NoRelevantChange, true));
    let sentence = "no relevant change (within ±2 %), 0.0 % (90 % interval −1.9 to +1.9 %), from ";
    assert!(view.sentences[0].contains(sentence), "{}", view.sentences[0]);
    let cell = "−1.9 to +1.9 % (90 %)";
    assert!(render(&view, Format::Text, Style::default()).contains(cell));
    assert!(
        markdown(&view).contains(&format!("| {cell} | = no relevant change (within ±2 %) |")),
        "{}",
        markdown(&view)
    );
    let improved = verified(&design(), &runs(&[100.0, 101.0, 99.0], &[50.0, 51.0, 49.0]));
    assert!(improved.sentences[0].contains("(95 % interval "), "{}", improved.sentences[0]);
}

#[test]
fn a_small_change_beyond_chance_is_not_relevant() {
    let view = verified(&design(), &runs(&[100.0, 100.1, 100.0, 100.1], &[99.5, 99.6, 99.5, 99.6]));
    assert!(view.endpoints[0].p < Some(0.05));
    assert_eq!(view.verdict.word, Word::NoRelevantChange);
}

#[test]
fn the_same_program_with_noise_is_inconclusive_and_says_what_could_have_been_seen() {
    let view = verified(&design(), &runs(&[100.0, 108.0, 95.0, 104.0], &[97.0, 106.0, 103.0, 99.0]));
    assert_eq!((view.words.as_str(), view.exit_status), ("inconclusive", 5));
    assert!(view.sentences[0].contains("inconclusive (can only detect ≥ "), "{}", view.sentences[0]);
}

#[test]
fn pairs_take_out_a_drift_that_hits_both_sides() {
    // Each pair is 10 % slower than the pair before. Without pairs, the change is not detectable.
    let baseline = [100.0, 110.0, 121.0, 133.0, 146.0];
    let candidate = baseline.map(|ms| ms * 0.9);
    let mut runs = runs(&baseline, &candidate);
    let view = verified(&design(), &runs);
    assert_eq!(view.verdict.word, Word::Improved);
    assert!(has(&view, DoubtKind::Drift), "{:?}", view.doubts);
    runs.iter_mut().for_each(|run| run.pair = None);
    let view = verified(&design(), &runs);
    assert_eq!((view.verdict.word, view.endpoints[0].method), (Word::Inconclusive, Some(Method::WelchT)));
}

#[test]
fn one_run_a_side_only_looks_like_it() {
    let view = verified(&design(), &runs(&[100.0], &[50.0]));
    assert_eq!((view.words.as_str(), view.exit_status), ("looks like improved", 0));
    assert_eq!(view.endpoints[0].method, Some(Method::OneRunEach));
    assert!(has(&view, DoubtKind::TooFewRuns));
    assert_eq!(verified(&design(), &runs(&[100.0], &[95.0])).verdict.word, Word::Inconclusive);
}

#[test]
fn sides_one_after_the_other_only_look_like_it_and_stop_nothing() {
    let sequential = Design { order: Order::Sequential, ..design() };
    let view = verified(&sequential, &runs(&[100.0, 101.0, 99.0, 100.5], &[120.0, 121.5, 119.0, 120.0]));
    assert_eq!((view.words.as_str(), view.exit_status), ("looks like worse", 0));
    assert!(has(&view, DoubtKind::Sequential));
    let view = verified(&sequential, &runs(&[100.0, 120.0], &[110.0, 112.0]));
    assert_eq!((view.words.as_str(), view.exit_status), ("inconclusive", 0));
}

#[test]
fn two_runs_a_side_are_few() {
    let view = verified(&design(), &runs(&[100.0, 101.0], &[50.0, 50.5]));
    assert_eq!((view.verdict.word, view.endpoints[0].method), (Word::Improved, Some(Method::WelchT)));
    assert!(has(&view, DoubtKind::TooFewRuns));
}

#[test]
fn nothing_and_one_side_alone_are_inconclusive() {
    for all in [vec![], runs(&[100.0, 101.0], &[])] {
        let view = verified(&design(), &all);
        assert_eq!((view.verdict.word, view.exit_status), (Word::Inconclusive, 5));
        assert!(has(&view, DoubtKind::TooFewRuns));
    }
}

#[test]
fn cost_is_of_a_unit_of_work_where_units_are_known() {
    // The candidate takes the same time and does twice the work.
    let mut all = runs(&[100.0, 101.0, 99.0], &[100.0, 99.0, 101.0]);
    all.iter_mut().for_each(|run| run.units = Some(if run.side == Side::Baseline { 1000.0 } else { 2000.0 }));
    let design = Design { unit: Some("message".to_owned()), ..design() };
    let view = verified(&design, &all);
    assert_eq!((view.verdict.word, view.per.as_str()), (Word::Improved, "message"));
    assert_eq!(view.endpoints[0].name, "CPU time per message");
    assert!((view.endpoints[0].ratio.expect("ratio") - 0.5).abs() < 1e-9);

    // A run without units is left out, with a warning.
    all[0].units = None;
    let view = verified(&design, &all);
    assert_eq!((view.endpoints[0].baseline.values.len(), view.per.as_str()), (2, "message"));
    assert!(has(&view, DoubtKind::UnitsMissing));
    all[0].units = Some(1000.0);

    // If a side has no units, there is no cost per unit.
    all.iter_mut().filter(|run| run.side == Side::Candidate).for_each(|run| run.units = None);
    let view = verified(&design, &all);
    assert_eq!((view.verdict.word, view.per.as_str()), (Word::Inconclusive, "run"));
    assert!(has(&view, DoubtKind::UnitsMissing));
}

/// The candidate prints its number of units only in its fast runs. Only these runs have a cost per unit.
#[test]
fn missing_units_are_inconclusive() {
    let slow_and_fast = [50.0, 150.0, 51.0, 149.0, 49.0, 151.0];
    let mut all = runs(&[100.0, 101.0, 99.0, 100.0, 100.5, 99.5], &slow_and_fast);
    all.iter_mut().filter(|run| run.cpu_ns() > 140e6).for_each(|run| run.units = None);
    let view = verified(&design(), &all);
    assert_eq!((view.per.as_str(), view.words.as_str(), view.exit_status), ("unit", "inconclusive", 5));
    assert!(view.sentences[0].contains("inconclusive (a value is missing in 3 runs)"), "{}", view.sentences[0]);
    let elapsed = Design { endpoint: PrimaryEndpoint::Elapsed, ..design() };
    assert_eq!(verified(&elapsed, &all).verdict.word, Word::Inconclusive);
}

#[test]
fn the_finding_is_the_second_primary_endpoint() {
    let mut all = runs(&[100.0, 101.0, 99.0, 100.0], &[92.0, 94.0, 96.0, 93.5]);
    all.extend(profiled(&[400.0, 410.0, 395.0, 405.0], &[40.0, 35.0, 42.0, 38.0]));
    let view = verified(&Design { finding: Some(finding()), ..design() }, &all);
    let primary: Vec<EndpointKind> = view.primary().map(|endpoint| endpoint.kind).collect();
    assert_eq!(primary, [EndpointKind::Cpu, EndpointKind::Finding]);
    let cpu = &view.endpoints[0];
    // The larger of two p-values stays the same in Holm's correction.
    assert_eq!(cpu.adjusted_p, cpu.p);
    assert_eq!(view.endpoints[1].adjusted_p, view.endpoints[1].p.map(|p| 2.0 * p));
    assert_eq!(view.verdict.word, Word::Improved);
    assert_eq!(view.endpoints.last().map(|endpoint| endpoint.is_primary), Some(false));
}

#[test]
fn a_finding_that_is_gone_has_an_interval_too() {
    let mut all = runs(&[100.0, 101.0, 99.0], &[50.0, 51.0, 49.0]);
    all.extend(profiled(&[400.0, 410.0, 395.0], &[0.0, 0.0, 0.0]));
    let view = verified(&Design { finding: Some(finding()), ..design() }, &all);
    let finding = &view.endpoints[1];
    assert_eq!((finding.verdict.word, finding.candidate.mean), (Word::Improved, Some(0.0)));
    assert!(finding.high_ratio.expect("an end") < 0.1, "{finding:?}");
    assert!(finding.sentence.contains("the candidate has no sample of the finding"), "{}", finding.sentence);
}

#[test]
fn few_samples_do_not_look_sure_by_chance() {
    // Every run has the same number of samples. Their Poisson noise must still be included.
    let mut all = runs(&[100.0, 101.0, 99.0], &[100.0, 99.5, 101.0]);
    all.extend(profiled(&[10.0, 10.0, 10.0], &[9.0, 9.0, 9.0]));
    let view = verified(&Design { finding: Some(finding()), ..design() }, &all);
    assert_eq!(view.endpoints[1].verdict.word, Word::Inconclusive);
    assert!(has(&view, DoubtKind::FewSamples));
}

#[test]
fn worse_in_one_primary_endpoint_is_worse() {
    let mut all = runs(&[100.0, 101.0, 99.0, 100.0], &[120.0, 121.0, 119.0, 120.0]);
    all.extend(profiled(&[4000.0, 4100.0, 3950.0, 4050.0], &[40.0, 35.0, 42.0, 38.0]));
    let view = verified(&Design { finding: Some(finding()), ..design() }, &all);
    assert_eq!((view.endpoints[1].verdict.word, view.verdict.word), (Word::Improved, Word::Worse));
}

const EQUAL: ([f64; 5], [f64; 5]) = ([100.0, 100.2, 99.9, 100.1, 100.0], [100.1, 100.0, 100.0, 100.2, 99.9]);

/// The program's CPU time is equal. Another endpoint is a half more expensive.
#[test]
fn no_relevant_change_on_one_endpoint_does_not_hide_worse_on_another() {
    let equal = runs(&EQUAL.0, &EQUAL.1);
    let mut with_finding = equal.clone();
    with_finding.extend(profiled(&[400.0, 410.0, 395.0, 405.0], &[600.0, 610.0, 595.0, 605.0]));
    let mut slower = equal.clone();
    slower.iter_mut().filter(|run| run.side == Side::Candidate).for_each(|run| run.elapsed_ns += 50_000_000);
    let rates = [100.0, 101.0, 99.0, 100.0, 100.5, 66.0, 67.0, 65.0, 66.0, 66.5];
    let fewer = with_metric(equal, "requests_per_second", &rates);
    for (all, name) in [
        (with_finding, "The finding's cost per unit"),
        (slower, "Elapsed time per unit"),
        (fewer, "requests_per_second"),
    ] {
        let view = verified(&Design { finding: Some(finding()), ..design() }, &all);
        assert_eq!(view.endpoints[0].verdict.word, Word::NoRelevantChange);
        assert_eq!((view.words.as_str(), view.exit_status), ("worse", 4), "{name}");
        assert!(view.sentences.iter().any(|sentence| sentence.starts_with(&format!("{name}: worse, "))), "{view:?}");
        assert!(
            markdown(&view).contains(&format!("## Verification: ✘ worse ({})", name.replace('_', r"\_"))),
            "{}",
            markdown(&view)
        );
    }
}

/// The finding has one profiled run per side, so its larger cost may be due to chance.
#[test]
fn a_finding_that_looks_like_worse_does_not_replace_a_verified_verdict() {
    let of = |timed: Vec<Run>| {
        let view =
            verified(&Design { finding: Some(finding()), ..design() }, &[timed, profiled(&[400.0], &[600.0])].concat());
        assert_eq!(view.endpoints[1].verdict.words(), "looks like worse");
        let is_a_warning = has(&view, DoubtKind::WorseElsewhere);
        (view.words, view.exit_status, is_a_warning)
    };
    let noisy = runs(&[100.0, 108.0, 95.0, 104.0], &[97.0, 106.0, 103.0, 99.0]);
    assert_eq!(of(noisy), ("inconclusive".to_owned(), 5, true));
    assert_eq!(of(runs(&EQUAL.0, &EQUAL.1)), ("no relevant change".to_owned(), 0, true));
    let faster = runs(&[100.0, 101.0, 99.0, 100.5], &[80.0, 81.0, 79.0, 80.0]);
    assert_eq!(of(faster), ("improved".to_owned(), 0, true));
    assert_eq!(of(runs(&[100.0], &[50.0])), ("looks like worse".to_owned(), 0, false));
}

#[test]
fn worse_elsewhere_is_the_first_warning_of_an_improved_program() {
    let mut all = runs(&[100.0, 101.0, 99.0, 100.5], &[80.0, 81.0, 79.0, 80.0]);
    all.iter_mut().for_each(|run| run.elapsed_ns = 100_000_000 + u64::from(run.order) * 1000);
    all.iter_mut().filter(|run| run.side == Side::Candidate).for_each(|run| run.elapsed_ns += 50_000_000);
    let view = verified(&design(), &all);
    assert_eq!(view.verdict.word, Word::Improved);
    let first = &view.doubts[0];
    assert_eq!(first.kind, DoubtKind::WorseElsewhere);
    assert!(first.text.starts_with("Elapsed time per unit: worse, +50 %"), "{}", first.text);
}

/// One of many printed metrics differs by chance: p is below 5 %, but not after Holm's correction.
#[test]
fn one_of_many_metrics_that_differs_by_chance_is_not_worse() {
    let mut all = runs(&EQUAL.0, &EQUAL.1);
    all = with_metric(all, "a_us", &[100.0, 101.0, 99.0, 100.0, 102.0, 104.0, 103.0, 101.0, 104.0, 102.5]);
    let alone = verified(&design(), &all);
    let p = alone.endpoints.last().and_then(|endpoint| endpoint.p).expect("p");
    assert!((0.02..0.05).contains(&p), "{p}");
    for name in ["b_us", "c_us", "d_us", "e_us"] {
        all = with_metric(all, name, &[100.0, 120.0, 90.0, 110.0, 105.0, 121.0, 92.0, 107.0, 108.0, 101.0]);
    }
    assert_eq!(verified(&design(), &all).verdict.word, Word::NoRelevantChange);
}

/// The finding is almost gone, and the noise hides whether the program changed.
#[test]
fn a_smaller_cost_of_the_finding_alone_is_not_an_improvement() {
    let mut all = runs(&[100.0, 108.0, 95.0, 104.0], &[97.0, 106.0, 103.0, 99.0]);
    all.extend(profiled(&[400.0, 410.0, 395.0, 405.0], &[4.0, 3.0, 5.0, 4.0]));
    let view = verified(&Design { finding: Some(finding()), ..design() }, &all);
    assert_eq!((view.endpoints[1].verdict.word, view.verdict.word), (Word::Improved, Word::Inconclusive));
    assert_eq!(view.exit_status, 5);
    let reason =
        "The finding costs less, but this alone does not show that the program improved: CPU time per unit decides";
    assert!(view.sentences.iter().any(|sentence| sentence == reason), "{:?}", view.sentences);
}

#[test]
fn what_was_predicted_stands_beside_what_was_measured() {
    let expected = Some(Expected { low_ratio: 0.41, high_ratio: 0.55, of: ExpectedOf::Cpu });
    let design = Design { finding: Some(drawn::finding()), ..design() };
    let design = Design {
        finding: design.finding.map(|finding| whittle_verdict::verify::VerifiedFinding { expected, ..finding }),
        ..design
    };
    let view = verified(&design, &runs(&[100.0, 101.0, 99.0], &[50.0, 51.0, 49.0]));
    let sentence = view.sentences.last().expect("sentences");
    assert!(
        sentence.starts_with(
            "Expected saving: 41 to 55 % of the work threads' CPU time after warm-up; measured: −50 % (95 % interval "
        ),
        "{sentence}"
    );
    assert!(sentence.ends_with(" %) for the whole program with warm-up"), "{sentence}");
}

#[test]
fn printed_metrics_know_their_direction_by_name() {
    let rates = [100.0, 101.0, 99.0, 150.0, 151.0, 149.0];
    let all = with_metric(runs(&[100.0; 3], &[100.0; 3]), "requests_per_second", &rates);
    let all = with_metric(all, "latency_p99_us", &rates);
    let all = with_metric(all, "depth", &rates);
    let view = verified(&design(), &all);
    let words = |name: &str| {
        let endpoint = view.endpoints.iter().find(|endpoint| endpoint.name == name).expect("an endpoint");
        (endpoint.verdict.word, endpoint.is_primary)
    };
    assert_eq!(words("requests_per_second"), (Word::Improved, false));
    assert_eq!(words("latency_p99_us"), (Word::Worse, false));
    assert_eq!(words("depth"), (Word::Changed, false));

    let better = vec![MetricDirection { name: "depth".to_owned(), better: Better::Smaller }];
    let endpoint = PrimaryEndpoint::Metric("depth".to_owned());
    let view = verified(&Design { endpoint, better, ..design() }, &all);
    assert_eq!((view.endpoints[0].name.as_str(), view.verdict.word), ("depth", Word::Worse));
}

#[test]
fn elapsed_time_can_be_the_primary_endpoint() {
    // The candidate uses less CPU time, but takes the same time.
    let mut all = runs(&[50.0, 51.0, 49.0, 50.0], &[40.0, 41.0, 39.0, 40.0]);
    all.iter_mut().enumerate().for_each(|(index, run)| run.elapsed_ns = 1_000_000_000 + index as u64 * 1000);
    assert_eq!(verified(&design(), &all).verdict.word, Word::Improved);
    let view = verified(&Design { endpoint: PrimaryEndpoint::Elapsed, ..design() }, &all);
    assert_eq!((view.verdict.word, view.endpoints[0].kind), (Word::NoRelevantChange, EndpointKind::Elapsed));
}

#[test]
fn unprofiled_runs_give_times_and_profiled_ones_stand_in_with_a_word() {
    let mut all = runs(&[100.0, 101.0, 99.0], &[50.0, 51.0, 49.0]);
    all.extend(profiled(&[10.0, 10.0, 10.0], &[10.0, 10.0, 10.0]));
    let view = verified(&design(), &all);
    assert!((view.endpoints[0].ratio.expect("ratio") - 0.5).abs() < 0.01);
    assert!(!has(&view, DoubtKind::Profiled));
    let view = verified(&design(), &all[6..]);
    assert!(has(&view, DoubtKind::Profiled));
    assert_eq!(view.endpoints[0].baseline.values.len(), 3);
}

#[test]
fn a_disturbed_run_is_named_and_widens_the_interval() {
    let view = verified(&design(), &runs(&[100.0, 101.0, 300.0, 99.0, 100.0], &[80.0, 81.0, 80.0, 79.0, 80.0]));
    let outlier = view.doubts.iter().find(|doubt| doubt.kind == DoubtKind::Outlier).expect("a doubt");
    assert!(outlier.text.contains("run 3 (baseline) is 3.00 times the median"), "{}", outlier.text);
    assert!(has(&view, DoubtKind::Noise));
    assert_eq!(view.verdict.word, Word::Inconclusive);
}

#[test]
fn pairs_that_are_not_whole_do_not_count() {
    let mut all = runs(&[100.0, 101.0, 99.0, 100.0], &[50.0, 50.5, 49.5]);
    let view = verified(&design(), &all);
    assert_eq!((view.endpoints[0].method, view.verdict.word), (Some(Method::PairedT), Word::Improved));
    // One pair has two baselines, so it is ambiguous.
    all.push(run(Side::Baseline, 0, 100.0));
    assert_eq!(verified(&design(), &all).endpoints[0].method, Some(Method::WelchT));
}

#[test]
fn doubts_handed_in_are_told_the_gravest_first() {
    let runs = runs(&[100.0], &[50.0]);
    let doubts = [
        Doubt { kind: DoubtKind::NotSteady, text: "rates still rose in the last third".to_owned() },
        Doubt { kind: DoubtKind::OutputsDiffer, text: "the sides printed different sums".to_owned() },
    ];
    let view = verify(&design(), Measured { runs: &runs, functions: None, doubts: &doubts });
    assert_eq!(view.doubts[0].kind, DoubtKind::OutputsDiffer);
    assert!(has(&view, DoubtKind::NotSteady));
}

#[test]
fn a_forecast_says_what_runs_can_see_and_how_many_are_needed() {
    let planned = |runs: usize| PlannedRuns { runs, primary_count: 1 };
    let before = forecast(&design(), planned(5), &[]);
    let ratio = before.detectable_ratio.expect("runs");
    assert!((0.06..0.08).contains(&ratio) && !before.is_measured, "{before:?}");
    assert!(before.words().starts_with("5 runs per side detect changes of about "), "{}", before.words());
    let needed = before.runs_needed.expect("few enough");
    assert!(forecast(&design(), planned(needed), &[]).detectable_ratio <= Some(0.05));

    let quiet = forecast(&design(), planned(5), &runs(&[100.0, 100.1, 99.9], &[100.0, 99.9, 100.1]));
    assert!(quiet.is_measured && quiet.detectable_ratio < Some(0.01), "{quiet:?}");
    assert_eq!(forecast(&design(), planned(1), &[]).detectable_ratio, None);
}

/// Two endpoints: Holm's correction halves the level. The exact test of 5 pairs cannot reach 5 %, and the test of 6 pairs
/// cannot reach 2.5 %.
#[test]
fn a_forecast_contains_holm_and_the_exact_test() {
    let of = |runs, primary_count| forecast(&design(), PlannedRuns { runs, primary_count }, &[]);
    assert!(of(5, 2).detectable_ratio > of(5, 1).detectable_ratio);
    let needed =
        [(5, 1), (6, 1), (5, 2), (6, 2), (7, 2), (1, 1)].map(|(runs, count)| of(runs, count).exact_runs_needed);
    assert_eq!(needed, [Some(6), None, Some(7), Some(7), None, None]);
    // Two runs per side are tested without pairs. Six runs per side, which are enough, are pairs.
    assert_eq!(of(2, 1).exact_runs_needed, Some(6));
    assert!(of(5, 2).words().ends_with("; a verdict without the assumption of normal noise needs 7 runs per side"));
}

#[test]
fn a_change_that_the_exact_test_cannot_confirm_has_a_warning() {
    let (a, b) = ([100.0, 101.0, 99.0, 100.5, 100.2, 99.7, 100.1], [80.0, 81.0, 79.0, 80.0, 80.3, 79.9, 80.4]);
    let weak = |count: usize, has_finding: bool| {
        let mut all = runs(&a[..count], &b[..count]);
        all.extend(profiled(&[400.0; 7], &[400.0; 7]));
        let finding = has_finding.then(finding);
        let view = verified(&Design { finding, ..design() }, &all);
        assert_eq!(view.verdict.word, Word::Improved);
        let smallest = view.endpoints[0].smallest_exact_p.expect("an exact test");
        assert_eq!(smallest, if count == 2 { 1.0 / 3.0 } else { 2.0 / f64::from(1 << count) });
        view.doubts.into_iter().find(|doubt| doubt.kind == DoubtKind::ExactTestTooWeak).map(|doubt| doubt.text)
    };
    let text = weak(5, false).expect("a warning");
    assert!(
        text.ends_with("needs at least 6 runs per side (p: at most 5.0 %; possible with these runs: at least 6.2 %)")
    );
    assert_eq!(weak(6, false), None);
    let text = weak(6, true).expect("a warning");
    assert!(
        text.ends_with("needs at least 7 runs per side (p: at most 2.5 %; possible with these runs: at least 3.1 %)")
    );
    assert_eq!(weak(7, true), None);
    let text = weak(2, false).expect("a warning");
    assert!(text.contains("needs at least 6 runs per side"), "{text}");
}

/// The finding has only profiled runs, so more timed runs do not help its exact test.
#[test]
fn the_exact_test_of_a_finding_needs_profiled_runs() {
    let mut all = runs(&[100.0; 7], &[99.0, 98.0, 101.0, 103.0, 97.0, 100.0, 102.0]);
    all.extend(profiled(&[400.0, 410.0, 395.0, 405.0, 402.0], &[40.0, 35.0, 42.0, 38.0, 41.0]));
    let view = verified(&Design { finding: Some(finding()), ..design() }, &all);
    let weak: Vec<&Doubt> = view.doubts.iter().filter(|doubt| doubt.kind == DoubtKind::ExactTestTooWeak).collect();
    assert_eq!(weak.len(), 1, "{weak:?}");
    assert!(weak[0].text.contains("needs at least 7 profiled runs per side"), "{weak:?}");
}

/// With a second primary endpoint, Holm's correction needs a larger change.
#[test]
fn the_detectable_change_contains_holms_correction() {
    let mut all = runs(&[100.0, 108.0, 95.0, 104.0, 99.0], &[97.0, 106.0, 103.0, 99.0, 101.0]);
    let alone = verified(&design(), &all).endpoints[0].detectable_ratio;
    all.extend(profiled(&[400.0, 410.0, 395.0, 405.0], &[402.0, 407.0, 399.0, 401.0]));
    let of_two = verified(&Design { finding: Some(finding()), ..design() }, &all).endpoints[0].detectable_ratio;
    assert!(of_two > alone && alone > Some(0.0), "{alone:?} {of_two:?}");
}
