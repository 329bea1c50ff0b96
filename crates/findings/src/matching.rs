//! Finds the places where stacks match detectors.
//!
//! ```text
//! Main.run() > Log.flush() > FileOutputStream.write(int) > writeBytes > __write > vfs_write
//!              calling frame  anchor of unbuffered-write                  everything below belongs to the finding
//! ```
//!
//! There is one pass over the prefix tree of stacks. Each row copies the matches of its parent, drops the matches that
//! end at the row, and adds the matches that begin at the row. Rows with the same matches share one state, so most rows
//! need one lookup.

use crate::detector::{Detector, Measure, Pattern};
use crate::stacks::{AnchorPlace, NONE, Stacks};
use crate::wait_patterns::{WaitPatterns, WaitPlace};
use rustc_hash::{FxHashMap, FxHashSet};
use whittle_model::{FrameKind, StackIndex, Table, Tables};
use whittle_profile::name_patterns::{NamePatterns, PatternId};
use whittle_profile::roles::Role;
use whittle_profile::waits::StackMeaning;

/// All names of functions in detectors.
fn names(detectors: &'static [Detector]) -> impl Iterator<Item = &'static str> {
    let of_patterns = detectors.iter().flat_map(|detector| &detector.patterns).flat_map(|pattern| {
        let Pattern { anchors, between, not_between, below, not_below, scope, not_scope, .. } = pattern;
        [anchors, between, not_between, below, not_below, scope, not_scope]
    });
    let conditions = detectors.iter().flat_map(|detector| detector.conditions.iter().chain(&detector.gain.method_if));
    let lists = of_patterns.chain(conditions.flat_map(|condition| [&condition.frames, &condition.unless]));
    let called = detectors.iter().map(|detector| &detector.called);
    lists.chain(called).flatten().map(String::as_str)
}

/// Detectors of the same family compete for samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// Detectors of CPU and elapsed time.
    Time,
    /// Detectors of allocated bytes.
    Alloc,
}

impl Family {
    pub(crate) const ALL: [Self; 2] = [Self::Time, Self::Alloc];

    /// The family of a detector.
    pub(crate) fn of(measure: Measure) -> Self {
        match measure {
            Measure::Cpu | Measure::Elapsed => Self::Time,
            Measure::AllocBytes => Self::Alloc,
        }
    }
}

/// All places, and the owner of each observed stack.
#[derive(Debug)]
pub(crate) struct Matches {
    pub(crate) places: Vec<AnchorPlace>,
    /// The names of detectors, and the functions that match them.
    pub(crate) names: NamePatterns,
    /// One list per family: for each observed stack, the place that owns the stack, or [`NONE`].
    owners: [Vec<u32>; 2],
    states: Vec<State>,
    /// State of each observed stack.
    state_of_observed: Vec<u32>,
    /// Observed stacks that match patterns of waits.
    waits_of_observed: FxHashMap<usize, Waits>,
}

/// An observed stack that matches patterns of waits.
#[derive(Debug)]
struct Waits {
    /// The places of these patterns, the most specific first.
    places: Vec<u32>,
    /// Whether most of the stack's time is blocked.
    is_wait: bool,
}

impl Matches {
    /// Matches all stacks. For each row of stacks, also returns the row of its deepest application frame, or [`NONE`].
    /// `observed` contains the rows to which samples refer.
    pub(crate) fn new(
        tables: &Tables,
        roles: &[Role],
        detectors: &'static [Detector],
        observed: &[StackIndex],
    ) -> (Self, Vec<u32>) {
        let names = NamePatterns::new(names(detectors), &tables.functions);
        let rules = Rules::new(detectors, &names);
        let mut matcher = Matcher {
            tables,
            roles,
            detectors,
            names,
            rules,
            places: Vec::new(),
            states: vec![State::default()],
            after_application: FxHashMap::default(),
            application: Vec::new(),
        };
        let state_of_row = matcher.match_rows();
        let state_of_observed: Vec<u32> = observed.iter().map(|stack| state_of_row[stack.row()]).collect();
        let mut owners = Family::ALL.map(|family| {
            let of_state: Vec<u32> =
                matcher.states.iter().map(|state| owner(&matcher.places, (family, state), |_| true)).collect();
            state_of_observed.iter().map(|state| of_state[*state as usize]).collect::<Vec<u32>>()
        });
        for family in Family::ALL {
            matcher.add_leaves(family, observed, &mut owners[family as usize]);
        }
        let Matcher { places, states, application, names, .. } = matcher;
        let waits_of_observed = FxHashMap::default();
        (Self { places, names, owners, states, state_of_observed, waits_of_observed }, application)
    }

