//! A call tree that opens on demand: the rows of the visible part, for a screen.
//!
//! Downward, from callers to callees, it is the call tree. Upward, from callees to callers, its first level is the
//! functions in which stacks end, and below each stand those that called it:
//!
//! ```text
//! callees                     callers
//! <Total>          3          <Total>          3
//! └─ main          3          ├─ write         2      of which main called 2
//!    ├─ write      2          │  └─ main       2
//!    └─ parse      1          └─ parse         1
//! ```
//!
//! Only nodes that are expanded are ever looked into. A node keeps its number as long as experiment, view mode,
//! transforms, direction and root stay the same, so a front end can remember what it has expanded.

use crate::call_tree::{Merged, Picking, Positions, Quantities, TreeShape};
use crate::entity_tree::{EntityTree, ROOT};
use crate::flame_graph::Direction;
use crate::function_name::FunctionGroup;
use crate::functions::{ValueShape, keep_largest};
use crate::metrics::{Column, ColumnKind};
use crate::order::sort_by_key;
use crate::query::{Preamble, Query, Values, Window};
use crate::reduction::{EntityKey, Reduction};
use crate::{AnalysisError, Profile};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use whittle_model::FunctionKind;

/// Which part of the tree is visible.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TreeRowsShape {
    /// Whether the tree leads to callees or to callers.
    pub direction: Direction,
    /// The function at the root; missing: `<Total>`.
    pub root: Option<String>,
    /// Nodes whose children are visible. The root's are unless it is collapsed.
    pub expanded: Vec<u64>,
    /// Nodes whose children are not visible, whatever else is said.
    pub collapsed: Vec<u64>,
    /// Whether the heaviest child of a node, its heaviest child and so on to the end are expanded.
    pub hot: bool,
    /// The node where that begins; missing: the root.
    pub hot_from: Option<u64>,
}

/// The answer of [`Profile::tree_rows`].
#[derive(Debug, Clone, Serialize)]
pub struct TreeRowsView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of all rows.
    pub columns: Vec<Column>,
    /// Whether the tree leads to callees or to callers.
    pub direction: Direction,
    /// Number of visible rows without a limit.
    pub row_count: usize,
    /// The nodes of the hot path, from its beginning; empty if it was not asked for.
    pub hot_path: Vec<u64>,
    /// Position of the hot path's last node among the visible rows. Missing: it was not asked for.
    pub hot_row: Option<usize>,
    /// The window of the visible rows, parents before children; the first of all is the root.
    pub rows: Vec<TreeWindowRow>,
}

/// One visible node.
#[derive(Debug, Clone, Serialize)]
pub struct TreeWindowRow {
    /// Its number.
    pub node: u64,
    /// Number of levels below the root.
    pub depth: usize,
    /// The function's name as shown.
    pub function: String,
    /// Kind of code.
    pub kind: FunctionKind,
    /// Number of its children.
    pub child_count: usize,
    /// True if its children are visible.
    pub is_expanded: bool,
    /// Its values; inclusive is that of this path. Upward, only the first level has exclusive ones.
    #[serde(flatten)]
    pub values: Values,
}

/// A node that was found.
struct Found<N> {
    id: u64,
    entity: u32,
    /// One a quantity.
    numbers: Vec<f64>,
    /// What its children are found by.
    nodes: N,
}

/// A tree whose nodes are found when they are needed.
trait Opening {
    /// What children are found by.
    type Nodes;
    fn root(&mut self) -> Found<Self::Nodes>;
    fn children(&mut self, depth: usize, of: &Found<Self::Nodes>) -> Vec<Found<Self::Nodes>>;
}

impl Profile {
    /// The visible rows of a call tree.
    ///
    /// # Errors
    /// An unknown or hidden function, an unknown metric, or a filter that names what is not there.
    pub fn tree_rows(&self, query: &Query, shape: &TreeRowsShape) -> Result<TreeRowsView, AnalysisError> {
        let root = shape.root.as_ref().map(|name| self.shown_group(name, query)).transpose()?;
        let weights = self.weights(query)?;
        let columns = self.columns(ColumnKind::Tree, query, &weights)?;
        let reduction = self.shown(query, EntityKey::Function)?;
        let quantities = Quantities::new(&reduction, &columns, &weights);
        let positions = quantities.positions.clone();
        let order = Order { positions: positions.clone(), sort: columns.sort.clone(), pick: quantities.pick };
        let mut visible = Visible::new(self, shape, (order, query.window()));
        match shape.direction {
            Direction::Callees => {
                let whole = TreeShape::default();
                let picking = Picking::new(&reduction, quantities, &whole);
                visible.visit(&mut Callees { picking, root: root.as_ref() });
            }
            Direction::Callers => visible.visit(&mut Callers::new(&reduction, quantities, root.as_ref())),
        }
        let mut preamble = self.preamble("tree-rows", query, (&columns, &weights));
        preamble.notes.extend(root.as_ref().and_then(|group| group.note(self.names())));
        let values = ValueShape::new(&columns.shown, |column| positions.base(column, &visible.root_numbers));
        let rows = visible.rows.iter().map(|row| TreeWindowRow {
            node: row.id,
            depth: row.depth,
            function: match &root {
                Some(group) if row.depth == 0 => group.name.clone(),
                _ => self.names().display_name(row.entity).to_owned(),
            },
            kind: self.names().kind(row.entity),
            child_count: row.child_count,
            is_expanded: row.is_expanded,
            values: values.values(|column| positions.value(column, &row.numbers)),
        });
        Ok(TreeRowsView {
            preamble,
            direction: shape.direction,
            row_count: visible.row_count,
            rows: rows.collect(),
            hot_row: visible.hot_row,
            hot_path: visible.hot_path,
            columns: columns.shown,
        })
    }
}

