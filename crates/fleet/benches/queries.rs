//! Measures how long queries take. The services have the size that the budgets assume: 8.7 million sample rows per day
//! and 20 thousand stacks.
//!
//! ```text
//! cargo bench -p whittle-fleet --bench queries -- [SERVICES] [STORE]
//! ```
//!
//! Without a store, the data is written to a temporary directory. A store with tables is queried and not changed.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench")]

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use whittle_experiment::Store;
use whittle_fleet::catalogue::{Catalogue, DataFile, Level, Snapshot};
use whittle_fleet::cost::Price;
use whittle_fleet::engine::{DataFusion, EngineLimits};
use whittle_fleet::fleet::Fleet;
use whittle_fleet::question::{Question, Split, TimeRange, Whose};
use whittle_fleet::regressions::{Change, RegressionsQuestion};
use whittle_fleet::rows::{
    CounterRows, Labels, Observation, ObservationRows, PlacedFile, StackId, StackRow, StackRows, write_file,
};
use whittle_fleet::share::ShareQuestion;
use whittle_fleet::tables::FleetTable;
use whittle_model::{
    BinaryIndex, CpuMode, EventKind, FrameIndex, FrameKind, FunctionKind, NewFrame, NewFunction, StackIndex,
    TableBuilder, Tables, ThreadClass, WaitReason,
};
use whittle_profile::{Flavour, Query, ViewMode};
use whittle_testkit::Seeded;
use whittle_verdict::regressions::Question as Limits;
use whittle_views::flame_graph::FlameGraphShape;

/// The start of 2026-10-05.
const DAY_S: i64 = 1_791_158_400;
const HOUR_S: i64 = 3600;
const ROWS_PER_DAY: usize = 8_700_000;
const STACKS: usize = 20_000;
const FUNCTIONS: u64 = 6_000;
const RUNS: usize = 15;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let services: usize = arguments.first().map_or(2, |count| count.parse().unwrap());
    let temporary = tempfile::tempdir().unwrap();
    let place = arguments.get(1).cloned().unwrap_or_else(|| temporary.path().display().to_string());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let store = Arc::new(Store::open(&place).unwrap());
    let snapshot = runtime.block_on(Catalogue::new(Arc::clone(&store)).newest()).unwrap();
    let snapshot = if snapshot.version > 0 { snapshot } else { runtime.block_on(fill(&store, services)) };
    let rows =
        |table| snapshot.files.iter().filter(move |file| file.table == table).map(|file| (file.row_count, file.bytes));
    for table in [FleetTable::Samples, FleetTable::Rollup, FleetTable::Stacks] {
        let (count, bytes) = rows(table).fold((0, 0), |sum, file| (sum.0 + file.0, sum.1 + file.1));
        println!("{:8} {count:>11} rows, {:.2} bytes per row", table.name(), bytes as f64 / count as f64);
    }
    let engine = DataFusion::new(&store, EngineLimits::default()).unwrap();
    let fleet = Fleet::new(store, Box::new(engine));
    ask_all(&runtime, &fleet, &snapshot);
}

fn question(service: Option<&str>, (from_s, to_s): (i64, i64), split: &[Split]) -> Question {
    let services = service.map(str::to_owned).into_iter().collect();
    let time = TimeRange { from_s: DAY_S + from_s, to_s: DAY_S + to_s };
    Question { whose: Whose { services, ..Whose::default() }, time, split: split.to_vec() }
}

