//! An experiment prepared for views: weights are summed once, and stacks are reduced once per view mode.

mod functions_by_part;
mod selection;
mod single_runs;

pub use functions_by_part::{FunctionParts, FunctionShare, Parts};
pub use single_runs::SingleRuns;

use crate::cache::Cache;
use crate::code_groups::CodeGroups;
use crate::code_owner::CodeOwners;
use crate::error::AnalysisError;
use crate::function_name::{FunctionGroup, UnknownFunction};
use crate::kept::Kept;
use crate::metrics::{Column, ColumnKind, Columns, KnownMetrics};
use crate::own_frames;
use crate::pools::Pools;
use crate::profile::selection::SelectionKey;
use crate::query::{Preamble, Query, TransformLine};
use crate::reduction::{EntityKey, FunctionNames, Reduction};
use crate::requests::RequestIndex;
use crate::samples::{ObservedStacks, PreparedSamples, Samples};
use crate::sides::{Compared, Comparison, Part, SummedMetrics};
use crate::view_mode::ViewMode;
use crate::waits::{self, StackMeaning, WaitMeaning};
use crate::weights::{WeightShape, Weights, compute_weights};
use std::sync::{Arc, OnceLock};
use whittle_model::{Manifest, StackIndex, Table, Tables};

/// Maximum number of nodes in all cached reductions. A node takes about 25 bytes. The limit is lower in a browser,
/// where memory is scarce and freed memory is not returned to the system.
const KEPT_NODES: usize = if cfg!(target_arch = "wasm32") { 5_000_000 } else { 32_000_000 };
/// Maximum number of cached sums over selections. A sum takes 8 bytes.
const KEPT_SUMS: usize = if cfg!(target_arch = "wasm32") { 2_000_000 } else { 32_000_000 };

/// The key of a reduction: view mode, kind of row, and transforms in the user's words.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ReductionKey {
    mode: ViewMode,
    key: EntityKey,
    transforms: Vec<String>,
}

/// An experiment prepared for views.
#[derive(Debug)]
pub struct Profile {
    manifest: Manifest,
    /// All tables except the samples, which are in `samples`. Depths and content hashes of stacks are not included.
    tables: Tables,
    samples: Arc<Samples>,
    /// The sampled system calls, as samples.
    sampled_calls: Samples,
    observed: ObservedStacks,
    /// Packages and binaries.
    groups: CodeGroups,
    /// The metrics that are added up.
    summed: Arc<SummedMetrics>,
    /// The comparison. Missing if this is one experiment.
    compared: Option<Compared>,
    /// The runs of the comparison. Missing if nothing is compared, or if the runs cannot be loaded again.
    single_runs: Option<Arc<dyn SingleRuns>>,
    /// Sums over all samples.
    weights: Arc<Weights>,
    /// Sum of each metric over all samples.
    totals: Vec<f64>,
    /// Notes about the experiment as a whole.
    notes: Vec<String>,
    /// Findings as JSON, from a report file.
    stored_findings: Option<String>,
    /// The results of trials as JSON, from the experiment's folder.
    kept_trials: Option<String>,
    /// Sums over the samples of the last few selections.
    selected_weights: Cache<SelectionKey, Weights>,
    reductions: Cache<ReductionKey, Reduction>,
    /// For each observed stack, what a wait on it means. Computed when it is first needed.
    wait_meanings: OnceLock<Vec<StackMeaning>>,
    /// Computed when they are first needed.
    code_owners: OnceLock<CodeOwners>,
    /// Computed when they are first needed.
    pools: OnceLock<Pools>,
    /// Computed when it is first needed.
    request_index: OnceLock<Arc<RequestIndex>>,
    /// Data that views keep between answers.
    kept: Kept,
}

impl Profile {
    /// Prepares an experiment: checks the tables and sums all metrics once.
    ///
    /// # Errors
    /// [`AnalysisError::DamagedTables`] if the tables break a rule of their documentation.
    pub fn load(manifest: Manifest, tables: Tables) -> Result<Self, AnalysisError> {
        tables.validate()?;
        Ok(Self::of_valid(manifest, tables, None))
    }

