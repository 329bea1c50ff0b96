//! Finds the visible boxes of flame graphs, and their values. A graph goes from the root down or from the leaves
//! outward. It shows all stacks or one function.
//!
//! ```text
//! reduction + weights ──> values of nodes ──> graph: the tree itself, or boxes that merge nodes ──> rows of boxes
//! ```
//!
//! Values, merged boxes and searches are kept between answers, so the work for zooming depends only on the visible
//! boxes.

mod merged;
mod prepared;
mod search;
mod sides;
mod values;
mod view;
mod whole;

use crate::definition::{Answered, Answerer, ViewDefinition, keys};
use crate::flame_graph::prepared::FlameGraphs;
use crate::flame_graph::prepared::flame_values;
use crate::flame_graph::prepared::frame_kinds;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use prepared::kinds_of_shown;
pub use view::{FlameGraphView, SearchMatch, SearchResult, ZoomStep};
pub use whittle_render::boxes::Boxes;

use crate::flame_graph::merged::{Find, MergedBoxes, MergedTree, Source, Way};
use crate::flame_graph::prepared::{Asked, Found, PreparedTree, PreparedValues, ValuesKey};
use crate::flame_graph::search::{Matches, Search, heaviest};
use crate::flame_graph::sides::Followed;
use crate::flame_graph::whole::WholeTree;
use crate::shown_stacks::{FrameworkFrames, IdleWaits, has_folded, with_folded, without_idle};
use serde::Deserialize;
use std::borrow::Cow;
use std::sync::{Arc, PoisonError};
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::entity_tree::{EntityTree, ROOT};
use whittle_profile::function_name::FunctionGroup;
use whittle_profile::query::{Query, TransformLine};
use whittle_profile::reduction::{EntityKey, Reduction};
use whittle_profile::sides::Part;
use whittle_render::boxes::{Drawn, Frame, Match, draw};

/// The definition of this view. Its answer is [`FlameGraphView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "flame-graph",
        answer: |on, asked| {
            let shape: FlameGraphShape = keys(asked)?;
            Ok(Answered::Binary(flame_graph(on.profile, on.query, &shape)?.to_bytes(), None))
        },
    },
    not_compared: None,
    command: None,
};

/// The direction of a flame graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, serde::Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From the root to the callees.
    #[default]
    Callees,
    /// From the leaves of stacks to the callers.
    Callers,
}

/// The content of a flame graph, and its size.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FlameGraphShape {
    /// Direction of the graph.
    pub direction: Direction,
    /// The function at the root, or `<Total>` if missing. All occurrences of the function are merged. If the function
    /// calls itself, only the outermost call is used.
    pub root: Option<String>,
    /// The metric, or the default metric if missing.
    pub metric: Option<String>,
    /// The side of a comparison that determines the widths. If it is missing, the mean of both sides determines the
    /// widths.
    pub part: Option<Part>,
    /// The box that is shown at full width. Empty for the whole graph. For callees, this is the number of one node. For
    /// callers, these are the numbers of the functions from below the root to the box.
    pub zoom: Vec<u32>,
    /// Width of the picture.
    pub width_px: f64,
    /// Width of the narrowest box. Narrower boxes are joined with their siblings.
    pub min_px: f64,
    /// First requested row of boxes.
    pub first_row: u32,
    /// Number of requested rows, or all rows if missing.
    pub row_count: Option<u32>,
    /// A regular expression that marks functions by name.
    pub search: Option<String>,
    /// Whether the frames of frameworks are folded.
    pub frameworks: FrameworkFrames,
    /// Nodes of folded frames that are shown nevertheless.
    pub opened: Vec<u32>,
    /// Whether a graph of blocked time contains the waits of idle threads.
    pub idle: IdleWaits,
}

impl Default for FlameGraphShape {
    fn default() -> Self {
        Self {
            direction: Direction::Callees,
            root: None,
            metric: None,
            part: None,
            zoom: Vec::new(),
            width_px: 1000.0,
            min_px: 0.5,
            first_row: 0,
            row_count: None,
            search: None,
            frameworks: FrameworkFrames::default(),
            opened: Vec::new(),
            idle: IdleWaits::default(),
        }
    }
}

impl FlameGraphShape {
    /// In comparisons, each stack is followed into the boxes from row 0 on. Therefore, the rows above the requested
    /// rows are also needed.
    fn frame(&self, is_compared: bool) -> Frame {
        let first_row = if is_compared { 0 } else { self.first_row };
        let end = self.row_count.map_or(u32::MAX, |count| self.first_row.saturating_add(count));
        // NaN and negative numbers mean 0, so all boxes are drawn.
        let ratio = self.min_px / self.width_px;
        Frame { min_ratio: if ratio > 0.0 { ratio.min(1.0) } else { 0.0 }, rows: first_row..end }
    }
}

