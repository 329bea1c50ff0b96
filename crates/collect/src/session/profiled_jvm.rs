//! A JVM of a session with the profiler inside: its recording, its own log, and the origins of its classes.

use crate::Error;
use crate::agent::Agent;
use crate::attach::Jvm;
use crate::class_archive::{ClassArchive, ClassArchiver};
use crate::host;
use crate::instrument::{Instrument, News};
use crate::jdk_version::feature_release;
use crate::jvm_log::{self, GrowingJvmLog};
use crate::process::Process;
use crate::process_memory::command_line;
use crate::running::name_of_java;
use std::io;
use std::time::{Duration, Instant};
use whittle_import::{JfrOptions, Recording};
use whittle_model::{JvmEventTable, JvmProcess, LossReason, Losses, MetricDefinition, TableBuilder};

/// See [`Stat::identity`](crate::process::Stat::identity).
type ProgramIdentity = (u64, (u64, u64));

/// The first JDK in which a virtual thread that waits for a monitor leaves its carrier (JEP 491).
const UNMOUNTS_FOR_MONITORS: u32 = 24;

/// A JVM with the profiler inside.
pub(super) struct ProfiledJvm {
    pub(super) process: Process,
    /// The name of its program.
    program: String,
    /// The start of the process, and its program. `None`: it had ended before it was read.
    identity: Option<ProgramIdentity>,
    pub(super) agent: Agent,
    /// How far CLOCK_MONOTONIC of the process is ahead of the machine's. The recording has times of the process.
    monotonic_offset_ns: i64,
    log: Option<GrowingJvmLog>,
    archiver: Option<ClassArchiver>,
    /// The agent that changes classes. Missing: the user did not choose it.
    instrument: Option<Instrument>,
    /// When the session began to read the recording.
    pub(super) added: Instant,
}

/// Whether a virtual thread that waits for a monitor leaves its carrier.
pub(super) fn unmounts_for_monitors(recording: &Recording) -> bool {
    let release = recording.jvm.as_ref().and_then(|jvm| feature_release(&jvm.version));
    release.is_some_and(|release| release >= UNMOUNTS_FOR_MONITORS)
}

/// What a session needs from a JVM.
#[derive(Debug, Clone, Copy)]
pub(super) struct JvmParts {
    /// The weight of a CPU sample, if timers take the samples.
    pub(super) weight_per_sample_ns: Option<u64>,
    /// Start of the experiment on CLOCK_MONOTONIC of the machine.
    pub(super) start_ns: u64,
    /// Whether the JVM writes its own log to the session's folder.
    pub(super) has_log: bool,
    pub(super) has_classes: bool,
    /// Whether whittle's agent changes classes of the JVM.
    pub(super) instrument: bool,
}

impl ProfiledJvm {
    pub(super) fn new(process: Process, mut agent: Agent, parts: JvmParts) -> Self {
        let JvmParts { weight_per_sample_ns, start_ns, has_log, has_classes, instrument } = parts;
        let process_id = Some(process.0);
        agent.set_import(JfrOptions { weight_per_sample_ns, process_id, sleeping_is_waiting: true });
        let monotonic_offset_ns = process.monotonic_offset_ns();
        let log_start_ns = start_ns.saturating_add_signed(monotonic_offset_ns);
        let instrument = instrument.then(|| Instrument::start(process, &agent.folder, agent.identity()));
        Self {
            process,
            program: name_of_java(&command_line(process)),
            identity: identity_of(process),
            agent,
            monotonic_offset_ns,
            log: has_log.then(|| GrowingJvmLog::new(log_start_ns)),
            archiver: has_classes.then(|| ClassArchiver::new(process)),
            instrument,
            added: Instant::now(),
        }
    }

    /// True if the process has ended or executes another program.
    pub(super) fn has_ended(&self) -> bool {
        !self.process.is_alive() || !is_same_program(self.identity, identity_of(self.process))
    }

    /// Records the jars that the JVM has open. Call this regularly.
    pub(super) fn poll_jars(&mut self) {
        if let Some(archiver) = &mut self.archiver {
            archiver.poll();
        }
    }

    /// The process with its JVM, as `recording` describes it.
    pub(super) fn described_by(&self, recording: &Recording) -> Option<JvmProcess> {
        let jvm = recording.jvm.as_ref()?.into();
        Some(JvmProcess { process_id: self.process.0, program: self.program.clone(), jvm })
    }

    /// Start of the recording on the machine's CLOCK_MONOTONIC, if known.
    pub(super) fn start_of(&self, recording: &Recording) -> Option<u64> {
        recording.start_clock_ns.map(|start_ns| start_ns.saturating_add_signed(-self.monotonic_offset_ns))
    }

    /// Reads what the JVM has written to its log.
    pub(super) fn read_log(&mut self, events: &mut JvmEventTable) -> io::Result<()> {
        self.log.as_mut().map_or(Ok(()), |log| log.read(&self.agent.folder, events))
    }

    /// Reads the rest of the JVM's log. Returns the number of events that were left out.
    pub(super) fn finish_log(&mut self, events: &mut JvmEventTable) -> io::Result<u64> {
        self.log.take().map_or(Ok(0), |log| log.finish(&self.agent.folder, events))
    }

    /// Ends the JVM's log, if the JVM continues. Returns a note for the user if this failed.
    pub(super) fn stop_log(&self) -> Option<String> {
        self.log.as_ref().and_then(|_| jvm_log::stop(self.process, &self.agent.folder, self.agent.identity()))
    }

