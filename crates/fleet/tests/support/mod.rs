//! A fleet with known segments in a temporary directory, and the same segments, merged as runs.
#![allow(clippy::unwrap_used, dead_code, reason = "test code; each test program uses its part of it")]

pub(crate) mod loopback;
pub(crate) mod pushed;

use std::sync::Arc;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use whittle_experiment::Store;
use whittle_export::{Export, ExportFormat};
use whittle_fleet::catalogue::{Catalogue, Snapshot};
use whittle_fleet::engine::{DataFusion, Engine, EngineLimits};
use whittle_fleet::fleet::{Fleet, QueryError};
use whittle_fleet::intake::{Intake, IntakeOptions};
use whittle_fleet::question::Question;
use whittle_model::{
    BinaryIndex, BinaryKind, CpuMode, EventKind, FrameIndex, FrameKind, FunctionKind, LossReason, Manifest, MergedRuns,
    NewFrame, NewFunction, Program, Sample, SampleTable, SegmentId, State, StreamId, Table, TableBuilder, Tables,
    ThreadClass, UnitOfWork, WaitReason, cpu_metrics, off_cpu_metrics,
};
use whittle_profile::{Profile, Query};
use whittle_render::{Format, Style, View, render};
use whittle_testkit::Seeded;
use whittle_views::flame_graph::FlameGraphShape;

/// The start of 2026-10-05, a day in the past.
pub(crate) const DAY_S: i64 = 1_791_158_400;

/// Length of a segment.
pub(crate) const SEGMENT_S: i64 = 30;

const NS_PER_S: u64 = 1_000_000_000;

/// One landed segment.
pub(crate) struct Landed {
    pub(crate) service: String,
    pub(crate) host: String,
    pub(crate) version: String,
    pub(crate) start_s: i64,
    pub(crate) manifest: Manifest,
    pub(crate) tables: Tables,
}

impl Landed {
    /// A segment with random samples. Equal arguments result in equal samples.
    pub(crate) fn new(service: &str, host: &str, version: &str, start_s: i64) -> Self {
        let seed = format!("{service}/{host}/{start_s}")
            .bytes()
            .fold(7, |seed: u64, byte| seed.wrapping_mul(31) + u64::from(byte));
        let mut random = Seeded::new(seed);
        let tables = random_tables(&mut random, host);
        let mut landed = Self::of((service, host, version), start_s, tables);
        landed.manifest.units_of_work =
            vec![UnitOfWork { name: "orders".to_owned(), amount: 100.0, source: "test".to_owned() }];
        landed.manifest.losses.add_count(LossReason::EventsOverflow, 2);
        landed
    }

    /// A segment with these tables, in a separate stream for each host, version and start.
    pub(crate) fn of((service, host, version): (&str, &str, &str), start_s: i64, tables: Tables) -> Self {
        let stream = format!("{service}/{host}/{version}/{start_s}")
            .bytes()
            .fold(7, |hash: u128, byte| hash.wrapping_mul(0x0100_0000_01b3).wrapping_add(u128::from(byte)));
        let mut manifest = Manifest::new(Program { name: "test".to_owned(), version: String::new() });
        manifest.state = State::Complete;
        manifest.start_wall_ns = Some(start_s as u64 * NS_PER_S);
        manifest.duration_ns = SEGMENT_S as u64 * NS_PER_S;
        manifest.metrics = metrics();
        manifest.segment = Some(SegmentId { stream: StreamId(stream), sequence: 0 });
        let labels = [("service", service), ("host", host), ("version", version), ("region", "north"), ("zone", "a_b")];
        manifest.labels = labels.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let [service, host, version] = [service, host, version].map(str::to_owned);
        Self { service, host, version, start_s, manifest, tables }
    }
}

fn metrics() -> Vec<whittle_model::MetricDefinition> {
    let waits = [WaitReason::Futex, WaitReason::Socket];
    [cpu_metrics(true), off_cpu_metrics(waits)].concat()
}

