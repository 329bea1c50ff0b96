//! A call tree that opens on demand. It contains only the rows that a screen shows.
//!
//! Towards callees, this is the call tree. Towards callers, the first level contains the functions at the ends of
//! stacks. Below each function are its callers:
//!
//! ```text
//! callees                     callers
//! <Total>          3          <Total>          3
//! └─ main          3          ├─ write         2      2 of them called by main
//!    ├─ write      2          │  └─ main       2
//!    └─ parse      1          └─ parse         1
//! ```
//!
//! Only expanded nodes get children. A node keeps its number while experiment, view mode, transforms, direction and
//! root stay the same, also if folded frames are opened. Therefore, a front end can remember which nodes are expanded.

use crate::call_tree::{Merged, Picking, Positions, Quantities, TreeShape};
use crate::definition::{Answered, Answerer, ViewDefinition, keys};
use crate::flame_graph::Direction;
use crate::shown_stacks::{FrameworkFrames, has_folded, with_folded};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use whittle_model::FunctionKind;
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::entity_tree::{EntityTree, ROOT};
use whittle_profile::function_name::FunctionGroup;
use whittle_profile::metrics::{Column, ColumnKind};
use whittle_profile::order::sort_by_key;
use whittle_profile::query::{Preamble, Query, Values, Window};
use whittle_profile::ranking::keep_largest;
use whittle_profile::reduction::{EntityKey, Reduction};
use whittle_profile::value_shape::ValueShape;

/// The definition of this view. Its answer is [`TreeRowsView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "tree-rows",
        answer: |on, asked| {
            let shape: TreeRowsShape = keys(asked)?;
            Answered::data(&tree_rows(on.profile, on.query, &shape)?)
        },
    },
    not_compared: None,
    command: None,
};

/// Which part of the tree is visible.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TreeRowsShape {
    /// Whether the tree leads to callees or to callers.
    pub direction: Direction,
    /// The function at the root, or `<Total>` if missing.
    pub root: Option<String>,
    /// Nodes with visible children. The children of the root are visible unless the root is collapsed.
    pub expanded: Vec<u64>,
    /// Nodes with hidden children, even if they are also expanded.
    pub collapsed: Vec<u64>,
    /// Whether a hot path is expanded: the heaviest child of a node, the heaviest child of that child, and so on.
    pub hot: bool,
    /// The node where the hot path begins, or the root if missing.
    pub hot_from: Option<u64>,
    /// Whether the frames of frameworks are folded.
    pub frameworks: FrameworkFrames,
    /// Nodes of folded frames that are shown nevertheless.
    pub opened: Vec<u32>,
}

/// The answer of [`tree_rows`](tree_rows()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TreeRowsView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of all rows.
    pub columns: Vec<Column>,
    /// Whether the tree leads to callees or to callers.
    pub direction: Direction,
    /// Number of visible rows before the limit is applied.
    pub row_count: usize,
    /// The nodes of the hot path, from its beginning. Empty if not requested.
    pub hot_path: Vec<u64>,
    /// True if frames of frameworks are folded.
    pub has_folded: bool,
    /// Position of the hot path's last node among the visible rows. Missing if not requested.
    pub hot_row: Option<usize>,
    /// The requested window of the visible rows. Parents come before children. The first visible row is the root.
    pub rows: Vec<TreeWindowRow>,
}

/// One visible node.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TreeWindowRow {
    /// Number of the node.
    pub node: u64,
    /// Number of levels below the root.
    pub depth: usize,
    /// The function's name as shown.
    pub function: String,
    /// Kind of code.
    pub kind: FunctionKind,
    /// Number of children.
    pub child_count: usize,
    /// True if the node's children are visible.
    pub is_expanded: bool,
    /// The node's values. Inclusive values count only this path. Towards callers, only the first level has exclusive
    /// values.
    #[serde(flatten)]
    pub values: Values,
}

/// A found node.
struct Found<N> {
    id: u64,
    entity: u32,
    /// One number per quantity.
    numbers: Vec<f64>,
    /// The key for finding the node's children.
    nodes: N,
}

/// A tree that finds each node only when the node is needed.
trait Opening {
    /// The key for finding children.
    type Nodes;
    fn root(&mut self) -> Found<Self::Nodes>;
    fn children(&mut self, depth: usize, of: &Found<Self::Nodes>) -> Vec<Found<Self::Nodes>>;
}

