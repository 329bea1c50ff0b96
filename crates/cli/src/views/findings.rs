//! `whittle findings`: causes, their places, expected savings, and an exit status for continuous integration.

use crate::code_source::FileCode;
use crate::experiments;
use crate::terminal::long_work::say_if_long;
use crate::terminal::output;
use clap::Args;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use whittle_findings::{Confidence, Finding, FindingsOptions, FindingsView, markdown, report, report_is_for, sarif};
use whittle_profile::{Filter, Profile, Query};
use whittle_render::Format;
use whittle_terminal::Colour;
use whittle_terminal::Failure;
use whittle_terminal::ViewFormat;

/// The exit status if `--fail-on` is met. Errors have the exit statuses 1 and 2.
const FAIL_ON_EXIT_CODE: u8 = 3;

/// Usual source folders of repositories. They are searched in addition to `--source-path`.
const USUAL_SOURCES: [&str; 5] = ["src/main/java", "src/main/kotlin", "src/test/java", "src", "."];

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle findings app.whittle\n  whittle findings app.whittle --source-path src/main/java --own com.acme\n  \
    whittle findings app.whittle --filter 'thread ~ \"worker\"' --json\n  \
    whittle findings app.whittle --report 2 > report.md\n  \
    whittle findings app.whittle --sarif --fail-on likely:5% > findings.sarif\n\n\
    \"spent here\" is a share of this experiment with its 95 % interval. \"expected saving\" is a prediction with its \
    assumption. \"measured saving\" is a result of whittle verify. certain: frames and counters agree; likely: frames only; \
    possible: one weak indicator.\n\n\
    The exit status is 0 with or without findings; 3 if a finding meets --fail-on; 1 if the command failed; 2 if the command \
    line is wrong."
)]
pub(crate) struct FindingsArguments {
    /// The experiment's directory
    experiment: PathBuf,
    /// Count only these samples, for example: thread ~ "worker" and time in 10s..20s
    #[arg(long)]
    filter: Option<Filter>,
    /// Print JSON
    #[arg(long, group = "language")]
    json: bool,
    /// Print comma-separated values, one row per finding
    #[arg(long, group = "language")]
    csv: bool,
    /// Print Markdown, for pull requests and build summaries
    #[arg(long, group = "language")]
    markdown: bool,
    /// Print SARIF 2.1.0, for services that show results next to the code
    #[arg(long, group = "language")]
    sarif: bool,
    /// Print a Markdown report of the finding with this number, for colleagues or a library's maintainers. The report
    /// has no paths, host names or user names
    #[arg(long, value_name = "NUMBER", group = "language")]
    report: Option<usize>,
    /// Exit with status 3 if a finding has at least this confidence (certain, likely, possible) and this share of all
    /// work threads, for example likely:5%. Repeat the option to add conditions; meeting one condition is enough
    #[arg(long, value_name = "CONFIDENCE:PERCENT%")]
    fail_on: Vec<FailOn>,
    /// Find sources and class files in these folders, jars and zip files. Separate paths with colons, or repeat the
    /// option
    #[arg(long, visible_alias = "source", value_name = "DIR|JAR", value_delimiter = ':')]
    source_path: Vec<PathBuf>,
    /// Treat this package as the program's own code, not as a library; can be repeated
    #[arg(long, value_name = "PACKAGE", value_parser = parse_package)]
    own: Vec<String>,
    /// Treat this package as a library, not as the program's own code; can be repeated
    #[arg(long, value_name = "PACKAGE", value_parser = parse_package)]
    third_party: Vec<String>,
    /// Whether to colour the text
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    color: Colour,
}

/// A condition of `--fail-on`, such as `likely:5%`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FailOn {
    confidence: Confidence,
    /// Smallest share of all work threads that meets the condition.
    program_ratio: f64,
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = "wanted CONFIDENCE:PERCENT%, for example likely:5%";
        let (confidence, percent) = text.split_once(':').ok_or(wanted)?;
        let known = [Confidence::Certain, Confidence::Likely, Confidence::Possible];
        let confidence = known.into_iter().find(|known| known.name() == confidence);
        let confidence = confidence.ok_or("the word before the colon must be certain, likely or possible")?;
        let number =
            percent.strip_suffix('%').ok_or("the percentage after the colon needs its sign, as in likely:5%")?;
        let percent: f64 =
            number.trim().parse().map_err(|_| format!("\"{number}\" is not a number of percent, as in likely:5%"))?;
        if !(0.0..=100.0).contains(&percent) {
            return Err(format!("{number} % is not between 0 and 100"));
        }
        Ok(Self { confidence, program_ratio: percent / 100.0 })
    }
}

impl FailOn {
    fn is_met_by(self, finding: &Finding) -> bool {
        finding.confidence >= self.confidence && finding.spent.program_ratio >= self.program_ratio
    }
}

/// Parses a package name: `com.acme` or `com.acme.*`.
fn parse_package(text: &str) -> Result<String, String> {
    let package = text.trim_end_matches('*').trim_end_matches('.');
    let is_name = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    if package.split('.').all(is_name) {
        Ok(package.to_owned())
    } else {
        Err("wanted a package with dots, for example com.acme".to_owned())
    }
}

