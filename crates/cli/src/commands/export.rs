//! `whittle export`: an experiment becomes a file for another viewer.

use crate::experiments;
use crate::terminal::output;
use clap::Args;
use flate2::write::GzEncoder;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use whittle_export::ExportFormat;
use whittle_profile::{MetricTerms, Query};
use whittle_terminal::Failure;
use whittle_terminal::StackArguments;

/// The mode of a new file: only its owner can read the file.
const PRIVATE: u32 = 0o600;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle export app.whittle -o app.pb.gz\n  whittle export app.whittle -o app.collapsed --mode machine\n  \
    whittle export app.whittle -o app.json --format firefox --metric off_cpu --filter 'time in 10s..20s'\n  \
    whittle export app.whittle -o - --format collapsed | flamegraph.pl > app.svg\n\n\
    The file contains the samples that the filter keeps, with the frames that the view mode and the transforms show. Open pprof \
    files with `go tool pprof -http : FILE`, firefox files in profiler.firefox.com, speedscope files in speedscope.app."
)]
pub(crate) struct ExportArguments {
    /// The experiment's directory
    experiment: PathBuf,
    /// Write to this file; - means standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Format: pprof, collapsed, firefox or speedscope [default: by the ending of FILE: pprof for .pb.gz and .pprof,
    /// collapsed for .collapsed, .folded and .txt]
    #[arg(long)]
    format: Option<ExportFormat>,
    /// Export this metric, or several for pprof (cpu,alloc_bytes) [default: cpu; for pprof all]
    #[arg(long)]
    metric: Option<MetricTerms>,
    #[command(flatten)]
    stacks: StackArguments,
}

/// Exports, and prints a note about the content of the file.
pub(crate) fn run(arguments: &ExportArguments) -> Result<(), Failure> {
    let format = match arguments.format {
        Some(format) => format,
        None => format_of_name(&arguments.output)?,
    };
    let profile = experiments::load(&arguments.experiment)?;
    let query = Query { metrics: arguments.metric.clone(), ..arguments.stacks.query() };
    let export = whittle_export::export(&profile, format, &query)?;
    // Readers of pprof expect a compressed file. Browsers recognise compressed JSON by its name.
    let is_packed = format == ExportFormat::Pprof || has_ending(&arguments.output, ".gz");
    let bytes = if is_packed { packed(&export.bytes) } else { Ok(export.bytes) };
    let written = bytes.and_then(|bytes| write(&arguments.output, &bytes));
    written.map_err(|error| Failure::new(format!("{}: cannot be written: {error}", arguments.output.display())))?;
    let metrics = export.metrics.join(", ");
    output::note(&format!("{format}: {} samples in {} mode; metrics: {metrics}", export.sample_count, query.mode));
    Ok(())
}

/// The format for the file's ending.
fn format_of_name(output: &Path) -> Result<ExportFormat, Failure> {
    let endings: [(ExportFormat, &[&str]); 2] = [
        (ExportFormat::Pprof, &[".pb.gz", ".pprof", ".pb"]),
        (ExportFormat::Collapsed, &[".collapsed", ".folded", ".txt"]),
    ];
    let named = endings.into_iter().find(|(_, endings)| endings.iter().any(|ending| has_ending(output, ending)));
    named.map(|(format, _)| format).ok_or_else(|| {
        Failure::usage(format!(
            "{}: no format has this ending (.pb.gz and .pprof: pprof; .collapsed, .folded and .txt: collapsed); \
             add --format pprof, collapsed, firefox or speedscope",
            output.display()
        ))
    })
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.to_str().is_some_and(|path| path.ends_with(ending))
}

fn packed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Writes a file. A file that exists keeps its permissions, and can also be a device such as `/dev/stdout`. For `-`, writes to standard output. A reader that closes the pipe early is not a failure.
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if path != Path::new("-") {
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(PRIVATE).open(path);
        return file.and_then(|mut file| file.write_all(bytes));
    }
    let mut output = std::io::stdout().lock();
    match output.write_all(bytes).and_then(|()| output.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
