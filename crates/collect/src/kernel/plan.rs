//! From what a collection asks for to what the BPF programs are told.

use super::pace::first_interval;
use super::programs::Plan;
use super::records::{CALL_CHANGES_FILES, CALL_HAS_DESCRIPTOR, CALL_MOVES_BYTES, MAX_CALLS, kind};
use super::side::KernelOptions;
use crate::events::{Amount, Events};
use crate::syscall_names;

/// Which record kind is sampled by which amount.
pub(crate) fn amounts(events: &Events) -> [(u16, Amount); 4] {
    [
        (kind::CALLS, events.syscalls),
        (kind::BYTES, events.io_bytes),
        (kind::CALL_TIME, events.syscall_time),
        (kind::BLOCKED, events.off_cpu),
    ]
}

/// The plan of a collection.
pub(crate) fn plan(options: &KernelOptions) -> Plan {
    let mut intervals = [0; 8];
    for (kind, amount) in amounts(&options.events) {
        intervals[usize::from(kind)] = match amount {
            Amount::None => 0,
            Amount::Following => first_interval(kind),
            Amount::Fixed(amount) => amount,
        };
    }
    Plan {
        tick_ns: options.tick.as_nanos() as u64,
        faults: options.events.page_faults.fixed_or(DEFAULT_FAULTS),
        intervals,
        has_accounts: options.events.has_accounts(),
        follows: options.follows,
        calls: std::array::from_fn(call_facts),
        drop_every: options.drop_every,
    }
}

/// Page faults between two samples on a CPU: starting a JVM makes some 30,000, of which 60 show.
const DEFAULT_FAULTS: u64 = 500;

/// Calls after which a descriptor can name another file.
const CHANGING_FILES: [&str; 4] = ["close", "close_range", "dup2", "dup3"];

fn call_facts(number: usize) -> u8 {
    debug_assert!(number < MAX_CALLS);
    let facts = syscall_names::facts(number as u32);
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    let changes_files = CHANGING_FILES.contains(&syscall_names::name(number as u32).as_str());
    facts.wait as u8
        | flag(facts.has_descriptor, CALL_HAS_DESCRIPTOR)
        | flag(facts.moves_bytes, CALL_MOVES_BYTES)
        | flag(changes_files, CALL_CHANGES_FILES)
}
