//! Processed profiles of the Firefox Profiler, from Firefox, samply, Chrome traces, and other tools. The page
//! profiler.firefox.com can open and save these profiles.
//!
//! ```text
//! samples ─> stackTable (prefix tree) ─> frameTable (line, category) ─> funcTable ─> resourceTable ─> libs
//! ```
//!
//! In some versions, each thread has these tables and its texts. In other versions, all threads share the tables and
//! texts under `shared`. Columns are read cell by cell, so an invalid cell affects only the rows that refer to this
//! cell.

use crate::foreign::{
    CodeName, ForeignImport, Json, Observation, Target, ValueType, ValueTypes, cell_index, cell_number, nanoseconds_in,
    whole,
};
use crate::{ImportError, OpenedFile};
use std::borrow::Cow;
use std::rc::Rc;
use whittle_model::{FrameIndex, FrameKind, LossReason, Metric, StackIndex, TableBuilder, ThreadIndex};

/// All times in this format are in milliseconds.
const NS_PER_MILLISECOND: f64 = 1e6;

/// True if this is a profile of the Firefox Profiler, processed or not.
pub(crate) fn is_firefox(file: &Json) -> bool {
    file["meta"].is_object() && (file["threads"].is_array() || file["meta"]["preprocessedProfileVersion"].is_u64())
}

/// Reads a profile into `builder`.
///
/// # Errors
/// [`ImportError::NotJson`], and [`ImportError::NotFirefox`] without a processed thread.
pub fn import_firefox(opened: &OpenedFile<'_>, builder: &mut TableBuilder) -> Result<ForeignImport, ImportError> {
    let (file, is_complete) = opened.json()?;
    let byte_count = opened.bytes().len();
    let threads = file["threads"].as_array().map_or(&[][..], Vec::as_slice);
    let is_gecko = threads.iter().any(|thread| thread["samples"]["schema"].is_object());
    if is_gecko || !threads.iter().any(|thread| thread["samples"].is_object()) {
        return Err(ImportError::NotFirefox { byte_count, is_gecko });
    }
    let mut target = Target::new(builder, byte_count);
    if !is_complete {
        target.losses.add_input_bytes(LossReason::DamagedInput, 0);
    }
    let units = Units::new(file, threads);
    let mut end_ns = 0;
    let mut shared_stacks: Option<Rc<[KnownStack]>> = None;
    for thread in threads {
        let tables = Tables { file, thread };
        let stacks = match &shared_stacks {
            Some(known) if tables.are_shared() => Rc::clone(known),
            _ => read_stacks(&mut target, tables).into(),
        };
        if tables.are_shared() {
            shared_stacks = Some(Rc::clone(&stacks));
        }
        let mut reader = ThreadReader::new(&mut target, (tables, stacks), &units);
        reader.read_samples();
        end_ns = end_ns.max(reader.end_ns);
    }
    let meta = &file["meta"];
    let milliseconds = |value: &Json| value.as_f64().and_then(|time| whole(time * NS_PER_MILLISECOND));
    let product = meta["importedFrom"].as_str().or(meta["product"].as_str()).unwrap_or_default();
    Ok(ForeignImport {
        producer: product.to_owned(),
        metrics: units.types.metrics(),
        losses: target.losses,
        left_out: units.types.left_out,
        start_wall_ns: milliseconds(&meta["startTime"]).filter(|time| *time > 0),
        duration_ns: milliseconds(&meta["profilingEndTime"]).unwrap_or(0).max(end_ns),
        interval_ns: milliseconds(&meta["interval"]).filter(|interval| *interval > 0),
        command: meta["arguments"].as_str().unwrap_or_default().split_whitespace().map(str::to_owned).collect(),
    })
}

/// The meaning of the samples' weights.
struct Units {
    types: ValueTypes,
    /// Number of nanoseconds in the unit of `threadCPUDelta`. Missing: the column is not read.
    cpu_factor: Option<u64>,
}

