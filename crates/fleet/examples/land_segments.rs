//! Writes segments to a store in the same way as agents, to measure the intake. Usage: `land_segments STORE HOSTS
//! SERVICES SEGMENTS_EACH`.
//!
//! Each host has one process of each service. Each segment contains samples of 30 s, taken at 20 Hz on two busy CPUs.
#![allow(clippy::unwrap_used, reason = "a tool for measuring")]

use std::sync::Arc;
use whittle_experiment::Store;
use whittle_model::{
    BinaryIndex, CpuMode, EventKind, FrameKind, FunctionKind, Manifest, NewFrame, NewFunction, Program, Sample,
    SegmentId, StackIndex, State, StreamId, TableBuilder, ThreadClass, cpu_metrics,
};
use whittle_testkit::Seeded;

/// The start of 2026-10-05.
const DAY_S: u64 = 1_791_158_400;
const SEGMENT_S: u64 = 30;
const SAMPLES: u64 = 2 * 20 * SEGMENT_S;
/// Number of different stacks in a service's samples. Only a few of these stacks are frequent.
const STACKS: f64 = 20_000.0;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [store, hosts, services, segments] = arguments.as_slice() else {
        panic!("usage: land_segments STORE HOSTS SERVICES SEGMENTS_EACH");
    };
    let number = |text: &String| text.parse::<u64>().unwrap();
    let (hosts, services, segments) = (number(hosts), number(services), number(segments));
    let store = Arc::new(Store::open(store).unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for host in 0..hosts {
        for service in 0..services {
            for sequence in 0..segments {
                let (manifest, tables) = segment(host, service, sequence);
                runtime.block_on(store.land(&manifest, &tables)).unwrap();
            }
        }
    }
}

fn segment(host: u64, service: u64, sequence: u64) -> (Manifest, whittle_model::Tables) {
    let mut random = Seeded::new((host << 40) | (service << 20) | sequence);
    let mut builder = TableBuilder::new();
    for _ in 0..SAMPLES {
        let number = random.bits() % 24;
        let thread = builder.thread(Some(1), Some(number as u32), &format!("worker-{number}"));
        builder.threads_mut().class[thread.row()] = ThreadClass::Work;
        let stack = stack(&mut builder, STACKS.powf(random.uniform()) as u64);
        let mode = if random.bits().is_multiple_of(4) { CpuMode::System } else { CpuMode::User };
        let time_ns = random.bits() % (SEGMENT_S * 1_000_000_000);
        builder.sample(Sample { mode, duration_ns: 50_000_000, ..Sample::new(time_ns, thread, stack, EventKind::Cpu) });
    }
    let mut manifest = Manifest::new(Program { name: "bench".to_owned(), version: String::new() });
    manifest.state = State::Complete;
    manifest.start_wall_ns = Some((DAY_S + sequence * SEGMENT_S) * 1_000_000_000);
    manifest.duration_ns = SEGMENT_S * 1_000_000_000;
    manifest.metrics = cpu_metrics(true);
    manifest.segment = Some(SegmentId { stream: StreamId((u128::from(host) << 64) | u128::from(service)), sequence });
    let labels = [("service", format!("service-{service}")), ("host", format!("host-{host}"))];
    manifest.labels = labels.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    (manifest, builder.into_tables())
}

/// The stack with this number. The number determines the frames. There are fewer different frames near the root than
/// near the leaf.
fn stack(builder: &mut TableBuilder, number: u64) -> StackIndex {
    let mut stack = StackIndex::ROOT;
    for depth in 0..30 {
        let below = number % (1 << (depth / 2).min(15));
        let class = (below * 31 + depth) % 700;
        let (display_name, internal_name) =
            (format!("com.acme.C{class}.f{below}()"), format!("com/acme/C{class}.f{below}()V"));
        let (kind, binary) = (FunctionKind::Java, BinaryIndex::NONE);
        let names = NewFunction { display_name: &display_name, internal_name: &internal_name, kind, binary };
        let function = builder.function(&names);
        let (kind, line) = (FrameKind::Jit, Some(depth as u32 + 1));
        let frame = builder.frame(NewFrame { function, kind, line, bytecode_index: None, address: None });
        stack = builder.child(stack, frame);
    }
    stack
}
