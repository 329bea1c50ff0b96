//! The time range of a query. Its ends are times before now, such as `1h`, or times in UTC.

use crate::tables::HOUR_S;
use serde::Serialize;
use std::fmt;
use thiserror::Error;
use whittle_experiment::day_name;

/// A time range in seconds since 1970-01-01 UTC. The end is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct TimeRange {
    /// Start of the range.
    pub from_s: i64,
    /// End of the range, later than the start.
    pub to_s: i64,
}

/// A text that is not a valid time.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TimeError {
    /// The text cannot be read.
    #[error(
        "\"{0}\" is not a time: expected how long ago (90s, 30m, 24h, 7d), a time in UTC (2026-11-22, 2026-11-22T14:30, \
         2026-11-22T14:30:00Z), or now"
    )]
    Moment(String),
    /// The range ends before it begins.
    #[error("the time range is empty: it begins at {0} and ends at {1}")]
    Empty(String, String),
}

impl TimeRange {
    /// The time range between two times in the forms that [`parse_moment`] reads. If the end is missing, the range ends
    /// now. If the start is missing, the range is `length_s` long.
    ///
    /// # Errors
    /// A text is not a time, or the range is empty.
    pub fn parse((from, to): (Option<&str>, Option<&str>), length_s: i64, now_s: i64) -> Result<Self, TimeError> {
        let moment = |text: &str| parse_moment(text, now_s);
        let to_s = to.map_or(Ok(now_s), moment)?;
        Self::new(from.map_or(Ok(to_s.saturating_sub(length_s)), moment)?, to_s)
    }

    /// The time range between two times.
    ///
    /// # Errors
    /// The range is empty.
    pub fn new(from_s: i64, to_s: i64) -> Result<Self, TimeError> {
        if from_s < to_s { Ok(Self { from_s, to_s }) } else { Err(TimeError::Empty(moment(from_s), moment(to_s))) }
    }

    /// Divides the range into about `wanted` periods of a usual length, counted from 1970-01-01 UTC. Returns the length
    /// of a period, and the range widened to whole periods. If the range has at least six hours, the periods are whole
    /// hours, so the query can use the rollup.
    pub fn buckets(self, wanted: usize) -> (i64, Self) {
        const LENGTHS_S: [i64; 13] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, HOUR_S];
        let least_s = self.length_s() / i64::try_from(wanted.max(1)).unwrap_or(i64::MAX);
        let hours = ((least_s + HOUR_S - 1) / HOUR_S * HOUR_S).max(HOUR_S);
        let fitting = LENGTHS_S.into_iter().find(|length_s| *length_s >= least_s).unwrap_or(hours);
        let width_s = if self.length_s() >= 6 * HOUR_S { hours } else { fitting };
        (width_s, self.widened(width_s))
    }

    /// The range, widened to multiples of `width_s`.
    pub fn widened(self, width_s: i64) -> Self {
        let width_s = width_s.max(1);
        let from_s = self.from_s.div_euclid(width_s) * width_s;
        Self { from_s, to_s: (self.to_s + width_s - 1).div_euclid(width_s) * width_s }
    }

    /// Divides the range into at most `count` consecutive parts.
    pub(crate) fn slices(self, count: u64) -> impl Iterator<Item = Self> {
        let count = i64::try_from(count).unwrap_or(i64::MAX).max(1);
        let length_s = (self.length_s() - 1) / count + 1;
        let end = move |from_s: i64| from_s.saturating_add(length_s).min(self.to_s);
        let first = Some(Self { from_s: self.from_s, to_s: end(self.from_s) });
        std::iter::successors(first, move |last| Self::new(last.to_s, end(last.to_s)).ok())
    }

    /// Start and end as text that [`parse_moment`] can read. Each text is one word.
    pub fn moments(self) -> [String; 2] {
        [self.from_s, self.to_s].map(|moment_s| moment(moment_s).replace(' ', "T"))
    }

    /// How many seconds of the range are between the first and the last observation. The result is at least 1.
    pub(crate) fn covered_s(self, (first_s, last_s): (i64, i64)) -> i64 {
        (self.to_s.min(last_s.saturating_add(1)) - self.from_s.max(first_s)).max(1)
    }

    /// Length of the range in seconds.
    pub fn length_s(self) -> i64 {
        self.to_s - self.from_s
    }
}

impl fmt::Display for TimeRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} to {}", moment(self.from_s), moment(self.to_s))
    }
}

/// Units of time, each with its length in seconds.
const UNITS: [(char, i64); 4] = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400)];

/// The last second of the year 9999.
const LAST_S: i64 = 253_402_300_799;

/// Reads a time: how long ago (`90s`, `30m`, `24h`, `7d`), `now`, or a day or a time in UTC. Returns seconds since
/// 1970-01-01 UTC.
///
/// # Errors
/// The text has none of these forms.
pub fn parse_moment(text: &str, now_s: i64) -> Result<i64, TimeError> {
    if text == "now" {
        return Ok(now_s);
    }
    let found = parse_length(text).map(|ago| now_s - ago).or_else(|| utc(text));
    let found = found.filter(|moment_s| (0..=LAST_S).contains(moment_s));
    found.ok_or_else(|| TimeError::Moment(text.to_owned()))
}

/// Reads a length such as `90s`, `30m`, `24h` or `7d`. Returns seconds.
pub fn parse_length(text: &str) -> Option<i64> {
    let unit = text.chars().last()?;
    let (_, unit_s) = UNITS.into_iter().find(|(name, _)| *name == unit)?;
    let number = digits(&text[..text.len() - unit.len_utf8()], 1..=9)?;
    number.checked_mul(unit_s)
}

/// Reads `2026-11-22`, `2026-11-22T14:30` or `2026-11-22T14:30:05`, with or without `Z`.
fn utc(text: &str) -> Option<i64> {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (day, time) = text.split_once(['T', ' ']).unwrap_or((text, "00:00"));
    let mut parts = day.split('-');
    let (year, month, day_of_month) =
        (digits(parts.next()?, 4..=4)?, digits(parts.next()?, 2..=2)?, digits(parts.next()?, 2..=2)?);
    let mut times = time.split(':');
    let (hour, minute) = (digits(times.next()?, 2..=2)?, digits(times.next()?, 2..=2)?);
    let second = times.next().map_or(Some(0), |second| digits(second, 2..=2))?;
    let is_over = parts.next().is_none() && times.next().is_none();
    let day_s = days_since_1970(year, month, day_of_month)? * 86_400;
    let is_time = hour < 24 && minute < 60 && second < 60;
    (is_over && is_time).then_some(day_s + hour * 3600 + minute * 60 + second)
}

fn digits(text: &str, length: std::ops::RangeInclusive<usize>) -> Option<i64> {
    let is_number = length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// The number of days from 1970-01-01 to a date. The algorithm is Howard Hinnant's `days_from_civil`
/// (<https://howardhinnant.github.io/date_algorithms.html>).
fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let month_days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=month_days).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year / 400, year % 400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

/// Writes a time in UTC, such as `2026-11-22 14:30:05`.
pub(crate) fn moment(moment_s: i64) -> String {
    let day = day_name(u64::try_from(moment_s).unwrap_or(0).saturating_mul(1_000_000_000));
    let second = moment_s.rem_euclid(86_400);
    format!("{day} {:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
}
