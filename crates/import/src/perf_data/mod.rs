//! Files of `perf record`.
//!
//! ```text
//! attrs: what was sampled │ records: mappings, names of threads, samples with call chains │ features
//! ```
//!
//! Records of several CPUs are stored in blocks, so they are sorted by time first. A `perf.data` file contains no names
//! of functions. An address becomes a function `binary+0xoffset`, unless the caller's [`Symbols`] has a name for it.

mod bytes;
mod header;
mod maps;
mod perf_map;
mod reader;
mod records;

use crate::ImportError;
use crate::foreign::{ForeignImport, Target, ValueType, ValueTypes};
use header::{Event, Header, MAGIC, MAGIC_SWAPPED};
pub use perf_map::PerfMap;
use reader::Reader;
use records::{Record, Records, has_period, kind, time_ns};
use whittle_model::{LossReason, Metric, TableBuilder, cpu_metrics};

/// An address in machine code. The `perf.data` file contains no name for this address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UnnamedCode<'a> {
    /// Id of the process.
    pub process_id: u32,
    /// Path of the mapped file; `//anon` or empty for memory without a file.
    pub binary: &'a str,
    /// Build id in lower-case hexadecimal; empty: not in the file.
    pub build_id: &'a str,
    /// Position in the file.
    pub file_offset: u64,
    /// Address in the process.
    pub address: u64,
    /// True for code of the kernel.
    pub is_kernel: bool,
}

/// Provides names of functions.
pub trait Symbols {
    /// The name of the function at an address. `None` if it is unknown.
    fn name(&mut self, code: &UnnamedCode<'_>) -> Option<String>;
}

/// Provides no names.
#[derive(Debug, Clone, Copy)]
pub struct NoSymbols;

impl Symbols for NoSymbols {
    fn name(&mut self, _code: &UnnamedCode<'_>) -> Option<String> {
        None
    }
}

/// True if the bytes start as a `perf.data` file of any byte order.
pub(crate) fn is_perf_data(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || bytes.starts_with(MAGIC_SWAPPED)
}

/// Reads a file into `builder`.
///
/// # Errors
/// [`ImportError::NotPerfData`] if it has no samples.
pub fn import_perf_data(
    bytes: &[u8],
    symbols: &mut dyn Symbols,
    builder: &mut TableBuilder,
) -> Result<ForeignImport, ImportError> {
    let wrong = |found| ImportError::NotPerfData { found, byte_count: bytes.len() };
    if bytes.starts_with(MAGIC_SWAPPED) {
        return Err(wrong("a file with the opposite byte order, which whittle cannot read,"));
    }
    let mut header = Header::parse(bytes).ok_or_else(|| wrong("no complete header"))?;
    let data = &bytes[header.data.clone()];
    let mut target = Target::new(builder, bytes.len());
    let records = records_in_time_order(data, &mut header, &mut target);
    if header.events.is_empty() || !records.iter().any(|record| record.kind == kind::SAMPLE) {
        return Err(wrong("no samples"));
    }
    let types = value_types(&header.events);
    let mut reader = Reader::new((&header, &types), symbols, &mut target);
    records.iter().for_each(|record| reader.read(record));
    let duration_ns = reader.finish();
    let has_clock = types.metrics().iter().any(|metric| metric.is(Metric::Cpu));
    let split = if has_clock { cpu_metrics(true).split_off(1) } else { Vec::new() };
    let producer = if header.version.is_empty() { "perf".to_owned() } else { format!("perf {}", header.version) };
    Ok(ForeignImport {
        producer,
        metrics: types.metrics().into_iter().chain(split).collect(),
        losses: target.losses,
        left_out: types.left_out,
        start_wall_ns: None,
        duration_ns,
        interval_ns: header.events.first().and_then(interval_ns),
        command: header.command,
    })
}

/// The records, sorted by time. In a file that was written to a pipe, some records are descriptions of events.
fn records_in_time_order<'a>(data: &'a [u8], header: &mut Header, target: &mut Target<'_>) -> Vec<Record<'a>> {
    let mut records = Records::new(data);
    let mut found: Vec<(u64, Record<'a>)> = Vec::new();
    for record in records.by_ref() {
        match record.kind {
            kind::HEADER_ATTR => add_event(record.body, header),
            // Compressed records are left out, because reading them would need zstd.
            kind::COMPRESSED | kind::COMPRESSED2 => {
                target.losses.add_input_bytes(LossReason::DamagedInput, record.body.len() as u64);
            }
            _ => found.push((time_ns(&record, header), record)),
        }
    }
    if records.rest_bytes() > 0 {
        target.losses.add_input_bytes(LossReason::DamagedInput, records.rest_bytes() as u64);
    }
    found.sort_by_key(|(time, _)| *time);
    found.into_iter().map(|(_, record)| record).collect()
}

/// Adds the event in a record. The record contains a `perf_event_attr`, which includes its size, and then ids.
fn add_event(body: &[u8], header: &mut Header) {
    let size = bytes::Bytes::at(body, 4).u32().map_or(0, |size| size as usize);
    if let Some((attr, ids)) = body.split_at_checked(size)
        && let Some(event) = Event::parse(attr)
    {
        header.add_event(event, ids);
    }
}

fn value_types(events: &[Event]) -> ValueTypes {
    let types: Vec<ValueType> = events.iter().map(value_type).collect();
    ValueTypes::of_events(&types)
}

/// The meaning of an event's numbers. Numbers need a period, which is in each sample or the same for all samples.
fn value_type(event: &Event) -> ValueType {
    const HARDWARE: u32 = 0;
    const SOFTWARE: u32 = 1;
    const TRACEPOINT: u32 = 2;
    let of = |name: &str, unit: &str| ValueType { name: name.to_owned(), unit: unit.to_owned() };
    let count = |metric: Metric| of(metric.name(), "count");
    let base_name = event.name.rsplit_once(':').map_or(event.name.as_str(), |(name, _)| name);
    match (event.kind, event.config) {
        (SOFTWARE, 0 | 1) => of(Metric::Cpu.name(), "nanoseconds"),
        _ if event.is_frequency && !has_period(event) => count(Metric::Samples),
        (SOFTWARE, 2 | 5 | 6) => count(Metric::PageFaults),
        (TRACEPOINT, _) if event.name.starts_with("syscalls:") || event.name == "raw_syscalls:sys_enter" => {
            count(Metric::Syscalls)
        }
        (TRACEPOINT, _) => of(&event.name, "count"),
        (HARDWARE, config) if let Some(metric) = processor_event(config) => count(metric),
        _ if base_name.is_empty() => of(&format!("event_{}_{:x}", event.kind, event.config), "count"),
        _ => of(base_name, "count"),
    }
}

/// The events that all processors have, by their number in the kernel. On processors with two kinds of cores, the upper
/// half of the number is the kind of core.
fn processor_event(config: u64) -> Option<Metric> {
    match config & u64::from(u32::MAX) {
        0 => Some(Metric::Cycles),
        1 => Some(Metric::Instructions),
        3 => Some(Metric::CacheMisses),
        5 => Some(Metric::BranchMisses),
        _ => None,
    }
}

/// The time between two samples of an event that counts time.
fn interval_ns(event: &Event) -> Option<u64> {
    let per_second = Some(event.period).filter(|frequency| event.is_frequency && *frequency > 0);
    let is_clock = event.kind == 1 && event.config < 2;
    per_second.map(|frequency| 1_000_000_000 / frequency).or(Some(event.period).filter(|_| is_clock))
}
