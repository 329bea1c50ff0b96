//! Loops that only wait for another thread: they test what other threads change, and do nothing else.
//!
//! ```java
//! while (!answer.isDone()) Thread.onSpinWait();
//! while (!ready) {}                                        // ready is volatile
//! while ((job = queue.poll()) == null) Thread.yield();     // a job leaves the loop
//! ```
//!
//! The JIT compiler inlines the tests, so the samples of such a loop are often in the method itself. Only the bytecode shows that the
//! method waits. A loop waits if it writes nothing, starts nothing, and computes nothing from one round for the next: then only
//! another thread can end it. Everything that is not known to be a test is work. A loop that counts is work, too, unless it
//! also calls `Thread.onSpinWait` or `Thread.yield`: then it counts its own rounds.

use super::call;
use super::context::{Context, Entered};
use super::known_classes::{KnownClass, KnownClasses, is_jdk_class};
use super::loops::Graph;
use super::search::Search;
use super::site::EditSite;
use super::spot::Spot;
use super::value::Origin;
use super::{CallPlace, instruction, waiting_calls, words};
use crate::class_file::{MemberReference, Operands};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use waiting_calls::{Asked, Taken};

/// Loops with more instructions are not examined: tests are short.
const MOST_INSTRUCTIONS: usize = 120;
/// At most this many methods can be the target of one call.
const MOST_TARGETS: usize = 4;
/// A test can call own methods, which can call own methods.
const MOST_DEPTH: usize = 2;
/// At most this many instructions are between a call and the branch that tests its result.
const MOST_TO_BRANCH: usize = 8;
/// The access flag of volatile fields.
const VOLATILE: u16 = 0x0040;
/// The access flag of methods that lock their object.
const SYNCHRONIZED: u16 = 0x0020;
/// The access flags of methods that no other method overrides: `private`, `static`, `final`.
const FIXED: u16 = 0x0002 | 0x0008 | 0x0010;

const DUP: u8 = 0x59;
const DUP2: u8 = 0x5c;
const IINC: u8 = 0x84;
const GETSTATIC: u8 = 0xb2;
const PUTSTATIC: u8 = 0xb3;
const GETFIELD: u8 = 0xb4;
const PUTFIELD: u8 = 0xb5;
const INVOKEVIRTUAL: u8 = 0xb6;
const INVOKEINTERFACE: u8 = 0xb9;
const IFEQ: u8 = 0x99;
const IFNE: u8 = 0x9a;
const IFNULL: u8 = 0xc6;
const IFNONNULL: u8 = 0xc7;

/// A loop that only waits.
#[derive(Debug)]
pub(super) struct Waiting {
    /// Its instructions.
    body: BTreeSet<u32>,
    /// Its calls of `Thread.onSpinWait` and `Thread.yield`.
    pauses: Vec<u32>,
}

impl Waiting {
    /// The first line of the loop, and an instruction of this line.
    pub(super) fn first_line(&self, context: &Context<'_>) -> (Option<u32>, u32) {
        let lines = self.body.iter().map(|index| (context.line(*index), *index));
        lines.filter(|(line, _)| line.is_some()).min().unwrap_or((None, self.body.first().copied().unwrap_or(0)))
    }

    /// Whether a place is in the loop. If its instruction is unknown, all code of its line must be in the loop.
    fn has(&self, context: &Context<'_>, place: &CallPlace<'_>) -> bool {
        let instructions = &context.flow.instructions;
        if let Some(index) = place.bytecode_index.filter(|index| instructions.contains_key(index)) {
            return self.body.contains(&index);
        }
        let mut of_line =
            instructions.keys().filter(|index| place.line.is_some() && context.line(**index) == place.line).peekable();
        of_line.peek().is_some() && of_line.all(|index| self.body.contains(index))
    }
}

/// The loop of the calling method that only waits: its first line, with the call that lets the processor rest. If the calling
/// method does not wait in a loop, the calling line.
///
/// # Errors
/// The stack has no calling method.
pub(super) fn site(search: &Search<'_, '_>) -> Result<EditSite, String> {
    let place = search.question.callers.first().ok_or("the stack has no calling function")?;
    let Some(context) = search.context_of_frame(0) else { return call::calling_line(search) };
    let waiting = loops(&context, &search.classes);
    let Some(waiting) = around(&waiting, &context, place) else { return call::calling_line(search) };
    let pauses = || waiting.pauses.iter();
    let what = match pauses().next() {
        Some(pause) => format!("the loop that only waits, with {}", words::instruction(&context, *pause)),
        None => "the loop that only waits".to_owned(),
    };
    let spot = Spot { what, ..Spot::new(&context, waiting.first_line(&context).1) };
    let mut site = spot.site(Vec::new());
    site.instruction = pauses().next().and_then(|pause| instruction::of(&context, *pause));
    site.others = pauses().skip(1).map(|pause| Spot::new(&context, *pause).other()).collect();
    Ok(site)
}

