//! The rules file: processes to ignore, labels, and files with counts of units of work.
//!
//! ```toml
//! only = ['-jar .*shop', 'com\.example\.']   # nothing else is collected
//!
//! [[rule]]
//! match = 'build-tool'            # a regular expression on the command line
//! ignore = true
//!
//! [[rule]]
//! match = '-jar shop-.*\.jar'
//! labels = { service = "shop", tier = "front" }
//! units = [{ name = "requests", file = "/run/shop/requests", pattern = 'total (\d+)' }]
//! ```

use super::labels::Labels;
use regex::Regex;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// All rules. If several rules set the same label, the first rule is used.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// Only matching processes are collected. Empty: any process.
    only: Vec<Regex>,
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    pattern: Regex,
    is_ignored: bool,
    labels: Labels,
    units: Vec<UnitRule>,
}

/// A text file where the process writes the running total of a unit of work.
#[derive(Debug, Clone)]
pub(crate) struct UnitRule {
    /// The unit's name.
    pub(crate) name: String,
    /// The path of the file, as the process sees it.
    pub(crate) file: PathBuf,
    /// The pattern that finds the number. The number is the first group of the match, or otherwise the whole match.
    pub(crate) pattern: Regex,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesText {
    #[serde(default)]
    only: Vec<String>,
    #[serde(default)]
    rule: Vec<RuleText>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleText {
    #[serde(rename = "match")]
    pattern: String,
    #[serde(default)]
    ignore: bool,
    #[serde(default)]
    labels: Labels,
    #[serde(default)]
    units: Vec<UnitText>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct UnitText {
    name: String,
    file: PathBuf,
    #[serde(default = "any_number")]
    pattern: String,
}

fn any_number() -> String {
    r"[0-9]+(?:\.[0-9]+)?".to_owned()
}

impl Rules {
    /// Reads a rules file.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        text.parse().map_err(|error| format!("{}: {error}", path.display()))
    }

    /// True if processes with this command line must not be collected.
    pub(crate) fn ignores(&self, command: &str) -> bool {
        let is_named = self.only.is_empty() || self.only.iter().any(|only| only.is_match(command));
        !is_named || self.matching(command).any(|rule| rule.is_ignored)
    }

    /// The labels of a process.
    pub(crate) fn labels(&self, command: &str) -> Labels {
        let mut labels = Labels::new();
        for (name, value) in self.matching(command).flat_map(|rule| &rule.labels) {
            labels.entry(name.clone()).or_insert_with(|| value.clone());
        }
        labels
    }

    /// The files with a process's counts of units of work.
    pub(crate) fn units(&self, command: &str) -> Vec<UnitRule> {
        self.matching(command).flat_map(|rule| rule.units.iter().cloned()).collect()
    }

    fn matching<'a>(&'a self, command: &'a str) -> impl Iterator<Item = &'a Rule> {
        self.rules.iter().filter(move |rule| rule.pattern.is_match(command))
    }
}

impl FromStr for Rules {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text: RulesText = toml::from_str(text).map_err(|error| error.to_string())?;
        Ok(Self {
            only: text.only.iter().map(|pattern| regex(pattern)).collect::<Result<_, _>>()?,
            rules: text.rule.into_iter().map(Rule::try_from).collect::<Result<_, _>>()?,
        })
    }
}

impl TryFrom<RuleText> for Rule {
    type Error = String;

    fn try_from(text: RuleText) -> Result<Self, String> {
        let unit = |unit: UnitText| {
            let pattern = regex(&unit.pattern)?;
            Ok::<_, String>(UnitRule { name: unit.name, file: unit.file, pattern })
        };
        Ok(Self {
            pattern: regex(&text.pattern)?,
            is_ignored: text.ignore,
            labels: text.labels,
            units: text.units.into_iter().map(unit).collect::<Result<_, _>>()?,
        })
    }
}

fn regex(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_that_has_a_label_counts() {
        let rules: Rules = "[[rule]]\nmatch = 'a'\nlabels = { x = '1' }\n[[rule]]\nmatch = 'b'\nignore = true\n\
            labels = { x = '2', y = '3' }\nunits = [{ name = 'n', file = '/f' }]"
            .parse()
            .unwrap();
        assert!(!rules.ignores("a") && rules.ignores("ab"));
        assert_eq!(
            rules.labels("ab").into_iter().collect::<Vec<_>>(),
            [("x".into(), "1".into()), ("y".into(), "3".into())]
        );
        assert_eq!((rules.units("a").len(), rules.units("b")[0].name.as_str()), (0, "n"));
    }

    #[test]
    fn only_matching_processes_are_collected() {
        let rules: Rules = "only = ['shop', 'till']\n[[rule]]\nmatch = 'test'\nignore = true".parse().unwrap();
        let ignored = ["java -jar shop.jar", "java Till", "java till.Main", "java shop.Test", "java shop.test"];
        assert_eq!(ignored.map(|command| rules.ignores(command)), [false, true, false, false, true]);
    }

    #[test]
    fn errors_name_the_wrong_part() {
        for (text, part) in [
            ("[[rule]]\nignore = true", "missing field `match`"),
            ("[[rule]]\nmatch = '('", "unclosed group"),
            ("[[rule]]\nmatch = 'a'\nlable = { a = 'b' }", "unknown field `lable`"),
        ] {
            let error = text.parse::<Rules>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
