//! One collection from start to end. The target is a launched or a running program, with or without a JVM.

use crate::Error;
use crate::agent::{Agent, NO_ALLOCATIONS};
use crate::async_profiler;
use crate::attach::Jvm;
use crate::chosen_engine::{self, ChosenEngine};
use crate::engine::{Engine, Subject};
use crate::events::{self, Events};
use crate::host;
use crate::instrument;
use crate::jdk_version::LauncherJdk;
use crate::jvm_log;
use crate::kernel::{KernelOptions, KernelSide};
use crate::launch::{self, JavaOptions, Launched};
use crate::options::{CollectOptions, Ending, Observer, Outcome, Stop, Target};
use crate::process::Process;
use crate::process_memory::command_line;
use crate::program_output::MetricPattern;
use crate::session::{self, Beginning, Session, Sources};
use crate::wall_clock;
use std::ffi::OsString;
use std::time::{Duration, Instant};
use whittle_experiment::ExperimentWriter;
use whittle_model::{Collector, CollectorStatus, Engines, ExitStatus, Manifest, Metric};

/// How long, and how often, whittle checks for the profiler's signal handler before the collection continues.
const CONFIRM_PATIENCE: Duration = Duration::from_millis(50);
const CONFIRM_INTERVAL: Duration = Duration::from_millis(1);

/// Collects `target` into an experiment.
///
/// # Errors
/// The collection could not start, and the target is unchanged. Or some data could not be written, and the error
/// contains the location of the data.
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
    asked_for: &CollectOptions,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let metric = asked_for.metric.as_deref().map(MetricPattern::parse).transpose()?;
    let subject = launch::subject(command);
    let jdk = command.first().filter(|_| subject == Subject::Java).and_then(|launcher| LauncherJdk::find(launcher));
    if jdk.as_ref().is_some_and(|jdk| jdk.is_openj9) {
        return Err(Error::OpenJ9Launcher { launcher: command[0].to_string_lossy().into_owned() });
    }
    // Otherwise, the JVM would not start.
    let lacks_allocations = asked_for.events.amount(Metric::AllocBytes).is_wanted()
        && jdk.as_ref().is_some_and(|jdk| !jdk.reports_allocations());
    let events = if lacks_allocations { asked_for.events.without_allocations() } else { asked_for.events };
    let options = &CollectOptions { events, ..asked_for.clone() };
    let mut chosen =
        chosen_engine::choose(options.engine, (Process(std::process::id()), subject), &kernel_options(options))?;
    check_instrument(options, &chosen)?;
    tell_ignored(asked_for, &chosen, observer);
    let mut agent = if subject == Subject::Java { Some(Agent::for_launch(command)?) } else { None };
    let command_words = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let mut manifest = new_manifest(options, &chosen, (subject, command_words));
    observe_waits((agent.as_mut(), &mut manifest), (options, chosen.engine), None);
    let lacks_log = jdk.as_ref().is_some_and(|jdk| jvm_log::is_missing(jdk.release));
    for (is_lacking, what) in [(lacks_allocations, NO_ALLOCATIONS), (lacks_log, jvm_log::NO_PAUSES)] {
        if is_lacking {
            session::leave_out(&mut manifest, what);
        }
    }
    let writer = ExperimentWriter::create(&options.output, &manifest, options.replaces)?;
    let release = jdk.map(|jdk| jdk.release);
    let log_option = agent
        .as_ref()
        .filter(|_| options.adds_jvm_flags)
        .and_then(|agent| jvm_log::launch_option(release, &agent.folder));
    let has_jvm_log = log_option.is_some();
    let agent_option = instrument::launch_option(release).filter(|_| options.instrument && options.adds_jvm_flags);
    let own_options = log_option.into_iter().chain(agent_option).collect();
    let java = agent.as_ref().map(|agent| (agent, own_options));
    let mut launched = match launch_observed(command, &mut chosen, (java, metric.as_ref()), options) {
        Ok(launched) => launched,
        Err(error) => return Err(session::abandon(writer, error)),
    };
    let sources = Sources { agent, kernel: chosen.kernel, has_jvm_log, output: launched.output.take() };
    let mut session = Session::new((launched.process, Beginning::Launched), (Some(writer), manifest), sources, options);
    let mut ending = |elapsed: Duration| launched_ending(&launched, stop, options, elapsed);
    if session.run(&mut ending, observer) == Ending::DurationOver {
        let stopped = session.stop();
        let finished = session.finish(stopped, None, observer);
        let exit = wait_for_end(launched, stop, observer);
        return finished.map(|manifest| Outcome { manifest, ending: Ending::DurationOver, exit });
    }
    session.read_last_accounts();
    let ended = launched.bury();
    let exit = ended.as_ref().map(|ended| ended.exit);
    // A daemon that the program started can continue, with the profiler inside.
    let stopped = if session.outlives_main() { session.stop() } else { Ok(()) };
    let manifest = session.finish(stopped, ended, observer)?;
    Ok(Outcome { manifest, ending: Ending::ProgramEnded, exit })
}

