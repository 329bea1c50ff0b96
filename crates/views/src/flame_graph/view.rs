//! The answer: a header and the boxes.

use crate::flame_graph::{Boxes, Direction, FlameGraphShape, Material, Picture};
use serde::Serialize;
use std::collections::BTreeMap;
use whittle_model::Unit;
use whittle_profile::query::{Preamble, serialize_number};
use whittle_render::binary_answer::{Numbers, encode};
use whittle_render::boxes::Match;

/// The answer of [`flame_graph`](crate::flame_graph::flame_graph()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FlameGraphView {
    /// Mode, filter, transforms and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The metric's name.
    pub metric: String,
    /// The metric's title.
    pub title: String,
    /// Unit of all values.
    pub unit: Unit,
    /// The direction of the graph.
    pub direction: Direction,
    /// The function at the root. Missing if the root is `<Total>`.
    pub root: Option<String>,
    /// Value of the graph's root.
    #[serde(serialize_with = "serialize_number")]
    pub total: f64,
    /// Value of the zoomed box, which is as wide as the picture.
    #[serde(serialize_with = "serialize_number")]
    pub shown_total: f64,
    /// Value of all samples that match the filter, including samples that are not shown.
    #[serde(serialize_with = "serialize_number")]
    pub base_total: f64,
    /// Number of rows with boxes, counted from the zoomed box. Rows that were not requested are included.
    pub row_count: u32,
    /// The function names of the boxes and matches, by function number.
    pub names: BTreeMap<u32, String>,
    /// The steps from the graph's root to the zoomed box, both included.
    pub zoom_path: Vec<ZoomStep>,
    /// The result of the search. Missing if the request has no search.
    pub search: Option<SearchResult>,
    /// True if frames of frameworks are folded.
    pub has_folded: bool,
    /// True if the waits of idle threads are left out.
    pub leaves_out_idle: bool,
    /// The boxes.
    #[serde(skip)]
    pub boxes: Boxes,
    /// Each box's values on both sides of a comparison: baseline, then candidate.
    #[serde(skip)]
    pub sides: Option<[Vec<f64>; 2]>,
}

/// A step from the root to the zoomed box.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ZoomStep {
    /// The node. In graphs of callers, the number is valid for this answer only.
    pub node: u32,
    /// Number of the function.
    pub function: u32,
    /// The function's name.
    pub name: String,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SearchResult {
    /// The regular expression.
    pub pattern: String,
    /// Weight of all stacks in the graph with a match. Each stack is counted once.
    #[serde(serialize_with = "serialize_number")]
    pub matched_weight: f64,
    /// `matched_weight` as a share of the graph's total. Missing if the total is 0.
    pub matched_ratio: Option<f64>,
    /// Weight of the stacks with a match at or below the zoomed box.
    #[serde(serialize_with = "serialize_number")]
    pub shown_matched_weight: f64,
    /// `shown_matched_weight` as a share of the zoomed box. Missing if the box's value is 0.
    pub shown_matched_ratio: Option<f64>,
    /// Number of outermost matches. If boxes are merged, only drawn boxes are examined.
    pub match_count: usize,
    /// Number of functions with a matching name in the shown stacks.
    pub function_count: usize,
    /// The heaviest of these matches, at most 1000, the largest first.
    pub matches: Vec<SearchMatch>,
}

/// A match.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SearchMatch {
    /// Node of the match.
    pub node: u32,
    /// Number of rows below the graph's root. It does not depend on the zoom.
    pub row: u32,
    /// Number of the function.
    pub function: u32,
    /// Inclusive value.
    #[serde(serialize_with = "serialize_number")]
    pub value: f64,
}

impl From<&Match> for SearchMatch {
    fn from(found: &Match) -> Self {
        Self { node: found.node, row: found.row, function: found.function, value: found.value }
    }
}

impl Material<'_> {
    /// The answer for a picture.
    pub(super) fn view(&self, shape: &FlameGraphShape, picture: Picture) -> FlameGraphView {
        let Picture { drawn, root, notes, zoom_path, total, shown_total, matched } = picture;
        let mut preamble = self.values.preamble.clone();
        preamble.notes.extend(notes);
        let ratio = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        let search = self.found.as_ref().map(|found| SearchResult {
            pattern: found.search.pattern.clone(),
            matched_weight: matched.weight,
            matched_ratio: ratio(matched.weight, total),
            shown_matched_weight: matched.shown_weight,
            shown_matched_ratio: ratio(matched.shown_weight, shown_total),
            match_count: matched.count,
            function_count: found.search.function_count,
            matches: matched.heaviest.iter().map(SearchMatch::from).collect(),
        });
        let named = drawn.boxes.function.iter().chain(matched.heaviest.iter().map(|found| &found.function));
        let mut names = BTreeMap::new();
        for function in named {
            names.entry(*function).or_insert_with(|| self.name(*function).to_owned());
        }
        let root_name = |index: usize| root.clone().filter(|_| index == 0);
        let zoom_path = zoom_path.into_iter().enumerate().map(|(index, (node, function))| ZoomStep {
            node,
            function,
            name: root_name(index).unwrap_or_else(|| self.name(function).to_owned()),
        });
        FlameGraphView {
            preamble,
            metric: self.values.column.metric.clone(),
            title: self.values.column.title.clone(),
            unit: self.values.column.unit,
            direction: shape.direction,
            total,
            shown_total,
            base_total: self.values.base_total,
            row_count: drawn.row_count,
            names,
            zoom_path: zoom_path.collect(),
            root,
            search,
            has_folded: false,
            leaves_out_idle: false,
            boxes: drawn.boxes,
            sides: None,
        }
    }
}

impl FlameGraphView {
    /// The answer as bytes: a header, then the arrays of the boxes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let boxes = &self.boxes;
        let mut arrays = vec![
            ("node", Numbers::U32(&boxes.node)),
            ("function", Numbers::U32(&boxes.function)),
            ("row", Numbers::U32(&boxes.row)),
            ("parent", Numbers::U32(&boxes.parent)),
            ("x", Numbers::F32(&boxes.x)),
            ("width", Numbers::F32(&boxes.width)),
            ("value", Numbers::F64(&boxes.value)),
            ("own", Numbers::F64(&boxes.own)),
            ("kind", Numbers::U8(&boxes.kind)),
            ("flags", Numbers::U8(&boxes.flags)),
        ];
        if let Some([baseline, candidate]) = &self.sides {
            arrays.extend([("baseline", Numbers::F64(baseline)), ("candidate", Numbers::F64(candidate))]);
        }
        encode(self, &arrays)
    }
}
