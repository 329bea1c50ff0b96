//! Findings: the cause, the calling line, the line to edit, what a fix is expected to save.

mod detector;
mod detector_files;
mod view;
pub(crate) mod words;

pub use detector::{
    Condition, Detector, Endpoint, Figure, Gain, GainModel, Measure, Pattern, SiteKind, SiteRule, Text,
};
pub(crate) use view::REPORTED_RATIO;
pub use view::{
    CallingPlace, Confidence, Criterion, EditSite, Evidence, ExpectedSaving, FieldUse, Finding, FindingsView,
    LibraryPlace, LinePart, NotChecked, OtherSite, QualityFinding, Scattered, Severity, SiteAnswer, Spent, ThreadGroup,
    Unexplained, Work,
};
