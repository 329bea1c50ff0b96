//! The saving of a change in a fleet: on one machine, over all machines, and per unit of work.
//!
//! ```text
//!                  machines   CPU    machines' worth of CPU
//! before              30      26 %          7.80
//! after               27      21 %          5.67
//! saved              10 %     19 %          27 %
//!                             a machine     over the fleet
//! ```
//!
//! "19 %" is true for one machine, but ignores the smaller number of machines. "27 %" is true for the fleet, if the
//! fleet did the same amount of work. Both values ignore the traffic. The honest value is CPU time per unit of work:
//! the CPU time of all machines divided by their units of work. If units of work are unknown, only "19 %" and "27 %"
//! are shown, with their names.

use crate::verify::words::percent;
use serde::{Deserialize, Serialize};

/// Segments do not start exactly at the requested times. So a number of machines is rounded if it differs from a whole
/// number by less than this value.
const WHOLE_MACHINE: f64 = 0.1;

/// One machine over some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MachineUse {
    /// CPU time that the machine used, nanoseconds.
    pub cpu_ns: f64,
    /// Available CPU time in nanoseconds: the duration multiplied by the number of CPUs.
    pub available_cpu_ns: f64,
    /// Units of work that the machine did. `None`: unknown.
    pub units: Option<f64>,
}

/// A fleet over some time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FleetUse {
    /// Number of machines. It is not a whole number if some machines were present for only a part of the time.
    pub machine_count: f64,
    /// Used share of a machine's CPU, on average, 0 to 1. `None`: the number of CPUs is unknown.
    pub cpu_ratio: Option<f64>,
    /// CPU seconds of all machines. `None`: only the share is known.
    pub cpu_seconds: Option<f64>,
    /// Units of work of all machines. `None`: unknown for some machines.
    pub units: Option<f64>,
}

/// The saving of a change, with all kinds of values that are available.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FleetSaving {
    /// CPU use before the change.
    pub before: FleetUse,
    /// CPU use after the change.
    pub after: FleetUse,
    /// The available values. CPU time per unit of work comes first.
    pub savings: Vec<Saving>,
    /// The savings in sentences.
    pub sentences: Vec<String>,
}

/// One value of the saving.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Saving {
    /// Base of this value.
    pub kind: SavingKind,
    /// Saved share, 0.19 for 19 %. Negative: the cost increased.
    pub ratio: f64,
}

/// The base of a saving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SavingKind {
    /// CPU time per unit of work, over all machines.
    PerUnit,
    /// A machine's CPU.
    PerMachine,
    /// CPU of all machines in total.
    Fleet,
}

impl FleetUse {
    /// Adds up machines that were present for the whole time. `None`: no machine had any CPU time, or a value is
    /// invalid.
    pub fn of_machines(machines: &[MachineUse]) -> Option<Self> {
        let sum = |value: fn(&MachineUse) -> f64| machines.iter().map(value).sum::<f64>();
        let (cpu_ns, available) = (sum(|machine| machine.cpu_ns), sum(|machine| machine.available_cpu_ns));
        let units: Option<f64> = machines.iter().map(|machine| machine.units).sum();
        let is_amount = |value: f64| value.is_finite() && value >= 0.0;
        let are_amounts = machines.iter().all(|machine| {
            is_amount(machine.cpu_ns) && is_amount(machine.available_cpu_ns) && is_amount(machine.units.unwrap_or(0.0))
        });
        (are_amounts && available > 0.0).then_some(Self {
            machine_count: machines.len() as f64,
            cpu_ratio: Some(cpu_ns / available),
            cpu_seconds: Some(cpu_ns / 1e9),
            units,
        })
    }

    /// CPU use, expressed in whole machines.
    fn machines(&self) -> Option<f64> {
        self.cpu_ratio.map(|ratio| self.machine_count * ratio)
    }

    fn cpu_of_a_unit(&self) -> Option<f64> {
        self.units.filter(|units| *units > 0.0).and_then(|units| Some(self.cpu_seconds? / units))
    }
}

/// The saving between two time ranges. If the fleet's CPU is compared, both ranges must have the same length.
pub fn fleet_saving(before: FleetUse, after: FleetUse) -> FleetSaving {
    let saved = |kind: SavingKind, before: f64, after: f64| {
        let ratio = 1.0 - after / before;
        ratio.is_finite().then_some(Saving { kind, ratio })
    };
    let per_unit = before.cpu_of_a_unit().zip(after.cpu_of_a_unit());
    let savings: Vec<Saving> = [
        per_unit.and_then(|(before, after)| saved(SavingKind::PerUnit, before, after)),
        before.cpu_ratio.zip(after.cpu_ratio).and_then(|(before, after)| saved(SavingKind::PerMachine, before, after)),
        before.machines().zip(after.machines()).and_then(|(before, after)| saved(SavingKind::Fleet, before, after)),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut all = FleetSaving { before, after, savings, sentences: Vec::new() };
    all.sentences = all.sentences();
    all
}

impl FleetSaving {
    /// A copy without the value of this kind, because the value would mislead.
    pub fn without(mut self, kind: SavingKind) -> Self {
        self.savings.retain(|saving| saving.kind != kind);
        self.sentences = self.sentences();
        self
    }

    /// The value of this kind. `None`: not available.
    pub fn ratio(&self, kind: SavingKind) -> Option<f64> {
        self.savings.iter().find(|saving| saving.kind == kind).map(|saving| saving.ratio)
    }

    fn sentences(&self) -> Vec<String> {
        let mut all: Vec<String> = self.savings.iter().map(|saving| self.sentence(saving)).collect();
        if self.ratio(SavingKind::PerUnit).is_none() && !self.savings.is_empty() {
            all.push(
                "Units of work are unknown, so the values are valid only if the traffic was the same. The value per \
                 machine is valid only if the number of machines was also the same"
                    .to_owned(),
            );
        }
        all
    }

    fn sentence(&self, saving: &Saving) -> String {
        let saved = percent(saving.ratio.abs());
        let saved = if saving.ratio < 0.0 { format!("{saved} more") } else { format!("{saved} less") };
        let (before, after) = (&self.before, &self.after);
        let part = |fleet: &FleetUse| percent(fleet.cpu_ratio.unwrap_or(0.0));
        let worth = |fleet: &FleetUse| fleet.machines().unwrap_or(0.0);
        match saving.kind {
            SavingKind::PerUnit => format!("Per unit of work: {saved} CPU time"),
            SavingKind::PerMachine => {
                format!("On each machine: {saved} CPU, from {} to {} of a machine", part(before), part(after))
            }
            SavingKind::Fleet => format!(
                "Over the fleet: {saved} CPU, from {:.2} to {:.2} machines' worth ({} machines, then {})",
                worth(before),
                worth(after),
                machines_in_words(before.machine_count),
                machines_in_words(after.machine_count)
            ),
        }
    }
}

/// `30`, or `28.4` if machines came and went.
fn machines_in_words(count: f64) -> String {
    let tenths = (count * 10.0).round() / 10.0;
    if (count - count.round()).abs() < WHOLE_MACHINE { format!("{count:.0}") } else { format!("{tenths}") }
}
