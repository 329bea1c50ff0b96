//! Searches in flame graphs. Every function's name is tested only once. A stack with several matching functions is
//! counted once.

use crate::flame_graph::values::NodeValues;
use whittle_profile::AnalysisError;
use whittle_profile::entity_tree::EntityTree;
use whittle_profile::order::keep_first_by;
use whittle_profile::pattern::Pattern;
use whittle_render::boxes::Match;

/// Largest number of matches in an answer. A user does not step through more matches.
pub(crate) const LISTED_MATCHES: usize = 1000;

/// The functions that a search finds.
#[derive(Debug)]
pub(crate) struct Search {
    /// The regular expression.
    pub(crate) pattern: String,
    /// Whether each function's name matches.
    pub(crate) is_match: Vec<bool>,
    /// Number of matching functions in the tree.
    pub(crate) function_count: usize,
}

impl Search {
    /// Tests the names of the functions that occur in the tree.
    pub(crate) fn new<'n>(
        pattern: &str,
        occurs: &[bool],
        name: impl Fn(u32) -> &'n str,
    ) -> Result<Self, AnalysisError> {
        let malformed = |problem| AnalysisError::MalformedSearch { pattern: pattern.to_owned(), problem };
        let regex = Pattern::new(pattern).map_err(malformed)?;
        let is_match: Vec<bool> =
            (0..).zip(occurs).map(|(function, occurs)| *occurs && regex.is_match(name(function))).collect();
        let function_count = is_match.iter().filter(|is_match| **is_match).count();
        Ok(Self { pattern: pattern.to_owned(), is_match, function_count })
    }

    /// Calls `found` for the outermost matches among `node` and the nodes below it.
    pub(crate) fn each_outermost(&self, tree: &EntityTree, node: u32, mut found: impl FnMut(u32)) {
        if self.function_count == 0 {
            return;
        }
        let (mut next, end) = (node as usize, tree.end[node as usize] as usize);
        while let Some(skipped) = tree.entity[next..end].iter().position(|entity| self.is_match[*entity as usize]) {
            let node = next + skipped;
            found(node as u32);
            next = tree.end[node] as usize;
        }
    }

    /// The weight of the stacks that contain a match at `node` or below it.
    pub(crate) fn weight_below(&self, tree: &EntityTree, values: &NodeValues, node: u32) -> f64 {
        let mut sum = 0.0;
        self.each_outermost(tree, node, |found| sum += values.inclusive(tree, found));
        sum
    }

    /// Whether each node matches or is below a match.
    pub(crate) fn below_match(&self, tree: &EntityTree) -> Vec<bool> {
        let mut is_below = vec![false; tree.len()];
        self.each_outermost(tree, 0, |node| is_below[node as usize..tree.end[node as usize] as usize].fill(true));
        is_below
    }
}

/// The outermost matches of a whole tree.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    /// Total weight of the matches.
    pub(crate) weight: f64,
    /// Number of matches.
    pub(crate) count: usize,
    /// All matches by node, with their weights.
    pub(crate) by_node: Vec<(u32, f64)>,
    /// The heaviest matches, the largest first.
    pub(crate) heaviest: Vec<Match>,
}

impl Matches {
    /// All outermost matches with a weight in a tree.
    pub(crate) fn of_tree(search: &Search, tree: &EntityTree, values: &NodeValues) -> Self {
        let mut by_node = Vec::new();
        search.each_outermost(tree, 0, |node| by_node.push((node, values.inclusive(tree, node))));
        let (mut weight, mut found) = (0.0, Vec::new());
        for (node, value) in by_node.iter().copied().filter(|(_, value)| *value > 0.0) {
            weight += value;
            let (row, function) = (tree.depth[node as usize], tree.entity[node as usize]);
            found.push(Match { node, row, function, value });
        }
        Self { weight, count: found.len(), by_node, heaviest: heaviest(found) }
    }

    /// Returns the same as [`Search::weight_below`], but searches the tree only if a match is above the node.
    pub(crate) fn weight_below(&self, search: &Search, (tree, values): (&EntityTree, &NodeValues), node: u32) -> f64 {
        let [first, behind] =
            [node, tree.end[node as usize]].map(|node| self.by_node.partition_point(|(found, _)| *found < node));
        if first > 0 && tree.end[self.by_node[first - 1].0 as usize] > node {
            return search.weight_below(tree, values, node);
        }
        self.by_node[first..behind].iter().fold(0.0, |sum, (_, weight)| sum + weight)
    }
}

/// The heaviest matches, largest first.
pub(crate) fn heaviest(mut matches: Vec<Match>) -> Vec<Match> {
    let order = |a: &Match, b: &Match| b.value.total_cmp(&a.value).then(a.row.cmp(&b.row)).then(a.node.cmp(&b.node));
    keep_first_by(&mut matches, LISTED_MATCHES, order);
    matches
}
