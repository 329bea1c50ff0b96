//! Casebook case 4: 30 machines at 26 % became 27 machines at 21 %.

use whittle_verdict::regressions::{FleetUse, MachineUse, SavingKind, fleet_saving};

const BEFORE: FleetUse = FleetUse { machine_count: 30.0, cpu_ratio: Some(0.26), cpu_seconds: None, units: None };
const AFTER: FleetUse = FleetUse { machine_count: 27.0, cpu_ratio: Some(0.21), cpu_seconds: None, units: None };

fn percent(ratio: Option<f64>) -> f64 {
    (ratio.expect("a ratio") * 100.0).round()
}

#[test]
fn without_the_traffic_both_figures_are_told_by_name() {
    let saving = fleet_saving(BEFORE, AFTER);
    assert_eq!(percent(saving.ratio(SavingKind::PerMachine)), 19.0);
    assert_eq!(percent(saving.ratio(SavingKind::Fleet)), 27.0);
    assert_eq!(saving.ratio(SavingKind::PerUnit), None);
    assert_eq!(
        saving.sentences,
        [
            "On each machine: 19 % less CPU, from 26 % to 21 % of a machine",
            "Over the fleet: 27 % less CPU, from 7.80 to 5.67 machines' worth (30 machines, then 27)",
            "Units of work are unknown, so the values are valid only if the traffic was the same. The value per \
         machine is valid only if the number of machines was also the same",
        ]
    );
}

/// The fleet also handles a tenth more messages. The saving per message is 34 % and comes first.
#[test]
fn with_the_traffic_the_saving_is_of_a_unit() {
    let of = |side: FleetUse, units: f64| FleetUse {
        cpu_seconds: Some(side.machine_count * side.cpu_ratio.expect("known") * 3600.0),
        units: Some(units),
        ..side
    };
    let saving = fleet_saving(of(BEFORE, 1e6), of(AFTER, 1.1e6));
    assert_eq!(percent(saving.ratio(SavingKind::PerUnit)), 34.0);
    assert_eq!(saving.savings[0].kind, SavingKind::PerUnit);
    assert_eq!(saving.sentences[0], "Per unit of work: 34 % less CPU time");
    assert_eq!(saving.sentences.len(), 3);
}

/// Sums are compared, so a machine with more work has more weight.
#[test]
fn machines_are_added_up() {
    let machine = |cpu_ns: f64, units: Option<f64>| MachineUse { cpu_ns, available_cpu_ns: 10e9, units };
    let fleet = FleetUse::of_machines(&[machine(1e9, Some(10.0)), machine(3e9, Some(90.0))]).expect("machines");
    assert_eq!((fleet.machine_count, fleet.cpu_ratio), (2.0, Some(0.2)));
    assert_eq!((fleet.cpu_seconds, fleet.units), (Some(4.0), Some(100.0)));
    let partly = FleetUse::of_machines(&[machine(1e9, Some(10.0)), machine(3e9, None)]).expect("machines");
    assert_eq!(partly.units, None);
    assert_eq!(FleetUse::of_machines(&[]), None);
    assert_eq!(FleetUse::of_machines(&[machine(-1.0, None)]), None);
}

#[test]
fn what_costs_more_is_said_to() {
    let saving = fleet_saving(AFTER, BEFORE);
    assert_eq!(saving.sentences[0], "On each machine: 24 % more CPU, from 21 % to 26 % of a machine");
    let nothing = FleetUse { machine_count: 0.0, cpu_ratio: Some(0.0), ..BEFORE };
    assert!(fleet_saving(nothing, nothing).savings.is_empty());
}
