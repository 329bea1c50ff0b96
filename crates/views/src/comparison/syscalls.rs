//! System calls of both sides, row by row.

use crate::fixed_order;
use crate::syscalls::syscalls;
use crate::syscalls::{SyscallFigures, SyscallKey, SyscallKeys, SyscallRow, SyscallsView};
use serde::Serialize;
use whittle_model::FileKind;
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::filter::Filter;
use whittle_profile::ordered_map::OrderedMap;
use whittle_profile::query::{Preamble, Query};
use whittle_profile::ranking::{keep_first, keep_largest};
use whittle_profile::sides::Side;

/// The answer of [`compared_syscalls`](compared_syscalls()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ComparedSyscallsView {
    /// Mode, filter, order and notes, and the compared sides.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The keys that rows are grouped by.
    pub by: Vec<SyscallKey>,
    /// The values of all selected calls.
    pub total: BothSides,
    /// Number of rows before the limit is applied.
    pub row_count: usize,
    /// The rows.
    pub rows: Vec<ComparedSyscallRow>,
}

/// Values of both sides, per unit of work or another unit.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BothSides {
    /// Values of the baseline. Missing if the baseline has no such call.
    pub baseline: Option<SyscallFigures>,
    /// Values of the candidate. Missing if the candidate has no such call.
    pub candidate: Option<SyscallFigures>,
}

/// One row of calls with the same keys.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ComparedSyscallRow {
    /// The system call. Missing if rows are not grouped by system call.
    pub call: Option<String>,
    /// Kind of file. Missing if rows are not grouped by kind of file.
    pub file_kind: Option<FileKind>,
    /// Path, or the peer of a socket. Missing if rows are not grouped by file.
    pub file: Option<String>,
    /// The calling function. Missing if rows are not grouped by caller.
    pub caller: Option<String>,
    /// Values of both sides.
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

    /// The change of a field.
    pub(crate) fn delta(&self, field: &str) -> f64 {
        let value = |figures: &Option<SyscallFigures>| figures.as_ref().map_or(0.0, |figures| figures.value(field));
        value(&self.candidate) - value(&self.baseline)
    }
}

/// The identity of a row on both sides.
type RowKey = (Option<String>, Option<FileKind>, Option<String>, Option<String>);

/// System calls of both sides of a comparison. `Query::sort` is the same as for [`syscalls`](Profile::syscalls). The
/// largest change comes first.
///
/// # Errors
/// The same as for [`syscalls`](Profile::syscalls), or the profile is not a comparison.
pub fn compared_syscalls(
    profile: &Profile,
    query: &Query,
    by: &SyscallKeys,
) -> Result<ComparedSyscallsView, AnalysisError> {
    let scales = profile.compared().ok_or(AnalysisError::NothingToCompare)?.scales;
    let mut rows: OrderedMap<RowKey, BothSides> = OrderedMap::default();
    let mut total = BothSides::default();
    let mut notes: Vec<String> = Vec::new();
    for (side, scale) in Side::BOTH.into_iter().zip(scales) {
        let filter = Some(Filter::of_side(side, query.filter.as_ref()));
        let view = syscalls(profile, &Query { filter, limit: None, skip: 0, ..query.clone() }, by)?;
        let SyscallsView { preamble, total: all, rows: of_side, .. } = view;
        *total.of(side) = Some(all.scaled(scale));
        for SyscallRow { call, file_kind, file, caller, figures } in of_side {
            let row = rows.at((call, file_kind, file, caller), BothSides::default).of(side);
            // Functions with the same name share a row, for example a bridge method and its target.
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
    let row = |((call, file_kind, file, caller), sides)| ComparedSyscallRow { call, file_kind, file, caller, sides };
    Ok(ComparedSyscallsView {
        preamble: Preamble { notes, ..fixed_order::preamble(profile, query, "syscalls", sorted_by) },
        by: by.keys().to_vec(),
        total,
        row_count,
        rows: rows.into_iter().map(row).collect(),
    })
}
