//! The call tree: the whole of it, or everything below a chosen function.
//!
//! Rooted at a function, all its occurrences are merged; an occurrence inside another is an
//! ordinary node of the tree. Nodes are picked heaviest first, so a limit keeps what matters, and
//! only nodes that are shown are ever merged.

use crate::entity_tree::{EntityTree, ROOT};
use crate::function_name::FunctionGroup;
use crate::functions::keep_largest;
use crate::metrics::{Column, ColumnKind, Columns, Flavour};
use crate::order::sort_by_key;
use crate::query::{Preamble, Query, Values, Window};
use crate::reduction::{EntityKey, NodeWeights, Reduction};
use crate::weights::Weights;
use crate::{AnalysisError, Profile};
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::rc::Rc;
use std::str::FromStr;
use std::sync::Arc;
use whittle_model::FunctionKind;

/// Which part of the call tree to show.
#[derive(Debug, Clone, Default)]
pub struct TreeShape {
    /// The function at the root; missing: `<Total>`.
    pub root: Option<String>,
    /// Nodes below this share of the root's sort value are left out; 0 keeps all.
    pub min_ratio: f64,
    /// Largest number of levels below the root; missing: no limit.
    pub max_depth: Option<usize>,
    /// What percentages are of.
    pub percent_of: PercentOf,
}

/// What percentages in a call tree are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PercentOf {
    /// The root of the tree.
    #[default]
    Root,
    /// The node above.
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

/// The answer of [`Profile::call_tree`].
#[derive(Debug, Clone, Serialize)]
pub struct CallTreeView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of all rows.
    pub columns: Vec<Column>,
    /// What percentages are of.
    pub percent_of: PercentOf,
    /// Branches left out because of depth or share.
    pub pruned_count: usize,
    /// Branches left out because of the limit.
    pub limited_count: usize,
    /// Nodes, parents before children, heaviest child first; the first is the root.
    pub rows: Vec<TreeRow>,
}

/// One node of the call tree.
#[derive(Debug, Clone, Serialize)]
pub struct TreeRow {
    /// Number of levels below the root.
    pub depth: usize,
    /// The function's name as shown.
    pub function: String,
    /// Kind of code.
    pub kind: FunctionKind,
    /// Its values: inclusive is that of this path.
    #[serde(flatten)]
    pub values: Values,
}

impl Profile {
    /// The call tree. `Query::limit` is the number of nodes.
    ///
    /// # Errors
    /// An unknown or hidden function, an unknown metric, or a filter that names what is not there.
    pub fn call_tree(&self, query: &Query, shape: &TreeShape) -> Result<CallTreeView, AnalysisError> {
        let root = shape.root.as_ref().map(|name| self.shown_group(name, query)).transpose()?;
        let weights = self.weights(query)?;
        let columns = self.columns(ColumnKind::Tree, query, &weights)?;
        let reduction = self.shown(query, EntityKey::Function)?;
        let mut preamble = self.preamble("call-tree", query, (&columns, &weights));
        preamble.notes.extend(root.as_ref().and_then(|group| group.note(self.names())));
        let mut picking = Picking::new(&reduction, Quantities::new(&reduction, &columns, &weights), shape);
        picking.pick(root.as_ref(), query.limit.unwrap_or(usize::MAX));
        let label = |node: &Merged| match &root {
            Some(group) if node.depth == 0 => group.name.clone(),
            _ => self.names().display_name(node.entity).to_owned(),
        };
        let rows = picking.rows_depth_first(&columns, label).into_iter().map(|(index, function, values)| {
            let node = &picking.picked[index];
            TreeRow { depth: node.depth, function, kind: self.names().kind(node.entity), values }
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
}

/// A node of the call tree: one or several nodes of the tree of stacks with the same path below the root.
#[derive(Debug)]
pub(crate) struct Merged {
    pub(crate) entity: u32,
    pub(crate) depth: usize,
    /// Position of the parent among the picked; the root's own.
    parent: usize,
    /// The merged nodes in ascending order, in [`Picking::nodes`].
    pub(crate) nodes: Range<usize>,
    /// One a quantity.
    pub(crate) numbers: Vec<f64>,
}

/// A node that waits for being picked: largest value first, then the one found first.
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

/// A value that every node of the tree of stacks has.
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

/// The quantities that columns show.
pub(crate) struct Quantities<'a> {
    pub(crate) all: Vec<Quantity<'a>>,
    /// Which of them a column shows.
    pub(crate) positions: Positions,
    /// What nodes are picked by: inclusive, since an exclusive value says nothing of what lies below.
    pub(crate) pick: usize,
}

/// Where the numbers of a node hold what a column shows: per number its metric, and whether it is exclusive.
#[derive(Clone, Default)]
pub(crate) struct Positions(Vec<(usize, bool)>);

impl Positions {
    /// The position of a column that is a sum.
    fn of(&self, column: &Column) -> usize {
        self.find(column.metric_index, column.flavour == Flavour::Exclusive)
    }

    fn find(&self, metric: usize, is_exclusive: bool) -> usize {
        self.0.iter().position(|known| *known == (metric, is_exclusive)).unwrap_or(0)
    }

    /// The value of a column that is a sum.
    pub(crate) fn value(&self, column: &Column, numbers: &[f64]) -> f64 {
        numbers[self.of(column)]
    }

    /// What percentages of a column are of, given the numbers of that node: its inclusive value.
    pub(crate) fn base(&self, column: &Column, numbers: &[f64]) -> f64 {
        numbers[self.find(column.metric_index, false)]
    }

    /// What siblings are sorted by, the largest first; missing: by name.
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

/// The nodes to show, picked heaviest first.
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

    /// All occurrences of the functions that are not inside another. Of a merged group, frames
    /// directly below each other are one occurrence: the lower ones bring their exclusive values
    /// and their children, their inclusive values are in the outermost one's.
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

    /// Merges nodes that lie in different subtrees.
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

    /// Finds the children of the node picked last.
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

    /// The children of merged nodes that have a value.
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

    /// The nodes that were merged, in ascending order.
    pub(crate) fn nodes_of(&self, merged: &Merged) -> &[u32] {
        &self.nodes[merged.nodes.clone()]
    }

    /// The picked nodes, parents before children, siblings in the asked order.
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

    /// What 100 percent is for a node: its root's or its parent's inclusive values.
    fn bases(&self, columns: &[Column], index: usize) -> Arc<[f64]> {
        let of = match self.shape.percent_of {
            PercentOf::Root => 0,
            PercentOf::Parent => self.picked[index].parent,
        };
        let numbers = &self.picked[of].numbers;
        columns.iter().map(|column| self.quantities.positions.base(column, numbers)).collect()
    }
}
