//! Selects the samples of a query: samples that the filter keeps, with stacks that the transforms keep.

use crate::amounts::amount;
use crate::attribution::Pattern;
use crate::code_owner::CodeOwner;
use crate::error::AnalysisError;
use crate::filter::{Filter, FilterContext, Predicate};
use crate::fragment::Fragment;
use crate::function_name::FunctionGroup;
use crate::metrics::{Column, Columns};
use crate::pools::Pools;
use crate::profile::{Profile, totals};
use crate::query::Query;
use crate::reduction::{EntityKey, FunctionNames};
use crate::requests::RequestIndex;
use crate::sides::Side;
use crate::transform::Transform;
use crate::view_mode::ViewMode;
use crate::waits::StackMeaning;
use crate::weights::{Weights, compute_weights};
use std::sync::Arc;
use whittle_model::{FileTable, ObjectClassTable, RequestTable, ThreadTable};

/// The key of a selection: view mode, filter and transforms in the user's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SelectionKey {
    mode: ViewMode,
    filter: Option<String>,
    transforms: Vec<String>,
}

impl Profile {
    /// True if a query can leave samples out.
    pub fn is_selective(query: &Query) -> bool {
        query.filter.is_some() || query.transforms.iter().any(Transform::leaves_out)
    }

    /// The test of a filter.
    pub fn predicate(&self, filter: &Filter, mode: ViewMode) -> Result<Predicate, AnalysisError> {
        Ok(Predicate::new(filter, &ModeContext { profile: self, mode })?)
    }

    /// The test for filter and transforms. Missing if all samples are selected.
    pub fn selection(&self, query: &Query) -> Result<Option<Predicate>, AnalysisError> {
        let filter = query.filter.as_ref().map(|filter| self.predicate(filter, query.mode)).transpose()?;
        let left = self.stacks_left(query)?.map(Predicate::Stacks);
        let parts: Vec<Predicate> = filter.into_iter().chain(left).collect();
        Ok(Predicate::all(parts))
    }

    /// Per observed stack, true if the transforms keep it. Missing if they keep all stacks.
    fn stacks_left(&self, query: &Query) -> Result<Option<Vec<bool>>, AnalysisError> {
        if !query.transforms.iter().any(Transform::leaves_out) {
            return Ok(None);
        }
        let shown = self.shown(query, EntityKey::Function)?;
        let is_left: Vec<bool> =
            (0..shown.end_of_stack.len()).map(|stack| shown.node_of_stack(stack).is_some()).collect();
        Ok(Some(is_left).filter(|is_left| is_left.contains(&false)))
    }

    /// The sums over the selected samples.
    pub fn weights(&self, query: &Query) -> Result<Arc<Weights>, AnalysisError> {
        let Some(predicate) = self.selection(query)? else {
            return Ok(self.all_weights().clone());
        };
        let key = SelectionKey {
            mode: query.mode,
            filter: query.filter.as_ref().map(ToString::to_string),
            transforms: named_transforms(query).map(ToString::to_string).collect(),
        };
        let compute = || compute_weights(self.samples(), self.summed(), self.weight_shape(), Some(predicate));
        Ok(self.selected_weights().get_or(key, Weights::size, compute))
    }

    /// Notes about samples that were left out.
    pub fn selection_notes(&self, query: &Query, (columns, weights): (&Columns, &Weights)) -> Vec<String> {
        let mut notes = Vec::new();
        let has_samples = weights.samples_by_thread.iter().any(|count| *count > 0);
        if Self::is_selective(query) && !has_samples {
            notes.push(match (&query.filter, named_transforms(query).next()) {
                (_, None) => "the filter leaves no samples".to_owned(),
                (None, _) => "the transforms leave no samples".to_owned(),
                _ => "filter and transforms leave no samples".to_owned(),
            });
        }
        notes.extend(self.part_of_time_note(query));
        notes.extend(self.left_out_note(query, (columns, weights)));
        notes.extend(self.idle_transforms(query));
        notes
    }

    /// A note for filters that keep only a part of the time. A comparison still divides by the amounts of whole runs.
    fn part_of_time_note(&self, query: &Query) -> Option<String> {
        let comparison = self.comparison()?;
        let filter = self.predicate(query.filter.as_ref()?, query.mode).ok()?;
        (filter.time_range() != (0, u64::MAX)).then(|| {
            format!(
                "the filter keeps a part of the time, but values are {} of the whole runs: the side with longer runs looks \
                 cheaper. Compare runs of equal length",
                comparison.per.words
            )
        })
    }

    /// A note about the amounts that transforms removed, for each shown metric.
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

    /// Notes about transforms of functions that the view mode never shows.
    fn idle_transforms(&self, query: &Query) -> Vec<String> {
        let mut notes = Vec::new();
        for transform in named_transforms(query) {
            let Ok(members) = transform.members(self.names()) else { continue };
            let shown = self.reduction(query.mode, EntityKey::Function);
            let is_shown = shown.occurs.iter().zip(&members.is_member).any(|(occurs, is_member)| *occurs && *is_member);
            if !is_shown {
                notes.push(format!("`{transform}` has no effect in {} mode", query.mode));
            }
        }
        notes
    }
}

/// The transforms that the user chose. The folding of frameworks leaves nothing out, and views add it themselves.
fn named_transforms(query: &Query) -> impl Iterator<Item = &Transform> {
    query.transforms.iter().filter(|transform| transform.names_functions())
}

/// A profile in one view mode, for filters.
struct ModeContext<'a> {
    profile: &'a Profile,
    mode: ViewMode,
}

impl FilterContext for ModeContext<'_> {
    fn threads(&self) -> &ThreadTable {
        &self.profile.tables().threads
    }

    fn pools(&self) -> &Pools {
        self.profile.pools()
    }

    fn sides(&self) -> &[Side] {
        self.profile.compared().map_or(&[], |compared| &compared.side_of_thread)
    }

    fn names(&self) -> FunctionNames<'_> {
        self.profile.names()
    }

    fn fragment(&self, fragment: &Fragment) -> Result<Vec<FunctionGroup>, String> {
        let query = Query { mode: self.mode, ..Query::default() };
        fragment.check_length().map_err(|error| error.to_string())?;
        let groups = fragment.names().iter().map(|name| self.profile.shown_group(name, &query));
        groups.collect::<Result<_, _>>().map_err(|error| error.to_string())
    }

    /// Tests recorded frames, even if they are hidden, and the pseudo-functions of the shown stack.
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

    fn object_classes(&self) -> &ObjectClassTable {
        &self.profile.tables().object_classes
    }

    fn files(&self) -> &FileTable {
        &self.profile.tables().files
    }

    fn requests(&self) -> &RequestTable {
        &self.profile.tables().requests
    }

    fn request_index(&self) -> &Arc<RequestIndex> {
        self.profile.request_index()
    }

    fn wait_meanings(&self) -> &[StackMeaning] {
        self.profile.wait_meanings()
    }

    fn code_owners(&self) -> &[CodeOwner] {
        &self.profile.code_owners().of_stack
    }

    fn stacks_ending_in(&self, is_member: &[bool]) -> Vec<bool> {
        let reduction = self.profile.reduction(self.mode, EntityKey::Function);
        reduction.leaf_entities().map(|entity| is_member[entity as usize]).collect()
    }
}
