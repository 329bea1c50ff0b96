//! The layout of callers-callees: callers above, the centre with the mark `*`, callees below.

use crate::callers_callees::CallersCalleesView;
use crate::functions::FunctionRow;
use whittle_profile::metrics::{Column, Flavour};
use whittle_render::View;
use whittle_render::layout::{footer, heads, percent_base, selection};
use whittle_render::{Cell, Head, Sheet, SheetRow};

impl View for CallersCalleesView {
    fn sheet(&self) -> Sheet {
        let side = |role: &'static str, rows: &[FunctionRow]| -> Vec<SheetRow> {
            rows.iter().map(|row| SheetRow::new(&row.values, labels(role, " ", &row.function))).collect()
        };
        let mut rows = side("caller", &self.callers);
        rows.extend(self.center());
        rows.extend(side("callee", &self.callees));
        let fragment = self.fragment.join(" > ");
        let mut heading = vec![format!("Callers and callees of {fragment}, {} mode", self.preamble.mode)];
        heading.extend(selection(&self.preamble));
        heading.extend(self.percent_bases());
        let (shown, all) = (self.callers.len() + self.callees.len(), self.caller_count + self.callee_count);
        Sheet {
            heading,
            heads: heads(&self.columns, &self.preamble, [Head::csv_only("role"), Head::text(" function", "function")]),
            rows,
            footer: footer(&self.preamble, shown, all),
        }
    }
}

impl CallersCalleesView {
    /// The bases of percentages. Attributed values use the centre's inclusive value, and other values use the total.
    fn percent_bases(&self) -> Vec<String> {
        let is_attributed = |column: &Column| column.flavour == Flavour::Attributed;
        let attributed = self.inclusive.only(is_attributed);
        let whole = self.inclusive.only(|column| !is_attributed(column));
        let whole = percent_base(&whole, "of all samples shown, for exclusive and inclusive values");
        percent_base(&attributed, "inclusive in the centre").into_iter().chain(whole).collect()
    }

    /// The fragment's functions, outermost first. The row of the last function shows the fragment's exclusive value.
    fn center(&self) -> Vec<SheetRow> {
        let last = self.fragment.len() - 1;
        let rows = self.fragment.iter().enumerate().map(|(index, name)| {
            let own = labels("center", "*", name);
            let row = SheetRow::new(&self.own, own.clone());
            if index == last {
                return SheetRow { is_emphasized: true, ..row };
            }
            let blank = self.columns.iter().map(|_| Cell::Text(String::new()));
            SheetRow { cells: blank.chain(own).collect(), is_emphasized: true, ..row }
        });
        rows.collect()
    }
}

fn labels(role: &str, mark: &str, function: &str) -> [Cell; 2] {
    let name = Cell::Drawn { text: format!("{mark}{function}"), raw: function.to_owned() };
    [Cell::Text(role.to_owned()), name]
}
