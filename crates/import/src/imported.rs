//! The function that converts a file of any known format to an experiment.

use crate::jfr::JfrImporter;
use crate::{
    CollapsedOptions, Damage, FileFormat, ForeignImport, ImportError, JfrImport, JfrOptions, NoSymbols, OpenedFile,
    Producer, Symbols, import_collapsed, import_firefox, import_otlp, import_perf_data, import_pprof,
    import_speedscope,
};
use whittle_model::{Collector, CollectorStatus, Jvm, Manifest, Program, State, TableBuilder, Tables};

/// The default memory limit for one file: 2 GB.
const USUAL_MAX_BYTES: usize = 2 << 30;

/// Values that are not in the file, and the memory limit.
pub struct ImportOptions<'s> {
    /// Memory limit for the decompressed and parsed file.
    pub max_bytes: usize,
    /// CPU time per sample of async-profiler's engines `ctimer` and `itimer`. If missing, samples of these engines are
    /// only counted.
    pub weight_per_sample_ns: Option<u64>,
    /// Provides names of functions for `perf.data` files, which contain only addresses.
    pub symbols: Option<&'s mut dyn Symbols>,
    /// The program that the manifest names as the writer.
    pub written_by: Program,
}

impl Default for ImportOptions<'_> {
    fn default() -> Self {
        let (name, version) = (env!("CARGO_PKG_NAME").to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        let written_by = Program { name, version };
        Self { max_bytes: USUAL_MAX_BYTES, weight_per_sample_ns: None, symbols: None, written_by }
    }
}

/// An imported file: manifest and tables of an experiment.
#[derive(Debug)]
pub struct Imported {
    /// The format, detected from the file's content.
    pub format: FileFormat,
    /// The manifest with the file's description, metrics and losses. `not_counted` lists the values that were left out.
    pub manifest: Manifest,
    /// The rows.
    pub builder: TableBuilder,
    /// The unreadable parts of a JFR recording.
    pub damage: Vec<Damage>,
}

impl Imported {
    /// The rows.
    pub fn tables(&self) -> &Tables {
        self.builder.tables()
    }

    /// Manifest and rows.
    pub fn into_parts(self) -> (Manifest, Tables) {
        (self.manifest, self.builder.into_tables())
    }
}

/// Reads a whole file of any known format, compressed with gzip or not. The format is detected from the content.
///
/// Large or growing recordings can be read in chunks: see [`JfrImporter`].
///
/// # Errors
/// [`ImportError`] if nothing in the file is readable. Unreadable parts are counted as losses instead.
pub fn import(bytes: &[u8], options: ImportOptions<'_>) -> Result<Imported, ImportError> {
    let ImportOptions { max_bytes, weight_per_sample_ns, symbols, written_by } = options;
    let file = OpenedFile::open(bytes, max_bytes)?;
    let format = file.format();
    let mut manifest = Manifest { state: State::Complete, ..Manifest::new(written_by) };
    let mut builder = TableBuilder::new();
    let mut no_symbols = NoSymbols;
    let symbols: &mut dyn Symbols = match symbols {
        Some(symbols) => symbols,
        None => &mut no_symbols,
    };
    let foreign = match format {
        FileFormat::Jfr => {
            let options = JfrOptions { weight_per_sample_ns, ..JfrOptions::default() };
            let mut import = JfrImporter::new(options).finish(file.bytes(), &mut builder)?;
            let damage = std::mem::take(&mut import.damage);
            import.describe(&mut manifest);
            return Ok(Imported { format, manifest, builder, damage });
        }
        FileFormat::Collapsed => {
            let text = String::from_utf8_lossy(file.bytes());
            let import = import_collapsed(&text, CollapsedOptions::default(), &mut builder)?;
            let producer = format.title().to_owned();
            ForeignImport { producer, metrics: import.metrics, losses: import.losses, ..ForeignImport::default() }
        }
        FileFormat::Pprof => import_pprof(&file, &mut builder)?,
        FileFormat::Otlp => import_otlp(&file, &mut builder)?,
        FileFormat::PerfData => import_perf_data(file.bytes(), symbols, &mut builder)?,
        FileFormat::Firefox => import_firefox(&file, &mut builder)?,
        FileFormat::Speedscope => import_speedscope(&file, &mut builder)?,
    };
    let producer = if foreign.producer.is_empty() { format.title() } else { &foreign.producer };
    manifest.collectors = vec![imported_collector(producer, format.engine(), foreign.interval_ns)];
    foreign.describe(&mut manifest);
    Ok(Imported { format, manifest, builder, damage: Vec::new() })
}

impl JfrImport {
    /// Copies the recording's information to a manifest: the profiler, times, the JVM, metrics and losses.
    pub fn describe(self, manifest: &mut Manifest) {
        let recording = self.recording;
        manifest.start_wall_ns = Some(recording.start_wall_ns);
        manifest.start_monotonic_ns = recording.start_clock_ns;
        manifest.duration_ns = recording.duration_ns;
        manifest.metrics = self.metrics;
        manifest.losses = self.losses;
        let name = match recording.producer {
            Some(Producer::AsyncProfiler) => "async-profiler",
            Some(Producer::Jdk) | None => "JDK Flight Recorder",
        };
        let engine = recording.settings.get("jdk.ActiveRecording", "engine").unwrap_or("jfr");
        let interval = recording.settings.get("jdk.ExecutionSample", "interval").and_then(|text| text.parse().ok());
        manifest.collectors = vec![imported_collector(name, engine, interval)];
        if let Some(jvm) = recording.jvm {
            manifest.command = jvm.java_arguments.split_whitespace().map(str::to_owned).collect();
            manifest.jvm = Some(Jvm::from(&jvm));
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_decides_what_is_imported() {
        let imported = import(b"main;work 42\nmain;wait 8\n", ImportOptions::default()).unwrap();
        assert_eq!(imported.format, FileFormat::Collapsed);
        assert_eq!(imported.tables().samples.count, [42, 8]);
        let (manifest, tables) = imported.into_parts();
        assert_eq!((manifest.metrics[0].name.as_str(), manifest.state), ("cpu_samples", State::Complete));
        assert_eq!(
            (manifest.collectors[0].name.as_str(), manifest.collectors[0].engine.as_str()),
            ("collapsed stacks", "collapsed")
        );
        tables.validate().unwrap();
    }

    #[test]
    fn a_file_without_samples_is_an_error() {
        assert!(matches!(import(b"", ImportOptions::default()), Err(ImportError::NotCollapsed { line_count: 0 })));
        let options = ImportOptions { max_bytes: 10, ..ImportOptions::default() };
        assert!(matches!(import(br#"{"profiles": []}"#, options), Err(ImportError::TooLarge { .. })));
    }
}
