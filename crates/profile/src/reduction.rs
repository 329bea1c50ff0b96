//! The stack table as a view mode shows it: an [`EntityTree`], and the node of every observed stack. The node gets the
//! stack's weight. The result is computed once per mode and key.

use crate::code_groups::CodeGroups;
use crate::ends_before::EndsBefore;
use crate::entity_tree::{EntityTree, ROOT, RawTree};
use crate::folded_names::{NAMES_COUNT, folded_name};
use crate::samples::ObservedStacks;
use crate::view_mode::{ViewMode, Visibility, frame_visibilities};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use whittle_model::{FunctionKind, StackIndex, Table, Tables};

/// The kind of entity of a tree's nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntityKey {
    /// Functions.
    Function,
    /// Places in code: function and line. If the line is unknown, function and bytecode index.
    Line,
    /// Frames: rows of the frames table.
    Frame,
}

/// The pseudo-functions for stacks without Java frames.
const JVM_SYSTEM: &str = "<JVM-System>";
const NO_JAVA: &str = "<no Java callstack recorded>";

/// The place in code of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// Function, numbered as in [`FunctionNames`].
    pub function: u32,
    /// Source line. Missing in trees of functions, or if the line is unknown.
    pub line: Option<u32>,
    /// Bytecode index, if the line is unknown. Missing in trees of functions, or if the index is unknown.
    pub bytecode_index: Option<u32>,
}

impl Place {
    /// The place of a whole function.
    pub fn in_function(function: u32) -> Self {
        Self { function, line: None, bytecode_index: None }
    }
}

/// Used instead of a node if a transform removed the stack.
pub const LEFT_OUT: u32 = u32::MAX;

/// Names and numbers of functions. The rows of the functions table come first, then [`JVM_SYSTEM`] and [`NO_JAVA`],
/// then the packages and binaries, then the names of folded frames. Transforms can turn a package or a binary into one frame.
#[derive(Debug, Clone, Copy)]
pub struct FunctionNames<'a> {
    /// The tables of the experiment.
    pub tables: &'a Tables,
    /// The packages and binaries of the experiment.
    pub groups: &'a CodeGroups,
}

impl<'a> FunctionNames<'a> {
    /// Number of functions, including pseudo-functions, packages, binaries and folded frames.
    pub fn count(self) -> u32 {
        self.of_folded(NAMES_COUNT)
    }

    /// Number of functions, without packages and binaries.
    pub fn recorded_count(self) -> u32 {
        self.tables.functions.len() as u32 + 2
    }

    /// The displayed name.
    pub fn display_name(self, function: u32) -> &'a str {
        match self.row(function) {
            Some(row) => &self.tables.functions.display_name[row],
            None if function == self.jvm_system() => JVM_SYSTEM,
            None => match self.group(function) {
                Some(group) => self.groups.name(group),
                None => function.checked_sub(self.of_folded(0)).and_then(folded_name).unwrap_or(NO_JAVA),
            },
        }
    }

    /// Kind of code.
    pub fn kind(self, function: u32) -> FunctionKind {
        match (self.row(function), self.group(function)) {
            (Some(row), _) => self.tables.functions.kind[row],
            (_, Some(group)) => self.groups.kind(group),
            _ => FunctionKind::Pseudo,
        }
    }

    /// Row of the functions table, if the function has a row.
    pub fn row(self, function: u32) -> Option<usize> {
        Some(function as usize).filter(|row| *row < self.tables.functions.len())
    }

    /// Number of the package or binary that the function represents, if any.
    pub fn group(self, function: u32) -> Option<u32> {
        function.checked_sub(self.recorded_count()).filter(|group| *group < self.groups.len())
    }

    /// The function that represents a package or binary.
    pub fn of_group(self, group: u32) -> u32 {
        self.recorded_count() + group
    }

    /// True if the function represents folded frames of frameworks.
    pub fn is_folded(self, function: u32) -> bool {
        function >= self.of_folded(0)
    }

    /// The function that represents folded frames, by the number of their name.
    pub(crate) fn of_folded(self, number: u32) -> u32 {
        self.recorded_count() + self.groups.len() + number
    }

    fn jvm_system(self) -> u32 {
        self.tables.functions.len() as u32
    }

    fn pseudo(self, is_jvm_thread: bool) -> u32 {
        if is_jvm_thread { self.jvm_system() } else { self.jvm_system() + 1 }
    }
}

/// The stacks of an experiment in one view mode.
///
/// Observed stacks end only at some nodes. These *ends* are numbered in the order of the nodes, so the ends below a
/// node are a range. Therefore a node's inclusive value is the difference of two prefix sums over the ends. No view has
/// to add up the whole tree.
#[derive(Debug)]
pub struct Reduction {
    /// The shown stacks.
    pub tree: EntityTree,
    /// For each entity of the tree, its place. The first entity is `<Total>`.
    pub places: Vec<Place>,
    /// Per entity, true if it occurs in the tree.
    pub occurs: Vec<bool>,
    /// For each end, its node; ascending.
    pub node_of_end: Vec<u32>,
    /// For each observed stack, the end that gets its weight: the stack's last shown frame. If a transform removed the
    /// stack, this is an index after the last end.
    pub end_of_stack: Vec<u32>,
    /// Per node, the number of ends before it.
    pub ends_before: Arc<EndsBefore>,
    /// The numbers of nodes for front ends, if they are not the nodes of this tree.
    pub unfolded: Option<UnfoldedNodes>,
}

