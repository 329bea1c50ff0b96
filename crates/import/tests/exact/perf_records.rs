//! perf files written record by record: the meaning of mappings, forks, execs and call chains.

use whittle_import::{ForeignImport, Symbols, UnnamedCode, import_perf_data};
use whittle_model::{MetricDefinition, Table, TableBuilder, Tables, Unit};

const MMAP: u32 = 1;
const COMM: u32 = 3;
const FORK: u32 = 7;
const SAMPLE: u32 = 9;
const MISC_USER: u16 = 2;
const MISC_EXEC: u16 = 1 << 13;
/// Marks that the following addresses of a call chain belong to the kernel, or to the program.
const KERNEL: u64 = -128_i64 as u64;
const USER: u64 = -512_i64 as u64;

/// Type and config of an event, and its period.
type Event = (u32, u64, u64);
const CPU_CLOCK: Event = (1, 0, 1_000_000);

/// A file under construction. Its samples have instruction, thread, time, id, period and call chain.
struct PerfData {
    events: Vec<Event>,
    /// Further flags of all events.
    flags: u64,
    /// True if samples have their period.
    has_period: bool,
    records: Vec<u8>,
    time_ns: u64,
}

impl PerfData {
    fn of(events: &[Event]) -> Self {
        Self { events: events.to_vec(), flags: 0, has_period: true, records: Vec::new(), time_ns: 0 }
    }

    fn record(&mut self, kind: u32, misc: u16, body: &[u8]) -> &mut Self {
        self.time_ns += 1;
        let at_the_end = if kind == SAMPLE { Vec::new() } else { longs(&[0, self.time_ns, 0]) };
        let body = [body, &at_the_end].concat();
        self.records.extend(kind.to_le_bytes());
        self.records.extend(misc.to_le_bytes());
        self.records.extend((body.len() as u16 + 8).to_le_bytes());
        self.records.extend(body);
        self
    }

    fn mmap(&mut self, process: u32, (start, file_offset): (u64, u64), path: &str) -> &mut Self {
        let path = path.bytes().chain(std::iter::repeat(0)).take(path.len() / 8 * 8 + 8);
        let body: Vec<u8> = [words(&[process, process]), longs(&[start, 0x1000, file_offset])].concat();
        self.record(MMAP, MISC_USER, &body.into_iter().chain(path).collect::<Vec<u8>>())
    }

    fn exec(&mut self, process: u32) -> &mut Self {
        self.record(COMM, MISC_EXEC, &[&words(&[process, process])[..], b"program\0"].concat())
    }

    fn fork(&mut self, parent: u32, child: u32) -> &mut Self {
        self.record(FORK, 0, &[words(&[child, parent, child, parent]), longs(&[0])].concat())
    }

    fn sample(&mut self, process: u32, chain: &[u64]) -> &mut Self {
        self.sample_of((0, 1_000_000), process, chain)
    }

    fn sample_of(&mut self, (event, period): (u64, u64), process: u32, chain: &[u64]) -> &mut Self {
        let head = [longs(&[event, chain[1]]), words(&[process, process])].concat();
        let period = if self.has_period { longs(&[period]) } else { Vec::new() };
        let chain = [longs(&[chain.len() as u64]), longs(chain)].concat();
        self.record(SAMPLE, MISC_USER, &[head, longs(&[self.time_ns + 1]), period, chain].concat())
    }

