//! The periods that are compared. All periods have the same length, and begin at a multiple of this length. All periods
//! are inside both the requested time and the observed time.
//!
//! ```text
//! request      ├───────────────────────────────────────────────┤
//! observed        ├──────────────────────────────────────┤
//! hours      │         │         │         │         │         │
//! periods              ├────0────┼────1────┼────2────┤            the fourth is observed for only half its length
//! ```

use crate::question::{TimeRange, moment};
use crate::tables::{DAY_S, HOUR_S};
use thiserror::Error;

/// Time ranges of at least this length are divided into days, because the load changes during the day.
const DAYS_FROM_S: i64 = 4 * DAY_S;
/// Time ranges of at least this length have enough whole hours, and the rollup has sums per hour.
const HOURS_FROM_S: i64 = 6 * HOUR_S;
/// Approximate number of periods in shorter time ranges.
const WANTED: usize = 12;
/// Length of the shortest period, about the usual length of a segment.
const LEAST_WIDTH_S: i64 = 60;
/// Minimum observed part of the first and the last period. A period with a smaller part is left out.
const LEAST_OBSERVED: f64 = 0.9;

/// Consecutive periods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Periods {
    /// Length of each period, seconds.
    pub width_s: i64,
    /// Start of the first period, seconds since 1970-01-01 UTC. This start is a multiple of the length.
    pub from_s: i64,
    /// Number of periods, at least 1.
    pub count: usize,
}

/// Maximum number of periods. Memory must hold a cost for each function, host and period.
const MOST_PERIODS: usize = 400;

/// The time range cannot be divided into periods.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PeriodError {
    /// The time range contains no whole observed period.
    #[error(
        "{time} contains no whole period of {width_s} s with observations; choose a longer time range (--since, --until) or \
         shorter periods (--every)"
    )]
    None {
        /// The time range.
        time: String,
        /// Length of a period in seconds.
        width_s: i64,
    },
    /// The time range has too many periods.
    #[error(
        "{time} has {count} periods of {width_s} s, but whittle compares at most {MOST_PERIODS}; choose longer periods (--every)"
    )]
    TooMany {
        /// The time range.
        time: String,
        /// Length of a period in seconds.
        width_s: i64,
        /// The number of periods.
        count: usize,
    },
}

impl Periods {
    /// The periods of a time range, and notes about the parts that were left out. `known` is the first and last second
    /// with an observation.
    ///
    /// # Errors
    /// There is no whole period, or there are too many periods.
    pub fn choose(
        asked: TimeRange,
        known: (i64, i64),
        width_s: Option<i64>,
    ) -> Result<(Self, Vec<String>), PeriodError> {
        let observed = TimeRange { from_s: asked.from_s.max(known.0), to_s: asked.to_s.min(known.1.saturating_add(1)) };
        let width_s = width_s.unwrap_or_else(|| fitting_width(observed)).max(1);
        let mut first = (asked.from_s + width_s - 1).div_euclid(width_s).max(observed.from_s.div_euclid(width_s));
        let mut end = asked.to_s.div_euclid(width_s).min((observed.to_s + width_s - 1).div_euclid(width_s));
        let is_whole = |period: i64| {
            let (from_s, to_s) = ((period * width_s).max(observed.from_s), ((period + 1) * width_s).min(observed.to_s));
            (to_s - from_s) as f64 >= LEAST_OBSERVED * width_s as f64
        };
        while first < end && !is_whole(first) {
            first += 1;
        }
        while first < end && !is_whole(end - 1) {
            end -= 1;
        }
        let count = usize::try_from(end - first).unwrap_or(0);
        if count == 0 {
            return Err(PeriodError::None { time: asked.to_string(), width_s });
        }
        if count > MOST_PERIODS {
            return Err(PeriodError::TooMany { time: asked.to_string(), width_s, count });
        }
        let periods = Self { width_s, from_s: first * width_s, count };
        Ok((periods, left_out(observed, periods.time())))
    }

