//! A verification as Markdown, for a pull request or a build's summary.
//!
//! Names come from untrusted programs. Names are in code spans, or all their special characters are escaped.

use crate::verify::words::{FEWER_SAMPLES, SECONDARY, change, change_ends, interval_notes, nanos, whole_percent};
use crate::verify::{EndpointView, FunctionChange, FunctionsComparison, VerificationView};
use whittle_render::markdown_text::{cell, code, list, plain};

/// The answer as Markdown.
pub fn markdown(view: &VerificationView) -> String {
    let mut text: String = view.cautions().map(|caution| format!("> **Caution:** {}\n\n", plain(caution))).collect();
    text += &format!("## Verification: {} {}\n\n", view.verdict.mark(), plain(&view.headline()));
    text += &view.sentences.iter().map(|sentence| format!("- {}\n", plain(sentence))).collect::<String>();
    text += "\n";
    let warnings: String = view.warnings().map(|warning| format!("> **Warning:** {}\n>\n", plain(warning))).collect();
    if !warnings.is_empty() {
        text += &format!("{warnings}\n");
    }
    text += &endpoints(&view.endpoints, view.design.margin_ratio);
    text += &view.functions.as_ref().map(functions).unwrap_or_default();
    text += &sides(view);
    text
}

/// One line for each endpoint, the primary ones in bold.
fn endpoints(endpoints: &[EndpointView], margin_ratio: f64) -> String {
    if endpoints.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "| Endpoint | Baseline | Candidate | Change | 95 % interval | Verdict |\n|---|--:|--:|--:|--:|---|\n",
    );
    for endpoint in endpoints {
        let [changed, interval] = endpoint.change_cells();
        let bold = if endpoint.is_primary { "**" } else { "" };
        text += &format!(
            "| {bold}{}{bold} | {} | {} | {changed} | {interval} | {} {} |\n",
            plain(&endpoint.name),
            endpoint.shown(endpoint.baseline.mean),
            endpoint.shown(endpoint.candidate.mean),
            endpoint.verdict.mark(),
            plain(&endpoint.word_in_words(margin_ratio)),
        );
    }
    text += "\nPrimary endpoints are in bold. They were fixed before the runs. ";
    text += if endpoints.iter().any(|endpoint| !endpoint.is_primary) { SECONDARY } else { "" };
    text + "\n\n"
}

fn functions(functions: &FunctionsComparison) -> String {
    let looks = if functions.is_looks_like { "that may have changed" } else { "that changed" };
    let mut text = format!(
        "### Functions {looks}\n\n{} of {} with at least {:.0} samples per run; exclusive CPU time per {}\n\n",
        functions.changed.len(),
        functions.tested_count,
        functions.fewest_samples,
        plain(&functions.per)
    );
    if !functions.changed.is_empty() {
        text += "| Function | Baseline | Candidate | Change | Interval |\n|---|--:|--:|--:|--:|\n";
        text += &functions.changed.iter().chain(&functions.other).map(function).collect::<String>();
        let chance = whole_percent(functions.false_discovery_ratio);
        text += &format!(
            "\nAbout {chance} of the listed functions may be false discoveries. {}.\n\n",
            interval_notes(functions).join(". ")
        );
    }
    let moved: Vec<String> = functions.moved.iter().map(|moved| plain(&moved.sentence)).collect();
    let moved = list("Moved", &moved);
    if moved.is_empty() { text } else { text + &moved + "\n" }
}

fn function(function: &FunctionChange) -> String {
    let (changed, interval) = match function.low_ratio.zip(function.ratio).zip(function.high_ratio) {
        Some(((low, ratio), high)) => (change(ratio), change_ends(low, high)),
        None => ("-".to_owned(), "-".to_owned()),
    };
    let name = if function.kind.is_some() { cell(function.name.clone()) } else { FEWER_SAMPLES.to_owned() };
    let (baseline, candidate) = (nanos(function.baseline_ns), nanos(function.candidate_ns));
    format!("| {name} | {baseline} | {candidate} | {changed} | {interval} |\n")
}

/// The design.
fn sides(view: &VerificationView) -> String {
    let design = &view.design;
    let finding = design.finding.as_ref().map(|finding| {
        let calling = finding.calling.as_ref().map(|calling| format!(", called from {}", code(calling)));
        format!("- Finding: {} ({}){}\n", plain(&finding.title), code(&finding.detector), calling.unwrap_or_default())
    });
    let (baseline, candidate) = (code(&design.baseline), code(&design.candidate));
    format!("- Baseline: {baseline}\n- Candidate: {candidate}\n{}", finding.unwrap_or_default())
}