    /// Prepares tables for use by views only. Depths and content hashes of stacks can be missing.
    ///
    /// # Errors
    /// [`AnalysisError::DamagedTables`] if the tables break a rule of their documentation.
    pub fn load_for_views(manifest: Manifest, tables: Tables) -> Result<Self, AnalysisError> {
        tables.validate_for_views()?;
        Ok(Self::of_valid(manifest, tables, None))
    }

    /// Prepares valid tables.
    pub fn of_valid(manifest: Manifest, mut tables: Tables, compared: Option<Compared>) -> Self {
        own_frames::join(&manifest, &mut tables);
        let table = std::mem::take(&mut tables.samples);
        let sides = compared.as_ref().map_or(&[] as &[_], |compared| &compared.side_of_thread);
        let prepared = PreparedSamples::new(
            table,
            (&tables.sampled_calls, &tables.syscalls),
            (&tables.threads, sides),
            tables.stacks.len(),
        );
        let PreparedSamples { samples, calls: sampled_calls, observed } = prepared;
        let shape = WeightShape { stack_count: observed.len(), thread_count: tables.threads.len() };
        // Only files need these columns. They take more than half of the stack table's memory.
        tables.stacks.content_hash = Vec::new();
        tables.stacks.depth = Vec::new();
        let samples = Arc::new(samples);
        let scales = compared.as_ref().map(|compared| compared.scales);
        let summed = Arc::new(SummedMetrics { definitions: manifest.metrics.clone(), scales });
        let weights = compute_weights(&samples, &summed, shape, None);
        let totals = totals(&weights);
        Self {
            groups: CodeGroups::new(&tables),
            manifest,
            tables,
            samples,
            sampled_calls,
            observed,
            summed,
            compared,
            single_runs: None,
            weights: Arc::new(weights),
            totals,
            notes: Vec::new(),
            stored_findings: None,
            kept_trials: None,
            selected_weights: Cache::new(KEPT_SUMS),
            reductions: Cache::new(KEPT_NODES),
            wait_meanings: OnceLock::new(),
            code_owners: OnceLock::new(),
            pools: OnceLock::new(),
            request_index: OnceLock::new(),
            kept: Kept::default(),
        }
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// How many times the manifest contains each metric.
    pub fn parts_count(&self) -> usize {
        if self.compared().is_some() { Part::SUMS.len() } else { 1 }
    }

    /// The metrics that are added up.
    pub fn summed(&self) -> &Arc<SummedMetrics> {
        &self.summed
    }

    /// The comparison as shown to the user. Missing if this is one experiment.
    pub fn comparison(&self) -> Option<&Comparison> {
        self.compared().map(|compared| &compared.comparison)
    }

    /// The comparison. Missing if this is one experiment.
    pub fn compared(&self) -> Option<&Compared> {
        // Report files contain no comparisons, so their engine does without the code for them.
        self.compared.as_ref().filter(|_| !cfg!(target_arch = "wasm32"))
    }

    /// Data that a view keeps between answers, by type. The data is created when it is first needed.
    pub fn kept<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.kept.get()
    }

    /// Sets notes, for example about data that was left out of a report file.
    pub fn with_notes(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }

    /// Sets findings as JSON. They were computed when the report file was written.
    pub fn with_findings(self, stored_findings: Option<String>) -> Self {
        Self { stored_findings, ..self }
    }

    /// The stored findings, as JSON.
    pub fn stored_findings(&self) -> Option<&str> {
        self.stored_findings.as_deref()
    }

    /// Sets the results of earlier trials, as JSON.
    pub fn with_trials(self, kept_trials: Option<String>) -> Self {
        Self { kept_trials, ..self }
    }

    /// The results of earlier trials, as JSON.
    pub fn kept_trials(&self) -> Option<&str> {
        self.kept_trials.as_deref()
    }

    /// Sets how the runs of a comparison are loaded again.
    pub fn with_single_runs(self, single_runs: Arc<dyn SingleRuns>) -> Self {
        Self { single_runs: Some(single_runs), ..self }
    }

    /// The runs of a comparison. Missing if nothing is compared, or if the runs cannot be loaded again.
    pub fn single_runs(&self) -> Option<&dyn SingleRuns> {
        self.single_runs.as_deref()
    }

    /// Notes about the experiment as a whole, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The tables, without the samples and without depths and content hashes of stacks.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// For each entry of `Weights::by_stack`, its row in the stack table.
    pub fn observed_stacks(&self) -> &[StackIndex] {
        &self.observed.stack
    }

