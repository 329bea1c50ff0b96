//! The table of source lines, with exclusive and inclusive values of each line.

mod text;
use crate::definition::{Answered, Answerer, Command, NoKeys, ViewDefinition, keys};
use crate::functions::rank_entities;
use serde::Serialize;
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::metrics::{Column, ColumnKind};
use whittle_profile::query::{Preamble, Query, Values};
use whittle_profile::reduction::{EntityKey, Place};

/// The definition of this view. Its answer is [`LinesView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "lines",
        answer: |on, asked| {
            let NoKeys {} = keys(asked)?;
            Ok(Answered::view(lines(on.profile, on.query)?))
        },
    },
    not_compared: None,
    command: Some(Command::table("Source lines with exclusive and inclusive values")),
};

/// The answer of [`lines`](lines()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LinesView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of `total` and of each row.
    pub columns: Vec<Column>,
    /// The values of all samples. They are the base of percentages.
    pub total: Values,
    /// Number of rows before the limit is applied.
    pub row_count: usize,
    /// Lines with a value in one of the columns.
    pub rows: Vec<LineRow>,
}

/// One source line of a function. If the line is unknown, the row is one bytecode index.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LineRow {
    /// The function's name as shown.
    pub function: String,
    /// Source file name. Missing if unknown.
    pub source_file: Option<String>,
    /// Line, counted from 1. Missing if unknown.
    pub line: Option<u32>,
    /// Bytecode index. Missing if unknown, or if the line is known.
    pub bytecode_index: Option<u32>,
    /// Values of the line.
    #[serde(flatten)]
    pub values: Values,
}

impl LineRow {
    /// The place as text: `Main.run(), line 21 in "Main.java"`.
    pub fn words(&self) -> String {
        let function = &self.function;
        match (self.line, &self.source_file, self.bytecode_index) {
            (Some(line), Some(file), _) => format!("{function}, line {line} in \"{file}\""),
            (Some(line), None, _) => format!("{function}, line {line}"),
            (None, Some(file), Some(index)) => format!("{function}, bytecode index {index} in \"{file}\""),
            (None, None, Some(index)) => format!("{function}, bytecode index {index}"),
            (None, _, None) if function.starts_with('<') => function.clone(),
            (None, Some(file), None) => format!("{function}, line unknown in \"{file}\""),
            (None, None, None) => format!("{function}, line unknown"),
        }
    }
}

/// The table of source lines.
///
/// # Errors
/// The metric is unknown, or the filter contains an unknown name.
pub fn lines(profile: &Profile, query: &Query) -> Result<LinesView, AnalysisError> {
    let weights = profile.weights(query)?;
    let columns = profile.columns(ColumnKind::Table, query, &weights)?;
    let ranked = rank_entities(profile, query, EntityKey::Line, (&columns, &weights))?;
    let shown = profile.shown(query, EntityKey::Line)?;
    let rows = ranked.rows.into_iter().map(|(entity, values)| line_row(profile, shown.places[entity as usize], values));
    let mut preamble = profile.preamble("lines", query, (&columns, &weights));
    preamble.notes.extend(inexact_lines(profile));
    Ok(LinesView {
        preamble,
        columns: columns.shown,
        total: ranked.total,
        row_count: ranked.row_count,
        rows: rows.collect(),
    })
}

fn line_row(profile: &Profile, place: Place, values: Values) -> LineRow {
    let row = profile.names().row(place.function);
    LineRow {
        function: profile.names().display_name(place.function).to_owned(),
        source_file: row.and_then(|row| profile.tables().functions.source_file[row].clone()),
        line: place.line,
        bytecode_index: place.bytecode_index,
        values,
    }
}

/// The note for a JVM that did not record exact lines.
fn inexact_lines(profile: &Profile) -> Option<String> {
    profile.manifest().has_inexact_lines().then(|| {
        "lines of compiled code can be the lines of neighbouring calls: DebugNonSafepoints was off. Start the program \
         with -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints for exact lines"
            .to_owned()
    })
}
