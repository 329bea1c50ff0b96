//! The layout of findings: warnings about the data, the base of shares, a block for each finding, the rest.

use crate::view::{Finding, FindingsView, SiteAnswer};
use crate::words::MEASURED;
use whittle_bytecode::edit_site::{EditSite, place};
use whittle_render::View;
use whittle_render::labelled::{put, put_each, row, two_columns};
use whittle_render::layout::note_line;
use whittle_render::{Cell, Head, Sheet, SheetRow, harmless};

/// The width of a tab, as in most Java sources.
const TAB: &str = "    ";

impl View for FindingsView {
    /// The CSV: one row for each finding.
    fn sheet(&self) -> Sheet {
        let heads = CSV_FIELDS.map(|field| Head::text(field, field)).to_vec();
        let rows = self.findings.iter().map(|finding| SheetRow { cells: csv_cells(finding), ..SheetRow::default() });
        Sheet { heads, rows: rows.collect(), ..Sheet::default() }
    }

    fn text_sheets(&self) -> Vec<Sheet> {
        let mut sheets = vec![self.quality_sheet(), self.work_sheet()];
        sheets.extend(self.findings.iter().map(finding_sheet));
        sheets.push(self.rest_sheet());
        sheets
    }
}

impl FindingsView {
    /// The title, then the warnings.
    fn quality_sheet(&self) -> Sheet {
        let mut heading = vec!["Findings".to_owned()];
        heading.extend(self.filter.as_ref().map(|filter| format!("Only samples with {}", harmless(filter))));
        let mut rows = Vec::new();
        for doubt in &self.quality {
            put(&mut rows, doubt.severity.name(), &doubt.text);
        }
        if !rows.is_empty() {
            heading.push("Warnings about the data:".to_owned());
        }
        two_columns(heading, rows)
    }

    fn work_sheet(&self) -> Sheet {
        let mut rows = Vec::new();
        put(&mut rows, "Work threads:", &self.work.groups_in_words());
        put(&mut rows, "", &self.work.amount_in_words());
        put(&mut rows, "Warm-up:", &self.work.warm_up);
        two_columns(Vec::new(), rows)
    }

    /// Cost outside findings, and patterns that were not checked.
    fn rest_sheet(&self) -> Sheet {
        let mut rows = Vec::new();
        put(&mut rows, "Result:", &self.result_in_words());
        if let Some(together) = &self.tried_together {
            put(&mut rows, "Tried together:", &together.words);
            put_notes(&mut rows, &together.notes);
        }
        for (index, scattered) in self.scattered.iter().enumerate() {
            put(&mut rows, if index == 0 { "Scattered:" } else { "" }, &scattered.words());
        }
        if let Some(units) = &self.units {
            put(&mut rows, "Work:", &units.words());
            let costs: Vec<String> = units.packages.iter().map(|package| package.words()).collect();
            put_each(&mut rows, "", &costs);
        }
        for (label, texts) in [("Too small:", self.minor_in_words()), ("Denied:", self.denied_in_words())] {
            for (index, text) in texts.iter().enumerate() {
                put(&mut rows, if index == 0 { label } else { "" }, text);
            }
        }
        put(&mut rows, "Checked:", &self.checked_in_words());
        for (index, missing) in self.missing().iter().enumerate() {
            let label = if index == 0 { "Not checked:" } else { "" };
            put(&mut rows, label, &missing.words());
        }
        put(&mut rows, "No pattern:", &self.unknown_in_words());
        let mut sheet = two_columns(Vec::new(), rows);
        sheet.footer = self.notes.iter().map(|note| harmless(&note_line(note))).collect();
        sheet
    }
}

/// A finding as a block of labels and sentences.
fn finding_sheet(finding: &Finding) -> Sheet {
    let mut rows = Vec::new();
    let head = format!("{} {}", finding.rank, finding.confidence.name());
    put(&mut rows, &head, &format!("{} ({})", finding.title, finding.detector));
    rows[0].is_emphasized = true;
    put(&mut rows, "Spent here:", &finding.spent.words());
    put(&mut rows, "Expected saving:", &finding.saving_in_words());
    if let Some(cost) = &finding.unit_cost {
        put(&mut rows, "Cost per unit:", &cost.words());
    }
    put(&mut rows, "Measured saving:", MEASURED);
    put(&mut rows, &format!("{}:", finding.trial_label()), &finding.trial_in_words());
    put_notes(&mut rows, finding.trial_notes());
    put_places(&mut rows, finding);
    put(&mut rows, "Evidence:", &finding.evidence_in_words().unwrap_or_else(|| "no counters".to_owned()));
    put(&mut rows, "Fix:", &finding.fix);
    put_each(&mut rows, "Check first:", &finding.check_first);
    put_each(&mut rows, "Criteria:", &finding.criteria_in_words());
    put(&mut rows, "", &format!("{}: {}", finding.confidence.name(), finding.confidence.meaning()));
    // Written on one line, so that users can copy it.
    rows.push(row("Samples:", format!("--filter '{}'", finding.filter.replace('\'', r"'\''"))));
    put(&mut rows, "More:", &format!("docs/user/{}", finding.page));
    two_columns(Vec::new(), rows)
}

