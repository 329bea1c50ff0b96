//! Writes the saving as text. Sentences come first, then a table of both sides.

use super::{SavingView, UseView};
use whittle_render::{DrawnCell, DrawnColumn, DrawnTable, DrawnTexts, Sheet, View};
use whittle_verdict::regressions::SavingKind;

impl View for SavingView {
    fn sheet(&self) -> Sheet {
        let rows = vec![self.row("before", &self.before), self.row("after", &self.after)];
        DrawnTable { columns: COLUMNS.to_vec(), rows, ..DrawnTable::default() }.into()
    }

    fn text_sheets(&self) -> Vec<Sheet> {
        let heading = vec![format!("Saving of {}", self.whose)];
        let texts = vec![
            ("Saving:", self.sentences.clone()),
            ("Cost:", vec![self.saved_told()]),
            ("Before:", vec![told(&self.before)]),
            ("After:", vec![told(&self.after)]),
            ("Note:", self.notes.clone()),
        ];
        vec![DrawnTexts { heading, texts }.into(), self.sheet()]
    }
}

fn told(side: &UseView) -> String {
    format!("{}, {} UTC", side.whose, side.time)
}

impl SavingView {
    fn saved_told(&self) -> String {
        let by = match self.saved_by {
            SavingKind::PerUnit => "for the amount of work after the change",
            _ => "if the amount of work is the same",
        };
        let (cores, cost) = (self.saved.cores.abs(), self.saved.cost_per_year.abs());
        let word = if self.saved.cores < 0.0 { "more" } else { "less" };
        format!("{cores:.3} cores and {cost:.0} per year {word} {by}; {}", self.price.words())
    }

    fn row(&self, name: &str, side: &UseView) -> Vec<DrawnCell> {
        let percent = |ratio: Option<f64>| DrawnCell {
            raw: DrawnCell::number(ratio, 6).raw,
            ..DrawnCell::number(ratio.map(|ratio| ratio * 100.0), 1)
        };
        let of_a_unit = side.units.filter(|units| *units > 0.0).map(|units| side.cpu_seconds * 1e3 / units);
        vec![
            DrawnCell::number(Some(side.machine_count), 1),
            percent(side.cpu_ratio),
            DrawnCell::number(Some(side.cpu_seconds), 0),
            DrawnCell::number(Some(side.cost.cores), 3),
            DrawnCell::number(Some(side.cost.cost_per_year), 0),
            DrawnCell::number(side.units, 0),
            DrawnCell::number(of_a_unit, 3),
            DrawnCell::text(name),
        ]
    }
}

const COLUMNS: [DrawnColumn; 8] = [
    DrawnColumn { above: "", title: "machines", field: "machine_count", is_number: true },
    DrawnColumn { above: "CPU of", title: "per machine %", field: "cpu_ratio", is_number: true },
    DrawnColumn { above: "CPU", title: "seconds", field: "cpu_seconds", is_number: true },
    DrawnColumn { above: "", title: "cores", field: "cores", is_number: true },
    DrawnColumn { above: "", title: "cost per year", field: "cost_per_year", is_number: true },
    DrawnColumn { above: "units of", title: "work", field: "units", is_number: true },
    DrawnColumn { above: "CPU ms", title: "per unit", field: "cpu_ms_of_a_unit", is_number: true },
    DrawnColumn { above: "", title: "", field: "side", is_number: false },
];
