//! The own function with the most cost.

use whittle_model::Table;
use whittle_profile::Profile;
use whittle_profile::code_owner::CodeOwner;

/// The own function with the largest sum. The deepest own function of a stack gets the stack's cost, so code of others that
/// it calls counts. `by_stack` contains a sum per observed stack. `None`: no stack with own code has a cost.
pub(super) fn hottest(profile: &Profile, by_stack: &[f64]) -> Option<u32> {
    let (tables, owners) = (profile.tables(), &profile.code_owners().of_function);
    let (stacks, frames) = (&tables.stacks, &tables.frames);
    // Row 0 of functions is no code.
    let mut deepest = vec![0_u32; stacks.len()];
    for row in 1..deepest.len() {
        let function = frames.function[stacks.frame[row].row()].row();
        deepest[row] =
            if owners[function] == CodeOwner::Own { function as u32 } else { deepest[stacks.parent[row].row()] };
    }
    let mut sums = vec![0.0; owners.len()];
    for (stack, sum) in profile.observed_stacks().iter().zip(by_stack) {
        sums[deepest[stack.row()] as usize] += sum;
    }
    let (function, sum) = sums.iter().enumerate().skip(1).max_by(|(row, sum), (other_row, other)| {
        sum.total_cmp(other)
            .then_with(|| tables.functions.display_name[*other_row].cmp(&tables.functions.display_name[*row]))
    })?;
    (*sum > 0.0).then_some(function as u32)
}
