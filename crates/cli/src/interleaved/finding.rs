//! The finding that the change is expected to fix. Whittle chooses the finding in a baseline run before the measured
//! runs, and measures its cost in each run.

use crate::code_source::FileCode;
use std::path::Path;
use whittle_findings::{Endpoint, Finding, FindingPlace, FindingsOptions};
use whittle_profile::compare::Rename;
use whittle_profile::{Profile, Query, Side};
use whittle_terminal::Failure;
use whittle_verdict::verify::{Doubt, DoubtKind, Expected, ExpectedOf, FindingCost, PatternCost, VerifiedFinding};
use whittle_views::languages;

/// The value of `--finding`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    None,
    First,
    Detector(String),
}

impl Wanted {
    pub(crate) fn of(argument: Option<&str>) -> Self {
        match argument {
            None => Self::First,
            Some("none") => Self::None,
            Some(detector) => Self::Detector(detector.to_owned()),
        }
    }
}

/// A finding, and the place of its cost.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    pub(crate) verified: VerifiedFinding,
    place: FindingPlace,
}

/// Reads an experiment. Prints no notes about missing parts, because the overview shows them.
pub(crate) fn load(experiment: &Path) -> Result<Profile, Failure> {
    let mut experiment = whittle_experiment::read(experiment)?;
    // Runs are compared by the JVM's names.
    languages::correct_lines(&mut experiment.tables);
    Ok(Profile::load(experiment.manifest, experiment.tables)?)
}

/// Chooses the finding in a baseline experiment. Missing: the experiment has no finding, and the command line names no
/// pattern.
pub(crate) fn choose(profile: &Profile, wanted: &Wanted) -> Result<Option<Chosen>, Failure> {
    if *wanted == Wanted::None {
        return Ok(None);
    }
    let code = FileCode::new(&[], profile.manifest());
    let view = whittle_findings::findings(profile, &Query::default(), &FindingsOptions::default(), &code)?;
    let found = match wanted {
        Wanted::Detector(detector) => view.findings.iter().find(|finding| finding.detector == *detector),
        _ => view.findings.first(),
    };
    match (found, wanted) {
        (Some(finding), _) => Ok(Some(Chosen::of(finding))),
        (None, Wanted::Detector(detector)) => {
            let known: Vec<&str> = view.findings.iter().map(|finding| finding.detector.as_str()).collect();
            let known = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
            Err(Failure::new(format!(
                "--finding {detector}: whittle found no such pattern in the baseline; it found {known}"
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
            low_ratio: expected.program_low_ratio,
            high_ratio: expected.program_high_ratio,
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

    /// The finding's cost in an experiment, below the calling method and below any caller.
    pub(crate) fn cost(&self, (side, profile): (Side, &Profile), renames: &[Rename]) -> FindingCost {
        let mut place = self.place.clone();
        if side == Side::Candidate {
            let names = std::iter::once(&mut place.calling).chain(&mut place.anchors);
            names.for_each(|name| renames.iter().for_each(|rename| *name = rename.renamed(name)));
        }
        let found = whittle_findings::finding_cost(profile, &place);
        let cost = found.unwrap_or_default();
        let pattern = whittle_findings::pattern_cost(profile, &place);
        FindingCost {
            cpu_ns: cost.cost_ns,
            samples: cost.samples_count as f64,
            has_calling: found.is_some(),
            pattern: Some(PatternCost { cpu_ns: pattern.cost_ns, samples: pattern.samples_count as f64 }),
        }
    }

    /// The warning if the finding was chosen in a measured run. A finding that is large in one run is on average
    /// smaller in other runs.
    pub(crate) fn doubt_of_choice() -> Doubt {
        doubt(
            "the finding was chosen in a measured baseline run: a finding that is large in this run by chance is chosen \
             more easily, so the measured saving may be too large"
                .to_owned(),
        )
    }

    pub(crate) fn words(&self) -> String {
        let calling = self.verified.calling.as_deref().unwrap_or_default();
        format!("{}, called from {calling}", self.verified.title)
    }
}
