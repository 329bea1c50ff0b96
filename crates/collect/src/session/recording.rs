//! Reads the recordings of the profilers in the JVMs. Their chunks come some seconds late.

use super::Session;
use super::profiled_jvm::{ProfiledJvm, Recorded, unmounts_for_monitors};
use crate::kernel::RecordedPart;
use crate::options::Observer;
use whittle_import::Recording;
use whittle_model::{Sample, Table};

impl Session<'_> {
    /// Reads the new chunks of the recordings. True if there were any.
    pub(super) fn read_new_chunks(&mut self, observer: &mut dyn Observer) -> bool {
        self.take_rows();
        let mut has_read = false;
        for index in 0..self.jvms.len() {
            let agent = &mut self.jvms[index].agent;
            agent.open_recording();
            let read = agent.recording.read_finished_chunks(&mut self.gathered.builder);
            if !matches!(read, Ok(false)) {
                let recording = agent.recording.importer().recording().clone();
                self.join_samples(index, &recording);
            }
            has_read |= read.unwrap_or_else(|error| {
                self.notices.once(format!("the recording cannot be read ({error}); whittle tries again"), observer);
                false
            });
        }
        has_read
    }

    /// Reads the rest of all recordings. False if nothing was collected.
    pub(super) fn read_recordings_to_their_end(&mut self, observer: &mut dyn Observer) -> bool {
        let mut has_recording = false;
        for index in 0..self.jvms.len() {
            has_recording |= self.read_to_end(index, observer);
        }
        if let Some(kernel) = &mut self.kernel {
            kernel.finish_join(&mut self.gathered.builder);
            self.take_rows();
        }
        let recorded = std::mem::take(&mut self.ended_recordings);
        self.describe(&recorded);
        // Without a recording, the JVM did not start to run Java.
        has_recording || !self.needs_recording
    }

    /// Reads the rest of the recordings of the selected JVMs, and removes these JVMs from the session.
    pub(super) fn end_jvms(&mut self, is_over: impl Fn(&ProfiledJvm) -> bool, observer: &mut dyn Observer) {
        while let Some(index) = self.jvms.iter().position(&is_over) {
            self.finish_jvm_log(index, observer);
            self.read_to_end(index, observer);
            let news = self.jvms[index].finish_instrument();
            self.tell_news(news, observer);
            let jvm = self.jvms.remove(index);
            if let Some(kernel) = &mut self.kernel {
                kernel.end_samples(jvm.process, &mut self.gathered.builder);
            }
            self.take_rows();
        }
    }

    /// Reads the rest of a recording, and archives the JVM's classes. False if there is no recording.
    fn read_to_end(&mut self, index: usize, observer: &mut dyn Observer) -> bool {
        let ProfiledJvm { agent, .. } = &mut self.jvms[index];
        agent.open_recording();
        let (imported, read_error) = agent.recording.take().finish(&mut self.gathered.builder);
        if let Some(error) = &read_error {
            let kept = agent.folder.keep();
            observer.note(&format!("the end of the recording could not be read ({error}); the file is kept: {kept}"));
        }
        let import = imported.ok();
        let recording = import.as_ref().map(|import| import.recording.clone()).unwrap_or_default();
        self.join_samples(index, &recording);
        self.archive_classes(index, &recording, observer);
        let has_recording = import.is_some();
        if let Some(import) = import {
            let jvm = self.jvms[index].described_by(&recording);
            self.ended_recordings.add(self.process, (&recording, jvm), (&import.metrics, &import.losses));
        }
        has_recording
    }

    /// What the recordings contain so far.
    pub(super) fn recorded_so_far(&self) -> Recorded {
        let mut recorded = self.ended_recordings.clone();
        for jvm in &self.jvms {
            let importer = jvm.agent.recording.importer();
            let recording = importer.recording();
            let described = (recording, jvm.described_by(recording));
            recorded.add(self.process, described, (&importer.metrics(), importer.losses()));
        }
        recorded
    }

    /// Passes new samples of a recording to the kernel side: they answer its signals.
    fn join_samples(&mut self, index: usize, recording: &Recording) {
        let jvm = &self.jvms[index];
        let start_ns = jvm.start_of(recording).unwrap_or_default();
        if let Some(kernel) = &mut self.kernel {
            let part = RecordedPart {
                process: jvm.process,
                start_ns,
                until_ns: start_ns.saturating_add(recording.duration_ns),
                has_monitor_waits: self.options.instrument && unmounts_for_monitors(recording),
            };
            let samples = self.gathered.builder.take_samples();
            kernel.add_samples(part, &samples, &mut self.gathered.builder);
        } else if self.is_segment() {
            self.keep_samples_of_segment(start_ns);
        }
        self.take_rows();
    }

    /// A chunk of the recording can start before the part, and end after it.
    fn keep_samples_of_segment(&mut self, recording_start_ns: u64) {
        let (start_ns, end_ns) = (self.start_ns(), self.end_ns.unwrap_or(u64::MAX));
        let samples = self.gathered.builder.take_samples();
        for row in 0..samples.len() {
            let sample = samples.row(row);
            let time_ns = recording_start_ns.saturating_add(sample.time_ns);
            if (start_ns..end_ns).contains(&time_ns) {
                self.gathered.builder.sample(Sample { time_ns: time_ns - start_ns, ..sample });
            }
        }
    }
}
