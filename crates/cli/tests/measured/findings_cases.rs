//! Findings in programs with a known fault, and in the fixed versions of these programs.
//!
//! Every test run judges a few programs. `bench/findings/run.sh` judges all programs on every JDK, which takes an hour
//! and a half.

use crate::judge::{self, Bench, Program, Reviewed, Saved, Set, Summary, Verdict, Version};
use crate::support::Workspace;
use serde_json::Value;
use std::path::{Path, PathBuf};
use whittle_testkit::{Jdk, any_jdk, jdks, reference_folder};

/// One program of each kind: a stream from a lambda, a stream from a factory method, a key class, a call in a lambda, a
/// wait.
const EVERY_RUN: [&str; 5] = ["Ledger", "FrameDump", "SessionTable", "Greetings", "JobRunner"];

fn bench_findings(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/findings").join(name)
}

/// Collects both versions and judges the findings. The measured saving is from runs without whittle. If there are no such
/// runs on a JDK, it is from the collected runs.
fn judge(bench: &Bench, program: &Program, jdk: &Jdk) -> Verdict {
    let views: [Value; 2] =
        [Version::Slow, Version::Fixed].map(|version| Bench::findings(&bench.experiment(program, version, jdk)));
    let saved = |endpoint: &str| match program.saved_on(jdk.version) {
        Some(saved) if endpoint == "elapsed" => saved.elapsed,
        Some(saved) => saved.cpu,
        None if jdk.version == 17 => panic!("{}: what the fix saves was not measured", program.mains[0]),
        None => saved_while_collected(bench, program, jdk, endpoint),
    };
    Verdict::new(program, jdk.version, [&views[0], &views[1]], saved)
}

fn saved_while_collected(bench: &Bench, program: &Program, jdk: &Jdk, endpoint: &str) -> f64 {
    let cost = |version| {
        let cost = bench.cost(program, version, jdk).unwrap();
        if endpoint == "elapsed" { cost.elapsed_us } else { cost.cpu_us }
    };
    (1.0 - cost(Version::Fixed) / cost(Version::Slow)) * 100.0
}

#[test]
fn some_faults_are_found_with_cause_line_and_site_and_not_where_they_are_mended() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let bench = Bench { folder: workspace.path("bench"), warm_seconds: 1.0, seconds: 4.0, interval: "2ms" };
    let programs: Vec<Program> = judge::marked_programs(Set::Development);
    let chosen = EVERY_RUN.map(|name| programs.iter().find(|program| program.name == name).unwrap());
    bench.compile_some(&jdk, &chosen);
    // Each program runs on one JDK, in turn: `bench/findings/run.sh` runs all programs on all JDKs.
    let jdks = jdks();
    for (program, jdk) in chosen.into_iter().zip(jdks.iter().cycle()) {
        let verdict = judge(&bench, program, jdk);
        assert!(verdict.is_cause_first, "{verdict:#?}");
        assert!(verdict.is_calling_right, "{verdict:#?}");
        assert!(verdict.is_site_right, "{verdict:#?}");
        assert!(verdict.still_found.is_empty(), "{verdict:#?}");
    }
}

/// Keeps experiments in the folder that `WHITTLE_JUDGE` names, and uses experiments that are already there.
fn kept_bench() -> Bench {
    let folder = std::env::var_os("WHITTLE_JUDGE").expect("run: bench/findings/run.sh");
    Bench { folder: PathBuf::from(folder), warm_seconds: 1.5, seconds: 6.0, interval: "10ms" }
}

