//! The stack table as a view mode shows it: an [`EntityTree`], and for every observed stack the
//! node that its weight goes to. Computed once per (mode, key).

use crate::code_groups::CodeGroups;
use crate::ends_before::EndsBefore;
use crate::entity_tree::{EntityTree, ROOT, RawTree};
use crate::samples::ObservedStacks;
use crate::view_mode::{ViewMode, Visibility, frame_visibilities};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use whittle_model::{FunctionKind, StackIndex, Table, Tables};

/// What the nodes of a tree stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntityKey {
    /// Functions.
    Function,
    /// Places in code: function and line, or function and bytecode index where no line is known.
    Line,
    /// Frames: rows of the frames table.
    Frame,
}

/// The pseudo-functions that stand for stacks without Java frames.
const JVM_SYSTEM: &str = "<JVM-System>";
const NO_JAVA: &str = "<no Java callstack recorded>";

/// A place in code that an entity stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    /// Function, numbered as in [`FunctionNames`].
    pub(crate) function: u32,
    /// Source line; missing in trees of functions, or not known.
    pub(crate) line: Option<u32>,
    /// Bytecode index, if the line is not known; missing in trees of functions, or not known.
    pub(crate) bytecode_index: Option<u32>,
}

impl Place {
    /// A function as a whole.
    pub(crate) fn in_function(function: u32) -> Self {
        Self { function, line: None, bytecode_index: None }
    }
}

/// The node of a stack that a transform left out.
pub(crate) const LEFT_OUT: u32 = u32::MAX;

/// Names of functions: the rows of the functions table, then [`JVM_SYSTEM`] and [`NO_JAVA`], then those of the
/// packages and binaries that transforms can make one frame of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FunctionNames<'a> {
    pub(crate) tables: &'a Tables,
    pub(crate) groups: &'a CodeGroups,
}

impl<'a> FunctionNames<'a> {
    /// Number of functions, pseudo-functions, packages and binaries included.
    pub(crate) fn count(self) -> u32 {
        self.recorded_count() + self.groups.len()
    }

    /// Number of functions, packages and binaries not included.
    pub(crate) fn recorded_count(self) -> u32 {
        self.tables.functions.len() as u32 + 2
    }

    /// The name as shown.
    pub(crate) fn display_name(self, function: u32) -> &'a str {
        match self.row(function) {
            Some(row) => &self.tables.functions.display_name[row],
            None if function == self.jvm_system() => JVM_SYSTEM,
            None => self.group(function).map_or(NO_JAVA, |group| self.groups.name(group)),
        }
    }

    /// Kind of code.
    pub(crate) fn kind(self, function: u32) -> FunctionKind {
        match (self.row(function), self.group(function)) {
            (Some(row), _) => self.tables.functions.kind[row],
            (_, Some(group)) => self.groups.kind(group),
            _ => FunctionKind::Pseudo,
        }
    }

    /// Row of the functions table, if the function is one.
    pub(crate) fn row(self, function: u32) -> Option<usize> {
        Some(function as usize).filter(|row| *row < self.tables.functions.len())
    }

    /// Number of a package or binary, if the function stands for one.
    pub(crate) fn group(self, function: u32) -> Option<u32> {
        function.checked_sub(self.recorded_count())
    }

    /// The function that stands for a package or binary.
    pub(crate) fn of_group(self, group: u32) -> u32 {
        self.recorded_count() + group
    }

    fn jvm_system(self) -> u32 {
        self.tables.functions.len() as u32
    }

    fn pseudo(self, is_jvm_thread: bool) -> u32 {
        if is_jvm_thread { self.jvm_system() } else { self.jvm_system() + 1 }
    }
}

