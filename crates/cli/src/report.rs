//! `whittle report`: the analyzer, its engine and an experiment in one file that opens from disk, without a network.
//!
//! ```text
//! packed page ───── title, content security policy ─┐
//! engine.wasm ───── LZMA, dense text ───────────────┼─> report
//! experiment ────── packed, gzip, base64 ───────────┘
//!   with findings
//! ```
//!
//! Findings are computed here: what looks for them is larger than the engine of a report may be.
//!
//! A report that would become larger than wanted is made of less, step by step: wider bins of time, no single system
//! calls, no small stacks. What was left out stands in the report and on the terminal.

mod dense_text;

use crate::code_source::FileCode;
use crate::{Failure, output, progress};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use dense_text::dense_text;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use whittle_analysis::findings::FindingsOptions;
use whittle_analysis::packed::{PackOptions, Packed, PackedSource, encode};
use whittle_analysis::{
    CodeSource, Disassembly, Flavour, FunctionsView, JavaClass, NativeCode, Profile, Query, SourceText, ViewMode,
};
use whittle_model::{FunctionKind, Manifest, State, Tables};
use whittle_server::{ENGINE_LZMA, REPORT_HTML};

/// Where the page takes data; a line of its own.
const DATA_MARKER: &str = "<!--whittle:data-->";
/// The page's own policy, which allows requests to the server.
const POLICY_START: &str = "<meta http-equiv=\"Content-Security-Policy\"";
/// Functions whose source goes along, in each of two orders: a reader looks at what costs by itself and at what calls it.
const SOURCE_FUNCTIONS: usize = 50;
/// Source texts beyond this many bytes together stay out.
const MOST_SOURCE_BYTES: usize = 4 << 20;
/// Making a report says something if it takes longer.
const SILENCE: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle report app.whittle -o app.html\n  whittle report app.whittle -o app.html --limit-size 5MB\n  \
    whittle report app.whittle -o app.html --source-path src/main/java\n\n\
    The file holds the analyzer and the data and loads nothing from anywhere: mail it, attach it to a ticket. It shows \
    names of functions, files, threads and hosts, and the sources of the hottest functions (--no-sources leaves these out)."
)]
pub(crate) struct ReportArguments {
    /// The experiment's directory
    experiment: PathBuf,
    /// Where the report goes, usually NAME.html
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Largest size of the file (500KB, 50MB); beyond it details are left out, and the report says which
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "50MB")]
    limit_size: u64,
    /// Where sources are: folders, jars, zip files. Several: separated by colons, or given again
    #[arg(long, value_name = "DIR|JAR", value_delimiter = ':')]
    source_path: Vec<PathBuf>,
    /// Put no source texts into the report
    #[arg(long)]
    no_sources: bool,
    /// Replace the file if there is one
    #[arg(short, long)]
    force: bool,
}

/// `50MB` as bytes.
fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        _ => return Err("wanted a number with B, KB, MB or GB".to_owned()),
    };
    let number: f64 = digits.parse().map_err(|_| "wanted a number with B, KB, MB or GB".to_owned())?;
    if number > 0.0 && number.is_finite() {
        Ok((number * factor as f64) as u64)
    } else {
        Err("wanted more than 0".to_owned())
    }
}

/// Writes the report.
pub(crate) fn run(arguments: &ReportArguments) -> Result<(), Failure> {
    if arguments.output.exists() && !arguments.force {
        let message = format!("{} exists: --force replaces it", arguments.output.display());
        return Err(Failure { message, exit_code: 1 });
    }
    let start = Instant::now();
    let experiment = whittle_experiment::read(&arguments.experiment)?;
    if experiment.manifest.state == State::Incomplete {
        output::note("this experiment is incomplete: its collection is still under way or was killed");
    }
    experiment.damage.iter().for_each(|damage| output::note(&damage.reason));
    let (manifest, tables) = (experiment.manifest, experiment.tables);
    let options = pack_options(&manifest, &tables, arguments)?;
    let name = arguments.experiment.file_name().unwrap_or(arguments.experiment.as_os_str()).to_string_lossy();
    let page = Page::new(&name)?;
    let fitted = fit(&page, (&manifest, &tables), options, (arguments.limit_size, start))?;
    write_whole(&arguments.output, &page.with(&fitted.experiment))?;
    let size = fs::metadata(&arguments.output)?.len();
    output::note(&format!("{}: {}; open it in a browser", arguments.output.display(), megabytes(size)));
    note_sources(&fitted.source_paths);
    for note in &fitted.notes {
        output::note(note);
    }
    if !fitted.notes.is_empty() {
        output::note(&format!("to see all of it: whittle view {}", arguments.experiment.display()));
    }
    Ok(())
}