/// What siblings are sorted by, and which of them is the heaviest.
struct Order {
    positions: Positions,
    /// Missing: sorted by name.
    sort: Option<Column>,
    /// Position of the number that says how heavy a node is.
    pick: usize,
}

/// A row of the window.
struct VisibleRow {
    id: u64,
    entity: u32,
    depth: usize,
    numbers: Vec<f64>,
    child_count: usize,
    is_expanded: bool,
}

/// The visible rows, as far as they were visited.
struct Visible<'a> {
    profile: &'a Profile,
    shape: &'a TreeRowsShape,
    order: Order,
    window: Window,
    expanded: FxHashSet<u64>,
    collapsed: FxHashSet<u64>,
    rows: Vec<VisibleRow>,
    row_count: usize,
    root_numbers: Vec<f64>,
    hot_path: Vec<u64>,
    hot_row: Option<usize>,
}

impl<'a> Visible<'a> {
    fn new(profile: &'a Profile, shape: &'a TreeRowsShape, (order, window): (Order, Window)) -> Self {
        Self {
            profile,
            shape,
            order,
            window,
            expanded: shape.expanded.iter().copied().collect(),
            collapsed: shape.collapsed.iter().copied().collect(),
            rows: Vec::new(),
            row_count: 0,
            root_numbers: Vec::new(),
            hot_path: Vec::new(),
            hot_row: None,
        }
    }

    fn visit<T: Opening>(&mut self, tree: &mut T) {
        let root = tree.root();
        self.root_numbers.clone_from(&root.numbers);
        // Nodes with their depth, and whether the hot path leads to them.
        let mut waiting = vec![(root, 0, false)];
        while let Some((node, depth, is_below_hot)) = waiting.pop() {
            let position = self.row_count;
            self.row_count += 1;
            let begins = self.shape.hot && self.shape.hot_from.map_or(depth == 0, |from| from == node.id);
            let is_hot = is_below_hot || begins;
            if is_hot {
                self.hot_path.push(node.id);
                self.hot_row = Some(position);
            }
            let is_expanded =
                (depth == 0 || is_hot || self.expanded.contains(&node.id)) && !self.collapsed.contains(&node.id);
            let is_in_window = position >= self.window.skip
                && self.window.limit.is_none_or(|limit| position - self.window.skip < limit);
            let mut children = if is_expanded || is_in_window { tree.children(depth, &node) } else { Vec::new() };
            if is_in_window {
                let (id, entity, child_count) = (node.id, node.entity, children.len());
                let is_expanded = is_expanded && child_count > 0;
                self.rows.push(VisibleRow { id, entity, depth, numbers: node.numbers, child_count, is_expanded });
            }
            if is_expanded {
                let hottest = is_hot.then(|| self.heaviest(&children)).flatten();
                self.sort(&mut children);
                let below = children.into_iter().rev();
                waiting.extend(
                    below.map(|child| (hottest == Some(child.id), child)).map(|(hot, child)| (child, depth + 1, hot)),
                );
            }
        }
    }

    fn heaviest<N>(&self, children: &[Found<N>]) -> Option<u64> {
        let value = |child: &&Found<N>| child.numbers[self.order.pick];
        let heaviest = children.iter().max_by(|a, b| value(a).total_cmp(&value(b)).then_with(|| b.id.cmp(&a.id)));
        heaviest.map(|child| child.id)
    }

    fn sort<N>(&self, children: &mut Vec<Found<N>>) {
        let names = self.profile.names();
        let rank = |child: &Found<N>| self.order.positions.rank(self.order.sort.as_ref(), &child.numbers);
        keep_largest(children, Window::ALL, rank, |child| (names.display_name(child.entity), child.id));
    }
}

/// The call tree.
struct Callees<'a> {
    picking: Picking<'a>,
    root: Option<&'a FunctionGroup>,
}

impl Callees<'_> {
    /// Every node of the tree of stacks is in one merged node at most: its smallest tells it apart.
    fn found(&self, merged: Merged) -> Found<Merged> {
        let id = self.picking.nodes_of(&merged).first().copied().unwrap_or(ROOT);
        Found { id: u64::from(id), entity: merged.entity, numbers: merged.numbers.clone(), nodes: merged }
    }
}

