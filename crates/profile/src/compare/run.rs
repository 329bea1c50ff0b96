//! One run of a side: an experiment with its name.

use whittle_model::{Manifest, Metric, Tables};

/// An experiment that is compared.
#[derive(Debug, Clone)]
pub struct Run {
    /// The experiment's displayed name: the file name.
    pub name: String,
    /// Facts about the whole experiment.
    pub manifest: Manifest,
    /// Tables of the experiment.
    pub tables: Tables,
}

impl Run {
    /// CPU time of the run, in nanoseconds: the kernel's count if available, otherwise the total of the samples.
    pub(super) fn cpu_ns(&self) -> f64 {
        let counted = self.manifest.closure.as_ref().map(|closure| closure.exact_cpu_ns as f64);
        let used = self.manifest.resources.as_ref().map(|used| (used.user_ns + used.system_ns) as f64);
        counted.filter(|ns| *ns > 0.0).or(used.filter(|ns| *ns > 0.0)).unwrap_or_else(|| self.sampled_cpu_ns())
    }

    fn sampled_cpu_ns(&self) -> f64 {
        let Some(cpu) = self.manifest.metric(Metric::Cpu) else { return 0.0 };
        let samples = &self.tables.samples;
        let amounts = cpu.weight.values(samples).iter().zip(&samples.event);
        amounts.filter(|(_, event)| **event == cpu.event).fold(0.0, |sum, (amount, _)| sum + *amount as f64)
    }

    /// Number of units of work in this run. Missing if the number is unknown or 0.
    pub(super) fn units(&self, name: &str) -> Option<f64> {
        let unit = self.manifest.units_of_work.iter().find(|unit| unit.name == name)?;
        Some(unit.amount).filter(|amount| *amount > 0.0 && amount.is_finite())
    }
}
