//! The arguments of a comparison of runs: what the verdict compares, and which numbers the programs print.

use super::unit_count::UnitCount;
use clap::{Args, ValueEnum};
use whittle_profile::sides::Better;
use whittle_verdict::verify::PrimaryEndpoint;

#[derive(Debug, Args)]
pub(crate) struct EndpointArguments {
    /// Read numbers from the programs' output. Each named group is a metric, or the units of work if the group's name
    /// ends in _count. For example '(?<messages_per_second>[0-9.]+) messages/s'
    #[arg(long, value_name = "REGEX")]
    pub(crate) metric: Option<String>,
    /// Value to use if a run prints a metric several times
    #[arg(long, value_enum, default_value_t = MetricValue::Last, requires = "metric")]
    pub(crate) metric_value: MetricValue,
    /// Units of work of each run: a number, or a group of --metric
    #[arg(long, value_name = "NUMBER|GROUP")]
    pub(crate) unit_count: Option<UnitCount>,
    /// Name of one unit of work, for example message
    #[arg(long, value_name = "NAME")]
    pub(crate) unit: Option<String>,
    /// The value that the verdict compares: cpu, elapsed, or a group of --metric
    #[arg(long, value_name = "ENDPOINT", default_value = "cpu", value_parser = parse_endpoint)]
    pub(crate) endpoint: PrimaryEndpoint,
    /// Set whether larger or smaller values of the --endpoint metric are better, if its name does not show this. For
    /// another metric: METRIC=larger
    #[arg(long, value_name = "[METRIC=]larger|smaller", value_parser = parse_better)]
    pub(crate) better: Vec<(Option<String>, Better)>,
    /// Largest change that is not relevant
    #[arg(long, value_name = "PERCENT%", default_value = "2%", value_parser = parse_margin)]
    pub(crate) margin: f64,
}

/// The value that is used if a run prints a metric several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MetricValue {
    /// The last value
    Last,
    /// The mean of all values
    Mean,
}

fn parse_endpoint(text: &str) -> Result<PrimaryEndpoint, String> {
    Ok(match text {
        "cpu" => PrimaryEndpoint::Cpu,
        "elapsed" => PrimaryEndpoint::Elapsed,
        "" => return Err("wanted cpu, elapsed, or a group of --metric".to_owned()),
        name => PrimaryEndpoint::Metric(name.to_owned()),
    })
}

fn parse_better(text: &str) -> Result<(Option<String>, Better), String> {
    let (name, word) = text.split_once('=').map_or((None, text), |(name, word)| (Some(name.to_owned()), word));
    match word {
        "larger" => Ok((name, Better::Larger)),
        "smaller" => Ok((name, Better::Smaller)),
        _ => Err("wanted larger or smaller, or for one metric METRIC=larger".to_owned()),
    }
}

/// Converts a percentage to a ratio to the baseline.
fn parse_margin(text: &str) -> Result<f64, String> {
    let percent = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    let percent = percent.filter(|percent| *percent > 0.0 && *percent < 100.0);
    percent.map(|percent| percent / 100.0).ok_or_else(|| format!("wanted percent, for example 2%; found \"{text}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_options() {
        assert_eq!(parse_margin("2%"), Ok(0.02));
        assert!(["2", "0%", "100%", "x%", "NaN%"].iter().all(|text| parse_margin(text).is_err()));
        assert_eq!(parse_better("larger"), Ok((None, Better::Larger)));
        assert_eq!(parse_better("rate=smaller"), Ok((Some("rate".to_owned()), Better::Smaller)));
        assert!(parse_better("rate=better").is_err());
    }
}
