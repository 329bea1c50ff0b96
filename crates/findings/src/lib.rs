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
mod compared;
mod cost;
mod detector;
mod detector_files;
mod evaluate;
mod exact_calls;
mod figure_words;
mod figures;
mod guide;
mod guide_blocks;
mod hot_path;
mod intrinsics;
mod jvm_rules;
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

pub use compared::{COMPARED, ComparedFinding, ComparedFindings, SeenOnSide};
pub use cost::{FindingPlace, PlaceCost};
pub use cost::{finding_cost, pattern_cost};
pub use detector::{Condition, Detector, Endpoint, Figure, Gain, GainModel, Measure, Pattern, Text};
pub use evaluate::findings;
pub use guide::{guide_index, guide_page};
pub use guide_blocks::{GuideBlock, GuideBlockKind};
pub use markdown::markdown;
pub use options::FindingsOptions;
pub use remedy::{Remedy, RemedyPromise};
pub use report::{report, report_is_for};
pub use sarif::sarif;
pub use saving_ranges::{COVERED_RATIO, MeasuredSaving, RangeQuality, SavingRanges};
pub use trial_answer::{Trial, TrialAnswer, TrialPlace};
pub use trials::Trials;
pub use tried::{Tried, TriedResult, TriedTogether};
pub use view::{
    CallingPlace, Confidence, CostKind, Criterion, Denied, Evidence, ExpectedSaving, Finding, FindingsView, LeftOut,
    LibraryPlace, LinePart, Minor, NotChecked, PackageCost, QualityFinding, Scattered, Severity, SiteAnswer, Spent,
    ThreadGroup, Unexplained, UnitCost, Work, WorkUnits,
};
pub use whittle_bytecode::edit_site::{EditSite, FieldUse, OtherSite, SiteInstruction, SiteKind, SiteRule};

use serde::Deserialize;
use whittle_views::definition::{Answered, Answerer, ViewDefinition, keys};

/// The definition of the view. Its answer is [`FindingsView`]; in a comparison, it is [`ComparedFindings`]. The command `whittle findings` does not use this
/// definition, because the command has options that no other view has.
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "findings",
        answer: |on, asked| {
            let Keys { own, third_party, guides } = keys(asked)?;
            let options = FindingsOptions { own, third_party };
            let view = findings(on.profile, on.query, &options, on.code)?;
            Ok(Answered::view(if guides { view.with_guides() } else { view }))
        },
    },
    not_compared: None,
    command: None,
};

/// The keys of a request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    /// Packages that are the program's own code.
    #[serde(default)]
    own: Vec<String>,
    /// Packages that are not the program's own code.
    #[serde(default)]
    third_party: Vec<String>,
    /// True: the answer contains the guide pages of its findings.
    #[serde(default)]
    guides: bool,
}

/// Visits the types of [`VIEW`]'s answers.
#[cfg(feature = "typescript")]
pub fn visit_answers(visitor: &mut impl whittle_views::AnswerVisitor) {
    visitor.visit::<FindingsView>(VIEW.name());
    visitor.visit::<ComparedFindings>(VIEW.name());
}