/// Starts the program. The kernel side observes the program from its first instruction on.
fn launch_observed(
    command: &[OsString],
    chosen: &mut ChosenEngine,
    (java, metric): (Option<(&Agent, Vec<String>)>, Option<&MetricPattern>),
    options: &CollectOptions,
) -> Result<Launched, Error> {
    let (agent, own_options) = java.unzip();
    let agent_options = agent.map(|agent| agent.start_options(options, chosen.engine));
    let library = agent.and_then(Agent::library_path);
    let java = library.zip(agent_options.as_deref()).map(|(library, agent_options)| JavaOptions {
        library,
        agent_options,
        own_options: own_options.unwrap_or_default(),
        has_exact_lines: options.adds_jvm_flags,
    });
    launch::launch(command, (java.as_ref(), metric), |process| match &mut chosen.kernel {
        Some(kernel) => Ok(kernel.observe(process)?),
        None => Ok(()),
    })
}

/// Why a launched program's collection ends now. `None`: the collection continues. Interrupts are passed on to the
/// program, and the program decides whether to end. The program's last moments are also collected.
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

/// Waits for the end of the program, after the collection has ended.
fn wait_for_end(launched: Launched, stop: &Stop, observer: &mut dyn Observer) -> Option<ExitStatus> {
    observer.note("the collection has ended and the program continues; Ctrl-C ends the program");
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
    if options.metric.is_some() {
        return Err(Error::MetricNeedsLaunch);
    }
    if process.is_32_bit() {
        return Err(Error::ThirtyTwoBit { pid: process.0 });
    }
    let jvm = match Jvm::find(process) {
        Ok(jvm) => Some(jvm),
        Err(Error::NotAJvm { .. }) if options.engine.collects_native() => None,
        Err(error) => return Err(error),
    };
    let subject = if jvm.is_some() { Subject::Java } else { Subject::Native };
    let mut chosen = chosen_engine::choose(options.engine, (process, subject), &kernel_options(options))?;
    check_instrument(options, &chosen)?;
    tell_ignored(options, &chosen, observer);
    let mut agent = jvm.as_ref().map(Agent::for_attach).transpose()?;
    let mut manifest = new_manifest(options, &chosen, (subject, command_line(process)));
    let threads = process.thread_ids().len();
    observe_waits((agent.as_mut(), &mut manifest), (options, chosen.engine), Some(threads));
    let writer = ExperimentWriter::create(&options.output, &manifest, options.replaces)?;
    match begin_attached((jvm.as_ref(), agent.as_ref()), &mut chosen, process, options) {
        Ok(left_out) => left_out.into_iter().for_each(|what| session::leave_out(&mut manifest, what)),
        Err(error) => return Err(session::abandon(writer, error)),
    }
    let log = jvm.as_ref().zip(agent.as_ref()).map(|(jvm, agent)| jvm_log::start(jvm, &agent.folder, agent.identity()));
    let has_jvm_log = matches!(log, Some(Ok(())));
    if let Some(Err(error)) = log {
        session::leave_out(&mut manifest, &jvm_log::not_started(&error));
    }
    let sources = Sources { has_jvm_log, agent, kernel: chosen.kernel, output: None };
    let mut session = Session::new((process, Beginning::Attached), (Some(writer), manifest), sources, options);
    let mut ending = |elapsed: Duration| attached_ending(process, stop, options, elapsed);
    let ending = session.run(&mut ending, observer);
    let stopped = if ending == Ending::ProgramEnded && !session.outlives_main() { Ok(()) } else { session.stop() };
    let manifest = session.finish(stopped, None, observer)?;
    Ok(Outcome { manifest, ending, exit: None })
}

/// Why the collection of a running process ends now. `None`: the collection continues.
fn attached_ending(process: Process, stop: &Stop, options: &CollectOptions, elapsed: Duration) -> Option<Ending> {
    let is_over = options.duration.is_some_and(|duration| elapsed >= duration);
    match (process.is_alive(), stop.take().is_empty()) {
        (false, _) => Some(Ending::ProgramEnded),
        (true, false) => Some(Ending::Interrupted),
        (true, true) => is_over.then_some(Ending::DurationOver),
    }
}

