//! Whether whittle can try a finding's fix: the remedy, and the instructions that it changes.
//!
//! ```text
//! line to edit, equally good lines, calling line ── instructions ──> those that a remedy of the detector fits
//!                                                                    └── class file in the archive? ──> trial
//! ```

use crate::detector::Detector;
use crate::remedy::Remedy;
use crate::trial_answer::{Trial, TrialAnswer, TrialPlace};
use crate::view::{Finding, SiteAnswer};
use whittle_bytecode::edit_site::{SiteInstruction, place};

/// An instruction of a finding, with its place in the source.
struct Candidate<'a> {
    instruction: &'a SiteInstruction,
    file: Option<&'a str>,
    line: Option<u32>,
}

/// What is known about classes.
pub(crate) struct KnownClasses<'a> {
    /// Whether the archive has the class file of a class.
    pub(crate) is_archived: &'a dyn Fn(&str) -> bool,
    /// Whether a class is the program's own.
    pub(crate) is_own: &'a dyn Fn(&str) -> bool,
}

/// The remedy of the detector that changes the most instructions of the finding.
pub(crate) fn trial(finding: &Finding, detector: &Detector, classes: &KnownClasses<'_>) -> TrialAnswer {
    let impossible = |reason: String| TrialAnswer::Impossible { reason };
    let candidates = candidates(finding);
    let remedies =
        detector.remedies.iter().filter_map(|id| Remedy::of_id(id)).filter(|remedy| remedy.is_of(&finding.anchor));
    let fitting = |remedy: &'static Remedy| {
        let fits = |candidate: &&Candidate<'_>| remedy.fits(&candidate.instruction.operation);
        (remedy, candidates.iter().filter(fits).collect::<Vec<_>>())
    };
    let Some((remedy, fitting)) = remedies.map(fitting).find(|(_, places)| !places.is_empty()) else {
        let no_remedy = detector.no_remedy.as_ref().map(|reason| format!("no remedy fits, because {reason}"));
        return impossible(no_remedy.unwrap_or_else(|| nothing_fits(finding)));
    };
    let is_archived = |candidate: &&&Candidate<'_>| (classes.is_archived)(&candidate.instruction.class);
    let places: Vec<TrialPlace> =
        fitting.iter().filter(is_archived).map(|candidate| candidate.place(classes)).collect();
    if places.is_empty() {
        let class = fitting.first().map(|candidate| candidate.instruction.class.replace('/', ".")).unwrap_or_default();
        return impossible(format!("the experiment does not contain the class file of {class}"));
    }
    TrialAnswer::Possible(Trial {
        remedy: remedy.id.clone(),
        title: remedy.title.clone(),
        promise: remedy.promise,
        condition: remedy.condition.clone(),
        places,
    })
}

/// All instructions of the finding, each once: the line to edit, equally good lines, and the calling line.
fn candidates(finding: &Finding) -> Vec<Candidate<'_>> {
    let mut all = Vec::new();
    if let SiteAnswer::Found(site) = &finding.site {
        all.push((site.instruction.as_ref(), site.file.as_deref(), site.line));
        all.extend(site.others.iter().map(|other| (other.instruction.as_ref(), other.file.as_deref(), other.line)));
    }
    all.extend(finding.call.iter().map(|call| (call.instruction.as_ref(), call.file.as_deref(), call.line)));
    let mut candidates: Vec<Candidate<'_>> = Vec::new();
    for (instruction, file, line) in all {
        let Some(instruction) = instruction else { continue };
        if candidates.iter().all(|known| known.instruction != instruction) {
            candidates.push(Candidate { instruction, file, line });
        }
    }
    candidates
}

impl Candidate<'_> {
    fn place(&self, classes: &KnownClasses<'_>) -> TrialPlace {
        let SiteInstruction { class, method, operation, .. } = self.instruction;
        let object = operation.split_once(' ').map_or(operation.as_str(), |(_, name)| name);
        let source = place(self.file, self.line).map(|place| format!(" ({place})")).unwrap_or_default();
        TrialPlace {
            words: format!("{} in {}.{method}{source}", short(object), short(class)),
            file: self.file.map(str::to_owned),
            line: self.line,
            is_in_library: !(classes.is_own)(class),
            instruction: self.instruction.clone(),
        }
    }
}

/// A name without its package.
fn short(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Why no instruction of the finding fits.
fn nothing_fits(finding: &Finding) -> String {
    match &finding.site {
        SiteAnswer::Found(site) => {
            format!(
                "no remedy fits {} in {}",
                site.what,
                place(site.file.as_deref(), site.line).unwrap_or_else(|| site.function())
            )
        }
        SiteAnswer::NotFound { reason } => format!("the line to edit was not found: {reason}"),
        SiteAnswer::None => "the finding has no line to edit".to_owned(),
    }
}

impl Finding {
    /// The label of [`trial_in_words`](Self::trial_in_words).
    pub(crate) fn trial_label(&self) -> &'static str {
        if self.tried.is_some() { "Tried" } else { "Trial" }
    }

    /// What a reader of the last trial's result must know.
    pub(crate) fn trial_notes(&self) -> &[String] {
        self.tried.as_ref().map_or(&[], |tried| &tried.notes)
    }

    /// The result of the last trial, or how to try the fix, or why it cannot be tried.
    pub(crate) fn trial_in_words(&self) -> String {
        match (&self.tried, &self.trial) {
            (Some(tried), _) => tried.words.clone(),
            (None, TrialAnswer::Possible(trial)) => {
                format!("whittle try … {} measures without an edit: {}", self.rank, trial.words())
            }
            (None, TrialAnswer::Impossible { reason }) => format!("not possible: {reason}"),
        }
    }
}
