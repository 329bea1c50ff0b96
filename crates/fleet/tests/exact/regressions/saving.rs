//! Segments of casebook case 4. 30 machines at 26 % CPU use became 27 machines at 21 %.

use crate::support::{DAY_S, Landed, TestFleet};
use whittle_fleet::cost::Price;
use whittle_fleet::question::{Question, TimeRange, Whose};
use whittle_fleet::saving::{SavingQuestion, SavingView};
use whittle_model::{
    BinaryIndex, EventKind, FrameKind, FunctionKind, Host, NewFrame, NewFunction, Sample, TableBuilder, Tables,
    UnitOfWork,
};
use whittle_verdict::regressions::SavingKind;

const LENGTH_S: i64 = 600;
/// Time between the two sides.
const LATER_S: i64 = 3600;
const NS_PER_S: u64 = 1_000_000_000;

/// One machine of 4 CPUs on one side.
struct Machine {
    cpu_ratio: f64,
    units: Option<f64>,
    cpu_count: Option<u32>,
    is_counted: bool,
}

/// One sample in the first second and one sample in the last second. The two samples have the whole CPU time.
fn tables(cpu_ns: u64, is_counted: bool) -> Tables {
    let mut builder = TableBuilder::new();
    let thread = builder.thread(Some(1), Some(1), "worker-1");
    builder.threads_mut().cpu_ns[thread.row()] = is_counted.then_some(cpu_ns);
    let names = NewFunction {
        display_name: "app.Main.run()",
        internal_name: "app.Main.run()",
        kind: FunctionKind::Java,
        binary: BinaryIndex::NONE,
    };
    let function = builder.function(&names);
    let frame =
        builder.frame(NewFrame { function, kind: FrameKind::Jit, line: None, bytecode_index: None, address: None });
    let stack = builder.stack(vec![frame]);
    for time_ns in [0, (LENGTH_S as u64 - 1) * NS_PER_S] {
        builder.sample(Sample { duration_ns: cpu_ns / 2, ..Sample::new(time_ns, thread, stack, EventKind::Cpu) });
    }
    builder.into_tables()
}

/// Segments with the length `LENGTH_S`. Every fifth machine has two processes.
fn segments(host: usize, start_s: i64, machine: &Machine) -> Vec<Landed> {
    let processes = if host.is_multiple_of(5) { 2 } else { 1 };
    let cpu_ns = machine.cpu_ratio * 4.0 * LENGTH_S as f64 * NS_PER_S as f64 / f64::from(processes);
    let of = |process: u32| {
        let name = format!("web-{host:02}");
        // Processes of a machine have different versions only to get separate streams.
        let version = format!("1.{process}");
        let mut landed = Landed::of(("checkout", &name, &version), start_s, tables(cpu_ns as u64, machine.is_counted));
        landed.manifest.duration_ns = LENGTH_S as u64 * NS_PER_S;
        landed.manifest.host =
            machine.cpu_count.map(|cpu_count| Host { name, kernel: String::new(), cpu_count, tick_hz: None });
        let unit = |amount: f64| UnitOfWork {
            name: "messages".to_owned(),
            amount: amount / f64::from(processes),
            source: String::new(),
        };
        landed.manifest.units_of_work = machine.units.map(unit).into_iter().collect();
        landed
    };
    (0..processes).map(of).collect()
}

const BEFORE: Machine = Machine { cpu_ratio: 0.26, units: Some(1000.0), cpu_count: Some(4), is_counted: true };

/// 27 machines do a tenth more work than 30 machines did.
const AFTER: Machine = Machine { cpu_ratio: 0.21, units: Some(33_000.0 / 27.0), cpu_count: Some(4), is_counted: true };

fn side(at_s: i64) -> Question {
    let whose = Whose { services: vec!["checkout".to_owned()], ..Whose::default() };
    Question { whose, time: TimeRange { from_s: at_s, to_s: at_s + LENGTH_S }, split: Vec::new() }
}

fn saving(before: &Machine, after: &Machine) -> SavingView {
    let before = (0..30).flat_map(|host| segments(host, DAY_S, before));
    let after = (0..27).flat_map(|host| segments(host, DAY_S + LATER_S, after));
    let fleet = TestFleet::of(before.chain(after).collect());
    let asked = SavingQuestion { before: side(DAY_S), after: side(DAY_S + LATER_S), unit: None };
    fleet.runtime.block_on(fleet.fleet.saving(&fleet.snapshot, &asked, Price::default())).unwrap()
}

fn percent(view: &SavingView, kind: SavingKind) -> Option<f64> {
    let found = view.savings.iter().find(|saving| saving.kind == kind);
    found.map(|saving| (saving.ratio * 100.0).round())
}