/// The input of a flame graph.
struct Material<'a> {
    profile: &'a Profile,
    reduction: Arc<Reduction>,
    key: ValuesKey,
    values: Arc<PreparedValues>,
    /// The values of each side of a comparison.
    sides: Option<[Arc<PreparedValues>; 2]>,
    kinds: Arc<Vec<u8>>,
    found: Option<Arc<Found>>,
}

/// The drawn boxes, and notes.
struct Picture {
    drawn: Drawn,
    /// Name at the root. Missing if the root is `<Total>`.
    root: Option<String>,
    notes: Vec<String>,
    /// Nodes and functions from the root to the zoomed box.
    zoom_path: Vec<(u32, u32)>,
    total: f64,
    shown_total: f64,
    matched: Matched,
}

/// The result of the search.
#[derive(Default)]
struct Matched {
    weight: f64,
    shown_weight: f64,
    count: usize,
    heaviest: Vec<Match>,
}

/// A flame graph of one metric.
///
/// # Errors
/// The function is unknown or hidden, the metric is unknown, the search is not a regular expression, the zoomed box
/// does not exist, or the filter contains an unknown name.
pub fn flame_graph(profile: &Profile, query: &Query, shape: &FlameGraphShape) -> Result<FlameGraphView, AnalysisError> {
    let asked_for = query;
    let shows_all = shape.root.is_some() || shape.direction == Direction::Callers;
    let folded = with_folded(query, (shape.frameworks, &shape.opened), shows_all);
    // Below a chosen function, the user asks for all that it does.
    let idle = if shape.root.is_some() { IdleWaits::Shown } else { shape.idle };
    let without_idle = without_idle(profile, &folded, (shape.metric.as_deref(), idle))?;
    let query = &*without_idle;
    let reduction = profile.shown(query, EntityKey::Function)?;
    let asked = Asked { query, metric: shape.metric.as_deref(), part: shape.part.unwrap_or(Part::Both) };
    let key = ValuesKey::new(&asked);
    // Kinds are computed first, because the values can then reuse their temporary memory.
    let kinds = frame_kinds(profile, &key, &reduction);
    let values = flame_values(profile, &asked, &reduction)?;
    let sides = profile.comparison().map(|_| -> Result<_, AnalysisError> {
        let side = |part: Part| flame_values(profile, &Asked { part, ..asked }, &reduction);
        Ok([side(Part::Baseline)?, side(Part::Candidate)?])
    });
    let sides = sides.transpose()?;
    let mut material = Material { profile, reduction, key, values, sides, kinds, found: None };
    material.found = shape.search.as_deref().map(|pattern| material.find(pattern)).transpose()?;
    let picture = match (shape.direction, &shape.root) {
        (Direction::Callees, None) => material.whole(shape)?,
        (Direction::Callees, Some(_)) => material.merged(query, shape, Way::Inward)?,
        (Direction::Callers, _) => material.merged(query, shape, Way::Outward)?,
    };
    let sides = material.side_values((query, shape), &picture)?;
    let picture = if (shape.direction, &shape.root) == (Direction::Callees, &None) {
        material.with_ids(picture)
    } else {
        picture
    };
    let mut view = FlameGraphView { sides, ..material.view(shape, picture) };
    view.has_folded = has_folded(profile, &material.reduction);
    view.leaves_out_idle = matches!(without_idle, Cow::Owned(_));
    // The user did not ask for these conditions.
    view.preamble.filter = asked_for.filter.as_ref().map(ToString::to_string);
    view.preamble.transforms = TransformLine::all(asked_for);
    Ok(view)
}

impl<'a> Material<'a> {
    fn tree(&self) -> &EntityTree {
        &self.reduction.tree
    }

