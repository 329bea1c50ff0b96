//! Callers and callees of a fragment of the stack.

use crate::attribution::{Attribution, Pattern};
use crate::fragment::Fragment;
use crate::functions::{FunctionRow, ValueShape, keep_first, keep_largest};
use crate::metrics::{Column, ColumnKind, Columns, Flavour};
use crate::query::{Preamble, Query, Values};
use crate::reduction::{EntityKey, EntitySums, Reduction};
use crate::weights::Weights;
use crate::{AnalysisError, Profile};
use serde::Serialize;

/// The answer of [`Profile::callers_callees`].
#[derive(Debug, Clone, Serialize)]
pub struct CallersCalleesView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of all rows.
    pub columns: Vec<Column>,
    /// The names of the centre's functions, outermost first.
    pub fragment: Vec<String>,
    /// What is attributed: the inclusive value of the fragment. Percentages are of it.
    pub inclusive: Values,
    /// The fragment's own part: samples in which it ends the stack.
    pub own: Values,
    /// Number of callers without a limit.
    pub caller_count: usize,
    /// Functions that call the fragment, `<Total>` where it is outermost.
    pub callers: Vec<FunctionRow>,
    /// Number of callees without a limit.
    pub callee_count: usize,
    /// Functions that the fragment calls.
    pub callees: Vec<FunctionRow>,
}

/// What is attributed in one metric, and the sums of each function on its own.
struct MetricValues {
    attribution: Attribution,
    sums: Option<EntitySums>,
}

impl Profile {
    /// Callers and callees of a fragment.
    ///
    /// # Errors
    /// An unknown or hidden function, an unknown metric, or a filter that names what is not there.
    pub fn callers_callees(&self, query: &Query, fragment: &Fragment) -> Result<CallersCalleesView, AnalysisError> {
        fragment.check_length()?;
        let groups: Result<Vec<_>, _> = fragment.names().iter().map(|name| self.shown_group(name, query)).collect();
        let groups = groups?;
        let weights = self.weights(query)?;
        let columns = self.columns(ColumnKind::Centre, query, &weights)?;
        let reduction = self.shown(query, EntityKey::Function)?;
        let pattern = Pattern::new(&groups, reduction.places.len());
        let values = self.metric_values(&reduction, &pattern, (&columns, &weights));
        let centre = Centre { profile: self, query, columns: &columns, values };

        let mut preamble = self.preamble("callers-callees", query, (&columns, &weights));
        preamble.notes.extend(groups.iter().filter_map(|group| group.note(self.names())));
        let (caller_count, callers) = centre.rows(|attribution, entity| attribution.callers[entity]);
        let (callee_count, callees) = centre.rows(|attribution, entity| attribution.callees[entity]);
        Ok(CallersCalleesView {
            preamble,
            fragment: groups.into_iter().map(|group| group.name).collect(),
            inclusive: centre.shape().values(|column| centre.attribution(column).inclusive),
            own: centre.shape().values(|column| match column.flavour {
                Flavour::Inclusive => centre.attribution(column).inclusive,
                _ => centre.attribution(column).own,
            }),
            caller_count,
            callers,
            callee_count,
            callees,
            columns: columns.shown,
        })
    }

    /// The values of each metric that a column needs; missing for others.
    fn metric_values(
        &self,
        reduction: &Reduction,
        pattern: &Pattern,
        (columns, weights): (&Columns, &Weights),
    ) -> Vec<Option<MetricValues>> {
        let metrics = columns.metrics();
        weights.by_stack.prepare(&metrics);
        let node_weights: Vec<_> =
            metrics.iter().map(|metric| reduction.node_weights(&weights.by_stack[*metric])).collect();
        let needs_sums = columns.shown.iter().chain(&columns.sort).any(|column| column.flavour != Flavour::Attributed);
        let mut sums = if needs_sums { EntitySums::new(reduction, &node_weights) } else { Vec::new() }.into_iter();
        let mut values: Vec<Option<MetricValues>> = self.manifest().metrics.iter().map(|_| None).collect();
        for (metric, attribution) in metrics.into_iter().zip(pattern.attribute(&reduction.tree, &node_weights)) {
            values[metric] = Some(MetricValues { attribution, sums: sums.next() });
        }
        values
    }
}

/// Everything that rows around the fragment are made of.
struct Centre<'a> {
    profile: &'a Profile,
    query: &'a Query,
    columns: &'a Columns,
    /// One a metric of the manifest.
    values: Vec<Option<MetricValues>>,
}

impl Centre<'_> {
    fn values_of(&self, column: &Column) -> &MetricValues {
        self.values[column.metric_index].as_ref().expect("the metrics of all columns were computed")
    }

    fn attribution(&self, column: &Column) -> &Attribution {
        &self.values_of(column).attribution
    }

    /// Percentages are of the fragment's inclusive value, those of whole functions of the total.
    fn shape(&self) -> ValueShape {
        ValueShape::new(&self.columns.shown, |column| match (&self.values_of(column).sums, column.flavour) {
            (Some(sums), Flavour::Exclusive | Flavour::Inclusive) => sums.inclusive[0],
            _ => self.attribution(column).inclusive,
        })
    }

    /// The number of functions on one side, and those within the limit.
    fn rows(&self, attributed: impl Fn(&Attribution, usize) -> f64) -> (usize, Vec<FunctionRow>) {
        let names = self.profile.names();
        let value = |column: &Column, entity: u32| {
            let values = self.values_of(column);
            match (&values.sums, column.flavour) {
                (Some(sums), Flavour::Exclusive) => sums.exclusive[entity as usize],
                (Some(sums), Flavour::Inclusive) => sums.inclusive[entity as usize],
                _ => attributed(&values.attribution, entity as usize),
            }
        };
        let is_there = |entity: &u32| {
            self.values.iter().flatten().any(|values| attributed(&values.attribution, *entity as usize) != 0.0)
        };
        let mut entities: Vec<u32> = (0..names.count()).filter(is_there).collect();
        let (count, name) = (entities.len(), |entity: &u32| (names.display_name(*entity), *entity));
        match &self.columns.sort {
            Some(column) => {
                let rank = |entity: &u32| column.rank(|column| value(column, *entity));
                keep_largest(&mut entities, self.query.window(), rank, name);
            }
            None => keep_first(&mut entities, self.query.window(), name),
        }
        let shape = self.shape();
        let rows = entities
            .into_iter()
            .map(|entity| self.profile.function_row(entity, shape.values(|column| value(column, entity))));
        (count, rows.collect())
    }
}
