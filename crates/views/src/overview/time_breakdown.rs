//! The time breakdown: whose code was executed, and what the threads waited for. The parts of each bar add up to its total.

use crate::letter_bar::letter_bar;
use crate::waits::waits;
use serde::Serialize;
use whittle_model::{Metric, Table};
use whittle_profile::amounts::{amount, seconds};
use whittle_profile::code_owner::CodeOwner;
use whittle_profile::metrics::Column;
use whittle_profile::order::sort_by_key;
use whittle_profile::ordered_map::OrderedMap;
use whittle_profile::query::{Query, serialize_number};
use whittle_profile::samples::SampleKind;
use whittle_profile::thread_times::thread_times;
use whittle_profile::waits::WaitMeaning;
use whittle_profile::weights::sums_by_place;
use whittle_profile::{AnalysisError, Profile};
use whittle_render::Cell;

/// Where the selected time was spent.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimeBreakdown {
    /// The metric of `code`: CPU time. If it was not measured, the metric that ranks the top functions.
    pub column: Column,
    /// The sum of `code`.
    #[serde(serialize_with = "serialize_number")]
    pub total: f64,
    /// The cost by owner of the executed code. Owners without cost are left out.
    pub code: Vec<CodePart>,
    /// The sum of `waits`, in nanoseconds.
    #[serde(serialize_with = "serialize_number")]
    pub waits_ns: f64,
    /// The waits of all threads by meaning, without those of idle threads, the longest first. Empty if no waits were
    /// sampled.
    pub waits: Vec<WaitPart>,
    /// True if the kernel counted the time of the waits, and the samples only tell what for. Otherwise, the times are from samples.
    pub are_waits_counted: bool,
    /// The time in which threads had no work.
    #[serde(serialize_with = "serialize_number")]
    pub idle_ns: f64,
}

/// The cost of an owner's code.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CodePart {
    /// The owner, as in the filter `code is own`.
    pub owner: &'static str,
    /// The owner in words.
    pub words: &'static str,
    /// The cost, in the unit of `column`.
    #[serde(serialize_with = "serialize_number")]
    pub amount: f64,
    /// The share of `total`, from 0 to 1.
    pub ratio: f64,
}

/// The waits with a meaning.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WaitPart {
    /// The meaning, as in the filter `wait is lock`.
    pub meaning: &'static str,
    /// What the threads waited for.
    pub words: &'static str,
    /// The time, as in the table of waits.
    #[serde(serialize_with = "serialize_number")]
    pub duration_ns: f64,
    /// The share of `waits_ns`, from 0 to 1.
    pub ratio: f64,
}

/// The breakdown of the selected samples. `sorted_metric` ranks the top functions. `None`: there are no metrics.
///
/// # Errors
/// The filter contains an unknown name.
pub(super) fn time_breakdown(
    profile: &Profile,
    query: &Query,
    sorted_metric: Option<usize>,
) -> Result<Option<TimeBreakdown>, AnalysisError> {
    let Some(metric) = profile.manifest().metric_index(Metric::Cpu).or(sorted_metric) else { return Ok(None) };
    let code = code_parts(profile, query, metric)?;
    let (waits, idle_ns) = wait_parts(profile, query)?;
    // The kernel counted by thread, so with another filter, only the samples tell the times.
    let predicate = profile.selection(query)?;
    let is_of_threads = predicate.is_none_or(|predicate| predicate.threads_alone().is_some());
    let are_counted = is_of_threads && thread_times(profile.tables()).iter().any(Option::is_some);
    Ok(Some(TimeBreakdown {
        column: Column::plain(&profile.manifest().metrics, metric),
        total: code.iter().map(|part| part.amount).sum(),
        code,
        waits_ns: waits.iter().map(|part| part.duration_ns).sum(),
        waits,
        are_waits_counted: are_counted,
        idle_ns,
    }))
}

fn code_parts(profile: &Profile, query: &Query, metric: usize) -> Result<Vec<CodePart>, AnalysisError> {
    let predicate = profile.selection(query)?;
    let (samples, classes) = (profile.samples(), &profile.tables().threads.class);
    let of_stack = &profile.code_owners().of_stack;
    let modes: Vec<_> = SampleKind::all().map(|kind| kind.mode).collect();
    let owner = |sample: usize| {
        let class = classes[samples.thread[sample].row()];
        let by_stack = of_stack[samples.observed[sample] as usize];
        CodeOwner::of_sample(by_stack, modes[usize::from(samples.kind[sample])], class) as usize
    };
    let places = (CodeOwner::ALL.len(), owner);
    let sums = sums_by_place((samples, predicate.as_ref()), (profile.summed(), &[metric]), places).remove(0);
    let total: f64 = sums.iter().sum();
    let part = |(owner, amount): (CodeOwner, f64)| CodePart {
        owner: owner.name(),
        words: owner.words(),
        amount,
        ratio: amount / total,
    };
    Ok(CodeOwner::ALL.into_iter().zip(sums).filter(|(_, amount)| *amount > 0.0).map(part).collect())
}

