//! All findings as Markdown, for a pull request or a build's summary.
//!
//! Names come from untrusted programs. Names are either in code spans, or all characters are escaped that Markdown
//! treats as markup, a mention or a formula. The texts of detectors are already Markdown.

use crate::view::{Finding, FindingsView, SiteAnswer};
use crate::words::{MEASURED, interval, share};
use whittle_bytecode::edit_site::{EditSite, place};
use whittle_render::markdown_text::{capitalized, cell, code, item, list, plain};

/// The whole answer as Markdown.
pub fn markdown(view: &FindingsView) -> String {
    let mut text = String::from("## Findings\n\n");
    if let Some(filter) = &view.filter {
        text += &format!("Only samples with {}\n\n", code(filter));
    }
    for doubt in &view.quality {
        text += &format!("> **{}:** {}\n>\n", capitalized(doubt.severity.name()), plain(&doubt.text));
    }
    if !view.quality.is_empty() {
        text += "\n";
    }
    if view.findings.is_empty() {
        text += &format!("{}.\n\n", plain(&view.result_in_words()));
    } else {
        text += &table(&view.findings);
        text += &format!("{}.\n\n", plain(&view.result_in_words()));
    }
    if let Some(together) = &view.tried_together {
        text += &trial_items("Tried together", &together.words, &together.notes);
        text += "\n";
    }
    text += &view.findings.iter().map(block).collect::<String>();
    text + &rest(view)
}

/// One line for each finding.
fn table(findings: &[Finding]) -> String {
    let mut text = String::from(
        "| # | Finding | Confidence | Spent here | Expected saving | Called from | Edit |\n|--:|---|---|--:|--:|---|---|\n",
    );
    for finding in findings {
        let expected = finding.expected.as_ref().map_or("unknown".to_owned(), |it| {
            format!("{} of {}", interval(it.low_ratio, it.high_ratio), it.endpoint.words())
        });
        let spent = format!("{} of {}", share(finding.spent.ratio), finding.spent.measure.words());
        text += &format!(
            "| {} | {} | {} | {spent} | {expected} | {} | {} |\n",
            finding.rank,
            plain(&finding.title),
            finding.confidence.name(),
            cell(place(finding.calling.file.as_deref(), finding.calling.line).unwrap_or_default()),
            site_place(&finding.site),
        );
    }
    text + "\n"
}

fn site_place(site: &SiteAnswer) -> String {
    match site {
        SiteAnswer::Found(site) => cell(place(site.file.as_deref(), site.line).unwrap_or_else(|| site.function())),
        SiteAnswer::NotFound { .. } => "site not found".to_owned(),
        SiteAnswer::None => String::new(),
    }
}

/// A finding with all its details.
fn block(finding: &Finding) -> String {
    let mut text = format!("### {}. {} ({})\n\n", finding.rank, plain(&finding.title), finding.confidence.name());
    text += &item("Spent here", &plain(&finding.spent.words()));
    text += &item("Expected saving", &plain(&finding.saving_in_words()));
    text += &item("Measured saving", MEASURED);
    text += &trial_items(finding.trial_label(), &finding.trial_in_words(), finding.trial_notes());
    text += &finding.unit_cost.as_ref().map(|cost| item("Cost per unit", &plain(&cost.words()))).unwrap_or_default();
    text += &calling_items(finding, "Your line");
    text += &site_items(&finding.site);
    text += &finding.evidence_in_words().map(|words| item("Evidence", &plain(&words))).unwrap_or_default();
    text += &item("Fix", &finding.fix);
    text += &list("Check first", &finding.check_first);
    let criteria: Vec<String> = finding.criteria_in_words().iter().map(|criterion| plain(criterion)).collect();
    text += &list(&format!("Criteria ({})", finding.confidence.meaning()), &criteria);
    text += &item("The finding's samples", &code(&format!("--filter '{}'", finding.filter)));
    text + "\n"
}

/// The result of a trial and its notes.
fn trial_items(label: &str, words: &str, notes: &[String]) -> String {
    let notes: Vec<String> = notes.iter().map(|note| plain(note)).collect();
    item(label, &plain(words)) + &list("Notes of the trial", &notes)
}

/// The callers in the library and in the program's own code. `caller_of_library` labels the caller in the program.
pub(super) fn calling_items(finding: &Finding, caller_of_library: &str) -> String {
    let calling = &finding.calling;
    let library = calling.library.as_ref().map(|library| item("Library line", &code(&library.words())));
    let label = if library.is_some() { caller_of_library } else { "Called from" };
    let others = calling.other_lines().map(|others| format!("; {}", plain(&others))).unwrap_or_default();
    let own = item(label, &format!("{}{others}", code(&calling.words())));
    library.unwrap_or_default() + &own + &source_line(calling.text.as_deref())
}

/// The line to edit, and its constraints.
pub(super) fn site_items(site: &SiteAnswer) -> String {
    let SiteAnswer::Found(site) = site else { return item("Edit", &plain(&site.words())) };
    item("Edit", &code(&site.words())) + &source_line(site.text.as_deref()) + &site_details(site)
}

fn site_details(site: &EditSite) -> String {
    let others: Vec<String> = site.others.iter().map(|other| code(&other.words())).collect();
    let mut text = list("Or there", &others);
    if let Some(field) = &site.field {
        let line = place(None, field.line).map(|line| format!(", {line}")).unwrap_or_default();
        text += &item("Field", &code(&format!("{}{line}: {}", field.field, field.declaration)));
        let uses: Vec<String> = field.uses.iter().map(|each| code(&each.words())).collect();
        text += &list("The field is also used by", &uses);
    }
    let steps: Vec<String> = site.steps.iter().map(|step| plain(step)).collect();
    text + &list("Found by", &steps)
}

/// A line of source below an item.
fn source_line(text: Option<&str>) -> String {
    text.map_or(String::new(), |text| format!("  {}\n", code(text.trim())))
}

/// The scattered cost, and the patterns that could not be checked.
fn rest(view: &FindingsView) -> String {
    let scattered: Vec<String> = view.scattered.iter().map(|scattered| plain(&scattered.words())).collect();
    let minor: Vec<String> = view.minor_in_words().iter().map(|text| plain(text)).collect();
    let denied: Vec<String> = view.denied_in_words().iter().map(|text| plain(text)).collect();
    let missing = view.missing();
    let missing: Vec<String> = missing.iter().map(|missing| plain(&missing.words())).collect();
    let notes: Vec<String> = view.notes.iter().map(|note| plain(note)).collect();
    let mut text = String::from("### Examined data\n\n");
    text += &item("Work threads", &plain(&view.work.groups_in_words()));
    text += &item("Time", &format!("{}; {}", view.work.amount_in_words(), plain(&view.work.warm_up)));
    if let Some(units) = &view.units {
        text += &item("Work", &plain(&units.words()));
        let costs: Vec<String> = units.packages.iter().map(|package| plain(&package.words())).collect();
        text += &list("Cost by package", &costs);
    }
    text += &list("Scattered cost", &scattered);
    text += &list("Too small to be findings", &minor);
    text += &list("Denied", &denied);
    text += &item("Checked", &view.checked_in_words());
    text += &list("Not checked", &missing);
    text += &item("No pattern for", &view.unknown_in_words());
    text + &list("Notes", &notes)
}