/// The smallest of a method's waiting loops that contains a place.
pub(super) fn around<'w>(loops: &'w [Waiting], context: &Context<'_>, place: &CallPlace<'_>) -> Option<&'w Waiting> {
    loops.iter().find(|waiting| waiting.has(context, place))
}

/// The loops of a method that only wait, the smallest first.
pub(super) fn loops<'c>(context: &Context<'c>, classes: &KnownClasses<'c>) -> Vec<Waiting> {
    let graph = context.class.code(context.method).and_then(|code| Graph::new(context, code));
    let Some(graph) = graph else { return Vec::new() };
    let (mut found, mut working_heads) = (Vec::new(), BTreeSet::new());
    for (head, body) in &graph.rounds {
        let round = Round { context, classes, graph: &graph, head: *head, body };
        match round.waiting() {
            Some(waiting) => found.push((*head, waiting)),
            None => _ = working_heads.insert(*head),
        }
    }
    // Without a pause, a way back to a loop that works can be an attempt that another thread has disturbed.
    found.retain(|(head, waiting)| !waiting.pauses.is_empty() || !working_heads.contains(head));
    let mut found: Vec<Waiting> = found.into_iter().map(|(_, waiting)| waiting).collect();
    found.sort_by_key(|waiting| waiting.body.len());
    found
}

/// What an instruction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// It moves, compares or computes values.
    Neutral,
    /// It reads a variable that is not volatile.
    Reads,
    /// It reads what other threads change: a volatile variable, or the state of an object for several threads.
    Looks,
    /// It tries to take something. The loop must end if this succeeds.
    Takes(Taken),
    /// It calls `Thread.onSpinWait` or `Thread.yield`.
    Pauses,
    /// It adds one to a variable.
    Counts,
    /// It calls a method outside the JDK.
    Calls,
    /// It does anything else.
    Works,
}

/// A way through a loop, from its head back to its head.
struct Round<'a, 'c> {
    context: &'a Context<'c>,
    classes: &'a KnownClasses<'c>,
    graph: &'a Graph,
    head: u32,
    body: &'a BTreeSet<u32>,
}

impl Round<'_, '_> {
    /// The loop, if it only waits.
    fn waiting(&self) -> Option<Waiting> {
        if self.body.len() > MOST_INSTRUCTIONS {
            return None;
        }
        let parts: Vec<(u32, Part)> =
            self.body.iter().map(|index| (*index, part(self.context, self.classes, *index))).collect();
        if parts.iter().any(|(_, part)| *part == Part::Works) {
            return None;
        }
        let ends_if_taken =
            |(index, part): &(u32, Part)| !matches!(part, Part::Takes(taken) if !self.ends_with(*index, *taken));
        let counts: Vec<u32> =
            parts.iter().filter(|(_, part)| *part == Part::Counts).map(|(index, _)| *index).collect();
        let pauses: Vec<u32> =
            parts.iter().filter(|(_, part)| *part == Part::Pauses).map(|(index, _)| *index).collect();
        let is_quiet = (counts.is_empty() || !pauses.is_empty() && self.only_counts(&counts))
            && parts.iter().all(ends_if_taken)
            && (!pauses.is_empty() || self.reads_once(&parts))
            && self.tests_what_it_writes(&counts)
            && self.keeps_nothing(&counts);
        if !is_quiet {
            return None;
        }
        // Other methods are read last, because they can be in many classes.
        let calls = parts.iter().filter(|(_, part)| *part == Part::Calls);
        let called =
            calls.map(|(index, _)| asked(self.context, self.classes, *index, 0)).collect::<Option<Vec<Asked>>>()?;
        let has = |wanted: Part| parts.iter().any(|(_, part)| *part == wanted);
        let takes = parts.iter().any(|(_, part)| matches!(part, Part::Takes(_)));
        let looks = takes || has(Part::Looks) || called.contains(&Asked::Shared);
        let reads = has(Part::Reads) || called.contains(&Asked::Plain);
        (looks || reads && !pauses.is_empty()).then(|| Waiting { body: self.body.clone(), pauses })
    }

