//! `whittle collect`.

use crate::arguments::CollectArguments;
use crate::artefact::NewArtefact;
use crate::progress::ProgressLine;
use crate::{Failure, output};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use std::process::ExitCode;
use whittle_collect::{CollectOptions, Ending, Error, Outcome, Stop, StopRequest, Target, collect};
use whittle_model::{Closure, ExitStatus, Program, UnitOfWork};

/// Shells report a program that a signal ended as 128 + the signal's number.
const SIGNAL_EXIT_BASE: i32 = 128;

/// What clap gives for wrong arguments, too.
const USAGE_EXIT_CODE: u8 = 2;

/// Where a number of units of work is from.
const GIVEN: &str = "given on the command line";

/// A collection that came to its end.
pub(crate) struct Collected {
    outcome: Outcome,
    options: CollectOptions,
    /// The program's own.
    pub(crate) exit_code: ExitCode,
}

/// Collects, prints where the experiment lies, and gives the program's exit status.
pub(crate) fn run(arguments: CollectArguments) -> Result<ExitCode, Failure> {
    let is_quiet = arguments.quiet;
    let collected = collect_with(arguments)?;
    if !is_quiet {
        report(&collected.outcome, &collected.options);
    }
    Ok(collected.exit_code)
}

/// Collects.
pub(crate) fn collect_with(arguments: CollectArguments) -> Result<Collected, Failure> {
    let target = match arguments.pid {
        Some(pid) => Target::Attach(pid),
        None if arguments.command.is_empty() => {
            let message = "nothing to collect: name a process with -p PID, or a program behind --, for example: -- java -jar app.jar";
            return Err(Failure { message: message.to_owned(), exit_code: USAGE_EXIT_CODE });
        }
        None => Target::Launch(arguments.command),
    };
    let artefact = match &target {
        Target::Launch(command) if arguments.keep_artefact => {
            Some(NewArtefact::keep(command, &arguments.output, arguments.artefact_limit)?)
        }
        _ => None,
    };
    let given = |amount| UnitOfWork { name: arguments.unit.clone(), amount, source: GIVEN.to_owned() };
    let options = CollectOptions {
        units_of_work: arguments.unit_count.map(given).into_iter().collect(),
        interval: arguments.interval,
        engine: arguments.engine,
        events: arguments.events.unwrap_or_default(),
        follows: arguments.follow,
        metric: arguments.metric,
        drop_every: arguments.drop_every,
        duration: arguments.duration,
        adds_jvm_flags: !arguments.no_jvm_flags,
        takes_over: arguments.take_over,
        output: arguments.output,
        replaces: arguments.force,
        comment: arguments.comment,
        written_by: written_by(),
    };
    let stop = Stop::default();
    listen_for_signals(&stop)?;
    if arguments.stop_with_input {
        stop_with_input(&stop);
    }
    let mut progress = ProgressLine::new(arguments.quiet);
    let collected = collect(&target, &options, &stop, &mut progress);
    progress.clear();
    let outcome = collected.map_err(|error| {
        let exit = if let Error::NothingCollected { exit, .. } = &error { *exit } else { None };
        let program_code = exit.map_or(0, exit_code);
        Failure { exit_code: if program_code == 0 { 1 } else { program_code }, ..Failure::from(error) }
    })?;
    if let Some(artefact) = artefact {
        keep(artefact, &options.output, arguments.quiet)?;
    }
    let exit_code = ExitCode::from(outcome.exit.map_or(0, exit_code));
    Ok(Collected { outcome, options, exit_code })
}

/// Puts the artefact into the experiment, and says what is in it and what is not.
fn keep(artefact: NewArtefact, experiment: &std::path::Path, is_quiet: bool) -> Result<(), Failure> {
    let ((files, bytes), left_out) = (artefact.size(), artefact.artefact.left_out.clone());
    artefact.move_into(experiment)?;
    if !is_quiet {
        let plural = if files == 1 { "" } else { "s" };
        output::note(&format!("kept artefact: {files} file{plural}, {:.1} MB", bytes as f64 / 1e6));
        left_out.iter().for_each(|sentence| output::note(sentence));
    }
    Ok(())
}

/// This program, for manifests.
pub(crate) fn written_by() -> Program {
    Program { name: "whittle".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
}

/// Turns signals into requests to stop, for as long as the program runs. A signal that was ignored when
/// we started (`nohup`) stays ignored, for us and for the program that we launch.
pub(crate) fn listen_for_signals(stop: &Stop) -> Result<(), Failure> {
    let mut signals = SignalsInfo::<WithOrigin>::new(ending_signals())?;
    let stop = stop.clone();
    std::thread::spawn(move || {
        for origin in signals.forever() {
            let is_from_terminal = origin.process.is_none();
            stop.request(StopRequest { signal: origin.signal, is_from_terminal });
        }
    });
    Ok(())
}

/// The signals that ask to end, without those that were ignored when we started.
pub(crate) fn ending_signals() -> impl Iterator<Item = i32> {
    let ignored = ignored_signals();
    [SIGINT, SIGTERM, SIGHUP].into_iter().filter(move |signal| ignored & (1 << (signal - 1)) == 0)
}

/// Turns the end of standard input into a request to stop: the analyzer holds its other end, and the kernel closes it
/// if the analyzer is killed.
fn stop_with_input(stop: &Stop) {
    let stop = stop.clone();
    std::thread::spawn(move || {
        // An error is an end, too.
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        stop.request(StopRequest { signal: SIGTERM, is_from_terminal: false });
    });
}

/// Bit n-1 is set if signal n is ignored.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

fn exit_code(exit: ExitStatus) -> u8 {
    let code = match exit {
        ExitStatus::Code(code) => code,
        ExitStatus::Signal(signal) => SIGNAL_EXIT_BASE + signal,
    };
    u8::try_from(code).unwrap_or(u8::MAX)
}

/// Below this much CPU time a share of it says nothing.
const LITTLE_CPU_NS: u64 = 100_000_000;

/// How much of the CPU time the samples explain, in words.
fn explained(closure: Option<&Closure>) -> String {
    match closure.and_then(|closure| Some((closure.exact_cpu_ns, closure.ratio()?))) {
        Some((cpu_ns, ratio)) if cpu_ns >= LITTLE_CPU_NS => {
            format!("{:.1} % of its CPU time is explained", ratio * 100.0)
        }
        Some((cpu_ns, _)) => {
            format!("it used {:.3} s of CPU, too little to say how much is explained", cpu_ns as f64 / 1e9)
        }
        None => "it used no CPU that was counted".to_owned(),
    }
}

/// A few lines: what was collected, how well, what to do next.
fn report(outcome: &Outcome, options: &CollectOptions) {
    let manifest = &outcome.manifest;
    let why = match outcome.ending {
        Ending::ProgramEnded => "the program ended",
        Ending::DurationOver => "the time was over",
        Ending::Interrupted => "interrupted",
    };
    let explained = explained(manifest.closure.as_ref());
    let path = options.output.display();
    output::note(&format!("{why} after {:.1} s; {explained}; experiment: {path}", manifest.duration_ns as f64 / 1e9));
    for collector in &manifest.collectors {
        output::note(&format!("engine {}: {}", collector.engine, collector.reason));
    }
    if manifest.jvm.as_ref().is_some_and(|jvm| jvm.has_exact_lines == Some(false)) {
        output::note("line numbers in compiled code are approximate: the JVM runs without -XX:+DebugNonSafepoints");
    }
    output::note(&format!("next: whittle overview {path}"));
}
