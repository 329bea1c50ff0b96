//! Reads the engine's rows as typed values: sums by stack and kind of observation, and exact amounts.

use crate::engine::{EngineError, Numbers, Rows, Texts, fractions};
use crate::question::{Question, Split};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use whittle_model::{CpuMode, EventKind, LossReason, Losses, ThreadClass, UnitOfWork, WaitReason};

/// The sums that answer a query.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    /// The services of the rows.
    pub services: Vec<String>,
    /// Names of the groups, in the order of the query. The time is not included.
    pub names: Vec<Vec<String>>,
    pub(super) rows: Vec<ObservedRow>,
}

/// One sum.
#[derive(Debug, Clone, Copy)]
pub(super) struct ObservedRow {
    /// Position in `services`.
    pub(super) service: u32,
    /// Position in `names`.
    pub(super) names: u32,
    /// Whether the sum belongs to the JVM's own threads.
    pub(super) is_jvm: bool,
    /// End of the sum's period. Missing: the end of the query's time range.
    pub(super) bucket_end_s: Option<i64>,
    pub(super) stack: i64,
    pub(super) event: EventKind,
    pub(super) mode: CpuMode,
    pub(super) reason: WaitReason,
    pub(super) count: u64,
    pub(super) duration_ns: u64,
    pub(super) bytes: u64,
}

impl Observed {
    /// Reads the engine's rows. If the query selects one service, the service column can be missing.
    ///
    /// # Errors
    /// A column is missing, or contains an unknown value.
    pub fn read(question: &Question, rows: &Rows) -> Result<Self, EngineError> {
        let mut observed = Self::default();
        let mut known = Known::default();
        for batch in &rows.0 {
            let split = question.split.iter().filter(|split| !matches!(split, Split::Time(_)));
            let split: Vec<Texts> = split.map(|split| Texts::of(batch, split.column())).collect::<Result<_, _>>()?;
            let service = question.split.contains(&Split::Service).then(|| Texts::of(batch, "service")).transpose()?;
            let width_s = question.width_s();
            let bucket = width_s.map(|_| Numbers::of(batch, "bucket")).transpose()?;
            let class = Texts::of(batch, "thread_class")?;
            let kinds = ["event", "mode", "reason"].map(|name| Texts::of(batch, name));
            let [event, mode, reason] = kinds;
            let (event, mode, reason) = (event?, mode?, reason?);
            let numbers = ["stack", "count", "duration_ns", "bytes"].map(|name| Numbers::of(batch, name));
            let [stack, count, duration_ns, bytes] = numbers;
            let (stack, count, duration_ns, bytes) = (stack?, count?, duration_ns?, bytes?);
            for row in 0..batch.num_rows() {
                let only = || question.whose.services.first().map_or("", String::as_str);
                let service = service.as_ref().map_or_else(only, |service| service.value(row));
                let names: Vec<&str> = split.iter().map(|texts| texts.value(row)).collect();
                let (event, mode, reason) = known.kind([&event, &mode, &reason].map(|texts| texts.value(row)))?;
                observed.rows.push(ObservedRow {
                    service: known.service(service, &mut observed.services),
                    names: known.names(&names, &mut observed.names),
                    is_jvm: ThreadClass::from_name(class.value(row)).is_ok_and(ThreadClass::is_jvm),
                    bucket_end_s: bucket
                        .as_ref()
                        .zip(width_s)
                        .map(|(bucket, width_s)| bucket.value(row).saturating_add(1).saturating_mul(width_s)),
                    stack: stack.value(row),
                    event,
                    mode,
                    reason,
                    count: count.amount(row),
                    duration_ns: duration_ns.amount(row),
                    bytes: bytes.amount(row),
                });
            }
        }
        Ok(observed)
    }

