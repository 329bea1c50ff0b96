//! The answer: a word for each function, with its change, the interval, and what could have been seen. Raw numbers; words are
//! fixed.

use super::costs::Windows;
use super::question::{Measure, Question};
use serde::{Deserialize, Serialize};

/// What a fleet's costs say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegressionsView {
    /// The view's name: `regressions`.
    pub view: String,
    /// How it was found.
    pub method: Method,
    /// What was asked.
    pub question: Question,
    /// What costs are measured by.
    pub measure: Measure,
    /// Periods compared: first and last position of each window, both included. Missing: the date was not known, or there is no
    /// period before or after.
    pub before: Option<(usize, usize)>,
    /// The same of the later window.
    pub after: Option<(usize, usize)>,
    /// Hosts that count.
    pub hosts: HostCounts,
    /// Hosts that do not, and why.
    pub left_out: Vec<LeftOutHost>,
    /// Change that most functions share, as a ratio, as where one large function is gone and all others' shares grow. What changed
    /// by no more than this is not named. 1: none, or too few functions to tell.
    pub common_ratio: f64,
    /// Number of functions that were tested; the others have too few samples.
    pub tested_count: usize,
    /// All functions: named changes first, the largest amount first, then the others by name.
    pub functions: Vec<FunctionChange>,
    /// What is said of all together.
    pub sentences: Vec<String>,
}

/// How changes were looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Each host's change between two windows, of upgraded hosts against others.
    DifferenceInDifferences,
    /// E-divisive with a t test over the mean of hosts by period.
    ChangePoints,
}

/// Hosts that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HostCounts {
    /// Those that changed version; all of them where the date was not known.
    pub upgraded: usize,
    /// Those that did not.
    pub others: usize,
}

/// A host that does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutHost {
    /// Its name.
    pub host: String,
    /// Why.
    pub why: LeftOut,
}

/// Why a host does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOut {
    /// It has no samples before hosts changed version.
    NotSeenBefore,
    /// It has none after.
    NotSeenAfter,
    /// It has none at all.
    NotSeen,
    /// It was seen in less than half of the periods.
    SeldomSeen,
    /// Its units of work are not known in all periods.
    UnitsUnknown,
}

/// One function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FunctionChange {
    /// Its name.
    pub name: String,
    /// What it is a part of. Missing: nothing.
    pub domain: Option<String>,
    /// What is said of it.
    pub word: Word,
    /// The same with its figures.
    pub sentence: String,
    /// Whether it was chosen before.
    pub is_watched: bool,
    /// Cost after ÷ before: of upgraded hosts ÷ the same of the others; or of the last piece of time ÷ the first one. Missing: too
    /// few hosts or periods.
    pub ratio: Option<f64>,
    /// Lower end of its interval, which holds the true ratio with probability 1 - alpha.
    pub low_ratio: Option<f64>,
    /// Upper end.
    pub high_ratio: Option<f64>,
    /// Its cost before, of upgraded hosts: a share, 0 to 1, or nanoseconds for a unit. Missing: no host.
    pub before: Option<f64>,
    /// And after.
    pub after: Option<f64>,
    /// Probability of such a change, and of one beyond what most functions share, where there is none.
    pub p: Option<f64>,
    /// The same among all watched functions (Holm) or all others (Benjamini and Hochberg): at most the question's limit where a
    /// change is named.
    pub adjusted_p: Option<f64>,
    /// The smallest growth that would have been named with 80 % probability.
    pub detectable_ratio: Option<f64>,
    /// Mean samples of a host in a window, or in a period.
    pub samples: f64,
    /// Why too little could be seen. Missing: enough could.
    pub no_power: Option<NoPower>,
    /// Where its cost moved to or from. Missing: it did not.
    pub moved: Option<MovedWithin>,
    /// Changes in the order of time, where the date was not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepView>,
}

