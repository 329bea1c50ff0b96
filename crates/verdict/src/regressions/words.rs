//! Answers in words. Every change is shown with its interval. "Not enough power" is shown with the detectable change.

use crate::regressions::{
    FunctionChange, HostCounts, LeftOut, Measure, Method, MovedWithin, NoPower, RegressionsView, Word,
};
use crate::verify::words::{change, change_ends, nanos, percent, three_digits, whole_percent};

/// Shares below this limit are shown in percent with three significant digits.
const SMALL_SHARE: f64 = 0.1;
/// At most this many hosts are named.
const NAMED: usize = 5;

impl FunctionChange {
    /// `app.Mask.mask(String): regressed, +5.1 % (99 % interval +1.8 to +8.5 %), from 1.00 % to 1.05 % of CPU; 15 upgraded hosts
    /// against 15 others`.
    ///
    /// `period` gives the name of a period.
    pub(super) fn sentence(&self, view: &RegressionsView, period: &dyn Fn(usize) -> String) -> String {
        let mut parts = vec![format!("{}: {}", self.name, self.word.words())];
        parts.extend(self.change_in_words(view));
        match self.word {
            Word::NotEnoughPower => parts.extend(self.power_in_words()),
            Word::Unchanged => parts.push(format!("within ±{}", whole_percent(view.question.margin_ratio))),
            Word::Moved => parts.extend(self.moved_in_words()),
            _ => {}
        }
        let mut sentence = parts.join(", ");
        if let (true, [.., last]) = (self.word.is_change(), self.steps.as_slice()) {
            let first = if self.steps.len() > 1 { self.steps[0].period } else { last.period };
            sentence.push_str(&format!("; since {}", period(first)));
        }
        if let Some(hosts) = view.hosts_in_words().filter(|_| self.word.is_change()) {
            sentence.push_str(&format!("; {hosts}"));
        }
        sentence
    }

    fn change_in_words(&self, view: &RegressionsView) -> Option<String> {
        let mut words =
            format!("{} ({} interval {})", self.change_shown()?, view.confidence_shown(), self.interval_shown()?);
        if let (true, Some(before), Some(after)) = (self.word.is_change(), self.before, self.after) {
            let (before, after) = (view.measure.shown(before), view.measure.shown(after));
            let of = if view.measure == Measure::Share { "of CPU" } else { "per unit of work" };
            words.push_str(&format!(", from {before} to {after} {of}"));
        }
        Some(words)
    }

    fn power_in_words(&self) -> Option<String> {
        let why = match self.no_power? {
            NoPower::FewHosts => "fewer than three upgraded hosts or fewer than three other hosts",
            NoPower::FewPeriods => "too few periods",
            NoPower::FewSamples => "too few samples",
            NoPower::Noise => return self.detectable_in_words(),
        };
        Some(match self.detectable_in_words() {
            Some(detectable) => format!("{why}: {detectable}"),
            None => why.to_owned(),
        })
    }

    fn detectable_in_words(&self) -> Option<String> {
        Some(format!("can only detect {}", self.detectable_shown()?))
    }

    /// The change as text: `+5.1 %`. `None`: too few hosts or periods.
    pub fn change_shown(&self) -> Option<String> {
        self.ratio.map(change)
    }

    /// The interval as text: `+1.8 to +8.5 %`. `None`: too few hosts or periods.
    pub fn interval_shown(&self) -> Option<String> {
        Some(change_ends(self.low_ratio?, self.high_ratio?))
    }

    /// The detectable growth as text: `≥ +6.8 %`. `None`: too few hosts or periods.
    pub fn detectable_shown(&self) -> Option<String> {
        // Above this value, the approximation by logarithms is too inexact for a number.
        let shown =
            |ratio: f64| if ratio > 10.0 { "≥ 10 times".to_owned() } else { format!("≥ +{}", percent(ratio)) };
        self.detectable_ratio.map(shown)
    }

    fn moved_in_words(&self) -> Option<String> {
        let moved = self.moved.as_ref()?;
        let ends = change_ends(moved.low_ratio, moved.high_ratio);
        let with = if moved.with.is_empty() { String::new() } else { format!(" with {}", moved.with.join(", ")) };
        Some(format!(
            "cost moved within {}{with}; the domain's total changed by {} ({ends})",
            moved.domain,
            change(moved.ratio)
        ))
    }
}

impl MovedWithin {
    /// The change of the domain as text: `app.io +0.3 % (−1.2 to +1.8 %)`.
    pub fn shown(&self) -> String {
        format!("{} {} ({})", self.domain, change(self.ratio), change_ends(self.low_ratio, self.high_ratio))
    }
}

impl Measure {
    /// A cost as text: `1.05 %` of CPU, or `5.81 µs` per unit of work.
    pub fn shown(self, level: f64) -> String {
        match self {
            Self::Share if level < SMALL_SHARE => format!("{} %", three_digits(level * 100.0)),
            Self::Share => percent(level),
            Self::PerUnit => nanos(level),
        }
    }
}

impl RegressionsView {
    /// The probability that an interval contains the true ratio: `99 %`.
    pub fn confidence_shown(&self) -> String {
        whole_percent(self.question.confidence_ratio())
    }

    fn hosts_in_words(&self) -> Option<String> {
        let HostCounts { upgraded, others } = self.hosts;
        match self.method {
            Method::DifferenceInDifferences => {
                Some(format!("{upgraded} upgraded hosts compared with {others} other hosts"))
            }
            Method::ChangePoints => Some(format!("{upgraded} hosts")),
        }
    }

    /// The number of changes, the method, and the hosts that were left out.
    pub(super) fn sentences(&self) -> Vec<String> {
        let count = |word: Word| self.with_word(word).count();
        let told =
            [Word::Regressed, Word::Improved, Word::Moved, Word::WentAway, Word::Unchanged, Word::NotEnoughPower]
                .into_iter()
                .filter(|word| count(*word) > 0)
                .map(|word| format!("{} {}", count(word), word.words()));
        let mut all = vec![format!(
            "Of {} functions ({} with enough samples): {}",
            self.functions.len(),
            self.tested_count,
            told.collect::<Vec<_>>().join(", ")
        )];
        if (self.common_ratio - 1.0).abs() > self.question.margin_ratio / 2.0 {
            all.push(format!(
                "Most functions' costs changed by {}, because one large function or all functions changed; only functions that \
                differ from this change are named",
                change(self.common_ratio)
            ));
        }
        if self.measure == Measure::Share {
            all.push("Costs are shares of CPU time, so a change common to all functions is invisible".to_owned());
        }
        all.extend(self.left_out_in_words());
        all
    }

    fn left_out_in_words(&self) -> Option<String> {
        let named: Vec<String> =
            self.left_out.iter().take(NAMED).map(|host| format!("{} ({})", host.host, host.why.words())).collect();
        let rest = self.left_out.len() - named.len();
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        (!named.is_empty()).then(|| format!("Left out: {}{more}", named.join(", ")))
    }
}

impl LeftOut {
    /// The name as displayed.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotSeenBefore => "not seen before",
            Self::NotSeenAfter => "not seen after",
            Self::NotSeen => "not seen",
            Self::SeldomSeen => "seen in less than half of the periods",
            Self::UnitsUnknown => "units of work unknown",
        }
    }
}
