//! An experiment prepared for views: weights summed once, stacks reduced once a view mode.

use crate::filter::{FilterContext, Predicate};
use crate::function_name::{FunctionGroup, NameError};
use crate::metrics::{ColumnKind, Columns, KnownMetrics};
use crate::query::{Preamble, Query, TransformLine};
use crate::reduction::{EntityKey, FunctionNames, Reduction};
use crate::samples::{ObservedStacks, PreparedSamples, Samples};
use crate::view_mode::ViewMode;
use crate::weights::{WeightShape, Weights, compute_weights};
use crate::{AnalysisError, Filter};
use std::borrow::Cow;
use std::sync::OnceLock;
use whittle_model::{Manifest, StackIndex, Table, Tables, ThreadTable};

/// An experiment prepared for views.
#[derive(Debug)]
pub struct Profile {
    manifest: Manifest,
    /// All tables but the samples, which are in `samples`.
    tables: Tables,
    samples: Samples,
    /// The sampled system calls, as samples.
    sampled_calls: Samples,
    observed: ObservedStacks,
    /// Sums over all samples.
    weights: Weights,
    /// Sum of each metric over all samples.
    totals: Vec<f64>,
    /// What a reader has to know about the experiment as a whole.
    notes: Vec<String>,
    /// By mode, then by key.
    reductions: [[OnceLock<Reduction>; EntityKey::COUNT]; 3],
}

impl Profile {
    /// Prepares an experiment: checks the tables and sums all metrics once.
    ///
    /// # Errors
    /// [`AnalysisError::DamagedTables`] if the tables break a promise of their documentation.
    pub fn load(manifest: Manifest, mut tables: Tables) -> Result<Self, AnalysisError> {
        tables.validate()?;
        let table = std::mem::take(&mut tables.samples);
        let prepared = PreparedSamples::new(table, &tables.sampled_calls, &tables.threads, tables.stacks.len());
        let PreparedSamples { samples, calls: sampled_calls, observed } = prepared;
        let shape = WeightShape { stack_count: observed.len(), thread_count: tables.threads.len() };
        let weights = compute_weights(&samples, &manifest.metrics, shape, None);
        let totals = totals(&weights);
        let reductions = Default::default();
        Ok(Self { manifest, tables, samples, sampled_calls, observed, weights, totals, notes: Vec::new(), reductions })
    }

    /// What is known about the experiment as a whole.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The same with sentences that a reader has to know, such as what was left out of a report file.
    pub fn with_notes(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }

    /// What a reader has to know about the experiment as a whole, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The tables, without the samples.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Row of stacks of each entry of `Weights::by_stack`.
    pub(crate) fn observed_stacks(&self) -> &[StackIndex] {
        &self.observed.stack
    }

    /// The samples; `observed` points into [`observed_stacks`](Self::observed_stacks).
    pub(crate) fn samples(&self) -> &Samples {
        &self.samples
    }

