//! The table of source lines: exclusive and inclusive values of each.

use crate::metrics::{Column, ColumnKind};
use crate::query::{Preamble, Query, Values};
use crate::reduction::{EntityKey, Place};
use crate::{AnalysisError, Profile};
use serde::Serialize;

/// The answer of [`Profile::lines`].
#[derive(Debug, Clone, Serialize)]
pub struct LinesView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of `total` and of each row.
    pub columns: Vec<Column>,
    /// The values of all samples: what percentages are of.
    pub total: Values,
    /// Number of rows without a limit.
    pub row_count: usize,
    /// Lines with a value in one of the columns.
    pub rows: Vec<LineRow>,
}

/// One source line of a function, or its bytecode index where no line is known.
#[derive(Debug, Clone, Serialize)]
pub struct LineRow {
    /// The function's name as shown.
    pub function: String,
    /// Source file name. Missing: not known.
    pub source_file: Option<String>,
    /// Line, counted from 1. Missing: not known.
    pub line: Option<u32>,
    /// Bytecode index. Missing: not known, or the line is.
    pub bytecode_index: Option<u32>,
    /// Its values.
    #[serde(flatten)]
    pub values: Values,
}

impl LineRow {
    /// The place in words: `Main.run(), line 21 in "Main.java"`.
    pub fn words(&self) -> String {
        let function = &self.function;
        match (self.line, &self.source_file, self.bytecode_index) {
            (Some(line), Some(file), _) => format!("{function}, line {line} in \"{file}\""),
            (Some(line), None, _) => format!("{function}, line {line}"),
            (None, Some(file), Some(index)) => format!("{function}, bytecode index {index} in \"{file}\""),
            (None, None, Some(index)) => format!("{function}, bytecode index {index}"),
            (None, _, None) if function.starts_with('<') => function.clone(),
            (None, Some(file), None) => format!("{function}, line not known in \"{file}\""),
            (None, None, None) => format!("{function}, line not known"),
        }
    }
}

impl Profile {
    /// The table of source lines.
    ///
    /// # Errors
    /// An unknown metric, or a filter that names what is not there.
    pub fn lines(&self, query: &Query) -> Result<LinesView, AnalysisError> {
        let weights = self.weights(query)?;
        let columns = self.columns(ColumnKind::Table, query, &weights)?;
        let ranked = self.rank_entities(query, EntityKey::Line, (&columns, &weights))?;
        let shown = self.shown(query, EntityKey::Line)?;
        let rows = ranked.rows.into_iter().map(|(entity, values)| self.line_row(shown.places[entity as usize], values));
        let mut preamble = self.preamble("lines", query, (&columns, &weights));
        preamble.notes.extend(self.inexact_lines());
        Ok(LinesView {
            preamble,
            columns: columns.shown,
            total: ranked.total,
            row_count: ranked.row_count,
            rows: rows.collect(),
        })
    }

    fn line_row(&self, place: Place, values: Values) -> LineRow {
        let row = self.names().row(place.function);
        LineRow {
            function: self.names().display_name(place.function).to_owned(),
            source_file: row.and_then(|row| self.tables().functions.source_file[row].clone()),
            line: place.line,
            bytecode_index: place.bytecode_index,
            values,
        }
    }

    /// What to say where the JVM did not record exact lines.
    fn inexact_lines(&self) -> Option<String> {
        let is_inexact = self.manifest().jvm.as_ref()?.has_exact_lines == Some(false);
        is_inexact.then(|| {
            "lines of compiled code may be those of neighbouring calls: DebugNonSafepoints was off. Start the program \
             with -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints for exact ones"
                .to_owned()
        })
    }
}
