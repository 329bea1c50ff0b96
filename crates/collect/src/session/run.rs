//! The second phase: the session polls its sources until there is a reason to end.

use super::description::{add_agent, leave_out};
use super::jvm_search::{Found, JvmSearch, StartedJvm};
use super::profiled_jvm::{JvmParts, ProfiledJvm};
use super::{Beginning, POLL_INTERVAL, Session};
use crate::async_profiler;
use crate::engine::{Engine, Subject};
use crate::instrument::News;
use crate::options::{Ending, Observer, Progress};
use std::time::{Duration, Instant};

/// The interval of polls until the recording exists. It is short, because CPU time before the recording is interpolated
/// between polls, and because these polls confirm the profiler's signal handler.
const EARLY_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// If the recording does not appear within this time, whittle notifies the user.
const START_PATIENCE: Duration = Duration::from_secs(10);

/// The early polls of a JVM that the program started. A busy JVM needs some hundredths of a second.
const EARLY_TIME: Duration = Duration::from_secs(1);

/// Minimum time between two parts. Several JVMs finish chunks at different times.
const MIN_WRITE_INTERVAL: Duration = Duration::from_secs(1);

/// How often parts are written if they do not follow a recording's chunks.
const WRITE_INTERVAL: Duration = Duration::from_secs(5);

/// How often whittle asks for JVMs that begin. A starting JVM uses its most CPU time in its first second.
const SEARCH_INTERVAL: Duration = Duration::from_millis(20);