/// What is said of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// It costs more.
    Regressed,
    /// It costs less.
    Improved,
    /// It costs more or less, and its domain costs what it did.
    Moved,
    /// It changed, and by the end the change was gone.
    WentAway,
    /// It did not change by more than the margin, which was shown.
    Unchanged,
    /// None of these could be shown.
    NotEnoughPower,
}

/// Why too little could be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoPower {
    /// Fewer than three hosts changed version, or fewer than three did not.
    FewHosts,
    /// There are too few periods.
    FewPeriods,
    /// A host has too few samples of the function.
    FewSamples,
    /// Hosts, or periods, differ too much for a change of the margin's size.
    Noise,
}

/// A domain that costs what it did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MovedWithin {
    /// Its name.
    pub domain: String,
    /// Its cost after ÷ before, as the function's.
    pub ratio: f64,
    /// Lower end of its interval.
    pub low_ratio: f64,
    /// Upper end.
    pub high_ratio: f64,
    /// Functions of it that changed in the other direction, as far as they are known.
    pub with: Vec<String>,
}

/// A change in the course of time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StepView {
    /// First period after the change.
    pub period: usize,
    /// Cost of the piece of time after it ÷ before it.
    pub ratio: f64,
    /// Lower end of its interval, which does not know that the date was searched for.
    pub low_ratio: f64,
    /// Upper end.
    pub high_ratio: f64,
    /// Probability of such a change at any of the dates that were possible, where there is none.
    pub p: f64,
}

impl Word {
    /// As shown: `went away`.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Improved => "improved",
            Self::Moved => "moved",
            Self::WentAway => "went away",
            Self::Unchanged => "unchanged",
            Self::NotEnoughPower => "not enough power",
        }
    }

    /// Whether something changed and stayed so.
    pub const fn is_change(self) -> bool {
        matches!(self, Self::Regressed | Self::Improved)
    }

    /// Changes first.
    pub(super) const fn rank(self) -> u8 {
        match self {
            Self::Regressed | Self::Improved => 0,
            Self::Moved => 1,
            Self::WentAway => 2,
            Self::Unchanged | Self::NotEnoughPower => 3,
        }
    }
}

impl RegressionsView {
    /// An answer whose functions are still to come.
    pub(super) fn new(method: Method, question: &Question, measure: Measure, windows: Option<&Windows>) -> Self {
        let ends = |range: &std::ops::Range<usize>| (!range.is_empty()).then(|| (range.start, range.end - 1));
        Self {
            view: "regressions".to_owned(),
            method,
            question: question.clone(),
            measure,
            before: windows.and_then(|windows| ends(&windows.before)),
            after: windows.and_then(|windows| ends(&windows.after)),
            hosts: HostCounts::default(),
            left_out: Vec::new(),
            common_ratio: 1.0,
            tested_count: 0,
            functions: Vec::new(),
            sentences: Vec::new(),
        }
    }

    /// Sorts the functions and says everything in words.
    pub(super) fn finished(mut self) -> Self {
        let amount = |change: &FunctionChange| match (change.before, change.after) {
            (Some(before), Some(after)) => (after - before).abs(),
            _ => 0.0,
        };
        self.functions.sort_by(|a, b| {
            let by_amount = if a.word.rank() < 3 { amount(b).total_cmp(&amount(a)) } else { std::cmp::Ordering::Equal };
            a.word.rank().cmp(&b.word.rank()).then(by_amount).then_with(|| a.name.cmp(&b.name))
        });
        self.told_with(&|period| format!("period {period}"))
    }

    /// The same with sentences in which periods are called as `period` says.
    pub fn told_with(mut self, period: &dyn Fn(usize) -> String) -> Self {
        let sentences: Vec<String> = self.functions.iter().map(|change| change.sentence(&self, period)).collect();
        self.functions.iter_mut().zip(sentences).for_each(|(change, sentence)| change.sentence = sentence);
        self.sentences = self.sentences();
        self
    }

    /// Functions that are named with this word.
    pub fn with_word(&self, word: Word) -> impl Iterator<Item = &FunctionChange> {
        self.functions.iter().filter(move |change| change.word == word)
    }
}
