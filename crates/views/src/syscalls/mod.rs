//! The table of system calls: by call, file and calling function.
//!
//! How often each thread made each call on each file, how many bytes that moved and how long it took is exact.
//! Which function called is known of sampled calls only, so the exact figures of a call and file are shared out
//! in the proportion of its sampled calls:
//!
//! ```text
//! exact    write  app.log   1000 calls  51 300 bytes
//! sampled  write  app.log   Log.line()  9 of 10 calls, 1 byte each      Log.page()  1 of 10, 512 bytes each
//! rows     write  app.log   Log.line()  900 calls                       Log.page()  100 calls
//! ```
//!
//! Bytes per call of a function are those of its own sampled calls, never a mean over all functions.

use crate::functions::{keep_first, keep_largest};
use crate::metrics::SortTerm;
use crate::order::sort_by_key;
use crate::ordered_map::OrderedMap;
use crate::query::{Preamble, Query, TransformLine, serialize_number};
use crate::syscall_groups::{Part, SyscallGroups, Who};
use crate::{AnalysisError, Profile};
use serde::Serialize;
use std::fmt;
use std::str::FromStr;
use whittle_model::{FileKind, Table};

/// What the rows are told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SyscallKey {
    /// The system call.
    Call,
    /// What the descriptor stood for.
    File,
    /// The function that called.
    Caller,
}

impl fmt::Display for SyscallKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Call => "call",
            Self::File => "file",
            Self::Caller => "caller",
        })
    }
}

/// What the rows are told apart by, separated by commas: the argument of `--by`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyscallKeys(Vec<SyscallKey>);

impl Default for SyscallKeys {
    fn default() -> Self {
        Self(vec![SyscallKey::Call, SyscallKey::File, SyscallKey::Caller])
    }
}

impl FromStr for SyscallKeys {
    type Err = AnalysisError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let all = Self::default().0;
        let key = |word: &str| {
            let known = all.iter().find(|key| key.to_string() == word).copied();
            known.ok_or_else(|| AnalysisError::UnknownSyscallKey(word.to_owned()))
        };
        let mut keys: Vec<SyscallKey> = text.split(',').map(|word| key(word.trim())).collect::<Result<_, _>>()?;
        sort_by_key(&mut keys, |key| *key);
        keys.dedup();
        Ok(Self(keys))
    }
}

/// The answer of [`Profile::syscalls`].
#[derive(Debug, Clone, Serialize)]
pub struct SyscallsView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// What the rows are told apart by.
    pub by: Vec<SyscallKey>,
    /// Elapsed time of the experiment.
    pub experiment_duration_ns: u64,
    /// All calls that count.
    pub total: SyscallFigures,
    /// Number of rows without a limit.
    pub row_count: usize,
    /// The rows.
    pub rows: Vec<SyscallRow>,
}

/// One row: calls that agree in what rows are told apart by.
#[derive(Debug, Clone, Serialize)]
pub struct SyscallRow {
    /// The system call. Missing: rows are not told apart by it.
    pub call: Option<String>,
    /// Kind of file. Missing: rows are not told apart by it.
    pub file_kind: Option<FileKind>,
    /// Path, or the two ends of a socket; empty: no descriptor, or not known. Missing: rows are not told apart by it.
    pub file: Option<String>,
    /// The function that called, or `<not sampled>`, or `<caller not known>`. Missing: rows are not told apart by it.
    pub caller: Option<String>,
    /// The figures.
    #[serde(flatten)]
    pub figures: SyscallFigures,
}

/// Figures of some calls.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SyscallFigures {
    /// Number of calls.
    #[serde(serialize_with = "serialize_number")]
    pub calls_count: f64,
    /// Calls among them that returned an error.
    #[serde(serialize_with = "serialize_number")]
    pub errors_count: f64,
    /// Bytes that they moved.
    #[serde(serialize_with = "serialize_number")]
    pub bytes: f64,
    /// Mean bytes of a call. Missing: there are no calls.
    pub bytes_per_call: Option<f64>,
    /// Elapsed time in the calls, executing and waiting.
    #[serde(serialize_with = "serialize_number")]
    pub duration_ns: f64,
    /// Half of the calls took no longer; interpolated. Missing: latencies are not known.
    pub p50_latency_ns: Option<f64>,
    /// 99 of 100 calls took no longer; interpolated. Missing: latencies are not known.
    pub p99_latency_ns: Option<f64>,
    /// The longest call that is known.
    pub longest_ns: u64,
    /// Sampled calls among them.
    pub sampled_count: u64,
    /// True if the figures follow from samples, false if the kernel counted them.
    pub is_estimate: bool,
}