impl Units {
    fn new(file: &Json, threads: &[Json]) -> Self {
        let own_metric = own_metric(&file["meta"]["extra"]);
        let cpu_unit = file["meta"]["sampleUnits"]["threadCPUDelta"].as_str().unwrap_or_default();
        let has_cpu = threads.iter().any(|thread| thread["samples"]["threadCPUDelta"].is_array());
        // If whittle wrote the name of the metric, the weights already contain the CPU time.
        let cpu_factor = nanoseconds_in(cpu_unit).filter(|_| has_cpu && own_metric.is_none());
        let mut types: Vec<ValueType> = Vec::new();
        for thread in threads {
            let unit = unit_of(thread);
            let usual = match unit {
                "bytes" => Metric::AllocBytes,
                "nanoseconds" => Metric::Wall,
                _ => Metric::Samples,
            };
            if !types.iter().any(|known| known.unit == unit) {
                types.push(ValueType { name: own_metric.unwrap_or(usual.name()).to_owned(), unit: unit.to_owned() });
            }
        }
        if cpu_factor.is_some() {
            types.push(ValueType { name: Metric::Cpu.name().to_owned(), unit: CPU_UNIT.to_owned() });
        }
        Self { types: ValueTypes::new(&types, 0), cpu_factor }
    }
}

/// The unit of the samples' CPU time. It differs from the units of the samples' weights, which can also be times.
const CPU_UNIT: &str = "ns";

fn unit_of(thread: &Json) -> &'static str {
    match thread["samples"]["weightType"].as_str() {
        Some("bytes") => "bytes",
        Some("tracing-ms") => "nanoseconds",
        _ => "count",
    }
}

/// The metric that whittle stored in the profile's extra information.
fn own_metric(extra: &Json) -> Option<&str> {
    let section = extra.as_array()?.iter().find(|section| section["label"] == "Whittle")?;
    let entry = section["entries"].as_array()?.iter().find(|entry| entry["label"] == "Metric")?;
    entry["value"].as_str()
}

/// The tables that stacks need. A thread can have its own copies of these tables.
const OF_STACKS: [&str; 7] =
    ["stackTable", "frameTable", "funcTable", "resourceTable", "sources", "stringArray", "stringTable"];

/// The tables of one thread, and the shared tables.
#[derive(Clone, Copy)]
struct Tables<'a> {
    file: &'a Json,
    thread: &'a Json,
}

impl<'a> Tables<'a> {
    fn column(self, table: &str, column: &str) -> &'a Json {
        let own = &self.thread[table];
        let table = if own.is_null() { &self.file["shared"][table] } else { own };
        &table[column]
    }

    /// True if all tables are shared. Then all threads with shared tables have the same stacks.
    fn are_shared(self) -> bool {
        OF_STACKS.iter().all(|table| self.thread[*table].is_null())
    }

    fn string(self, index: Option<usize>) -> &'a str {
        let own = ["stringArray", "stringTable"].into_iter().map(|name| &self.thread[name]).find(|own| own.is_array());
        let strings = own.unwrap_or(&self.file["shared"]["stringArray"]);
        index.and_then(|index| strings.get(index)).and_then(Json::as_str).unwrap_or_default()
    }
}

struct ThreadReader<'a, 'b, 't> {
    target: &'t mut Target<'b>,
    tables: Tables<'a>,
    units: &'a Units,
    thread: ThreadIndex,
    /// Stacks by row of `stackTable`.
    stacks: Rc<[KnownStack]>,
    end_ns: u64,
}

#[derive(Clone, Copy)]
struct KnownStack {
    stack: StackIndex,
    reason: LossReason,
}

