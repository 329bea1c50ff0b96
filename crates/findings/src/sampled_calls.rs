//! Finds each candidate's system calls among the sampled calls.

use super::matching::Family;
use super::stacks::NONE;
use super::sums::Owners;
use super::work::{NO_GROUP, WorkThreads};
use rustc_hash::FxHashSet;
use whittle_model::{SyscallIndex, ThreadIndex, WeightColumn};
use whittle_profile::Profile;
use whittle_profile::filter::Predicate;
use whittle_profile::weights::for_each_kept;

/// The sampled system calls of a candidate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Calls {
    by_name: Vec<CallSums>,
    /// Threads that make these calls.
    pub(super) threads: FxHashSet<ThreadIndex>,
}

#[derive(Debug, Clone)]
struct CallSums {
    name: String,
    calls: f64,
    /// Bytes that the calls moved.
    bytes: f64,
}

/// System calls that the profiler's agent itself makes in the profiled threads.
const PROFILERS: [&str; 2] = ["gettid", "rt_sigreturn"];

impl Calls {
    fn wanted(&self, names: &[String]) -> impl Iterator<Item = &CallSums> {
        let is_wanted = move |sums: &&CallSums| match names {
            [] => !PROFILERS.contains(&sums.name.as_str()),
            names => names.contains(&sums.name),
        };
        self.by_name.iter().filter(is_wanted)
    }

    /// Number and bytes of the calls with these names. If `names` is empty: number and bytes of all calls.
    pub(super) fn of(&self, names: &[String]) -> (f64, f64) {
        let wanted = self.wanted(names);
        wanted.fold((0.0, 0.0), |(calls, bytes), sums| (calls + sums.calls, bytes + sums.bytes))
    }

    fn add(&mut self, name: &str, calls: f64, bytes: f64) {
        match self.by_name.iter_mut().find(|sums| sums.name == name) {
            Some(sums) => {
                sums.calls += calls;
                sums.bytes += bytes;
            }
            None => self.by_name.push(CallSums { name: name.to_owned(), calls, bytes }),
        }
    }

    /// The name of the most frequent call.
    pub(super) fn most(&self) -> Option<&str> {
        self.most_of(&[]).map(|sums| sums.name.as_str())
    }

    fn most_of(&self, names: &[String]) -> Option<&CallSums> {
        self.wanted(names).max_by(|a, b| a.calls.total_cmp(&b.calls))
    }

    /// The calls with these names as text: `` `write` calls``, or ``system calls (mostly `write`)`` if there are others.
    pub(super) fn in_words(&self, names: &[String]) -> Option<String> {
        let most = self.most_of(names)?;
        Some(match self.wanted(names).count() {
            1 => format!("`{}` calls", most.name),
            _ => format!("system calls (mostly `{}`)", most.name),
        })
    }
}

/// The calls of each candidate. A call belongs to its stack's owner. `None`: the experiment has no sampled calls.
pub(crate) fn calls(
    profile: &Profile,
    work: &WorkThreads,
    owners: &Owners<'_>,
    predicate: Option<&Predicate>,
) -> Option<Vec<Calls>> {
    let (table, samples) = (&profile.tables().sampled_calls, profile.sampled_calls());
    if samples.is_empty() {
        return None;
    }
    let owner = owners.matches.owners(Family::Time);
    let names: Vec<&str> = profile.tables().syscalls.name.iter().map(String::as_str).collect();
    let name = |call: SyscallIndex| names.get(call.row()).copied().unwrap_or("");
    let mut calls = vec![Calls::default(); owners.candidates.len()];
    let counts = samples.column(WeightColumn::Count);
    for_each_kept(samples, predicate, |sample| {
        let place = owner[samples.observed[sample] as usize];
        if place == NONE || work.group_of_thread[samples.thread[sample].row()] == NO_GROUP {
            return;
        }
        let finding = owners.candidate_of_place[place as usize] as usize;
        calls[finding].threads.insert(samples.thread[sample]);
        let count = counts[sample] as f64;
        calls[finding].add(name(table.syscall[sample]), count, count * table.bytes[sample] as f64);
    });
    Some(calls)
}
