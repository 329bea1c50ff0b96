//! Groups system calls by call and file, and distributes their values over the calling functions.
//!
//! The JVM's own threads have separate groups. Therefore, calls of the compiler and the garbage collector are not
//! distributed over the program's functions.

use crate::calling_frame::calling_frames;
use crate::transfers::Transfers;
use whittle_model::{FileKind, Table};
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::filter::Predicate;
use whittle_profile::latencies::Latencies;
use whittle_profile::ordered_map::OrderedMap;
use whittle_profile::query::Query;

/// The caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Who {
    /// A function, numbered as in [`FunctionNames`](whittle_profile::reduction::FunctionNames).
    Function(u32),
    /// The call was sampled, but its stack has no function of the program.
    NotKnown,
    /// No call was sampled.
    NotSampled,
}

/// Values of some calls. They can be fractions, because each caller gets a share of the exact values.
#[derive(Debug, Clone, Default)]
pub(crate) struct Part {
    pub(crate) calls: f64,
    pub(crate) errors: f64,
    pub(crate) bytes: f64,
    /// Number of calls × mean bytes per call, added up over all calling functions. It differs from `bytes` by the
    /// sampling error, because `bytes` adds up to the kernel's count.
    pub(crate) bytes_by_call: f64,
    pub(crate) duration_ns: f64,
    pub(crate) latencies: Latencies,
    pub(crate) sampled_count: u64,
    pub(crate) is_estimate: bool,
}

impl Part {
    pub(crate) fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.errors += other.errors;
        self.bytes += other.bytes;
        self.bytes_by_call += other.bytes_by_call;
        self.duration_ns += other.duration_ns;
        self.latencies.add_scaled(&other.latencies, other.latencies.count());
        self.sampled_count += other.sampled_count;
        self.is_estimate |= other.is_estimate;
    }

    fn bytes_per_call(&self) -> f64 {
        if self.calls > 0.0 { self.bytes / self.calls } else { 0.0 }
    }
}

/// The calls of one kind on one file. The JVM's own threads and all other threads have separate groups.
#[derive(Debug)]
pub(crate) struct SyscallGroup<'a> {
    pub(crate) call: &'a str,
    pub(crate) file: (FileKind, &'a str),
    /// The kernel's counts.
    exact: Part,
    /// The weights of the sampled calls, by caller.
    sampled: OrderedMap<Who, Part>,
    /// True if only sampled calls are used.
    is_estimated: bool,
}

/// All groups that have calls.
#[derive(Debug)]
pub(crate) struct SyscallGroups<'a> {
    pub(crate) groups: Vec<SyscallGroup<'a>>,
    /// The calls that move bytes.
    pub(crate) transfers: Transfers,
    /// True if the values are those of sampled calls, because the filter needs samples.
    pub(crate) is_estimated: bool,
}

impl SyscallGroup<'_> {
    /// The total values of the group.
    pub(crate) fn whole(&self) -> Part {
        if self.is_estimated {
            let mut whole = self.sampled_whole();
            whole.is_estimate = true;
            return whole;
        }
        let sampled_count = self.sampled.iter().map(|(_, part)| part.sampled_count).sum();
        Part { sampled_count, ..self.exact.clone() }
    }

    fn sampled_whole(&self) -> Part {
        let mut whole = Part::default();
        self.sampled.iter().for_each(|(_, part)| whole.add(part));
        whole
    }

    /// The values of each caller, or of the whole group if `by_caller` is false.
    pub(crate) fn parts(&self, by_caller: bool) -> Vec<(Option<Who>, Part)> {
        let whole = self.whole();
        let mut callers = self.sampled.iter();
        match (by_caller, callers.next(), callers.next()) {
            (false, ..) => vec![(None, whole)],
            (true, None, _) => vec![(Some(Who::NotSampled), whole)],
            (true, Some((only, _)), None) => vec![(Some(*only), whole)],
            _ => {
                let sampled = self.sampled_whole();
                let parts = self.sampled.iter().map(|(who, part)| (Some(*who), shared_out(&whole, part, &sampled)));
                let mut parts: Vec<_> = parts.collect();
                move_impossible_errors(&mut parts);
                parts
            }
        }
    }
}