    /// The time range of all periods.
    pub fn time(self) -> TimeRange {
        TimeRange { from_s: self.from_s, to_s: self.start_s(self.count) }
    }

    /// Start of a period. For the number after the last period, the result is the end of the last period.
    pub fn start_s(self, period: usize) -> i64 {
        self.from_s + i64::try_from(period).unwrap_or(i64::MAX).saturating_mul(self.width_s)
    }

    /// The period that contains a time.
    pub fn at(self, moment_s: i64) -> Option<usize> {
        usize::try_from((moment_s - self.from_s).div_euclid(self.width_s)).ok().filter(|period| *period < self.count)
    }

    /// The periods that overlap a time range, each with the share of the range that is inside the period. An empty
    /// range is inside the period that contains its start.
    pub(super) fn parts(self, from_s: i64, length_s: f64) -> Vec<(usize, f64)> {
        if length_s <= 0.0 {
            return self.at(from_s).map(|period| (period, 1.0)).into_iter().collect();
        }
        let width_s = self.width_s as f64;
        let start = (from_s - self.from_s) as f64 / width_s;
        let end = start + length_s / width_s;
        // Casts of floating-point numbers saturate at the ends of the integer type.
        let touched = start.max(0.0) as usize..(end.ceil().max(0.0) as usize).min(self.count);
        let within = |period: usize| end.min((period + 1) as f64) - start.max(period as f64);
        touched.map(|period| (period, within(period) / (end - start))).filter(|(_, part)| *part > 0.0).collect()
    }

    /// Converts a period number of SQL. SQL counts periods from 1970-01-01 on.
    pub(super) fn of_bucket(self, bucket: i64) -> Option<usize> {
        self.at(bucket.saturating_mul(self.width_s))
    }

    /// Length of `count` periods in seconds.
    pub(super) fn seconds(self, count: usize) -> i64 {
        i64::try_from(count).unwrap_or(i64::MAX).saturating_mul(self.width_s)
    }

    /// The name of a period: its start in UTC.
    pub fn name(self, period: usize) -> String {
        let name = moment(self.start_s(period));
        let short = if self.width_s % DAY_S == 0 { 10 } else { 16 };
        name.get(..short).unwrap_or(&name).to_owned()
    }

    /// The length of the periods in words.
    pub(super) fn width_words(self) -> String {
        let of = |unit_s: i64, name: &str| {
            let count = self.width_s / unit_s;
            if count == 1 { name.to_owned() } else { format!("{count} {name}s") }
        };
        match self.width_s {
            width_s if width_s % DAY_S == 0 => of(DAY_S, "day"),
            width_s if width_s % HOUR_S == 0 => of(HOUR_S, "hour"),
            width_s if width_s % 60 == 0 => of(60, "minute"),
            _ => of(1, "second"),
        }
    }
}

fn fitting_width(observed: TimeRange) -> i64 {
    match observed.length_s() {
        length_s if length_s >= DAYS_FROM_S => DAY_S,
        length_s if length_s >= HOURS_FROM_S => HOUR_S,
        _ => observed.buckets(WANTED).0.max(LEAST_WIDTH_S),
    }
}