    /// Gives stacks of waits to patterns of waits that are more specific than the present owner. `waits` says what each
    /// observed stack means if it is a wait. `is_wait` tells whether it mostly is one: stacks of calls that do not wait look
    /// the same. Returns the places that only supporting patterns have found.
    pub(crate) fn add_waits(
        &mut self,
        stacks: &Stacks<'_>,
        (observed, waits): (&[StackIndex], &[StackMeaning]),
        is_wait: impl Fn(usize) -> bool,
    ) -> FxHashSet<u32> {
        let detectors = Detector::all();
        let patterns = WaitPatterns::new(detectors, &self.names);
        let (mut supported, mut supporting) = (FxHashSet::default(), FxHashSet::default());
        let mut known: FxHashMap<(usize, StackIndex, StackIndex), u32> = FxHashMap::default();
        for (number, (stack, wait)) in observed.iter().zip(waits).enumerate() {
            let StackMeaning::Known(meaning) = wait else { continue };
            let found =
                patterns.places(stacks, &self.names, (*stack, *meaning)).map(|WaitPlace { place, supports }| {
                    let place = *known.entry((place.detector, place.anchor, place.calling)).or_insert_with(|| {
                        self.places.push(place);
                        self.places.len() as u32 - 1
                    });
                    if supports { &mut supporting } else { &mut supported }.insert(place);
                    place
                });
            let found: Vec<u32> = found.collect();
            if let Some(first) = found.first() {
                let owner = &mut self.owners[Family::Time as usize][number];
                *owner = owner_of_wait(&self.places, detectors, (*owner, *first), is_wait(number));
                self.waits_of_observed.insert(number, Waits { places: found, is_wait: is_wait(number) });
            }
        }
        supporting.retain(|place| !supported.contains(place));
        supporting
    }

    /// Removes the samples of denied places, and gives them to other matching patterns of anchors or waits.
    pub(crate) fn deny(&mut self, is_denied: &[bool]) {
        for family in Family::ALL {
            let (places, states) = (&self.places, &self.states);
            let of_state: Vec<u32> =
                states.iter().map(|state| owner(places, (family, state), |place| !is_denied[place as usize])).collect();
            let owners = self.owners[family as usize].iter_mut().zip(&self.state_of_observed).enumerate();
            for (number, (current, state)) in owners {
                if *current == NONE || !is_denied[*current as usize] {
                    continue;
                }
                let waits = self.waits_of_observed.get(&number).filter(|_| family == Family::Time);
                let wait = waits.and_then(|all| all.places.iter().find(|place| !is_denied[**place as usize]));
                let both = (of_state[*state as usize], wait.copied().unwrap_or(NONE));
                *current = owner_of_wait(places, Detector::all(), both, waits.is_some_and(|waits| waits.is_wait));
            }
        }
    }

    /// Adds places of the family `Time`. `owned` has observed stacks, each with its new owner.
    pub(crate) fn add(&mut self, places: Vec<AnchorPlace>, owned: &[(usize, u32)]) {
        self.places.extend(places);
        for (observed, place) in owned {
            self.owners[Family::Time as usize][*observed] = *place;
        }
    }

    /// For each observed stack, the place that owns the stack, or [`NONE`].
    pub(crate) fn owners(&self, family: Family) -> &[u32] {
        &self.owners[family as usize]
    }
}

/// The owner of a stack on which a thread waits: the place of a pattern of frames, or the place of a pattern of waits. A
/// pattern of waits comes first if it is more specific, or if the other pattern is about CPU time and the stack is mostly a
/// wait. Each place can be [`NONE`].
fn owner_of_wait(places: &[AnchorPlace], detectors: &[Detector], (frames, wait): (u32, u32), is_wait: bool) -> u32 {
    let detector = |place: u32| (place != NONE).then(|| &detectors[places[place as usize].detector]);
    match (detector(frames), detector(wait)) {
        (Some(_), None) => frames,
        (Some(of_frames), Some(of_wait))
            if !(is_wait && of_frames.measure == Measure::Cpu) && of_frames.specificity >= of_wait.specificity =>
        {
            frames
        }
        _ => wait,
    }
}

/// The frames that detectors require on a stack. Names are replaced by their numbers.
struct Rules {
    /// For each name, the detectors and patterns that use the name as an anchor.
    anchors: FxHashMap<PatternId, Vec<(usize, usize)>>,
    /// The rule of each pattern, by detector and pattern.
    patterns: Vec<Vec<PatternRule>>,
}

struct PatternRule {
    between: Vec<PatternId>,
    not_between: Vec<PatternId>,
    most_between: usize,
    below: Vec<PatternId>,
    not_below: Vec<PatternId>,
    not_scope: Vec<PatternId>,
}

