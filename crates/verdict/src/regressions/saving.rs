//! What a change saves over a fleet, on each machine, in machines, and for the work done.
//!
//! ```text
//!                  machines   CPU    machines' worth of CPU
//! before              30      26 %          7.80
//! after               27      21 %          5.67
//! saved              10 %     19 %          27 %
//!                             a machine     over the fleet
//! ```
//!
//! "19 %" is true of a machine, and leaves out that there are fewer of them; "27 %" is true of the fleet, if it did as much work.
//! Neither knows the traffic. The honest figure is CPU time by unit of work, over all machines: sum by sum, so that a machine counts
//! as much as the work it does. Where units of work are not known, both others are told, each with its name.

use crate::verify::words::percent;
use serde::{Deserialize, Serialize};

/// Segments begin at other moments than times that are asked for: this part of a machine more or less is none.
const WHOLE_MACHINE: f64 = 0.1;

/// One machine over some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MachineUse {
    /// CPU time it used, nanoseconds.
    pub cpu_ns: f64,
    /// CPU time it had: length of the time by number of CPUs, nanoseconds.
    pub available_cpu_ns: f64,
    /// Units of work it did. Missing: not known.
    pub units: Option<f64>,
}

/// A fleet over some time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FleetUse {
    /// Number of machines; with a fraction where some were there for a part of the time.
    pub machine_count: f64,
    /// Part of its CPU that a machine used, 0 to 1, on average. Missing: nobody knows how many CPUs machines have.
    pub cpu_ratio: Option<f64>,
    /// CPU seconds of all machines. Missing: only the part is known.
    pub cpu_seconds: Option<f64>,
    /// Units of work of all machines. Missing: not known of all.
    pub units: Option<f64>,
}

/// What is saved, by all figures that can be had.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FleetSaving {
    /// Before.
    pub before: FleetUse,
    /// After.
    pub after: FleetUse,
    /// The honest one first, where it can be had.
    pub savings: Vec<Saving>,
    /// The same in sentences.
    pub sentences: Vec<String>,
}

/// One figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Saving {
    /// Of what.
    pub kind: SavingKind,
    /// Saved part, 0.19 for 19 %; negative: it costs more.
    pub ratio: f64,
}

/// What a saving is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SavingKind {
    /// CPU time by unit of work, over all machines.
    PerUnit,
    /// A machine's CPU.
    PerMachine,
    /// CPU of all machines together.
    Fleet,
}

impl FleetUse {
    /// Adds machines up that were all there for the whole time. Missing: none of them had any CPU time, or a figure is no amount.
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

    /// Machines' worth of CPU.
    fn machines(&self) -> Option<f64> {
        self.cpu_ratio.map(|ratio| self.machine_count * ratio)
    }

    fn cpu_of_a_unit(&self) -> Option<f64> {
        self.units.filter(|units| *units > 0.0).and_then(|units| Some(self.cpu_seconds? / units))
    }
}

/// What is saved from one time to another. Both have to be equally long where CPU of the fleet is compared.
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
    /// The same without one of the figures, which would mislead.
    pub fn without(mut self, kind: SavingKind) -> Self {
        self.savings.retain(|saving| saving.kind != kind);
        self.sentences = self.sentences();
        self
    }

    /// One of the figures. Missing: it cannot be had.
    pub fn ratio(&self, kind: SavingKind) -> Option<f64> {
        self.savings.iter().find(|saving| saving.kind == kind).map(|saving| saving.ratio)
    }

    fn sentences(&self) -> Vec<String> {
        let mut all: Vec<String> = self.savings.iter().map(|saving| self.sentence(saving)).collect();
        if self.ratio(SavingKind::PerUnit).is_none() && !self.savings.is_empty() {
            all.push(
                "Units of work are not known: the figures hold only if traffic was the same, the one for a machine if there were \
                 as many of them"
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
            SavingKind::PerUnit => format!("For each unit of work: {saved} CPU time"),
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

/// `30`, or `28.4` where machines came and went.
fn machines_in_words(count: f64) -> String {
    let tenths = (count * 10.0).round() / 10.0;
    if (count - count.round()).abs() < WHOLE_MACHINE { format!("{count:.0}") } else { format!("{tenths}") }
}
