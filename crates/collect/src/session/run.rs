//! The second phase: the session polls its sources until there is a reason to end.

use super::{POLL_INTERVAL, Session};
use crate::attach;
use crate::options::{Ending, Observer, Progress};
use crate::process::Process;
use std::time::{Duration, Instant};

/// The interval of polls until the recording exists. It is short, because CPU time before the recording is interpolated
/// between polls, and because these polls confirm the profiler's signal handler.
const EARLY_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// If the recording does not appear within this time, whittle notifies the user.
const START_PATIENCE: Duration = Duration::from_secs(10);

/// How often parts are written if they do not follow a recording's chunks.
const WRITE_INTERVAL: Duration = Duration::from_secs(5);

/// How often whittle checks if an observed process is a JVM.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

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
            std::thread::sleep(self.pause(elapsed, observer));
        }
    }

    /// Takes all available data.
    pub(crate) fn poll(&mut self, observer: &mut dyn Observer) {
        if self.is_segment() {
            self.poll_segment(observer);
            return;
        }
        self.gathered.accounts.poll();
        self.look_for_jvms(observer);
        self.poll_kernel();
        if let Some(archiver) = &mut self.archiver {
            archiver.poll();
        }
        self.note_counters();
        let has_read = self.read_new_chunks(observer);
        self.read_jvm_log(observer);
        if has_read || self.kernel.is_some() && self.store.since_write() >= WRITE_INTERVAL {
            self.write_part(observer);
        }
    }

    /// Notifies the user of a JVM without the profiler, for example if a script started the JVM. Such a JVM is observed
    /// only from outside, without its Java code.
    fn look_for_jvms(&mut self, observer: &mut dyn Observer) {
        let Some(kernel) = self.kernel.as_ref().filter(|_| self.last_look.elapsed() >= LOOK_INTERVAL) else { return };
        self.last_look = Instant::now();
        let has_agent = |process: &Process| self.agent.is_some() && *process == self.process;
        let jvm = kernel.processes().into_iter().find(|process| !has_agent(process) && attach::is_jvm(*process));
        if let Some(Process(pid)) = jvm {
            let text = format!(
                "process {pid} is a JVM without the profiler inside, so its Java methods are not visible: collect it \
                 with -p {pid}, or put its `java` command directly after `--`"
            );
            self.notices.once(text, observer);
        }
    }

    fn pause(&mut self, elapsed: Duration, observer: &mut dyn Observer) -> Duration {
        let is_unconfirmed = self.kernel.as_ref().is_some_and(|kernel| !kernel.is_handler_confirmed());
        let is_awaited = self.agent.as_ref().is_some_and(|agent| !agent.recording.is_open() || is_unconfirmed);
        let is_early = is_awaited && elapsed < START_PATIENCE;
        if !is_early && let Some(agent) = self.agent.as_ref().filter(|agent| !agent.recording.is_open()) {
            let reason = agent.last_error().map_or(String::new(), |reason| format!(": {reason}"));
            self.notices.once(format!("the profiler inside the program has not started yet{reason}"), observer);
        }
        let pause = if is_early { EARLY_POLL_INTERVAL } else { POLL_INTERVAL };
        self.options.duration.map_or(pause, |duration| pause.min(duration.saturating_sub(elapsed)))
    }
}
