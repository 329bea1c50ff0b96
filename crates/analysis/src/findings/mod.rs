//! Findings: the cause, the calling line, the line to edit, what a fix is expected to save.
//!
//! ```text
//! samples of work threads after warm-up ── detectors' frames ──> places ── same method ──> candidates
//!     ── counters agree? ──> findings ── bytecode ──> edit site
//! ```

mod candidates;
mod cost;
mod detector;
mod detector_files;
mod evaluate;
mod exact_calls;
mod figures;
mod markdown;
mod matching;
mod missing;
mod name_patterns;
mod options;
mod places;
mod quality;
mod report;
mod roles;
mod rules;
mod sarif;
mod saving;
mod scattered;
mod site;
mod stack_costs;
mod sums;
mod units;
mod view;
pub(crate) mod words;
mod work;

pub use cost::{FindingPlace, PlaceCost};
pub use detector::{
    Condition, Detector, Endpoint, Figure, Gain, GainModel, Measure, Pattern, SiteKind, SiteRule, Text,
};
pub use markdown::markdown;
pub use options::FindingsOptions;
pub use report::{report, report_is_for};
pub use sarif::sarif;
pub(crate) use view::REPORTED_RATIO;
pub use view::{
    CallingPlace, Confidence, CostKind, Criterion, EditSite, Evidence, ExpectedSaving, FieldUse, Finding, FindingsView,
    LibraryPlace, LinePart, Minor, NotChecked, OtherSite, PackageCost, QualityFinding, Scattered, Severity, SiteAnswer,
    Spent, ThreadGroup, Unexplained, UnitCost, Work, WorkUnits,
};