/// What the rows can be sorted by, in the words of `--sort`, and the field that it is.
const SORTS: [(&str, &str); 6] = [
    ("calls", "calls_count"),
    ("errors", "errors_count"),
    ("bytes", "bytes"),
    ("bytes_per_call", "bytes_per_call"),
    ("time", "duration_ns"),
    ("p99", "p99_latency_ns"),
];

impl SyscallKeys {
    /// The keys, each once.
    pub(crate) fn keys(&self) -> &[SyscallKey] {
        &self.0
    }
}

impl SyscallFigures {
    /// Figures of these calls and of others; of latencies the longer ones.
    pub(crate) fn with(self, other: &Self) -> Self {
        let longer = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::max);
        let bytes = |figures: &Self| figures.bytes_per_call.map(|bytes| bytes * figures.calls_count);
        let calls_count = self.calls_count + other.calls_count;
        let all_bytes = bytes(&self).into_iter().chain(bytes(other)).reduce(|a, b| a + b);
        Self {
            calls_count,
            errors_count: self.errors_count + other.errors_count,
            bytes: self.bytes + other.bytes,
            bytes_per_call: all_bytes.filter(|_| calls_count > 0.0).map(|bytes| bytes / calls_count),
            duration_ns: self.duration_ns + other.duration_ns,
            p50_latency_ns: longer(self.p50_latency_ns, other.p50_latency_ns),
            p99_latency_ns: longer(self.p99_latency_ns, other.p99_latency_ns),
            longest_ns: self.longest_ns.max(other.longest_ns),
            sampled_count: self.sampled_count + other.sampled_count,
            is_estimate: self.is_estimate || other.is_estimate,
        }
    }

    /// Figures of a part of as many calls: amounts are multiplied, what is of one call is not.
    pub(crate) fn scaled(self, scale: f64) -> Self {
        Self {
            calls_count: self.calls_count * scale,
            errors_count: self.errors_count * scale,
            bytes: self.bytes * scale,
            duration_ns: self.duration_ns * scale,
            ..self
        }
    }

    pub(crate) fn of(part: &Part) -> Self {
        Self {
            calls_count: part.calls,
            errors_count: part.errors,
            bytes: part.bytes,
            bytes_per_call: (part.calls > 0.0).then(|| part.bytes_by_call / part.calls),
            duration_ns: part.duration_ns,
            p50_latency_ns: part.latencies.quantile_ns(0.5),
            p99_latency_ns: part.latencies.quantile_ns(0.99),
            longest_ns: part.latencies.longest_ns,
            sampled_count: part.sampled_count,
            is_estimate: part.is_estimate,
        }
    }

    pub(crate) fn value(&self, field: &str) -> f64 {
        match field {
            "errors_count" => self.errors_count,
            "bytes" => self.bytes,
            "bytes_per_call" => self.bytes_per_call.unwrap_or(0.0),
            "duration_ns" => self.duration_ns,
            "p99_latency_ns" => self.p99_latency_ns.unwrap_or(0.0),
            _ => self.calls_count,
        }
    }
}