/// The stacks of an experiment as one mode shows them.
///
/// Only some nodes are where an observed stack ends. These *ends* are numbered in the order of the
/// nodes, so that the ends below a node are a range: a node's inclusive value is the difference of
/// two prefix sums over the ends, and no view ever adds up the whole tree.
#[derive(Debug)]
pub(crate) struct Reduction {
    /// The shown stacks.
    pub(crate) tree: EntityTree,
    /// What each entity of the tree is; the first is `<Total>`.
    pub(crate) places: Vec<Place>,
    /// Per entity, true if it occurs in the tree.
    pub(crate) occurs: Vec<bool>,
    /// Per end, its node; ascending.
    pub(crate) node_of_end: Vec<u32>,
    /// Per observed stack, the end that its weight goes to: its last shown frame. Beyond the last end where a
    /// transform left the stack out.
    pub(crate) end_of_stack: Vec<u32>,
    /// Per node, the number of ends at smaller nodes.
    pub(crate) ends_before: Arc<EndsBefore>,
}

impl Reduction {
    /// Reduces all stacks.
    pub(crate) fn new(names: FunctionNames<'_>, observed: &ObservedStacks, kind: (ViewMode, EntityKey)) -> Self {
        let tables = names.tables;
        let (mode, key) = kind;
        let (places, entity_of_frame) = places(names, key);
        let is_java_known = tables.functions.kind.contains(&FunctionKind::Java);
        // A program without any Java is all its own: hiding what is not Java would hide everything.
        let mode = if mode == ViewMode::User && !is_java_known { ViewMode::Expert } else { mode };
        let mut walk = Walk {
            tree: RawTree::new(0, tables.stacks.len()),
            names,
            mode,
            entity_of_frame,
            visibilities: frame_visibilities(tables, mode),
            places,
            pseudo_nodes: [None; 2],
        };
        let paths = walk.all_paths(tables);
        let stacks = observed.stack.iter().zip(&observed.is_jvm_thread);
        let mut node_of_stack: Vec<u32> =
            stacks.map(|(stack, is_jvm)| walk.node_of_stack(paths[stack.row()], *is_jvm)).collect();
        drop(paths);
        let Walk { tree, places, .. } = walk;
        let tree = tree.finish(&mut node_of_stack);
        Self::with_ends(tree, places, node_of_stack)
    }

    /// A reduction of a tree, given each observed stack's node; [`LEFT_OUT`] where it has none.
    pub(crate) fn with_ends(tree: EntityTree, places: Vec<Place>, node_of_stack: Vec<u32>) -> Self {
        let ends = node_of_stack.iter().copied().filter(|node| *node != LEFT_OUT);
        let ends_before = Arc::new(EndsBefore::new(tree.len(), ends));
        let node_of_end = ends_before.nodes();
        let mut end_of_stack = node_of_stack;
        for node in &mut end_of_stack {
            let is_left_out = *node == LEFT_OUT;
            *node = if is_left_out { node_of_end.len() as u32 } else { ends_before.at(*node) };
        }
        let mut occurs = vec![false; places.len()];
        tree.entity.iter().for_each(|entity| occurs[*entity as usize] = true);
        Self { tree, places, occurs, node_of_end, end_of_stack, ends_before }
    }

    /// The node that an observed stack's weight goes to; missing if a transform left the stack out.
    pub(crate) fn node_of_stack(&self, observed: usize) -> Option<u32> {
        self.node_of_end.get(self.end_of_stack[observed] as usize).copied()
    }

    /// Number of nodes.
    pub(crate) fn size(&self) -> usize {
        self.tree.len()
    }

    /// Weights of the observed stacks as weights of the tree's nodes.
    pub(crate) fn node_weights(&self, by_stack: &[f64]) -> NodeWeights<'_> {
        // The element beyond the ends takes what was left out.
        let mut by_end = vec![0.0; self.node_of_end.len() + 1];
        for (end, weight) in self.end_of_stack.iter().zip(by_stack) {
            by_end[*end as usize] += weight;
        }
        by_end.truncate(self.node_of_end.len());
        let sums = by_end.iter().scan(0.0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        });
        let sum_before = std::iter::once(0.0).chain(sums).collect();
        NodeWeights { reduction: self, by_end, sum_before }
    }

    /// The ends at a node and below it: the first, and one past the last.
    fn ends_below(&self, node: usize) -> (usize, usize) {
        let before = |node: u32| self.ends_before.at(node) as usize;
        (before(node as u32), before(self.tree.end[node]))
    }

    /// The entity that each observed stack ends in. Only of reductions without transforms.
    pub(crate) fn leaf_entities(&self) -> impl Iterator<Item = u32> + '_ {
        self.end_of_stack.iter().map(|end| self.tree.entity[self.node_of_end[*end as usize] as usize])
    }
}

