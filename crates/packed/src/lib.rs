//! An experiment as one block of bytes, for the report file: small when compressed, and read in one pass.
//!
//! [`encode`] packs a manifest and tables, and [`decode`] unpacks them. The caller compresses the bytes with gzip.
//! Views of the result equal views of the original, with the following exceptions. [`Packed::notes`] names the
//! exceptions that a reader would notice:
//!
//! - samples are added up over bins of time if there are more than [`PackOptions::most_samples`];
//! - thread states are joined over bins of time if there are more rows than [`PackOptions::most_thread_states`];
//! - content hashes are 0, because only comparisons of several experiments need them;
//! - class files are kept for chosen classes only;
//! - wakes are left out, because no view of a report file shows them, and their code would make the file larger;
//! - stacks, samples, sampled calls, thread states and counters have another row order.
//!
//! ```text
//! "whittle pack", version      12 + 1 bytes
//! manifest                     JSON
//! notes                        texts
//! findings                     a text of JSON; empty: no findings
//! binaries, functions, frames  a table: number of rows, number of bytes, then column by column
//! stacks                       depth first
//! threads, files, …            tables
//! samples, thread states       with their own encoding
//! sources                      texts
//! ```
//!
//! The reader trusts no byte. For any input, it ends without a panic, and uses memory in proportion to the size of the
//! input.

mod bytes;
mod cells;
mod column;
mod cut;
mod samples;
mod thread_states;
mod tree;

use bytes::{Reader, put_text, put_varint};
use column::{put_table, read_table};
use std::collections::BTreeSet;
use thiserror::Error;
use whittle_model::{
    ArchiveTable, BrokenPromise, CounterTable, Manifest, SampledCallTable, StackIndex, Table, Tables, WakeTable,
};

/// The first bytes of a packed experiment.
const SIGNATURE: &[u8] = b"whittle pack";

/// The version of the layout. Report files contain the engine that reads them, so older layouts need no upgrade.
const VERSION: u8 = 6;

/// The text of a source file in an experiment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackedSource {
    /// The name of the source: a class as the JVM names it (`java/lang/String`), or a path as in debug information.
    pub of: String,
    /// The place where the text was found.
    pub path: String,
    /// The text.
    pub text: String,
}

/// The content and precision of a packed experiment.
#[derive(Debug, Clone)]
pub struct PackOptions {
    /// If there are more samples than this number, samples are added up over bins of time.
    pub most_samples: usize,
    /// If there are more rows of thread states than this number, rows are joined over bins of time.
    pub most_thread_states: usize,
    /// Whether single system calls with their stacks are kept. The exact counts of all calls are always kept.
    pub keeps_sampled_calls: bool,
    /// Stacks with less than this share of the total by every metric are left out, with everything below them. 0: all
    /// stacks are kept.
    pub smallest_stack_ratio: f64,
    /// The class files of these classes are kept. The names are the JVM's class names.
    pub class_files: BTreeSet<String>,
    /// Source files.
    pub sources: Vec<PackedSource>,
    /// The findings as JSON, because the code that computes them is too large for a report. `None`: no findings are
    /// shown.
    pub findings: Option<String>,
}

impl Default for PackOptions {
    /// Everything useful, at a size that browsers can handle.
    fn default() -> Self {
        Self {
            most_samples: 500_000,
            most_thread_states: 500_000,
            keeps_sampled_calls: true,
            smallest_stack_ratio: 0.0,
            class_files: BTreeSet::new(),
            sources: Vec::new(),
            findings: None,
        }
    }
}

/// A packed experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// The bytes, uncompressed.
    pub bytes: Vec<u8>,
    /// The changes from the original, one sentence each. The bytes contain these sentences, too.
    pub notes: Vec<String>,
    /// Width of the bins of time over which samples were added up. `None`: the samples are unchanged.
    pub sample_bin_ns: Option<u64>,
}

/// The content of a packed experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Unpacked {
    /// Everything that is not a table.
    pub manifest: Manifest,
    /// The tables. They follow every rule of their documentation.
    pub tables: Tables,
    /// The changes from the original, one sentence each.
    pub notes: Vec<String>,
    /// Source files.
    pub sources: Vec<PackedSource>,
    /// The findings as JSON. `None`: no findings are shown.
    pub findings: Option<String>,
}