    /// Number of sums.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if there are no sums.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// The values of the previous row. Adjacent rows usually have the same values.
#[derive(Default)]
struct Known {
    services: FxHashMap<String, u32>,
    names: FxHashMap<Vec<String>, u32>,
    last_names: Option<(Vec<String>, u32)>,
    kinds: FxHashMap<[String; 3], (EventKind, CpuMode, WaitReason)>,
    last_kind: Option<([String; 3], (EventKind, CpuMode, WaitReason))>,
}

impl Known {
    fn service(&mut self, service: &str, services: &mut Vec<String>) -> u32 {
        if let Some(known) = self.services.get(service) {
            return *known;
        }
        let number = services.len() as u32;
        services.push(service.to_owned());
        self.services.insert(service.to_owned(), number);
        number
    }

    fn names(&mut self, values: &[&str], names: &mut Vec<Vec<String>>) -> u32 {
        if let Some((last, number)) = &self.last_names
            && last == values
        {
            return *number;
        }
        let owned: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        let number = *self.names.entry(owned.clone()).or_insert_with(|| {
            names.push(owned.clone());
            names.len() as u32 - 1
        });
        self.last_names = Some((owned, number));
        number
    }

    fn kind(&mut self, values: [&str; 3]) -> Result<(EventKind, CpuMode, WaitReason), EngineError> {
        if let Some((last, kind)) = &self.last_kind
            && *last == values
        {
            return Ok(*kind);
        }
        let owned = values.map(str::to_owned);
        let kind = match self.kinds.get(&owned) {
            Some(kind) => *kind,
            None => kind_of(values)?,
        };
        self.kinds.insert(owned.clone(), kind);
        self.last_kind = Some((owned, kind));
        Ok(kind)
    }
}

fn kind_of([event, mode, reason]: [&str; 3]) -> Result<(EventKind, CpuMode, WaitReason), EngineError> {
    let unknown = |error: whittle_model::UnknownCode| EngineError::WrongAnswer { column: error.to_string() };
    let event = EventKind::from_name(event).map_err(unknown)?;
    let reason = WaitReason::from_name(reason).map_err(unknown)?;
    // Only blocked threads have a reason.
    let reason = if event == EventKind::OffCpu { reason } else { WaitReason::None };
    Ok((event, CpuMode::from_name(mode).map_err(unknown)?, reason))
}

/// The counter of exact CPU time.
pub(crate) const CPU_COUNTER: &str = "cpu_ns";

/// The counter of the time that a segment covers, nanoseconds.
pub(crate) const LENGTH_COUNTER: &str = "duration_ns";

/// Minimum share of the segments that must have a counter. A process's first segment has no units of work, because
/// there is no earlier total to subtract.
const NEARLY_ALL: f64 = 0.9;

/// Exact amounts of the segments that began in the time range.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExactAmounts {
    /// CPU time that the kernel counted.
    pub cpu_ns: u64,
    /// Collected time of all processes.
    pub covered_ns: u64,
    /// Missing data, by reason.
    pub losses: Losses,
    /// Number of CPUs of the machine. For several machines, this is the largest number. Missing: the number is unknown.
    pub cpu_count: Option<f64>,
    /// Work that programs reported.
    pub units: Vec<UnitOfWork>,
    /// Number of segments.
    pub segment_count: u64,
    /// For CPU time and each unit of work, the number of segments that report this counter.
    pub told_counts: BTreeMap<String, u64>,
    /// Start of the first segment, seconds since 1970-01-01 UTC. Missing: there are no segments.
    pub first_s: Option<i64>,
    /// Start of the last segment, in the same form.
    pub last_s: Option<i64>,
}

/// Whether a counter is a unit of work. All other counters have reserved names.
pub(crate) fn is_unit_of_work(counter: &str) -> bool {
    !matches!(counter, CPU_COUNTER | LENGTH_COUNTER | "cpu_count") && !counter.starts_with("lost_")
}

/// The labels of amounts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Counted {
    /// The service.
    pub service: String,
    /// The machine.
    pub host: String,
    /// The program's version.
    pub version: String,
    /// The region of the machine.
    pub region: String,
}

