//! System calls of both sides, row by row.

use crate::filter::Filter;
use crate::functions::{keep_first, keep_largest};
use crate::ordered_map::OrderedMap;
use crate::query::{Preamble, Query};
use crate::syscalls::{SyscallFigures, SyscallKey, SyscallKeys, SyscallRow, SyscallsView};
use crate::{AnalysisError, Profile, Side};
use serde::Serialize;
use whittle_model::FileKind;

/// The answer of [`Profile::compared_syscalls`].
#[derive(Debug, Clone, Serialize)]
pub struct ComparedSyscallsView {
    /// Mode, filter, order and notes; what is compared.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// What the rows are told apart by.
    pub by: Vec<SyscallKey>,
    /// All calls that count.
    pub total: BothSides,
    /// Number of rows without a limit.
    pub row_count: usize,
    /// The rows.
    pub rows: Vec<ComparedSyscallRow>,
}

/// Figures of both sides, per unit of work or whatever values are per.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct BothSides {
    /// The baseline's. Missing: it has no such call.
    pub baseline: Option<SyscallFigures>,
    /// The candidate's. Missing: it has no such call.
    pub candidate: Option<SyscallFigures>,
}

/// One row: calls that agree in what rows are told apart by.
#[derive(Debug, Clone, Serialize)]
pub struct ComparedSyscallRow {
    /// The system call. Missing: rows are not told apart by it.
    pub call: Option<String>,
    /// Kind of file. Missing: rows are not told apart by it.
    pub file_kind: Option<FileKind>,
    /// Path, or the two ends of a socket. Missing: rows are not told apart by it.
    pub file: Option<String>,
    /// The function that called. Missing: rows are not told apart by it.
    pub caller: Option<String>,
    /// Figures of both sides.
    #[serde(flatten)]
    pub sides: BothSides,
}

impl BothSides {
    fn of(&mut self, side: Side) -> &mut Option<SyscallFigures> {
        match side {
            Side::Baseline => &mut self.baseline,
            Side::Candidate => &mut self.candidate,
        }
    }

    /// How much a field of the figures changed.
    pub(crate) fn delta(&self, field: &str) -> f64 {
        let value = |figures: &Option<SyscallFigures>| figures.as_ref().map_or(0.0, |figures| figures.value(field));
        value(&self.candidate) - value(&self.baseline)
    }
}

/// What rows are joined by.
type RowKey = (Option<String>, Option<FileKind>, Option<String>, Option<String>);

impl Profile {
    /// System calls of both sides of a comparison. `Query::sort` is as for [`syscalls`](Self::syscalls): the largest change first.
    ///
    /// # Errors
    /// As for [`syscalls`](Self::syscalls), or nothing that is compared.
    pub fn compared_syscalls(&self, query: &Query, by: &SyscallKeys) -> Result<ComparedSyscallsView, AnalysisError> {
        let scales = self.compared().ok_or(AnalysisError::NothingToCompare)?.scales;
        let mut rows: OrderedMap<RowKey, BothSides> = OrderedMap::default();
        let mut total = BothSides::default();
        let mut notes: Vec<String> = Vec::new();
        for (side, scale) in Side::BOTH.into_iter().zip(scales) {
            let filter = Some(Filter::of_side(side, query.filter.as_ref()));
            let view = self.syscalls(&Query { filter, limit: None, skip: 0, ..query.clone() }, by)?;
            let SyscallsView { preamble, total: all, rows: of_side, .. } = view;
            *total.of(side) = Some(all.scaled(scale));
            for SyscallRow { call, file_kind, file, caller, figures } in of_side {
                let row = rows.at((call, file_kind, file, caller), BothSides::default).of(side);
                // Functions of one name, such as a bridge and what it calls, are one row.
                let figures = figures.scaled(scale);
                *row = Some(row.take().map_or_else(|| figures.clone(), |known| known.with(&figures)));
            }
            notes.extend(preamble.notes.into_iter().filter(|note| !notes.contains(note)).collect::<Vec<_>>());
        }
        let sorted_by = crate::syscalls::sort_field(query)?;
        let mut rows: Vec<(RowKey, BothSides)> = rows.into_pairs();
        let row_count = rows.len();
        let name = |(key, _): &(RowKey, BothSides)| key.clone();
        match sorted_by {
            Some(field) => keep_largest(&mut rows, query.window(), |(_, sides)| sides.delta(field).abs(), name),
            None => keep_first(&mut rows, query.window(), name),
        }
        let row =
            |((call, file_kind, file, caller), sides)| ComparedSyscallRow { call, file_kind, file, caller, sides };
        Ok(ComparedSyscallsView {
            preamble: Preamble { notes, ..self.syscalls_preamble_alone(query, sorted_by) },
            by: by.keys().to_vec(),
            total,
            row_count,
            rows: rows.into_iter().map(row).collect(),
        })
    }
}