/// The visible rows of a call tree.
///
/// # Errors
/// The function is unknown or hidden, the metric is unknown, or the filter contains an unknown name.
pub fn tree_rows(profile: &Profile, query: &Query, shape: &TreeRowsShape) -> Result<TreeRowsView, AnalysisError> {
    let root = shape.root.as_ref().map(|name| profile.shown_group(name, query)).transpose()?;
    let weights = profile.weights(query)?;
    let columns = profile.columns(ColumnKind::Tree, query, &weights)?;
    let shows_all = shape.root.is_some() || shape.direction == Direction::Callers;
    let folded = with_folded(query, (shape.frameworks, &shape.opened), shows_all);
    let reduction = profile.shown(&folded, EntityKey::Function)?;
    let quantities = Quantities::new(&reduction, &columns, &weights);
    let positions = quantities.positions.clone();
    let order = Order { positions: positions.clone(), sort: columns.sort.clone(), pick: quantities.pick };
    let mut visible = Visible::new(profile, shape, (order, query.window()));
    if shape.direction == Direction::Callees {
        // A front end can have the number of another node that the same row shows.
        let id = |id: u64| Some(reduction.id_of(reduction.node_of_id(u32::try_from(id).ok()?)?));
        for ids in [&mut visible.expanded, &mut visible.collapsed] {
            *ids = ids.iter().filter_map(|old| id(*old).map(u64::from)).collect();
        }
        visible.hot_from = shape.hot_from.map(|from| id(from).map_or(from, u64::from));
    }
    match shape.direction {
        Direction::Callees => {
            let whole = TreeShape::default();
            let picking = Picking::new(&reduction, quantities, &whole);
            visible.visit(&mut Callees { picking, reduction: &reduction, root: root.as_ref() });
        }
        Direction::Callers => visible.visit(&mut Callers::new(&reduction, quantities, root.as_ref())),
    }
    let mut preamble = profile.preamble("tree-rows", query, (&columns, &weights));
    preamble.notes.extend(root.as_ref().and_then(|group| group.note(profile.names())));
    let values = ValueShape::new(&columns.shown, |column| positions.base(column, &visible.root_numbers));
    let rows = visible.rows.iter().map(|row| TreeWindowRow {
        node: row.id,
        depth: row.depth,
        function: match &root {
            Some(group) if row.depth == 0 => group.name.clone(),
            _ => profile.names().display_name(row.entity).to_owned(),
        },
        kind: profile.names().kind(row.entity),
        child_count: row.child_count,
        is_expanded: row.is_expanded,
        values: values.values(|column| positions.value(column, &row.numbers)),
    });
    Ok(TreeRowsView {
        has_folded: has_folded(profile, &reduction),
        preamble,
        direction: shape.direction,
        row_count: visible.row_count,
        rows: rows.collect(),
        hot_row: visible.hot_row,
        hot_path: visible.hot_path,
        columns: columns.shown,
    })
}

/// The value by which siblings are sorted, and the value that decides which sibling is the heaviest.
struct Order {
    positions: Positions,
    /// The sort column. Missing if rows are sorted by name.
    sort: Option<Column>,
    /// Position of the number that is a node's weight.
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

/// The visible rows that were visited.
struct Visible<'a> {
    profile: &'a Profile,
    shape: &'a TreeRowsShape,
    order: Order,
    window: Window,
    hot_from: Option<u64>,
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
            hot_from: shape.hot_from,
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
        // Each entry has a node, its depth, and whether the hot path leads to this node.
        let mut waiting = vec![(root, 0, false)];
        while let Some((node, depth, is_below_hot)) = waiting.pop() {
            let position = self.row_count;
            self.row_count += 1;
            let begins = self.shape.hot && self.hot_from.map_or(depth == 0, |from| from == node.id);
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
    reduction: &'a Reduction,
    root: Option<&'a FunctionGroup>,
}

impl Callees<'_> {
    /// A merged node with its number. Every node of the tree of stacks is in at most one merged node, so the smallest
    /// node identifies the merged node.
    fn found(&self, merged: Merged) -> Found<Merged> {
        let id = self.picking.nodes_of(&merged).first().copied().unwrap_or(ROOT);
        let id = self.reduction.id_of(id);
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

/// The tree of callers. Its ways lead outward from the ends of stacks, or from the outermost occurrences of a function.
struct Callers<'a> {
    tree: &'a EntityTree,
    /// The starts of the ways outward.
    starts: Vec<Start>,
    /// The value of each quantity at each start.
    values: Vec<Vec<f64>>,
    /// Whether each quantity is exclusive.
    is_exclusive: Vec<bool>,
    /// The function at the root. Missing if the root is `<Total>`.
    root: Option<&'a FunctionGroup>,
    root_exclusive: Vec<f64>,
}

/// The start of a way outward: a node of the tree.
type Start = u32;

/// The current place of a way outward.
#[derive(Clone, Copy)]
struct Way {
    /// Position among the starts.
    start: u32,
    /// The node that the way has reached.
    node: u32,
}

impl<'a> Callers<'a> {
    fn new(reduction: &'a Reduction, quantities: Quantities<'a>, root: Option<&'a FunctionGroup>) -> Self {
        let tree = &reduction.tree;
        let starts = match root {
            None => reduction.node_of_end.clone(),
            Some(group) => outermost(tree, group),
        };
        // The weight of a stack's end is its exclusive value. The weight of a function is its inclusive value.
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

    /// The node for all ways with the same functions. At each depth, a way is part of only one node.
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
        // The children of `<Total>` are the functions where the ways begin. The children of other nodes are the
        // functions one step further out.
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

/// The occurrences of functions that are not inside another occurrence.
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
