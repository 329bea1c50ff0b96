//! The locks that threads waited for, the threads that held them, and what the holders did meanwhile.
//!
//! A row is a lock at a place in the code: the class of the lock, if the stack shows it, and the line that takes it. Different
//! objects of the same class can have the same row.

mod held;
mod main_holder;
mod shares;

use crate::definition::{Answered, Answerer, Command, NoKeys, ViewDefinition, keys};
use crate::fixed_order::{preamble, sort_field};
use crate::wakers::lock::{is_for_lock, lock};
use crate::wakers::sampled_waits::SampledWaits;
use crate::wakers::tree::{Node, Subject, Tree};
use crate::wakers::{SORTS, WakerFigures, WakersView, notes, shown_rows};
use whittle_profile::query::Query;
use whittle_profile::{AnalysisError, Profile};

pub use main_holder::{MainHolder, Meanwhile, main_holder};

use shares::HeldShares;

/// The definition of this view. Its answer is [`WakersView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "locks",
        answer: |on, asked| {
            keys::<NoKeys>(asked)?;
            Ok(Answered::view(locks(on.profile, on.query)?))
        },
    },
    not_compared: Some("locks of two versions are not compared: look at the locks of each version"),
    command: Some(Command {
        orders: &["time", "waits", "longest", "name"],
        in_fleet: false,
        ..Command::table("Locks that threads waited for, their holders, and what the holders did meanwhile")
    }),
};

const NONE: &str = "no thread waited for a monitor or a lock in the sampled waits";

const WITHOUT_OWNER: &str = "holders are threads that gave the lock back and woke a waiter. If several held it during a wait, each has the \
                             part in which samples show it in the method that gave the lock back. Spinning threads do not sleep, so they \
                             are not seen. Semaphores have no holder, and a tryLock that fails is no wait";

/// The tree of locks. `Query::sort` is one of `time`, `waits`, `longest`, `name`. `Query::metrics` must be missing.
///
/// # Errors
/// The order is unknown, columns are requested, or the filter contains an unknown name.
pub fn locks(profile: &Profile, query: &Query) -> Result<WakersView, AnalysisError> {
    let sorted_by = sort_field(query, "locks", &SORTS)?;
    let waits = SampledWaits::new(profile);
    let mut numbers = waits.kept(profile.selection(query)?.as_ref());
    let has_waits = !numbers.is_empty();
    numbers.retain(|number| is_for_lock(waits.wait(*number).meaning));
    let holders = HeldShares::new(&waits);
    let tree = Tree::new(&waits, &numbers, |number| (Subject::Lock(lock(&waits, number)), holders.of(number)));
    let is_unknown = |node: &&Node| node.depth == 1 && matches!(node.subject, Subject::Waker { kind: None, .. });
    let unknown_ns: f64 = tree.nodes.iter().filter(is_unknown).map(|node| node.sum.duration_ns).sum();
    let (rows, row_count) = shown_rows(profile, &tree, sorted_by, query.window());
    let total = tree.total();
    let known_ratio = (total.duration_ns > 0.0).then(|| (total.duration_ns - unknown_ns) / total.duration_ns);
    let mut preamble = preamble(profile, query, "locks", sorted_by);
    preamble.notes = match numbers.is_empty() && has_waits {
        true => vec![NONE.to_owned()],
        false => notes(profile, "The holder is known", known_ratio),
    };
    preamble.notes.extend((!numbers.is_empty()).then(|| WITHOUT_OWNER.to_owned()));
    let total = WakerFigures::new(&total, true);
    Ok(WakersView { preamble, total, known_ratio, critical_path: Vec::new(), row_count, rows })
}
