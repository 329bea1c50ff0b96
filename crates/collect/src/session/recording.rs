//! Reads the recording of the profiler in the JVM. Its chunks come some seconds late.

use super::Session;
use crate::options::Observer;
use whittle_import::Recording;
use whittle_model::{Sample, Table};

impl Session<'_> {
    /// Reads the new chunks of the recording. True if there were any.
    pub(super) fn read_new_chunks(&mut self, observer: &mut dyn Observer) -> bool {
        self.take_rows();
        let Some(agent) = &mut self.agent else { return false };
        agent.open_recording();
        let read = agent.recording.read_finished_chunks(&mut self.gathered.builder);
        if !matches!(read, Ok(false)) {
            let recording = agent.recording.importer().recording().clone();
            self.join_samples(&recording);
        }
        read.unwrap_or_else(|error| {
            self.notices.once(format!("the recording cannot be read ({error}); whittle tries again"), observer);
            false
        })
    }

    /// Reads the rest of the recording. False if nothing was collected.
    pub(super) fn read_recording_to_its_end(&mut self, observer: &mut dyn Observer) -> bool {
        let (mut recording, mut metrics, mut losses) = Default::default();
        let mut has_recording = false;
        if let Some(agent) = &mut self.agent {
            agent.open_recording();
            let (imported, read_error) = agent.recording.take().finish(&mut self.gathered.builder);
            if let Some(error) = &read_error {
                let kept = agent.folder.keep();
                observer
                    .note(&format!("the end of the recording could not be read ({error}); the file is kept: {kept}"));
            }
            if let Ok(import) = imported {
                (recording, metrics, losses) = (import.recording, import.metrics, import.losses);
                has_recording = true;
            }
        }
        self.join_samples(&recording);
        if let Some(kernel) = &mut self.kernel {
            kernel.finish_join(&mut self.gathered.builder);
            self.take_rows();
        }
        self.archive_classes(&recording, observer);
        self.describe(&recording, metrics, losses);
        // Without a recording, the JVM did not start to run Java.
        has_recording || self.agent.is_none()
    }

    /// Passes new samples of the recording to the kernel side: they answer its signals.
    fn join_samples(&mut self, recording: &Recording) {
        let start_ns = self.start_of(recording);
        if let Some(kernel) = &mut self.kernel {
            let start_ns = start_ns.unwrap_or_default();
            let times = (start_ns, start_ns.saturating_add(recording.duration_ns));
            let samples = self.gathered.builder.take_samples();
            kernel.add_samples(&samples, times, &mut self.gathered.builder);
        } else if self.is_segment() {
            self.keep_samples_of_segment(start_ns.unwrap_or_default());
        }
        self.take_rows();
    }

    /// Start of the recording on the machine's CLOCK_MONOTONIC, if known.
    pub(super) fn start_of(&self, recording: &Recording) -> Option<u64> {
        recording.start_clock_ns.map(|start_ns| start_ns.saturating_add_signed(-self.monotonic_offset_ns))
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
