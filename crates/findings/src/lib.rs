//! Findings: the cause, the calling line, the line to edit, and the expected saving of a fix.
//!
//! ```text
//! samples of work threads after warm-up ── detectors' frames ──> places ── same method ──> candidates
//!     ── counters agree? ──> findings ── bytecode ──> line to edit
//! ```

mod added;
mod answered;
mod archived_classes;
mod candidates;
mod code_patterns;
mod cost;
mod detector;
mod detector_files;
mod evaluate;
mod exact_calls;
mod figure_words;
mod figures;
mod hot_path;
mod intrinsics;
mod jvm_rules;
mod known_packages;
mod lock_holders;
mod markdown;
mod matching;
mod missing;
mod options;
mod own_package;
mod places;
mod pools;
mod quality;
mod remedy;
mod report;
mod roles;
mod rules;
mod sampled_calls;
mod sarif;
mod saving;
mod saving_ranges;
mod savings_table;
mod scattered;
mod site;
mod stack_costs;
mod stacks;
mod sums;
mod text;
mod trial;
mod trial_answer;
mod trials;
mod tried;
mod units;
mod unknown_classes;
mod view;
mod wait_patterns;
mod words;
mod work;

pub use cost::{FindingPlace, PlaceCost};
pub use cost::{finding_cost, pattern_cost};
pub use detector::{Condition, Detector, Endpoint, Figure, Gain, GainModel, Measure, Pattern, Text};
pub use evaluate::findings;
pub use markdown::markdown;
pub use options::FindingsOptions;
pub use remedy::{Remedy, RemedyPromise};
pub use report::{report, report_is_for};
pub use sarif::sarif;
pub use saving_ranges::{COVERED_RATIO, MeasuredSaving, RangeQuality, SavingRanges};
pub use trial_answer::{Trial, TrialAnswer, TrialPlace};
pub use trials::Trials;
pub use tried::{Tried, TriedResult};
pub use view::{
    CallingPlace, Confidence, CostKind, Criterion, Denied, Evidence, ExpectedSaving, Finding, FindingsView, LeftOut,
    LibraryPlace, LinePart, Minor, NotChecked, PackageCost, QualityFinding, Scattered, Severity, SiteAnswer, Spent,
    ThreadGroup, Unexplained, UnitCost, Work, WorkUnits,
};
pub use whittle_bytecode::edit_site::{EditSite, FieldUse, OtherSite, SiteInstruction, SiteKind, SiteRule};

use serde::Deserialize;
use whittle_views::definition::{Answered, Answerer, ViewDefinition, keys};

/// The definition of the view. Its answer is [`FindingsView`]. The command `whittle findings` does not use this
/// definition, because the command has options that no other view has.
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "findings",
        answer: |on, asked| {
            let Keys { own, third_party } = keys(asked)?;
            let options = FindingsOptions { own, third_party };
            Ok(Answered::view(findings(on.profile, on.query, &options, on.code)?))
        },
    },
    not_compared: Some("causes are found in one program"),
    command: None,
};

/// The keys of a request: packages that decide which code is the program's own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    #[serde(default)]
    own: Vec<String>,
    #[serde(default)]
    third_party: Vec<String>,
}

/// Visits the type of [`VIEW`]'s answer.
#[cfg(feature = "typescript")]
pub fn visit_answers(visitor: &mut impl whittle_views::AnswerVisitor) {
    visitor.visit::<FindingsView>(VIEW.name());
}