impl Rules {
    fn new(detectors: &'static [Detector], names: &NamePatterns) -> Self {
        let rule = |pattern: &Pattern| PatternRule {
            between: names.ids(&pattern.between),
            not_between: names.ids(&pattern.not_between),
            most_between: pattern.most_between.unwrap_or(usize::MAX),
            below: names.ids(&pattern.below),
            not_below: names.ids(&pattern.not_below),
            not_scope: names.ids(&pattern.not_scope),
        };
        let patterns = detectors.iter().map(|detector| detector.patterns.iter().map(rule).collect()).collect();
        let mut anchors: FxHashMap<PatternId, Vec<(usize, usize)>> = FxHashMap::default();
        for (number, detector) in detectors.iter().enumerate() {
            for (position, pattern) in detector.patterns.iter().enumerate() {
                for id in names.ids(&pattern.anchors) {
                    anchors.entry(id).or_default().push((number, position));
                }
            }
        }
        Self { anchors, patterns }
    }
}

/// The matches of a stack from the root down to the current row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct State {
    active: Vec<Active>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Active {
    place: u32,
    pattern: usize,
    /// False until a required frame below the anchor is found.
    is_complete: bool,
}

/// The properties of a frame that the pass over stacks uses.
#[derive(Debug, Clone, Copy)]
struct FrameTraits {
    is_application: bool,
    /// True if a pattern names the frame's function.
    is_named: bool,
    is_truncated: bool,
}

struct Matcher<'a> {
    tables: &'a Tables,
    roles: &'a [Role],
    detectors: &'static [Detector],
    names: NamePatterns,
    rules: Rules,
    places: Vec<AnchorPlace>,
    /// The first state has no matches.
    states: Vec<State>,
    /// For each state, the state below an application frame.
    after_application: FxHashMap<u32, u32>,
    application: Vec<u32>,
}

