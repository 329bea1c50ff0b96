//! Converts the options of a collection to the settings of the BPF programs.

use super::layout::{CALL_CHANGES_FILES, CALL_HAS_DESCRIPTOR, CALL_MOVES_BYTES, CALL_SENDS_BYTES, MAX_CALLS};
use super::layout::{SAMPLED, kind, metric_of};
use super::programs::Plan;
use crate::events::{Amount, Events};
use crate::syscall_names;
use std::time::Duration;
use whittle_model::{Distance, Metric};

/// The options that this engine needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelOptions {
    pub(crate) tick: Duration,
    pub(crate) events: Events,
    pub(crate) follows: bool,
    /// Whether the marks of the code inside a program are observed.
    pub(crate) has_marks: bool,
    /// For tests: one in this many signals is not sent; 0: all signals are sent.
    pub(crate) drop_every: u32,
}

/// The distances of record kinds that can adapt to the program.
pub(crate) fn amounts(events: &Events) -> impl Iterator<Item = (u16, Amount)> {
    let can_follow = |metric: Metric| matches!(metric.distance(), Some(Distance::Following { .. }));
    let followable = SAMPLED.into_iter().filter(move |(_, metric)| can_follow(*metric));
    followable.map(move |(kind, metric)| (kind, events.amount(metric)))
}

/// The kinds that the kernel side samples by place, if the user did not set their distance.
const BY_PLACE: [u16; 2] = [kind::BLOCKED, kind::CALL_TIME];

/// The plan of a collection.
pub(crate) fn plan(options: &KernelOptions) -> Plan {
    let mut intervals = [0; 8];
    for (kind, _) in amounts(&options.events) {
        intervals[usize::from(kind)] = metric_of(kind).map_or(0, |metric| options.events.distance(metric));
    }
    let following = amounts(&options.events).filter(|(_, amount)| *amount == Amount::Following);
    let by_place = following.filter(|(kind, _)| BY_PLACE.contains(kind)).fold(0, |bits, (kind, _)| bits | 1 << kind);
    Plan {
        tick_ns: options.tick.as_nanos() as u64,
        faults: options.events.distance(Metric::PageFaults),
        intervals,
        by_place,
        has_accounts: options.events.has_accounts(),
        follows: options.follows,
        has_marks: options.has_marks,
        calls: std::array::from_fn(call_facts),
        drop_every: options.drop_every,
    }
}

/// Calls after which a descriptor can refer to another file, or a socket has another peer.
const CHANGING_FILES: [&str; 7] = ["close", "close_range", "dup2", "dup3", "bind", "connect", "listen"];

/// Calls that move bytes from the program to the file of their first argument.
const SENDING: [&str; 8] = ["write", "pwrite64", "writev", "pwritev", "pwritev2", "sendto", "sendmsg", "sendfile"];

fn call_facts(number: usize) -> u8 {
    debug_assert!(number < MAX_CALLS);
    let facts = syscall_names::facts(number as u32);
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    let name = syscall_names::name(number as u32);
    let is_in = |names: &[&str]| names.contains(&name.as_str());
    facts.wait as u8
        | flag(facts.has_descriptor, CALL_HAS_DESCRIPTOR)
        | flag(facts.moves_bytes, CALL_MOVES_BYTES)
        | flag(is_in(&CHANGING_FILES), CALL_CHANGES_FILES)
        | flag(facts.moves_bytes && is_in(&SENDING), CALL_SENDS_BYTES)
}
