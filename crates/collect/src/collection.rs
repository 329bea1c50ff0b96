//! One collection from start to end: launched or attached.

use crate::async_profiler::{self, Start};
use crate::attach::Jvm;
use crate::engine::{self, ChosenEngine};
use crate::launch::{self, Launched};
use crate::options::{CollectOptions, Ending, Observer, Outcome, Stop, Target};
use crate::process::Process;
use crate::session::{self, Beginning, Session};
use crate::target_folder::{SessionFolder, TemporaryFolder};
use crate::{Error, host};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;
use whittle_experiment::ExperimentWriter;
use whittle_model::{Collector, CollectorStatus, ExitStatus, Manifest};

/// Time that a collection with a set duration may need to end by itself, before the profiler inside
/// the JVM takes us for dead and ends alone.
const TIMEOUT_SLACK: Duration = Duration::from_secs(60);

/// Collects `target` into an experiment.
///
/// # Errors
/// It could not start (then the target is as it was), or not everything could be written (then the
/// error says what is where).
pub fn collect(
    target: &Target,
    options: &CollectOptions,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    match target {
        Target::Launch(command) => collect_launched(command, options, stop, observer),
        Target::Attach(pid) => collect_attached(Process(*pid), options, stop, observer),
    }
}

fn collect_launched(
    command: &[OsString],
    options: &CollectOptions,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    launch::check_is_java(command)?;
    let chosen = engine::choose(options.engine, Process(std::process::id()))?;
    let folder = TemporaryFolder::own()?;
    let library = folder.install_library()?;
    let owner = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let folder = SessionFolder::create(folder, owner)?;
    let command_words = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let manifest = new_manifest(options, &chosen, command_words);
    let writer = ExperimentWriter::create(&options.output, &manifest, options.replaces)?;
    let agent_options = start_options(options, &chosen, &folder);
    let launched = match launch::launch(command, &library, &agent_options, options.adds_jvm_flags) {
        Ok(launched) => launched,
        Err(error) => return Err(session::abandon(writer, error)),
    };
    let process = launched.process;
    let mut session = Session::new(process, Beginning::Launched, (writer, manifest, folder), options);
    let mut ending = |elapsed: Duration| launched_ending(&launched, stop, options, elapsed);
    if session.run(&mut ending, observer) == Ending::DurationOver {
        let stopped = stop_profiler(process, &library, &session);
        let finished = session.finish(stopped, None, observer);
        let exit = wait_for_end(launched, stop, observer);
        return finished.map(|manifest| Outcome { manifest, ending: Ending::DurationOver, exit });
    }
    session.read_last_accounts();
    let ended = launched.bury();
    let exit = ended.as_ref().map(|ended| ended.exit);
    let manifest = session.finish(Ok(()), ended, observer)?;
    Ok(Outcome { manifest, ending: Ending::ProgramEnded, exit })
}

/// Why a launched program's collection ends now, if it does. Interrupts concern the program, which
/// decides whether it ends; its last moments are collected as well.
fn launched_ending(launched: &Launched, stop: &Stop, options: &CollectOptions, elapsed: Duration) -> Option<Ending> {
    pass_on_signals(launched, stop);
    if launched.has_ended() {
        return Some(Ending::ProgramEnded);
    }
    options.duration.is_some_and(|duration| elapsed >= duration).then_some(Ending::DurationOver)
}

fn pass_on_signals(launched: &Launched, stop: &Stop) {
    for request in stop.take().iter().filter(|request| !request.is_from_terminal) {
        launched.signal(request.signal);
    }
}

/// After the collection has ended before the program.
fn wait_for_end(launched: Launched, stop: &Stop, observer: &mut dyn Observer) -> Option<ExitStatus> {
    observer.note("the collection has ended, the program goes on; Ctrl-C ends it");
    while !launched.has_ended() {
        pass_on_signals(&launched, stop);
        std::thread::sleep(session::POLL_INTERVAL);
    }
    launched.bury().map(|ended| ended.exit)
}