impl<'a, 'b, 't> ThreadReader<'a, 'b, 't> {
    fn new(target: &'t mut Target<'b>, (tables, stacks): (Tables<'a>, Rc<[KnownStack]>), units: &'a Units) -> Self {
        let number = |value: &Json| {
            let number = value.as_u64().or_else(|| value.as_str()?.parse().ok());
            number.and_then(|number| u32::try_from(number).ok())
        };
        let thread = tables.thread;
        let name = thread["name"].as_str().unwrap_or_default();
        let process_id = number(&thread["pid"]).filter(|id| *id > 0);
        let thread = target.thread(process_id, number(&thread["tid"]), name);
        Self { target, tables, units, thread, stacks, end_ns: 0 }
    }

    fn read_samples(&mut self) {
        let samples = &self.tables.thread["samples"];
        let mut time = 0.0;
        for row in 0..samples["stack"].as_array().map_or(0, Vec::len) {
            // Times are stored directly or as differences.
            time = cell_number(&samples["time"], row)
                .or_else(|| Some(time + cell_number(&samples["timeDeltas"], row)?))
                .unwrap_or(time);
            match self.values(samples, row) {
                Some(values) => self.add(samples["stack"].get(row), &values, time),
                None => self.target.losses.add_count(LossReason::DamagedInput, 1),
            }
        }
    }

    /// The values of a sample. Missing if a value is negative, as in the comparison of two profiles.
    fn values(&self, samples: &Json, row: usize) -> Option<Vec<u64>> {
        let types = &self.units.types;
        let mut values = vec![0; types.meanings.len()];
        let unit = unit_of(self.tables.thread);
        if let Some(position) = types.of_unit(unit) {
            let factor = if unit == "nanoseconds" { NS_PER_MILLISECOND } else { 1.0 };
            let weight = if samples["weight"].is_array() { cell_number(&samples["weight"], row)? } else { 1.0 };
            values[position] = whole(weight * factor)?;
        }
        if let (Some(position), Some(factor)) = (types.of_unit(CPU_UNIT), self.units.cpu_factor) {
            let cpu = cell_number(&samples["threadCPUDelta"], row).unwrap_or(0.0);
            values[position] = whole(cpu * factor as f64)?;
        }
        Some(values)
    }

    fn add(&mut self, stack: Option<&Json>, values: &[u64], time: f64) {
        let row = stack.and_then(Json::as_u64).and_then(|row| usize::try_from(row).ok());
        let known = row.and_then(|row| self.stacks.get(row).copied());
        let known = known.unwrap_or_else(|| {
            let is_empty = stack.is_none_or(Json::is_null);
            let missing = self.target.missing(if is_empty { LossReason::NoFrames } else { LossReason::MissingEntry });
            KnownStack { stack: self.target.child(StackIndex::ROOT, missing.frame), reason: missing.reason }
        });
        let time_ns = whole(time * NS_PER_MILLISECOND).unwrap_or(0);
        let rows = self.units.types.rows(values, Observation { time_ns, thread: self.thread, stack: known.stack });
        if !rows.is_empty() {
            self.target.count(known.reason);
            self.end_ns = self.end_ns.max(time_ns);
        }
        rows.into_iter().for_each(|row| self.target.sample(row));
    }
}

/// The stacks in the order of their rows. A prefix comes before the stacks that continue it.
fn read_stacks(target: &mut Target<'_>, tables: Tables<'_>) -> Vec<KnownStack> {
    let (prefixes, frames) = (tables.column("stackTable", "prefix"), tables.column("stackTable", "frame"));
    let frame_count = tables.column("frameTable", "func").as_array().map_or(0, Vec::len);
    let mut known_frames: Vec<Option<(FrameIndex, LossReason)>> = vec![None; frame_count];
    let mut stacks: Vec<KnownStack> = Vec::new();
    for row in 0..frames.as_array().map_or(0, Vec::len) {
        let below = match prefixes.get(row) {
            None | Some(Json::Null) => Some(KnownStack { stack: StackIndex::ROOT, reason: LossReason::None }),
            Some(prefix) => prefix.as_u64().and_then(|prefix| stacks.get(prefix as usize).copied()),
        };
        let place = cell_index(frames, row).and_then(|row| Some((row, known_frames.get_mut(row)?)));
        let (frame, frame_reason) = match place {
            Some((row, known)) => *known.get_or_insert_with(|| read_frame(target, tables, row)),
            None => missing_entry(target),
        };
        let below = below.unwrap_or_else(|| {
            let (frame, reason) = missing_entry(target);
            KnownStack { stack: target.child(StackIndex::ROOT, frame), reason }
        });
        let reason = if below.reason == LossReason::None { frame_reason } else { below.reason };
        stacks.push(KnownStack { stack: target.child(below.stack, frame), reason });
    }
    stacks
}

fn missing_entry(target: &mut Target<'_>) -> (FrameIndex, LossReason) {
    let missing = target.missing(LossReason::MissingEntry);
    (missing.frame, missing.reason)
}

fn read_frame(target: &mut Target<'_>, tables: Tables<'_>, row: usize) -> (FrameIndex, LossReason) {
    let function = cell_index(tables.column("frameTable", "func"), row);
    let cell = |column: &str| function.and_then(|function| cell_index(tables.column("funcTable", column), function));
    let number = |value: Option<usize>| value.and_then(|value| u32::try_from(value).ok());
    let name = tables.string(cell("name"));
    if name.is_empty() {
        return missing_entry(target);
    }
    let file = match cell("fileName") {
        Some(file) => tables.string(Some(file)),
        None => {
            tables.string(cell("source").and_then(|source| cell_index(tables.column("sources", "filename"), source)))
        }
    };
    let binary = binary(tables, cell("resource"));
    // In a samply profile without symbols, for example, the name is only an address.
    let offset =
        name.strip_prefix("0x").filter(|digits| !digits.is_empty() && digits.bytes().all(|d| d.is_ascii_hexdigit()));
    let name = match offset {
        Some(_) if !binary.is_empty() => Cow::Owned(format!("{}+{name}", binary.rsplit('/').next().unwrap_or(binary))),
        _ => Cow::Borrowed(name),
    };
    let known = target.frame(&CodeName {
        name: &name,
        file,
        line: number(cell_index(tables.column("frameTable", "line"), row)),
        first_line: number(cell("lineNumber")),
        binary,
        address: cell_index(tables.column("frameTable", "address"), row).map(|address| address as u64),
        kind: frame_kind(tables, row),
        is_unsymbolised: offset.is_some(),
        ..CodeName::default()
    });
    (known.frame, known.reason)
}

/// The path of a resource's library; empty if the resource is not a library.
fn binary(tables: Tables<'_>, resource: Option<usize>) -> &str {
    let lib = resource.and_then(|resource| cell_index(tables.column("resourceTable", "lib"), resource));
    let lib = lib.and_then(|lib| tables.file["libs"].get(lib));
    lib.and_then(|lib| lib["path"].as_str().filter(|path| !path.is_empty()).or(lib["name"].as_str()))
        .unwrap_or_default()
}

/// The kind that the frame's category shows. Inlined native code is recognised only by its depth.
fn frame_kind(tables: Tables<'_>, row: usize) -> Option<FrameKind> {
    let category = cell_index(tables.column("frameTable", "category"), row)?;
    let category = tables.file["meta"]["categories"].get(category)?;
    let subcategory = cell_index(tables.column("frameTable", "subcategory"), row).unwrap_or(0);
    let subcategory = category["subcategories"].get(subcategory).and_then(Json::as_str).unwrap_or_default();
    let is_inlined = cell_index(tables.column("frameTable", "inlineDepth"), row).is_some_and(|depth| depth > 0);
    match (category["name"].as_str()?, subcategory) {
        ("Java", "Interpreted") => Some(FrameKind::Interpreted),
        ("Java", "C1") => Some(FrameKind::C1),
        ("Java" | "Native", "Inlined") => Some(FrameKind::Inlined),
        ("Java", _) => Some(FrameKind::Jit),
        ("Kernel", _) => Some(FrameKind::Kernel),
        ("JVM", "Other") => Some(FrameKind::Jvm),
        ("Stub", "Other") => Some(FrameKind::Stub),
        _ if is_inlined => Some(FrameKind::Inlined),
        ("Native", _) => Some(FrameKind::Native),
        _ => None,
    }
}
