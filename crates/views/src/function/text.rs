//! The layout of a function's details: metrics first, then fields and values.

use crate::comparison::text::{both_sides_heads, both_sides_rows};
use crate::function::{FunctionDetailsView, FunctionFields};
use whittle_model::FunctionKind;
use whittle_profile::amounts::amount;
use whittle_profile::metrics::Column;
use whittle_render::View;
use whittle_render::layout::{footer, selection};
use whittle_render::markdown_text::capitalized;
use whittle_render::{Cell, Head, Sheet, SheetRow};

impl View for FunctionDetailsView {
    /// CSV has one row per field. Each row names the field's function.
    fn sheet(&self) -> Sheet {
        let metrics = self
            .columns
            .iter()
            .zip(Cell::metrics(&self.values))
            .map(|(column, cell)| row([&self.function, &column.field(), &cell.raw()]));
        let fields = self.functions.iter().flat_map(|function| {
            fields(function).map(|(_, field, value)| row([&function.function, field, &value.unwrap_or_default()]))
        });
        let heads = ["function", "field", "value"].map(|name| Head::text(name, name)).to_vec();
        Sheet { heading: Vec::new(), heads, rows: metrics.chain(fields).collect(), footer: Vec::new() }
    }

    fn text_sheets(&self) -> Vec<Sheet> {
        let mut heading = vec![format!("{}, {} mode", self.function, self.preamble.mode)];
        heading.extend(selection(&self.preamble));
        let heads = vec![Head::text("", ""), Head::text("", "")];
        let mut sheets = vec![if self.preamble.comparison.is_some() {
            let rows = both_sides_rows(&self.columns, &self.values);
            Sheet { heading, heads: both_sides_heads(), rows, footer: Vec::new() }
        } else {
            let rows = (0..self.columns.len()).filter_map(|index| self.metric_row(index)).collect();
            Sheet { heading, heads: heads.clone(), rows, footer: Vec::new() }
        }];
        sheets.extend(self.functions.iter().map(|function| {
            // A note says why a Java method has none of these facts.
            let shown = fields(function).filter(|(_, field, value)| {
                value.is_some() || function.kind != FunctionKind::Java || !OF_MACHINE_CODE.contains(field)
            });
            let rows = shown.map(|(title, _, value)| {
                let value = value.unwrap_or_else(|| "not known".to_owned());
                row([&format!("{title}:"), &value])
            });
            Sheet { heads: heads.clone(), rows: rows.collect(), ..Sheet::default() }
        }));
        if let Some(last) = sheets.last_mut() {
            last.footer = footer(&self.preamble, 0, 0);
        }
        sheets
    }
}

impl FunctionDetailsView {
    /// A line such as `Exclusive CPU: 0.165 s (33.47 % of 0.492 s)`. Percent columns are left out, because the line
    /// already contains the percentage.
    fn metric_row(&self, index: usize) -> Option<SheetRow> {
        let column = &self.columns[index];
        let is_repeated = |other: &Column| other.flavour == column.flavour && other.metric == column.metric;
        if column.is_percent && self.columns[..index].iter().any(is_repeated) {
            return None;
        }
        let untitled = Column { title: String::new(), ..column.clone() };
        let value = amount(&untitled, self.values.numbers[index]);
        let base = amount(&untitled, self.values.bases[index]);
        let percent = Cell::Ratio(self.values.ratio(index)).shown();
        let title = format!("{}:", capitalized(&column.words()));
        Some(row([&title, &format!("{} ({percent} % of {})", value.trim_end(), base.trim_end())]))
    }
}

/// Fields about machine code.
const OF_MACHINE_CODE: [&str; 3] = ["build_id", "address", "size_bytes"];

/// Title, field name and value of each field.
fn fields(function: &FunctionFields) -> impl Iterator<Item = (&'static str, &'static str, Option<String>)> {
    let bytecode = ("Bytecode size in bytes", "bytecode_bytes", function.bytecode_bytes.map(|size| size.to_string()));
    let of_java = (function.kind == FunctionKind::Java).then_some(bytecode);
    let names = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join("; ") };
    [
        ("Function", "function", Some(function.function.clone())),
        ("Internal (mangled) name", "internal_name", Some(function.internal_name.clone())),
        ("Kind", "kind", Some(function.kind.to_string())),
        ("Source file", "source_file", function.source_file.clone()),
        ("First line", "first_line", function.first_line.map(|line| line.to_string())),
        ("Object file", "object_file", function.object_file.clone()),
        ("Load object", "load_object", function.load_object.clone()),
        ("Build id", "build_id", function.build_id.clone()),
        ("PC address", "address", function.address.map(|address| format!("{address:#x}"))),
        ("Size in bytes", "size_bytes", function.size_bytes.map(|size| size.to_string())),
        ("Aliases", "aliases", Some(names(&function.aliases))),
        ("Other overloads", "overloads", Some(names(&function.overloads))),
    ]
    .into_iter()
    .chain(of_java)
}

fn row<const N: usize>(texts: [&str; N]) -> SheetRow {
    let cells = texts.iter().map(|text| Cell::Text((*text).to_owned())).collect();
    SheetRow { cells, is_emphasized: false, is_text_only: false }
}
