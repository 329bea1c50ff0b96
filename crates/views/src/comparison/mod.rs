//! Two versions of a program side by side: a baseline and a candidate, with one or several runs each.
//!
//! A comparison is a [`Profile`](whittle_profile::Profile) of the [merged runs](whittle_profile::compare). Therefore,
//! every view, filter and transform can be used. Each sample is from one side, and sums are computed per side.

mod moved;
mod overview;
mod syscalls;
pub(crate) mod text;

pub use moved::MovedCost;
pub use overview::{ComparisonView, comparison_overview};
pub use syscalls::{BothSides, ComparedSyscallRow, ComparedSyscallsView, compared_syscalls};

use crate::definition::{Answered, Answerer, keys};

/// Answers requests for system calls of a comparison. The overview is answered together with findings.
pub const SYSCALLS: Answerer = Answerer {
    name: "syscalls",
    answer: |on, asked| {
        let by = keys::<crate::syscalls::Keys>(asked)?.by()?;
        Ok(Answered::view(compared_syscalls(on.profile, on.query, &by)?))
    },
};

/// Visits the types of answers that only comparisons have.
#[cfg(feature = "typescript")]
pub fn visit_answers(visitor: &mut impl crate::AnswerVisitor) {
    visitor.visit::<ComparisonView>("overview");
    visitor.visit::<ComparedSyscallsView>("syscalls");
}
