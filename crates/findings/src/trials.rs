//! The results of trials that an experiment keeps, and the findings that they belong to.

use crate::tried::{Tried, TriedTogether};
use crate::view::{Finding, FindingsView};
use serde::{Deserialize, Serialize};

/// The number increases when the meaning of the file changes.
const VERSION: u32 = 1;

const UNREADABLE: &str = "results of earlier trials are not shown: tries.json is damaged, or a newer whittle wrote it";

/// The results of an experiment's trials: the file `tries.json` in its folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trials {
    version: u32,
    /// The last result of each finding.
    tries: Vec<Tried>,
    /// The last result of several findings together. `None`: they were not tried together.
    #[serde(default)]
    together: Option<TriedTogether>,
}

impl Default for Trials {
    fn default() -> Self {
        Self { version: VERSION, tries: Vec::new(), together: None }
    }
}

impl Trials {
    /// Reads the text of the file. `None`: the text is damaged, or a newer whittle wrote it.
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok().filter(|trials: &Self| trials.version == VERSION)
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let text = serde_json::to_string_pretty(self);
        text.unwrap_or_else(|error| unreachable!("all keys are texts: {error}")) + "\n"
    }

    /// Adds a result. It replaces an earlier result of the same finding and remedy.
    pub fn add(&mut self, tried: Tried) {
        let is_same = |known: &Tried| {
            (&known.detector, &known.function, &known.remedy) == (&tried.detector, &tried.function, &tried.remedy)
        };
        self.tries.retain(|known| !is_same(known));
        self.tries.push(tried);
    }

    /// Replaces the result of several findings together.
    pub fn set_together(&mut self, together: Option<TriedTogether>) {
        self.together = together;
    }

    fn of(&self, finding: &Finding) -> Option<&Tried> {
        self.tries
            .iter()
            .rev()
            .find(|tried| tried.detector == finding.detector && tried.function == finding.calling.function)
    }
}

impl FindingsView {
    /// Adds the results of earlier trials. `text`: the text of the file.
    pub(crate) fn add_tried(&mut self, text: &str) {
        let Some(trials) = Trials::parse(text) else {
            self.notes.push(UNREADABLE.to_owned());
            return;
        };
        self.findings.iter_mut().for_each(|finding| finding.tried = trials.of(finding).cloned());
        self.tried_together = trials.together;
    }
}
