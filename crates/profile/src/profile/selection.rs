//! Which samples count for a query: those that its filter keeps, on stacks that its transforms do not leave out.

use crate::attribution::Pattern;
use crate::filter::{FilterContext, Predicate};
use crate::fragment::Fragment;
use crate::function_name::FunctionGroup;
use crate::metrics::{Column, Columns};
use crate::profile::totals;
use crate::query::Query;
use crate::reduction::{EntityKey, FunctionNames};
use crate::render::amount;
use crate::side::Side;
use crate::transform::Transform;
use crate::view_mode::ViewMode;
use crate::weights::{Weights, compute_weights};
use crate::{AnalysisError, Filter, Profile};
use std::sync::Arc;
use whittle_model::ThreadTable;

/// What decides which samples count: view mode, filter and transforms as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SelectionKey {
    mode: ViewMode,
    filter: Option<String>,
    transforms: Vec<String>,
}

impl Profile {
    /// True if a query may leave samples out.
    pub(crate) fn is_selective(query: &Query) -> bool {
        query.filter.is_some() || query.transforms.iter().any(Transform::leaves_out)
    }

    /// The test of a filter.
    pub(crate) fn predicate(&self, filter: &Filter, mode: ViewMode) -> Result<Predicate, AnalysisError> {
        Ok(Predicate::new(filter, &ModeContext { profile: self, mode })?)
    }

    /// The test of filter and transforms; missing: all samples count.
    pub(crate) fn selection(&self, query: &Query) -> Result<Option<Predicate>, AnalysisError> {
        let filter = query.filter.as_ref().map(|filter| self.predicate(filter, query.mode)).transpose()?;
        let left = self.stacks_left(query)?.map(Predicate::Stacks);
        let parts: Vec<Predicate> = filter.into_iter().chain(left).collect();
        Ok(Predicate::all(parts))
    }

    /// Per observed stack, whether the transforms leave it; missing: they leave all.
    fn stacks_left(&self, query: &Query) -> Result<Option<Vec<bool>>, AnalysisError> {
        if query.transforms.is_empty() {
            return Ok(None);
        }
        let shown = self.shown(query, EntityKey::Function)?;
        let is_left: Vec<bool> =
            (0..shown.end_of_stack.len()).map(|stack| shown.node_of_stack(stack).is_some()).collect();
        Ok(Some(is_left).filter(|is_left| is_left.contains(&false)))
    }

    /// The sums over the samples that count.
    pub(crate) fn weights(&self, query: &Query) -> Result<Arc<Weights>, AnalysisError> {
        let Some(predicate) = self.selection(query)? else {
            return Ok(self.all_weights().clone());
        };
        let key = SelectionKey {
            mode: query.mode,
            filter: query.filter.as_ref().map(ToString::to_string),
            transforms: query.transforms.iter().map(ToString::to_string).collect(),
        };
        let compute = || compute_weights(self.samples(), self.summed(), self.weight_shape(), Some(predicate));
        Ok(self.selected_weights().get_or(key, Weights::size, compute))
    }

    /// What a reader has to know about the samples that were left out.
    pub(crate) fn selection_notes(&self, query: &Query, (columns, weights): (&Columns, &Weights)) -> Vec<String> {
        let mut notes = Vec::new();
        let has_samples = weights.samples_by_thread.iter().any(|count| *count > 0);
        if Self::is_selective(query) && !has_samples {
            notes.push(match (&query.filter, query.transforms.as_slice()) {
                (_, []) => "the filter leaves no samples".to_owned(),
                (None, _) => "the transforms leave no samples".to_owned(),
                _ => "filter and transforms leave no samples".to_owned(),
            });
        }
        notes.extend(self.part_of_time_note(query));
        notes.extend(self.left_out_note(query, (columns, weights)));
        notes.extend(self.idle_transforms(query));
        notes
    }

    /// In a comparison what values are divided by is that of whole runs, whatever time a filter keeps of them.
    fn part_of_time_note(&self, query: &Query) -> Option<String> {
        let comparison = self.comparison()?;
        let filter = self.predicate(query.filter.as_ref()?, query.mode).ok()?;
        (filter.time_range() != (0, u64::MAX)).then(|| {
            format!(
                "the filter keeps a part of the time, and values are {} of the whole runs: a side whose runs are longer looks \
                 cheaper. Compare runs of equal length",
                comparison.per.words
            )
        })
    }

