//! From what was found to the answer.

use super::context::Context;
use super::field_uses;
use super::follow::{Leaf, Outcome, Search};
use super::member_uses::FieldKey;
use super::words;
use crate::findings::{EditSite, OtherSite};
use std::rc::Rc;

/// Places that are named besides the site.
const MAX_OTHERS: usize = 12;
/// More places than this, none nearer to the stack than the others, say no more than "somewhere".
const MAX_EQUAL_SITES: usize = 4;
/// Reasons that are named.
const MAX_REASONS: usize = 3;

/// A place in code that can be edited.
#[derive(Debug, Clone)]
pub(super) struct Spot<'c> {
    pub(super) context: Rc<Context<'c>>,
    pub(super) bytecode_index: u32,
    /// What stands there.
    pub(super) what: String,
}

impl<'c> Spot<'c> {
    pub(super) fn new(context: &Rc<Context<'c>>, bytecode_index: u32) -> Self {
        Self { context: Rc::clone(context), bytecode_index, what: words::of(context, bytecode_index) }
    }

    fn line(&self) -> Option<u32> {
        self.context.line(self.bytecode_index)
    }

    /// A line of a method: several spots on it are one place to edit.
    fn key(&self) -> (usize, usize, Option<u32>) {
        (self.context.class_key(), self.context.method, self.line())
    }

    pub(super) fn other(&self) -> OtherSite {
        OtherSite {
            function: self.context.shown_method(),
            file: self.context.class.file.source_file.as_deref().map(str::to_owned),
            line: self.line(),
            what: self.what.clone(),
        }
    }
}

/// A site without others and without a field.
pub(super) fn edit_site(spot: &Spot<'_>, steps: Vec<String>) -> EditSite {
    EditSite {
        class: spot.context.class.file.name.clone().into_owned(),
        method: spot.context.method_name().to_owned(),
        file: spot.context.class.file.source_file.as_deref().map(str::to_owned),
        line: spot.line(),
        what: spot.what.clone(),
        text: None,
        steps,
        others: Vec::new(),
        field: None,
        constant: None,
    }
}

/// The places where an object is made, the first as the site.
///
/// # Errors
/// None was found: where the ways end, and what to look for.
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
        return Err(format!("it can be made in {count} places, such as {}; look at each", places.join("; ")));
    }
    let (context, index) = call;
    let mut steps = vec![format!("{} calls {}", context.shown_place(index), words::of(context, index))];
    steps.extend(first.trail.steps());
    steps.push(format!(
        "{} has {}",
        first.context.shown_place(first.bytecode_index),
        words::of(&first.context, first.bytecode_index)
    ));
    if !outcome.dead_ends.is_empty() {
        steps.push(format!("There may be other places: {}", listed(&outcome.dead_ends)));
    }
    let mut site = edit_site(&spots[0], steps);
    site.others = spots.iter().skip(1).take(MAX_OTHERS).map(Spot::other).collect();
    site.field = first.trail.field.as_ref().and_then(|field| field_uses::of(search, field, (call, &spots)));
    Ok(site)
}

/// Places in classes that are on the stack, with their nested classes, before others; true for those.
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
        spot.what = format!("{}, kept in field {}", spot.what, words::field(class, name));
    }
    spot
}

fn not_found(search: &Search<'_, '_>, dead_ends: &[String]) -> String {
    let wanted = &search.question.rule.classes;
    let look = match wanted.as_slice() {
        [] => String::new(),
        classes => {
            let names: Vec<String> = classes.iter().take(MAX_REASONS).map(|name| words::class(name)).collect();
            format!("; look for where {} comes from", names.join(" or "))
        }
    };
    if dead_ends.is_empty() {
        return format!("the object could not be followed to where it is made{look}");
    }
    format!("{}{look}", listed(dead_ends))
}

fn listed(reasons: &[String]) -> String {
    let shown = reasons[..reasons.len().min(MAX_REASONS)].join("; ");
    if reasons.len() > MAX_REASONS { format!("{shown}; and {} more", reasons.len() - MAX_REASONS) } else { shown }
}
