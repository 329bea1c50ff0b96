//! The tree of waiters, their wakers, and what the wakers did meanwhile.
//!
//! ```text
//! a waits for a lock in Shop.order                          10 s
//!   b woke it in Shop.refresh                               10 s
//!     meanwhile, b waited for the socket 10.0.0.7:5432       8 s
//!     meanwhile, b executed Shop.parse                       2 s
//! ```
//!
//! Each child has a part of its parent's time, so each chain of waits is a path of the tree. The waker was sampled only in some of
//! the waits. What the samples show of it in these waits stands for all waits of the node: its time is distributed in proportion to
//! the time that the samples represent.

use crate::wakers::holding::Holding;
use crate::wakers::lock::Lock;
use crate::wakers::sampled_waits::{Doing, SampledWaits};
use rustc_hash::FxHashMap;
use whittle_model::{FileIndex, FunctionIndex, StackIndex, ThreadIndex, Wake, WakerKind};
use whittle_profile::order::sort_by;
use whittle_profile::waits::WaitMeaning;

/// The largest number of wakers one behind the other. Longer chains are cut.
const DEEPEST: usize = 5;

/// What a node of the tree is about. Threads of a pool have the first thread of the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Subject {
    /// A thread waits.
    Waiter { thread: ThreadIndex, wait: Waiting },
    /// Threads wait for a lock.
    Lock(Lock),
    /// This ended the wait. Without a kind: the kernel did not report it.
    Waker { kind: Option<WakerKind>, thread: Option<ThreadIndex>, place: Option<FunctionIndex> },
    /// The waker waited meanwhile.
    MeanwhileWaits { thread: ThreadIndex, wait: Waiting },
    /// The waker executed this meanwhile.
    MeanwhileExecutes { thread: ThreadIndex, place: Option<FunctionIndex> },
    /// The waker waited for a CPU meanwhile.
    MeanwhileRunnable { thread: ThreadIndex },
}

/// What a thread waits for, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Waiting {
    pub(crate) meaning: WaitMeaning,
    pub(crate) file: FileIndex,
    pub(crate) place: Option<FunctionIndex>,
}

/// The values of a node.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Sum {
    /// Waiting time of the waiters, in nanoseconds.
    pub(crate) duration_ns: f64,
    /// Number of sampled waits.
    pub(crate) waits_count: u64,
    /// The longest of the waits whose end the kernel reported, in nanoseconds.
    pub(crate) longest_ns: u64,
}

/// A node of the tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) subject: Subject,
    /// Position of the parent. Missing for waiters and locks.
    pub(crate) parent: Option<usize>,
    pub(crate) depth: usize,
    pub(crate) sum: Sum,
    last_wait: usize,
}

/// The tree. Parents come before their children.
#[derive(Default)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    positions: FxHashMap<(Option<usize>, Subject), usize>,
}

/// A part of a sampled wait.
#[derive(Clone, Copy)]
struct Part {
    /// Number of the wait of the waiter.
    wait: usize,
    longest_ns: u64,
    duration_ns: f64,
}

/// A chain of waits.
struct Chain {
    part: Part,
    /// The threads from the waiter on.
    path: Vec<ThreadIndex>,
}

/// What a waker did during a wait.
struct Meanwhile {
    /// Position of the waker.
    parent: usize,
    /// The first thread of its pool, or the waker.
    thread: ThreadIndex,
    /// What it did, and for how many nanoseconds.
    doings: Vec<(Doing, f64)>,
    /// Length of the wait, in nanoseconds.
    wait_ns: f64,
}

impl Tree {
    /// The tree of some waits, by their numbers. `top` tells below which top a wait is, and which wakes count as its end, each with
    /// its part of the wait. The parts have the sum 1.
    pub(crate) fn new(
        waits: &SampledWaits<'_>,
        numbers: &[usize],
        top: impl Fn(usize) -> (Subject, Vec<(Option<Wake>, f64)>),
    ) -> Self {
        let mut tree = Self::default();
        for number in numbers {
            let (subject, wakes) = top(*number);
            for wake in wakes {
                tree.add_wait(waits, *number, (subject, wake));
            }
        }
        tree.distribute();
        tree
    }

