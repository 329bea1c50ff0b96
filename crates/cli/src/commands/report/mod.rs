//! `whittle report`: the analyzer, its engine and an experiment in one file that opens from disk, without a network.
//!
//! ```text
//! packed page ───── title, content security policy ─┐
//! engine.wasm ───── LZMA, dense text ───────────────┼─> report
//! experiment ────── packed, gzip, base64 ───────────┘
//!   with findings
//! ```
//!
//! Findings are computed when the report is written, because the detectors would make the report's engine too large.
//!
//! If the report would be larger than its limit, details are left out step by step: narrow time bins, single system
//! calls, small stacks. The report and the terminal list the left-out details.

mod content;
mod dense_text;
mod packing;
mod page;

use crate::arguments::at::PageState;
use crate::arguments::source_path::SourcePathArguments;
use crate::code_source::FileCode;
use crate::experiments;
use crate::terminal::output;
use crate::tries;
use clap::Args;
use packing::{fit, megabytes};
use page::Page;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use whittle_experiment::create_private_file;
use whittle_profile::Profile;
use whittle_terminal::Failure;
use whittle_views::languages;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle report app.whittle -o app.html\n  whittle report app.whittle -o app.html --limit-size 5MB\n  \
    whittle report app.whittle -o app.html --source-path src/main/java\n\n\
    The file contains the analyzer and the data, and needs no network. You can mail it or attach it to a ticket. It \
    contains names of functions, files, threads and hosts, and the sources of the hottest functions (--no-sources leaves \
    these sources out)."
)]
pub(crate) struct ReportArguments {
    /// The experiment's directory
    experiment: PathBuf,
    /// The new file, usually NAME.html
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Limit the file to this size (500KB, 50MB). If needed, details are left out, and the report lists them
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = USUAL_LIMIT)]
    limit_size: u64,
    /// Open the file at this view: the end of the address of whittle view, from # on, as the page's Share this view shows
    /// it
    #[arg(long, value_name = "ADDRESS")]
    at: Option<PageState>,
    #[command(flatten)]
    sources: SourcePathArguments,
    /// Leave sources out of the report
    #[arg(long)]
    no_sources: bool,
    /// Replace an existing file
    #[arg(short, long)]
    force: bool,
}

/// The size of a report if the user names none.
const USUAL_LIMIT: &str = "50MB";

/// The same in bytes.
pub(crate) fn usual_limit_bytes() -> u64 {
    parse_size(USUAL_LIMIT).expect("a size")
}

/// Parses a size such as `50MB`. Returns the number of bytes.
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
        let message = format!("{} exists; add --force to replace it", arguments.output.display());
        return Err(Failure::new(message));
    }
    let made = make(&ReportOrder {
        experiment: &arguments.experiment,
        source_path: &arguments.sources.source_path,
        has_sources: !arguments.no_sources,
        limit_bytes: arguments.limit_size,
        at: arguments.at.as_ref(),
    })?;
    write_whole(&arguments.output, &made.html)?;
    let size = fs::metadata(&arguments.output)?.len();
    output::note(&format!("{}: {}; open it in a browser", arguments.output.display(), megabytes(size)));
    note_sources(&made.source_paths);
    for note in &made.notes {
        output::note(note);
    }
    if !made.notes.is_empty() {
        output::note(&format!("for all details: whittle view {}", arguments.experiment.display()));
    }
    Ok(())
}

/// What a report contains.
pub(crate) struct ReportOrder<'a> {
    /// The experiment's directory.
    pub(crate) experiment: &'a Path,
    /// Where to look for sources first.
    pub(crate) source_path: &'a [PathBuf],
    /// Whether the report contains the sources of the hottest functions.
    pub(crate) has_sources: bool,
    /// Largest size of the file. If needed, details are left out.
    pub(crate) limit_bytes: u64,
    /// The view with which the file opens. Missing: the overview.
    pub(crate) at: Option<&'a PageState>,
}

/// A report.
pub(crate) struct Report {
    pub(crate) html: String,
    /// What was left out, one sentence each.
    pub(crate) notes: Vec<String>,
    /// Source files in the report.
    pub(crate) source_paths: BTreeSet<String>,
}

/// Makes a report.
pub(crate) fn make(order: &ReportOrder<'_>) -> Result<Report, Failure> {
    let start = Instant::now();
    let mut experiment = experiments::read(order.experiment)?;
    languages::restore(&mut experiment.tables);
    let (manifest, tables) = (experiment.manifest, experiment.tables);
    let profile = Profile::load(manifest.clone(), tables.clone())?.with_trials(tries::text(order.experiment));
    let code = FileCode::new(order.source_path, &manifest);
    let content = if order.has_sources { content::with_sources } else { content::without_sources };
    let options = content(&profile, code);
    drop(profile);
    let name = order.experiment.file_name().unwrap_or(order.experiment.as_os_str()).to_string_lossy();
    let page = Page::new(&name, order.at)?;
    let fitted = fit(&page, (&manifest, &tables), options, (order.limit_bytes, start))?;
    Ok(Report { html: page.with(&fitted.experiment), notes: fitted.notes, source_paths: fitted.source_paths })
}

/// Prints a list of the source files in the report, for users who send the report to others.
fn note_sources(paths: &BTreeSet<String>) {
    if !paths.is_empty() {
        output::note(&format!("the report contains {} source files (--no-sources leaves them out):", paths.len()));
    }
    paths.iter().for_each(|path| output::note(&format!("  {path}")));
}

/// Writes the file under another name and renames it, so that a reader never opens an incomplete report.
fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    let temporary = PathBuf::from(temporary);
    let written = create_private_file(&temporary)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(["50MB", "1.5kb", "7", "2G"].map(parse_size), [50_000_000, 1_500, 7, 2_000_000_000].map(Ok));
        assert!(["", "MB", "5 apples", "-1MB", "0"].map(parse_size).iter().all(Result::is_err));
    }
}