#[test]
fn the_casebook_figures_come_from_the_tables() {
    let view = saving(&BEFORE, &AFTER);
    assert_eq!(percent(&view, SavingKind::PerMachine), Some(19.0));
    assert_eq!(percent(&view, SavingKind::Fleet), Some(27.0));
    // 30 × 0.26 / 30 000 against 27 × 0.21 / 33 000.
    assert_eq!(percent(&view, SavingKind::PerUnit), Some(34.0));
    assert_eq!((view.before.machine_count, view.after.machine_count), (30.0, 27.0));
    assert_eq!(view.unit.as_deref(), Some("messages"));
    let cores = [&view.before, &view.after].map(|side| side.cost.cores);
    assert!((cores[0] - 31.2).abs() < 1e-6 && (cores[1] - 22.68).abs() < 1e-6, "{cores:?}");
    // The amount of work after the change at the cost before the change: 31.2 × 1.1 cores.
    assert!((view.saved.cores - (31.2 * 1.1 - 22.68)).abs() < 1e-6, "{:?}", view.saved);
    assert_eq!((view.saved_by, view.notes.as_slice()), (SavingKind::PerUnit, &[] as &[String]));
    assert_eq!(
        view.sentences,
        [
            "Per unit of work: 34 % less CPU time",
            "On each machine: 19 % less CPU, from 26 % to 21 % of a machine",
            "Over the fleet: 27 % less CPU, from 7.80 to 5.67 machines' worth (30 machines, then 27)",
        ]
    );
}

#[test]
fn what_a_figure_needs_is_said_where_it_is_absent() {
    let view = saving(&Machine { units: None, ..BEFORE }, &Machine { units: None, ..AFTER });
    assert_eq!((percent(&view, SavingKind::PerUnit), view.unit.as_deref()), (None, None));
    assert_eq!(percent(&view, SavingKind::Fleet), Some(27.0));
    assert!((view.saved.cores - (31.2 - 22.68)).abs() < 1e-6, "{:?}", view.saved);
    assert!(view.notes[0].starts_with("The saving per unit of work is unknown"), "{:?}", view.notes);
    assert!(view.sentences[2].contains("only if the traffic was the same"), "{:?}", view.sentences);

    let view = saving(&BEFORE, &Machine { cpu_count: None, is_counted: false, ..AFTER });
    assert_eq!((percent(&view, SavingKind::PerMachine), percent(&view, SavingKind::PerUnit)), (None, Some(34.0)));
    assert!(!view.before.is_exact && !view.after.is_exact, "both sides by the same clock");
    assert!(view.notes.iter().any(|note| note.contains("their number of CPUs")), "{:?}", view.notes);
    assert!(view.notes.iter().any(|note| note.contains("computed from samples")), "{:?}", view.notes);
}

/// Version a has ten segments, then version b has one segment. Both versions use one core. There is no saving, although
/// version b ran only for a short time.
#[test]
fn versions_that_ran_for_different_times_are_compared_by_the_second() {
    let one_core = LENGTH_S as u64 * NS_PER_S;
    let segment = |host: usize, number: i64, version: &str, units: Option<f64>| {
        let at_s = DAY_S + number * LENGTH_S;
        let mut landed = Landed::of(("checkout", &format!("web-{host}"), version), at_s, tables(one_core, true));
        landed.manifest.duration_ns = one_core;
        let unit = |amount| UnitOfWork { name: "messages".to_owned(), amount, source: "test".to_owned() };
        landed.manifest.units_of_work = units.map(unit).into_iter().collect();
        landed
    };
    // Only the last segment of each version has units of work.
    let units = |number: i64| (number >= 9).then_some(100.0);
    let of_version = |host: usize| {
        let old = (0..10).map(move |number| segment(host, number, "a", units(number)));
        old.chain([segment(host, 10, "b", units(10))])
    };
    let fleet = TestFleet::of((0..3).flat_map(of_version).collect());
    let side = |version: &str| Question {
        whose: Whose { services: vec!["checkout".to_owned()], versions: vec![version.to_owned()], ..Whose::default() },
        time: TimeRange { from_s: DAY_S, to_s: DAY_S + 86_400 },
        split: Vec::new(),
    };
    let asked = SavingQuestion { before: side("a"), after: side("b"), unit: None };
    let view = fleet.runtime.block_on(fleet.fleet.saving(&fleet.snapshot, &asked, Price::default())).unwrap();
    assert_eq!((view.before.cost.cores, view.after.cost.cores), (3.0, 3.0));
    assert_eq!((view.before.machine_count, view.after.machine_count), (3.0, 3.0));
    assert_eq!((view.saved.cores, view.saved_by), (0.0, SavingKind::PerMachine));
    assert_eq!(percent(&view, SavingKind::Fleet), None, "the machines differ");
    assert_eq!(percent(&view, SavingKind::PerUnit), None, "most segments of a have no units");
}