    /// The tree with waiters as tops.
    pub(crate) fn of_waiters(waits: &SampledWaits<'_>, numbers: &[usize]) -> Self {
        Self::new(waits, numbers, |number| {
            let thread = group_of(waits, waits.wait(number).thread);
            (Subject::Waiter { thread, wait: waiting(waits, number) }, vec![(waits.wake(number), 1.0)])
        })
    }

    fn add_wait(
        &mut self,
        waits: &SampledWaits<'_>,
        number: usize,
        (subject, (wake, ratio)): (Subject, (Option<Wake>, f64)),
    ) {
        let wait = waits.wait(number);
        let longest_ns = waits.wake(number).map_or(0, |wake| wake.duration_ns);
        let part = Part { wait: number, longest_ns, duration_ns: ratio * wait.weight_ns as f64 };
        let node = self.add(None, subject, part);
        self.add_waker(waits, (node, number, wake), &mut Chain { part, path: vec![wait.thread] });
    }

    /// Distributes the time of each waker over what it did meanwhile. Before, these nodes have only the time in which samples show
    /// the waker.
    fn distribute(&mut self) {
        let mut below_ns = vec![0.0; self.nodes.len()];
        for node in &self.nodes {
            if let Some(parent) = node.parent {
                below_ns[parent] += node.sum.duration_ns;
            }
        }
        let seen_ns: Vec<f64> = self.nodes.iter().map(|node| node.sum.duration_ns).collect();
        for position in 0..self.nodes.len() {
            let Some(parent) = self.nodes[position].parent else { continue };
            let is_waker = matches!(self.nodes[parent].subject, Subject::Waker { .. });
            let base_ns = if is_waker { below_ns[parent] } else { seen_ns[parent] };
            let factor = if base_ns > 0.0 { self.nodes[parent].sum.duration_ns / base_ns } else { 1.0 };
            // Rounding must not make a row larger than the row above.
            let parent_ns = self.nodes[parent].sum.duration_ns;
            let own = &mut self.nodes[position].sum.duration_ns;
            *own = (*own * factor).min(parent_ns);
        }
    }

    /// For each node, the time that its children do not explain, in nanoseconds.
    pub(crate) fn time_without_children(&self) -> Vec<f64> {
        let mut own_ns: Vec<f64> = self.nodes.iter().map(|node| node.sum.duration_ns).collect();
        for node in &self.nodes {
            if let Some(parent) = node.parent {
                own_ns[parent] -= node.sum.duration_ns;
            }
        }
        own_ns.iter().map(|nanos| nanos.max(0.0)).collect()
    }

    /// The sum of all tops.
    pub(crate) fn total(&self) -> Sum {
        let mut total = Sum::default();
        for node in self.nodes.iter().filter(|node| node.parent.is_none()) {
            total.duration_ns += node.sum.duration_ns;
            total.waits_count += node.sum.waits_count;
            total.longest_ns = total.longest_ns.max(node.sum.longest_ns);
        }
        total
    }

    fn add(&mut self, parent: Option<usize>, subject: Subject, part: Part) -> usize {
        let nodes = &mut self.nodes;
        let position = *self.positions.entry((parent, subject)).or_insert_with(|| {
            let depth = parent.map_or(0, |parent| nodes[parent].depth + 1);
            nodes.push(Node { subject, parent, depth, sum: Sum::default(), last_wait: usize::MAX });
            nodes.len() - 1
        });
        let node = &mut nodes[position];
        node.sum.duration_ns += part.duration_ns;
        node.sum.waits_count += u64::from(node.last_wait != part.wait);
        node.sum.longest_ns = node.sum.longest_ns.max(part.longest_ns);
        node.last_wait = part.wait;
        position
    }