impl Matcher<'_> {
    /// The state of every row of stacks.
    fn match_rows(&mut self) -> Vec<u32> {
        let (stacks, frames) = (&self.tables.stacks, &self.tables.frames);
        let traits = self.frame_traits();
        let mut state_of_row: Vec<u32> = vec![0; stacks.len()];
        self.application = vec![NONE; stacks.len()];
        for row in 1..stacks.len() {
            let (parent, frame) = (stacks.parent[row].row(), stacks.frame[row].row());
            let FrameTraits { is_application, is_named, is_truncated } = traits[frame];
            let mut state = state_of_row[parent];
            if is_application && state != 0 {
                state = self.behind_application(state);
            }
            if is_named {
                state = self.advance(row, frames.function[frame].row(), state);
            }
            state_of_row[row] = state;
            // Above missing frames, the caller is unknown.
            self.application[row] = match () {
                () if is_truncated => NONE,
                () if is_application => row as u32,
                () => self.application[parent],
            };
        }
        state_of_row
    }

    /// The properties of all frames. They are computed per frame, because there are far fewer frames than rows.
    fn frame_traits(&self) -> Vec<FrameTraits> {
        let frames = &self.tables.frames;
        let traits = |frame: usize| {
            let function = frames.function[frame].row();
            FrameTraits {
                is_application: self.roles[function].is_application(),
                is_named: !self.names.of(function).is_empty(),
                is_truncated: frames.kind[frame] == FrameKind::Truncated,
            }
        };
        (0..frames.len()).map(traits).collect()
    }

    /// The state below an application frame. Only matches of detectors with `callbacks` remain.
    fn behind_application(&mut self, state: u32) -> u32 {
        if let Some(known) = self.after_application.get(&state) {
            return *known;
        }
        let stays = |active: &Active| self.detectors[self.places[active.place as usize].detector].callbacks;
        let active: Vec<Active> = self.states[state as usize].active.iter().copied().filter(stays).collect();
        let next = match active.len() {
            0 => 0,
            left if left == self.states[state as usize].active.len() => state,
            _ => self.add(State { active }),
        };
        self.after_application.insert(state, next);
        next
    }

    /// The state below a function that a pattern names.
    fn advance(&mut self, row: usize, function: usize, state: u32) -> u32 {
        let ids = self.names.of(function);
        let mut active = self.states[state as usize].active.clone();
        active.retain_mut(|active| {
            let rule = &self.rules.patterns[self.places[active.place as usize].detector][active.pattern];
            active.is_complete |= has_any(ids, &rule.below);
            !has_any(ids, &rule.not_below)
        });
        let begins: Vec<(usize, usize)> =
            ids.iter().filter_map(|id| self.rules.anchors.get(id)).flatten().copied().collect();
        for (detector, pattern) in begins {
            // A match that still needs a frame below the anchor does not block the detector's other patterns.
            let is_known = |active: &Active| {
                let is_same = self.places[active.place as usize].detector == detector;
                is_same && (active.is_complete || active.pattern == pattern)
            };
            if active.iter().any(is_known) {
                continue;
            }
            if let Some(calling) = self.calling_row(row, (detector, pattern)) {
                let place = AnchorPlace { detector, anchor: StackIndex::from_row(row), calling };
                let is_complete = self.rules.patterns[detector][pattern].below.is_empty();
                active.push(Active { place: self.places.len() as u32, pattern, is_complete });
                self.places.push(place);
            }
        }
        if active == self.states[state as usize].active { state } else { self.add(State { active }) }
    }

    fn add(&mut self, state: State) -> u32 {
        if state.active.is_empty() {
            return 0;
        }
        self.states.push(state);
        self.states.len() as u32 - 1
    }

    /// The calling row, if the frames between this row and the anchor meet the pattern.
    fn calling_row(&self, anchor: usize, (detector, pattern): (usize, usize)) -> Option<StackIndex> {
        let rule = &self.rules.patterns[detector][pattern];
        let (stacks, frames) = (&self.tables.stacks, &self.tables.frames);
        let mut row = stacks.parent[anchor].row();
        let calling = self.calling_application(row, self.detectors[detector].patterns[pattern].through_constructors)?;
        let (mut has_wanted, mut between_count) = (rule.between.is_empty(), 0);
        while row != calling.row() {
            let ids = self.names.of(frames.function[stacks.frame[row].row()].row());
            if has_any(ids, &rule.not_between) {
                return None;
            }
            has_wanted |= has_any(ids, &rule.between);
            between_count += 1;
            row = stacks.parent[row].row();
        }
        if !has_wanted || between_count > rule.most_between {
            return None;
        }
        let is_excluded =
            |row: usize| self.names.is_any(frames.function[stacks.frame[row].row()].row(), &rule.not_scope);
        let above = std::iter::successors(Some(calling.row()), |row| Some(stacks.parent[*row].row()));
        let is_inside = !rule.not_scope.is_empty() && above.take_while(|row| *row != 0).any(is_excluded);
        (!is_inside).then_some(calling)
    }

    /// The nearest application row. Constructors are skipped if they are part of the pattern.
    fn calling_application(&self, row: usize, through_constructors: bool) -> Option<StackIndex> {
        let (stacks, frames) = (&self.tables.stacks, &self.tables.frames);
        let mut calling = self.application[row];
        let is_constructor = |row: u32| {
            let function = frames.function[stacks.frame[row as usize].row()].row();
            self.tables.functions.internal_name[function].contains(".<init>(")
        };
        while through_constructors && calling != NONE && is_constructor(calling) {
            calling = self.application[stacks.parent[calling as usize].row()];
        }
        (calling != NONE).then_some(StackIndex(calling))
    }

    /// Gives stacks without an owner to the pattern without anchors, if the family has such a pattern.
    fn add_leaves(&mut self, family: Family, observed: &[StackIndex], owners: &mut [u32]) {
        let detectors = Detector::all();
        let of_family = |detector: &Detector| Family::of(detector.measure) == family && detector.takes_all();
        let Some(detector) = detectors.iter().position(of_family) else { return };
        for (stack, owner) in observed.iter().zip(owners).filter(|(_, owner)| **owner == NONE) {
            let calling = self.application[stack.row()];
            if calling != NONE {
                *owner = self.places.len() as u32;
                self.places.push(AnchorPlace { detector, anchor: *stack, calling: StackIndex(calling) });
            }
        }
    }
}

/// The place that owns a state's samples. This is the most specific place. If several places are equally specific, the
/// place nearest to the root is the owner.
fn owner(places: &[AnchorPlace], (family, state): (Family, &State), is_wanted: impl Fn(u32) -> bool) -> u32 {
    let detectors = Detector::all();
    let of_family = |active: &&Active| {
        let detector = &detectors[places[active.place as usize].detector];
        active.is_complete && Family::of(detector.measure) == family && is_wanted(active.place)
    };
    let best = state.active.iter().filter(of_family).min_by_key(|active| {
        let place = &places[active.place as usize];
        let specificity = detectors[place.detector].specificity;
        std::cmp::Reverse(specificity)
    });
    best.map_or(NONE, |active| active.place)
}

fn has_any(ids: &[PatternId], wanted: &[PatternId]) -> bool {
    ids.iter().any(|id| wanted.contains(id))
}
