//! The units by which the values of a comparison are divided: a unit of work, a second, a CPU-second, a run.

use serde::Serialize;
use std::convert::Infallible;
use std::str::FromStr;

/// The unit by which costs are divided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "kind", content = "unit", rename_all = "snake_case")]
pub enum Per {
    /// A unit of work, by its name in the manifest, such as `messages`.
    Unit(String),
    /// A second of elapsed time.
    Second,
    /// A second of CPU time.
    CpuSecond,
    /// A run: for programs that do the same work every time.
    Run,
}

impl FromStr for Per {
    type Err = Infallible;

    /// Reads a fixed word. Any other text is the name of a unit of work.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "second" => Self::Second,
            "cpu-second" => Self::CpuSecond,
            "run" => Self::Run,
            unit => Self::Unit(unit.to_owned()),
        })
    }
}

impl Per {
    /// The unit as text: `per message`.
    pub fn words(&self) -> String {
        match self {
            Self::Unit(name) => format!("per {}", singular(name)),
            Self::Second => "per second of elapsed time".to_owned(),
            Self::CpuSecond => "per second of CPU time".to_owned(),
            Self::Run => "per run".to_owned(),
        }
    }
}

/// The singular of a counter's name, for regular English plurals. Other names do not change.
pub fn singular(name: &str) -> String {
    let name = name.replace('_', " ");
    if let Some(stem) = name.strip_suffix("ies") {
        return format!("{stem}y");
    }
    if ["sses", "shes", "ches", "xes"].iter().any(|ending| name.ends_with(ending)) {
        return name[..name.len() - 2].to_owned();
    }
    match name.strip_suffix('s') {
        Some(stem) if !stem.ends_with(['s', 'u', 'i']) && !stem.is_empty() => stem.to_owned(),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_named_once() {
        let words = |name: &str| Per::Unit(name.to_owned()).words();
        assert_eq!(words("messages"), "per message");
        assert_eq!(words("queries"), "per query");
        assert_eq!(words("passes"), "per pass");
        assert_eq!(words("work"), "per work");
        assert_eq!(words("pages_read"), "per pages read");
    }
}
