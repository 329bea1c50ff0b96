//! The answer: a word for each function, with its change, the interval, and the detectable change. Numbers are not
//! rounded, and words are from fixed lists.

use crate::regressions::{Measure, Question, Windows};
use serde::{Deserialize, Serialize};

/// The regressions of a fleet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegressionsView {
    /// The view's name: `regressions`.
    pub view: String,
    /// The method.
    pub method: Method,
    /// The question.
    pub question: Question,
    /// The unit of costs.
    pub measure: Measure,
    /// The earlier window: position of its first and last period. `None`: the date was unknown, or there is no period
    /// before or after the change.
    pub before: Option<(usize, usize)>,
    /// The later window, in the same form.
    pub after: Option<(usize, usize)>,
    /// Numbers of compared hosts.
    pub hosts: HostCounts,
    /// Hosts that were left out, with the reason.
    pub left_out: Vec<LeftOutHost>,
    /// The change that most functions share, as a ratio. It occurs, for example, if one large function is removed and
    /// all other shares grow. A function with only this change is not named. 1: no shared change, or too few functions.
    pub common_ratio: f64,
    /// Number of tested functions. The other functions have too few samples.
    pub tested_count: usize,
    /// All functions. Named changes come first, the largest amount first. The other functions are sorted by name.
    pub functions: Vec<FunctionChange>,
    /// The summary in sentences.
    pub sentences: Vec<String>,
}

/// The method of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The change of each host between two windows. Upgraded hosts are compared with the other hosts.
    DifferenceInDifferences,
    /// E-divisive with a t test, over the hosts' mean in each period.
    ChangePoints,
}

/// Numbers of compared hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HostCounts {
    /// Hosts that changed version, or all hosts if the date was unknown.
    pub upgraded: usize,
    /// Hosts that did not change version.
    pub others: usize,
}

/// A host that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutHost {
    /// Name of the host.
    pub host: String,
    /// The reason.
    pub why: LeftOut,
}

/// Why a host was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOut {
    /// The host has no samples before hosts changed version.
    NotSeenBefore,
    /// The host has no samples after hosts changed version.
    NotSeenAfter,
    /// The host has no samples.
    NotSeen,
    /// The host was seen in less than half of the periods.
    SeldomSeen,
    /// The host's units of work are unknown in some periods.
    UnitsUnknown,
}

/// The change of one function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FunctionChange {
    /// The function's name.
    pub name: String,
    /// The function's domain. `None`: no domain.
    pub domain: Option<String>,
    /// The verdict.
    pub word: Word,
    /// The verdict with its values, one sentence.
    pub sentence: String,
    /// Whether the user chose the function in advance.
    pub is_watched: bool,
    /// Cost after ÷ cost before the change. For a change of version, the upgraded hosts' ratio is divided by the other
    /// hosts' ratio. For an unknown date, the cost in the last piece of time is divided by the cost in the first piece.
    /// `None`: too few hosts or periods.
    pub ratio: Option<f64>,
    /// Lower end of the interval, which contains the true ratio with probability 1 - alpha.
    pub low_ratio: Option<f64>,
    /// Upper end of the interval.
    pub high_ratio: Option<f64>,
    /// The function's cost before the change, on upgraded hosts: a share from 0 to 1, or nanoseconds per unit of work.
    /// `None`: no host.
    pub before: Option<f64>,
    /// The function's cost after the change, on the same hosts.
    pub after: Option<f64>,
    /// Two probabilities are computed for the case that nothing changed: for a change this large, and for a change this
    /// far from the shared change. p is the larger probability.
    pub p: Option<f64>,
    /// p after correction for the number of watched functions (Holm) or of all other functions (Benjamini and
    /// Hochberg). For named changes, this value is at most the question's limit.
    pub adjusted_p: Option<f64>,
    /// The smallest growth that is named with 80 % probability.
    pub detectable_ratio: Option<f64>,
    /// Mean number of samples per host in a window, or per host and period.
    pub samples: f64,
    /// Why the power is too low. `None`: the power is sufficient.
    pub no_power: Option<NoPower>,
    /// The domain in which the cost moved. `None`: the cost did not move.
    pub moved: Option<MovedWithin>,
    /// Changes in time order, if the date was unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepView>,
}

/// The verdict on a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// The function costs more.
    Regressed,
    /// The function costs less.
    Improved,
    /// The function costs more or less, and its domain costs the same as before.
    Moved,
    /// The function changed, but the change was gone at the end.
    WentAway,
    /// Proved: the function did not change by more than the margin.
    Unchanged,
    /// No other verdict could be proved.
    NotEnoughPower,
}

/// Why the power is too low.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoPower {
    /// Fewer than three hosts changed version, or fewer than three hosts did not change.
    FewHosts,
    /// There are too few periods.
    FewPeriods,
    /// A host has too few samples of the function.
    FewSamples,
    /// Hosts, or periods, vary too much to detect a change of the margin's size.
    Noise,
}

/// A domain with the same cost as before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MovedWithin {
    /// The domain's name.
    pub domain: String,
    /// The domain's cost after ÷ before, computed like the function's ratio.
    pub ratio: f64,
    /// Lower end of the interval.
    pub low_ratio: f64,
    /// Upper end of the interval.
    pub high_ratio: f64,
    /// Known functions of the domain that changed in the other direction.
    pub with: Vec<String>,
}

/// A change over time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StepView {
    /// First period after the change.
    pub period: usize,
    /// Cost of the piece of time after the change ÷ cost of the piece before it.
    pub ratio: f64,
    /// Lower end of the interval. The interval does not take the search for the date into account.
    pub low_ratio: f64,
    /// Upper end of the interval.
    pub high_ratio: f64,
    /// Probability of such a change at any possible date if nothing changed.
    pub p: f64,
}

impl Word {
    /// The verdict as displayed: `went away`.
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

    /// Whether a permanent change was found.
    pub const fn is_change(self) -> bool {
        matches!(self, Self::Regressed | Self::Improved)
    }

    /// The sort order: changes first.
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
    /// An answer without functions.
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

    /// Sorts the functions and adds all sentences.
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

    /// The same view, with sentences that contain the names of periods. `period` returns the name of a period.
    pub fn told_with(mut self, period: &dyn Fn(usize) -> String) -> Self {
        let sentences: Vec<String> = self.functions.iter().map(|change| change.sentence(&self, period)).collect();
        self.functions.iter_mut().zip(sentences).for_each(|(change, sentence)| change.sentence = sentence);
        self.sentences = self.sentences();
        self
    }

    /// Functions with this verdict.
    pub fn with_word(&self, word: Word) -> impl Iterator<Item = &FunctionChange> {
        self.functions.iter().filter(move |change| change.word == word)
    }
}