    fn bytes(&self) -> Vec<u8> {
        const HEAD_BYTES: u64 = 104;
        const ATTR_BYTES: u64 = 64 + 16;
        const IDENTIFIER_IP_TID_TIME_CALLCHAIN: u64 = 1 << 16 | 1 | 1 << 1 | 1 << 2 | 1 << 5;
        const PERIOD: u64 = 1 << 8;
        const SAMPLE_ID_ALL: u64 = 1 << 18;
        let sample_type = IDENTIFIER_IP_TID_TIME_CALLCHAIN | if self.has_period { PERIOD } else { 0 };
        let attrs_bytes = self.events.len() as u64 * ATTR_BYTES;
        let (ids_at, ids_bytes) = (HEAD_BYTES + attrs_bytes, self.events.len() as u64 * 8);
        let (data_at, data_bytes) = (ids_at + ids_bytes, self.records.len() as u64);
        let head = longs(&[HEAD_BYTES, ATTR_BYTES, HEAD_BYTES, attrs_bytes, data_at, data_bytes]);
        let attrs = self.events.iter().zip(0..).flat_map(|((kind, config, period), position)| {
            let described = longs(&[*config, *period, sample_type, 0, SAMPLE_ID_ALL | self.flags, 0, 0]);
            [words(&[*kind, 64]), described, longs(&[ids_at + 8 * position, 8])].concat()
        });
        let ids = (0..self.events.len() as u64).flat_map(u64::to_le_bytes);
        let head = [&b"PERFILE2"[..], &head, &[0; HEAD_BYTES as usize - 56]].concat();
        head.into_iter().chain(attrs).chain(ids).chain(self.records.iter().copied()).collect()
    }