    pub(crate) fn names(&self) -> FunctionNames<'_> {
        FunctionNames { tables: &self.tables }
    }

    pub(crate) fn reduction(&self, mode: ViewMode, key: EntityKey) -> &Reduction {
        let cell = &self.reductions[mode as usize][key as usize];
        cell.get_or_init(|| Reduction::new(&self.tables, &self.observed, (mode, key)))
    }

    /// The sums over the samples that a filter keeps.
    pub(crate) fn weights(&self, query: &Query) -> Result<Cow<'_, Weights>, AnalysisError> {
        let Some(filter) = &query.filter else {
            return Ok(Cow::Borrowed(&self.weights));
        };
        let predicate = self.predicate(filter, query.mode)?;
        let shape = WeightShape { stack_count: self.observed.len(), thread_count: self.tables.threads.len() };
        Ok(Cow::Owned(compute_weights(&self.samples, &self.manifest.metrics, shape, Some(&predicate))))
    }

    /// Sum of each metric over all samples.
    pub(crate) fn totals(&self) -> &[f64] {
        &self.totals
    }

    /// Number of rows of the samples table.
    pub(crate) fn sample_count(&self) -> usize {
        self.samples.len()
    }

    /// The sums over all samples.
    pub(crate) fn all_weights(&self) -> &Weights {
        &self.weights
    }

    /// The sampled system calls as samples, in the order of their table.
    pub(crate) fn sampled_calls(&self) -> &Samples {
        &self.sampled_calls
    }

    pub(crate) fn predicate(&self, filter: &Filter, mode: ViewMode) -> Result<Predicate, AnalysisError> {
        Ok(Predicate::new(filter, &ModeContext { profile: self, mode })?)
    }

    /// The columns that a query asks for; `weights` are those that the filter leaves.
    pub(crate) fn columns(&self, kind: ColumnKind, query: &Query, weights: &Weights) -> Result<Columns, AnalysisError> {
        let left = totals(weights);
        let totals = if left.iter().any(|total| *total > 0.0) { &left } else { &self.totals };
        let known = KnownMetrics { manifest: &self.manifest, totals };
        known.columns(kind, query.metrics.as_ref(), query.sort.as_ref())
    }

    /// The functions of a name that `mode` shows.
    ///
    /// # Errors
    /// [`AnalysisError::UnknownFunction`], or [`AnalysisError::HiddenFunction`] where another mode
    /// shows it.
    pub(crate) fn shown_group(&self, name: &str, mode: ViewMode) -> Result<FunctionGroup, AnalysisError> {
        let group = FunctionGroup::find(self.names(), name)?;
        if let Some(shown) = self.shown_part(&group, mode) {
            return Ok(shown);
        }
        let others = ViewMode::ALL.into_iter().filter(|other| *other != mode);
        let shown_in = others.into_iter().find(|other| self.shown_part(&group, *other).is_some());
        Err(match shown_in {
            Some(shown_in) => AnalysisError::HiddenFunction { name: group.name, mode, shown_in },
            None => AnalysisError::UnknownFunction { name: group.name, suggestions: Vec::new() },
        })
    }

    /// The functions of a group that occur in the stacks of a mode; missing if none does.
    fn shown_part(&self, group: &FunctionGroup, mode: ViewMode) -> Option<FunctionGroup> {
        let occurs = &self.reduction(mode, EntityKey::Function).occurs;
        let shown: Vec<u32> = group.functions.iter().copied().filter(|function| occurs[*function as usize]).collect();
        match shown.as_slice() {
            [] => None,
            [only] => Some(FunctionGroup { name: self.names().display_name(*only).to_owned(), functions: shown }),
            _ => Some(FunctionGroup { name: group.name.clone(), functions: shown }),
        }
    }

    /// The parts that every answer has.
    pub(crate) fn preamble(&self, view: &'static str, query: &Query, answer: (&Columns, &Weights)) -> Preamble {
        let (columns, weights) = answer;
        let mut notes = Vec::new();
        if query.filter.is_some() && weights.samples_by_thread.iter().all(|count| *count == 0) {
            notes.push("the filter leaves no samples".to_owned());
        }
        Preamble {
            view,
            mode: query.mode,
            filter: query.filter.as_ref().map(ToString::to_string),
            transforms: TransformLine::all(query),
            sorted_by: columns.sort.as_ref().map_or_else(|| "name".to_owned(), |column| column.field()),
            notes,
        }
    }
}

/// The sum of each metric.
pub(crate) fn totals(weights: &Weights) -> Vec<f64> {
    weights.by_thread.iter().map(|by_thread| by_thread.iter().fold(0.0, |sum, value| sum + value)).collect()
}

/// A profile as one mode shows it, for filters.
struct ModeContext<'a> {
    profile: &'a Profile,
    mode: ViewMode,
}

impl FilterContext for ModeContext<'_> {
    fn threads(&self) -> &ThreadTable {
        &self.profile.tables.threads
    }

    fn functions(&self, name: &str) -> Result<FunctionGroup, NameError> {
        FunctionGroup::find(self.profile.names(), name)
    }

    /// Recorded frames count, shown or not, and the shown stack's pseudo-functions.
    fn stacks_with(&self, group: &FunctionGroup) -> Vec<bool> {
        let profile = self.profile;
        let is_member = group.members(profile.names());
        let (stacks, frames) = (&profile.tables.stacks, &profile.tables.frames);
        let mut is_recorded = vec![false; stacks.len()];
        is_recorded[0] = is_member[0];
        for row in 1..stacks.len() {
            let function = frames.function[stacks.frame[row].row()];
            is_recorded[row] = is_recorded[stacks.parent[row].row()] || is_member[function.row()];
        }
        let reduction = profile.reduction(self.mode, EntityKey::Function);
        let has_pseudo = group.functions.iter().any(|function| profile.names().row(*function).is_none());
        let is_shown = |end: u32| {
            let node = reduction.node_of_end[end as usize];
            has_pseudo && reduction.tree.path_leaf_first(node).any(|entity| is_member[entity as usize])
        };
        let observed = profile.observed.stack.iter().zip(&reduction.end_of_stack);
        observed.map(|(stack, end)| is_recorded[stack.row()] || is_shown(*end)).collect()
    }

    fn stacks_ending_in(&self, group: &FunctionGroup) -> Vec<bool> {
        let is_member = group.members(self.profile.names());
        let reduction = self.profile.reduction(self.mode, EntityKey::Function);
        reduction.leaf_entities().map(|entity| is_member[entity as usize]).collect()
    }
}
