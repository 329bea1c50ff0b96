//! `whittle export`: an experiment becomes a file of another viewer.

use crate::arguments::ExportArguments;
use crate::{Failure, output, views};
use flate2::write::GzEncoder;
use std::io::{ErrorKind, Write};
use std::path::Path;
use whittle_analysis::{ExportFormat, Query};

/// Exports, and says what the file holds.
pub(crate) fn run(arguments: &ExportArguments) -> Result<(), Failure> {
    let format = match arguments.format {
        Some(format) => format,
        None => format_of_name(&arguments.output)?,
    };
    let profile = views::load(&arguments.experiment)?;
    let query = Query {
        mode: arguments.mode,
        filter: arguments.filter.clone(),
        transforms: arguments.transform.clone(),
        metrics: arguments.metric.clone(),
        ..Query::default()
    };
    let export = profile.export(format, &query)?;
    // Readers of pprof want it packed; browsers open packed JSON by its name.
    let is_packed = format == ExportFormat::Pprof || has_ending(&arguments.output, ".gz");
    let bytes = if is_packed { packed(&export.bytes) } else { Ok(export.bytes) };
    let written = bytes.and_then(|bytes| write(&arguments.output, &bytes));
    written.map_err(|error| Failure {
        message: format!("{}: cannot be written: {error}", arguments.output.display()),
        exit_code: 1,
    })?;
    let metrics = export.metrics.join(", ");
    output::note(&format!("{format}: {} samples in {} mode; metrics: {metrics}", export.sample_count, query.mode));
    Ok(())
}

/// The format by the file's name.
fn format_of_name(output: &Path) -> Result<ExportFormat, Failure> {
    let endings: [(ExportFormat, &[&str]); 2] = [
        (ExportFormat::Pprof, &[".pb.gz", ".pprof", ".pb"]),
        (ExportFormat::Collapsed, &[".collapsed", ".folded", ".txt"]),
    ];
    let named = endings.into_iter().find(|(_, endings)| endings.iter().any(|ending| has_ending(output, ending)));
    named.map(|(format, _)| format).ok_or_else(|| Failure {
        message: format!(
            "{}: its name does not tell the format (.pb.gz and .pprof: pprof; .collapsed, .folded and .txt: collapsed); \
             add --format pprof, collapsed, firefox or speedscope",
            output.display()
        ),
        exit_code: 2,
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

/// Writes a file, or with `-` to standard output. A reader that has seen enough is no failure.
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if path != Path::new("-") {
        return std::fs::write(path, bytes);
    }
    let mut output = std::io::stdout().lock();
    match output.write_all(bytes).and_then(|()| output.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