/// One metric's weights of a reduction.
#[derive(Debug)]
pub(crate) struct NodeWeights<'a> {
    reduction: &'a Reduction,
    /// Per end, its weight.
    pub(crate) by_end: Vec<f64>,
    /// Per end, the sum of all weights before it; with one element more than ends.
    sum_before: Vec<f64>,
}

impl NodeWeights<'_> {
    /// The weight of the stacks that end at a node.
    pub(crate) fn exclusive(&self, node: u32) -> f64 {
        let [first, end] = [node, node + 1].map(|node| self.reduction.ends_before.at(node));
        if first == end { 0.0 } else { self.by_end[first as usize] }
    }

    /// The weight of the stacks that end at a node or below it.
    pub(crate) fn inclusive(&self, node: u32) -> f64 {
        self.between(self.reduction.ends_below(node as usize))
    }

    fn between(&self, (first, end): (usize, usize)) -> f64 {
        self.sum_before[end] - self.sum_before[first]
    }
}

/// Sums of one metric by entity.
#[derive(Debug)]
pub(crate) struct EntitySums {
    pub(crate) exclusive: Vec<f64>,
    pub(crate) inclusive: Vec<f64>,
}

impl EntitySums {
    /// The sums of each metric. Together, because finding a node's entity and its ends costs more
    /// than adding.
    pub(crate) fn new(reduction: &Reduction, metrics: &[NodeWeights<'_>]) -> Vec<Self> {
        let Reduction { tree, places, node_of_end, .. } = reduction;
        let empty = || Self { exclusive: vec![0.0; places.len()], inclusive: vec![0.0; places.len()] };
        let mut sums: Vec<Self> = metrics.iter().map(|_| empty()).collect();
        for (sums, weights) in sums.iter_mut().zip(metrics) {
            for (node, weight) in node_of_end.iter().zip(&weights.by_end) {
                sums.exclusive[tree.entity[*node as usize] as usize] += weight;
            }
        }
        for (node, (entity, is_first)) in tree.entity.iter().zip(tree.is_first()).enumerate() {
            if *is_first {
                let ends = reduction.ends_below(node);
                for (sums, weights) in sums.iter_mut().zip(metrics) {
                    sums.inclusive[*entity as usize] += weights.between(ends);
                }
            }
        }
        sums
    }
}

/// The places that the frames stand for, and each frame's entity.
fn places(names: FunctionNames<'_>, key: EntityKey) -> (Vec<Place>, Vec<u32>) {
    let frames = &names.tables.frames;
    let in_function = Place::in_function;
    if key == EntityKey::Function {
        let places = (0..names.count()).map(in_function).collect();
        return (places, frames.function.iter().map(|function| function.0).collect());
    }
    let place = |row: usize, line: Option<u32>, bytecode_index| Place {
        function: frames.function[row].0,
        line,
        bytecode_index,
    };
    if key == EntityKey::Frame {
        let rows = 0..frames.len();
        let places = rows.clone().map(|row| place(row, frames.line[row], frames.bytecode_index[row])).collect();
        return (places, rows.map(|row| row as u32).collect());
    }
    let mut places = vec![in_function(0)];
    let mut known = FxHashMap::from_iter([(places[0], 0)]);
    let entities = (0..frames.len()).map(|row| {
        let line = frames.line[row];
        let bytecode_index = if line.is_some() { None } else { frames.bytecode_index[row] };
        let place = place(row, line, bytecode_index);
        *known.entry(place).or_insert_with(|| {
            places.push(place);
            places.len() as u32 - 1
        })
    });
    let entities = entities.collect();
    (places, entities)
}

/// Where a stack of the stack table stands in the tree under construction.
#[derive(Debug, Clone, Copy)]
struct Path {
    /// Node of its last shown frame; the root if none is shown.
    node: u32,
    /// Node of a path that holds its markers only: where the shown stack continues when the first
    /// Java frame hides the launch frames. [`HAS_JAVA`] when there is Java.
    markers: u32,
}

/// In place of the markers of a path that has a Java frame.
const HAS_JAVA: u32 = u32::MAX;

impl Path {
    fn has_java(self) -> bool {
        self.markers == HAS_JAVA
    }
}

struct Walk<'a> {
    tree: RawTree,
    names: FunctionNames<'a>,
    mode: ViewMode,
    entity_of_frame: Vec<u32>,
    visibilities: Vec<Visibility>,
    places: Vec<Place>,
    /// Nodes of the pseudo-functions for ordinary threads and for those of the JVM, once needed.
    pseudo_nodes: [Option<u32>; 2],
}