/// The parts of a row's identity that rows are told apart by.
type RowKey<'a> = (Option<&'a str>, Option<(FileKind, &'a str)>, Option<Who>);

impl Profile {
    /// The table of system calls. `Query::sort` is one of `calls`, `errors`, `bytes`, `bytes_per_call`, `time`,
    /// `p99`, `name`; `Query::metrics` has no meaning here.
    ///
    /// # Errors
    /// An unknown order, columns that were asked for, or a filter that names what is not there.
    pub fn syscalls(&self, query: &Query, by: &SyscallKeys) -> Result<SyscallsView, AnalysisError> {
        let sorted_by = sort_field(query)?;
        let groups = self.syscall_groups(query)?;
        let (mut rows, mut total) = (OrderedMap::<RowKey<'_>, Part>::default(), Part::default());
        for group in &groups.groups {
            total.add(&group.whole());
            for (who, part) in group.parts(by.0.contains(&SyscallKey::Caller)) {
                let key = (
                    by.0.contains(&SyscallKey::Call).then_some(group.call),
                    by.0.contains(&SyscallKey::File).then_some(group.file),
                    who,
                );
                rows.at(key, Part::default).add(&part);
            }
        }
        let mut rows: Vec<(SyscallRow, String)> = rows.iter().map(|(key, part)| self.syscall_row(key, part)).collect();
        let row_count = rows.len();
        let (value, name) = (
            |(row, _): &(SyscallRow, String)| sorted_by.map_or(0.0, |field| row.figures.value(field)),
            |(_, name): &(SyscallRow, String)| name.as_str().to_owned(),
        );
        match sorted_by {
            Some(_) => keep_largest(&mut rows, query.window(), value, name),
            None => keep_first(&mut rows, query.window(), name),
        }
        Ok(SyscallsView {
            preamble: self.syscalls_preamble(query, sorted_by, (&groups, by)),
            by: by.0.clone(),
            experiment_duration_ns: self.manifest().duration_ns,
            total: SyscallFigures::of(&total),
            row_count,
            rows: rows.into_iter().map(|(row, _)| row).collect(),
        })
    }

    /// A row, and what it is called for the order of equal rows.
    fn syscall_row(&self, (call, file, who): &RowKey<'_>, part: &Part) -> (SyscallRow, String) {
        let caller = who.map(|who| match who {
            Who::Function(function) => self.names().display_name(function).to_owned(),
            Who::NotKnown => "<caller not known>".to_owned(),
            Who::NotSampled => "<not sampled>".to_owned(),
        });
        let row = SyscallRow {
            call: call.map(str::to_owned),
            file_kind: file.map(|(kind, _)| kind),
            file: file.map(|(_, path)| path.to_owned()),
            caller,
            figures: SyscallFigures::of(part),
        };
        let file = file.map_or(String::new(), |(kind, path)| format!("{kind} {path}"));
        let name = [row.call.clone().unwrap_or_default(), file, row.caller.clone().unwrap_or_default()].join("\0");
        (row, name)
    }

    fn syscalls_preamble(
        &self,
        query: &Query,
        sorted_by: Option<&'static str>,
        (groups, by): (&SyscallGroups<'_>, &SyscallKeys),
    ) -> Preamble {
        let manifest = self.manifest();
        let mut notes: Vec<String> = Vec::new();
        if self.tables().syscalls.is_empty() {
            notes.push(NO_SYSCALLS.to_owned());
        } else if groups.groups.is_empty() {
            notes.push("the filter leaves no system calls".to_owned());
        } else if groups.is_estimated {
            notes.push(ESTIMATED.to_owned());
        } else if by.0.contains(&SyscallKey::Caller) {
            notes.push(SHARED_OUT.to_owned());
        }
        if !groups.groups.is_empty() {
            notes.push(INTERPOLATED.to_owned());
        }
        notes.extend(manifest.not_counted.iter().map(|what| format!("not counted: {what}")));
        Preamble { notes, ..self.syscalls_preamble_alone(query, sorted_by) }
    }

    /// The same without notes.
    pub(crate) fn syscalls_preamble_alone(&self, query: &Query, sorted_by: Option<&'static str>) -> Preamble {
        Preamble {
            view: "syscalls",
            mode: query.mode,
            filter: query.filter.as_ref().map(ToString::to_string),
            transforms: TransformLine::all(query),
            comparison: self.comparison().cloned(),
            sorted_by: sorted_by.unwrap_or("name").to_owned(),
            notes: Vec::new(),
        }
    }
}

const NO_SYSCALLS: &str = "this experiment has no system calls: only the kernel-driven engine counts them. `whittle doctor` \
                           says what it needs on this machine";
const ESTIMATED: &str = "the filter selects by more than the thread, which is known of sampled calls only: all figures are \
                         estimates from those, not the kernel's counts";
const SHARED_OUT: &str = "calls, errors, bytes and time of a call and file are the kernel's counts, shared out over callers by \
                          the sampled calls; bytes per call are those of a caller's own sampled calls. Shares of few samples are chance";
const INTERPOLATED: &str = "latencies are counted in ranges that double, and interpolated within their range";

/// The field that the rows are sorted by; missing: by name.
pub(crate) fn sort_field(query: &Query) -> Result<Option<&'static str>, AnalysisError> {
    if query.metrics.is_some() {
        return Err(AnalysisError::FixedColumns { view: "syscalls" });
    }
    let text = match &query.sort {
        None => return Ok(Some(SORTS[0].1)),
        Some(SortTerm::Name) => return Ok(None),
        Some(SortTerm::Metric(term)) => term.to_string(),
    };
    let known = SORTS.iter().find(|(word, _)| *word == text);
    known.map(|(_, field)| Some(*field)).ok_or_else(|| AnalysisError::UnknownOrder {
        text,
        known: SORTS.iter().map(|(word, _)| *word).chain(["name"]).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_told_apart_in_a_fixed_order() {
        let keys: SyscallKeys = "caller, call,call".parse().expect("keys");
        assert_eq!(keys.0, [SyscallKey::Call, SyscallKey::Caller]);
        let error = "calls".parse::<SyscallKeys>().expect_err("no key").to_string();
        assert_eq!(error, "system calls are not told apart by \"calls\"; there are: call, file, caller");
    }
}