    fn name(&self, entity: u32) -> &'a str {
        self.profile.names().display_name(self.reduction.places[entity as usize].function)
    }

    fn source(&self) -> Source<'_> {
        Source {
            tree: self.tree(),
            values: &self.values.nodes,
            kinds: &self.kinds,
            function_count: self.reduction.places.len(),
        }
    }

    fn find(&self, pattern: &str) -> Result<Arc<Found>, AnalysisError> {
        self.profile.kept::<FlameGraphs>().search((self.key.clone(), pattern.to_owned()), || {
            let search = Search::new(pattern, &self.reduction.occurs, |entity| self.name(entity))?;
            let matches = Matches::of_tree(&search, self.tree(), &self.values.nodes);
            Ok(Found { search, matches })
        })
    }

    /// The values of every box on each side of a comparison.
    fn side_values(
        &self,
        (query, shape): (&Query, &FlameGraphShape),
        picture: &Picture,
    ) -> Result<Option<[Vec<f64>; 2]>, AnalysisError> {
        if cfg!(target_arch = "wasm32") {
            // Report files contain no comparisons. Their engine is smaller without the code below.
            return Ok(None);
        }
        let Some(sides) = &self.sides else { return Ok(None) };
        let root = shape.root.as_ref().map(|name| self.profile.shown_group(name, query)).transpose()?;
        let zoom: Vec<u32> = picture.zoom_path.iter().skip(1).map(|(_, function)| *function).collect();
        let followed = Followed {
            tree: self.tree(),
            sides: [&sides[0].nodes, &sides[1].nodes],
            ends: &self.reduction.node_of_end,
            direction: shape.direction,
            root: root.as_ref().map_or(&[], |group| &group.functions),
            zoom: &zoom,
        };
        Ok(Some(followed.values(&picture.drawn.boxes)))
    }

    fn is_match(&self, entity: u32) -> bool {
        self.found.as_ref().is_some_and(|found| found.search.is_match[entity as usize])
    }

    fn whole(&self, shape: &FlameGraphShape) -> Result<Picture, AnalysisError> {
        let (tree, values) = (self.tree(), &self.values.nodes);
        let zoom = shape.zoom.last().copied().unwrap_or(ROOT);
        let unknown = AnalysisError::UnknownNode { node: zoom, node_count: tree.len() };
        let zoom = self.reduction.node_of_id(zoom).ok_or(unknown)?;
        let mut graph = WholeTree { tree, values, kinds: &self.kinds };
        let marks = (|entity| self.name(entity), |entity| self.is_match(entity));
        let drawn = draw(&mut graph, zoom, &shape.frame(self.sides.is_some()), marks);
        let matched = self.found.as_ref().map(|found| Matched {
            weight: found.matches.weight,
            shown_weight: match zoom {
                ROOT => found.matches.weight,
                _ => found.matches.weight_below(&found.search, (tree, values), zoom),
            },
            count: found.matches.count,
            heaviest: found.matches.heaviest.clone(),
        });
        let shown_total = values.inclusive(tree, zoom);
        Ok(Picture {
            root: None,
            notes: nothing_shown(shown_total, !shape.zoom.is_empty()),
            zoom_path: path_from_root(tree, zoom).into_iter().map(|node| (node, tree.entity[node as usize])).collect(),
            total: values.total(tree),
            shown_total,
            drawn,
            matched: matched.unwrap_or_default(),
        })
    }

    /// The picture with numbers of nodes for front ends.
    fn with_ids(&self, mut picture: Picture) -> Picture {
        let nodes = picture.drawn.boxes.node.iter_mut();
        let of_path = picture.zoom_path.iter_mut().map(|(node, _)| node);
        let of_matches = picture.matched.heaviest.iter_mut().map(|found| &mut found.node);
        nodes.chain(of_path).chain(of_matches).for_each(|node| *node = self.reduction.id_of(*node));
        picture
    }

    fn merged(&self, query: &Query, shape: &FlameGraphShape, way: Way) -> Result<Picture, AnalysisError> {
        let key = (self.key.clone(), shape.root.clone(), way == Way::Outward);
        let graphs = self.profile.kept::<FlameGraphs>();
        let prepared = graphs.tree(key, || self.prepare_tree(query, shape.root.as_deref(), way))?;
        let mut tree = prepared.tree.lock().unwrap_or_else(PoisonError::into_inner);
        let source = self.source();
        let zoom = self.zoomed(&mut tree, (&shape.zoom, &prepared.functions), way);
        let marks = (|entity| self.name(entity), |entity| self.is_match(entity));
        let mut graph = MergedBoxes { merged: &mut tree, source };
        let drawn =
            zoom.map(|zoom| draw(&mut graph, zoom, &shape.frame(self.sides.is_some()), marks)).unwrap_or_default();
        let shown_total = zoom.map_or(0.0, |zoom| tree.value(zoom));
        let mut zoom_path = vec![tree.root()];
        zoom_path.extend(zoom.map(|zoom| tree.path(zoom)).unwrap_or_default());
        let found = self.found.as_ref();
        let matched = found.map(|found| {
            let weight_in = self.weights_in(&tree, &found.search);
            let (weight, shown_weight) = (weight_in(0), zoom.map_or(0.0, &weight_in));
            let zoom_row = zoom_path.len() as u32 - 1;
            let matches = drawn.matches.iter().map(|found| Match { row: found.row + zoom_row, ..*found });
            Matched { weight, shown_weight, count: drawn.matches.len(), heaviest: heaviest(matches.collect()) }
        });
        Ok(Picture {
            root: prepared.name.clone(),
            notes: prepared
                .note
                .clone()
                .into_iter()
                .chain(nothing_shown(shown_total, !shape.zoom.is_empty()))
                .collect(),
            zoom_path,
            total: tree.value(0),
            shown_total,
            drawn,
            matched: matched.unwrap_or_default(),
        })
    }

    /// Returns a function that computes how much of a box's value the search finds.
    fn weights_in<'s>(&'s self, merged: &'s MergedTree, search: &'s Search) -> impl Fn(u32) -> f64 + 's {
        let is_below = if merged.leads_outward() { search.below_match(self.tree()) } else { Vec::new() };
        move |id| {
            let find = Find {
                is_whole: &|function| search.is_match[function as usize],
                found_inward: &|node| search.weight_below(self.tree(), &self.values.nodes, node),
                is_found_outward: &|node| is_below[node as usize],
            };
            merged.found_in(id, self.source(), &find)
        }
    }

    fn prepare_tree(&self, query: &Query, root: Option<&str>, way: Way) -> Result<PreparedTree, AnalysisError> {
        let Some(root) = root else {
            let tree = MergedTree::of_ends(self.source(), &self.reduction.node_of_end);
            return Ok(PreparedTree::new(tree, None, None));
        };
        let group = self.profile.shown_group(root, query)?;
        let (outermost, adjacent) = occurrences(self.tree(), &group);
        let tree = MergedTree::of_function(way, self.source(), (&outermost, &adjacent));
        let note = group.note(self.profile.names());
        Ok(PreparedTree::new(tree, Some(group), note))
    }

    /// The zoomed box, if it exists.
    fn zoomed(&self, merged: &mut MergedTree, (zoom, root): (&[u32], &[u32]), way: Way) -> Option<u32> {
        let path = match (way, zoom.last()) {
            (_, None) => return Some(0),
            (Way::Outward, _) => zoom.to_vec(),
            (Way::Inward, Some(node)) => self.path_below(root, *node)?,
        };
        path.into_iter().try_fold(0, |id, function| merged.child_called(id, function, self.source()))
    }

    /// The functions on the path from the root's outermost occurrence down to a node. The occurrence itself is not
    /// included.
    fn path_below(&self, root: &[u32], node: u32) -> Option<Vec<u32>> {
        let tree = self.tree();
        if node as usize >= tree.len() {
            return None;
        }
        let path: Vec<u32> = path_from_root(tree, node).into_iter().map(|node| tree.entity[node as usize]).collect();
        let first = path.iter().position(|function| root.contains(function))?;
        let below = path[first + 1..].iter().copied();
        Some(below.skip_while(|function| root.len() > 1 && root.contains(function)).collect())
    }
}