/// If the process is a JVM, starts the profiler in it. Then starts the kernel side, which requests stacks at once. Returns what
/// the JVM cannot report.
pub(crate) fn begin_attached(
    (jvm, agent): (Option<&Jvm>, Option<&Agent>),
    chosen: &mut ChosenEngine,
    process: Process,
    options: &CollectOptions,
) -> Result<Option<&'static str>, Error> {
    let mut left_out = None;
    if let (Some(jvm), Some(agent)) = (jvm, agent) {
        if options.takes_over {
            agent.take_over(jvm)?;
        }
        left_out = agent.start(jvm, options, chosen.engine)?;
    }
    let observed = chosen.kernel.as_mut().map_or(Ok(()), |kernel| kernel.observe(process));
    if let (Err(_), Some(agent)) = (&observed, agent) {
        // The user gets the reason why nothing is collected, not a second error.
        let _ = agent.stop(process);
    }
    observed?;
    if let (Some(kernel), Some(_)) = (&mut chosen.kernel, agent) {
        confirm_handler(kernel, process);
    }
    Ok(left_out)
}

/// Waits a short time for the confirmation of the profiler's handler. Until then, the kernel side copies stacks, and
/// copied stacks do not show Java code. In a busy JVM, the handler is confirmed at once. An idle JVM needs no stacks.
fn confirm_handler(kernel: &mut KernelSide, process: Process) {
    let began = Instant::now();
    while !kernel.confirm_handler(process) && began.elapsed() < CONFIRM_PATIENCE {
        std::thread::sleep(CONFIRM_INTERVAL);
    }
}

/// Sets how often the profiler observes the threads of a JVM to find their waits, and adds to the manifest what this cannot
/// show. `threads` is the number of threads of a running JVM.
fn observe_waits(
    (agent, manifest): (Option<&mut Agent>, &mut Manifest),
    (options, engine): (&CollectOptions, Engine),
    threads: Option<usize>,
) {
    let Some(agent) = agent else { return };
    agent.wall_interval_ns = wall_clock::interval_ns(&options.events, engine, threads);
    wall_clock::describe(manifest, agent.wall_interval_ns);
    if agent.wall_interval_ns.is_some() {
        session::leave_out(manifest, wall_clock::ESTIMATED);
    }
}

/// The marks of the agent are system calls, which only the kernel side sees.
fn check_instrument(options: &CollectOptions, chosen: &ChosenEngine) -> Result<(), Error> {
    if options.instrument && chosen.engine != Engine::Kernel {
        return Err(Error::InstrumentNeedsKernel { reason: chosen.reason.clone() });
    }
    Ok(())
}

/// Reports the options that this engine ignores.
fn tell_ignored(options: &CollectOptions, chosen: &ChosenEngine, observer: &mut dyn Observer) {
    if chosen.engine == Engine::Kernel {
        return;
    }
    if options.follows {
        observer.note("child processes are not followed: only the engine kernel sees them");
    }
    let needs_kernel = |metric: &Metric| metric.facts().engines == Engines::Kernel;
    let is_ignored = |metric: Metric| needs_kernel(&metric) && options.events.amount(metric).is_wanted();
    if options.events != Events::default() && Metric::chosen().any(is_ignored) {
        let others = events::words(|metric| !needs_kernel(&metric)).join(", ");
        observer.note(&format!("only the events cpu, {others} are collected: the other events need the engine kernel"));
    }
}

pub(crate) fn kernel_options(options: &CollectOptions) -> KernelOptions {
    let CollectOptions { interval, events, follows, instrument, drop_every, .. } = *options;
    KernelOptions { tick: interval, events, follows, has_marks: instrument, drop_every }
}

pub(crate) fn new_manifest(
    options: &CollectOptions,
    chosen: &ChosenEngine,
    (subject, command): (Subject, Vec<String>),
) -> Manifest {
    let mut manifest = Manifest::new(options.written_by.clone());
    manifest.start_wall_ns = Some(host::wall_ns());
    manifest.start_monotonic_ns = Some(host::monotonic_ns());
    manifest.host = Some(host::host());
    manifest.command = options.command_line.command(&command);
    manifest.comment.clone_from(&options.comment);
    manifest.collectors = vec![Collector {
        name: async_profiler::collector_name(chosen.engine, subject),
        engine: chosen.engine.name().to_owned(),
        interval_ns: Some(options.interval.as_nanos() as u64),
        status: CollectorStatus::Used,
        reason: chosen.reason.clone(),
    }];
    if chosen.engine == Engine::Kernel && options.events.has_accounts() {
        manifest.not_counted = NOT_COUNTED.map(str::to_owned).to_vec();
    }
    manifest
}

/// Work that the accounts of system calls do not contain.
const NOT_COUNTED: [&str; 2] = [
    "io_uring: queued operations are not system calls; only io_uring_enter is counted",
    "splice, tee and vmsplice: the calls are counted, but only the first descriptor is named",
];