    /// How much transforms took out of the metrics that are shown.
    fn left_out_note(&self, query: &Query, (columns, weights): (&Columns, &Weights)) -> Option<String> {
        if !query.transforms.iter().any(Transform::leaves_out) {
            return None;
        }
        let before = self.weights(&Query { transforms: Vec::new(), ..query.clone() }).ok()?;
        let (before, left) = (totals(&before), totals(weights));
        let mut parts: Vec<String> = Vec::new();
        for metric in columns.metrics().into_iter().filter(|metric| before[*metric] > left[*metric]) {
            let metrics = &self.manifest().metrics;
            let (column, out) = (Column::plain(metrics, metric), before[metric] - left[metric]);
            parts.push(format!("{} ({:.2} %)", amount(&column, out), 100.0 * out / before[metric]));
        }
        (!parts.is_empty()).then(|| format!("transforms leave out {}", parts.join(", ")))
    }

    /// Transforms whose functions the view mode never shows.
    fn idle_transforms(&self, query: &Query) -> Vec<String> {
        let mut notes = Vec::new();
        for transform in &query.transforms {
            let Ok(members) = transform.members(self.names()) else { continue };
            let shown = self.reduction(query.mode, EntityKey::Function);
            let is_shown = shown.occurs.iter().zip(&members.is_member).any(|(occurs, is_member)| *occurs && *is_member);
            if !is_shown {
                notes.push(format!("`{transform}` finds nothing in {} mode", query.mode));
            }
        }
        notes
    }
}

/// A profile as one mode shows it, for filters.
struct ModeContext<'a> {
    profile: &'a Profile,
    mode: ViewMode,
}

impl FilterContext for ModeContext<'_> {
    fn threads(&self) -> &ThreadTable {
        &self.profile.tables().threads
    }

    fn sides(&self) -> &[Side] {
        self.profile.compared().map_or(&[], |compared| &compared.side_of_thread)
    }

    fn names(&self) -> FunctionNames<'_> {
        self.profile.names()
    }

    fn fragment(&self, fragment: &Fragment) -> Result<Vec<FunctionGroup>, AnalysisError> {
        let query = Query { mode: self.mode, ..Query::default() };
        fragment.check_length()?;
        fragment.names().iter().map(|name| self.profile.shown_group(name, &query)).collect()
    }

    /// Recorded frames count, shown or not, and the shown stack's pseudo-functions.
    fn stacks_with(&self, is_member: &[bool]) -> Vec<bool> {
        let (tables, names) = (self.profile.tables(), self.profile.names());
        let (stacks, frames) = (&tables.stacks, &tables.frames);
        let mut is_recorded = Vec::with_capacity(stacks.parent.len());
        is_recorded.push(is_member[0]);
        for (parent, frame) in stacks.parent.iter().zip(&stacks.frame).skip(1) {
            let function = frames.function[frame.row()];
            is_recorded.push(is_recorded[parent.row()] || is_member[function.row()]);
        }
        let observed = self.profile.observed_stacks();
        let mut answers: Vec<bool> = observed.iter().map(|stack| is_recorded[stack.row()]).collect();
        let mut pseudo =
            (names.recorded_count() - 2..names.recorded_count()).filter(|other| is_member[*other as usize]);
        if pseudo.next().is_some() {
            let reduction = self.profile.reduction(self.mode, EntityKey::Function);
            for (answer, end) in answers.iter_mut().zip(&reduction.end_of_stack) {
                let mut path = reduction.tree.path_leaf_first(reduction.node_of_end[*end as usize]);
                *answer = *answer || path.any(|entity| is_member[entity as usize]);
            }
        }
        answers
    }

    fn stacks_with_fragment(&self, groups: &[FunctionGroup]) -> Vec<bool> {
        let reduction = self.profile.reduction(self.mode, EntityKey::Function);
        let occurs = Pattern::new(groups, reduction.places.len()).occurrences(&reduction.tree);
        let nodes = reduction.end_of_stack.iter().map(|end| reduction.node_of_end[*end as usize]);
        nodes.map(|node| occurs[node as usize]).collect()
    }

    fn stacks_ending_in(&self, is_member: &[bool]) -> Vec<bool> {
        let reduction = self.profile.reduction(self.mode, EntityKey::Function);
        reduction.leaf_entities().map(|entity| is_member[entity as usize]).collect()
    }
}