fn random_tables(random: &mut Seeded, host: &str) -> Tables {
    let mut builder = TableBuilder::new();
    let threads =
        [("main", ThreadClass::Work), ("worker-1", ThreadClass::Work), ("GC Thread#0", ThreadClass::JvmService)];
    for number in 0..120 {
        let (name, class) = threads[number % threads.len()];
        let depth = 1 + random.bits() % 7;
        let frames: Vec<FrameIndex> = (0..depth).map(|_| random_frame(&mut builder, random, host)).collect();
        let stack = builder.stack(frames);
        let thread = builder.thread(Some(1), Some(number as u32 % threads.len() as u32), name);
        builder.threads_mut().class[thread.row()] = class;
        builder.threads_mut().cpu_ns[thread.row()] = Some(3 * NS_PER_S);
        let time_ns = random.bits() % (SEGMENT_S as u64 * NS_PER_S);
        let weight = NS_PER_S / 20;
        let sample = if number % 5 == 4 {
            let reason = if random.bits().is_multiple_of(2) { WaitReason::Futex } else { WaitReason::Socket };
            Sample {
                reason,
                duration_ns: random.bits() % weight,
                ..Sample::new(time_ns, thread, stack, EventKind::OffCpu)
            }
        } else {
            let mode = if random.bits().is_multiple_of(3) { CpuMode::System } else { CpuMode::User };
            Sample { mode, duration_ns: weight, ..Sample::new(time_ns, thread, stack, EventKind::Cpu) }
        };
        builder.sample(sample);
    }
    builder.into_tables()
}

/// A random frame of Java, native or kernel code, or a missing frame. Each host has different names of lambdas.
fn random_frame(builder: &mut TableBuilder, random: &mut Seeded, host: &str) -> FrameIndex {
    let number = random.bits() % 6;
    let (kind, frame_kind, name, binary) = match random.bits() % 10 {
        0 => (
            FunctionKind::Native,
            FrameKind::Native,
            format!("native_{number}"),
            builder.binary("/lib/libc.so.6", BinaryKind::Elf),
        ),
        1 => (
            FunctionKind::Kernel,
            FrameKind::Kernel,
            format!("kernel_{number}"),
            builder.binary("[kernel]", BinaryKind::Kernel),
        ),
        2 if number == 0 => return builder.truncated_frame(LossReason::DepthLimit),
        3 => {
            let lambda = format!(
                "Shop$$Lambda/0x{:x}.run()",
                host.len() as u64 * 4096 + u64::from(host.as_bytes()[host.len() - 1])
            );
            (FunctionKind::Java, FrameKind::Jit, lambda, BinaryIndex::NONE)
        }
        _ => {
            let jar = builder.binary(&format!("/app/shop-{host}.jar"), BinaryKind::ClassOrigin);
            (FunctionKind::Java, FrameKind::Jit, format!("work_{number}()"), jar)
        }
    };
    let function = builder.function(&NewFunction { display_name: &name, internal_name: &name, kind, binary });
    let line = (kind == FunctionKind::Java).then_some(1 + (random.bits() % 3) as u32);
    builder.frame(NewFrame {
        function,
        kind: frame_kind,
        line,
        bytecode_index: None,
        address: Some(random.bits() % 64),
    })
}

/// Writes the segments to the landing and runs the intake.
pub(crate) async fn take_in(store: &Arc<Store>, segments: &[Landed]) {
    for segment in segments {
        store.land(&segment.manifest, &segment.tables).await.unwrap();
    }
    let options = IntakeOptions { late_s: 365 * 86_400, ..IntakeOptions::default() };
    let mut intake = Intake::new(Catalogue::new(Arc::clone(store)), options);
    let taken = intake.run(DAY_S + 4 * 86_400).await.unwrap();
    assert_eq!(taken.segment_count, segments.len() as u64, "{taken:?}");
}

/// A fleet with all segments loaded.
pub(crate) struct TestFleet {
    pub(crate) segments: Vec<Landed>,
    pub(crate) fleet: Arc<Fleet>,
    pub(crate) snapshot: Snapshot,
    pub(crate) runtime: Runtime,
    pub(crate) directory: TempDir,
}

