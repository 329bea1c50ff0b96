//! A session that is a part of a continuous collection. The part ends where the next part starts, and is kept in
//! memory.

use super::start::set_start;
use super::{Beginning, Session, Sources};
use crate::agent::Agent;
use crate::kernel::KernelSide;
use crate::options::Observer;
use crate::{Error, host};
use std::time::{Duration, Instant};
use whittle_model::{Manifest, State, Tables, UnitOfWork};

/// How often a continuous collection reads the values of all threads.
const SEGMENT_THREADS_INTERVAL: Duration = Duration::from_secs(10);

/// A record of the kernel side arrives within this time, because a continuous collection reads records in groups.
const SEGMENT_RECORDS_DELAY: Duration = Duration::from_millis(400);

impl Session<'_> {
    /// Polls with as little work as possible, because a continuous collection runs for days, even next to an idle
    /// program.
    pub(super) fn poll_segment(&mut self, observer: &mut dyn Observer) {
        if self.end_ns.is_none() {
            self.gathered.accounts.poll_process();
            self.poll_kernel();
            self.note_counters();
            if self.last_look.elapsed() >= SEGMENT_THREADS_INTERVAL {
                self.last_look = Instant::now();
                self.gathered.accounts.poll_all();
            }
        }
        self.read_new_chunks(observer);
    }

    /// Ends this part of a continuous collection, and returns the next part, which starts at the same time. `agent` has
    /// a new recording, if one was started. `manifest` is the manifest of the next part.
    pub(crate) fn cut(&mut self, mut manifest: Manifest, agent: Option<Agent>, observer: &mut dyn Observer) -> Self {
        let at_ns = self.close();
        self.read_new_chunks(observer);
        let agent = agent.or_else(|| self.agent().map(Agent::for_next_segment));
        let kernel = self.kernel.as_mut().map(|kernel| kernel.next_segment(at_ns));
        set_start(&mut manifest, at_ns);
        let sources = Sources { agent, kernel, has_jvm_log: false, output: None };
        let mut next = Self::new((self.process, Beginning::Attached), (None, manifest), sources, self.options);
        next.gathered.accounts = self.gathered.accounts.for_next_segment();
        next
    }

    /// Reads the values at the end of a part and takes the records until then. Returns the end in CLOCK_MONOTONIC.
    pub(crate) fn close(&mut self) -> u64 {
        self.gathered.accounts.poll_all();
        let at_ns = if self.process.is_alive() { self.gathered.accounts.polled_ns() } else { host::monotonic_ns() };
        self.end_ns = Some(at_ns);
        let start_ns = self.start_ns();
        self.counters.close(start_ns, &mut self.gathered.builder.tables_mut().counters);
        if let Some(kernel) = &mut self.kernel {
            std::thread::sleep(SEGMENT_RECORDS_DELAY);
            kernel.take_until(at_ns, &mut self.gathered);
        }
        at_ns
    }

    /// Ends the observation of a running or ended process, after [`close`](Self::close).
    pub(crate) fn stop_segment(&mut self) -> Result<(), Error> {
        let stopped = self.kernel.as_mut().map_or(Ok(()), KernelSide::stop);
        self.agent().map_or(Ok(()), |agent| agent.stop(self.process))?;
        Ok(stopped?)
    }

    /// Sets the units of work of this part.
    pub(crate) fn set_units_of_work(&mut self, units: Vec<UnitOfWork>) {
        self.work = units;
    }

    /// True if the last stacks of a finished part have been read.
    pub(crate) fn is_settled(&self) -> bool {
        let Some(jvm) = self.jvms.first() else { return true };
        let recording = jvm.agent.recording.importer().recording();
        let recorded_ns = jvm.start_of(recording).map_or(0, |start_ns| start_ns.saturating_add(recording.duration_ns));
        self.end_ns.is_some_and(|end_ns| recorded_ns > end_ns)
    }

    /// The profiler in the JVM.
    pub(crate) fn agent(&self) -> Option<&Agent> {
        self.jvms.first().map(|jvm| &jvm.agent)
    }

    /// The manifest and tables of a finished part. `is_recording_over`: its recording is complete.
    pub(crate) fn into_segment(mut self, is_recording_over: bool, observer: &mut dyn Observer) -> (Manifest, Tables) {
        if is_recording_over {
            self.read_recordings_to_their_end(observer);
        } else {
            if let Some(kernel) = &mut self.kernel {
                kernel.finish_join(&mut self.gathered.builder);
            }
            self.take_rows();
            self.describe_so_far();
        }
        if let Some(kernel) = &mut self.kernel {
            kernel.write_tables(&mut self.gathered.builder, true);
        }
        self.count_ended_threads();
        self.manifest.state = State::Complete;
        (self.manifest, self.store.into_tables(self.gathered.builder))
    }

    /// Adds the last moments of an ended process to the exact CPU time. Only the records of its threads' ends contain
    /// this time.
    fn count_ended_threads(&mut self) {
        let of_threads: u64 = self.gathered.builder.tables().threads.cpu_ns.iter().flatten().sum();
        if let Some(closure) = self.manifest.closure.as_mut().filter(|_| !self.process.is_alive()) {
            closure.exact_cpu_ns = closure.exact_cpu_ns.max(of_threads);
        }
    }
}
