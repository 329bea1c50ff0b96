//! Patterns of waits: what a thread waits for, and in which scope of a server or a library.
//!
//! ```text
//! DispatcherServlet.doDispatch > … > Shop.order() > … > Transfer.book() > RestClient.get > … > read   a socket
//! request                            own            scope: transaction     own
//! ```

use crate::detector::{Calling, Detector};
use crate::stacks::{AnchorPlace, Stacks};
use whittle_model::StackIndex;
use whittle_profile::name_patterns::{NamePatterns, PatternId};
use whittle_profile::roles::Role;
use whittle_profile::waits::WaitMeaning;

/// The patterns of waits of all detectors.
pub(crate) struct WaitPatterns {
    patterns: Vec<WaitPattern>,
}

struct WaitPattern {
    detector: usize,
    meanings: &'static [WaitMeaning],
    scope: Vec<PatternId>,
    not_scope: Vec<PatternId>,
    between: Vec<PatternId>,
    not_between: Vec<PatternId>,
    calling: Calling,
    supports: bool,
}

/// Where a wait matches a pattern.
pub(crate) struct WaitPlace {
    pub(crate) place: AnchorPlace,
    /// The pattern finds nothing alone, see [`Pattern::supports`](crate::detector::Pattern::supports).
    pub(crate) supports: bool,
}

impl WaitPatterns {
    pub(crate) fn new(detectors: &'static [Detector], names: &NamePatterns) -> Self {
        let of_detector = |(number, detector): (usize, &'static Detector)| {
            let with_waits = detector.patterns.iter().filter(|pattern| !pattern.waits.is_empty());
            with_waits.map(move |pattern| WaitPattern {
                detector: number,
                meanings: &pattern.waits,
                scope: names.ids(&pattern.scope),
                not_scope: names.ids(&pattern.not_scope),
                between: names.ids(&pattern.between),
                not_between: names.ids(&pattern.not_between),
                calling: pattern.calling,
                supports: pattern.supports,
            })
        };
        let mut patterns: Vec<WaitPattern> = detectors.iter().enumerate().flat_map(of_detector).collect();
        patterns.sort_by_key(|pattern| std::cmp::Reverse(detectors[pattern.detector].specificity));
        Self { patterns }
    }

    /// The places of the patterns that a wait matches, the most specific first.
    pub(crate) fn places(
        &self,
        stacks: &Stacks<'_>,
        names: &NamePatterns,
        (stack, meaning): (StackIndex, WaitMeaning),
    ) -> impl Iterator<Item = WaitPlace> {
        let of_meaning = move |pattern: &&WaitPattern| pattern.meanings.contains(&meaning);
        self.patterns.iter().filter(of_meaning).filter_map(move |pattern| {
            Some(WaitPlace { place: pattern.place(stacks, names, stack)?, supports: pattern.supports })
        })
    }
}

impl WaitPattern {
    fn place(&self, stacks: &Stacks<'_>, names: &NamePatterns, stack: StackIndex) -> Option<AnchorPlace> {
        let has = |row: StackIndex, wanted: &[PatternId]| names.is_any(stacks.function(row).row(), wanted);
        let calling = self.calling(stacks, stack, |row| has(row, &self.scope))?;
        if !self.not_scope.is_empty() && stacks.upwards(calling).any(|row| has(row, &self.not_scope)) {
            return None;
        }
        let called = stacks.called(calling, stack);
        let is_between = self.between.is_empty() || called.iter().any(|row| has(*row, &self.between));
        if !is_between || called.iter().any(|row| has(*row, &self.not_between)) {
            return None;
        }
        Some(AnchorPlace { detector: self.detector, anchor: stacks.called_row(calling, stack), calling })
    }

    /// The calling frame, of the program's own code.
    fn calling(
        &self,
        stacks: &Stacks<'_>,
        stack: StackIndex,
        is_scope: impl Fn(StackIndex) -> bool,
    ) -> Option<StackIndex> {
        let is_calling = |row: StackIndex| stacks.role(row) == Role::Own;
        let (mut nearest, mut farthest) = (None, None);
        let mut rows = stacks.upwards(stack);
        while let Some(row) = rows.next() {
            let may_be_scope = nearest.is_some() || self.calling == Calling::AboveScope;
            if may_be_scope && is_scope(row) {
                return match self.calling {
                    Calling::NearestToWait => nearest,
                    Calling::BelowScope => farthest,
                    Calling::AboveScope => rows.find(|row| is_calling(*row)),
                };
            }
            if is_calling(row) {
                nearest = nearest.or(Some(row));
                farthest = Some(row);
            }
        }
        nearest.filter(|_| self.scope.is_empty())
    }
}
