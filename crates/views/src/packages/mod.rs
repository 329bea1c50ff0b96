//! The table of Java packages and binaries, with the exclusive values of the functions in each.

use crate::definition::{Answered, Answerer, Command, NoKeys, ViewDefinition, keys};
use crate::functions::{binary_path, rank_entities};
use serde::Serialize;
use std::collections::BTreeMap;
use whittle_profile::code_groups::CodeGroups;
use whittle_profile::metrics::{Column, ColumnKind, Flavour};
use whittle_profile::query::{Preamble, Query, Values};
use whittle_profile::ranking::{keep_first, keep_largest};
use whittle_profile::reduction::EntityKey;
use whittle_profile::{AnalysisError, Profile};
use whittle_render::layout::{TOTAL, footer, heading, heads, with_total};
use whittle_render::{Cell, Head, Sheet, SheetRow, View};

/// The view; its answer is [`PackagesView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "packages",
        answer: |on, asked| {
            let NoKeys {} = keys(asked)?;
            Ok(Answered::view(packages(on.profile, on.query)?))
        },
    },
    not_compared: Some("packages do not compare; compare functions instead"),
    command: Some(Command::table("Java packages and binaries with exclusive values")),
};

/// The answer of [`packages`](packages()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PackagesView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of `total` and of each row.
    pub columns: Vec<Column>,
    /// The values of all samples. They are the base of percentages.
    pub total: Values,
    /// Number of packages and binaries before the limit is applied.
    pub row_count: usize,
    /// Packages and binaries with a value in one of the columns.
    pub rows: Vec<PackageRow>,
}

/// One package or binary.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PackageRow {
    /// Name of the package, or path of the binary.
    pub package: String,
    /// Number of its functions with a value in one of the columns.
    pub functions_count: usize,
    /// The sum of its functions' values.
    #[serde(flatten)]
    pub values: Values,
}

/// The table of packages and binaries. A function counts for the package that directly contains its class.
///
/// # Errors
/// An unknown metric, or a filter with a name that does not exist.
pub fn packages(profile: &Profile, query: &Query) -> Result<PackagesView, AnalysisError> {
    let weights = profile.weights(query)?;
    let columns = profile.columns(ColumnKind::Table, query, &weights)?;
    let every_function = Query { limit: None, skip: 0, ..query.clone() };
    let ranked = rank_entities(profile, &every_function, EntityKey::Function, (&columns, &weights))?;
    // Inclusive values of functions cannot be added up: one sample would count for several functions of a package.
    let exclusive = |values: &Values| values.only(|column| column.flavour == Flavour::Exclusive);
    let groups = CodeGroups::new(profile.tables());
    let mut rows: BTreeMap<String, PackageRow> = BTreeMap::new();
    for (function, values) in &ranked.rows {
        let values = exclusive(values);
        if values.numbers.iter().all(|number| *number == 0.0) {
            continue;
        }
        let package = package_of(profile, &groups, *function);
        match rows.get_mut(&package) {
            Some(row) => row.add(&values),
            None => drop(rows.insert(package.clone(), PackageRow { package, functions_count: 1, values })),
        }
    }
    let (row_count, mut rows) = (rows.len(), rows.into_values().collect::<Vec<_>>());
    let shown: Vec<Column> =
        columns.shown.iter().filter(|column| column.flavour == Flavour::Exclusive).cloned().collect();
    let sorted_by = columns.sort.as_ref().and_then(|sort| shown.iter().position(|column| column == sort));
    match sorted_by {
        Some(column) => {
            keep_largest(&mut rows, query.window(), |row| row.values.numbers[column], |row| row.package.clone())
        }
        None => keep_first(&mut rows, query.window(), |row| row.package.clone()),
    }
    let preamble = profile.preamble("packages", query, (&columns, &weights));
    Ok(PackagesView { preamble, columns: shown, total: exclusive(&ranked.total), row_count, rows })
}

impl PackageRow {
    fn add(&mut self, values: &Values) {
        self.functions_count += 1;
        for (sum, number) in self.values.numbers.iter_mut().zip(&values.numbers) {
            *sum += number;
        }
    }
}

/// The package that contains a Java method, or the binary that contains another function.
fn package_of(profile: &Profile, groups: &CodeGroups, function: u32) -> String {
    let package = profile.names().row(function).and_then(|row| groups.package_of(row));
    let package = package.map(|package| groups.name(package).trim_end_matches(".*").to_owned());
    let other = || profile.names().display_name(function).to_owned();
    package.or_else(|| binary_path(profile, function)).unwrap_or_else(other)
}

impl View for PackagesView {
    fn sheet(&self) -> Sheet {
        let more = [Head::number("functions", "functions_count"), Head::text("package", "package")];
        let rows = self.rows.iter().map(|row| {
            let cells = [Cell::Text(row.functions_count.to_string()), Cell::Text(row.package.clone())];
            SheetRow::new(&row.values, cells)
        });
        Sheet {
            heading: heading("Packages", &self.preamble, &self.total),
            heads: heads(&self.columns, &self.preamble, more),
            rows: with_total(&self.total, [Cell::Missing, Cell::Text(TOTAL.to_owned())], rows),
            footer: footer(&self.preamble, self.rows.len(), self.row_count),
        }
    }
}