impl Walk<'_> {
    /// The path of every row of stacks; parents stand before their children.
    fn all_paths(&mut self, tables: &Tables) -> Vec<Path> {
        let mut paths = Vec::with_capacity(tables.stacks.len());
        paths.push(Path { node: ROOT, markers: ROOT });
        for row in StackIndex::ROOT.row() + 1..tables.stacks.len() {
            let above: Path = paths[tables.stacks.parent[row].row()];
            paths.push(self.extended(above, tables.stacks.frame[row].row()));
        }
        paths
    }

    fn extended(&mut self, above: Path, frame: usize) -> Path {
        let entity = self.entity_of_frame[frame];
        match self.visibilities[frame] {
            Visibility::Java if !above.has_java() => {
                let start = if self.mode == ViewMode::Machine { above.node } else { above.markers };
                self.java_path(start, entity)
            }
            Visibility::Java => self.java_path(above.node, entity),
            Visibility::Marker => {
                let node = self.tree.add(above.node, entity);
                let markers = match above.markers {
                    HAS_JAVA => HAS_JAVA,
                    markers if markers == above.node => node,
                    markers => self.tree.add(markers, entity),
                };
                Path { node, markers }
            }
            Visibility::Code { is_shown_below_java, is_shown_without_java } => {
                let is_shown = if above.has_java() { is_shown_below_java } else { is_shown_without_java };
                let node = if is_shown { self.tree.add(above.node, entity) } else { above.node };
                Path { node, ..above }
            }
        }
    }

    fn java_path(&mut self, parent: u32, entity: u32) -> Path {
        Path { node: self.tree.add(parent, entity), markers: HAS_JAVA }
    }

    /// The node of a whole stack. Without Java it stands, in user mode, as a pseudo-function with
    /// only its markers below, so that why frames are missing stays visible.
    fn node_of_stack(&mut self, path: Path, is_jvm_thread: bool) -> u32 {
        let is_collapsed = self.mode == ViewMode::User || path.node == ROOT;
        if self.mode == ViewMode::Machine || path.has_java() || !is_collapsed {
            return path.node;
        }
        let mut markers = Vec::new();
        let mut node = path.node;
        while node != ROOT {
            markers.push(self.tree.entity(node));
            node = self.tree.parent(node);
        }
        let start = self.pseudo_node(is_jvm_thread);
        markers.into_iter().rev().fold(start, |node, marker| self.tree.add(node, marker))
    }

    fn pseudo_node(&mut self, is_jvm_thread: bool) -> u32 {
        let place = Place::in_function(self.names.pseudo(is_jvm_thread));
        let (places, tree) = (&mut self.places, &mut self.tree);
        *self.pseudo_nodes[usize::from(is_jvm_thread)].get_or_insert_with(|| {
            let entity = places.iter().rposition(|known| *known == place).unwrap_or_else(|| {
                places.push(place);
                places.len() - 1
            });
            tree.add(ROOT, entity as u32)
        })
    }
}
