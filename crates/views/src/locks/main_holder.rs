//! The thread that mostly held a lock, for sentences about one lock.

use crate::locks::shares::HeldShares;
use crate::wait_words::waited_for;
use crate::wakers::lock::{is_for_lock, lock};
use crate::wakers::sampled_waits::SampledWaits;
use crate::wakers::tree::{Node, Subject, Tree};
use crate::wakers::words::thread_name;
use whittle_model::{FunctionIndex, StackIndex, Table};
use whittle_profile::Profile;
use whittle_profile::filter::Predicate;

/// The thread that held a lock in the largest part of the waiting time.
#[derive(Debug, Clone, PartialEq)]
pub struct MainHolder {
    /// The thread or pool that waited longest.
    pub waiter: String,
    /// The thread or pool that held the lock.
    pub holder: String,
    /// The method that gave the lock back. Missing: unknown.
    pub function: Option<String>,
    /// The part of the waiting time in which this thread held the lock in this method, from 0 to 1.
    pub ratio: f64,
    /// What the holder mostly did meanwhile. Missing: it was not sampled.
    pub meanwhile: Option<Meanwhile>,
}

/// What the holder of a lock did.
#[derive(Debug, Clone, PartialEq)]
pub struct Meanwhile {
    /// `waiting for data from a socket (tcp 10.0.0.7:5432)`, `executing app.Cache.parse()`.
    pub words: String,
    /// The part of the time in which the holder held the lock, from 0 to 1.
    pub ratio: f64,
    /// Number of samples of the holder that tell this.
    pub samples_count: u64,
}

/// The main holder of the lock for which these stacks wait. Missing: these stacks do not wait for a lock, or no holder is known.
pub fn main_holder(
    profile: &Profile,
    predicate: Option<&Predicate>,
    is_wait: impl Fn(StackIndex) -> bool,
) -> Option<MainHolder> {
    if profile.tables().wakes.is_empty() {
        return None;
    }
    let waits = SampledWaits::new(profile);
    let mut numbers = waits.kept(predicate);
    numbers.retain(|number| is_for_lock(waits.wait(*number).meaning) && is_wait(waits.wait(*number).stack));
    let holders = HeldShares::new(&waits);
    // All waits are below one top.
    let top = Subject::Lock(lock(&waits, *numbers.first()?));
    let tree = Tree::new(&waits, &numbers, |number| (top, holders.of(number)));
    let has_thread = |node: &Node| matches!(node.subject, Subject::Waker { thread: Some(_), .. });
    let (position, main) = largest_below(&tree, 0, has_thread)?;
    let Subject::Waker { thread: Some(holder), place, .. } = main.subject else { return None };
    let waiters = Tree::of_waiters(&waits, &numbers);
    let waiter = waiters.nodes.iter().filter(|node| node.parent.is_none());
    let waiter = waiter.max_by(|a, b| a.sum.duration_ns.total_cmp(&b.sum.duration_ns))?;
    let Subject::Waiter { thread: waiter, .. } = waiter.subject else { return None };
    let name = |function: FunctionIndex| profile.tables().functions.display_name[function.row()].clone();
    let meanwhile = largest_below(&tree, position, |_| true).and_then(|(_, node)| {
        let words = match node.subject {
            Subject::MeanwhileWaits { wait, .. } => {
                let file = &profile.tables().files.path[wait.file.row()];
                format!("waiting for {}", waited_for(Some(wait.meaning.name()), file))
            }
            Subject::MeanwhileExecutes { place, .. } => format!("executing {}", name(place?)),
            _ => "waiting for a CPU".to_owned(),
        };
        let ratio = node.sum.duration_ns / main.sum.duration_ns;
        Some(Meanwhile { words, ratio, samples_count: node.sum.waits_count })
    });
    Some(MainHolder {
        waiter: thread_name(profile, waiter),
        holder: thread_name(profile, holder),
        function: place.map(name),
        ratio: main.sum.duration_ns / tree.total().duration_ns,
        meanwhile,
    })
}

/// The child of a node with the most time.
fn largest_below(tree: &Tree, parent: usize, is_wanted: impl Fn(&Node) -> bool) -> Option<(usize, &Node)> {
    let children = tree.nodes.iter().enumerate().filter(|(_, node)| node.parent == Some(parent) && is_wanted(node));
    children.max_by(|(_, a), (_, b)| a.sum.duration_ns.total_cmp(&b.sum.duration_ns))
}
