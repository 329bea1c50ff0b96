//! What costs are compared per: a unit of work, a second, a CPU-second, a run.

use super::Run;
use crate::AnalysisError;
use serde::Serialize;
use std::str::FromStr;

/// What costs are per.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    type Err = AnalysisError;

    /// Everything that is no other word is the name of a unit.
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
    /// The usual one: the first unit of work that all runs know, or a second; a run where files of others do not tell how
    /// long it took.
    pub(super) fn usual(runs: &[&Run]) -> Self {
        let units = runs.first().map(|run| run.manifest.units_of_work.as_slice()).unwrap_or_default();
        let is_common = |name: &str| runs.iter().all(|run| run.units(name).is_some());
        let common = units.iter().find(|unit| is_common(&unit.name));
        let has_time = runs.iter().all(|run| run.manifest.duration_ns > 0);
        let usual = if has_time { Self::Second } else { Self::Run };
        common.map_or(usual, |unit| Self::Unit(unit.name.clone()))
    }

    /// How much of it a run did, and an error if that is not known.
    pub(super) fn amount(&self, run: &Run) -> Result<f64, AnalysisError> {
        let amount = match self {
            Self::Unit(name) => run.units(name),
            Self::Second => Some(run.manifest.duration_ns as f64 / 1e9),
            Self::CpuSecond => Some(run.cpu_ns() / 1e9),
            Self::Run => Some(1.0),
        };
        let known = || run.manifest.units_of_work.iter().map(|unit| unit.name.clone()).collect();
        amount.filter(|amount| *amount > 0.0).ok_or_else(|| AnalysisError::UnknownAmount {
            run: run.name.clone(),
            per: self.words(),
            known: known(),
        })
    }

    /// In words: `per message`.
    pub fn words(&self) -> String {
        match self {
            Self::Unit(name) => format!("per {}", singular(name)),
            Self::Second => "per second of elapsed time".to_owned(),
            Self::CpuSecond => "per second of CPU time".to_owned(),
            Self::Run => "per run".to_owned(),
        }
    }
}

/// One of what a counter's name, a plural, names, as far as English is regular; other names stay.
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