/// Names the files that go along: who passes the report on should know what is in it.
fn note_sources(paths: &BTreeSet<String>) {
    if !paths.is_empty() {
        output::note(&format!("source files in it, {} (--no-sources leaves them out):", paths.len()));
    }
    paths.iter().for_each(|path| output::note(&format!("  {path}")));
}

/// The page and the engine, without an experiment. The experiment stands last: page and engine start while it is read.
struct Page {
    before: String,
    after: String,
}

impl Page {
    fn new(experiment_name: &str) -> Result<Self, Failure> {
        Self::of(REPORT_HTML, ENGINE_LZMA, experiment_name)
    }

    fn of(html: &str, engine: &[u8], experiment_name: &str) -> Result<Self, Failure> {
        let (before, after) = html.split_once(DATA_MARKER).filter(|_| !engine.is_empty()).ok_or_else(|| Failure {
            message: "this whittle was built without the analyzer's page or its engine: build it with `make build`"
                .to_owned(),
            exit_code: 1,
        })?;
        let before = with_policy(&with_title(before, experiment_name), html);
        let engine = data_element("whittle-engine", "application/x-lzma;dense", &dense_text(engine));
        let (scripts, end) = after.rfind("</body>").map_or((after, ""), |end| after.split_at(end));
        Ok(Self { before: format!("{before}{engine}{scripts}"), after: end.to_owned() })
    }

    /// Bytes of the file without the experiment.
    fn len(&self) -> u64 {
        (self.before.len() + self.after.len() + experiment_element("").len()) as u64
    }

    fn with(&self, experiment: &str) -> String {
        [&self.before, experiment_element(experiment).as_str(), &self.after].concat()
    }
}

/// In base64, which browsers decode themselves: data may be long, the engine is not.
fn experiment_element(base64: &str) -> String {
    data_element("whittle-experiment", "application/gzip;base64", base64)
}

/// Neither of the two texts can hold `</script>` or anything else that means something in a page.
fn data_element(id: &str, media_type: &str, text: &str) -> String {
    format!("<script type=\"{media_type}\" id=\"{id}\">{text}</script>\n")
}

/// The page's head with a title that names the experiment.
fn with_title(head: &str, experiment_name: &str) -> String {
    let Some((before, rest)) = head.split_once("<title>") else { return head.to_owned() };
    let Some((_, after)) = rest.split_once("</title>") else { return head.to_owned() };
    let name = experiment_name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("{before}<title>{name} - whittle</title>{after}")
}