/// The notes of a trial, below its result.
fn put_notes(rows: &mut Vec<SheetRow>, notes: &[String]) {
    notes.iter().for_each(|note| put(rows, "", &format!("note: {note}")));
}

/// The caller and the line to edit.
fn put_places(rows: &mut Vec<SheetRow>, finding: &Finding) {
    let calling = &finding.calling;
    if let Some(library) = &calling.library {
        put(rows, "Library calls:", &library.words());
        put(rows, "", &format!("for its maintainers: whittle findings … --report {}", finding.rank));
    }
    put(rows, if calling.library.is_some() { "From your line:" } else { "Called from:" }, &calling.words());
    put_code(rows, calling.line, calling.text.as_deref());
    put_each(rows, "", calling.other_lines().as_slice());
    match &finding.site {
        SiteAnswer::Found(site) => put_site(rows, site),
        other => put(rows, "Edit:", &other.words()),
    }
}

fn put_site(rows: &mut Vec<SheetRow>, site: &EditSite) {
    put(rows, "Edit:", &site.words());
    put_code(rows, site.line, site.text.as_deref());
    let others: Vec<String> = site.others.iter().map(|other| format!("or {}", other.words())).collect();
    put_each(rows, "", &others);
    if let Some(field) = &site.field {
        let line = place(None, field.line).map(|line| format!(", {line}")).unwrap_or_default();
        put(rows, "Field:", &format!("{}{line}: {}", field.field, field.declaration));
        let uses: Vec<String> = field.uses.iter().map(|each| format!("also used by {}", each.words())).collect();
        put_each(rows, "", &uses);
    }
    put_each(rows, "Found by:", &site.steps);
}

/// A source line as written.
fn put_code(rows: &mut Vec<SheetRow>, line: Option<u32>, text: Option<&str>) {
    let Some(text) = text else { return };
    let line = line.map_or(String::new(), |line| line.to_string());
    let text = text.trim().replace('\t', TAB).replace(['\n', '\r'], " ");
    rows.push(row("", format!("{line} │ {text}")));
}

const CSV_FIELDS: [&str; 32] = [
    "rank",
    "detector",
    "title",
    "confidence",
    "spent_measure",
    "spent_ratio",
    "spent_low_ratio",
    "spent_high_ratio",
    "spent_of",
    "spent_value",
    "spent_program_ratio",
    "expected_low_ratio",
    "expected_high_ratio",
    "expected_endpoint",
    "expected_program_low_ratio",
    "expected_program_high_ratio",
    "anchor",
    "calling_function",
    "calling_file",
    "calling_line",
    "library_function",
    "library_file",
    "library_line",
    "library_jar",
    "site_function",
    "site_file",
    "site_line",
    "site_what",
    "site_not_found",
    "fix",
    "page",
    "filter",
];

fn csv_cells(finding: &Finding) -> Vec<Cell> {
    let (spent, calling) = (&finding.spent, &finding.calling);
    let (library, site) = (calling.library.as_ref(), finding.site.found());
    let expected = finding.expected.as_ref();
    let why = match &finding.site {
        SiteAnswer::NotFound { reason } => Some(reason.clone()),
        _ => None,
    };
    let text = |text: &str| Cell::Text(text.to_owned());
    vec![
        text(&finding.rank.to_string()),
        text(&finding.detector),
        text(&finding.title),
        text(finding.confidence.name()),
        text(spent.measure.name()),
        Cell::Ratio(Some(spent.ratio)),
        Cell::Ratio(Some(spent.low_ratio)),
        Cell::Ratio(Some(spent.high_ratio)),
        text(&spent.of),
        Cell::Count(spent.value),
        Cell::Ratio(Some(spent.program_ratio)),
        Cell::Ratio(expected.map(|expected| expected.low_ratio)),
        Cell::Ratio(expected.map(|expected| expected.high_ratio)),
        maybe(expected.map(|expected| expected.endpoint.name().to_owned())),
        Cell::Ratio(expected.map(|expected| expected.program_low_ratio)),
        Cell::Ratio(expected.map(|expected| expected.program_high_ratio)),
        text(&finding.anchor),
        text(&calling.function),
        maybe(calling.file.clone()),
        maybe(calling.line.map(|line| line.to_string())),
        maybe(library.map(|library| library.function.clone())),
        maybe(library.and_then(|library| library.file.clone())),
        maybe(library.and_then(|library| library.line).map(|line| line.to_string())),
        maybe(library.and_then(|library| library.jar.clone())),
        maybe(site.map(EditSite::function)),
        maybe(site.and_then(|site| site.file.clone())),
        maybe(site.and_then(|site| site.line).map(|line| line.to_string())),
        maybe(site.map(|site| site.what.clone())),
        maybe(why),
        text(&finding.fix),
        text(&finding.page),
        text(&finding.filter),
    ]
}

fn maybe(text: Option<String>) -> Cell {
    text.map_or(Cell::Missing, Cell::Text)
}