/// The waits by meaning, and the time of idle threads.
fn wait_parts(profile: &Profile, query: &Query) -> Result<(Vec<WaitPart>, f64), AnalysisError> {
    if profile.manifest().metric_index(Metric::OffCpu).is_none() && profile.tables().thread_states.is_empty() {
        return Ok((Vec::new(), 0.0));
    }
    let plain = Query { metrics: None, sort: None, skip: 0, limit: None, ..query.clone() };
    let view = waits(profile, &plain)?;
    let mut idle_ns = 0.0;
    let mut parts: OrderedMap<&str, WaitPart> = OrderedMap::default();
    for row in view.rows {
        let (meaning, words, duration_ns) = (row.meaning, row.words, row.figures.duration_ns);
        if meaning == WaitMeaning::Idle.name() {
            idle_ns += duration_ns;
        } else if duration_ns > 0.0 {
            let part = parts.at(meaning, || WaitPart { meaning, words, duration_ns: 0.0, ratio: 0.0 });
            part.duration_ns += duration_ns;
            part.ratio += duration_ns / view.total.duration_ns;
        }
    }
    let mut parts: Vec<WaitPart> = parts.into_pairs().into_iter().map(|(_, part)| part).collect();
    sort_by_key(&mut parts, |part| std::cmp::Reverse(part.duration_ns as u64));
    Ok((parts, idle_ns))
}

/// The letter of each owner in the bar, in the order of [`CodeOwner::ALL`].
const OWNER_LETTERS: [char; CodeOwner::ALL.len()] = ['O', 'L', 'J', 'N', 'V', 'G', 'C', 'K', '?'];
/// Number of meanings with their own sign in the bar.
const SHOWN_WAITS: usize = 4;
/// The sign of all other meanings.
const OTHER_WAITS: char = '·';

impl TimeBreakdown {
    /// The bars as text, each with its legend.
    pub(super) fn in_words(&self) -> Vec<String> {
        [self.code_in_words(), self.waits_in_words()].into_iter().flatten().collect()
    }

    /// `Code: OOOOOOOOOOOOOOOKKKKK  12.000 s CPU, from samples: O own code 75.00 %, K kernel 25.00 %`.
    fn code_in_words(&self) -> Option<String> {
        let letter =
            |part: &CodePart| CodeOwner::from_name(part.owner).map_or('?', |owner| OWNER_LETTERS[owner as usize]);
        let bar: Vec<(char, f64)> = self.code.iter().map(|part| (letter(part), part.ratio)).collect();
        let legend = self.code.iter().map(|part| entry(letter(part), part.words, part.ratio));
        let total = amount(&self.column, self.total);
        (self.total > 0.0).then(|| format!("Code: {}  {total}, from samples: {}", letter_bar(&bar), joined(legend)))
    }

    /// `Waits: 11111111111111222···  9.000 s, counted by the kernel: 1 a lock 70.00 %, 2 a queue 15.00 %, · others 15.00 %; idle threads 20.000 s`.
    fn waits_in_words(&self) -> Option<String> {
        let (shown, others) = self.waits.split_at(self.waits.len().min(SHOWN_WAITS));
        let rest: f64 = others.iter().map(|part| part.ratio).sum();
        let numbered = shown.iter().zip('1'..).map(|(part, sign)| (sign, part.words, part.ratio));
        let parts: Vec<_> = numbered.chain((rest > 0.0).then_some((OTHER_WAITS, "others", rest))).collect();
        let bar: Vec<(char, f64)> = parts.iter().map(|(sign, _, ratio)| (*sign, *ratio)).collect();
        let legend = parts.iter().map(|(sign, words, ratio)| entry(*sign, words, *ratio));
        let idle = (self.idle_ns > 0.0).then(|| format!("; idle threads {} s", seconds(self.idle_ns)));
        (self.waits_ns > 0.0).then(|| {
            let (bar, total) = (letter_bar(&bar), seconds(self.waits_ns));
            let source = if self.are_waits_counted { "counted by the kernel" } else { "from samples" };
            format!("Waits: {bar}  {total} s, {source}: {}{}", joined(legend), idle.unwrap_or_default())
        })
    }
}

fn entry(sign: char, words: &str, ratio: f64) -> String {
    format!("{sign} {words} {} %", Cell::Ratio(Some(ratio)).shown())
}

fn joined(entries: impl Iterator<Item = String>) -> String {
    entries.collect::<Vec<_>>().join(", ")
}
