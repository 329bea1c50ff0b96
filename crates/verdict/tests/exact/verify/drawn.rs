//! Makes runs from a few numbers.

use whittle_model::FunctionKind;
use whittle_profile::Side;
use whittle_verdict::verify::{
    Design, FindingCost, FunctionRun, FunctionRuns, Measured, PatternCost, PrintedMetric, Run, VerificationView,
    VerifiedFinding, verify,
};

const NANOS_PER_MS: f64 = 1e6;

pub(crate) fn design() -> Design {
    Design::new("java Slow", "java Fixed")
}

pub(crate) fn finding() -> VerifiedFinding {
    VerifiedFinding {
        detector: "unbuffered-write".to_owned(),
        title: "Unbuffered writes".to_owned(),
        calling: Some("app.Log.write(int)".to_owned()),
        expected: None,
    }
}

/// An unprofiled run with this many milliseconds of CPU time and of elapsed time.
pub(crate) fn run(side: Side, pair: u32, cpu_ms: f64) -> Run {
    let nanos = (cpu_ms * NANOS_PER_MS) as u64;
    Run {
        side,
        pair: Some(pair),
        // A B, B A, A B, …
        order: 2 * pair + u32::from((side == Side::Candidate) == pair.is_multiple_of(2)),
        is_profiled: false,
        elapsed_ns: nanos,
        user_cpu_ns: nanos,
        system_cpu_ns: 0,
        units: Some(1.0),
        metrics: Vec::new(),
        finding: None,
    }
}

/// Runs from the milliseconds of both sides, by pair.
pub(crate) fn runs(baseline_ms: &[f64], candidate_ms: &[f64]) -> Vec<Run> {
    let of = |side: Side, values: &[f64]| -> Vec<Run> {
        values.iter().enumerate().map(|(pair, ms)| run(side, pair as u32, *ms)).collect()
    };
    [of(Side::Baseline, baseline_ms), of(Side::Candidate, candidate_ms)].concat()
}

/// Profiled runs, which tests add to other runs. The arguments are the finding's samples by pair. A sample is one
/// millisecond.
pub(crate) fn profiled(baseline: &[f64], candidate: &[f64]) -> Vec<Run> {
    let costs: Vec<f64> = baseline.iter().chain(candidate).copied().collect();
    let mut runs = runs(&vec![1000.0; baseline.len()], &vec![1000.0; candidate.len()]);
    for (run, samples) in runs.iter_mut().zip(costs) {
        run.is_profiled = true;
        run.finding = Some(FindingCost { cpu_ns: samples * NANOS_PER_MS, samples, has_calling: true, pattern: None });
    }
    runs
}

/// Profiled runs with the cost of the pattern below any caller. For each side: samples below the calling method, and
/// samples below other callers, by pair. `None`: the side does not have the calling method.
pub(crate) fn with_callers(baseline: Callers<'_>, candidate: Callers<'_>) -> Vec<Run> {
    let below = |(calling, others): Callers<'_>| calling.map_or_else(|| vec![0.0; others.len()], <[f64]>::to_vec);
    let mut runs = profiled(&below(baseline), &below(candidate));
    let others = baseline.1.iter().chain(candidate.1);
    for (run, others) in runs.iter_mut().zip(others) {
        let has_calling = if run.side == Side::Baseline { baseline.0.is_some() } else { candidate.0.is_some() };
        let finding = run.finding.as_mut().expect("profiled");
        let samples = finding.samples + others;
        finding.has_calling = has_calling;
        finding.pattern = Some(PatternCost { cpu_ns: samples * NANOS_PER_MS, samples });
    }
    runs
}

pub(crate) type Callers<'a> = (Option<&'a [f64]>, &'a [f64]);

pub(crate) fn with_metric(mut runs: Vec<Run>, name: &str, values: &[f64]) -> Vec<Run> {
    for (run, value) in runs.iter_mut().zip(values) {
        run.metrics.push(PrintedMetric { name: name.to_owned(), value: *value });
    }
    runs
}

/// Functions with their samples by run. A sample is one millisecond. The first half of the runs is the baseline.
pub(crate) fn function_runs(functions: &[(&str, &[f64])]) -> FunctionRuns {
    let count = functions[0].1.len();
    let side = |run: usize| if run < count / 2 { Side::Baseline } else { Side::Candidate };
    let function = |(name, samples): &(&str, &[f64])| FunctionRun {
        name: (*name).to_owned(),
        kind: FunctionKind::Java,
        cost_ns: samples.iter().map(|samples| samples * NANOS_PER_MS).collect(),
        samples: samples.to_vec(),
    };
    FunctionRuns {
        sides: (0..count).map(side).collect(),
        units: vec![Some(1.0); count],
        cpu_ns: vec![1e9; count],
        functions: functions.iter().map(function).collect(),
    }
}

pub(crate) fn verified(design: &Design, runs: &[Run]) -> VerificationView {
    verify(design, Measured { runs, functions: None, doubts: &[] })
}

pub(crate) fn verified_functions(runs: &[Run], functions: &FunctionRuns) -> VerificationView {
    verify(&design(), Measured { runs, functions: Some(functions), doubts: &[] })
}
