//! The call tree. It shows all stacks, or everything below a chosen function.
//!
//! If a function is the root, its occurrences are merged. An occurrence inside another occurrence is an ordinary node.
//! The heaviest nodes are picked first, so a limit keeps the important nodes. Only nodes that are shown are merged.

mod text;
use crate::definition::{Answered, Answerer, Command, Parameter, ViewDefinition, keys, read_count, read_number};
use crate::shown_stacks::{FrameworkFrames, has_folded, with_folded};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::rc::Rc;
use std::str::FromStr;
use std::sync::Arc;
use whittle_model::FunctionKind;
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::entity_tree::{EntityTree, ROOT};
use whittle_profile::function_name::FunctionGroup;
use whittle_profile::metrics::{Column, ColumnKind, Columns, Flavour};
use whittle_profile::order::sort_by_key;
use whittle_profile::query::{Preamble, Query, Values, Window};
use whittle_profile::ranking::keep_largest;
use whittle_profile::reduction::{EntityKey, NodeWeights, Reduction};
use whittle_profile::weights::Weights;

/// The definition of this view. Its answer is [`CallTreeView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "call-tree",
        answer: |on, asked| {
            let shape = keys::<Keys>(asked)?.shape()?;
            Ok(Answered::view(call_tree(on.profile, on.query, &shape)?))
        },
    },
    not_compared: None,
    command: Some(Command {
        parameters: &[
            Parameter::text("root", "FUNCTION", "Make this function the root of the tree, with 100 %"),
            Parameter {
                default: Some("1"),
                read: read_number,
                ..Parameter::text("min_percent", "PERCENT", "Leave out nodes below this percentage")
            },
            Parameter { read: read_count, ..Parameter::text("depth", "", "Deepest level to show") },
            Parameter {
                default: Some("root"),
                read: |text| match text.parse::<PercentOf>() {
                    Ok(_) => Ok(text.into()),
                    Err(error) => Err(error.to_string()),
                },
                ..Parameter::text("percent_of", "", "Base of percentages: root or parent")
            },
            Parameter {
                default: Some("folded"),
                read: |text| match text.parse::<FrameworkFrames>() {
                    Ok(_) => Ok(text.into()),
                    Err(error) => Err(error.to_string()),
                },
                ..Parameter::text("frameworks", "", "Frames of frameworks that lead to own code: folded or shown")
            },
        ],
        ..Command::table("The tree of calls, from the root or from one function")
    }),
};

/// The keys of a request for the call tree.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    root: Option<String>,
    min_percent: Option<f64>,
    depth: Option<usize>,
    percent_of: Option<String>,
    frameworks: Option<String>,
}

/// Default for the smallest share of the root in percent. Nodes below this share are left out.
const DEFAULT_MIN_PERCENT: f64 = 1.0;

impl Keys {
    fn shape(self) -> Result<TreeShape, AnalysisError> {
        Ok(TreeShape {
            root: self.root,
            min_ratio: self.min_percent.unwrap_or(DEFAULT_MIN_PERCENT) / 100.0,
            max_depth: self.depth,
            percent_of: self.percent_of.map(|base| base.parse()).transpose()?.unwrap_or_default(),
            frameworks: self.frameworks.map(|frames| frames.parse()).transpose()?.unwrap_or_default(),
        })
    }
}

/// Which part of the call tree to show.
#[derive(Debug, Clone, Default)]
pub struct TreeShape {
    /// The function at the root, or `<Total>` if missing.
    pub root: Option<String>,
    /// Nodes below this share of the root's sort value are left out. 0 keeps all nodes.
    pub min_ratio: f64,
    /// Largest number of levels below the root. Missing if there is no limit.
    pub max_depth: Option<usize>,
    /// The base of percentages.
    pub percent_of: PercentOf,
    /// Whether the frames of frameworks are folded.
    pub frameworks: FrameworkFrames,
}

/// The base of percentages in a call tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PercentOf {
    /// The root of the tree.
    #[default]
    Root,
    /// The parent of the node.
    Parent,
}

impl FromStr for PercentOf {
    type Err = AnalysisError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "root" => Ok(Self::Root),
            "parent" => Ok(Self::Parent),
            _ => Err(AnalysisError::UnknownPercentBase(text.to_owned())),
        }
    }
}

/// The answer of [`call_tree`](call_tree()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CallTreeView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of all rows.
    pub columns: Vec<Column>,
    /// The base of percentages.
    pub percent_of: PercentOf,
    /// Number of subtrees that are left out because they are too deep or too small.
    pub pruned_count: usize,
    /// Number of subtrees that the limit leaves out.
    pub limited_count: usize,
    /// The nodes. The first row is the root. Parents come before children, and the heaviest child comes first.
    pub rows: Vec<TreeRow>,
}

