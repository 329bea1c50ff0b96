//! Costs of functions by host and period. This module converts sums by stack to sums by function, for a few periods at
//! a time.

use super::{ROWS_AT_ONCE, RegressionsQuestion};
use crate::catalogue::Snapshot;
use crate::fleet::{Fleet, QueryError, notes_of_stacks};
use crate::periods::Periods;
use crate::profile::{Answer, ExactAmounts, Observed};
use crate::question::{Question, Split};
use crate::stacks::LoadedStacks;
use rustc_hash::FxHashMap;
use whittle_model::{FunctionKind, ThreadIndex};
use whittle_profile::{Parts, Profile, Query};
use whittle_verdict::regressions::{FunctionCosts, HostCosts, domain_of};

const NS_PER_S: i64 = 1_000_000_000;

/// Costs while they are added up.
struct Costs<'a> {
    periods: Periods,
    /// Positions of the included hosts.
    hosts: FxHashMap<&'a str, usize>,
    /// Costs by function name. Overloads have different names. If other functions have the same name, their costs are
    /// added up.
    functions: FxHashMap<String, (FunctionKind, Vec<f64>)>,
}

impl Fleet {
    /// The costs of all functions on some hosts, sorted by name, and notes for the reader.
    pub(super) async fn function_costs(
        &self,
        snapshot: &Snapshot,
        (question, periods): (&Question, Periods),
        (asked, hosts): (&RegressionsQuestion, &[HostCosts]),
    ) -> Result<(Vec<FunctionCosts>, Vec<String>), QueryError> {
        let split = vec![Split::Host, Split::Time(periods.width_s)];
        let question = Question { split, ..question.clone() };
        let stacks = self.stacks(snapshot, &question).await?;
        let hosts = hosts.iter().enumerate().map(|(position, host)| (host.host.as_str(), position)).collect();
        let mut costs = Costs { periods, hosts, functions: FxHashMap::default() };
        for (begin, end) in together(snapshot, &question, periods) {
            let time = crate::question::TimeRange { from_s: periods.start_s(begin), to_s: periods.start_s(end) };
            let question = Question { time, ..question.clone() };
            let sums = question.cpu_observations(snapshot);
            let observed = Observed::read(&question, &self.rows(&sums.sql, &sums.files).await?)?;
            costs.add((&question, &stacks), &observed, (asked, (begin, end)))?;
        }
        Ok((costs.finish(), notes_of_stacks(&stacks)))
    }
}

/// Groups of periods that are queried together. A group has the number of its first period, and the number of the
/// period that follows the group.
fn together(snapshot: &Snapshot, question: &Question, periods: Periods) -> Vec<(usize, usize)> {
    let files = question.cpu_observations(snapshot).files;
    let rows: u64 = files.iter().map(|file| file.row_count).sum();
    let wanted = usize::try_from(rows.div_ceil(ROWS_AT_ONCE)).unwrap_or(usize::MAX).clamp(1, periods.count);
    let length = periods.count.div_ceil(wanted);
    (0..periods.count).step_by(length).map(|begin| (begin, (begin + length).min(periods.count))).collect()
}

impl Costs<'_> {
    /// Adds the sums of some periods.
    fn add(
        &mut self,
        (question, stacks): (&Question, &LoadedStacks),
        observed: &Observed,
        (asked, (begin, end)): (&RegressionsQuestion, (usize, usize)),
    ) -> Result<(), QueryError> {
        let exact = ExactAmounts::default();
        let (manifest, tables, names) = Answer { question, observed, stacks, exact: &exact }.into_named_experiment();
        let host_of_thread: Vec<Option<usize>> =
            names.iter().map(|names| self.hosts.get(observed.names[*names as usize][0].as_str()).copied()).collect();
        let profile = Profile::load(manifest, tables)?;
        let length = end - begin;
        let period_ns = u64::try_from(self.periods.width_s.saturating_mul(NS_PER_S)).unwrap_or(u64::MAX);
        let part = |thread: ThreadIndex, time_ns: u64| {
            let period = usize::try_from(time_ns / period_ns).ok().filter(|period| *period < length)?;
            host_of_thread[thread.row()].map(|host| host * length + period)
        };
        let parts = Parts { count: self.hosts.len() * length, of: &part };
        let query = Query { mode: asked.mode, ..Query::default() };
        let width = self.hosts.len() * self.periods.count;
        for function in profile.functions_by_part(&query, asked.flavour, &parts)? {
            let known = self.functions.entry(function.name).or_insert_with(|| (function.kind, vec![0.0; width]));
            for (part, cost) in function.cost_ns.into_iter().enumerate() {
                known.1[part / length * self.periods.count + begin + part % length] += cost;
            }
        }
        Ok(())
    }

    fn finish(self) -> Vec<FunctionCosts> {
        let has_package = |kind: FunctionKind| kind == FunctionKind::Java;
        let of = |(name, (kind, cost_ns)): (String, (FunctionKind, Vec<f64>))| FunctionCosts {
            domain: domain_of(&name).filter(|_| has_package(kind)).map(str::to_owned),
            name,
            cost_ns,
        };
        let mut functions: Vec<FunctionCosts> = self.functions.into_iter().map(of).collect();
        functions.sort_by(|a, b| a.name.cmp(&b.name));
        functions
    }
}