/// Finds causes, prints them, and returns the exit status.
pub(crate) fn run(arguments: &FindingsArguments) -> Result<ExitCode, Failure> {
    let text = format!("reading {} …", arguments.experiment.display());
    let profile = say_if_long(&text, || experiments::load(&arguments.experiment))?;
    let query = Query { filter: arguments.filter.clone(), ..Query::default() };
    let options = FindingsOptions { own: arguments.own.clone(), third_party: arguments.third_party.clone() };
    let code = FileCode::new(&arguments.source_path, profile.manifest());
    let view = say_if_long("looking for known patterns …", || {
        whittle_findings::findings(&profile, &query, &options, &code)
    })?;
    print(arguments, &profile, &view)?;
    Ok(status(&arguments.fail_on, &view))
}

fn print(arguments: &FindingsArguments, profile: &Profile, view: &FindingsView) -> Result<(), Failure> {
    if let Some(rank) = arguments.report {
        return print_report(rank, profile, view);
    }
    if arguments.markdown {
        return output::print(markdown(view));
    }
    if arguments.sarif {
        return output::print(sarif(view, &|path| file_in_repository(&arguments.source_path, path)));
    }
    let format = match (arguments.json, arguments.csv) {
        (true, _) => Format::Json,
        (_, true) => Format::Csv,
        _ => Format::Text,
    };
    ViewFormat { format, colour: arguments.color }.print(view)
}

fn print_report(rank: usize, profile: &Profile, view: &FindingsView) -> Result<(), Failure> {
    let finding = view.findings.iter().find(|finding| finding.rank == rank);
    let (Some(finding), Some(report)) = (finding, report(view, rank, profile.manifest())) else {
        let known = match view.findings.len() {
            0 => "whittle found nothing in this experiment".to_owned(),
            1 => "the only finding has number 1".to_owned(),
            count => format!("findings have the numbers 1 to {count}"),
        };
        return Err(Failure::new(format!("no finding has the number {rank}: {known}")));
    };
    output::print(&report)?;
    let readers = report_is_for(finding);
    output::note(&format!(
        "this report is for {readers}; it contains the name of the function {}: read it before you send it",
        finding.calling.function
    ));
    Ok(())
}

/// Returns the exit status, and prints a note for each finding that meets `--fail-on`.
fn status(fail_on: &[FailOn], view: &FindingsView) -> ExitCode {
    let fails = |finding: &&Finding| fail_on.iter().any(|fail_on| fail_on.is_met_by(finding));
    let failing: Vec<&Finding> = view.findings.iter().filter(fails).collect();
    for finding in &failing {
        output::note(&format!(
            "finding {} meets --fail-on: {}, {}, {:.1} % of all work threads",
            finding.rank,
            finding.title,
            finding.confidence.name(),
            finding.spent.program_ratio * 100.0
        ));
    }
    if failing.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FAIL_ON_EXIT_CODE) }
}

/// The path of a source file, relative to the folder where whittle was started. `path` includes the package's folders.
fn file_in_repository(source_path: &[PathBuf], path: &str) -> Option<String> {
    let path = Path::new(path);
    if !path.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let here = std::env::current_dir().ok()?;
    let modules = std::fs::read_dir(&here).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let usual = |folder: &Path| USUAL_SOURCES.map(|sources| folder.join(sources));
    let of_modules = modules.flat_map(|module| usual(Path::new(&module)));
    let roots = source_path.iter().cloned().chain(usual(Path::new(""))).chain(of_modules);
    let mut files = roots.map(|root| here.join(root).join(path)).filter(|file| file.is_file());
    files.find_map(|file| in_folder(&here, &file))
}

/// A file's path below a folder, with slashes.
fn in_folder(folder: &Path, file: &Path) -> Option<String> {
    let below = file.strip_prefix(folder).ok()?;
    let parts = below.components().filter(|part| *part != Component::CurDir);
    let parts: Option<Vec<&str>> = parts
        .map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    parts.map(|parts| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_a_confidence_and_a_share() {
        let likely = FailOn { confidence: Confidence::Likely, program_ratio: 0.05 };
        assert_eq!("likely:5%".parse(), Ok(likely));
        assert_eq!("certain:0.5%".parse::<FailOn>().map(|it| it.program_ratio), Ok(0.005));
        assert!(Confidence::Certain > Confidence::Likely && Confidence::Likely > Confidence::Possible);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let problem = |text: &str| text.parse::<FailOn>().expect_err("malformed");
        assert!(problem("likely").starts_with("wanted CONFIDENCE:PERCENT%"));
        assert!(problem("sure:5%").contains("must be certain, likely or possible"));
        assert!(problem("likely:5").contains("needs its sign"));
        assert!(problem("likely:five%").contains("\"five\" is not a number"));
        assert!(problem("likely:101%").contains("not between 0 and 100"));
        assert!(problem("likely:NaN%").contains("not between"));
    }

    #[test]
    fn packages_have_dots() {
        assert_eq!(parse_package("com.acme.*").as_deref(), Ok("com.acme"));
        assert_eq!(parse_package("acme").as_deref(), Ok("acme"));
        assert!(["", "com/acme", "com..acme", "*"].iter().all(|text| parse_package(text).is_err()));
    }

    #[test]
    fn files_are_named_from_the_root() {
        let root = Path::new("/work/app");
        assert_eq!(in_folder(root, Path::new("/work/app/./src/a/B.java")).as_deref(), Some("src/a/B.java"));
        assert_eq!(in_folder(root, Path::new("/elsewhere/a/B.java")), None);
        assert_eq!(in_folder(root, Path::new("/work/app/../x/B.java")), None);
        assert_eq!(file_in_repository(&[], "../a/B.java"), None);
    }
}
