//! The layout of the table of classes.

use crate::classes::{ClassKey, ClassRow, ClassesView};
use whittle_render::layout::{TOTAL, footer, heading, heads, with_total};
use whittle_render::{Cell, Head, Sheet, SheetRow, View};

impl View for ClassesView {
    fn sheet(&self) -> Sheet {
        let mut own = vec![Head::number("samples", "samples_count")];
        own.extend(self.by.iter().flat_map(key_heads));
        let mut total = vec![Cell::Text(String::new()); own.len()];
        total[0] = Cell::Count(self.samples_count as f64);
        if let Some(last) = total.last_mut() {
            *last = Cell::Text(TOTAL.to_owned());
        }
        let by: Vec<String> = self.by.iter().map(ToString::to_string).collect();
        let title = format!("Allocations by {}", by.join(", "));
        let rows = self.rows.iter().map(|row| SheetRow::new(&row.values, self.cells(row)));
        Sheet {
            heading: heading(&title, &self.preamble, &self.total),
            heads: heads(&self.columns, &self.preamble, own),
            rows: with_total(&self.total, total, rows),
            footer: footer(&self.preamble, self.rows.len(), self.row_count),
        }
    }
}

impl ClassesView {
    fn cells(&self, row: &ClassRow) -> Vec<Cell> {
        let text = |text: &Option<String>| Cell::Text(text.clone().unwrap_or_default());
        let mut cells = vec![Cell::Count(row.samples_count as f64)];
        for key in &self.by {
            match key {
                ClassKey::Class => cells.push(text(&row.class)),
                ClassKey::Site => {
                    cells.push(text(&row.source_file));
                    cells.push(Cell::Text(row.line.map_or(String::new(), |line| line.to_string())));
                    let raw = row.function.clone().unwrap_or_default();
                    cells.push(Cell::Drawn { text: row.site_words(), raw });
                }
            }
        }
        cells
    }
}

impl ClassRow {
    /// `app.Shop.order(), line 21`
    fn site_words(&self) -> String {
        match (&self.function, self.line) {
            (None, _) => "<site not known>".to_owned(),
            (Some(function), None) => function.clone(),
            (Some(function), Some(line)) => format!("{function}, line {line}"),
        }
    }
}

fn key_heads(key: &ClassKey) -> Vec<Head> {
    match key {
        ClassKey::Class => vec![Head::text("class", "class")],
        ClassKey::Site => {
            vec![Head::csv_only("source_file"), Head::csv_only("line"), Head::text("allocated in", "function")]
        }
    }
}