    /// Whether the loop ends if the call at `index` takes something.
    fn ends_with(&self, index: u32, taken: Taken) -> bool {
        let next = |index: u32| self.graph.next.get(&index).map_or(&[][..], Vec::as_slice);
        let mut at = index;
        for _ in 0..MOST_TO_BRANCH {
            match next(at) {
                [only] => at = *only,
                [target, following] => {
                    let success = match (taken, self.context.opcode(at)) {
                        (Taken::NotNull, Some(IFNULL)) | (Taken::True, Some(IFEQ)) | (Taken::False, Some(IFNE)) => {
                            following
                        }
                        (Taken::NotNull, Some(IFNONNULL)) | (Taken::True, Some(IFNE)) | (Taken::False, Some(IFEQ)) => {
                            target
                        }
                        _ => return false,
                    };
                    return !self.body.contains(success);
                }
                _ => return false,
            }
        }
        false
    }

    /// Whether no call and no array gets a number that the loop counts.
    fn only_counts(&self, counts: &[u32]) -> bool {
        let is_load = |index: &u32| self.context.opcode(*index).is_some_and(|opcode| (0x2e..=0x35).contains(&opcode));
        let instructions = &self.context.flow.instructions;
        // The value of a counter comes from `iinc`, or from the addition before the store.
        let origin = |index: &u32| match self.context.opcode(*index) {
            Some(IINC) => Some(*index),
            _ => instructions.range(..index).next_back().map(|(before, _)| *before),
        };
        let origins: BTreeSet<u32> = counts.iter().filter_map(origin).collect();
        let gets = |index: &u32| {
            let is_call =
                self.context.opcode(*index).is_some_and(|opcode| (INVOKEVIRTUAL..=INVOKEINTERFACE).contains(&opcode));
            let values = self.context.flow.operands_at(*index).iter().flat_map(|value| value.origins());
            is_call && values.into_iter().any(|origin| matches!(origin, Origin::At(at) if origins.contains(at)))
        };
        !self.body.iter().any(|index| is_load(index) || gets(index))
    }

    /// Whether a round looks at each variable only once. A round that compares two values of the same variable repeats an
    /// attempt that another thread has disturbed.
    fn reads_once(&self, parts: &[(u32, Part)]) -> bool {
        let mut seen = BTreeSet::new();
        let mut looks = parts.iter().filter(|(_, part)| matches!(part, Part::Looks | Part::Takes(_)));
        looks.all(|(index, _)| seen.insert(variable(self.context, *index, MOST_DEPTH)))
    }

    /// Whether the loop tests each local variable that it writes, other than counters. A loop that copies variables
    /// until the copies fit together is no wait.
    fn tests_what_it_writes(&self, counts: &[u32]) -> bool {
        let loads: BTreeSet<u16> = self.body.iter().filter_map(|index| loaded(self.context, *index)).collect();
        let before = |index: &u32| self.context.flow.instructions.range(..index).next_back();
        let is_copied = |index: &u32| before(index).is_some_and(|(_, it)| matches!(it.opcode, DUP | DUP2));
        let mut stores = self.body.iter().filter(|index| !counts.contains(index));
        stores.all(|index| stored(self.context, *index).is_none_or(|local| loads.contains(&local) || is_copied(index)))
    }

    /// Whether no round uses a variable that an earlier round has written, other than to test it. Counters are left out.
    fn keeps_nothing(&self, counts: &[u32]) -> bool {
        let written: BTreeSet<u16> = self
            .body
            .iter()
            .filter(|index| !counts.contains(index))
            .filter_map(|index| stored(self.context, *index))
            .collect();
        let is_kept = |(index, before): (&u32, &BTreeSet<u16>)| {
            let local = loaded(self.context, *index);
            local.is_some_and(|local| written.contains(&local) && !before.contains(&local))
                && !self.is_only_tested(*index)
        };
        !self.written_before().iter().any(is_kept)
    }

    /// For each instruction, the local variables that each way from the head has written before.
    fn written_before(&self) -> BTreeMap<u32, BTreeSet<u16>> {
        let mut before = BTreeMap::from([(self.head, BTreeSet::new())]);
        let mut open = vec![self.head];
        while let Some(index) = open.pop() {
            let mut after: BTreeSet<u16> = before[&index].clone();
            after.extend(stored(self.context, index));
            for next in self.graph.next.get(&index).into_iter().flatten() {
                if *next == self.head || !self.body.contains(next) {
                    continue;
                }
                let known = before.get(next);
                let both = known.map_or_else(|| after.clone(), |known| known & &after);
                if known != Some(&both) {
                    before.insert(*next, both);
                    open.push(*next);
                }
            }
        }
        before
    }

