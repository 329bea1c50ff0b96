//! `whittle import`: a file of another tool becomes an experiment.

mod perf_symbols;

use crate::arguments::byte_size::parse_byte_size;
use crate::arguments::duration::parse_duration;
use crate::terminal::output;
use crate::written_by::written_by;
use clap::Args;
use perf_symbols::PerfSymbols;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::time::Duration;
use whittle_experiment::ExperimentWriter;
use whittle_import::{
    CHUNK_HEADER_BYTES, ChunkExtent, Damage, ImportOptions, JfrImporter, JfrOptions, MAX_CHUNK_BYTES, RecordingError,
    chunk_extent,
};
use whittle_model::{CommandLineDetail, Manifest, State, TableBuilder};
use whittle_terminal::Failure;

/// Memory for a file that is not a recording, unless the user sets another limit: 2 GB.
const USUAL_MAX_FILE_BYTES: u64 = 2 << 30;

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// Import this file: a JFR recording (.jfr), a pprof, OpenTelemetry, perf.data, Firefox Profiler or speedscope
    /// profile, or collapsed stacks. whittle detects the format
    file: PathBuf,
    /// Directory of the new experiment, usually NAME.whittle
    #[arg(short, long, value_name = "EXPERIMENT")]
    output: PathBuf,
    /// CPU time that each sample represents. Recordings of async-profiler's timer engines do not contain this time
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    sample_weight: Option<Duration>,
    /// Most memory for the unpacked and parsed file (500m, 8g). 2g if not given. A recording is read in pieces: the
    /// limit applies to each chunk, and is 256m if not given
    #[arg(long, value_name = "SIZE", value_parser = parse_byte_size)]
    max_memory: Option<u64>,
    /// Store the command line and the JVM's arguments: redacted (without values that look like secrets), full or none
    #[arg(long, value_name = "DETAIL", default_value_t)]
    command_line: CommandLineDetail,
    /// Replace an existing experiment
    #[arg(short, long)]
    force: bool,
}

/// Imports the file, then prints the experiment's path and the losses.
pub(crate) fn run(arguments: &ImportArguments) -> Result<(), Failure> {
    let (manifest, mut builder) = read(arguments)?;
    let unfinished = Manifest { state: State::Incomplete, ..manifest.clone() };
    let mut writer = ExperimentWriter::create(&arguments.output, &unfinished, arguments.force)?;
    let new_rows = builder.take_new_rows();
    writer.append(builder.tables(), &new_rows)?;
    writer.write_manifest(&manifest)?;
    let path = arguments.output.display();
    output::note(&format!("{} rows of samples; experiment: {path}", new_rows.samples.time_ns.len()));
    for loss in manifest.losses.iter() {
        output::note(&format!("missing: {} × {}: {}", loss.count, loss.reason, loss.reason.description()));
    }
    output::note(&format!("next: whittle overview {path}"));
    Ok(())
}

fn read(arguments: &ImportArguments) -> Result<(Manifest, TableBuilder), Failure> {
    let mut manifest = Manifest::new(written_by());
    manifest.comment = format!("imported from {}", arguments.file.display());
    manifest.state = State::Complete;
    let mut file = File::open(&arguments.file).map_err(|error| cannot_read(&arguments.file, &error))?;
    let imported = if is_jfr(&mut file, &arguments.file)? {
        import_jfr(&mut file, arguments, &mut manifest)
    } else {
        import_other(&mut file, arguments, &mut manifest)
    };
    let builder = imported?;
    arguments.command_line.limit(&mut manifest);
    Ok((manifest, builder))
}

fn cannot_read(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{}: cannot be read: {error}", path.display()))
}

/// True if the file starts like a recording, or if it has the name of a recording. In the second case, the start of the
/// recording is damaged.
fn is_jfr(file: &mut File, path: &Path) -> Result<bool, Failure> {
    let mut header = Vec::new();
    let read = Read::take(&mut *file, CHUNK_HEADER_BYTES as u64).read_to_end(&mut header).and_then(|_| file.rewind());
    read.map_err(|error| cannot_read(path, &error))?;
    let has_header = matches!(chunk_extent(&header), ChunkExtent::Finished(_) | ChunkExtent::Unfinished);
    Ok(has_header || path.extension().is_some_and(|extension| extension == "jfr"))
}

/// Imports a file that is not a recording. Its content determines the format.
fn import_other(
    file: &mut File,
    arguments: &ImportArguments,
    manifest: &mut Manifest,
) -> Result<TableBuilder, Failure> {
    let bytes = read_whole(file, arguments)?;
    let max_bytes = usize::try_from(max_file_bytes(arguments)).unwrap_or(usize::MAX);
    let mut symbols = PerfSymbols::default();
    let options = ImportOptions {
        max_bytes,
        weight_per_sample_ns: weight_per_sample_ns(arguments),
        symbols: Some(&mut symbols),
        written_by: written_by(),
    };
    let imported = whittle_import::import(&bytes, options)?;
    for left_out in &imported.manifest.not_counted {
        output::note(&format!("left out: {left_out}"));
    }
    tell_damage(&imported.damage);
    *manifest = Manifest { comment: std::mem::take(&mut manifest.comment), ..imported.manifest };
    Ok(imported.builder)
}

fn max_file_bytes(arguments: &ImportArguments) -> u64 {
    arguments.max_memory.unwrap_or(USUAL_MAX_FILE_BYTES)
}

fn weight_per_sample_ns(arguments: &ImportArguments) -> Option<u64> {
    arguments.sample_weight.map(|weight| weight.as_nanos() as u64)
}

fn tell_damage(damage: &[Damage]) {
    for damage in damage {
        let (position, bytes, what) = (damage.position, damage.byte_count, damage.what);
        output::note(&format!("damaged at byte {position}: {what} ({bytes} bytes)"));
    }
}

fn read_whole(file: &mut File, arguments: &ImportArguments) -> Result<Vec<u8>, Failure> {
    let (path, limit) = (&arguments.file, max_file_bytes(arguments));
    let mut bytes = Vec::new();
    // One byte more than the limit shows that the file is too large.
    let read = Read::take(file, limit.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| cannot_read(path, &error))?;
    if bytes.len() as u64 > limit {
        let message = format!("{}: has more than {limit} bytes; raise the limit with --max-memory", path.display());
        return Err(Failure::new(message));
    }
    Ok(bytes)
}

/// Reads a recording chunk by chunk, so that only one chunk is in memory.
fn import_jfr(file: &mut File, arguments: &ImportArguments, manifest: &mut Manifest) -> Result<TableBuilder, Failure> {
    let mut builder = TableBuilder::new();
    let weight_per_sample_ns = weight_per_sample_ns(arguments);
    let importer = JfrImporter::new(JfrOptions { weight_per_sample_ns, ..JfrOptions::default() });
    let max_chunk_bytes = arguments.max_memory.unwrap_or(MAX_CHUNK_BYTES);
    let import = importer.read(file, max_chunk_bytes, &mut builder).map_err(|error| match error {
        RecordingError::Io(error) => cannot_read(&arguments.file, &error),
        RecordingError::Import(error) => Failure::from(error),
    })?;
    tell_damage(&import.damage);
    import.describe(manifest);
    Ok(builder)
}
