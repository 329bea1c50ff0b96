//! Units of work by host and period, computed from the amounts of segments.
//!
//! Segments can begin at any time in a period. So the units of a segment are distributed evenly over the segment's
//! time:
//!
//! ```text
//! periods   │      0      │      1      │      2      │
//! segment            ├──────────────┤                      30 orders: 9 in period 0, 21 in period 1
//! ```

use super::ROWS_AT_ONCE;
use crate::catalogue::Snapshot;
use crate::engine::{EngineError, Numbers, Rows, Texts, fractions};
use crate::fleet::{Fleet, QueryError};
use crate::periods::Periods;
use crate::profile::{LENGTH_COUNTER, is_unit_of_work};
use crate::question::{Question, TimeRange};
use crate::tables::HOUR_S;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use whittle_verdict::regressions::HostCosts;

/// Maximum length of a segment in seconds. Agents end a segment after at most ten minutes.
const LONGEST_SEGMENT_S: i64 = HOUR_S;

/// Amounts by counter, host and period.
type Amounts = BTreeMap<String, BTreeMap<(String, usize), f64>>;

/// Amounts of a host's segments.
#[derive(Debug, Default)]
struct Segments {
    /// Number of seconds that a segment covers, by start of the segment. If several segments begin in the same second,
    /// the value is their mean length.
    lengths_s: FxHashMap<i64, f64>,
    /// Starts and amounts by unit of work.
    units: BTreeMap<String, Vec<(i64, f64)>>,
}

/// Units of work of hosts.
#[derive(Debug, Default)]
pub(super) struct Units {
    /// The name of the unit. Missing: no host reports units.
    pub(super) name: Option<String>,
    /// Amounts by host and period.
    amounts: BTreeMap<(String, usize), f64>,
    /// Names of other units.
    others: Vec<String>,
    /// The requested unit, if no host reports it.
    missing: Option<String>,
}

impl Segments {
    /// Adds the units to the periods that the segments cover.
    fn spread(self, host: &str, periods: Periods, all: &mut Amounts) {
        for (unit, amounts) in self.units {
            let sums = all.entry(unit).or_default();
            for (start_s, amount) in amounts {
                let length_s = self.lengths_s.get(&start_s).copied().unwrap_or(0.0);
                for (period, part) in periods.parts(start_s, length_s) {
                    *sums.entry((host.to_owned(), period)).or_default() += amount * part;
                }
            }
        }
    }
}

/// Time ranges for the starts of segments. A segment that begins in these ranges can overlap the query's time range.
/// Each range has few enough rows for one query.
fn starts(snapshot: &Snapshot, question: &Question) -> impl Iterator<Item = TimeRange> {
    let from_s = question.time.from_s.saturating_sub(LONGEST_SEGMENT_S);
    let all = TimeRange { from_s, ..question.time };
    let files = Question { time: all, ..question.clone() }.counters_by_start(snapshot).files;
    let rows: u64 = files.iter().map(|file| file.row_count).sum();
    all.slices(rows.div_ceil(ROWS_AT_ONCE))
}

impl Fleet {
    /// The units of a query that is grouped by periods.
    pub(super) async fn units(
        &self,
        snapshot: &Snapshot,
        (question, periods): (&Question, Periods),
        wanted: Option<&str>,
    ) -> Result<Units, QueryError> {
        let mut all = Amounts::new();
        for time in starts(snapshot, question) {
            let asked = Question { time, ..question.clone() }.counters_by_start(snapshot);
            for (host, segments) in segments(&self.rows(&asked.sql, &asked.files).await?)? {
                segments.spread(&host, periods, &mut all);
            }
        }
        all.retain(|_, sums| !sums.is_empty());
        Ok(Units::choose(all, wanted))
    }
}

/// Reads amounts of segments by host, counter and start.
fn segments(rows: &Rows) -> Result<BTreeMap<String, Segments>, EngineError> {
    let mut hosts: BTreeMap<String, Segments> = BTreeMap::new();
    for batch in &rows.0 {
        let (host, counter) = (Texts::of(batch, "host")?, Texts::of(batch, "counter")?);
        let (start_s, count) = (Numbers::of(batch, "time_s")?, Numbers::of(batch, "segments")?);
        let value = fractions(batch, "value")?;
        for row in 0..batch.num_rows() {
            let (counter, start_s, value) = (counter.value(row), start_s.value(row), value.value(row).max(0.0));
            let is_length = counter == LENGTH_COUNTER;
            if !is_length && !is_unit_of_work(counter) {
                continue;
            }
            let own = hosts.entry(host.value(row).to_owned()).or_default();
            if is_length {
                own.lengths_s.insert(start_s, value / 1e9 / count.amount(row).max(1) as f64);
            } else {
                own.units.entry(counter.to_owned()).or_default().push((start_s, value));
            }
        }
    }
    Ok(hosts)
}

impl Units {
    /// Chooses the requested unit, or the unit that most hosts and periods have.
    fn choose(mut all: Amounts, wanted: Option<&str>) -> Self {
        let known = all.iter().max_by(|a, b| a.1.len().cmp(&b.1.len()).then_with(|| b.0.cmp(a.0)));
        let name = wanted.or(known.map(|(name, _)| name.as_str())).map(str::to_owned);
        let amounts = name.as_ref().and_then(|name| all.remove(name));
        let missing = name.clone().filter(|_| amounts.is_none());
        Self {
            name: name.filter(|_| amounts.is_some()),
            amounts: amounts.unwrap_or_default(),
            others: all.into_keys().collect(),
            missing,
        }
    }

    /// The units of a host in a period.
    pub(super) fn of(&self, host: &str, period: usize) -> Option<f64> {
        self.amounts.get(&(host.to_owned(), period)).copied().filter(|amount| amount.is_finite() && *amount > 0.0)
    }

    /// Notes for the reader.
    pub(super) fn notes(&self, hosts: &[HostCosts]) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(missing) = &self.missing {
            notes.push(format!("No segment reports \"{missing}\""));
        }
        let is_known = |host: &&HostCosts| host.periods.iter().any(|period| period.units.is_some());
        match &self.name {
            Some(name) if !hosts.iter().any(|host| is_known(&host)) => {
                notes.push(format!("No host in the comparison reports {name}"));
            }
            Some(name) if !self.others.is_empty() => {
                notes.push(format!("Units of work are {name}; also available: {} (--unit)", self.others.join(", ")));
            }
            _ => {}
        }
        notes
    }
}