impl TestFleet {
    /// Loads the segments, and queries them through the embedded engine.
    pub(crate) fn of(segments: Vec<Landed>) -> Self {
        let directory = TempDir::new().unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let store = Arc::new(Store::open(directory.path().to_str().unwrap()).unwrap());
        runtime.block_on(take_in(&store, &segments));
        let engine: Box<dyn Engine> = Box::new(DataFusion::new(&store, EngineLimits::default()).unwrap());
        let fleet = Fleet::new(store, engine);
        let snapshot = runtime.block_on(fleet.snapshot()).unwrap();
        Self { segments, fleet: Arc::new(fleet), snapshot, runtime, directory }
    }

    /// The answer as a profile.
    pub(crate) fn ask(&self, question: &Question) -> Result<Profile, QueryError> {
        self.runtime.block_on(self.fleet.ask(&self.snapshot, question))?.into_profile()
    }

    /// The samples of some segments in a time range, merged like runs.
    pub(crate) fn merged(&self, is_asked: impl Fn(&Landed) -> bool, (from_s, to_s): (i64, i64)) -> Profile {
        let mut merged = MergedRuns::default();
        for segment in self.segments.iter().filter(|segment| is_asked(segment)) {
            let mut tables = with_normal_names(segment.tables.clone());
            let is_in = |time_ns: &u64| {
                let time_s = segment.start_s + (time_ns / NS_PER_S) as i64;
                (from_s..to_s).contains(&time_s)
            };
            let kept: Vec<bool> = tables.samples.time_ns.iter().map(is_in).collect();
            tables.samples.retain(&kept);
            merged.add(tables);
        }
        let mut manifest = Manifest::new(Program { name: "test".to_owned(), version: String::new() });
        manifest.metrics = metrics();
        manifest.duration_ns = (to_s - from_s) as u64 * NS_PER_S;
        let mut tables = merged.into_tables();
        tables.samples = in_window(tables.samples);
        Profile::load(manifest, tables).unwrap()
    }
}

/// Removes the numbers that the JVM assigns in each run. So code with different numbers is one function, as in the
/// fleet.
fn with_normal_names(mut tables: Tables) -> Tables {
    for name in tables.functions.display_name.iter_mut().chain(&mut tables.functions.internal_name) {
        *name = whittle_model::normalized_name(name).into_owned();
    }
    tables
}

fn in_window(samples: SampleTable) -> SampleTable {
    samples
}

/// A view's CSV with sorted rows, because the order of equal values is undefined.
pub(crate) fn rows(view: &impl View) -> String {
    let text = render(view, Format::Csv, Style::default());
    let (head, rows) = text.split_once('\n').unwrap();
    let mut rows: Vec<&str> = rows.lines().collect();
    rows.sort_unstable();
    format!("{head}\n{}", rows.join("\n"))
}

/// The boxes of a flame graph, each with its path and its value.
pub(crate) fn boxes(profile: &Profile, query: &Query, shape: FlameGraphShape) -> String {
    let view =
        whittle_views::flame_graph::flame_graph(profile, query, &FlameGraphShape { min_px: 0.0, ..shape }).unwrap();
    let boxes = &view.boxes;
    let mut paths: Vec<String> = Vec::new();
    for index in 0..boxes.len() {
        let name = view.names.get(&boxes.function[index]).map_or("", String::as_str);
        let above = paths.get(boxes.parent[index] as usize).cloned().unwrap_or_default();
        paths.push(format!("{above};{name}"));
    }
    let line = |(index, path): (usize, &String)| format!("{path} {} {}", boxes.value[index], boxes.own[index]);
    let mut lines: Vec<String> = paths.iter().enumerate().map(line).collect();
    lines.sort_unstable();
    lines.join("\n")
}

/// Collapsed stacks, sorted.
pub(crate) fn collapsed(profile: &Profile, query: &Query) -> String {
    let Export { bytes, .. } = whittle_export::export(profile, ExportFormat::Collapsed, query).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines.join("\n")
}
