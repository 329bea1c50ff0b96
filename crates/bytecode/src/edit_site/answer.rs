//! Builds the answer from the places that were found.

use super::context::Context;
use super::field_uses;
use super::member_uses::FieldKey;
use super::names;
use super::outcome::{Leaf, Outcome};
use super::search::Search;
use super::site::EditSite;
use super::spot::Spot;
use super::words;
use std::rc::Rc;

/// Maximum number of other places that the answer names in addition to the line to edit.
const MAX_OTHERS: usize = 12;
/// Maximum number of equally possible places. If there are more, there is no answer, unless one place is nearest to the
/// stack.
const MAX_EQUAL_SITES: usize = 4;
/// Maximum number of reasons that the answer names.
const MAX_REASONS: usize = 3;

/// Builds the answer from the places that create an object. The first place is the line to edit.
///
/// # Errors
/// No place was found. The text explains why the search ended, and which code the user should look for.
pub(super) fn of_outcome<'c>(
    search: &Search<'_, 'c>,
    call: (&Rc<Context<'c>>, u32),
    outcome: &Outcome<'c>,
) -> Result<EditSite, String> {
    let leaves = nearest_first(search, &outcome.leaves);
    let Some((nearness, first)) = leaves.first() else { return Err(not_found(search, &outcome.dead_ends)) };
    let mut spots: Vec<Spot<'c>> = Vec::new();
    let mut equal_count = 0;
    for (is_far, leaf) in &leaves {
        let spot = spot_of(leaf);
        if !spots.iter().any(|known| known.key() == spot.key()) {
            equal_count += usize::from(is_far == nearness);
            spots.push(spot);
        }
    }
    if equal_count > MAX_EQUAL_SITES {
        let places: Vec<String> =
            spots.iter().map(|spot| spot.context.shown_place(spot.bytecode_index)).take(MAX_EQUAL_SITES).collect();
        let count = spots.len();
        return Err(format!("it can be created in {count} places, such as {}. Check each place", places.join("; ")));
    }
    let (context, index) = call;
    let mut steps = vec![format!("{} calls {}", context.shown_place(index), words::instruction(context, index))];
    steps.extend(first.trail.steps());
    steps.push(format!(
        "{} has {}",
        first.context.shown_place(first.bytecode_index),
        words::instruction(&first.context, first.bytecode_index)
    ));
    if !outcome.dead_ends.is_empty() {
        steps.push(format!("There may be other places: {}", listed(&outcome.dead_ends)));
    }
    let mut site = spots[0].site(steps);
    site.others = spots.iter().skip(1).take(MAX_OTHERS).map(Spot::other).collect();
    site.field = first.trail.field.as_ref().and_then(|field| field_uses::of(search, field, (call, &spots)));
    Ok(site)
}

/// Sorts the places. Places in a class on the stack come first, including places in its nested classes. The flag is
/// true if the class is not on the stack.
fn nearest_first<'l, 'c>(search: &Search<'_, 'c>, leaves: &'l [Leaf<'c>]) -> Vec<(bool, &'l Leaf<'c>)> {
    let outermost = |name: &'l str| name.split('$').next().unwrap_or(name);
    let is_far = |leaf: &'l Leaf<'c>| {
        let class = outermost(&leaf.context.class.file.name);
        !search.question.callers.iter().any(|place| place.class.split('$').next() == Some(class))
    };
    let mut ranked: Vec<_> = leaves.iter().map(|leaf| (is_far(leaf), leaf)).collect();
    ranked.sort_by_key(|(is_far, _)| *is_far);
    ranked
}

fn spot_of<'c>(leaf: &Leaf<'c>) -> Spot<'c> {
    let mut spot = Spot::new(&leaf.context, leaf.bytecode_index);
    if let Some(FieldKey { class, name, .. }) = leaf.trail.field.as_deref() {
        spot.what = format!("{}, kept in field {}", spot.what, names::field(class, name));
    }
    spot
}

fn not_found(search: &Search<'_, '_>, dead_ends: &[String]) -> String {
    let wanted = &search.question.rule.classes;
    let look = match wanted.as_slice() {
        [] => String::new(),
        classes => {
            let names: Vec<String> = classes.iter().take(MAX_REASONS).map(|name| names::class(name)).collect();
            format!("; look for where {} comes from", names.join(" or "))
        }
    };
    if dead_ends.is_empty() {
        return format!("the place that creates the object was not found{look}");
    }
    format!("{}{look}", listed(dead_ends))
}

fn listed(reasons: &[String]) -> String {
    let shown = reasons[..reasons.len().min(MAX_REASONS)].join("; ");
    if reasons.len() > MAX_REASONS { format!("{shown}; and {} more", reasons.len() - MAX_REASONS) } else { shown }
}