fn left_out(observed: TimeRange, compared: TimeRange) -> Vec<String> {
    let before = (observed.from_s, compared.from_s);
    let after = (compared.to_s, observed.to_s);
    let parts = [before, after].into_iter().filter(|(from_s, to_s)| from_s < to_s);
    let told = parts.map(|(from_s, to_s)| TimeRange { from_s, to_s }.to_string());
    let told: Vec<String> = told.collect();
    if told.is_empty() {
        return Vec::new();
    }
    vec![format!("Left out, because it is not a whole period: {}", told.join(", and "))]
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 1_795_305_600; // 2026-11-22

    fn chosen(asked: (i64, i64), known: (i64, i64), width_s: Option<i64>) -> (i64, i64, usize) {
        let time = TimeRange { from_s: DAY + asked.0, to_s: DAY + asked.1 };
        let (periods, _) = Periods::choose(time, (DAY + known.0, DAY + known.1), width_s).expect("periods");
        (periods.width_s, periods.from_s - DAY, periods.count)
    }

    #[test]
    fn too_many_periods_are_refused() {
        let day = TimeRange { from_s: DAY, to_s: DAY + DAY_S };
        let choose =
            |width_s: i64| Periods::choose(day, (DAY, DAY + DAY_S), Some(width_s)).map(|(periods, _)| periods.count);
        assert_eq!(choose(300), Ok(288));
        assert!(matches!(choose(60), Err(PeriodError::TooMany { count: 1440, .. })));
        assert!(matches!(choose(1), Err(PeriodError::TooMany { .. })));
    }

    #[test]
    fn periods_are_whole_and_observed() {
        let all = (0, 30 * DAY_S);
        assert_eq!(chosen((420, 86_400 + 420), all, None), (3600, 3600, 23), "hours of a day from seven past");
        assert_eq!(chosen((0, 7 * DAY_S), all, None), (DAY_S, 0, 7));
        assert_eq!(chosen((0, 3600), all, None), (300, 0, 12));
        assert_eq!(chosen((0, 86_400), (0, 20 * 3600 + 1800), None), (3600, 0, 20), "half an hour is not a period");
        assert_eq!(chosen((0, 86_400), (0, 21 * 3600 - 100), None), (3600, 0, 21), "an hour without 100 s is a period");
        assert_eq!(chosen((0, 86_400), (300, 86_399), None), (3600, 0, 24));
        assert_eq!(chosen((0, 86_400), (600, 86_399), None), (3600, 3600, 23));
        assert_eq!(chosen((0, 3600), (0, 600), None), (60, 0, 10), "by the observed time, not by the requested time");
        assert_eq!(chosen((0, 86_400), all, Some(6 * 3600)), (6 * 3600, 0, 4));
    }

    #[test]
    fn a_stretch_lies_in_periods_by_parts() {
        let periods = Periods { width_s: 60, from_s: DAY, count: 3 };
        let parts = |from_s: i64, length_s: f64| periods.parts(DAY + from_s, length_s);
        assert_eq!(parts(60, 60.0), [(1, 1.0)]);
        assert_eq!(parts(30, 120.0), [(0, 0.25), (1, 0.5), (2, 0.25)]);
        assert_eq!(parts(-30, 60.0), [(0, 0.5)], "the part before is left out");
        assert_eq!(parts(150, 120.0), [(2, 0.25)], "and the part after");
        assert_eq!((parts(-120, 60.0), parts(180, 60.0)), (vec![], vec![]));
        assert_eq!((parts(179, 0.0), parts(180, 0.0)), (vec![(2, 1.0)], vec![]));
    }

    #[test]
    fn what_is_left_out_is_told_and_nothing_is_an_error() {
        let time = TimeRange { from_s: DAY, to_s: DAY + 86_400 };
        let (periods, notes) = Periods::choose(time, (DAY, DAY + 20 * 3600 + 1799), None).expect("periods");
        assert_eq!(notes, ["Left out, because it is not a whole period: 2026-11-22 20:00:00 to 2026-11-22 20:30:00"]);
        assert_eq!((periods.at(DAY + 3600), periods.at(DAY - 1), periods.at(DAY + 72_000)), (Some(1), None, None));
        assert_eq!((periods.name(1), periods.width_words()), ("2026-11-22 01:00".to_owned(), "hour".to_owned()));
        let error = Periods::choose(time, (DAY, DAY + 600), Some(3600)).expect_err("ten minutes");
        assert!(error.to_string().contains("no whole period of 3600 s"), "{error}");
    }
}