/// The share of `whole` for some of its calls. `part` contains these sampled calls, and `sampled` contains all sampled
/// calls.
fn shared_out(whole: &Part, part: &Part, sampled: &Part) -> Part {
    // If no sampled call had an error or moved a byte, errors and bytes are distributed in proportion to the calls.
    let share = |whole: f64, (own, all): (f64, f64)| {
        if all > 0.0 { whole * own / all } else { whole * part.calls / sampled.calls }
    };
    let calls = share(whole.calls, (part.calls, sampled.calls));
    let mut latencies = Latencies::default();
    latencies.add_scaled(&part.latencies, calls);
    Part {
        calls,
        errors: share(whole.errors, (part.errors, sampled.errors)),
        bytes: share(whole.bytes, (part.bytes, sampled.bytes)),
        bytes_by_call: calls * part.bytes_per_call(),
        duration_ns: share(whole.duration_ns, (part.duration_ns, sampled.duration_ns)),
        latencies,
        sampled_count: part.sampled_count,
        is_estimate: true,
    }
}

/// Few sampled calls can tell more errors of a caller than calls. The rest of these errors belongs to the other callers, in proportion to
/// their calls without an error.
fn move_impossible_errors(parts: &mut [(Option<Who>, Part)]) {
    let sum = |of: fn(&Part) -> f64| parts.iter().map(|(_, part)| of(part).max(0.0)).sum::<f64>();
    let (too_many, free) = (sum(|part| part.errors - part.calls), sum(|part| part.calls - part.errors));
    if too_many <= 0.0 || too_many > free {
        return;
    }
    for (_, part) in parts {
        let free_of_part = part.calls - part.errors;
        part.errors += if free_of_part < 0.0 { free_of_part } else { free_of_part * too_many / free };
    }
}

/// How a filter applies to system calls.
enum Selection {
    All,
    /// The filter selects threads only, so values remain exact.
    Threads(Vec<bool>),
    /// The filter needs sampled calls. There is one result per sampled call.
    Calls(Vec<bool>),
}

/// The system calls that a query's filter keeps.
pub(crate) fn syscall_groups<'a>(profile: &'a Profile, query: &Query) -> Result<SyscallGroups<'a>, AnalysisError> {
    let selection = selected_calls(profile, query)?;
    let is_estimated = matches!(selection, Selection::Calls(_));
    let (groups, transfers) = (OrderedMap::default(), Transfers::default());
    let mut building = Building { profile, groups, transfers, is_estimated };
    if !is_estimated {
        building.add_exact(|thread| match &selection {
            Selection::Threads(is_kept) => is_kept[thread],
            _ => true,
        });
    }
    building.add_sampled(|row, thread| match &selection {
        Selection::All => true,
        Selection::Threads(is_kept) => is_kept[thread],
        Selection::Calls(is_kept) => is_kept[row],
    });
    Ok(SyscallGroups {
        transfers: building.transfers,
        groups: building.groups.into_pairs().into_iter().map(|(_, group)| group).collect(),
        is_estimated,
    })
}

fn selected_calls(profile: &Profile, query: &Query) -> Result<Selection, AnalysisError> {
    let Some(predicate) = profile.selection(query)? else { return Ok(Selection::All) };
    Ok(match predicate.threads_alone() {
        Some(is_kept) => Selection::Threads(is_kept),
        None => Selection::Calls(kept_calls(profile, &predicate)),
    })
}

fn kept_calls(profile: &Profile, predicate: &Predicate) -> Vec<bool> {
    let calls = profile.sampled_calls();
    let mut is_kept = vec![false; calls.len()];
    predicate.test(calls, 0..calls.len(), &mut is_kept);
    is_kept
}

