//! The table of system calls: by call, file and calling function.
//!
//! The number, bytes and time of each thread's calls on each file are exact. The calling function is known for sampled
//! calls only. Therefore, the exact values of a call and file are distributed over callers in proportion to the sampled
//! calls:
//!
//! ```text
//! exact    write  app.log   1000 calls  51 300 bytes
//! sampled  write  app.log   Log.line()  9 of 10 calls, 1 byte each      Log.page()  1 of 10, 512 bytes each
//! rows     write  app.log   Log.line()  900 calls                       Log.page()  100 calls
//! ```
//!
//! A function's bytes per call are computed only from the function's sampled calls.

mod groups;
pub(crate) mod text;
use crate::definition::{Answered, Answerer, Command, Parameter, ViewDefinition, keys};
use crate::fixed_order;
use crate::syscalls::groups::syscall_groups;
use crate::syscalls::groups::{Part, SyscallGroups, Who};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use whittle_model::{FileKind, Table};
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::order::sort_by_key;
use whittle_profile::ordered_map::OrderedMap;
use whittle_profile::query::{Preamble, Query, serialize_number};
use whittle_profile::ranking::{keep_first, keep_largest};

/// The definition of this view. Its answer is [`SyscallsView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "syscalls",
        answer: |on, asked| {
            let by = keys::<Keys>(asked)?.by()?;
            Ok(Answered::view(syscalls(on.profile, on.query, &by)?))
        },
    },
    not_compared: None,
    command: Some(Command {
        parameters: &[Parameter {
            default: Some("call,file,caller"),
            read: |text| match text.parse::<SyscallKeys>() {
                Ok(_) => Ok(text.into()),
                Err(error) => Err(error.to_string()),
            },
            ..Parameter::text("by", "", "Group rows by any of call, file, caller")
        }],
        orders: &["calls", "errors", "bytes", "bytes_per_call", "time", "p99", "name"],
        in_fleet: false,
        ..Command::table("System calls with count, bytes per call, time, file and calling function")
    }),
};

/// The keys of a request for system calls.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Keys {
    by: Option<String>,
}

impl Keys {
    pub(crate) fn by(&self) -> Result<SyscallKeys, AnalysisError> {
        self.by.as_deref().map_or(Ok(SyscallKeys::default()), |by| by.parse())
    }
}

/// A key that rows are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SyscallKey {
    /// The system call.
    Call,
    /// The file of the descriptor.
    File,
    /// The calling function.
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

/// The keys that rows are grouped by, separated by commas, as in the argument of `--by`.
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

/// The answer of [`syscalls`](syscalls()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SyscallsView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The keys that rows are grouped by.
    pub by: Vec<SyscallKey>,
    /// Elapsed time of the experiment.
    pub experiment_duration_ns: u64,
    /// Values of all selected calls.
    pub total: SyscallFigures,
    /// Mean bytes per call, of the calls that move bytes, as in the overview. Missing if there are no such calls.
    pub bytes_per_moving_call: Option<f64>,
    /// Number of rows before the limit is applied.
    pub row_count: usize,
    /// The rows.
    pub rows: Vec<SyscallRow>,
}

/// One row: calls with the same keys.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SyscallRow {
    /// The system call. Missing if rows are not grouped by system call.
    pub call: Option<String>,
    /// Kind of file. Missing if rows are not grouped by file.
    pub file_kind: Option<FileKind>,
    /// Path, or the peer of a socket. Empty if unknown, or if the call has no descriptor. Missing if rows are not
    /// grouped by file.
    pub file: Option<String>,
    /// The calling function, `<not sampled>` or `<caller not known>`. Missing if rows are not grouped by caller.
    pub caller: Option<String>,
    /// The values.
    #[serde(flatten)]
    pub figures: SyscallFigures,
}

/// Values of some calls.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SyscallFigures {
    /// Number of calls.
    #[serde(serialize_with = "serialize_number")]
    pub calls_count: f64,
    /// Number of calls that returned an error.
    #[serde(serialize_with = "serialize_number")]
    pub errors_count: f64,
    /// Bytes that the calls moved.
    #[serde(serialize_with = "serialize_number")]
    pub bytes: f64,
    /// Mean bytes per call, of all calls. Missing if there are no calls.
    pub bytes_per_call: Option<f64>,
    /// Elapsed time in the calls, executing and waiting.
    #[serde(serialize_with = "serialize_number")]
    pub duration_ns: f64,
    /// Half of the calls took at most this long (interpolated). Missing if latencies are unknown.
    pub p50_latency_ns: Option<f64>,
    /// 99 of 100 calls took at most this long (interpolated). Missing if latencies are unknown.
    pub p99_latency_ns: Option<f64>,
    /// Time of the longest known call.
    pub longest_ns: u64,
    /// Number of sampled calls.
    pub sampled_count: u64,
    /// True if the values are estimates from samples, false if the kernel counted them.
    pub is_estimate: bool,
}

