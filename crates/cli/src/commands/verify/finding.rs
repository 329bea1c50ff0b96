//! The finding whose fix is verified: chosen in one run of the baseline before any run counts, then costed in each.

use super::failure;
use crate::Failure;
use crate::code_source::FileCode;
use std::path::Path;
use whittle_analysis::compare::Rename;
use whittle_analysis::findings::{Endpoint, Finding, FindingPlace, FindingsOptions};
use whittle_analysis::verify::{Doubt, DoubtKind, Expected, ExpectedOf, FindingCost, VerifiedFinding};
use whittle_analysis::{Profile, Query, Side};

/// What `--finding` asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wanted {
    None,
    First,
    Detector(String),
}

impl Wanted {
    pub(super) fn of(argument: Option<&str>) -> Self {
        match argument {
            None => Self::First,
            Some("none") => Self::None,
            Some(detector) => Self::Detector(detector.to_owned()),
        }
    }
}

/// A finding, and where its cost is.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    pub(super) verified: VerifiedFinding,
    place: FindingPlace,
}

/// Reads an experiment without a word on what of it is missing: that is in its own overview.
pub(super) fn load(experiment: &Path) -> Result<Profile, Failure> {
    let experiment = whittle_experiment::read(experiment)?;
    Ok(Profile::load(experiment.manifest, experiment.tables)?)
}

/// The finding of a baseline's experiment. Missing: there is none, and none was named.
pub(super) fn choose(profile: &Profile, wanted: &Wanted) -> Result<Option<Chosen>, Failure> {
    if *wanted == Wanted::None {
        return Ok(None);
    }
    let code = FileCode::new(&[], profile.manifest());
    let view = profile.findings(&Query::default(), &FindingsOptions::default(), &code)?;
    let found = match wanted {
        Wanted::Detector(detector) => view.findings.iter().find(|finding| finding.detector == *detector),
        _ => view.findings.first(),
    };
    match (found, wanted) {
        (Some(finding), _) => Ok(Some(Chosen::of(finding))),
        (None, Wanted::Detector(detector)) => {
            let known: Vec<&str> = view.findings.iter().map(|finding| finding.detector.as_str()).collect();
            let known = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
            Err(failure(format!(
                "--finding {detector}: not found in the baseline, where whittle findings finds {known}"
            )))
        }
        (None, _) => Ok(None),
    }
}

fn doubt(text: String) -> Doubt {
    Doubt { kind: DoubtKind::Other, text }
}

impl Chosen {
    fn of(finding: &Finding) -> Self {
        let expected = finding.expected.as_ref().map(|expected| Expected {
            ratio: expected.program_ratio,
            of: match expected.endpoint {
                Endpoint::Cpu => ExpectedOf::Cpu,
                Endpoint::Elapsed => ExpectedOf::Elapsed,
            },
        });
        let verified = VerifiedFinding {
            detector: finding.detector.clone(),
            title: finding.title.clone(),
            calling: Some(finding.calling.function.clone()),
            expected,
        };
        Self { verified, place: FindingPlace::of(finding) }
    }

    /// Its cost in an experiment of a side, and whether its calling method is there at all.
    pub(super) fn cost(&self, (side, profile): (Side, &Profile), renames: &[Rename]) -> (FindingCost, bool) {
        let mut place = self.place.clone();
        if side == Side::Candidate {
            let names = std::iter::once(&mut place.calling).chain(&mut place.anchors);
            names.for_each(|name| renames.iter().for_each(|rename| *name = rename.renamed(name)));
        }
        let found = profile.finding_cost(&place);
        let cost = found.unwrap_or_default();
        (FindingCost { cpu_ns: cost.cost_ns, samples: cost.samples_count as f64 }, found.is_some())
    }

    /// A method under another name costs nothing under the old one.
    pub(super) fn doubt_of_missing_calling(&self) -> Doubt {
        let calling = self.verified.calling.as_deref().unwrap_or_default();
        doubt(format!(
            "{calling}, where the finding is, is on no stack of the candidate: if it was renamed, its cost has another name now \
             (--rename OLD=NEW)"
        ))
    }

    /// What is chosen because it is large in a run is on average less in others.
    pub(super) fn doubt_of_choice() -> Doubt {
        doubt(
            "the finding was chosen in a run of the baseline that also counts: what is large there by chance is chosen more easily, \
             so its saving may be told as too large"
                .to_owned(),
        )
    }

    pub(super) fn words(&self) -> String {
        let calling = self.verified.calling.as_deref().unwrap_or_default();
        format!("{}, called from {calling}", self.verified.title)
    }
}
