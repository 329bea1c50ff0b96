//! Numbers of units of work on the command line.

/// Parses a number of units of work. The number must be above 0.
pub(crate) fn parse_unit_count(text: &str) -> Result<f64, String> {
    let number = text.replace('_', "").parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| format!("wanted a number above 0, for example 1000; found \"{text}\""))
}