/// The nodes of the tree without folded frames. Front ends use their numbers, so that the numbers stay the same when folded
/// frames are opened.
#[derive(Debug)]
pub struct UnfoldedNodes {
    /// Per node of the folded tree, the first unfolded node that it shows.
    pub first: Vec<u32>,
    /// Per unfolded node, the node of the folded tree that shows it.
    pub shown_by: Vec<u32>,
}

impl Reduction {
    /// Reduces all stacks.
    pub fn new(names: FunctionNames<'_>, observed: &ObservedStacks, kind: (ViewMode, EntityKey)) -> Self {
        let tables = names.tables;
        let (mode, key) = kind;
        let (places, entity_of_frame) = places(names, key);
        let is_java_known = tables.functions.kind.contains(&FunctionKind::Java);
        // A program without Java consists only of native code, so hiding native code would hide everything.
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

    /// Makes a reduction from a tree and the node of each observed stack. The node is [`LEFT_OUT`] if the stack has no
    /// node.
    pub fn with_ends(tree: EntityTree, places: Vec<Place>, node_of_stack: Vec<u32>) -> Self {
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
        Self { tree, places, occurs, node_of_end, end_of_stack, ends_before, unfolded: None }
    }

    /// The number of a node for front ends.
    pub fn id_of(&self, node: u32) -> u32 {
        self.unfolded.as_ref().map_or(node, |unfolded| unfolded.first[node as usize])
    }

    /// The node that shows the one with this number. `None`: there is no such number.
    pub fn node_of_id(&self, id: u32) -> Option<u32> {
        match &self.unfolded {
            Some(unfolded) => unfolded.shown_by.get(id as usize).copied(),
            None => Some(id).filter(|id| (*id as usize) < self.tree.len()),
        }
    }

    /// The node that gets an observed stack's weight. Missing if a transform removed the stack.
    pub fn node_of_stack(&self, observed: usize) -> Option<u32> {
        self.node_of_end.get(self.end_of_stack[observed] as usize).copied()
    }

    /// Number of nodes, for limits of memory.
    pub fn size(&self) -> usize {
        self.tree.len() + self.unfolded.as_ref().map_or(0, |unfolded| unfolded.shown_by.len())
    }

    /// Converts weights of the observed stacks to weights of the tree's nodes.
    pub fn node_weights(&self, by_stack: &[f64]) -> NodeWeights<'_> {
        // The element after the last end gets the weight of removed stacks.
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

    /// The range of ends at a node and below it: the first end, and one past the last end.
    fn ends_below(&self, node: usize) -> (usize, usize) {
        let before = |node: u32| self.ends_before.at(node) as usize;
        (before(node as u32), before(self.tree.end[node]))
    }

    /// The entity at the end of each observed stack. Use this only for reductions without transforms.
    pub fn leaf_entities(&self) -> impl Iterator<Item = u32> + '_ {
        self.end_of_stack.iter().map(|end| self.tree.entity[self.node_of_end[*end as usize] as usize])
    }
}

/// One metric's weights in a reduction.
#[derive(Debug)]
pub struct NodeWeights<'a> {
    reduction: &'a Reduction,
    /// Per end, its weight.
    pub by_end: Vec<f64>,
    /// Per end, the sum of all weights before it. There is one additional element at the end.
    sum_before: Vec<f64>,
}

impl NodeWeights<'_> {
    /// The weight of the stacks that end at a node.
    pub fn exclusive(&self, node: u32) -> f64 {
        let [first, end] = [node, node + 1].map(|node| self.reduction.ends_before.at(node));
        if first == end { 0.0 } else { self.by_end[first as usize] }
    }

    /// The weight of the stacks that end at a node or below it.
    pub fn inclusive(&self, node: u32) -> f64 {
        self.between(self.reduction.ends_below(node as usize))
    }

    fn between(&self, (first, end): (usize, usize)) -> f64 {
        self.sum_before[end] - self.sum_before[first]
    }
}

/// Sums of one metric by entity.
#[derive(Debug)]
pub struct EntitySums {
    /// Exclusive values.
    pub exclusive: Vec<f64>,
    /// Inclusive values.
    pub inclusive: Vec<f64>,
}

impl EntitySums {
    /// Computes the sums of all metrics together, because finding a node's entity and its ends takes longer than adding
    /// its weights.
    pub fn new(reduction: &Reduction, metrics: &[NodeWeights<'_>]) -> Vec<Self> {
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

/// The places of the frames, and for each frame its entity.
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

/// The position of a stack table row in the unfinished tree.
#[derive(Debug, Clone, Copy)]
struct Path {
    /// Node of the row's last shown frame; the root if no frame is shown.
    node: u32,
    /// Node of the path with only its markers. If a Java frame hides the launch frames, the shown stack continues at
    /// this node. [`HAS_JAVA`] if the path contains a Java frame.
    markers: u32,
}

/// Used instead of the node of markers if a path contains a Java frame.
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
    /// Nodes of the pseudo-functions for ordinary threads and for JVM threads. They are created when they are first
    /// needed.
    pseudo_nodes: [Option<u32>; 2],
}

impl Walk<'_> {
    /// The path of every row of stacks. Parents come before their children.
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

    /// The node of a whole stack. In user mode, a stack without Java becomes a pseudo-function. Only the stack's
    /// markers are below this function. So the reason for missing frames is still visible.
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