    /// What became of the agent that changes classes, since the last call.
    pub(super) fn poll_instrument(&mut self) -> Vec<News> {
        self.instrument.as_mut().map(Instrument::poll).unwrap_or_default()
    }

    /// The agent that changes classes, if there is one. It is not a part of this JVM any more.
    pub(super) fn take_instrument(&mut self) -> Option<Instrument> {
        self.instrument.take()
    }

    /// The last report of the agent in a JVM that has ended.
    pub(super) fn finish_instrument(&mut self) -> Vec<News> {
        self.instrument.take().map(|mut instrument| instrument.last_report()).unwrap_or_default()
    }

    /// The stacks of all Java threads as text, and the time on CLOCK_MONOTONIC when they were requested. `None`: the JVM
    /// returns no stacks.
    pub(super) fn thread_dump(&self) -> Option<(String, u64)> {
        let dump_ns = host::monotonic_ns();
        let text = Jvm::find(self.process).and_then(|jvm| jvm.thread_dump(self.agent.identity())).ok()?;
        Some((text, dump_ns))
    }

    /// Ends the profiler, if the JVM continues.
    pub(super) fn stop(&self) -> Result<(), Error> {
        self.agent.stop(self.process)
    }

    /// Archives the classes of the samples, once. `None`: this was done before, or the session needs no classes.
    /// The search for their files ends after `time`.
    pub(super) fn archive_classes(
        &mut self,
        recording: &Recording,
        time: Duration,
        builder: &TableBuilder,
    ) -> Option<ClassArchive> {
        let tables = builder.tables();
        let archiver = self.archiver.take()?;
        Some(archiver.archive((&tables.functions, &tables.archive), &recording.system_properties, time))
    }
}

/// True if both are of the same process and program. If the first thread has ended, the program is unknown.
fn is_same_program(first: Option<ProgramIdentity>, second: Option<ProgramIdentity>) -> bool {
    let is_unknown = |identity: Option<ProgramIdentity>| identity.is_none_or(|(_, program)| program == (0, 0));
    let start = |identity: Option<ProgramIdentity>| identity.map(|(start_ticks, _)| start_ticks);
    first == second || (is_unknown(first) || is_unknown(second)) && start(first) == start(second)
}

fn identity_of(process: Process) -> Option<ProgramIdentity> {
    process.stat().map(|stat| stat.identity())
}

/// What the recordings of a session's JVMs contain besides samples.
#[derive(Debug, Clone, Default)]
pub(super) struct Recorded {
    /// The recording of the main process, otherwise the first recording that describes its JVM.
    pub(super) recording: Recording,
    /// The JVMs.
    pub(super) jvms: Vec<JvmProcess>,
    /// The metrics of all recordings.
    pub(super) metrics: Vec<MetricDefinition>,
    pub(super) losses: Losses,
}

impl Recorded {
    /// Adds a recording of a JVM. `main` is the main process. `jvm` is missing if the recording does not describe its JVM.
    pub(super) fn add(
        &mut self,
        main: Process,
        (recording, jvm): (&Recording, Option<JvmProcess>),
        (metrics, losses): (&[MetricDefinition], &Losses),
    ) {
        if self.recording.jvm.is_none() || jvm.as_ref().is_some_and(|jvm| jvm.process_id == main.0) {
            self.recording = recording.clone();
        }
        self.jvms.extend(jvm);
        let is_new = |metric: &&MetricDefinition| self.metrics.iter().all(|known| known.name != metric.name);
        let new: Vec<_> = metrics.iter().filter(is_new).cloned().collect();
        self.metrics.extend(new);
        self.losses.merge(losses);
    }

    /// Losses that concern whole recordings. Losses of single stacks are counted with the events' weights.
    pub(super) fn losses_of_input(&self) -> Losses {
        let mut of_input = Losses::default();
        for loss in self.losses.iter() {
            match (loss.reason, loss.input_bytes) {
                (reason, Some(bytes)) => of_input.add_input_bytes(reason, bytes),
                (LossReason::ProfilerBusy, None) => of_input.add_count(loss.reason, loss.count),
                _ => {}
            }
        }
        of_input
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_import::JvmInformation;

    #[test]
    fn the_main_process_describes_the_jvm_and_all_recordings_have_metrics() {
        let of = |version: &str| Recording {
            jvm: Some(JvmInformation { version: version.to_owned(), ..JvmInformation::default() }),
            ..Recording::default()
        };
        let losses = |bytes| {
            let mut losses = Losses::default();
            losses.add_input_bytes(LossReason::DamagedInput, bytes);
            losses
        };
        let jvm = |process_id| Some(JvmProcess { process_id, ..JvmProcess::default() });
        let mut recorded = Recorded::default();
        let main = Process(3);
        recorded.add(main, (&of("8"), jvm(1)), (&[], &losses(5)));
        recorded.add(main, (&of("11"), jvm(2)), (&[], &losses(6)));
        assert_eq!(recorded.recording, of("8"));
        recorded.add(main, (&of("17"), jvm(3)), (&[], &losses(0)));
        recorded.add(main, (&of("21"), jvm(4)), (&[], &losses(0)));
        recorded.add(main, (&Recording::default(), None), (&[], &losses(0)));
        assert_eq!(recorded.recording, of("17"));
        assert_eq!(recorded.losses_of_input(), losses(11));
        assert_eq!(recorded.jvms.iter().map(|jvm| jvm.process_id).collect::<Vec<_>>(), [1, 2, 3, 4]);
    }
}
