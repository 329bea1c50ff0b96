//! Regressions of small fleets whose answer is known, against other programs, and rules that always hold.

mod answers;
mod drawn;
mod oracle;
mod properties;
mod savings;
mod unknown_date;

use whittle_analysis::regressions::{FleetCosts, FunctionChange, Question, RegressionsView, Word, version_change};

pub(crate) fn compared(costs: &FleetCosts) -> RegressionsView {
    version_change(costs, &Question::default()).expect("sound figures")
}

pub(crate) fn change<'a>(view: &'a RegressionsView, function: &str) -> &'a FunctionChange {
    view.functions.iter().find(|change| change.name == function).unwrap_or_else(|| panic!("{function}"))
}

pub(crate) fn word(view: &RegressionsView, function: &str) -> Word {
    change(view, function).word
}
