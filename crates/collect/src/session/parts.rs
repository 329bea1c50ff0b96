//! Writes an experiment in parts, every few seconds, so that a killed collection loses little.

use super::Session;
use crate::options::Observer;

impl Session<'_> {
    /// Updates the manifest and writes a part. If this fails, the data is written later.
    pub(super) fn write_part(&mut self, observer: &mut dyn Observer) {
        self.store.begin_write();
        self.describe_so_far();
        if let Err(error) = self.write(false) {
            let text = format!("{error}; the samples are kept in memory and written later");
            self.notices.once(text, observer);
        }
    }

    /// Writes new rows as a part of the experiment, then the manifest.
    pub(super) fn write(&mut self, is_last: bool) -> Result<(), whittle_experiment::Error> {
        if let Some(kernel) = &mut self.kernel {
            kernel.write_tables(&mut self.gathered.builder, is_last);
            self.take_rows();
        }
        if self.kernel.is_some() || self.store.has_samples() || is_last {
            self.store.write_rows(self.gathered.builder.tables())?;
        }
        self.store.write_manifest(&self.manifest)
    }
}
