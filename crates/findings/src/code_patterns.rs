//! Patterns that the bytecode of an own method shows: calls that a failure repeats, remote calls in a loop, loops that only wait,
//! and texts that only a logger uses.
//!
//! ```text
//! Points.add(), Points.java:37 > RestClient.post > … > HttpServerErrorException.<init> > fillInStackTrace
//! a loop repeats this call        the calls fail
//!
//! Quote.fees(), Quote.java:56 > PaymentClient.fee > RestClient.get > … > NioSocketImpl.read
//! a loop calls for each element    a client library waits
//!
//! Desk.next(), Desk.java:26
//! the line is in a loop that only tests whether another thread is ready
//!
//! Report.text(), Report.java:87 > makeConcatWithConstants > AbstractCollection.toString > Row.toString
//! the method passes the text to a logger that does nothing with it
//! ```
//!
//! Only methods with a relevant share of the time are looked up in class files.

use crate::added::Added;
use crate::detector::{Detector, Figure, Measure};
use crate::matching::{Family, Matches};
use crate::site::{Code, place};
use crate::stacks::{AnchorPlace, NONE, OwnLine, Stacks};
use crate::sums::Sums;
use rustc_hash::{FxHashMap, FxHashSet};
use whittle_bytecode::edit_site::{CodeOfLines, LogUse, WaitingLoop};
use whittle_model::{FrameIndex, FunctionIndex, StackIndex};
use whittle_profile::name_patterns::PatternId;
use whittle_profile::roles::Role;

/// Methods with a smaller share of the elapsed time and of the CPU time are not examined.
const EXAMINED_RATIO: f64 = 0.02;
/// If the logger takes a larger part of the time of the text, the level is on.
const LEVEL_IS_ON: f64 = 0.02;

/// What the code at a frame shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Repeated,
    ForEach,
    Waiting(WaitingLoop),
    Log(LogUse),
}

/// The candidates of these patterns. The numbers of their places follow those of `matches`.
pub(crate) fn code_patterns(
    stacks: &Stacks<'_>,
    (observed, sums): (&[StackIndex], &Sums),
    (matches, code): (&Matches, &Code<'_>),
) -> Added {
    let shown = shown_by_frame(stacks, (observed, sums), code);
    let mut added = Added::new(matches.places.len() as u32);
    if !shown.is_empty() {
        let own = OwnFrames { stacks, observed, shown };
        own.add_repeated(sums, matches, &mut added);
        own.add_serial(matches, &mut added);
        own.add_waiting(matches, &mut added);
        own.add_log_texts(sums, &mut added);
    }
    added
}

/// What the code at the frames of large own methods shows. Frames that show nothing are left out.
fn shown_by_frame(
    stacks: &Stacks<'_>,
    (observed, sums): (&[StackIndex], &Sums),
    code: &Code<'_>,
) -> FxHashMap<FrameIndex, Shown> {
    // Elapsed time and CPU time of each method, and its frames with a row of each.
    let mut methods: FxHashMap<FunctionIndex, ([f64; 2], FxHashMap<FrameIndex, StackIndex>)> = FxHashMap::default();
    let mut seen = FxHashSet::default();
    for (number, stack) in observed.iter().enumerate() {
        let totals = sums.of_stack(number);
        if totals.measure(Measure::Elapsed) == 0.0 {
            continue;
        }
        seen.clear();
        for row in stacks.upwards(*stack).filter(|row| stacks.role(*row) == Role::Own) {
            let (times, frames) = methods.entry(stacks.function(row)).or_default();
            frames.entry(stacks.frame(row)).or_insert(row);
            // A recursive method counts once.
            if seen.insert(stacks.function(row)) {
                times[0] += totals.measure(Measure::Elapsed);
                times[1] += totals.cpu_ns();
            }
        }
    }
    let least = [Measure::Elapsed, Measure::Cpu].map(|measure| EXAMINED_RATIO * sums.total.measure(measure));
    let is_large = |times: &[f64; 2]| times.iter().zip(least).any(|(time, least)| *time > 0.0 && *time >= least);
    let code = CodeOfLines::new(code.classes());
    let large = methods.into_values().filter(|(times, _)| is_large(times)).flat_map(|(_, frames)| frames);
    let shown = large.filter_map(|(frame, row)| {
        let place = place(stacks, row)?;
        let repeated = code.is_repeated(&place).then_some(Shown::Repeated);
        let shown = repeated.or_else(|| code.log_use(&place).map(Shown::Log));
        let shown = shown.or_else(|| code.waiting_loop(&place).map(Shown::Waiting));
        let for_each = || code.is_for_each(&place).then_some(Shown::ForEach);
        Some((frame, shown.or_else(for_each)?))
    });
    shown.collect()
}

/// The own frames whose code shows something.
struct OwnFrames<'a> {
    stacks: &'a Stacks<'a>,
    observed: &'a [StackIndex],
    shown: FxHashMap<FrameIndex, Shown>,
}