/// One node of the call tree.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TreeRow {
    /// Number of levels below the root.
    pub depth: usize,
    /// The function's name as shown.
    pub function: String,
    /// Kind of code.
    pub kind: FunctionKind,
    /// The node's values. Inclusive values count only this path.
    #[serde(flatten)]
    pub values: Values,
}

/// The call tree. `Query::limit` is the number of nodes.
///
/// # Errors
/// The function is unknown or hidden, the metric is unknown, or the filter contains an unknown name.
pub fn call_tree(profile: &Profile, query: &Query, shape: &TreeShape) -> Result<CallTreeView, AnalysisError> {
    let root = shape.root.as_ref().map(|name| profile.shown_group(name, query)).transpose()?;
    let weights = profile.weights(query)?;
    let columns = profile.columns(ColumnKind::Tree, query, &weights)?;
    let folded = with_folded(query, (shape.frameworks, &[]), shape.root.is_some());
    let reduction = profile.shown(&folded, EntityKey::Function)?;
    let mut preamble = profile.preamble("call-tree", query, (&columns, &weights));
    if has_folded(profile, &reduction) {
        preamble.notes.push(FOLDED.to_owned());
    }
    preamble.notes.extend(root.as_ref().and_then(|group| group.note(profile.names())));
    let mut picking = Picking::new(&reduction, Quantities::new(&reduction, &columns, &weights), shape);
    picking.pick(root.as_ref(), query.limit.unwrap_or(usize::MAX));
    let label = |node: &Merged| match &root {
        Some(group) if node.depth == 0 => group.name.clone(),
        _ => profile.names().display_name(node.entity).to_owned(),
    };
    let rows = picking.rows_depth_first(&columns, label).into_iter().map(|(index, function, values)| {
        let node = &picking.picked[index];
        TreeRow { depth: node.depth, function, kind: profile.names().kind(node.entity), values }
    });
    Ok(CallTreeView {
        preamble,
        percent_of: shape.percent_of,
        pruned_count: picking.pruned_count,
        limited_count: picking.waiting.len(),
        rows: rows.collect(),
        columns: columns.shown,
    })
}

const FOLDED: &str =
    "frames of frameworks between the thread's start and own code are folded; `--frameworks shown` shows them";

/// A node of the call tree. It merges all nodes of the tree of stacks with the same path below the root.
#[derive(Debug)]
pub(crate) struct Merged {
    pub(crate) entity: u32,
    pub(crate) depth: usize,
    /// Position of the parent among the picked nodes. The root is its own parent.
    parent: usize,
    /// The merged nodes in ascending order, as a range of [`Picking::nodes`].
    pub(crate) nodes: Range<usize>,
    /// One number per quantity.
    pub(crate) numbers: Vec<f64>,
}

/// A node that can be picked next. The node with the largest value is picked first. If values are equal, the node that
/// was found first is picked first.
#[derive(Debug)]
struct Waiting {
    value: f64,
    found: usize,
    merged: Merged,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Waiting {}
impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.total_cmp(&other.value).then_with(|| other.found.cmp(&self.found))
    }
}

/// A kind of value that every node of the tree of stacks has.
pub(crate) struct Quantity<'a> {
    metric: usize,
    pub(crate) is_exclusive: bool,
    pub(crate) weights: Rc<NodeWeights<'a>>,
}

impl Quantity<'_> {
    pub(crate) fn of(&self, node: u32) -> f64 {
        if self.is_exclusive { self.weights.exclusive(node) } else { self.weights.inclusive(node) }
    }
}

/// The quantities of the columns.
pub(crate) struct Quantities<'a> {
    pub(crate) all: Vec<Quantity<'a>>,
    /// The quantity of each column.
    pub(crate) positions: Positions,
    /// The quantity by which nodes are picked. It is inclusive, because an exclusive value does not show the cost
    /// below.
    pub(crate) pick: usize,
}

/// Finds the number for a column among the numbers of a node. Each entry describes one number: its metric, and whether
/// it is exclusive.
#[derive(Clone, Default)]
pub(crate) struct Positions(Vec<(usize, bool)>);

impl Positions {
    /// The position of the number for a column. The column must be a sum.
    fn of(&self, column: &Column) -> usize {
        self.find(column.metric_index, column.flavour == Flavour::Exclusive)
    }