    /// For each observed stack, what a wait on it means.
    pub fn wait_meanings(&self) -> &[StackMeaning] {
        self.wait_meanings.get_or_init(|| {
            let mut meanings = waits::meanings(&self.tables, &self.observed.stack);
            // The JVM's own threads wait for work of the JVM.
            let of_jvm = meanings.iter_mut().zip(&self.observed.is_jvm_thread).filter(|(_, is_jvm)| **is_jvm);
            of_jvm.for_each(|(meaning, _)| *meaning = StackMeaning::Known(WaitMeaning::Idle));
            meanings
        })
    }

    /// Whose code functions and stacks are.
    pub fn code_owners(&self) -> &CodeOwners {
        self.code_owners.get_or_init(|| match CodeOwners::ARE_KNOWN {
            true => CodeOwners::new(&self.tables, &self.manifest.command, &self.observed),
            false => CodeOwners::default(),
        })
    }

    /// The pools of threads.
    pub fn pools(&self) -> &Pools {
        self.pools.get_or_init(|| match self.compared() {
            Some(_) => Pools::of_comparison(&self.tables.threads),
            None => Pools::new(&self.tables.threads),
        })
    }

    /// Which request a thread answered at a time.
    pub fn request_index(&self) -> &Arc<RequestIndex> {
        let Tables { requests, request_parts, threads, .. } = &self.tables;
        let index = || RequestIndex::new(requests, request_parts, threads.len());
        self.request_index.get_or_init(|| Arc::new(index()))
    }

    /// The samples. `observed` is an index into [`observed_stacks`](Self::observed_stacks).
    pub fn samples(&self) -> &Arc<Samples> {
        &self.samples
    }

