//! Who held the locks for which the slowest requests waited.

use crate::locks::{MainHolder, Meanwhile, main_holder};
use crate::requests::slowest::Split;
use whittle_model::{FrameIndex, FunctionIndex, StackIndex, Table};
use whittle_profile::Profile;
use whittle_profile::filter::Predicate;
use whittle_profile::waits::WaitMeaning;

/// A thread that held the lock for a smaller part of the waiting time is not named.
const WORTH_SAYING: f64 = 0.25;

/// `held by b in app.Cache.load(), while waiting for data from a socket, according to 3 samples`. Missing: the place does not wait
/// for a lock, or the wakes of its waits do not tell who held it.
pub(super) fn holder(
    profile: &Profile,
    (wait, line): (Option<WaitMeaning>, Option<(FunctionIndex, Option<u32>)>),
    split: &Split,
    calling_frames: &[Option<FrameIndex>],
) -> Option<String> {
    if !matches!(wait, Some(WaitMeaning::Monitor | WaitMeaning::Lock)) {
        return None;
    }
    let tables = profile.tables();
    let mut is_slow = vec![false; tables.requests.len()];
    split.slowest.iter().for_each(|row| is_slow[*row] = true);
    let of_slowest = Predicate::Requests(is_slow, profile.request_index().clone());
    let is_here = |stack: StackIndex| {
        let frame = calling_frames[stack.row()].map(FrameIndex::row);
        frame.map(|frame| (tables.frames.function[frame], tables.frames.line[frame])) == line
    };
    let main = main_holder(profile, Some(&of_slowest), is_here).filter(|main| main.ratio >= WORTH_SAYING)?;
    Some(in_words(main))
}

fn in_words(main: MainHolder) -> String {
    let MainHolder { holder, function, ratio, meanwhile, .. } = main;
    let function = function.map_or_else(String::new, |function| format!(" in {function}"));
    let meanwhile =
        meanwhile.filter(|meanwhile| meanwhile.ratio >= WORTH_SAYING).map_or_else(String::new, |meanwhile| {
            let Meanwhile { words, samples_count, .. } = meanwhile;
            let samples = if samples_count == 1 { "sample" } else { "samples" };
            format!(", while {words}, according to {samples_count} {samples}")
        });
    format!("held by {holder}{function} in {:.0} % of this time{meanwhile}", ratio * 100.0)
}