    fn find(&self, metric: usize, is_exclusive: bool) -> usize {
        self.0.iter().position(|known| *known == (metric, is_exclusive)).unwrap_or(0)
    }

    /// The value of a column. The column must be a sum.
    pub(crate) fn value(&self, column: &Column, numbers: &[f64]) -> f64 {
        numbers[self.of(column)]
    }

    /// The base of a column's percentages. This is the inclusive value of the node with these numbers.
    pub(crate) fn base(&self, column: &Column, numbers: &[f64]) -> f64 {
        numbers[self.find(column.metric_index, false)]
    }

    /// The value by which siblings are sorted, the largest first. If `column` is missing, siblings are sorted by name.
    pub(crate) fn rank(&self, column: Option<&Column>, numbers: &[f64]) -> f64 {
        column.map_or(0.0, |column| column.rank(|sum| self.value(sum, numbers)))
    }
}

impl<'a> Quantities<'a> {
    pub(crate) fn new(reduction: &'a Reduction, columns: &Columns, weights: &Weights) -> Self {
        let pick = columns.sort.as_ref().or(columns.shown.first()).map_or(0, Column::magnitude_index);
        let shown = columns.shown.iter().chain(&columns.sort).flat_map(Column::sums);
        let needed = shown.flat_map(|column| {
            [(column.metric_index, column.flavour == Flavour::Exclusive), (column.metric_index, false)]
        });
        let mut positions = Positions::default();
        for quantity in needed.chain([(pick, false)]) {
            if !positions.0.contains(&quantity) {
                positions.0.push(quantity);
            }
        }
        let mut metrics: Vec<usize> = positions.0.iter().map(|(metric, _)| *metric).collect();
        sort_by_key(&mut metrics, |metric| *metric);
        metrics.dedup();
        weights.by_stack.prepare(&metrics);
        let mut all: Vec<Quantity<'a>> = Vec::new();
        for (metric, is_exclusive) in positions.0.iter().copied() {
            let same_metric = all.iter().find(|known| known.metric == metric).map(|known| known.weights.clone());
            let weights = same_metric.unwrap_or_else(|| Rc::new(reduction.node_weights(&weights.by_stack[metric])));
            all.push(Quantity { metric, is_exclusive, weights });
        }
        Self { all, pick: positions.find(pick, false), positions }
    }
}

/// Picks the nodes to show, the heaviest first.
pub(crate) struct Picking<'a> {
    tree: &'a EntityTree,
    shape: &'a TreeShape,
    pub(crate) quantities: Quantities<'a>,
    nodes: Vec<u32>,
    picked: Vec<Merged>,
    waiting: BinaryHeap<Waiting>,
    found_count: usize,
    pruned_count: usize,
}

impl<'a> Picking<'a> {
    pub(crate) fn new(reduction: &'a Reduction, quantities: Quantities<'a>, shape: &'a TreeShape) -> Self {
        Self {
            tree: &reduction.tree,
            shape,
            quantities,
            nodes: Vec::new(),
            picked: Vec::new(),
            waiting: BinaryHeap::new(),
            found_count: 0,
            pruned_count: 0,
        }
    }

    fn pick(&mut self, group: Option<&FunctionGroup>, limit: usize) {
        let root = self.root(group);
        let smallest = root.numbers[self.quantities.pick] * self.shape.min_ratio;
        self.wait(root);
        while self.picked.len() < limit
            && let Some(Waiting { merged, .. }) = self.waiting.pop()
        {
            self.picked.push(merged);
            self.find_children(smallest);
        }
    }

    /// Merges the outermost occurrences of the functions. In a merged group, adjacent frames of the group are one
    /// occurrence. The lower frames add their exclusive values and their children. Their inclusive values are already
    /// part of the outermost frame's value.
    pub(crate) fn root(&mut self, group: Option<&FunctionGroup>) -> Merged {
        let Some(group) = group else {
            return self.merged(&[ROOT], (0, 0, 0));
        };
        let is_member = |node: u32| group.functions.contains(&self.tree.entity[node as usize]);
        let (mut outermost, mut adjacent): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut node = 0;
        while (node as usize) < self.tree.len() {
            if !is_member(node) {
                node += 1;
                continue;
            }
            outermost.push(node);
            let mut next = if group.is_merged() { vec![node] } else { Vec::new() };
            while let Some(above) = next.pop() {
                let members: Vec<u32> = self.tree.children(above).filter(|child| is_member(*child)).collect();
                adjacent.extend(&members);
                next.extend(members);
            }
            node = self.tree.end[node as usize];
        }
        let mut root = self.merged(&outermost, (group.functions[0], 0, 0));
        for (quantity, number) in self.quantities.all.iter().zip(&mut root.numbers).filter(|(q, _)| q.is_exclusive) {
            *number += adjacent.iter().map(|node| quantity.of(*node)).sum::<f64>();
        }
        self.nodes.extend(adjacent);
        root.nodes.end = self.nodes.len();
        self.nodes[root.nodes.clone()].sort_unstable();
        root
    }

