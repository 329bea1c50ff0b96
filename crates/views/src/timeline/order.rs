//! The order of a timeline's rows.

use crate::pool_rows::ThreadLine;
use crate::timeline::sums::Sums;
use whittle_profile::metrics::SortTerm;
use whittle_profile::query::{Query, Window};
use whittle_profile::ranking::keep_largest;
use whittle_profile::{AnalysisError, Profile};

/// The words for orders. The first order is the default.
pub(super) const ORDERS: &[&str] = &["cpu", "blocked", "start", "name"];

/// The order of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Cpu,
    Blocked,
    Start,
    Name,
}

impl Order {
    /// The requested order.
    pub(super) fn new(query: &Query) -> Result<Self, AnalysisError> {
        if query.metrics.is_some() {
            return Err(AnalysisError::FixedColumns { view: "timeline" });
        }
        let text = match &query.sort {
            None => return Ok(Self::Cpu),
            Some(SortTerm::Name) => return Ok(Self::Name),
            Some(SortTerm::Metric(term)) => term.to_string(),
        };
        match text.as_str() {
            "cpu" => Ok(Self::Cpu),
            "blocked" => Ok(Self::Blocked),
            "start" => Ok(Self::Start),
            _ => Err(AnalysisError::UnknownOrder { text, known: ORDERS.to_vec() }),
        }
    }

    /// The field that rows are sorted by.
    pub(super) fn field(self) -> &'static str {
        match self {
            Self::Cpu => "cpu_ns",
            Self::Blocked => "blocked_ns",
            Self::Start => "start_ns",
            Self::Name => "name",
        }
    }

    /// Sorts rows.
    pub(super) fn sort(self, profile: &Profile, lines: &mut Vec<ThreadLine>, sums: &[Sums]) {
        let name = |line: &ThreadLine| (line.name(profile), line.threads[0]);
        keep_largest(lines, Window::ALL, |line| self.value(&line.threads, profile, sums), name);
    }

    /// Rows with a larger value come first.
    pub(super) fn value(self, threads: &[usize], profile: &Profile, sums: &[Sums]) -> f64 {
        let starts = || threads.iter().map(|thread| profile.tables().threads.start_ns[*thread].unwrap_or(0));
        match self {
            Self::Cpu => Sums::of(threads, sums).cpu_ns,
            Self::Blocked => Sums::of(threads, sums).blocked_ns,
            Self::Start => -(starts().min().unwrap_or(0) as f64),
            Self::Name => 0.0,
        }
    }
}
