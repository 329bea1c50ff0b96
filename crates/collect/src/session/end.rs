//! The last phase: sampling ends, the rest of the data is read, and the last part is written.

use super::jvm_search::Found;
use super::profiled_jvm::ProfiledJvm;
use super::{Beginning, Session};
use crate::class_archive;
use crate::instrument::Instrument;
use crate::kernel::{Dumped, KernelSide, WaitingStacks};
use crate::launch::Ended;
use crate::options::Observer;
use crate::process::Process;
use crate::thread_dump::ThreadDump;
use crate::{Error, host};
use std::time::{Duration, Instant};
use whittle_experiment::ExperimentWriter;
use whittle_import::Recording;
use whittle_model::{Manifest, State, Table};

/// After the end of sampling, whittle waits this long for signals that were sent but not delivered.
const LAST_SIGNALS: Duration = Duration::from_millis(5);

/// After this time, no further thread dump is requested. A hostile program can delay its dump.
const DUMPS_PATIENCE: Duration = Duration::from_secs(20);

/// The agents in all JVMs have this time to restore the classes. After that, each agent does it itself when whittle has ended.
const RESTORE_PATIENCE: Duration = Duration::from_secs(10);

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
        self.take_last_jvms();
        self.log_end_ns = Some(host::monotonic_ns());
        let waiting = self.waiting_stacks();
        let mut stopped = Ok(());
        if let Some(kernel) = &mut self.kernel {
            let end_ns = host::monotonic_ns();
            self.end_ns = Some(end_ns);
            stopped = kernel.stop();
            std::thread::sleep(LAST_SIGNALS);
            kernel.finish_events((&waiting, end_ns), &mut self.gathered);
        }
        // The profilers read the names of methods when they end. Restoring classes can remove methods.
        let profilers = self.stop_profilers();
        self.stop_instruments();
        profilers?;
        Ok(stopped?)
    }

    /// Restores the classes that the agents have changed, in all JVMs at the same time. A JVM that hangs delays the end
    /// only by [`RESTORE_PATIENCE`].
    fn stop_instruments(&mut self) {
        let (main, deadline) = (self.process, Instant::now() + RESTORE_PATIENCE);
        let live = self.jvms.iter_mut().filter(|jvm| jvm.process == main || !jvm.has_ended());
        let mut instruments: Vec<Instrument> = live.filter_map(ProfiledJvm::take_instrument).collect();
        instruments.iter_mut().for_each(|instrument| instrument.begin_stop(deadline));
        for news in instruments.into_iter().flat_map(|instrument| instrument.finish_stop(deadline)) {
            let note = self.take_news(news);
            self.end_notes.extend(note);
        }
    }

    /// Reads the last reports of the agents in JVMs that have ended.
    fn finish_instruments(&mut self) {
        for news in self.jvms.iter_mut().flat_map(ProfiledJvm::finish_instrument).collect::<Vec<_>>() {
            let note = self.take_news(news);
            self.end_notes.extend(note);
        }
    }

    /// Ends the profilers. Returns the first error. Further errors become notes.
    fn stop_profilers(&mut self) -> Result<(), Error> {
        let mut stopped = Ok(());
        for jvm in self.jvms.iter().filter(|jvm| jvm.process == self.process || !jvm.has_ended()) {
            self.end_notes.extend(jvm.stop_log());
            match (jvm.stop(), &stopped) {
                (Err(error), Ok(())) => stopped = Err(error),
                (Err(error), Err(_)) => self.end_notes.push(error.to_string()),
                (Ok(()), _) => {}
            }
        }
        stopped
    }

    /// Ends the search for JVMs.
    fn take_last_jvms(&mut self) {
        for found in self.jvm_search.take().map(|search| search.finish()).unwrap_or_default() {
            match found {
                Found::Started(started) => self.add_started(*started),
                Found::Failed(note) => self.end_notes.push(note),
            }
        }
    }

    /// True if a JVM that the program started continues after the program's end. Ends the search for JVMs.
    pub(crate) fn outlives_main(&mut self) -> bool {
        self.take_last_jvms();
        self.jvms.iter().any(|jvm| jvm.process != self.process && !jvm.has_ended())
    }

    /// The stacks of threads that remain in a system call until the end: they wait where thread dumps of the JVMs show
    /// them. If a JVM returns no dump, its waits that are still open have no stack and are counted as losses, and the
    /// names of its threads that were never sampled are those of the kernel.
    fn waiting_stacks(&mut self) -> WaitingStacks {
        let has_waits = self.kernel.as_ref().is_some_and(KernelSide::has_waiting_threads);
        let deadline = Instant::now() + DUMPS_PATIENCE;
        let (mut waiting, mut names) = (WaitingStacks::default(), None);
        for jvm in &self.jvms {
            let is_main = jvm.process == self.process;
            let is_wanted = has_waits || is_main && self.gathered.accounts.has_cut_name();
            if !is_wanted || Instant::now() > deadline {
                continue;
            }
            let Some((text, dump_ns)) = jvm.thread_dump() else { continue };
            let dump = ThreadDump::parse(&text);
            if is_main {
                names = Some(dump.names());
            }
            let stacks = dump.stacks(&mut self.gathered.builder);
            let holders = dump.holders(&mut self.gathered.builder);
            waiting.add(jvm.process, Dumped { stacks, holders }, dump_ns);
        }
        self.gathered.accounts.poll();
        if let Some(names) = names {
            self.gathered.accounts.set_names(&names);
        }
        waiting
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
        self.finish_jvm_logs(observer);
        self.finish_instruments();
        self.end_notes.drain(..).for_each(|note| observer.note(&note));
        if !self.read_recordings_to_their_end(observer) {
            return Err(self.nothing_collected(ended));
        }
        self.describe_end(ended);
        let written = self.write(true);
        if stopped.is_err() || written.is_err() {
            // While a profiler writes its file, the file must not be removed.
            self.jvms.iter().for_each(|jvm| drop(jvm.agent.folder.keep()));
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

    /// Reads the rest of a JVM's log.
    pub(super) fn finish_jvm_log(&mut self, index: usize, observer: &mut dyn Observer) {
        match self.jvms[index].finish_log(&mut self.gathered.builder.tables_mut().jvm_events) {
            Ok(0) => {}
            Ok(count) => {
                observer.note(&format!("{count} pauses and phases of the JVM are left out: there are too many"))
            }
            Err(error) => observer.note(&format!("the end of the JVM's log cannot be read: {error}")),
        }
    }

    fn finish_jvm_logs(&mut self, observer: &mut dyn Observer) {
        for index in 0..self.jvms.len() {
            self.finish_jvm_log(index, observer);
        }
        let start_ns = self.start_ns();
        let events = &mut self.gathered.builder.tables_mut().jvm_events;
        // The thread dump at the end stops all threads, too.
        let end_ns = self.log_end_ns.unwrap_or(u64::MAX).saturating_sub(start_ns);
        let is_kept: Vec<bool> = events.start_ns.iter().map(|start_ns| *start_ns < end_ns).collect();
        events.retain(&is_kept);
    }

    pub(super) fn archive_classes(&mut self, index: usize, recording: &Recording, observer: &mut dyn Observer) {
        let is_only = self.jvms.len() == 1 && self.ended_recordings.recording.jvm.is_none();
        // Only a collection with the kernel side has several JVMs.
        let is_over = self.kernel.is_none() || self.end_ns.is_some();
        let time = if is_over { class_archive::MAX_TIME } else { class_archive::MAX_TIME_MEANWHILE };
        let Some(archive) = self.jvms[index].archive_classes(recording, time, &self.gathered.builder) else { return };
        // Another JVM can have the missing classes.
        let not_found = archive.not_found.iter().filter(|_| is_only);
        not_found.chain(&archive.notes).for_each(|note| observer.note(note));
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
        let kept = match self.jvms.first() {
            Some(jvm) if self.kernel.is_none() => format!(
                "{before}, and the whole recording is kept: `whittle import {} -o NAME.whittle` imports the recording when \
                 there is space",
                jvm.agent.folder.keep()
            ),
            _ => format!("{before}, the rest is lost; free some space and collect again"),
        };
        Error::NotAllWritten { source, kept }
    }

    fn nothing_collected(self, ended: Option<Ended>) -> Error {
        let log = self.jvms.first().and_then(|jvm| jvm.agent.last_error());
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
