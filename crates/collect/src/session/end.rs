//! The last phase: sampling ends, the rest of the data is read, and the last part is written.

use super::{Beginning, Session};
use crate::agent::Agent;
use crate::attach::Jvm;
use crate::jvm_log;
use crate::kernel::{KernelSide, WaitingStacks};
use crate::launch::Ended;
use crate::options::Observer;
use crate::process::Process;
use crate::thread_dump::ThreadDump;
use crate::{Error, host};
use std::time::Duration;
use whittle_experiment::ExperimentWriter;
use whittle_import::Recording;
use whittle_model::{Manifest, State, Table};

/// After the end of sampling, whittle waits this long for signals that were sent but not delivered.
const LAST_SIGNALS: Duration = Duration::from_millis(5);

/// Removes the experiment, and restores the experiment that it would have replaced. Returns the reason. Call this if
/// the target could not be started.
pub(crate) fn abandon(writer: ExperimentWriter, reason: Error) -> Error {
    match writer.abandon() {
        Ok(()) => reason,
        Err(error) => error.into(),
    }
}

impl Session<'_> {
    /// Reads the accounts of a program that has ended, before its exit status is taken.
    pub(crate) fn read_last_accounts(&mut self) {
        self.gathered.accounts.poll_process();
    }

    /// Ends sampling in a process that continues, then ends the profiler inside it.
    pub(crate) fn stop(&mut self) -> Result<(), Error> {
        self.log_end_ns = Some(host::monotonic_ns());
        let dump = self.thread_dump();
        let dump = dump.as_ref().map(|(text, dump_ns)| (ThreadDump::parse(text), *dump_ns));
        self.gathered.accounts.poll();
        if let Some((dump, _)) = &dump {
            self.gathered.accounts.set_names(&dump.names());
        }
        let mut stopped = Ok(());
        if let Some(kernel) = &mut self.kernel {
            // Threads that remain in a system call until the end wait where the dump shows them.
            let waiting =
                dump.map(|(dump, dump_ns)| WaitingStacks::new(dump.stacks(&mut self.gathered.builder), dump_ns));
            let waiting = waiting.unwrap_or_default();
            let end_ns = host::monotonic_ns();
            self.end_ns = Some(end_ns);
            stopped = kernel.stop();
            std::thread::sleep(LAST_SIGNALS);
            kernel.finish_events((&waiting, end_ns), &mut self.gathered);
        }
        if let (Some(_), Some(agent)) = (&self.jvm_log, &self.agent) {
            self.end_note = jvm_log::stop(self.process, &agent.folder, agent.identity());
        }
        self.agent.as_ref().map_or(Ok(()), |agent| agent.stop(self.process))?;
        Ok(stopped?)
    }

    /// The JVM's list of threads, and the time on CLOCK_MONOTONIC when it was requested. `None`: the collection does not
    /// need the list, or the JVM returns no list. In this case, waits that are still open have no stack and are counted
    /// as losses, and the names of threads that were never sampled are those of the kernel.
    fn thread_dump(&mut self) -> Option<(String, u64)> {
        let has_waits = self.kernel.as_ref().is_some_and(KernelSide::has_waiting_threads);
        let is_wanted = has_waits || self.gathered.accounts.has_cut_name();
        let agent = self.agent.as_ref().filter(|_| is_wanted)?;
        let dump_ns = host::monotonic_ns();
        let text = Jvm::find(self.process).and_then(|jvm| jvm.thread_dump(agent.identity())).ok()?;
        Some((text, dump_ns))
    }

    /// Reads the rest of the engine's data and writes the last part. `stopped`: whether the profiler could be stopped,
    /// if the JVM continues. `ended`: how a launched program ended.
    pub(crate) fn finish(
        mut self,
        stopped: Result<(), Error>,
        ended: Option<Ended>,
        observer: &mut dyn Observer,
    ) -> Result<Manifest, Error> {
        if ended.is_none() {
            self.gathered.accounts.poll();
        }
        if self.end_ns.is_none()
            && let Some(kernel) = &mut self.kernel
        {
            let end_ns = host::monotonic_ns();
            self.end_ns = Some(end_ns);
            kernel.finish_events((&WaitingStacks::default(), end_ns), &mut self.gathered);
        }
        self.finish_counters(ended.is_some(), observer);
        self.take_rows();
        self.finish_jvm_log(observer);
        if !self.read_recording_to_its_end(observer) {
            return Err(self.nothing_collected(ended));
        }
        self.describe_end(ended);
        let written = self.write(true);
        if let Some(agent) = self.agent.as_mut().filter(|_| stopped.is_err() || written.is_err()) {
            // While the profiler writes its file, the file must not be removed.
            agent.folder.keep();
        }
        stopped?;
        match written {
            Ok(()) => Ok(self.manifest),
            Err(source) => Err(self.not_all_written(source)),
        }
    }

    fn finish_counters(&mut self, has_ended: bool, observer: &mut dyn Observer) {
        let (start_ns, is_segment) = (self.start_ns(), self.is_segment());
        let table = &mut self.gathered.builder.tables_mut().counters;
        if !is_segment {
            self.counters.close(start_ns, table);
        }
        if has_ended {
            self.counters.finish(start_ns, table);
        }
        let dropped = self.counters.dropped_count();
        if dropped > 0 {
            observer.note(&format!(
                "{dropped} printed numbers are missing: the program printed faster than whittle could read"
            ));
        }
    }

    fn finish_jvm_log(&mut self, observer: &mut dyn Observer) {
        let start_ns = self.start_ns();
        let (Some(log), Some(agent)) = (self.jvm_log.take(), &self.agent) else { return };
        self.end_note.take().into_iter().for_each(|note| observer.note(&note));
        let events = &mut self.gathered.builder.tables_mut().jvm_events;
        match log.finish(&agent.folder, events) {
            Ok(0) => {}
            Ok(count) => {
                observer.note(&format!("{count} pauses and phases of the JVM are left out: there are too many"))
            }
            Err(error) => observer.note(&format!("the end of the JVM's log cannot be read: {error}")),
        }
        // The thread dump at the end stops all threads, too.
        let end_ns = self.log_end_ns.unwrap_or(u64::MAX).saturating_sub(start_ns);
        let is_kept: Vec<bool> = events.start_ns.iter().map(|start_ns| *start_ns < end_ns).collect();
        events.retain(&is_kept);
    }

    pub(super) fn archive_classes(&mut self, recording: &Recording, observer: &mut dyn Observer) {
        let Some(archiver) = self.archiver.take() else { return };
        let archive = archiver.archive(&self.gathered.builder.tables().functions, &recording.system_properties);
        archive.notes.iter().for_each(|note| observer.note(note));
        self.gathered.builder.tables_mut().archive = archive.table;
    }

    fn describe_end(&mut self, ended: Option<Ended>) {
        self.manifest.state = State::Complete;
        if self.beginning == Beginning::Launched {
            self.manifest.closure = Some(self.closure_of_whole_life());
            self.describe_time_without_agent();
        }
        let Some(ended) = ended else { return };
        self.manifest.exit = Some(ended.exit);
        if let Some(resources) = &mut self.manifest.resources {
            // The kernel's value includes the moment between fork and exec, when the process was a copy of whittle.
            let own = Process(std::process::id()).status().ok().and_then(|status| status.peak_resident_bytes);
            let at_end = ended.resources.peak_rss_bytes.filter(|peak| *peak > own.unwrap_or(0));
            resources.peak_rss_bytes = resources.peak_rss_bytes.max(at_end);
            resources.voluntary_switches = ended.resources.voluntary_switches;
            resources.involuntary_switches = ended.resources.involuntary_switches;
        }
    }

    fn not_all_written(&mut self, source: whittle_experiment::Error) -> Error {
        let before = "the data that was written earlier can be opened as an incomplete experiment";
        let kept = match &mut self.agent {
            Some(agent) if self.kernel.is_none() => format!(
                "{before}, and the whole recording is kept: `whittle import {} -o NAME.whittle` imports the recording when \
                 there is space",
                agent.folder.keep()
            ),
            _ => format!("{before}, the rest is lost; free some space and collect again"),
        };
        Error::NotAllWritten { source, kept }
    }

    fn nothing_collected(self, ended: Option<Ended>) -> Error {
        let log = self.agent.as_ref().and_then(Agent::last_error);
        let reason = log.map(|log| format!(": {log}")).unwrap_or_default();
        let error = match self.beginning {
            Beginning::Launched => Error::NothingCollected { reason, exit: ended.map(|ended| ended.exit) },
            Beginning::Attached => Error::NothingRecorded { pid: self.process.0, reason },
        };
        match self.store.into_writer() {
            Some(writer) => abandon(writer, error),
            None => error,
        }
    }
}
