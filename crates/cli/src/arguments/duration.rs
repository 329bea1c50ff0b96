//! Durations on the command line: a number and a unit.

use std::time::Duration;

/// Nanoseconds in each unit.
const UNITS: &[(&str, f64)] = &[("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9)];

/// Parses `10ms`, `1.5s`, `2m`.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let wanted = || format!("wanted a number and a unit (ns, us, ms, s, m, h), for example 10ms; found \"{text}\"");
    let unit_start = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(wanted)?;
    let (number, unit) = text.split_at(unit_start);
    let number: f64 = number.trim().parse().map_err(|_| wanted())?;
    let (_, unit_ns) = UNITS.iter().find(|(name, _)| *name == unit.trim()).ok_or_else(wanted)?;
    let ns = number * unit_ns;
    if !(1.0..=1e18).contains(&ns) {
        return Err(format!("{}; this duration is out of range", wanted()));
    }
    Ok(Duration::from_nanos(ns as u64))
}

/// Parses the CPU time between two samples. With less than 1 ms, perf events lose 15 to 25 % of the CPU time and slow
/// the program down.
pub(crate) fn parse_interval(text: &str) -> Result<Duration, String> {
    let interval = parse_duration(text)?;
    let range = Duration::from_millis(1)..=Duration::from_secs(10);
    if range.contains(&interval) { Ok(interval) } else { Err("wanted 1ms to 10s".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_a_unit_make_a_duration() {
        assert_eq!(parse_duration("10ms"), Ok(Duration::from_millis(10)));
        assert_eq!(parse_duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_duration("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["", "10", "ms", "10 parsecs", "-5s", "0s", "1e99s", "NaNs", "infs"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }
}