    /// The names of all functions.
    pub fn names(&self) -> FunctionNames<'_> {
        FunctionNames { tables: &self.tables, groups: &self.groups }
    }

    /// The packages and binaries.
    pub fn code_groups(&self) -> &CodeGroups {
        &self.groups
    }

    /// All stacks in a view mode, without transforms.
    pub fn reduction(&self, mode: ViewMode, key: EntityKey) -> Arc<Reduction> {
        let compute = || Reduction::new(self.names(), &self.observed, (mode, key));
        self.reductions.get_or(ReductionKey { mode, key, transforms: Vec::new() }, Reduction::size, compute)
    }

    /// All stacks as a query shows them.
    pub fn shown(&self, query: &Query, key: EntityKey) -> Result<Arc<Reduction>, AnalysisError> {
        if query.transforms.is_empty() {
            return Ok(self.reduction(query.mode, key));
        }
        let texts: Vec<String> = query.transforms.iter().map(ToString::to_string).collect();
        let first = |length: usize| ReductionKey { mode: query.mode, key, transforms: texts[..length].to_vec() };
        let members: Result<Vec<_>, _> = query.transforms.iter().map(|one| one.members(self.names())).collect();
        let members = members?;
        let compute = || {
            // The result before the last transform is often cached.
            let known = (1..texts.len()).rev().find_map(|length| Some((length, self.reductions.get(&first(length))?)));
            let (length, known) = known.unwrap_or_else(|| (0, self.reduction(query.mode, key)));
            let mut rest = query.transforms.iter().zip(&members).skip(length);
            let next = rest.next().map(|(transform, members)| transform.apply(&known, members));
            drop(known);
            let next = next.unwrap_or_else(|| Reduction::new(self.names(), &self.observed, (query.mode, key)));
            rest.fold(next, |above, (transform, members)| transform.apply(&above, members))
        };
        Ok(self.reductions.get_or(first(texts.len()), Reduction::size, compute))
    }

    /// The lengths of the vectors of sums.
    pub fn weight_shape(&self) -> WeightShape {
        WeightShape { stack_count: self.observed.len(), thread_count: self.tables.threads.len() }
    }

    fn selected_weights(&self) -> &Cache<SelectionKey, Weights> {
        &self.selected_weights
    }

    /// Sum of each metric over all samples.
    pub fn totals(&self) -> &[f64] {
        &self.totals
    }

    /// Number of rows of the samples table.
    pub fn sample_count(&self) -> usize {
        self.samples.len()
    }

    /// The sums over all samples.
    pub fn all_weights(&self) -> &Arc<Weights> {
        &self.weights
    }

    /// The sampled system calls as samples, in the order of their table.
    pub fn sampled_calls(&self) -> &Samples {
        &self.sampled_calls
    }

    /// The columns of a query. `weights` contains the sums over the samples that its filter keeps.
    pub fn columns(&self, kind: ColumnKind, query: &Query, weights: &Weights) -> Result<Columns, AnalysisError> {
        let left = totals(weights);
        let totals = if left.iter().any(|total| *total > 0.0) { &left } else { &self.totals };
        self.known_metrics(totals).columns(kind, query.metrics.as_ref(), query.sort.as_ref())
    }

    fn known_metrics<'a>(&'a self, totals: &'a [f64]) -> KnownMetrics<'a> {
        KnownMetrics { manifest: &self.manifest, totals, compared: self.compared() }
    }

    /// In a comparison, the column of a part; otherwise the column itself.
    pub fn part_of_column(&self, column: &Column, part: Part, weights: &Weights) -> Column {
        let totals = totals(weights);
        if self.compared().is_some() { self.known_metrics(&totals).part(column, part) } else { column.clone() }
    }

    /// The columns of a view with one value per row and metric. In a comparison, each part has its own column.
    pub fn all_columns(&self, weights: &Weights) -> Vec<Column> {
        self.known_metrics(&totals(weights)).all_columns(self.parts_count())
    }

    /// The functions with this name that a query shows.
    ///
    /// # Errors
    /// [`AnalysisError::UnknownFunction`], or [`AnalysisError::HiddenFunction`] if another mode shows the function, or
    /// [`AnalysisError::TransformedFunction`] if transforms removed it.
    pub fn shown_group(&self, name: &str, query: &Query) -> Result<FunctionGroup, AnalysisError> {
        let group = FunctionGroup::find(self.names(), name)?;
        if let Some(shown) = self.part(&group, &*self.shown(query, EntityKey::Function)?) {
            return Ok(shown);
        }
        let is_in = |mode: ViewMode| self.part(&group, &self.reduction(mode, EntityKey::Function)).is_some();
        let mode = query.mode;
        let shown_in = ViewMode::ALL.into_iter().find(|other| *other != mode && is_in(*other));
        Err(match shown_in {
            _ if is_in(mode) => AnalysisError::TransformedFunction { name: group.name },
            Some(shown_in) => AnalysisError::HiddenFunction { name: group.name, mode, shown_in },
            None => UnknownFunction { name: group.name, suggestions: Vec::new() }.into(),
        })
    }

    /// The functions of a group that occur in a reduction. Missing if no function of the group occurs.
    fn part(&self, group: &FunctionGroup, reduction: &Reduction) -> Option<FunctionGroup> {
        let occurs = &reduction.occurs;
        let shown: Vec<u32> = group.functions.iter().copied().filter(|function| occurs[*function as usize]).collect();
        match shown.as_slice() {
            [] => None,
            [only] => Some(FunctionGroup { name: self.names().display_name(*only).to_owned(), functions: shown }),
            _ => Some(FunctionGroup { name: group.name.clone(), functions: shown }),
        }
    }

    fn notes_of_view(&self, view: &str, query: &Query, answer: (&Columns, &Weights)) -> Vec<String> {
        let mut notes = self.selection_notes(query, answer);
        if self.compared().is_some() && matches!(view, "lines" | "source") {
            notes.push(
                "line numbers differ between the versions: code that moved within its file is shown as gone and as new"
                    .to_owned(),
            );
        }
        notes
    }

    /// The common parts of all answers.
    pub fn preamble(&self, view: &'static str, query: &Query, answer: (&Columns, &Weights)) -> Preamble {
        Preamble {
            view,
            mode: query.mode,
            filter: query.filter.as_ref().map(ToString::to_string),
            transforms: TransformLine::all(query),
            comparison: self.comparison().cloned(),
            sorted_by: answer.0.sort.as_ref().map_or_else(|| "name".to_owned(), |column| column.field()),
            notes: self.notes_of_view(view, query, answer),
        }
    }
}

/// The sum of each metric.
pub fn totals(weights: &Weights) -> Vec<f64> {
    weights.by_thread.iter().map(|by_thread| by_thread.iter().fold(0.0, |sum, value| sum + value)).collect()
}