impl Opening for Callees<'_> {
    type Nodes = Merged;

    fn root(&mut self) -> Found<Merged> {
        let root = self.picking.root(self.root);
        self.found(root)
    }

    fn children(&mut self, depth: usize, of: &Found<Merged>) -> Vec<Found<Merged>> {
        let children = self.picking.children(of.nodes.nodes.clone(), (depth + 1, 0));
        children.into_iter().map(|child| self.found(child)).collect()
    }
}

/// Callers, outward from where stacks end or from the outermost occurrences of a function.
struct Callers<'a> {
    tree: &'a EntityTree,
    /// Where the ways outward begin.
    starts: Vec<Start>,
    /// Per quantity: its value at each start.
    values: Vec<Vec<f64>>,
    /// Per quantity, whether it is exclusive.
    is_exclusive: Vec<bool>,
    /// The function at the root; missing: `<Total>`.
    root: Option<&'a FunctionGroup>,
    root_exclusive: Vec<f64>,
}

/// Where a way outward begins: a node of the tree.
type Start = u32;

/// How far a way outward has come.
#[derive(Clone, Copy)]
struct Way {
    /// Position among the starts.
    start: u32,
    /// The node that it has come to.
    node: u32,
}

impl<'a> Callers<'a> {
    fn new(reduction: &'a Reduction, quantities: Quantities<'a>, root: Option<&'a FunctionGroup>) -> Self {
        let tree = &reduction.tree;
        let starts = match root {
            None => reduction.node_of_end.clone(),
            Some(group) => outermost(tree, group),
        };
        // A stack that ends at a node weighs what the node has of its own; a function all that is below it.
        let value = |quantity: &crate::call_tree::Quantity<'_>, node: u32| match root {
            None => quantity.weights.exclusive(node),
            Some(_) => quantity.weights.inclusive(node),
        };
        let values = quantities.all.iter().map(|quantity| starts.iter().map(|node| value(quantity, *node)).collect());
        let own = |node: &u32| root.is_none_or(|group| group.functions.contains(&tree.entity[*node as usize]));
        let root_exclusive = quantities.all.iter().map(|quantity| {
            let nodes =
                (0..tree.len() as u32).filter(|node| root.is_some() && own(node) || *node == ROOT && root.is_none());
            nodes.map(|node| quantity.weights.exclusive(node)).sum()
        });
        Self {
            values: values.collect(),
            is_exclusive: quantities.all.iter().map(|quantity| quantity.is_exclusive).collect(),
            root_exclusive: root_exclusive.collect(),
            tree,
            starts,
            root,
        }
    }

    /// The node of some ways that agree in their functions; of one depth no two nodes share a way.
    fn found(&self, depth: usize, entity: u32, ways: Vec<Way>) -> Found<Vec<Way>> {
        let first = ways.first().map_or(0, |way| way.start);
        let has_own = depth == 1 && self.root.is_none();
        let numbers = self.values.iter().zip(&self.is_exclusive).map(|(values, is_exclusive)| {
            if *is_exclusive && !has_own { 0.0 } else { ways.iter().map(|way| values[way.start as usize]).sum() }
        });
        Found { id: ((depth as u64) << 32) | u64::from(first), entity, numbers: numbers.collect(), nodes: ways }
    }
}

impl Opening for Callers<'_> {
    type Nodes = Vec<Way>;

    fn root(&mut self) -> Found<Vec<Way>> {
        let ways = self.starts.iter().zip(0..).map(|(node, start)| Way { start, node: *node }).collect();
        let entity = self.root.map_or(self.tree.entity[ROOT as usize], |group| group.functions[0]);
        let mut root = self.found(0, entity, ways);
        for (number, (own, _)) in
            root.numbers.iter_mut().zip(self.root_exclusive.iter().zip(&self.is_exclusive)).filter(|(_, (_, is))| **is)
        {
            *number = *own;
        }
        root.id = 0;
        root
    }

    fn children(&mut self, depth: usize, of: &Found<Vec<Way>>) -> Vec<Found<Vec<Way>>> {
        // Below <Total> stand the functions where the ways begin, elsewhere those one step further out.
        let is_first_level = depth == 0 && self.root.is_none();
        let step = |way: &Way| if is_first_level { way.node } else { self.tree.parent[way.node as usize] };
        let steps = of.nodes.iter().map(|way| Way { node: step(way), ..*way }).filter(|way| way.node != ROOT);
        let mut ways: Vec<(u32, Way)> = steps.map(|way| (self.tree.entity[way.node as usize], way)).collect();
        sort_by_key(&mut ways, |(entity, way)| (*entity, way.start));
        let groups = ways.chunk_by(|(a, _), (b, _)| a == b);
        let found = groups.map(|group| self.found(depth + 1, group[0].0, group.iter().map(|(_, way)| *way).collect()));
        found.filter(|found| found.numbers.iter().any(|number| *number != 0.0)).collect()
    }
}

/// The occurrences of functions that are not inside another one.
fn outermost(tree: &EntityTree, group: &FunctionGroup) -> Vec<u32> {
    let mut found = Vec::new();
    let mut node = 0;
    while node < tree.len() {
        if group.functions.contains(&tree.entity[node]) {
            found.push(node as u32);
            node = tree.end[node] as usize;
        } else {
            node += 1;
        }
    }
    found
}