fn collect_attached(
    process: Process,
    options: &CollectOptions,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let jvm = Jvm::find(process)?;
    let chosen = engine::choose(options.engine, process)?;
    let library = jvm.temporary_folder().install_library()?;
    check_no_other_profiler(process, &library)?;
    let folder = SessionFolder::create(TemporaryFolder::of_process(&process.path("root"))?, jvm.owner())?;
    let manifest = new_manifest(options, &chosen, process.command_line());
    let writer = ExperimentWriter::create(&options.output, &manifest, options.replaces)?;
    if options.takes_over
        && let Err(error) = take_over(&jvm, &library, &folder)
    {
        return Err(session::abandon(writer, error));
    }
    let agent_options = start_options(options, &chosen, &folder);
    let mut session = Session::new(process, Beginning::Attached, (writer, manifest, folder), options);
    if let Err(error) = start_attached(&jvm, &library, (&agent_options, session.folder())) {
        return Err(session.abandon(error));
    }
    let mut ending = |elapsed: Duration| {
        let is_over = options.duration.is_some_and(|duration| elapsed >= duration);
        match (process.is_alive(), stop.take().is_empty()) {
            (false, _) => Some(Ending::ProgramEnded),
            (true, false) => Some(Ending::Interrupted),
            (true, true) => is_over.then_some(Ending::DurationOver),
        }
    };
    let ending = session.run(&mut ending, observer);
    let stopped = if ending == Ending::ProgramEnded { Ok(()) } else { stop_profiler(process, &library, &session) };
    let manifest = session.finish(stopped, None, observer)?;
    Ok(Outcome { manifest, ending, exit: None })
}

/// A second async-profiler in one JVM would fight with the first for the signal and the perf events.
fn check_no_other_profiler(process: Process, library: &Path) -> Result<(), Error> {
    let libraries = process.mapped_libraries().map_err(Error::io("read", &process.path("maps")))?;
    let is_profiler = |path: &String| path.to_ascii_lowercase().replace('-', "").contains("asyncprofiler");
    let other = libraries.into_iter().find(|path| is_profiler(path) && Path::new(path) != library);
    other.map_or(Ok(()), |library| Err(Error::OtherProfiler { pid: process.0, library }))
}

/// Ends what a killed whittle left behind.
fn take_over(jvm: &Jvm, library: &Path, folder: &SessionFolder) -> Result<(), Error> {
    jvm.load_agent(library, &async_profiler::stop_options(&folder.recording_path(), &folder.log_path()))?;
    jvm.temporary_folder().remove_stale_sessions([jvm.owner().0, rustix::process::geteuid().as_raw()]);
    Ok(())
}

fn start_attached(jvm: &Jvm, library: &Path, (options, folder): (&str, &SessionFolder)) -> Result<(), Error> {
    if jvm.load_agent(library, options)? == 0 {
        return Ok(());
    }
    let pid = jvm.process.0;
    let answer = async_profiler::last_error(&folder.read_log()).unwrap_or_else(|| "no reason given".to_owned());
    if async_profiler::is_already_started(&answer) {
        return Err(Error::AlreadyProfiled { pid });
    }
    Err(Error::Profiler { pid, answer })
}

/// Ends the recording in a JVM that lives on; an error means that it still records.
fn stop_profiler(process: Process, library: &Path, session: &Session<'_>) -> Result<(), Error> {
    let folder = session.folder();
    let options = async_profiler::stop_options(&folder.recording_path(), &folder.log_path());
    let not_stopped = |reason: String| Error::NotStopped { pid: process.0, reason };
    match Jvm::find(process).and_then(|jvm| jvm.load_agent(library, &options)) {
        Ok(0) => Ok(()),
        // It ended meanwhile, and the recording with it.
        _ if !process.is_alive() => Ok(()),
        Ok(code) => {
            let log = async_profiler::last_error(&folder.read_log());
            Err(not_stopped(log.unwrap_or_else(|| format!("async-profiler gave {code}"))))
        }
        Err(error) => Err(not_stopped(error.to_string())),
    }
}

fn start_options(options: &CollectOptions, chosen: &ChosenEngine, folder: &SessionFolder) -> String {
    let start = Start {
        engine: chosen.engine,
        interval_ns: options.interval.as_nanos() as u64,
        recording: &folder.recording_path(),
        log: &folder.log_path(),
        timeout_seconds: options.duration.map(|duration| (duration + TIMEOUT_SLACK).as_secs()),
    };
    start.options()
}

fn new_manifest(options: &CollectOptions, chosen: &ChosenEngine, command: Vec<String>) -> Manifest {
    let mut manifest = Manifest::new(options.written_by.clone());
    manifest.start_wall_ns = Some(host::wall_ns());
    manifest.start_monotonic_ns = Some(host::monotonic_ns());
    manifest.host = Some(host::host());
    manifest.command = command;
    manifest.comment.clone_from(&options.comment);
    manifest.collectors = vec![Collector {
        name: format!("async-profiler {}", async_profiler::VERSION),
        engine: chosen.engine.name().to_owned(),
        interval_ns: Some(options.interval.as_nanos() as u64),
        status: CollectorStatus::Used,
        reason: chosen.reason.clone(),
    }];
    manifest
}