/// Why bytes are not a packed experiment.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PackError {
    /// The signature is missing.
    #[error("these bytes are not a packed experiment")]
    NotPacked,
    /// Another version of whittle packed the experiment in another layout.
    #[error(
        "the experiment was packed in layout {found}, and this program reads layout {VERSION}: create the report again"
    )]
    OtherVersion {
        /// The layout's version.
        found: u8,
    },
    /// The bytes end too early.
    #[error("the packed experiment is cut short")]
    Short,
    /// A part has an impossible value.
    #[error("the packed experiment is damaged: {0} cannot be read")]
    Damaged(&'static str),
    /// The tables contradict themselves.
    #[error("the packed experiment is damaged: {0}")]
    BrokenPromise(#[from] BrokenPromise),
}

/// Packs an experiment with valid tables ([`Tables::validate`]).
pub fn encode(manifest: &Manifest, tables: &Tables, options: &PackOptions) -> Packed {
    let mut notes = Vec::new();
    if options.smallest_stack_ratio > 0.0 {
        let mut tables = tables.clone();
        let cut = cut::cut_small_stacks(&mut tables, &manifest.metrics, options.smallest_stack_ratio);
        notes.push(format!(
            "stacks below {} % of the total are merged into {}; {} of {} stacks remain",
            options.smallest_stack_ratio * 100.0,
            cut::LEFT_OUT,
            cut.stacks_left,
            cut.stacks_before
        ));
        return encode_tables(manifest, &tables, (options, notes));
    }
    encode_tables(manifest, tables, (options, notes))
}

fn encode_tables(manifest: &Manifest, tables: &Tables, (options, mut notes): (&PackOptions, Vec<String>)) -> Packed {
    let places = tree::depth_first_places(&tables.stacks);
    let ordered = cells::order_samples(&tables.samples, &places, options.most_samples);
    if let Some(bin_ns) = ordered.bin_ns {
        notes.push(format!(
            "{} samples are added up to {} sums, one per bin of {}; time ranges have this precision",
            tables.samples.len(),
            ordered.samples.len(),
            in_seconds(bin_ns.min(manifest.duration_ns.max(1)))
        ));
        if !tables.requests.is_empty() {
            notes.push("which request a sample belongs to has this precision, too".to_owned());
        }
    }
    let (thread_states, bin_ns) = thread_states::order_thread_states(&tables.thread_states, options.most_thread_states);
    if let Some(bin_ns) = bin_ns {
        let width = in_seconds(bin_ns.min(manifest.duration_ns.max(1)));
        notes.push(format!("thread states have a precision of {width}"));
    }
    if !tables.wakes.is_empty() {
        notes.push("who ended waits is left out; `whittle wakers` and `whittle locks` show it".to_owned());
    }
    let sampled_calls = if options.keeps_sampled_calls {
        order_calls(&tables.sampled_calls, &places)
    } else {
        if !tables.sampled_calls.is_empty() {
            notes.push("single system calls are left out, so their callers are unknown".to_owned());
        }
        SampledCallTable::default()
    };

    let mut bytes = SIGNATURE.to_vec();
    bytes.push(VERSION);
    // JSON can represent every manifest. For example, all keys of its maps are texts.
    put_text(&mut bytes, &serde_json::to_string(manifest).unwrap_or_default());
    put_varint(&mut bytes, notes.len() as u64);
    notes.iter().for_each(|note| put_text(&mut bytes, note));
    put_text(&mut bytes, options.findings.as_deref().unwrap_or_default());
    put_table(&mut bytes, &tables.binaries);
    put_table(&mut bytes, &tables.functions);
    put_table(&mut bytes, &tables.frames);
    tree::put_stacks(&mut bytes, &tables.stacks, &places);
    put_table(&mut bytes, &tables.threads);
    put_table(&mut bytes, &tables.object_classes);
    put_table(&mut bytes, &tables.files);
    put_table(&mut bytes, &tables.syscalls);
    put_table(&mut bytes, &tables.syscall_latencies);
    put_table(&mut bytes, &tables.calibration);
    put_table(&mut bytes, &tables.requests);
    put_table(&mut bytes, &tables.request_parts);
    put_table(&mut bytes, &order_counters(&tables.counters));
    put_table(&mut bytes, &tables.jvm_events);
    put_table(&mut bytes, &chosen_classes(&tables.archive, &options.class_files));
    put_table(&mut bytes, &sampled_calls);
    thread_states::put_thread_states(&mut bytes, &thread_states);
    samples::put_samples(&mut bytes, &ordered.samples);
    put_sources(&mut bytes, &options.sources);
    Packed { bytes, notes, sample_bin_ns: ordered.bin_ns }
}

/// 5000000 as `0.005 s`.
fn in_seconds(nanoseconds: u64) -> String {
    format!("{} s", nanoseconds as f64 / 1e9)
}

/// Reads a packed experiment.
///
/// # Errors
/// [`PackError`] explains why the bytes are invalid.
pub fn decode(bytes: &[u8]) -> Result<Unpacked, PackError> {
    let mut unpacked = read(bytes)?;
    tree::complete(&mut unpacked.tables.stacks);
    unpacked.tables.validate()?;
    Ok(unpacked)
}

/// Reads a packed experiment for views. The tables are not validated, so the caller must validate them. This function
/// needs less time and memory than [`decode`]. Stacks have no depth and no content hash.
///
/// # Errors
/// [`PackError`] explains why the bytes are invalid.
pub fn read(bytes: &[u8]) -> Result<Unpacked, PackError> {
    let mut reader = Reader::new(bytes.strip_prefix(SIGNATURE).ok_or(PackError::NotPacked)?);
    let found = reader.byte()?;
    if found != VERSION {
        return Err(PackError::OtherVersion { found });
    }
    let reader = &mut reader;
    // The JSON is read as a value first, as in requests. So the engine in report files needs only one reader of JSON.
    let manifest = serde_json::from_str(reader.text()?).and_then(serde_json::from_value::<Manifest>);
    let manifest = manifest.map_err(|_| PackError::Damaged("the manifest"))?;
    let note_count = reader.count()?;
    let notes = (0..note_count).map(|_| Ok(reader.text()?.to_owned())).collect::<Result<_, PackError>>()?;
    let findings = Some(reader.text()?.to_owned()).filter(|findings| !findings.is_empty());
    let tables = Tables {
        binaries: read_table(reader)?,
        functions: read_table(reader)?,
        frames: read_table(reader)?,
        stacks: tree::read_stacks(reader)?,
        threads: read_table(reader)?,
        object_classes: read_table(reader)?,
        files: read_table(reader)?,
        syscalls: read_table(reader)?,
        syscall_latencies: read_table(reader)?,
        calibration: read_table(reader)?,
        requests: read_table(reader)?,
        request_parts: read_table(reader)?,
        wakes: WakeTable::default(),
        counters: read_table(reader)?,
        jvm_events: read_table(reader)?,
        archive: read_table(reader)?,
        sampled_calls: read_table(reader)?,
        thread_states: thread_states::read_thread_states(reader)?,
        samples: samples::read_samples(reader)?,
    };
    let sources = read_sources(reader)?;
    Ok(Unpacked { manifest, tables, notes, sources, findings })
}

/// Sorts the calls by time, and replaces their stacks by the new rows of stacks.
fn order_calls(calls: &SampledCallTable, places: &[u32]) -> SampledCallTable {
    let mut rows: Vec<usize> = (0..calls.len()).collect();
    rows.sort_by_key(|row| calls.time_ns[*row]);
    let mut ordered = SampledCallTable::default();
    for row in rows {
        let mut call = calls.row(row);
        call.stack = StackIndex(places[call.stack.row()]);
        ordered.push(call);
    }
    ordered
}

/// Sorts the rows by counter, then by time. So values in adjacent rows differ little.
fn order_counters(counters: &CounterTable) -> CounterTable {
    let mut rows: Vec<usize> = (0..counters.len()).collect();
    rows.sort_by_key(|row| (&counters.counter[*row], counters.time_ns[*row]));
    let mut ordered = CounterTable::default();
    rows.into_iter().for_each(|row| ordered.push(counters.row(row)));
    ordered
}

fn chosen_classes(archive: &ArchiveTable, chosen: &BTreeSet<String>) -> ArchiveTable {
    let mut archive = archive.clone();
    let is_chosen: Vec<bool> = archive.class_name.iter().map(|name| chosen.contains(name)).collect();
    archive.retain(&is_chosen);
    archive
}

fn put_sources(bytes: &mut Vec<u8>, sources: &[PackedSource]) {
    put_varint(bytes, sources.len() as u64);
    for source in sources {
        [&source.of, &source.path, &source.text].into_iter().for_each(|text| put_text(bytes, text));
    }
}

fn read_sources(reader: &mut Reader<'_>) -> Result<Vec<PackedSource>, PackError> {
    let count = reader.count()?;
    let mut text = || Ok::<_, PackError>(reader.text()?.to_owned());
    (0..count).map(|_| Ok(PackedSource { of: text()?, path: text()?, text: text()? })).collect()
}