    /// Merges nodes from different subtrees.
    fn merged(&mut self, nodes: &[u32], (entity, depth, parent): (u32, usize, usize)) -> Merged {
        let sum = |quantity: &Quantity<'_>| nodes.iter().map(|node| quantity.of(*node)).sum();
        let numbers = self.quantities.all.iter().map(sum).collect();
        let start = self.nodes.len();
        self.nodes.extend(nodes);
        Merged { entity, depth, parent, nodes: start..self.nodes.len(), numbers }
    }

    fn wait(&mut self, merged: Merged) {
        let value = merged.numbers[self.quantities.pick];
        self.waiting.push(Waiting { value, found: self.found_count, merged });
        self.found_count += 1;
    }

    /// Finds the children of the last picked node.
    fn find_children(&mut self, smallest: f64) {
        let parent = self.picked.len() - 1;
        let depth = self.picked[parent].depth + 1;
        for merged in self.children(self.picked[parent].nodes.clone(), (depth, parent)) {
            let is_too_small = merged.numbers[self.quantities.pick] < smallest;
            if is_too_small || self.shape.max_depth.is_some_and(|most| depth > most) {
                self.pruned_count += 1;
            } else {
                self.wait(merged);
            }
        }
    }

    /// The children of merged nodes. Children without a value are left out.
    pub(crate) fn children(&mut self, of: Range<usize>, (depth, parent): (usize, usize)) -> Vec<Merged> {
        let own = &self.nodes[of];
        let mut children: Vec<(u32, u32)> = Vec::new();
        for node in own {
            let below = self.tree.children(*node).filter(|child| own.len() == 1 || own.binary_search(child).is_err());
            children.extend(below.map(|child| (self.tree.entity[child as usize], child)));
        }
        if own.len() > 1 {
            children.sort_unstable();
        }
        let groups = children.chunk_by(|(a, _), (b, _)| a == b);
        let merged = groups.map(|group| {
            let nodes: Vec<u32> = group.iter().map(|(_, child)| *child).collect();
            self.merged(&nodes, (group[0].0, depth, parent))
        });
        merged.filter(|merged| merged.numbers.iter().any(|number| *number != 0.0)).collect()
    }

    /// The nodes that were merged into `merged`, in ascending order.
    pub(crate) fn nodes_of(&self, merged: &Merged) -> &[u32] {
        &self.nodes[merged.nodes.clone()]
    }

    /// The picked nodes, parents before children, siblings in the requested order.
    fn rows_depth_first(&self, columns: &Columns, label: impl Fn(&Merged) -> String) -> Vec<(usize, String, Values)> {
        let labels: Vec<String> = self.picked.iter().map(label).collect();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.picked.len()];
        for (index, node) in self.picked.iter().enumerate().skip(1) {
            children[node.parent].push(index);
        }
        let shown: Arc<[Column]> = columns.shown.clone().into();
        let positions = &self.quantities.positions;
        let rank = |index: &usize| positions.rank(columns.sort.as_ref(), &self.picked[*index].numbers);
        let mut rows = Vec::with_capacity(self.picked.len());
        let mut next: Vec<usize> = self.picked.first().map(|_| 0).into_iter().collect();
        while let Some(index) = next.pop() {
            let below = &mut children[index];
            keep_largest(below, Window::ALL, rank, |index| &labels[*index]);
            next.extend(below.drain(..).rev());
            let numbers = &self.picked[index].numbers;
            let numbers = shown.iter().map(|column| column.value(|sum| positions.value(sum, numbers))).collect();
            let values = Values { columns: shown.clone(), numbers, bases: self.bases(&shown, index) };
            rows.push((index, labels[index].clone(), values));
        }
        rows
    }

    /// The bases of a node's percentages. These are the inclusive values of the root or of the node's parent.
    fn bases(&self, columns: &[Column], index: usize) -> Arc<[f64]> {
        let of = match self.shape.percent_of {
            PercentOf::Root => 0,
            PercentOf::Parent => self.picked[index].parent,
        };
        let numbers = &self.picked[of].numbers;
        columns.iter().map(|column| self.quantities.positions.base(column, numbers)).collect()
    }
}