fn ask_all(runtime: &Runtime, fleet: &Fleet, snapshot: &Snapshot) {
    let one = Some("service-0");
    let (hour, odd_hour, day) = ((10 * HOUR_S, 11 * HOUR_S), (36_133, 39_733), (0, 24 * HOUR_S));
    let flame_graph = |question: Question| async move {
        let profile = fleet.ask(snapshot, &question).await.unwrap().into_profile().unwrap();
        let shape = FlameGraphShape { min_px: 0.5, ..FlameGraphShape::default() };
        whittle_views::flame_graph::flame_graph(&profile, &Query::default(), &shape).unwrap().boxes.len()
    };
    for (name, budget_ms, time) in
        [("flame graph 1 h, whole", 50, hour), ("flame graph 1 h, any", 50, odd_hour), ("flame graph 24 h", 300, day)]
    {
        measure(runtime, name, budget_ms, || flame_graph(question(one, time, &[])));
        measure(runtime, "  its sums", budget_ms, || async move {
            fleet.observed(snapshot, &question(one, time, &[])).await.unwrap().len()
        });
        measure(runtime, "  its sums and tables", budget_ms, || async move {
            fleet.ask(snapshot, &question(one, time, &[])).await.unwrap().tables.stacks.parent.len()
        });
        measure(runtime, "  its sums, tables and profile", budget_ms, || async move {
            let answered = fleet.ask(snapshot, &question(one, time, &[])).await.unwrap();
            answered.into_profile().unwrap().tables().samples.time_ns.len()
        });
    }
    measure(runtime, "top of the fleet 24 h", 1000, || async move {
        let query = Query { limit: Some(30), ..Query::default() };
        fleet.top(snapshot, (&question(None, day, &[]), &query), Price::default()).await.unwrap().rows.len()
    });
    measure(runtime, "  its sums", 1000, || async move {
        fleet.observed(snapshot, &question(None, day, &[Split::Service])).await.unwrap().len()
    });
    measure(runtime, "version diff 24 h", 500, || async move {
        let of = |version: &str| {
            let mut question = question(one, day, &[]);
            question.whose.versions = vec![version.to_owned()];
            question
        };
        let (baseline, candidate) = (of("1.0"), of("1.1"));
        let (baseline, candidate) =
            futures::try_join!(fleet.ask(snapshot, &baseline), fleet.ask(snapshot, &candidate)).unwrap();
        let profile = candidate.compared_with(baseline, ["1.0", "1.1"], (None, &[])).unwrap();
        whittle_views::functions::functions(&profile, &Query { limit: Some(30), ..Query::default() })
            .unwrap()
            .rows
            .len()
    });
    measure(runtime, "share of a function by hour, 24 h", 1000, || async move {
        let question = question(one, day, &[Split::Time(HOUR_S)]);
        let (function, metric) = ("com.acme.C17.f17()".to_owned(), "cpu".to_owned());
        let asked = ShareQuestion { question, function, mode: ViewMode::User, metric };
        fleet.share(snapshot, &asked, Price::default()).await.unwrap().rows.len()
    });
    measure(runtime, "regressions 24 h by hour", 2000, || async move {
        let asked = RegressionsQuestion {
            whose: question(one, day, &[]).whose,
            time: question(one, day, &[]).time,
            change: Change::Version { from: None, to: None },
            period_s: None,
            flavour: Flavour::Exclusive,
            mode: ViewMode::User,
            watched: Vec::new(),
            unit: None,
            limits: Limits::default(),
            limit: Some(30),
        };
        fleet.regressions(snapshot, &asked, Price::default()).await.unwrap().row_count
    });
    measure(runtime, "services 24 h", 1000, || async move {
        fleet.services(snapshot, &question(None, day, &[]), Price::default()).await.unwrap().rows.len()
    });
}

fn measure<F: Future<Output = usize>>(runtime: &Runtime, name: &str, budget_ms: u64, ask: impl Fn() -> F) {
    let time = || {
        let start = Instant::now();
        let size = runtime.block_on(ask());
        (start.elapsed(), size)
    };
    let (first, size) = time();
    let mut times: Vec<Duration> = (0..RUNS).map(|_| time().0).collect();
    times.sort_unstable();
    let ms = |duration: Duration| duration.as_secs_f64() * 1e3;
    println!(
        "{name:42} first {:>7.1} ms   p50 {:>7.1}   p99 {:>7.1}   budget {budget_ms:>4}   ({size})",
        ms(first),
        ms(times[RUNS / 2]),
        ms(times[RUNS - 1])
    );
}

/// Writes the tables of some services for one day. Samples and counters have one file per hour.
async fn fill(store: &Arc<Store>, services: usize) -> Snapshot {
    let mut files = Vec::new();
    for number in 0..services {
        let start = Instant::now();
        fill_service(store, number, &mut files).await;
        println!("service-{number}: {:.1} s", start.elapsed().as_secs_f64());
    }
    let catalogue = Catalogue::new(Arc::clone(store));
    let with_files = |newest: &Snapshot| Some(Snapshot { files: files.clone(), ..newest.clone() });
    catalogue.commit(with_files).await.unwrap().unwrap()
}