    /// Whether a branch tests the loaded value at once, alone or with a constant.
    fn is_only_tested(&self, index: u32) -> bool {
        let opcodes: Vec<u8> = self
            .context
            .flow
            .instructions
            .range(index + 1..)
            .map(|(_, instruction)| instruction.opcode)
            .take(2)
            .collect();
        let is_branch = |opcode: &u8| matches!(*opcode, 0x99..=0xa6 | IFNULL | IFNONNULL);
        match opcodes.as_slice() {
            [first, ..] if is_branch(first) => true,
            [0x01..=0x11, second] => is_branch(second),
            _ => false,
        }
    }
}

/// The variable that an instruction reads, in words: `a/Waits.turn` of `this`. Two instructions with equal words probably read the
/// same variable.
fn variable(context: &Context<'_>, index: u32, depth: usize) -> String {
    let member = context.member_at(index).map(|member| format!("{}.{}", member.class, member.name));
    let operands = context.flow.operands_at(index).iter().flat_map(|value| value.origins());
    let operands: Vec<String> = operands
        .map(|origin| match origin {
            Origin::At(at) if depth > 0 => variable(context, *at, depth - 1),
            other => format!("{other:?}"),
        })
        .collect();
    format!("{}({})", member.unwrap_or_else(|| index.to_string()), operands.join(", "))
}

/// What the instruction does.
fn part(context: &Context<'_>, classes: &KnownClasses<'_>, index: u32) -> Part {
    let Some(opcode) = context.opcode(index) else { return Part::Works };
    match opcode {
        GETSTATIC | GETFIELD => match context.member_at(index) {
            Some(field) if is_volatile(&field, classes) => Part::Looks,
            _ => Part::Reads,
        },
        0x2e..=0x35 => Part::Reads,
        IINC => Part::Counts,
        PUTSTATIC | PUTFIELD if is_counting(context, index) => Part::Counts,
        0x36 | 0x37 | 0x3b..=0x42 if is_counting(context, index) => Part::Counts,
        INVOKEVIRTUAL..=INVOKEINTERFACE => match context.member_at(index) {
            Some(member) if is_jdk_class(&member.class) => of_jdk(context, index, &member),
            Some(_) => Part::Calls,
            None => Part::Works,
        },
        // Constants, local variables, the stack, arithmetic, comparisons and branches.
        0x00..=0x2d | 0x36..=0x4e | 0x57..=0x83 | 0x85..=0xa7 | 0xaa | 0xab | IFNULL | IFNONNULL | 0xc8 => {
            Part::Neutral
        }
        // `arraylength`, casts.
        0xbe | 0xc0 | 0xc1 => Part::Neutral,
        _ => Part::Works,
    }
}

/// What a call of a method of the JDK does.
fn of_jdk(context: &Context<'_>, index: u32, member: &MemberReference<'_>) -> Part {
    if waiting_calls::pauses(member) {
        return Part::Pauses;
    }
    if waiting_calls::looks(member) {
        return Part::Looks;
    }
    if waiting_calls::is_neutral(member) {
        return Part::Neutral;
    }
    match waiting_calls::takes(member) {
        Some(taken) if gets_only_constants(context, index, member) => Part::Takes(taken),
        _ => Part::Works,
    }
}

/// Whether all arguments of a call are constants, `this` or parameters. A loop that passes what it has read before repeats a change
/// that another thread disturbed, which is no wait.
fn gets_only_constants(context: &Context<'_>, index: u32, member: &MemberReference<'_>) -> bool {
    let arguments = context.flow.operands_at(index).iter().skip(usize::from(context.opcode(index) != Some(0xb8)));
    let is_constant = |origin: &Origin| match origin {
        Origin::This | Origin::Parameter(_) => true,
        Origin::At(at) => context.opcode(*at).is_some_and(|opcode| (0x01..=0x14).contains(&opcode)),
        Origin::Unknown => false,
    };
    member.descriptor.starts_with("()") || arguments.flat_map(|value| value.origins()).all(is_constant)
}

