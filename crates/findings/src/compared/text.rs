//! The layout of a comparison's findings, and of the overview with them.

use super::{ComparedFinding, ComparedFindings, ComparedOverview, SeenOnSide};
use crate::words::share;
use whittle_render::layout::note_line;
use whittle_render::{Cell, Head, Sheet, SheetRow, View, harmless};

impl View for ComparedFindings {
    /// One row for each finding.
    fn sheet(&self) -> Sheet {
        let lists = [("gone", &self.gone), ("new", &self.new), ("same", &self.same), ("uncertain", &self.uncertain)];
        let rows = lists.into_iter().flat_map(|(name, list)| list.iter().map(move |row| finding_row(name, row)));
        Sheet {
            heading: vec!["Findings of both sides".to_owned()],
            heads: vec![
                Head::text("", "change"),
                Head::number("baseline", "baseline_ratio"),
                Head::number("candidate", "candidate_ratio"),
                Head::text("share of", "measure"),
                Head::csv_only("detector"),
                Head::csv_only("function"),
                Head::csv_only("place"),
                Head::text("finding", "title"),
            ],
            rows: rows.collect(),
            footer: self.notes.iter().map(|note| note_line(note)).collect(),
        }
    }

    fn text_sheets(&self) -> Vec<Sheet> {
        let mut heading = vec![harmless(&self.sentence)];
        let mut sheet = self.sheet();
        heading.append(&mut sheet.heading);
        vec![Sheet { heading, ..sheet }]
    }
}

fn finding_row(change: &str, row: &ComparedFinding) -> SheetRow {
    let text = |text: &str| Cell::Text(harmless(text));
    let place = row.place.clone().unwrap_or_default();
    let facts = [Some(format!("{} in {}", row.title, row.function)), row.place.clone(), row.reason.clone()];
    let words = facts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let cells = vec![
        text(change),
        ratio_cell(row.baseline.as_ref()),
        ratio_cell(row.candidate.as_ref()),
        Cell::Drawn { text: row.measure.words().to_owned(), raw: row.measure.name().to_owned() },
        text(&row.detector),
        text(&row.function),
        text(&place),
        Cell::Drawn { text: harmless(&words), raw: row.title.clone() },
    ];
    SheetRow { cells, ..SheetRow::default() }
}

fn ratio_cell(side: Option<&SeenOnSide>) -> Cell {
    let raw = side.map(|side| side.ratio.to_string()).unwrap_or_default();
    Cell::Drawn { text: side.map_or_else(|| "-".to_owned(), |side| share(side.ratio)), raw }
}

impl View for ComparedOverview {
    fn sheet(&self) -> Sheet {
        self.overview.sheet()
    }

    /// The sentence is in the heading, and the findings come before the functions.
    fn text_sheets(&self) -> Vec<Sheet> {
        let mut sheets = self.overview.text_sheets();
        let Some(findings) = &self.findings else { return sheets };
        if let Some(first) = sheets.first_mut() {
            first.heading.push(harmless(&findings.sentence));
        }
        let list = findings.sheet();
        if !list.rows.is_empty() {
            sheets.insert(1, list);
        }
        sheets
    }
}
