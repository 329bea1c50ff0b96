//! Hints for errors of views. A hint names options that views have in both programs.

use whittle_profile::AnalysisError;

/// A hint for the user about an error of a view. Missing: the error needs no hint.
pub fn hint_of_view(error: &AnalysisError) -> Option<String> {
    let hint = match error {
        AnalysisError::NoMetrics => "the view `overview` shows the lost samples and the reasons",
        AnalysisError::UnknownAmount { known, .. } if known.is_empty() => {
            "`--per second`, `--per cpu-second` and `--per run` need no units of work"
        }
        AnalysisError::NothingCompared { .. } => "compare with `--baseline`",
        AnalysisError::Filter(error) if error.needs_comparison => "compare with `--baseline`",
        AnalysisError::FixedColumns { .. } => "leave out --metrics",
        AnalysisError::UnknownFunction(unknown) if unknown.suggestions.is_empty() => {
            "the view `functions` lists all functions"
        }
        AnalysisError::HiddenFunction { shown_in, .. } => return Some(format!("add --mode {shown_in}")),
        _ => return None,
    };
    Some(hint.to_owned())
}
