//! `whittle import`: another tool's file becomes an experiment.

use crate::arguments::ImportArguments;
use crate::collect::written_by;
use crate::perf_symbols::PerfSymbols;
use crate::{Failure, output};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::process::ExitCode;
use whittle_experiment::ExperimentWriter;
use whittle_import::{
    CHUNK_HEADER_BYTES, ChunkExtent, CollapsedOptions, FileFormat, ForeignImport, JfrImport, JfrImporter, JfrOptions,
    OpenedFile, Producer, chunk_extent, import_collapsed, import_firefox, import_otlp, import_perf_data, import_pprof,
    import_speedscope,
};
use whittle_model::{Collector, CollectorStatus, Jvm, Manifest, State, TableBuilder};

/// Imports, prints where the experiment lies and what was lost.
pub(crate) fn run(arguments: &ImportArguments) -> Result<ExitCode, Failure> {
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
    Ok(ExitCode::SUCCESS)
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
    Failure { message: format!("{}: cannot be read: {error}", path.display()), exit_code: 1 }
}

/// A file is a recording if it begins like one, or if its name says so (then its start is damaged).
fn is_jfr(file: &mut File, path: &Path) -> Result<bool, Failure> {
    let mut header = Vec::new();
    let read = Read::take(&mut *file, CHUNK_HEADER_BYTES as u64).read_to_end(&mut header).and_then(|_| file.rewind());
    read.map_err(|error| cannot_read(path, &error))?;
    let has_header = matches!(chunk_extent(&header), ChunkExtent::Finished(_) | ChunkExtent::Unfinished);
    Ok(has_header || path.extension().is_some_and(|extension| extension == "jfr"))
}

/// Any other file, by what is in it.
fn import_other(
    file: &mut File,
    arguments: &ImportArguments,
    manifest: &mut Manifest,
) -> Result<TableBuilder, Failure> {
    let bytes = read_whole(file, arguments)?;
    let max_bytes = usize::try_from(arguments.max_memory).unwrap_or(usize::MAX);
    let mut builder = TableBuilder::new();
    let opened = OpenedFile::open(&bytes, max_bytes)?;
    let format = opened.format();
    let import = match format {
        FileFormat::Pprof => import_pprof(&opened, &mut builder)?,
        FileFormat::Otlp => import_otlp(&opened, &mut builder)?,
        FileFormat::PerfData => import_perf_data(opened.bytes(), &mut PerfSymbols::default(), &mut builder)?,
        FileFormat::Firefox => import_firefox(&opened, &mut builder)?,
        FileFormat::Speedscope => import_speedscope(&opened, &mut builder)?,
        FileFormat::Jfr | FileFormat::Collapsed => {
            import_text(opened.bytes(), manifest, &mut builder)?;
            return Ok(builder);
        }
    };
    for left_out in &import.left_out {
        output::note(&format!("left out: {left_out}"));
    }
    describe_foreign(manifest, import, format);
    Ok(builder)
}

fn read_whole(file: &mut File, arguments: &ImportArguments) -> Result<Vec<u8>, Failure> {
    let (path, limit) = (&arguments.file, arguments.max_memory);
    let mut bytes = Vec::new();
    // One byte more tells that there is more.
    let read = Read::take(file, limit.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| cannot_read(path, &error))?;
    if bytes.len() as u64 > limit {
        let message = format!("{}: has more than {limit} bytes; --max-memory allows more", path.display());
        return Err(Failure { message, exit_code: 1 });
    }
    Ok(bytes)
}

fn import_text(bytes: &[u8], manifest: &mut Manifest, builder: &mut TableBuilder) -> Result<(), Failure> {
    let text = String::from_utf8_lossy(bytes);
    let import = import_collapsed(&text, CollapsedOptions::default(), builder)?;
    manifest.metrics = import.metrics;
    manifest.losses = import.losses;
    manifest.collectors = vec![imported_collector("collapsed stacks", "collapsed", None)];
    Ok(())
}

fn describe_foreign(manifest: &mut Manifest, import: ForeignImport, format: FileFormat) {
    let producer = if import.producer.is_empty() { format.title() } else { &import.producer };
    manifest.collectors = vec![imported_collector(producer, format.title(), import.interval_ns)];
    import.describe(manifest);
}

fn import_jfr(file: &mut File, arguments: &ImportArguments, manifest: &mut Manifest) -> Result<TableBuilder, Failure> {
    let weight_per_sample_ns = arguments.sample_weight.map(|weight| weight.as_nanos() as u64);
    let mut builder = TableBuilder::new();
    let mut importer = JfrImporter::new(JfrOptions { weight_per_sample_ns, ..JfrOptions::default() });
    let rest = push_chunks(file, &mut importer, &mut builder);
    let rest = rest.map_err(|error| cannot_read(&arguments.file, &error))?;
    let import = importer.finish(&rest, &mut builder)?;
    for damage in &import.damage {
        let (position, bytes, what) = (damage.position, damage.byte_count, damage.what);
        output::note(&format!("damaged at byte {position}: {what} ({bytes} bytes)"));
    }
    describe(manifest, import);
    Ok(builder)
}

/// Feeds the file chunk by chunk, so that memory holds one chunk; gives what no finished chunk covers.
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

fn describe(manifest: &mut Manifest, import: JfrImport) {
    let recording = import.recording;
    manifest.start_wall_ns = Some(recording.start_wall_ns);
    manifest.start_monotonic_ns = recording.start_clock_ns;
    manifest.duration_ns = recording.duration_ns;
    manifest.metrics = import.metrics;
    manifest.losses = import.losses;
    let name = match recording.producer {
        Some(Producer::AsyncProfiler) => "async-profiler",
        _ => "JDK Flight Recorder",
    };
    let engine = recording.settings.get("jdk.ActiveRecording", "engine").unwrap_or("jfr");
    let interval = recording.settings.get("jdk.ExecutionSample", "interval").and_then(|text| text.parse().ok());
    manifest.collectors = vec![imported_collector(name, engine, interval)];
    if let Some(jvm) = recording.jvm {
        manifest.command = jvm.java_arguments.split_whitespace().map(str::to_owned).collect();
        manifest.jvm = Some(Jvm::from(&jvm));
    }
}

fn imported_collector(name: &str, engine: &str, interval_ns: Option<u64>) -> Collector {
    Collector {
        name: name.to_owned(),
        engine: engine.to_owned(),
        interval_ns,
        status: CollectorStatus::Used,
        reason: "imported".to_owned(),
    }
}