/// The nodes from the root to a node, both included.
fn path_from_root(tree: &EntityTree, node: u32) -> Vec<u32> {
    let up = |node: &u32| Some(tree.parent[*node as usize]).filter(|_| *node != ROOT);
    let mut path: Vec<u32> = std::iter::successors(Some(node), up).collect();
    path.reverse();
    path
}

/// The outermost occurrences of a function. For a merged group, the occurrences directly below them are also returned.
fn occurrences(tree: &EntityTree, group: &FunctionGroup) -> (Vec<u32>, Vec<u32>) {
    let is_member = |node: u32| group.functions.contains(&tree.entity[node as usize]);
    let (mut outermost, mut adjacent) = (Vec::new(), Vec::new());
    let mut node = 0;
    while (node as usize) < tree.len() {
        if !is_member(node) {
            node += 1;
            continue;
        }
        outermost.push(node);
        let mut next = if group.is_merged() { vec![node] } else { Vec::new() };
        while let Some(above) = next.pop() {
            let members: Vec<u32> = tree.children(above).filter(|child| is_member(*child)).collect();
            adjacent.extend(&members);
            next.extend(members);
        }
        node = tree.end[node as usize];
    }
    (outermost, adjacent)
}

fn nothing_shown(shown_total: f64, is_zoomed: bool) -> Vec<String> {
    let note = "the zoomed box has no weight here; zoom out to see other boxes";
    if is_zoomed && shown_total <= 0.0 { vec![note.to_owned()] } else { Vec::new() }
}
