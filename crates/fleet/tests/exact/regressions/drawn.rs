//! Fleets with known changes. Functions have known shares, hosts and days are different, and versions arrive in waves.
//!
//! A segment covers one hour of one host. It has one sample per function. This sample has the weight of many samples.
//! Some Java functions call native code. The view adds the cost of native code to the Java function.

use crate::support::{DAY_S, Landed, TestFleet};
use whittle_model::{
    BinaryIndex, BinaryKind, EventKind, FrameIndex, FrameKind, FunctionKind, Host, NewFrame, NewFunction, Sample,
    TableBuilder, Tables, ThreadClass, UnitOfWork,
};
use whittle_testkit::Seeded;

/// CPU time that a sample represents at 20 Hz.
pub(crate) const SAMPLE_NS: u64 = 50_000_000;
const HOUR_S: i64 = 3600;
/// CPU time of a host in an hour, in seconds. This is half a core.
const CPU_S: f64 = 1800.0;
const NS_PER_S: u64 = 1_000_000_000;

/// The parameters of a fleet.
pub(crate) struct Drawn {
    pub(crate) seed: u64,
    pub(crate) host_count: usize,
    pub(crate) hour_count: usize,
    /// The hour in which a host gets the new version. Each version runs for half of this hour.
    pub(crate) upgraded_at: fn(usize) -> Option<usize>,
    /// Factor by which the new version changes a function's cost.
    pub(crate) factor: fn(&str) -> f64,
    /// Factor by which the traffic of an hour changes a function's cost, on all hosts.
    pub(crate) traffic: fn(usize, &str) -> f64,
    /// Whether segments have units of work, in proportion to the traffic.
    pub(crate) has_units: bool,
}

/// Twelve hours of 16 hosts. 8 of these hosts get the new version between hours 5 and 7.
pub(crate) const PLAIN: Drawn = Drawn {
    seed: 1,
    host_count: 16,
    hour_count: 12,
    upgraded_at: |host| (host < 8).then_some(5 + host % 3),
    factor: |_| 1.0,
    traffic: |_, _| 1.0,
    has_units: false,
};

/// Functions and their shares. The last packages contain several functions.
pub(crate) fn functions() -> Vec<(String, f64)> {
    let mut all: Vec<(String, f64)> =
        (0..20).map(|number| (format!("app.p{number}.Work.run{number}()"), 0.02 + 0.002 * f64::from(number))).collect();
    all.push(("app.io.Reader.read()".to_owned(), 0.05));
    all.push(("app.io.Writer.write()".to_owned(), 0.06));
    all.push(("app.io.Writer.flush()".to_owned(), 0.03));
    all.push(("app.Mask.mask(String)".to_owned(), 0.03));
    all
}

impl Drawn {
    pub(crate) fn segments(&self) -> Vec<Landed> {
        let mut random = Seeded::new(self.seed);
        let functions = functions();
        let mut segments = Vec::new();
        let levels: Vec<Vec<f64>> =
            (0..self.host_count).map(|_| functions.iter().map(|_| (0.13 * random.normal()).exp()).collect()).collect();
        for hour in 0..self.hour_count {
            let weather: Vec<f64> = functions.iter().map(|_| (0.02 * random.normal()).exp()).collect();
            for (host, levels) in levels.iter().enumerate() {
                let change = (self.upgraded_at)(host);
                // In the hour of the change, each version runs for half an hour.
                let parts: &[(&str, f64)] = match change {
                    Some(at) if hour == at => &[("1.4", 0.5), ("1.5", 0.5)],
                    Some(at) if hour > at => &[("1.5", 1.0)],
                    _ => &[("1.4", 1.0)],
                };
                for (version, part) in parts {
                    let counts: Vec<f64> = functions
                        .iter()
                        .enumerate()
                        .map(|(number, (name, share))| {
                            let factor = if *version == "1.5" { (self.factor)(name) } else { 1.0 };
                            let noise = (0.01 * random.normal()).exp();
                            let cost = share * levels[number] * weather[number] * noise * factor;
                            let samples = CPU_S * NS_PER_S as f64 / SAMPLE_NS as f64;
                            random.poisson(samples * part * cost * (self.traffic)(hour, name))
                        })
                        .collect();
                    segments.push(self.segment((host, hour, version), &counts, *part));
                }
            }
        }
        segments
    }