/// The sealed programs are judged alone, so that nobody looks at their results by chance.
#[test]
#[ignore = "takes a quarter of an hour; once for each release, run: bench/findings/run.sh --sealed"]
fn sealed_programs_on_all_jdks() {
    let Some(compiler) = any_jdk() else { return };
    let bench = kept_bench();
    bench.compile(&compiler, None);
    let programs = judge::marked_programs(Set::Sealed);
    let verdicts: Vec<Verdict> =
        jdks().iter().flat_map(|jdk| programs.iter().map(|program| judge(&bench, program, jdk))).collect();
    let reviewed = Reviewed::default();
    judge::write_ledger(&bench_findings("sealed-ledger.tsv"), &verdicts);
    println!("{}", judge::write_verdicts(&bench_findings("sealed-verdicts.txt"), &verdicts, &reviewed));
}

#[test]
#[ignore = "takes an hour and a half; run: bench/findings/run.sh"]
fn all_programs_on_all_jdks() {
    let Some(compiler) = any_jdk() else { return };
    let bench = kept_bench();
    let shared = reference_folder("cases");
    bench.compile(&compiler, shared.as_deref());
    let mut programs = shared.as_deref().map(judge::shared_cases).unwrap_or_default();
    programs.extend(judge::marked_programs(Set::Development));
    let mut verdicts = Vec::new();
    for jdk in jdks() {
        verdicts.extend(programs.iter().map(|program| judge(&bench, program, &jdk)));
    }
    let reviewed = Reviewed::read(&bench_findings("reviewed.tsv"));
    judge::write_ledger(&bench_findings("ledger.tsv"), &verdicts);
    println!("{}", judge::write_verdicts(&bench_findings("verdicts.txt"), &verdicts, &reviewed));
    for ((set, jdk), summary) in Summary::of(&verdicts, &reviewed) {
        assert_good_enough(set, jdk, &summary);
    }
}

/// Asserts that 20 of 22 causes and calling lines are right, that 17 of 22 edit lines are right, and that 17 of 22 ranges
/// contain the saving. At most one finding in five programs is wrong.
fn assert_good_enough(set: Set, jdk: u32, summary: &Summary) {
    let what = format!("{} on JDK {jdk}: {summary:?}", set.name());
    let share = |count: usize, of: usize| count * 22 >= summary.programs * of;
    assert!(share(summary.causes, 20) && share(summary.calling, 20), "{what}");
    assert!(share(summary.sites, 17), "{what}");
    assert!(share(summary.savings, 17), "{what}");
    assert_eq!(summary.still_found, 0, "{what}");
    assert!(summary.wrong_others * 5 <= summary.programs, "{what}");
}

#[test]
#[ignore = "takes a minute per program on a quiet machine; run: bench/findings/run.sh --measure"]
fn savings_of_new_programs_measured_alone() {
    let Some(compiler) = any_jdk() else { return };
    let bench = Bench { seconds: 2.5, ..kept_bench() };
    bench.compile(&compiler, None);
    let jdks = jdks();
    let jdk = |version| jdks.iter().find(|jdk| jdk.version == version).expect("JDK 17 and JDK 25 are needed");
    for set in [Set::Development, Set::Sealed] {
        let is_new = |program: &Program| program.saved_17.is_none();
        for program in judge::marked_programs(set).into_iter().filter(is_new) {
            let savings = [17, 25].map(|version| saved_alone(&bench, &program, jdk(version)));
            judge::write_savings(set, &program, savings);
        }
    }
}

/// Runs both versions alternately. Other programs on the machine make some runs slower, so the fastest run of each version
/// counts.
fn saved_alone(bench: &Bench, program: &Program, jdk: &Jdk) -> Saved {
    let pair = || [Version::Slow, Version::Fixed].map(|version| bench.run_alone(program, version, jdk));
    let pairs = [pair(), pair()];
    let best = |version: usize, figure: fn(&judge::Cost) -> f64| {
        pairs.iter().map(|pair| figure(&pair[version])).fold(f64::INFINITY, f64::min)
    };
    let saved = |figure: fn(&judge::Cost) -> f64| (1.0 - best(1, figure) / best(0, figure)) * 100.0;
    Saved { cpu: saved(|cost| cost.cpu_us), elapsed: saved(|cost| cost.elapsed_us) }
}
