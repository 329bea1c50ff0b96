//! Callers and callees of a fragment of the stack.

mod text;
use crate::definition::{Answered, Answerer, Command, Parameter, ViewDefinition, keys};
use crate::functions::FunctionRow;
use crate::functions::function_row;
use serde::{Deserialize, Serialize};
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::attribution::{Attribution, Pattern};
use whittle_profile::fragment::{Fragment, MalformedFragment};
use whittle_profile::metrics::{Column, ColumnKind, Columns, Flavour};
use whittle_profile::query::{Preamble, Query, Values};
use whittle_profile::ranking::{keep_first, keep_largest};
use whittle_profile::reduction::{EntityKey, EntitySums, Reduction};
use whittle_profile::value_shape::ValueShape;
use whittle_profile::weights::Weights;

/// The definition of this view. Its answer is [`CallersCalleesView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "callers-callees",
        answer: |on, asked| {
            let Keys { fragment } = keys(asked)?;
            let mut names = fragment.into_iter();
            let outermost = names.next().map_or_else(Fragment::total, Fragment::center);
            let fragment = names.fold(outermost, Fragment::append);
            Ok(Answered::view(callers_callees(on.profile, on.query, &fragment)?))
        },
    },
    not_compared: None,
    command: Some(Command {
        parameters: &[Parameter {
            read: |text| {
                let fragment: Fragment = text.parse().map_err(|error: MalformedFragment| error.to_string())?;
                Ok(fragment.names().into())
            },
            ..Parameter::text(
                "fragment",
                "FUNCTION [> FUNCTION …]",
                "The function in the centre, `A.f`, or several frames from caller to callee, `A.f > B.g` [default: <Total>]",
            )
        }],
        ..Command::table("Callers and callees of a function, with attributed values")
    }),
};

/// The keys of a request for callers and callees.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    /// Names of functions, the outermost first. If there are no names, the centre is `<Total>`.
    #[serde(default)]
    fragment: Vec<String>,
}

/// The answer of [`callers_callees`](callers_callees()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CallersCalleesView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of all rows.
    pub columns: Vec<Column>,
    /// The names of the centre's functions, outermost first.
    pub fragment: Vec<String>,
    /// The inclusive value of the fragment. It is attributed to callers and callees, and it is the base of their
    /// percentages.
    pub inclusive: Values,
    /// The fragment's exclusive value, from the samples with the fragment at the leaf end of the stack.
    pub own: Values,
    /// Number of callers before the limit is applied.
    pub caller_count: usize,
    /// Functions that call the fragment. `<Total>` is the caller if the fragment is outermost.
    pub callers: Vec<FunctionRow>,
    /// Number of callees before the limit is applied.
    pub callee_count: usize,
    /// Functions that the fragment calls.
    pub callees: Vec<FunctionRow>,
}

/// The attributed values of one metric, and the sums of each function.
struct MetricValues {
    attribution: Attribution,
    sums: Option<EntitySums>,
}

/// Callers and callees of a fragment.
///
/// # Errors
/// The function is unknown or hidden, the metric is unknown, or the filter contains an unknown name.
pub fn callers_callees(
    profile: &Profile,
    query: &Query,
    fragment: &Fragment,
) -> Result<CallersCalleesView, AnalysisError> {
    fragment.check_length()?;
    let groups: Result<Vec<_>, _> = fragment.names().iter().map(|name| profile.shown_group(name, query)).collect();
    let groups = groups?;
    let weights = profile.weights(query)?;
    let columns = profile.columns(ColumnKind::Centre, query, &weights)?;
    let reduction = profile.shown(query, EntityKey::Function)?;
    let pattern = Pattern::new(&groups, reduction.places.len());
    let values = metric_values(profile, &reduction, &pattern, (&columns, &weights));
    let centre = Centre { profile, query, columns: &columns, values };

    let mut preamble = profile.preamble("callers-callees", query, (&columns, &weights));
    preamble.notes.extend(groups.iter().filter_map(|group| group.note(profile.names())));
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

/// The values of each metric that a column needs. Missing for other metrics.
fn metric_values(
    profile: &Profile,
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
    let mut values: Vec<Option<MetricValues>> = profile.manifest().metrics.iter().map(|_| None).collect();
    for (metric, attribution) in metrics.into_iter().zip(pattern.attribute(&reduction.tree, &node_weights)) {
        values[metric] = Some(MetricValues { attribution, sums: sums.next() });
    }
    values
}

/// The input for the rows around the fragment.
struct Centre<'a> {
    profile: &'a Profile,
    query: &'a Query,
    columns: &'a Columns,
    /// One entry per metric of the manifest.
    values: Vec<Option<MetricValues>>,
}

impl Centre<'_> {
    fn values_of(&self, column: &Column) -> &MetricValues {
        self.values[column.metric_index].as_ref().expect("the metrics of all columns were computed")
    }

    fn attribution(&self, column: &Column) -> &Attribution {
        &self.values_of(column).attribution
    }

    /// Attributed percentages are shares of the fragment's inclusive value. Other percentages are shares of the total.
    fn shape(&self) -> ValueShape {
        ValueShape::new(&self.columns.shown, |column| match (&self.values_of(column).sums, column.flavour) {
            (Some(sums), Flavour::Exclusive | Flavour::Inclusive) => sums.inclusive[0],
            _ => self.attribution(column).inclusive,
        })
    }

    /// The number of callers or callees, and the rows within the limit.
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
            .map(|entity| function_row(self.profile, entity, shape.values(|column| value(column, entity))));
        (count, rows.collect())
    }
}