struct Building<'a> {
    profile: &'a Profile,
    /// Groups by call, file, and whether the thread belongs to the JVM.
    groups: OrderedMap<(&'a str, FileKind, &'a str, bool), SyscallGroup<'a>>,
    /// From the kernel's counts, or from sampled calls if the values are estimated.
    transfers: Transfers,
    is_estimated: bool,
}

impl<'a> Building<'a> {
    /// The group for a row of system calls. A new group is added if needed.
    fn group(&mut self, row: usize) -> &mut SyscallGroup<'a> {
        let tables = self.profile.tables();
        let (syscalls, files) = (&tables.syscalls, &tables.files);
        let is_jvm = tables.threads.class[syscalls.thread[row].row()].is_jvm();
        let (call, file) = (syscalls.name[row].as_str(), syscalls.file[row].row());
        let (kind, path) = (files.kind[file], files.path[file].as_str());
        let is_estimated = self.is_estimated;
        self.groups.at((call, kind, path, is_jvm), || SyscallGroup {
            call,
            file: (kind, path),
            exact: Part::default(),
            sampled: OrderedMap::default(),
            is_estimated,
        })
    }

    fn add_exact(&mut self, is_kept: impl Fn(usize) -> bool) {
        let tables = self.profile.tables();
        let (syscalls, latencies) = (&tables.syscalls, &tables.syscall_latencies);
        for row in (0..syscalls.len()).filter(|row| is_kept(syscalls.thread[*row].row())) {
            self.transfers.add(syscalls.calls_count[row] as f64, syscalls.bytes[row] as f64);
            let exact = &mut self.group(row).exact;
            exact.calls += syscalls.calls_count[row] as f64;
            exact.errors += syscalls.errors_count[row] as f64;
            exact.bytes += syscalls.bytes[row] as f64;
            exact.bytes_by_call += syscalls.bytes[row] as f64;
            exact.duration_ns += syscalls.duration_ns[row] as f64;
            exact.latencies.longest_ns = exact.latencies.longest_ns.max(syscalls.longest_ns[row]);
        }
        for row in 0..latencies.len() {
            let call = latencies.syscall[row].row();
            if is_kept(syscalls.thread[call].row()) {
                self.group(call).exact.latencies.add_row(latencies, row);
            }
        }
    }

    fn add_sampled(&mut self, is_kept: impl Fn(usize, usize) -> bool) {
        let tables = self.profile.tables();
        let calls = &tables.sampled_calls;
        let callers = calling_frames(tables);
        for row in (0..calls.len()).filter(|row| is_kept(*row, calls.thread[*row].row())) {
            let caller = callers[calls.stack[row].row()].map(|frame| tables.frames.function[frame.row()]);
            let who = caller.map_or(Who::NotKnown, |function| Who::Function(function.0));
            let count = calls.count[row] as f64;
            if self.is_estimated {
                self.transfers.add(count, count * calls.bytes[row] as f64);
            }
            let sampled = self.group(calls.syscall[row].row()).sampled.at(who, Part::default);
            sampled.calls += count;
            sampled.errors += if calls.error_number[row].is_some() { count } else { 0.0 };
            sampled.bytes += count * calls.bytes[row] as f64;
            sampled.bytes_by_call += count * calls.bytes[row] as f64;
            sampled.duration_ns += count * calls.latency_ns[row] as f64;
            sampled.latencies.add_calls(calls.latency_ns[row], count);
            sampled.sampled_count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_caller_has_more_errors_than_calls() {
        let part = |calls: f64, errors: f64| (None, Part { calls, errors, ..Part::default() });
        let mut parts = [part(10.0, 30.0), part(70.0, 10.0), part(20.0, 0.0)];
        move_impossible_errors(&mut parts);
        assert_eq!(parts.map(|(_, part)| part.errors), [10.0, 25.0, 5.0]);
        let mut parts = [part(10.0, 5.0), part(70.0, 10.0)];
        move_impossible_errors(&mut parts);
        assert_eq!(parts.map(|(_, part)| part.errors), [5.0, 10.0]);
    }
}
