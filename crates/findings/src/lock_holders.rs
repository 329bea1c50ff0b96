//! What threads do in a method for whose lock others wait.
//!
//! The JVM does not tell which thread holds a lock. But a thread in the same method that does not wait for the lock is
//! usually the one that has it.

use crate::detector::Figure;
use crate::figures::longest_wait;
use crate::stacks::Stacks;
use crate::sums::Sums;
use crate::view::Evidence;
use crate::words::share;
use rustc_hash::FxHashMap;
use whittle_model::FunctionIndex;
use whittle_profile::Profile;
use whittle_profile::waits::{StackMeaning, WaitMeaning};

/// From this share on, waiting inside the method is worth saying.
const WORTH_SAYING: f64 = 0.3;
/// These waits say nothing about a holder: the waits for locks themselves, waits that release the lock, and idle threads.
const NOT_OF_HOLDERS: [WaitMeaning; 6] = [
    WaitMeaning::Monitor,
    WaitMeaning::Lock,
    WaitMeaning::ObjectWait,
    WaitMeaning::Condition,
    WaitMeaning::Queue,
    WaitMeaning::Idle,
];

/// What threads in `method` mostly wait for, if it is not the lock. `is_wait` tells which observed stacks wait for the lock.
pub(crate) fn held_while_waiting(
    (stacks, profile): (&Stacks<'_>, &Profile),
    sums: &Sums,
    method: FunctionIndex,
    is_wait: impl Fn(usize) -> bool,
) -> Option<Evidence> {
    let frames = &stacks.tables.frames;
    let is_inside = stacks.tables.stacks.has_frame(|frame| frames.function[frame.row()] == method);
    let (mut all, mut by_meaning) = (0.0, FxHashMap::<WaitMeaning, f64>::default());
    let observed = profile.observed_stacks().iter().zip(profile.wait_meanings()).enumerate();
    for (number, (_, meaning)) in observed.filter(|(number, (stack, _))| is_inside[stack.row()] && !is_wait(*number)) {
        let totals = sums.of_stack(number);
        all += totals.cpu_ns() + totals.blocked_ns;
        match meaning {
            StackMeaning::Known(meaning) if NOT_OF_HOLDERS.contains(meaning) => all -= totals.blocked_ns,
            StackMeaning::Known(meaning) => *by_meaning.entry(*meaning).or_default() += totals.blocked_ns,
            StackMeaning::NoRule | StackMeaning::NoStack => {}
        }
    }
    let (meaning, waited) = longest_wait(&by_meaning)?;
    let ratio = waited / all;
    (ratio >= WORTH_SAYING).then(|| Evidence {
        figure: Figure::HeldRatio,
        value: ratio,
        text: format!(
            "other threads are inside the same method and do not wait for the lock: they wait for {} in {} of their time there",
            meaning.words(),
            share(ratio)
        ),
    })
}

/// The words about what to try. If threads wait in the method of the lock, this comes first.
pub(crate) fn what_to_try(fix: &str, evidence: &[Evidence]) -> String {
    match evidence.iter().any(|each| each.figure == Figure::HeldRatio) {
        true => format!(
            "If threads wait while they hold the lock, move this wait out of the lock, and hold the lock only while the shared data is used. {fix}"
        ),
        false => fix.to_owned(),
    }
}