impl Session<'_> {
    /// Polls until `ending` gives a reason to end.
    pub(crate) fn run(
        &mut self,
        ending: &mut dyn FnMut(Duration) -> Option<Ending>,
        observer: &mut dyn Observer,
    ) -> Ending {
        loop {
            let elapsed = self.started.elapsed();
            if let Some(ending) = ending(elapsed) {
                return ending;
            }
            self.poll(observer);
            observer.progress(&Progress {
                elapsed,
                sample_count: self.store.sampled.sample_count,
                closure_ratio: self.closure_so_far().ratio(),
            });
            let pause = self.pause(elapsed, observer);
            self.wait(pause);
        }
    }

    /// Takes all available data.
    pub(crate) fn poll(&mut self, observer: &mut dyn Observer) {
        if self.is_segment() {
            self.poll_segment(observer);
            return;
        }
        self.gathered.accounts.poll();
        self.take_found_jvms(observer);
        self.poll_kernel();
        self.jvms.iter_mut().for_each(ProfiledJvm::poll_jars);
        self.poll_instruments(observer);
        self.note_counters();
        self.has_unwritten_chunks |= self.read_new_chunks(observer);
        self.read_jvm_logs(observer);
        self.end_ended_jvms(observer);
        let since = self.store.since_write();
        if self.has_unwritten_chunks && since >= MIN_WRITE_INTERVAL || self.kernel.is_some() && since >= WRITE_INTERVAL
        {
            self.has_unwritten_chunks = false;
            self.write_part(observer);
        }
    }

    fn poll_instruments(&mut self, observer: &mut dyn Observer) {
        let news = self.jvms.iter_mut().flat_map(ProfiledJvm::poll_instrument).collect();
        self.tell_news(news, observer);
    }

    pub(super) fn tell_news(&mut self, news: Vec<News>, observer: &mut dyn Observer) {
        for note in news.into_iter().filter_map(|news| self.take_news(news)).collect::<Vec<_>>() {
            observer.note(&note);
        }
    }

    /// Adds to the manifest what the agent has done, and what it cannot show. Returns a note for the user. The user reads
    /// the texts of collectors in the manifest at the end.
    pub(super) fn take_news(&mut self, news: News) -> Option<String> {
        match news {
            News::Note(note) => Some(note),
            News::Missing(what) => {
                leave_out(&mut self.manifest, &what);
                None
            }
            News::Places(places) => {
                add_agent(&mut self.manifest, &places);
                None
            }
            News::Lost(what) => {
                self.manifest.not_counted.push(what.clone());
                Some(what)
            }
        }
    }

    /// Takes the JVMs in which the search has started the profiler.
    fn take_found_jvms(&mut self, observer: &mut dyn Observer) {
        for found in self.jvm_search.as_mut().map(|search| search.take()).unwrap_or_default() {
            match found {
                Found::Started(started) => self.add_jvm(*started, observer),
                Found::Failed(note) => observer.note(&note),
            }
        }
    }

    fn add_jvm(&mut self, mut started: StartedJvm, observer: &mut dyn Observer) {
        started.note.take().into_iter().for_each(|note| observer.note(&note));
        // The process executed a second JVM.
        self.end_jvms(|jvm| jvm.process == started.process, observer);
        self.add_started(started);
    }

    /// Adds a JVM with a new profiler.
    pub(super) fn add_started(&mut self, started: StartedJvm) {
        let StartedJvm { process, agent, is_described, has_log, left_out, note } = started;
        self.end_notes.extend(note);
        left_out.iter().for_each(|what| leave_out(&mut self.manifest, what));
        if is_described {
            self.counters.watch_jvm(process, self.beginning == Beginning::Launched);
        }
        let parts = JvmParts {
            weight_per_sample_ns: None,
            start_ns: self.start_ns(),
            has_log,
            has_classes: true,
            instrument: self.options.instrument,
        };
        self.jvms.push(ProfiledJvm::new(process, agent, parts));
        if let Some(collector) = self.manifest.collectors.first_mut() {
            collector.name = async_profiler::collector_name(Engine::Kernel, Subject::Java);
        }
    }

    /// Reads the rest of the recordings of JVMs that have ended before the main process.
    fn end_ended_jvms(&mut self, observer: &mut dyn Observer) {
        let main = self.process;
        if self.jvms.iter().any(|jvm| jvm.process != main) {
            self.end_jvms(|jvm| jvm.process != main && jvm.has_ended(), observer);
        }
    }

    /// Waits for the next poll, and meanwhile looks for new JVMs. Returns early if there is one.
    fn wait(&mut self, pause: Duration) {
        let until = Instant::now() + pause;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let is_found = match (&mut self.jvm_search, &self.kernel) {
                (Some(search), Some(kernel)) => search.look(kernel, self.jvms.len()),
                _ => return std::thread::sleep(left),
            };
            if is_found || left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(SEARCH_INTERVAL));
        }
    }

    fn pause(&mut self, elapsed: Duration, observer: &mut dyn Observer) -> Duration {
        let is_unconfirmed =
            |jvm: &ProfiledJvm| self.kernel.as_ref().is_some_and(|kernel| !kernel.is_handler_confirmed(jvm.process));
        let is_early = self.jvms.iter().any(|jvm| {
            let patience = if jvm.process == self.process { START_PATIENCE } else { EARLY_TIME };
            jvm.added.elapsed() < patience && (!jvm.agent.recording.is_open() || is_unconfirmed(jvm))
        });
        let mut late = self.jvms.iter().filter(|jvm| jvm.added.elapsed() >= START_PATIENCE);
        if let Some(jvm) = late.find(|jvm| !jvm.agent.recording.is_open()) {
            let reason = jvm.agent.last_error().map_or(String::new(), |reason| format!(": {reason}"));
            self.notices.once(format!("the profiler inside the program has not started yet{reason}"), observer);
        }
        let has_young = self.jvm_search.as_ref().is_some_and(JvmSearch::has_young_jvm);
        let pause = match (is_early, has_young) {
            (true, _) => EARLY_POLL_INTERVAL,
            (false, true) => SEARCH_INTERVAL,
            (false, false) => POLL_INTERVAL,
        };
        self.options.duration.map_or(pause, |duration| pause.min(duration.saturating_sub(elapsed)))
    }
}