    fn import(&self, symbols: &mut dyn Symbols) -> (Tables, ForeignImport) {
        let mut builder = TableBuilder::new();
        let import = import_perf_data(&self.bytes(), symbols, &mut builder).unwrap();
        let tables = builder.into_tables();
        tables.validate().unwrap();
        (tables, import)
    }
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn longs(longs: &[u64]) -> Vec<u8> {
    longs.iter().flat_map(|long| long.to_le_bytes()).collect()
}

/// Names functions by their binary and start address. All functions have 0x10 bytes. Counts the requested names.
#[derive(Default)]
struct Sixteens {
    asked_count: usize,
}

impl Symbols for Sixteens {
    fn name(&mut self, code: &UnnamedCode<'_>) -> Option<String> {
        self.asked_count += 1;
        let place = if code.is_kernel { code.address } else { code.file_offset };
        Some(format!("{}{:x}", code.binary.trim_start_matches('/'), place & !0xf))
    }
}

/// The stacks of the samples, root first.
fn stacks(data: &PerfData) -> Vec<String> {
    let (tables, _) = data.import(&mut Sixteens::default());
    let stack = |sample: usize| {
        let mut names: Vec<&str> = Vec::new();
        let mut stack = tables.samples.stack[sample].row();
        while stack != 0 {
            let function = tables.frames.function[tables.stacks.frame[stack].row()].row();
            names.push(&tables.functions.display_name[function]);
            stack = tables.stacks.parent[stack].row();
        }
        names.reverse();
        names.join(" ")
    };
    (0..tables.samples.len()).map(stack).collect()
}

#[test]
fn a_caller_is_looked_up_before_its_return_address_and_a_leaf_where_it_is() {
    // The call is the last instruction of the function at 0x20, so its return address is the start of another function.
    let mut data = PerfData::of(&[CPU_CLOCK]);
    data.mmap(1, (0x5000, 0), "/a").sample(1, &[USER, 0x5010, 0x5030, 0x5048]);
    assert_eq!(stacks(&data), ["a40 a20 a10"]);
    // The first kernel address and the first program address are places of execution.
    let mut data = PerfData::of(&[CPU_CLOCK]);
    data.mmap(1, (0x5000, 0), "/a").sample(1, &[KERNEL, 0xff10, 0xff30, USER, 0x5010, 0x5030]);
    assert_eq!(stacks(&data), ["a20 a10 ff20 ff10"]);
}

#[test]
fn a_new_process_has_the_code_of_its_parent_whatever_had_its_number_before() {
    let mut data = PerfData::of(&[CPU_CLOCK]);
    data.mmap(1, (0x5000, 0), "/a").mmap(2, (0x5000, 0), "/old").sample(2, &[USER, 0x5000]);
    data.fork(1, 2).sample(2, &[USER, 0x5000]);
    data.fork(9, 2).sample(2, &[USER, 0x5000]);
    assert_eq!(stacks(&data), ["old0", "a0", "5000"]);
}

#[test]
fn another_program_or_mapping_is_other_code() {
    let mut data = PerfData::of(&[CPU_CLOCK]);
    data.mmap(1, (0x5000, 0), "/a").sample(1, &[USER, 0x5000]);
    data.exec(1).sample(1, &[USER, 0x5000]);
    data.mmap(1, (0x5000, 0), "/b").sample(1, &[USER, 0x5000]);
    data.mmap(1, (0x5000, 0x100), "/b").sample(1, &[USER, 0x5000]);
    assert_eq!(stacks(&data), ["a0", "5000", "b0", "b100"]);
}

#[test]
fn a_program_that_maps_all_the_time_is_not_looked_up_anew_each_time() {
    let mut data = PerfData::of(&[CPU_CLOCK]);
    data.mmap(1, (0x5000, 0), "/a");
    for round in 0..1_000 {
        let chain: Vec<u64> = std::iter::once(USER).chain((0..20).map(|place| 0x5008 + 0x10 * place)).collect();
        data.mmap(1, (0x10_0000 + 0x1000 * round, 0), "//anon").sample(1, &chain);
    }
    let mut symbols = Sixteens::default();
    assert_eq!(data.import(&mut symbols).0.samples.len(), 1_000);
    assert_eq!(symbols.asked_count, 20);
}

/// Names, titles, units and sums of the metrics, and the number of samples.
fn metrics(data: &PerfData) -> (Vec<(String, String, Unit, u64)>, usize) {
    let (tables, import) = data.import(&mut Sixteens::default());
    let of_metric = |metric: &MetricDefinition| {
        let values = metric.weight.values(&tables.samples).iter().zip(&tables.samples.event);
        let sum = values.filter(|(_, event)| **event == metric.event).map(|(value, _)| value).sum();
        (metric.name.clone(), metric.title.clone(), metric.unit, sum)
    };
    let observed = tables.samples.event.iter().zip(&tables.samples.count);
    let count = observed.map(|(event, count)| if event.has_amount_in_count() { 1 } else { *count });
    (import.metrics.iter().map(of_metric).collect(), count.sum::<u64>() as usize)
}

#[test]
fn events_of_the_processor_are_counted_in_their_periods_each_as_its_own_metric() {
    let [cycles, instructions, cache_misses, other, another] =
        [(0, 0, 4_000), (0, 1, 4_000), (0, 3, 100), (4, 0x1a2, 10), (4, 0x1a3, 10)];
    let mut data = PerfData::of(&[cycles, instructions, cache_misses, other, another]);
    data.mmap(1, (0x5000, 0), "/a");
    for sample in [(0, 4_000), (0, 4_500), (1, 9_000), (2, 100), (3, 10), (4, 10)] {
        data.sample_of(sample, 1, &[USER, 0x5010, 0x5030]);
    }
    let metric = |name: &str, title: &str, sum| (name.to_owned(), title.to_owned(), Unit::Count, sum);
    let expected = [
        metric("cycles", "Cycles", 8_500),
        metric("instructions", "Instructions", 9_000),
        metric("cache_misses", "Cache misses", 100),
        metric("event_4_1a2", "event 4 1a2", 10),
    ];
    assert_eq!(metrics(&data), (expected.to_vec(), 5));
    let left_out = data.import(&mut Sixteens::default()).1.left_out;
    assert_eq!(left_out, ["event_4_1a3 (count): experiments have no such metric"]);
}

#[test]
fn without_periods_samples_are_what_is_counted() {
    const FREQUENCY: u64 = 1 << 10;
    let mut data = PerfData { flags: FREQUENCY, has_period: false, ..PerfData::of(&[(0, 0, 99)]) };
    data.mmap(1, (0x5000, 0), "/a").sample(1, &[USER, 0x5010]).sample(1, &[USER, 0x5010]);
    assert_eq!(metrics(&data), (vec![("samples".to_owned(), "Samples".to_owned(), Unit::Count, 2)], 2));
    // A clock with 100 ticks per second.
    let mut data = PerfData { flags: FREQUENCY, has_period: false, ..PerfData::of(&[(1, 0, 100)]) };
    data.mmap(1, (0x5000, 0), "/a").sample(1, &[USER, 0x5010]).sample(1, &[USER, 0x5010]);
    assert_eq!(metrics(&data).0[0], ("cpu".to_owned(), "CPU".to_owned(), Unit::Nanoseconds, 20_000_000));
}
