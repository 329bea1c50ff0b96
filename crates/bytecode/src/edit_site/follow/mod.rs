//! Follows a value backwards to the place that creates it. Values are followed through locals, fields, parameters,
//! return values, constructors, wrappers and lambdas, in all known classes.
//!
//! ```text
//! value ── origins ── step backwards (fields, new_objects, results, passed) ──> Way ── Follower ──> value …
//!                                                                                └──> created here, or a dead end
//! ```
//!
//! A *context* is a method together with how it was entered. So its parameters have the values of one call, not of all
//! calls. If a context is on the stack, the profile shows its caller. A step only describes possible sources of the
//! value. The follower examines these sources, counts steps and collects results.

mod call_targets;
mod constructors;
mod fields;
mod here;
mod new_objects;
mod passed;
mod results;
mod way;

use super::context::Context;
use super::outcome::{Leaf, Outcome};
use super::search::Search;
use super::trail::Trail;
use super::value::{Origin, Value};
use super::wanted::Wanted;
use super::words;
use here::Here;
use std::collections::HashSet;
use std::rc::Rc;
use way::{NoResult, Way};

/// Maximum number of steps from the call to the line to edit.
const MAX_DEPTH: usize = 32;
/// How often the same value can occur on one way. A value that occurs more often means a loop. Two occurrences are
/// allowed because factories can be nested.
const MAX_REPEATS: usize = 2;

/// The places that create a value of a method.
pub(super) fn follow<'c>(
    search: &Search<'_, 'c>,
    context: &Rc<Context<'c>>,
    value: &Value,
    wanted: &Wanted<'_>,
) -> Outcome<'c> {
    let mut follower = Follower { search, wanted, out: Outcome::default() };
    follower.value(context, value, &Trail::default());
    let mut out = follower.out;
    let mut seen = HashSet::new();
    out.leaves.retain(|leaf| seen.insert(leaf.context.place_key(leaf.bytecode_index)));
    out
}

/// The places that create the possible objects of a value. `None` if some of these places are unknown.
fn objects<'c>(
    search: &Search<'_, 'c>,
    context: &Rc<Context<'c>>,
    value: &Value,
    wanted: &Wanted<'_>,
) -> Option<Vec<Leaf<'c>>> {
    // This search uses only a part of the steps, because these objects help to find the answer but are not the answer.
    let outcome = search.with_part_of_steps(|| follow(search, context, value, wanted));
    (outcome.dead_ends.is_empty() && !outcome.leaves.is_empty()).then_some(outcome.leaves)
}

/// Follows all ways back from one value.
struct Follower<'s, 'q, 'c> {
    search: &'s Search<'q, 'c>,
    wanted: &'s Wanted<'s>,
    out: Outcome<'c>,
}

impl<'c> Follower<'_, '_, 'c> {
    fn value(&mut self, context: &Rc<Context<'c>>, value: &Value, trail: &Trail) {
        for origin in value.origins() {
            self.origin(context, *origin, trail);
        }
    }

    fn origin(&mut self, context: &Rc<Context<'c>>, origin: Origin, trail: &Trail) {
        let key = (context.class_key(), context.method, origin);
        if trail.count(key) >= MAX_REPEATS {
            return;
        }
        if !self.search.take_step() {
            return self.out.end("it can come from too many places".to_owned());
        }
        let trail = trail.with_value(key);
        if trail.depth > MAX_DEPTH {
            return self.out.end("it comes from a place that is too many steps away".to_owned());
        }
        let way = self.step_back(context, origin);
        self.go(way, &trail);
    }

    fn step_back(&self, context: &Rc<Context<'c>>, origin: Origin) -> Way<'c> {
        let search = self.search;
        let objects =
            |context: &Rc<Context<'c>>, value: &Value, wanted: &Wanted<'_>| objects(search, context, value, wanted);
        let here = Here { context, search, wanted: self.wanted, objects: &objects };
        match origin {
            Origin::This => passed::this(&here),
            Origin::Parameter(number) => passed::parameter(&here, number),
            Origin::At(index) => instruction(&here, index),
            Origin::Unknown => Way::End(format!("it cannot be followed through {}", context.shown_method())),
        }
    }

    fn go(&mut self, way: Way<'c>, trail: &Trail) {
        match way {
            Way::Made(context, bytecode_index) => {
                self.out.leaves.push(Leaf { context, bytecode_index, trail: trail.clone() });
            }
            Way::End(reason) => self.out.end(reason),
            Way::Value(context, value) => self.value(&context, &value, trail),
            Way::Step(text, next) => self.go(*next, &trail.with_step(text)),
            Way::Field(field, next) => self.go(*next, &trail.with_field(field)),
            Way::All(ways) => ways.into_iter().for_each(|way| self.go(way, trail)),
            Way::Else(first, condition, second) => {
                let before = self.result_count(condition);
                self.go(*first, trail);
                if self.result_count(condition) == before {
                    self.go(*second, trail);
                }
            }
        }
    }

    /// Returns the number of results so far. The caller compares two of these numbers to detect a way without results.
    fn result_count(&self, condition: NoResult) -> usize {
        match condition {
            NoResult::NotMade => self.out.leaves.len(),
            NoResult::Silent => self.out.leaves.len() + self.out.dead_ends.len(),
        }
    }
}

/// The source of an instruction's result.
fn instruction<'c>(here: &Here<'_, '_, 'c>, index: u32) -> Way<'c> {
    let context = here.context;
    let Some(instruction) = context.flow.instructions.get(&index) else { return Way::nothing() };
    match instruction.opcode {
        // `null` is not created anywhere.
        0x01 => Way::nothing(),
        0xb2 | 0xb4 => fields::read(here, index),
        0xb6..=0xb9 => results::of_call(here, index),
        0xba => results::of_dynamic(here, index),
        0xbb => new_objects::made(here, index),
        _ if here.wanted.takes_anything() => Way::made(context, index),
        0x32 => Way::End(format!("it is kept in an array, read in {}", context.shown_place(index))),
        _ => Way::End(format!("{} is not such an object", words::instruction(context, index))),
    }
}