impl ExactAmounts {
    /// Reads the engine's rows of counters, by their labels.
    ///
    /// # Errors
    /// A column is missing.
    pub fn read(rows: &Rows) -> Result<BTreeMap<Counted, Self>, EngineError> {
        let mut amounts: BTreeMap<Counted, Self> = BTreeMap::new();
        for batch in &rows.0 {
            let texts = ["service", "host", "version", "region", "counter"].map(|name| Texts::of(batch, name));
            let [service, host, version, region, counter] = texts;
            let (service, host, version, region, counter) = (service?, host?, version?, region?, counter?);
            let value = fractions(batch, "value")?;
            let numbers = ["segments", "first_s", "last_s"].map(|name| Numbers::of(batch, name));
            let [segments, first_s, last_s] = numbers;
            let (segments, first_s, last_s) = (segments?, first_s?, last_s?);
            for row in 0..batch.num_rows() {
                let [service, host, version, region] =
                    [&service, &host, &version, &region].map(|texts| texts.value(row).to_owned());
                let sum = amounts.entry(Counted { service, host, version, region }).or_default();
                sum.add(counter.value(row), value.value(row), segments.amount(row));
                sum.first_s = Some(sum.first_s.map_or(first_s.value(row), |known| known.min(first_s.value(row))));
                sum.last_s = Some(sum.last_s.map_or(last_s.value(row), |known| known.max(last_s.value(row))));
            }
        }
        Ok(amounts)
    }

    /// The sum of several amounts.
    pub fn sum<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut sum = Self::default();
        for one in all {
            sum.cpu_ns = sum.cpu_ns.saturating_add(one.cpu_ns);
            sum.covered_ns = sum.covered_ns.saturating_add(one.covered_ns);
            sum.cpu_count = [sum.cpu_count, one.cpu_count].into_iter().flatten().reduce(f64::max);
            sum.losses.merge(&one.losses);
            sum.segment_count = sum.segment_count.saturating_add(one.segment_count);
            one.told_counts.iter().for_each(|(counter, count)| sum.add_told(counter, *count));
            sum.first_s = [sum.first_s, one.first_s].into_iter().flatten().min();
            sum.last_s = [sum.last_s, one.last_s].into_iter().flatten().max();
            one.units.iter().for_each(|unit| sum.add_unit(&unit.name, unit.amount));
        }
        sum
    }

    fn add(&mut self, counter: &str, value: f64, segment_count: u64) {
        // Casts of floating-point numbers saturate at the ends of the integer type.
        let amount = value.max(0.0) as u64;
        match counter {
            CPU_COUNTER => {
                self.cpu_ns = self.cpu_ns.saturating_add(amount);
                self.add_told(counter, segment_count);
            }
            LENGTH_COUNTER => {
                self.covered_ns = self.covered_ns.saturating_add(amount);
                self.segment_count = self.segment_count.saturating_add(segment_count);
            }
            "cpu_count" => self.cpu_count = Some(value / segment_count.max(1) as f64),
            _ => match counter.strip_prefix("lost_").map(LossReason::from_name) {
                Some(Ok(reason)) => self.losses.add_count(reason, amount),
                Some(Err(_)) => self.losses.add_count(LossReason::FailedSample, amount),
                None => {
                    self.add_unit(counter, value);
                    self.add_told(counter, segment_count);
                }
            },
        }
    }

    /// Whether nearly all segments have a counter. If only some segments have the counter, its sum is not valid for all
    /// segments.
    pub fn is_told(&self, counter: &str) -> bool {
        let count = self.told_counts.get(counter).copied().unwrap_or(0);
        count as f64 >= NEARLY_ALL * self.segment_count as f64
    }

    fn add_told(&mut self, counter: &str, segment_count: u64) {
        let count = self.told_counts.entry(counter.to_owned()).or_default();
        *count = count.saturating_add(segment_count);
    }

    fn add_unit(&mut self, name: &str, amount: f64) {
        match self.units.iter_mut().find(|unit| unit.name == name) {
            Some(unit) => unit.amount += amount,
            None => {
                let source = "counters of the segments".to_owned();
                self.units.push(UnitOfWork { name: name.to_owned(), amount, source });
            }
        }
    }
}
