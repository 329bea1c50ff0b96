//! The places of a finding: the calling line, the library's line, and the heaviest stack.

use crate::candidates::Candidate;
use crate::matching::Matches;
use crate::stacks::{AnchorPlace, Stacks};
use crate::view::{CallingPlace, LibraryPlace, LinePart};
use rustc_hash::FxHashMap;
use whittle_model::{FunctionIndex, StackIndex};
use whittle_profile::roles::{Role, class_of};

/// The places, functions and lines with a candidate's weight.
pub(crate) struct Located {
    /// The heaviest place.
    pub(crate) heaviest: AnchorPlace,
    /// The heaviest anchor function.
    pub(crate) anchor: FunctionIndex,
    /// All anchor functions with a relevant share, the heaviest first.
    pub(crate) anchors: Vec<FunctionIndex>,
    pub(crate) calling: CallingPlace,
}

/// An anchor function with a smaller share of a finding is not named in the finding's filter.
const SMALL_RATIO: f64 = 0.02;
/// Largest number of listed lines.
const LINE_LIMIT: usize = 10;

/// Locates a candidate. `line_of` returns the line of a place's frame in this row. `None`: the candidate has no weight.
pub(crate) fn locate(
    (stacks, matches): (&Stacks<'_>, &Matches),
    candidate: &Candidate,
    weights: &[f64],
    line_of: impl Fn(&AnchorPlace, StackIndex) -> Option<u32>,
) -> Option<Located> {
    let weight = |place: &u32| weights[*place as usize];
    let heaviest = candidate.places.iter().max_by(|a, b| weight(a).total_cmp(&weight(b)))?;
    let total: f64 = candidate.places.iter().map(weight).sum();
    if total <= 0.0 {
        return None;
    }
    let place = |number: &u32| &matches.places[*number as usize];
    let own = |place: &AnchorPlace| stacks.own_row(place.calling).unwrap_or(place.calling);
    let by_anchor =
        shares(candidate.places.iter().map(|number| (stacks.function(place(number).anchor), weight(number))));
    let own_line = |place: &AnchorPlace| line_of(place, own(place));
    let by_line = shares(candidate.places.iter().map(|number| (own_line(place(number)), weight(number))));
    let lines: Vec<LinePart> =
        by_line.iter().take(LINE_LIMIT).map(|(line, ratio)| LinePart { line: *line, ratio: *ratio }).collect();
    let heaviest = *place(heaviest);
    let own_row = own(&heaviest);
    let function = stacks.function(own_row);
    let calling = CallingPlace {
        function: stacks.tables.functions.display_name[function.row()].clone(),
        file: stacks.tables.functions.source_file[function.row()].clone(),
        line: lines.first().and_then(|part| part.line),
        text: None,
        lines,
        library: (stacks.role(heaviest.calling) == Role::ThirdParty && own_row != heaviest.calling)
            .then(|| library(stacks, heaviest.calling, line_of(&heaviest, heaviest.calling))),
    };
    let is_large = |(_, ratio): &&(FunctionIndex, f64)| *ratio >= SMALL_RATIO;
    let anchors: Vec<FunctionIndex> = by_anchor.iter().filter(is_large).map(|(anchor, _)| *anchor).collect();
    Some(Located { heaviest, anchor: by_anchor[0].0, anchors, calling })
}

fn library(stacks: &Stacks<'_>, row: StackIndex, line: Option<u32>) -> LibraryPlace {
    let (tables, function) = (stacks.tables, stacks.function(row).row());
    let class = class_of(&tables.functions.internal_name[function]);
    let archived = tables.archive.class_name.iter().position(|name| name == class);
    let origin = archived.map(|row| tables.archive.origin[row].as_str()).filter(|origin| !origin.is_empty());
    LibraryPlace {
        function: tables.functions.display_name[function].clone(),
        file: tables.functions.source_file[function].clone(),
        line,
        jar: origin
            .and_then(|origin| origin.split("!/").filter(|part| part.ends_with(".jar")).last())
            .map(|path| path.rsplit('/').next().unwrap_or(path).to_owned()),
    }
}

/// Each key's share of the total, the largest first.
fn shares<K: Copy + Eq + std::hash::Hash + Ord>(parts: impl Iterator<Item = (K, f64)>) -> Vec<(K, f64)> {
    let mut by_key: FxHashMap<K, f64> = FxHashMap::default();
    parts.for_each(|(key, weight)| *by_key.entry(key).or_default() += weight);
    let total: f64 = by_key.values().sum();
    let mut shares: Vec<(K, f64)> = by_key.into_iter().map(|(key, weight)| (key, weight / total)).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    shares
}