    /// Adds who ended the wait `number`, and what this thread did meanwhile.
    fn add_waker(
        &mut self,
        waits: &SampledWaits<'_>,
        (parent, number, wake): (usize, usize, Option<Wake>),
        chain: &mut Chain,
    ) {
        let waker = wake.as_ref().and_then(|wake| wake.waker);
        let place = waker.and(wake.as_ref()).and_then(|wake| place(waits, wake.stack));
        let subject = Subject::Waker {
            kind: wake.as_ref().map(|wake| wake.kind),
            thread: waker.map(|waker| group_of(waits, waker)),
            place,
        };
        let node = self.add(Some(parent), subject, chain.part);
        let (Some(waker), Some(times)) = (waker, waits.times(number)) else { return };
        if chain.path.contains(&waker) || chain.path.len() > DEEPEST {
            return;
        }
        let mut doings = waits.doings(waker, times);
        if let Some(holding) = Holding::of(waits, number, place) {
            holding.keep_held(waits, &mut doings);
        }
        chain.path.push(waker);
        let wait_ns = times.1.saturating_sub(times.0).max(1) as f64;
        let meanwhile = Meanwhile { parent: node, thread: group_of(waits, waker), doings, wait_ns };
        self.add_meanwhile(waits, meanwhile, chain);
        chain.path.pop();
    }

    fn add_meanwhile(&mut self, waits: &SampledWaits<'_>, meanwhile: Meanwhile, chain: &mut Chain) {
        let Meanwhile { parent, thread, doings, wait_ns } = meanwhile;
        let whole = chain.part;
        for (doing, nanos) in doings {
            let part = Part { duration_ns: whole.duration_ns * nanos / wait_ns, ..whole };
            chain.part = part;
            match doing {
                Doing::Executing(stack) | Doing::TakingLock(stack) => {
                    let subject = Subject::MeanwhileExecutes { thread, place: place(waits, stack) };
                    self.add(Some(parent), subject, part);
                }
                Doing::Runnable(_) => {
                    self.add(Some(parent), Subject::MeanwhileRunnable { thread }, part);
                }
                Doing::Waiting(number) => {
                    let wait = waiting(waits, number);
                    let node = self.add(Some(parent), Subject::MeanwhileWaits { thread, wait }, part);
                    let wake = waits.wake(number).filter(|wake| wake.kind.is_thread());
                    if wake.is_some() && wait.meaning != WaitMeaning::Idle {
                        self.add_waker(waits, (node, number, wake), chain);
                    }
                }
            }
        }
    }

    /// The positions of all nodes: each node is followed by its children, those with the most time first.
    pub(crate) fn in_order(&self) -> Vec<usize> {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut tops = Vec::new();
        for (position, node) in self.nodes.iter().enumerate() {
            node.parent.map_or(&mut tops, |parent| &mut children[parent]).push(position);
        }
        // The last one comes first from the stack.
        let rank = |a: &usize, b: &usize| {
            let (a, b) = (&self.nodes[*a], &self.nodes[*b]);
            a.sum.duration_ns.total_cmp(&b.sum.duration_ns).then_with(|| b.subject.cmp(&a.subject))
        };
        sort_by(&mut tops, rank);
        children.iter_mut().for_each(|children| sort_by(children, rank));
        let (mut open, mut order) = (tops, Vec::with_capacity(self.nodes.len()));
        while let Some(position) = open.pop() {
            order.push(position);
            open.append(&mut children[position]);
        }
        order
    }
}

fn waiting(waits: &SampledWaits<'_>, number: usize) -> Waiting {
    let wait = waits.wait(number);
    Waiting { meaning: wait.meaning, file: wait.file, place: place(waits, wait.stack) }
}

/// The function of the calling code.
pub(crate) fn place(waits: &SampledWaits<'_>, stack: StackIndex) -> Option<FunctionIndex> {
    let frames = &waits.profile.tables().frames;
    waits.calling_frame(stack).map(|frame| frames.function[frame.row()])
}

/// The first thread of the thread's pool, or the thread.
fn group_of(waits: &SampledWaits<'_>, thread: ThreadIndex) -> ThreadIndex {
    let pool = waits.profile.pools().of_thread(thread.row());
    pool.map_or(thread, |pool| ThreadIndex::from_row(pool.threads[0]))
}