async fn fill_service(store: &Store, number: usize, files: &mut Vec<DataFile>) {
    let service = format!("service-{number}");
    let mut random = Seeded::new(number as u64);
    let (tables, leaves) = random_stacks(&mut random);
    let ids = StackId::of_stacks(&tables);
    let mut stacks = StackRows::new(&service);
    (1..ids.len()).for_each(|row| stacks.push(StackRow::of(&tables, &ids, StackIndex::from_row(row))));
    stacks.finish();
    let place = |table, span_s, level| PlacedFile { table, service: &service, span_s, level };
    let batch = stacks.to_batch();
    files.push(write_file(store, place(FleetTable::Stacks, (DAY_S, DAY_S), Level::Day), &[batch]).await.unwrap());
    let mut rollup = ObservationRows::new(FleetTable::Rollup, &service);
    for hour in 0..24 {
        let mut samples = ObservationRows::new(FleetTable::Samples, &service);
        let labels: Vec<Labels> = (0..3).map(|host| labels(number, host, hour)).collect();
        let labels_of_samples: Vec<u32> = labels.iter().map(|labels| samples.labels(labels)).collect();
        let labels_of_rollup: Vec<u32> = labels.iter().map(|labels| rollup.labels(labels)).collect();
        let threads: Vec<u32> = (0..24).map(|thread| samples.thread(&format!("worker-{thread}"))).collect();
        let none = rollup.thread("");
        for _ in 0..ROWS_PER_DAY / 24 {
            let what = observation(&mut random, hour, &leaves);
            let host = (random.bits() % 3) as usize;
            samples.push(what, labels_of_samples[host], threads[(random.bits() % 24) as usize]);
            rollup.push(what, labels_of_rollup[host], none);
        }
        samples.finish();
        let span_s = samples.span_s();
        let batch = samples.to_batch();
        files.push(write_file(store, place(FleetTable::Samples, span_s, Level::Hour), &[batch]).await.unwrap());
        let mut counters = CounterRows::new(&service);
        for segment in 0..60 {
            for labels in &labels {
                let time_s = DAY_S + hour * HOUR_S + segment * 60;
                counters.push(time_s, labels, ("duration_ns", 60e9));
                counters.push(time_s, labels, ("cpu_ns", 100e9));
            }
        }
        let (span_s, batch) = (counters.span_s(), counters.to_batch());
        files.push(write_file(store, place(FleetTable::Counters, span_s, Level::Hour), &[batch]).await.unwrap());
    }
    rollup.finish();
    let (span_s, batch) = (rollup.span_s(), rollup.to_batch());
    files.push(write_file(store, place(FleetTable::Rollup, span_s, Level::Day), &[batch]).await.unwrap());
}

fn labels(service: usize, host: u32, hour: i64) -> Labels {
    let version = if hour < 12 { "1.0" } else { "1.1" };
    let (host, version) = (format!("host-{service}-{host}"), version.to_owned());
    Labels { host, version, region: "north".to_owned(), others: "zone=a".to_owned() }
}

/// A random observation in an hour. The frequencies of stacks follow Zipf's law: few stacks are frequent, and most are
/// rare. With this exponent, the rollup is 17.5 times smaller than the samples, as in a recorded fleet. The state of a
/// thread depends on the stack.
fn observation(random: &mut Seeded, hour: i64, leaves: &[i64]) -> Observation {
    const TAIL: f64 = 0.3;
    let rarest = (leaves.len() as f64).powf(-TAIL);
    let rank = (1.0 - random.uniform() * (1.0 - rarest)).powf(-1.0 / TAIL) as usize % leaves.len();
    let (event, mode, reason) = match leaves[rank].rem_euclid(20) {
        0 => (EventKind::Alloc, CpuMode::Unknown, WaitReason::None),
        1 | 2 => (EventKind::OffCpu, CpuMode::Unknown, [WaitReason::Futex, WaitReason::Socket][rank % 2]),
        3..=7 => (EventKind::Cpu, CpuMode::System, WaitReason::None),
        _ => (EventKind::Cpu, CpuMode::User, WaitReason::None),
    };
    Observation {
        time_s: DAY_S + hour * HOUR_S + (random.bits() % 3600) as i64,
        stack: leaves[rank],
        event,
        mode,
        reason,
        thread_class: ThreadClass::Work,
        count: 1,
        duration_ns: if event == EventKind::Alloc { 0 } else { 50_000_000 },
        bytes: if event == EventKind::Alloc { 524_288 } else { 0 },
    }
}

/// Random stacks of about 30 frames, and the ids of the stacks that samples refer to. The stacks share frames near the
/// root.
fn random_stacks(random: &mut Seeded) -> (Tables, Vec<i64>) {
    let mut builder = TableBuilder::new();
    let mut seen: Vec<StackIndex> = vec![StackIndex::ROOT];
    let mut leaves = Vec::new();
    while leaves.len() < STACKS {
        let mut stack = seen[(random.bits() % seen.len() as u64) as usize];
        if builder.tables().stacks.depth[stack.row()] > 60 {
            stack = StackIndex::ROOT;
        }
        for _ in 0..3 + random.bits() % 5 {
            let frame = frame(&mut builder, random);
            stack = builder.child(stack, frame);
            seen.push(stack);
        }
        leaves.push(stack);
    }
    let ids = StackId::of_stacks(builder.tables());
    let leaves = leaves.into_iter().map(|leaf| ids[leaf.row()].low()).collect();
    (builder.into_tables(), leaves)
}

fn frame(builder: &mut TableBuilder, random: &mut Seeded) -> FrameIndex {
    let number = random.bits() % FUNCTIONS;
    let class = number % 700;
    let (display_name, internal_name) =
        (format!("com.acme.C{class}.f{number}()"), format!("com/acme/C{class}.f{number}()V"));
    let (kind, binary) = (FunctionKind::Java, BinaryIndex::NONE);
    let names = NewFunction { display_name: &display_name, internal_name: &internal_name, kind, binary };
    let function = builder.function(&names);
    let (kind, line) = (FrameKind::Jit, Some(1 + (random.bits() % 4) as u32));
    builder.frame(NewFrame { function, kind, line, bytecode_index: None, address: None })
}
