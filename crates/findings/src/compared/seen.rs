//! The findings of one run in the form that is compared, with the patterns that were too small or denied.

use super::matching::Identity;
use crate::detector::Measure;
use crate::view::{Denied, Finding, FindingsView, Minor};
use whittle_bytecode::edit_site::{EditSite, place};
use whittle_profile::temporary_names;

/// One run of a side.
#[derive(Debug, Clone, Default)]
pub(super) struct RunFindings {
    /// Findings first, then small patterns, then denied ones.
    pub(super) seen: Vec<Seen>,
    /// Detectors with missing data, and this data.
    pub(super) not_checked: Vec<(String, String)>,
    /// Whether the run has more findings than its list shows.
    pub(super) is_cut: bool,
}

/// A pattern in one run.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) identity: Identity,
    /// The problem in a few words.
    pub(super) title: String,
    /// The calling method, as displayed.
    pub(super) function: String,
    /// File and line: the line to edit, or the calling line. `None`: unknown.
    pub(super) place: Option<String>,
    /// The measure of shares.
    pub(super) measure: Measure,
    pub(super) sight: Sight,
}

/// How a run shows a pattern.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Sight {
    /// A finding, with its share of the work threads' total.
    Found(f64),
    /// Too small for a finding, with its share.
    Minor(f64),
    /// A condition denied the finding. The text is the condition.
    Denied(String),
}

impl RunFindings {
    /// `renamed` gives functions the candidate's names.
    pub(super) fn new(view: &FindingsView, renamed: &dyn Fn(&str) -> String) -> Self {
        let name = |name: &str| code_identity(&renamed(name));
        let seen = view.findings.iter().map(|finding| found(finding, &name));
        let seen = seen.chain(view.minor.iter().map(|minor| small(minor, &name)));
        let not_checked = view.not_checked.iter().map(|missing| (missing.detector.clone(), missing.needs.clone()));
        Self {
            seen: seen.chain(view.denied.iter().map(|it| denied(it, &name))).collect(),
            not_checked: not_checked.collect(),
            is_cut: view.left_out.findings > 0,
        }
    }
}

fn found(finding: &Finding, name: &dyn Fn(&str) -> String) -> Seen {
    let (calling, site) = (&finding.calling, finding.site.found());
    let calling_place = || place(calling.file.as_deref(), calling.line);
    Seen {
        identity: Identity {
            detector: finding.detector.clone(),
            function: name(&calling.function),
            site: site.map(|site| name(&site_method(site))),
        },
        title: finding.title.clone(),
        function: calling.function.clone(),
        place: site.and_then(|site| place(site.file.as_deref(), site.line)).or_else(calling_place),
        measure: finding.spent.measure,
        sight: Sight::Found(finding.spent.program_ratio),
    }
}

fn small(minor: &Minor, name: &dyn Fn(&str) -> String) -> Seen {
    Seen {
        identity: Identity { detector: minor.detector.clone(), function: name(&minor.function), site: None },
        title: minor.title.clone(),
        function: minor.function.clone(),
        place: place(minor.file.as_deref(), minor.line),
        measure: minor.measure,
        sight: Sight::Minor(minor.program_ratio),
    }
}

fn denied(denied: &Denied, name: &dyn Fn(&str) -> String) -> Seen {
    Seen {
        identity: Identity { detector: denied.detector.clone(), function: name(&denied.function), site: None },
        title: denied.title.clone(),
        function: denied.function.clone(),
        place: place(denied.file.as_deref(), denied.line),
        measure: denied.measure,
        sight: Sight::Denied(denied.reason.clone()),
    }
}

/// The method of a line to edit: `c01.Slow$CrcOut.<init>`.
fn site_method(site: &EditSite) -> String {
    format!("{}.{}", site.class.replace('/', "."), site.method)
}

/// A function's name without the numbers that the JVM, libraries and `javac` generate. `javac` numbers lambda bodies and
/// anonymous classes in source order, so the same code can have another number on the other side.
fn code_identity(name: &str) -> String {
    let name = temporary_names::of_code(name);
    let mut parts = name.split('$');
    let mut identity = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        identity.push('$');
        identity.push_str(part.trim_start_matches(|letter: char| letter.is_ascii_digit()));
    }
    identity
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_generated_code_are_no_part_of_the_identity() {
        assert_eq!(code_identity("A.lambda$parse$3(int)"), "A.lambda$parse$(int)");
        assert_eq!(code_identity("A$1.run()"), "A$.run()");
        assert_eq!(code_identity("A$$Lambda/0x00007f2648000c30.run()"), "A$$Lambda.run()");
        assert_eq!(code_identity("a.Md5.update(byte[])"), "a.Md5.update(byte[])");
    }
}
