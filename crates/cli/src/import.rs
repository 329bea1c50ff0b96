//! `whittle import`: another tool's file becomes an experiment.

use crate::arguments::ImportArguments;
use crate::collect::written_by;
use crate::{Failure, output};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::process::ExitCode;
use whittle_experiment::ExperimentWriter;
use whittle_import::{
    CHUNK_HEADER_BYTES, ChunkExtent, JfrImport, JfrImporter, JfrOptions, Producer, chunk_extent, import_jfr,
};
use whittle_model::{Collector, CollectorStatus, Jvm, Manifest, State, TableBuilder, Tables};

/// Imports, prints where the experiment lies and what was lost.
pub(crate) fn run(arguments: &ImportArguments) -> Result<ExitCode, Failure> {
    let (manifest, tables) = read(arguments)?;
    let mut writer = ExperimentWriter::create(
        &arguments.output,
        &Manifest { state: State::Incomplete, ..manifest.clone() },
        arguments.force,
    )?;
    writer.append(&tables, &tables.samples)?;
    writer.write_manifest(&manifest)?;
    output::note(&format!("{} samples; experiment: {}", tables.samples.time_ns.len(), arguments.output.display()));
    for loss in manifest.losses.iter() {
        output::note(&format!("{}: {} ({})", loss.reason, loss.count, loss.reason.description()));
    }
    output::note(&format!("next: whittle overview {}", arguments.output.display()));
    Ok(ExitCode::SUCCESS)
}

fn read(arguments: &ImportArguments) -> Result<(Manifest, Tables), Failure> {
    let cannot_read = |error: std::io::Error| Failure {
        message: format!("{}: cannot be read: {error}", arguments.file.display()),
        exit_code: 1,
    };
    let mut file = File::open(&arguments.file).map_err(cannot_read)?;
    let mut header = Vec::new();
    Read::take(&mut file, CHUNK_HEADER_BYTES as u64).read_to_end(&mut header).map_err(cannot_read)?;
    file.rewind().map_err(cannot_read)?;
    let mut manifest = Manifest::new(written_by());
    manifest.comment = format!("imported from {}", arguments.file.display());
    manifest.state = State::Complete;
    if chunk_extent(&header) == ChunkExtent::NotAChunk && !looks_like_jfr(&arguments.file) {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(cannot_read)?;
        let (tables, import) = import_jfr(&bytes, JfrOptions::default())?;
        manifest.metrics = import.metrics;
        manifest.losses = import.losses;
        return Ok((manifest, tables));
    }
    let weight_per_sample_ns = arguments.sample_weight.map(|weight| weight.as_nanos() as u64);
    let mut builder = TableBuilder::new();
    let mut importer = JfrImporter::new(JfrOptions { weight_per_sample_ns, process_id: None });
    let rest = push_chunks(&mut file, &mut importer, &mut builder).map_err(cannot_read)?;
    let import = importer.finish(&rest, &mut builder)?;
    for damage in &import.damage {
        output::note(&format!(
            "damage at byte {}: {} bytes of {} are lost",
            damage.position, damage.byte_count, damage.what
        ));
    }
    describe(&mut manifest, import);
    Ok((manifest, builder.into_tables()))
}

fn looks_like_jfr(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jfr")
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
    manifest.collectors = vec![Collector {
        name: name.to_owned(),
        engine: recording.settings.get("jdk.ActiveRecording", "engine").unwrap_or("jfr").to_owned(),
        interval_ns: recording.settings.get("jdk.ExecutionSample", "interval").and_then(|text| text.parse().ok()),
        status: CollectorStatus::Used,
        reason: "imported".to_owned(),
    }];
    if let Some(jvm) = recording.jvm {
        manifest.command = jvm.java_arguments.split_whitespace().map(str::to_owned).collect();
        manifest.jvm = Some(Jvm {
            name: jvm.name,
            version: jvm.version,
            has_exact_lines: Some(jvm.jvm_arguments.contains("+DebugNonSafepoints")),
            arguments: jvm.jvm_arguments,
        });
    }
}
