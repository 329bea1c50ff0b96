//! Regressions of small fleets: known answers, a comparison with other programs, and invariants.

mod answers;
mod drawn;
mod oracle;
mod properties;
mod savings;
mod unknown_date;

use whittle_verdict::regressions::{FleetCosts, FunctionChange, Question, RegressionsView, Word, version_change};

pub(crate) fn compared(costs: &FleetCosts) -> RegressionsView {
    version_change(costs, &Question::default()).expect("valid costs")
}

pub(crate) fn change<'a>(view: &'a RegressionsView, function: &str) -> &'a FunctionChange {
    view.functions.iter().find(|change| change.name == function).unwrap_or_else(|| panic!("{function}"))
}

pub(crate) fn word(view: &RegressionsView, function: &str) -> Word {
    change(view, function).word
}