/// Whether the methods that a call outside the JDK can run only look. `None`: they do more, or are unknown.
fn asked<'c>(context: &Context<'c>, classes: &KnownClasses<'c>, index: u32, depth: usize) -> Option<Asked> {
    let member = context.member_at(index)?;
    if classes.get(&member.class).is_none() {
        return waiting_calls::is_look_by_name(&member).then_some(Asked::Shared);
    }
    if depth >= MOST_DEPTH {
        return None;
    }
    let found = classes.resolve_method(&member.class, &member.name, &member.descriptor);
    let is_fixed =
        found.as_ref().and_then(|(class, number)| class.method(*number)).is_some_and(|it| it.access_flags & FIXED != 0);
    let is_virtual = matches!(context.opcode(index), Some(INVOKEVIRTUAL | INVOKEINTERFACE)) && !is_fixed;
    let mut targets: Vec<(Rc<KnownClass<'c>>, usize)> =
        found.into_iter().filter(|(class, number)| class.code(*number).is_some()).collect();
    let subtypes = if is_virtual { classes.subtypes(&member.class) } else { Vec::new() };
    targets.extend(subtypes.into_iter().filter_map(|class| {
        let number = class.method_number(&member.name, &member.descriptor)?;
        class.code(number).is_some().then_some((class, number))
    }));
    if targets.is_empty() || targets.len() > MOST_TARGETS {
        return None;
    }
    let all = targets
        .into_iter()
        .map(|(class, number)| method_asks(class, number, classes, depth))
        .collect::<Option<Vec<Asked>>>()?;
    all.into_iter().max()
}

/// Whether a method only looks: it has no loop, and writes nothing.
fn method_asks<'c>(
    class: Rc<KnownClass<'c>>,
    number: usize,
    classes: &KnownClasses<'c>,
    depth: usize,
) -> Option<Asked> {
    let is_synchronized = class.method(number)?.access_flags & SYNCHRONIZED != 0;
    let context = Context::new(class, number, Entered::Unknown)?;
    let mut most = if is_synchronized { Asked::Shared } else { Asked::Nothing };
    for (index, instruction) in &context.flow.instructions {
        let is_return = (0xac..=0xb1).contains(&instruction.opcode);
        let goes_back = super::flow::targets(instruction).iter().any(|target| target <= index);
        let asks = match part(&context, classes, *index) {
            _ if goes_back => return None,
            _ if is_return => Asked::Nothing,
            Part::Neutral => Asked::Nothing,
            Part::Reads => Asked::Plain,
            Part::Looks => Asked::Shared,
            Part::Calls => asked(&context, classes, *index, depth + 1)?,
            Part::Takes(_) | Part::Pauses | Part::Counts | Part::Works => return None,
        };
        most = most.max(asks);
    }
    Some(most)
}

fn is_volatile(field: &MemberReference<'_>, classes: &KnownClasses<'_>) -> bool {
    let class = classes.declaring_class(&field.class, &field.name, &field.descriptor);
    class.is_some_and(|class| {
        let mut fields = class.file.fields.iter();
        fields.any(|it| it.name == field.name && it.descriptor == field.descriptor && it.access_flags & VOLATILE != 0)
    })
}

/// Whether a store adds one to the variable that it writes: `rounds++` for a field or a `long`.
fn is_counting(context: &Context<'_>, index: u32) -> bool {
    let mut before =
        context.flow.instructions.range(..index).rev().map(|(index, instruction)| (*index, instruction.opcode));
    let (add, one, load) = (before.next(), before.next(), before.next());
    let adds_one = matches!((add, one), (Some((_, 0x60)), Some((_, 0x04))) | (Some((_, 0x61)), Some((_, 0x0a))));
    adds_one
        && load.is_some_and(|(load, _)| match stored(context, index) {
            Some(local) => loaded(context, load) == Some(local),
            None => context.member_at(load).is_some_and(|member| {
                context.member_at(index).is_some_and(|it| (it.class, it.name) == (member.class, member.name))
            }),
        })
}

/// The local variable that the instruction loads.
fn loaded(context: &Context<'_>, index: u32) -> Option<u16> {
    local(context, index, (0x15, 0x1a, 0x2d))
}

/// The local variable that the instruction writes. Increments are left out.
fn stored(context: &Context<'_>, index: u32) -> Option<u16> {
    local(context, index, (0x36, 0x3b, 0x4e))
}

/// The local variable of an instruction between `first` and `last`. From `short` on, the opcode contains the variable's number.
fn local(context: &Context<'_>, index: u32, (first, short, last): (u8, u8, u8)) -> Option<u16> {
    let instruction = context.flow.instructions.get(&index)?;
    match instruction.operands {
        Operands::Local(slot) if (first..short).contains(&instruction.opcode) => Some(slot),
        _ if (short..=last).contains(&instruction.opcode) => Some(u16::from((instruction.opcode - short) % 4)),
        _ => None,
    }
}
