//! Patterns that the bytecode of an own line shows: calls that a failure repeats, and texts that only a logger uses.
//!
//! ```text
//! Points.add(), Points.java:37 > RestClient.post > … > HttpServerErrorException.<init> > fillInStackTrace
//! a loop repeats this call        the calls fail
//!
//! Report.text(), Report.java:87 > makeConcatWithConstants > AbstractCollection.toString > Row.toString
//! the line passes the text to a logger that does nothing with it
//! ```
//!
//! Only lines with a relevant share of the time are looked up in class files.

use crate::added::Added;
use crate::detector::Detector;
use crate::detector::Measure;
use crate::matching::Matches;
use crate::roles::Role;
use crate::site::{Code, place};
use crate::stacks::{AnchorPlace, Stacks};
use crate::sums::Sums;
use rustc_hash::FxHashMap;
use whittle_bytecode::edit_site::{LogUse, is_repeated, log_use};
use whittle_model::{FrameIndex, FunctionIndex, StackIndex};

/// Lines with a smaller share of the elapsed time and of the CPU time are not examined.
const EXAMINED_RATIO: f64 = 0.02;
/// If the logger takes a larger part of the time of the text, the level is on.
const LEVEL_IS_ON: f64 = 0.02;

/// What the code of a line shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Repeated,
    Log(LogUse),
}

/// An own line: its method, and the line's number if it is known.
type OwnLine = (FunctionIndex, Option<u32>);

/// The candidates of both patterns. The numbers of new places start with `first_place`.
pub(crate) fn code_patterns(
    stacks: &Stacks<'_>,
    (observed, sums): (&[StackIndex], &Sums),
    (matches, code): (&Matches, &Code<'_>),
    first_place: u32,
) -> Added {
    let shown = shown_by_frame(stacks, (observed, sums), code);
    let mut added = Added::new(first_place);
    if !shown.is_empty() {
        let own = OwnLines { stacks, observed, shown };
        own.add_repeated(sums, matches, &mut added);
        own.add_log_texts(sums, &mut added);
    }
    added
}

/// What the code of the large own frames shows. Frames that show nothing are left out.
fn shown_by_frame(
    stacks: &Stacks<'_>,
    (observed, sums): (&[StackIndex], &Sums),
    code: &Code<'_>,
) -> FxHashMap<FrameIndex, Shown> {
    let mut by_frame: FxHashMap<FrameIndex, (f64, f64, StackIndex)> = FxHashMap::default();
    for (number, stack) in observed.iter().enumerate() {
        let totals = sums.of_stack(number);
        let (elapsed, cpu) = (totals.measure(Measure::Elapsed), totals.cpu_ns());
        if elapsed > 0.0 {
            for row in stacks.upwards(*stack).filter(|row| stacks.role(*row) == Role::Own) {
                let sum = by_frame.entry(stacks.frame(row)).or_insert((0.0, 0.0, row));
                sum.0 += elapsed;
                sum.1 += cpu;
            }
        }
    }
    let least = [Measure::Elapsed, Measure::Cpu].map(|measure| EXAMINED_RATIO * sums.total.measure(measure));
    let is_large = |elapsed: f64, cpu: f64| elapsed >= least[0] || cpu > 0.0 && cpu >= least[1];
    let large = by_frame.into_iter().filter(|(_, (elapsed, cpu, _))| is_large(*elapsed, *cpu));
    let shown = large.filter_map(|(frame, (.., row))| {
        let place = place(stacks, row)?;
        let log = || log_use(&place, code.classes()).map(Shown::Log);
        let shown = is_repeated(&place, code.classes()).then_some(Shown::Repeated).or_else(log)?;
        Some((frame, shown))
    });
    shown.collect()
}

/// The own lines whose code shows something, and the stacks with them.
struct OwnLines<'a> {
    stacks: &'a Stacks<'a>,
    observed: &'a [StackIndex],
    shown: FxHashMap<FrameIndex, Shown>,
}

impl OwnLines<'_> {
    /// The observed stacks with a line that shows `wanted`: the stack's number, the line's row nearest to the leaf.
    fn stacks_with(&self, wanted: impl Fn(Shown) -> bool) -> Vec<(usize, StackIndex)> {
        let has = |row: &StackIndex| self.shown.get(&self.stacks.frame(*row)).is_some_and(|shown| wanted(*shown));
        let with = |(number, stack): (usize, &StackIndex)| Some((number, self.stacks.upwards(*stack).find(has)?));
        self.observed.iter().enumerate().filter_map(with).collect()
    }

    fn line(&self, row: StackIndex) -> OwnLine {
        (self.stacks.function(row), self.stacks.line(row))
    }

    fn add(&self, added: &mut Added, detector: usize, (number, calling): (usize, StackIndex)) {
        let anchor = self.stacks.called_row(calling, self.observed[number]);
        added.add(self.stacks, AnchorPlace { detector, anchor, calling }, number);
    }

    /// Repeated calls that fail: enough of their CPU time is on stacks with exceptions.
    fn add_repeated(&self, sums: &Sums, matches: &Matches, added: &mut Added) {
        let Some((detector, rule)) = with_rule("repeated-call") else { return };
        let exceptions = rule.conditions.iter().flat_map(|condition| &condition.frames).cloned().collect::<Vec<_>>();
        let least = rule.conditions.iter().find_map(|condition| condition.at_least).unwrap_or(0.0);
        let ids = matches.names.ids(&exceptions);
        let found = self.stacks_with(|shown| shown == Shown::Repeated);
        let mut by_line: FxHashMap<OwnLine, [f64; 2]> = FxHashMap::default();
        for (number, row) in &found {
            let cpu = sums.cpu_by_stack[*number];
            let called = self.stacks.called(*row, self.observed[*number]);
            let fails = called.iter().any(|row| matches.names.is_any(self.stacks.function(*row).row(), &ids));
            let sum = by_line.entry(self.line(*row)).or_default();
            sum[0] += cpu;
            sum[1] += if fails { cpu } else { 0.0 };
        }
        let fails = |row: StackIndex| {
            by_line.get(&self.line(row)).is_some_and(|[all, failed]| *failed > 0.0 && *failed >= least * all)
        };
        found.iter().filter(|(_, row)| fails(*row)).for_each(|found| self.add(added, detector, *found));
    }

    /// Texts for a logger that hardly takes time itself, because the level is off.
    fn add_log_texts(&self, sums: &Sums, added: &mut Added) {
        let Some((detector, _)) = with_rule("unused-log-text") else { return };
        let found = self.stacks_with(|shown| matches!(shown, Shown::Log(_)));
        let mut by_line: FxHashMap<OwnLine, [f64; 2]> = FxHashMap::default();
        for (number, row) in &found {
            let is_call = self.shown.get(&self.stacks.frame(*row)) == Some(&Shown::Log(LogUse::Call));
            by_line.entry(self.line(*row)).or_default()[usize::from(is_call)] += sums.cpu_by_stack[*number];
        }
        let is_off =
            |row: StackIndex| by_line.get(&self.line(row)).is_some_and(|[text, call]| *call < LEVEL_IS_ON * text);
        let is_text = |row: StackIndex| self.shown.get(&self.stacks.frame(row)) == Some(&Shown::Log(LogUse::Text));
        let unused = found.iter().filter(|(_, row)| is_text(*row) && is_off(*row));
        unused.for_each(|found| self.add(added, detector, *found));
    }
}

fn with_rule(rule: &str) -> Option<(usize, &'static Detector)> {
    Detector::all().iter().enumerate().find(|(_, detector)| detector.rule.as_deref() == Some(rule))
}