impl OwnFrames<'_> {
    fn shown(&self, row: StackIndex) -> Option<Shown> {
        self.shown.get(&self.stacks.frame(row)).copied()
    }

    /// The observed stacks with a frame that shows `wanted`: the stack's number, and the frame's row nearest to the leaf.
    fn stacks_with(&self, wanted: impl Fn(Shown) -> bool) -> Vec<(usize, StackIndex)> {
        let has = |row: &StackIndex| self.shown(*row).is_some_and(&wanted);
        let with = |(number, stack): (usize, &StackIndex)| Some((number, self.stacks.upwards(*stack).find(has)?));
        self.observed.iter().enumerate().filter_map(with).collect()
    }

    /// Whether one of the named functions is below a row of an observed stack, towards the leaf.
    fn calls_any(&self, (number, row): (usize, StackIndex), (matches, ids): (&Matches, &[PatternId])) -> bool {
        let called = self.stacks.called(row, self.observed[number]);
        called.iter().any(|row| matches.names.is_any(self.stacks.function(*row).row(), ids))
    }

    fn add(&self, added: &mut Added, detector: usize, (number, calling): (usize, StackIndex)) {
        let anchor = self.stacks.called_row(calling, self.observed[number]);
        added.add(self.stacks, AnchorPlace { detector, anchor, calling }, number);
    }

    /// Repeated calls that fail: enough of their CPU time is on stacks with exceptions, as the detector's condition says.
    fn add_repeated(&self, sums: &Sums, matches: &Matches, added: &mut Added) {
        let Some((detector, rule)) = with_rule("repeated-call") else { return };
        let Some(failing) = rule.conditions.iter().find(|it| it.figure == Figure::FramesRatio) else { return };
        let ids = matches.names.ids(&failing.frames);
        let found = self.stacks_with(|shown| shown == Shown::Repeated);
        let fails = |number: usize, row: StackIndex| self.calls_any((number, row), (matches, &ids));
        let failing_stacks: FxHashSet<usize> =
            found.iter().filter(|(number, row)| fails(*number, *row)).map(|(number, _)| *number).collect();
        // CPU time of all stacks, and of those with exceptions.
        let mut by_line: FxHashMap<OwnLine, [f64; 2]> = FxHashMap::default();
        for (number, row) in &found {
            let cpu = sums.cpu_by_stack[*number];
            let [all, failed] = by_line.entry(self.stacks.own_line(*row)).or_default();
            *all += cpu;
            *failed += if failing_stacks.contains(number) { cpu } else { 0.0 };
        }
        let is_failing = |row: StackIndex| {
            let [all, failed] = by_line[&self.stacks.own_line(row)];
            failed > 0.0 && failing.is_met_by(failed / all)
        };
        found.iter().filter(|(_, row)| is_failing(*row)).for_each(|found| self.add(added, detector, *found));
        // Patterns of exceptions explain only a part of the repeated call.
        added.claimed.extend(failing_stacks);
    }

    /// Calls of a client library that a loop makes one after the other.
    fn add_serial(&self, matches: &Matches, added: &mut Added) {
        let Some((detector, rule)) = with_rule("serial-remote-calls") else { return };
        let ids = matches.names.ids(&rule.called);
        let calls_client = |number: usize, row: StackIndex| self.calls_any((number, row), (matches, &ids));
        let found = self.stacks_with(|shown| shown == Shown::ForEach);
        found
            .iter()
            .filter(|(number, row)| calls_client(*number, *row))
            .for_each(|found| self.add(added, detector, *found));
    }

    /// Loops that only wait. The samples are in the method itself, or in the tests that it calls. Stacks of other patterns stay
    /// with them.
    fn add_waiting(&self, matches: &Matches, added: &mut Added) {
        let Some((detector, _)) = with_rule("waiting-loop") else { return };
        let owners = matches.owners(Family::Time);
        for (number, row) in self.stacks_with(|shown| matches!(shown, Shown::Waiting(_))) {
            let Some(Shown::Waiting(found)) = self.shown(row) else { continue };
            let owner = (owners[number] != NONE).then(|| matches.places[owners[number] as usize].detector);
            match owner {
                // Calls in the loop that the detector knows by their frames belong to the same loop.
                Some(owner) if owner == detector => _ = added.claimed.insert(number),
                Some(owner) if !Detector::all()[owner].takes_all() => continue,
                _ => {}
            }
            let place =
                AnchorPlace { detector, anchor: self.stacks.called_row(row, self.observed[number]), calling: row };
            added.add_at((self.stacks.function(row), found.line), place, number);
        }
    }

    /// Texts for a logger that hardly takes time itself, because the level is off.
    fn add_log_texts(&self, sums: &Sums, added: &mut Added) {
        let Some((detector, _)) = with_rule("unused-log-text") else { return };
        let found = self.stacks_with(|shown| matches!(shown, Shown::Log(_)));
        // Elapsed time of the text and of the logger, by method and call of the logger.
        let mut by_call: FxHashMap<(FunctionIndex, u32), [f64; 2]> = FxHashMap::default();
        for (number, row) in &found {
            let (part, call) = match self.shown(*row) {
                Some(Shown::Log(LogUse::Text { call })) => (0, call),
                Some(Shown::Log(LogUse::Call { call })) => (1, call),
                Some(Shown::Repeated | Shown::ForEach | Shown::Waiting(_)) | None => continue,
            };
            let times = by_call.entry((self.stacks.function(*row), call)).or_default();
            times[part] += sums.of_stack(*number).measure(Measure::Elapsed);
        }
        let is_unused = |row: StackIndex| match self.shown(row) {
            Some(Shown::Log(LogUse::Text { call })) => {
                let [text, logger] = by_call[&(self.stacks.function(row), call)];
                logger < LEVEL_IS_ON * text
            }
            _ => false,
        };
        found.iter().filter(|(_, row)| is_unused(*row)).for_each(|found| self.add(added, detector, *found));
    }
}

fn with_rule(rule: &str) -> Option<(usize, &'static Detector)> {
    Detector::all().iter().enumerate().find(|(_, detector)| detector.rule.as_deref() == Some(rule))
}