/// The words that `--sort` accepts, each with the field that decides the order.
const SORTS: [(&str, &str); 6] = [
    ("calls", "calls_count"),
    ("errors", "errors_count"),
    ("bytes", "bytes"),
    ("bytes_per_call", "bytes_per_call"),
    ("time", "duration_ns"),
    ("p99", "p99_latency_ns"),
];

impl SyscallKeys {
    /// The keys. Each key occurs once.
    pub(crate) fn keys(&self) -> &[SyscallKey] {
        &self.0
    }
}

impl SyscallFigures {
    /// Adds the values of other calls. Latencies cannot be added, so the result has the larger latency.
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

    /// The values with all amounts multiplied by `scale`. Values per call stay the same.
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

/// The keys of a row.
type RowKey<'a> = (Option<&'a str>, Option<(FileKind, &'a str)>, Option<Who>);

/// The table of system calls. `Query::sort` is one of `calls`, `errors`, `bytes`, `bytes_per_call`, `time`, `p99`,
/// `name`. `Query::metrics` must be missing.
///
/// # Errors
/// The order is unknown, columns are requested, or the filter contains an unknown name.
pub fn syscalls(profile: &Profile, query: &Query, by: &SyscallKeys) -> Result<SyscallsView, AnalysisError> {
    let sorted_by = sort_field(query)?;
    let groups = syscall_groups(profile, query)?;
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
    let mut rows: Vec<(SyscallRow, String)> = rows.iter().map(|(key, part)| syscall_row(profile, key, part)).collect();
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
        preamble: syscalls_preamble(profile, query, sorted_by, (&groups, by)),
        by: by.0.clone(),
        experiment_duration_ns: profile.manifest().duration_ns,
        total: SyscallFigures::of(&total),
        bytes_per_moving_call: groups.transfers.mean_bytes(),
        row_count,
        rows: rows.into_iter().map(|(row, _)| row).collect(),
    })
}

/// A row and its name. The name decides the order of equal rows.
fn syscall_row(profile: &Profile, (call, file, who): &RowKey<'_>, part: &Part) -> (SyscallRow, String) {
    let caller = who.map(|who| match who {
        Who::Function(function) => profile.names().display_name(function).to_owned(),
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
    profile: &Profile,
    query: &Query,
    sorted_by: Option<&'static str>,
    (groups, by): (&SyscallGroups<'_>, &SyscallKeys),
) -> Preamble {
    let manifest = profile.manifest();
    let mut notes: Vec<String> = Vec::new();
    if profile.tables().syscalls.is_empty() {
        notes.push(NO_SYSCALLS.to_owned());
    } else if groups.groups.is_empty() {
        notes.push("the filter leaves no system calls".to_owned());
    } else if groups.is_estimated {
        notes.push(ESTIMATED.to_owned());
    } else if by.0.contains(&SyscallKey::Caller) {
        notes.push(DISTRIBUTED.to_owned());
    }
    if !groups.groups.is_empty() {
        notes.push(INTERPOLATED.to_owned());
    }
    notes.extend(manifest.not_counted.iter().map(|what| format!("not counted: {what}")));
    Preamble { notes, ..fixed_order::preamble(profile, query, "syscalls", sorted_by) }
}

const NO_SYSCALLS: &str = "this experiment has no system calls: only the engine kernel counts system calls. `whittle doctor` \
                           shows what this engine needs on this machine";
const ESTIMATED: &str = "the filter needs data that only sampled calls have: all values are estimates from these calls, \
                         not the kernel's counts";
const DISTRIBUTED: &str = "calls, errors, bytes and time of a call and file are the kernel's counts, distributed over callers in \
                          proportion to the sampled calls; bytes per call are computed from each caller's sampled calls. Shares of few \
                          samples are unreliable";
const INTERPOLATED: &str = "latencies are counted in ranges that double; p50 and p99 are interpolated within a range";

/// The field that the rows are sorted by. Missing if rows are sorted by name.
pub(crate) fn sort_field(query: &Query) -> Result<Option<&'static str>, AnalysisError> {
    fixed_order::sort_field(query, "syscalls", &SORTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_told_apart_in_a_fixed_order() {
        let keys: SyscallKeys = "caller, call,call".parse().expect("keys");
        assert_eq!(keys.0, [SyscallKey::Call, SyscallKey::Caller]);
        let error = "calls".parse::<SyscallKeys>().expect_err("no key").to_string();
        assert_eq!(error, "system calls cannot be grouped by \"calls\". Possible groups: call, file, caller");
    }
}
