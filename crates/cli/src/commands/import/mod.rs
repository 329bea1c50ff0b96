//! `whittle import`: a file of another tool becomes an experiment.

mod perf_symbols;

use crate::arguments::byte_size::parse_byte_size;
use crate::arguments::duration::parse_duration;
use crate::terminal::output;
use crate::written_by::written_by;
use clap::Args;
use perf_symbols::PerfSymbols;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;
use whittle_experiment::ExperimentWriter;
use whittle_import::{CHUNK_HEADER_BYTES, ChunkExtent, Damage, ImportOptions, JfrImporter, JfrOptions, chunk_extent};
use whittle_model::{Manifest, State, TableBuilder};
use whittle_terminal::Failure;

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
    /// Most memory for the unpacked and parsed file (500m, 8g). Recordings are read in pieces and need no limit
    #[arg(long, value_name = "SIZE", value_parser = parse_byte_size, default_value = "2g")]
    max_memory: u64,
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
    imported.map(|builder| (manifest, builder))
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
    let max_bytes = usize::try_from(arguments.max_memory).unwrap_or(usize::MAX);
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
    let (path, limit) = (&arguments.file, arguments.max_memory);
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

fn import_jfr(file: &mut File, arguments: &ImportArguments, manifest: &mut Manifest) -> Result<TableBuilder, Failure> {
    let mut builder = TableBuilder::new();
    let weight_per_sample_ns = weight_per_sample_ns(arguments);
    let mut importer = JfrImporter::new(JfrOptions { weight_per_sample_ns, ..JfrOptions::default() });
    let rest = push_chunks(file, &mut importer, &mut builder);
    let rest = rest.map_err(|error| cannot_read(&arguments.file, &error))?;
    let import = importer.finish(&rest, &mut builder)?;
    tell_damage(&import.damage);
    import.describe(manifest);
    Ok(builder)
}

/// Passes the file to the importer chunk by chunk, so that only one chunk is in memory. Returns the bytes after the
/// last finished chunk.
fn push_chunks(file: &mut File, importer: &mut JfrImporter, builder: &mut TableBuilder) -> std::io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    let mut position = 0;
    let mut chunk = Vec::new();
    loop {
        file.seek(SeekFrom::Start(position))?;
        chunk.clear();
        Read::take(&mut *file, CHUNK_HEADER_BYTES as u64).read_to_end(&mut chunk)?;
        match chunk_extent(&chunk) {
            ChunkExtent::Finished(size_bytes) if size_bytes <= length - position => {
                Read::take(&mut *file, size_bytes - chunk.len() as u64).read_to_end(&mut chunk)?;
                position += importer.push(&chunk, builder) as u64;
            }
            _ => {
                file.read_to_end(&mut chunk)?;
                return Ok(chunk);
            }
        }
    }
}