    fn segment(&self, (host, hour, version): (usize, usize, &str), counts: &[f64], part: f64) -> Landed {
        let name = format!("web-{host:02}");
        let minute = if version == "1.5" && part < 1.0 { 30 } else { 0 };
        let start_s = DAY_S + hour as i64 * HOUR_S + 60 * minute;
        let tables = tables(&functions(), counts);
        let mut landed = Landed::of(("checkout", &name, version), start_s, tables);
        landed.manifest.duration_ns = (part * HOUR_S as f64) as u64 * NS_PER_S;
        landed.manifest.host = Some(Host { name, kernel: String::new(), cpu_count: 2, tick_hz: None });
        if self.has_units {
            let amount = 1000.0 * part * (self.traffic)(hour, "");
            landed.manifest.units_of_work =
                vec![UnitOfWork { name: "orders".to_owned(), amount, source: "test".to_owned() }];
        }
        landed
    }

    /// The fleet with all segments loaded. The first and last hours are complete.
    pub(crate) fn fleet(&self) -> TestFleet {
        let mut segments = self.segments();
        for at in [0, self.hour_count as i64 * HOUR_S - 1] {
            segments.push(Landed::of(("checkout", "web-00", "0.9"), DAY_S + at, tables(&functions(), &[1.0])));
        }
        TestFleet::of(segments)
    }
}

/// One sample of each function.
fn tables(functions: &[(String, f64)], counts: &[f64]) -> Tables {
    let mut builder = TableBuilder::new();
    let thread = builder.thread(Some(1), Some(1), "worker-1");
    let jvm = builder.thread(Some(1), Some(2), "GC Thread#0");
    builder.threads_mut().class[thread.row()] = ThreadClass::Work;
    builder.threads_mut().class[jvm.row()] = ThreadClass::JvmService;
    let main = java(&mut builder, "app.Main.main(String[])");
    let libc = native(&mut builder, "memcpy");
    for (number, ((name, _), count)) in functions.iter().zip(counts).enumerate() {
        let function = java(&mut builder, name);
        let below = if number % 3 == 0 { vec![main, function, libc] } else { vec![main, function] };
        add(&mut builder, (thread, below), *count);
    }
    // Garbage collection and the program's start have stacks without Java. The names of these stacks are different.
    let gc = native(&mut builder, "G1ConcurrentMark");
    add(&mut builder, (jvm, vec![gc]), 200.0);
    add(&mut builder, (thread, vec![libc]), 100.0);
    builder.into_tables()
}

fn add(builder: &mut TableBuilder, (thread, frames): (whittle_model::ThreadIndex, Vec<FrameIndex>), count: f64) {
    let count = count as u64;
    if count > 0 {
        let stack = builder.stack(frames);
        let sample = Sample::new(NS_PER_S / 4, thread, stack, EventKind::Cpu);
        builder.sample(Sample { count, duration_ns: count * SAMPLE_NS, ..sample });
    }
}

fn java(builder: &mut TableBuilder, name: &str) -> FrameIndex {
    let names =
        NewFunction { display_name: name, internal_name: name, kind: FunctionKind::Java, binary: BinaryIndex::NONE };
    let function = builder.function(&names);
    builder.frame(NewFrame { function, kind: FrameKind::Jit, line: Some(7), bytecode_index: None, address: None })
}

fn native(builder: &mut TableBuilder, name: &str) -> FrameIndex {
    let binary = builder.binary("/lib/libc.so.6", BinaryKind::Elf);
    let names = NewFunction { display_name: name, internal_name: name, kind: FunctionKind::Native, binary };
    let function = builder.function(&names);
    builder.frame(NewFrame { function, kind: FrameKind::Native, line: None, bytecode_index: None, address: None })
}