/// The page's head with the policy of a report: its own script and style, what it unpacks (`blob:`), the engine, workers
/// and pictures that it makes itself, and no request to anywhere.
fn with_policy(head: &str, html: &str) -> String {
    let (scripts, styles) = (whittle_server::hashes(html, "script"), whittle_server::hashes(html, "style"));
    let policy = format!(
        "{POLICY_START} content=\"default-src 'none'; script-src {scripts} 'wasm-unsafe-eval' blob:; style-src {styles}; \
         connect-src 'none'; worker-src blob:; img-src data: blob:; base-uri 'none'; form-action 'none'\">"
    );
    if let Some((before, rest)) = head.split_once(POLICY_START) {
        let after = rest.split_once('>').map_or("", |(_, after)| after);
        return format!("{before}{policy}{after}");
    }
    head.replacen("<head>", &format!("<head>\n{policy}"), 1)
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// An experiment that fits.
struct Fitted {
    /// Base64.
    experiment: String,
    notes: Vec<String>,
    /// Files whose source text is in it.
    source_paths: BTreeSet<String>,
}

/// Packs the experiment with as much as fits into a file of the size wanted.
fn fit(
    page: &Page,
    (manifest, tables): (&Manifest, &Tables),
    options: PackOptions,
    (limit_bytes, start): (u64, Instant),
) -> Result<Fitted, Failure> {
    let mut smallest = 0;
    for options in steps(options) {
        if start.elapsed() > SILENCE {
            output::note("packing the experiment …");
        }
        let Packed { bytes, notes, .. } = encode(manifest, tables, &options);
        let experiment = STANDARD.encode(gzip(&bytes)?);
        smallest = page.len() + experiment.len() as u64;
        if smallest <= limit_bytes {
            let source_paths = options.sources.into_iter().map(|source| source.path).collect();
            return Ok(Fitted { experiment, notes, source_paths });
        }
    }
    let message = format!(
        "the report takes {} at least, and --limit-size allows {}; whittle view shows the experiment without a file",
        megabytes(smallest),
        megabytes(limit_bytes)
    );
    Err(Failure { message, exit_code: 1 })
}

/// What to leave out, from nothing to all but the largest stacks; each step leaves out what those before did, too.
fn steps(options: PackOptions) -> impl Iterator<Item = PackOptions> {
    let coarser = [options.most_samples, 100_000, 20_000, 0].into_iter().scan(options, |options, most_rows| {
        options.most_samples = options.most_samples.min(most_rows);
        options.most_thread_states = options.most_thread_states.min(most_rows.max(1_000));
        Some(options.clone())
    });
    let mut steps: Vec<PackOptions> = coarser.collect();
    let coarsest = steps.last().cloned().unwrap_or_default();
    let without_calls = PackOptions { keeps_sampled_calls: false, ..coarsest };
    steps.push(without_calls.clone());
    for smallest_stack_ratio in [1e-6, 1e-5, 1e-4, 1e-3, 1e-2] {
        let (sources, class_files) = if smallest_stack_ratio > 1e-5 {
            (Vec::new(), BTreeSet::new())
        } else {
            (without_calls.sources.clone(), without_calls.class_files.clone())
        };
        steps.push(PackOptions { smallest_stack_ratio, sources, class_files, ..without_calls.clone() });
    }
    steps.into_iter()
}

/// The usual options with findings, and with code unless it is to stay out.
fn pack_options(manifest: &Manifest, tables: &Tables, arguments: &ReportArguments) -> Result<PackOptions, Failure> {
    let profile = Profile::load(manifest.clone(), tables.clone())?;
    let code = FileCode::new(&arguments.source_path, manifest);
    if arguments.no_sources {
        let findings = findings(&profile, &WithoutTexts(code));
        return Ok(PackOptions { findings, ..PackOptions::default() });
    }
    let findings = findings(&profile, &code);
    Ok(PackOptions { findings, ..with_sources(&profile, code) })
}

/// The findings as JSON. Missing: there is nothing to look at.
fn findings(profile: &Profile, code: &dyn CodeSource) -> Option<String> {
    let look = || profile.findings(&Query::default(), &FindingsOptions::default(), code);
    let view = progress::say_if_long("looking for known patterns …", look).ok()?;
    serde_json::to_string(&view).ok()
}

/// Class files, which say where an edit goes, but no texts of sources.
struct WithoutTexts(FileCode);

impl CodeSource for WithoutTexts {
    fn java_source(&self, _class: &JavaClass<'_>) -> Result<SourceText, String> {
        Err("left out".to_owned())
    }

    fn class_file(&self, class_name: &str) -> Option<Vec<u8>> {
        self.0.class_file(class_name)
    }

    fn native_source(&self, _path: &str) -> Result<SourceText, String> {
        Err("left out".to_owned())
    }

    fn machine_code(&self, _code: &NativeCode<'_>) -> Result<Disassembly, String> {
        Err("not in reports".to_owned())
    }
}

/// The usual options with the code of the hottest functions, as far as it is found: source texts, else class files.
fn with_sources(profile: &Profile, code: FileCode) -> PackOptions {
    let recorder = Recorder::new(code);
    let query = Query { mode: ViewMode::User, ..Query::default() };
    // What cannot be shown here cannot be shown in the report either, which says why.
    for function in hottest_functions(profile, &query) {
        let _shown = profile.source(&query, &function, &recorder);
    }
    recorder.into_options()
}

/// The functions of Java and native code that cost most, by themselves and with what they call. Without any metric: none.
fn hottest_functions(profile: &Profile, query: &Query) -> Vec<String> {
    let Ok(FunctionsView { columns, mut rows, .. }) = profile.functions(query) else { return Vec::new() };
    rows.retain(|row| matches!(row.kind, FunctionKind::Java | FunctionKind::Native));
    let mut hottest = Vec::new();
    for flavour in [Flavour::Exclusive, Flavour::Inclusive] {
        let Some(column) = columns.iter().position(|column| column.flavour == flavour) else { continue };
        rows.sort_by(|a, b| b.values.numbers[column].total_cmp(&a.values.numbers[column]));
        for row in rows.iter().take(SOURCE_FUNCTIONS) {
            if !hottest.contains(&row.function) {
                hottest.push(row.function.clone());
            }
        }
    }
    hottest
}

/// Passes questions for code on, and keeps the answers. Machine code is not asked for: reports hold none.
struct Recorder {
    code: FileCode,
    found: RefCell<Found>,
}

#[derive(Default)]
struct Found {
    sources: BTreeMap<String, SourceText>,
    bytes: usize,
    /// Classes without source.
    class_files: BTreeSet<String>,
}

impl Recorder {
    fn new(code: FileCode) -> Self {
        Self { code, found: RefCell::default() }
    }

    fn keep(&self, of: &str, found: &Result<SourceText, String>) {
        let mut all = self.found.borrow_mut();
        let Ok(source) = found else { return };
        if !all.sources.contains_key(of) && all.bytes + source.text.len() <= MOST_SOURCE_BYTES {
            all.bytes += source.text.len();
            all.sources.insert(of.to_owned(), source.clone());
        }
    }

    fn into_options(self) -> PackOptions {
        let Found { sources, class_files, .. } = self.found.into_inner();
        let source = |(of, SourceText { path, text })| PackedSource { of, path, text };
        PackOptions { sources: sources.into_iter().map(source).collect(), class_files, ..PackOptions::default() }
    }
}

impl CodeSource for Recorder {
    fn java_source(&self, class: &JavaClass<'_>) -> Result<SourceText, String> {
        let found = self.code.java_source(class);
        self.keep(&class.path(), &found);
        if found.is_err() {
            self.found.borrow_mut().class_files.insert(class.name.to_owned());
        }
        found
    }

    fn class_file(&self, _class_name: &str) -> Option<Vec<u8>> {
        None
    }

    fn native_source(&self, path: &str) -> Result<SourceText, String> {
        let found = self.code.native_source(path);
        self.keep(path, &found);
        found
    }

    fn machine_code(&self, _code: &NativeCode<'_>) -> Result<Disassembly, String> {
        Err("not in reports".to_owned())
    }
}

/// Written beside and renamed, so that nobody opens half a report.
fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".tmp");
    let beside = PathBuf::from(beside);
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| Failure { message: format!("cannot write {}: {error}", path.display()), exit_code: 1 })
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_import::{CollapsedOptions, import_collapsed};
    use whittle_model::TableBuilder;

    const HTML: &str = "<!doctype html><html><head><title>whittle</title><meta http-equiv=\"Content-Security-Policy\" \
        content=\"connect-src 'self'\"><style>a{}</style></head><body><!--whittle:data-->\n<script type=\"module\">f()</script></body></html>";

    #[test]
    fn data_stands_in_the_page_and_the_policy_forbids_the_network() {
        let page = Page::of(HTML, b"\0asm", "<img src=x>&.whittle").expect("a page with a marker");
        let report = page.with("QUJD");
        assert!(report.contains("<title>&lt;img src=x&gt;&amp;.whittle - whittle</title>"), "{report}");
        assert!(report.contains("id=\"whittle-experiment\">QUJD</script>"), "{report}");
        assert!(report.contains("id=\"whittle-engine\">%nD_"), "{report}");
        let places =
            ["whittle-engine", "f()</script>", "whittle-experiment", "</body></html>"].map(|part| report.find(part));
        assert!(places.is_sorted() && !places.contains(&None), "{places:?} in {report}");
        assert!(report.contains("connect-src 'none'") && !report.contains("'self'"), "{report}");
        assert_eq!(report.matches("sha256-").count(), 2, "{report}");
        assert_eq!(report.len() as u64, page.len() + 4);
    }

    #[test]
    fn a_page_without_a_place_for_data_is_refused() {
        assert!(Page::of("<p>", b"\0asm", "x").is_err());
        assert!(Page::of(HTML, b"", "x").is_err());
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(["50MB", "1.5kb", "7", "2G"].map(parse_size), [50_000_000, 1_500, 7, 2_000_000_000].map(Ok));
        assert!(["", "MB", "5 apples", "-1MB", "0"].map(parse_size).iter().all(Result::is_err));
    }

    /// Neither many functions that cost more by themselves nor those of the kernel keep a caller's source out.
    #[test]
    fn the_source_of_callers_goes_along() {
        let mut stacks: String = (0..200).map(|leaf| format!("a.Main.run;a.Leaf.f{leaf} 10\n")).collect();
        stacks.extend((0..200).map(|leaf| format!("a.Main.read;sys_{leaf}_[k] 20\n")));
        let mut builder = TableBuilder::new();
        let import = import_collapsed(&stacks, CollapsedOptions::default(), &mut builder).expect("stacks");
        let manifest = Manifest { metrics: import.metrics, ..Manifest::new(crate::collect::written_by()) };
        let profile = Profile::load(manifest, builder.into_tables()).expect("sound tables");
        let hottest = hottest_functions(&profile, &Query { mode: ViewMode::User, ..Query::default() });
        assert!(
            ["a.Main.run", "a.Main.read", "a.Leaf.f0"].iter().all(|name| hottest.iter().any(|of| of.contains(name)))
        );
        assert!(hottest.len() <= 2 * SOURCE_FUNCTIONS, "{}", hottest.len());
    }

    /// Each step leaves out at least what the one before did.
    #[test]
    fn steps_go_down() {
        let steps: Vec<PackOptions> = steps(PackOptions::default()).collect();
        for pair in steps.windows(2) {
            assert!(pair[1].most_samples <= pair[0].most_samples);
            assert!(pair[1].keeps_sampled_calls <= pair[0].keeps_sampled_calls);
            assert!(pair[1].smallest_stack_ratio >= pair[0].smallest_stack_ratio);
        }
        assert_eq!(steps.len(), 10);
    }
}
