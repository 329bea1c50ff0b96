//! What the holder of a lock does while others wait for it.
//!
//! The JVM does not tell which thread holds a lock. With the engine `kernel`, the thread that gave the lock back and so woke the
//! waiter is known. Otherwise, a thread in the same method that does not wait for the lock is
//! usually the one that has it. The same is true of the other synchronized methods of a class, if they have the same object.

use crate::detector::Figure;
use crate::figures::longest_wait;
use crate::site::java_method;
use crate::stacks::Stacks;
use crate::sums::Sums;
use crate::view::Evidence;
use crate::words::share;
use rustc_hash::FxHashMap;
use whittle_bytecode::class_file::{ClassFile, Method};
use whittle_bytecode::edit_site::{CallPlace, ClassFiles, locking_line};
use whittle_model::{FunctionIndex, StackIndex, Table};
use whittle_profile::Profile;
use whittle_profile::filter::Predicate;
use whittle_profile::waits::{StackMeaning, WaitMeaning};
#[cfg(not(target_arch = "wasm32"))]
use whittle_views::locks::{MainHolder, Meanwhile, main_holder};

/// From this share on, waiting inside the method is worth saying.
const WORTH_SAYING: f64 = 0.3;
/// From this share on, a method probably holds the lock most of the time.
const MOST: f64 = 0.5;
/// Fewer samples do not show what a holder mostly does.
#[cfg(not(target_arch = "wasm32"))]
const LEAST_SAMPLES: u64 = 3;
/// If the synchronized methods have less time than this share of the waits, they hardly explain the waits. Several threads
/// can wait for one holder.
const OF_WAITS: f64 = 0.01;
/// In these stacks, a thread waits for a lock, or spins for it.
const FOR_LOCKS: [WaitMeaning; 2] = [WaitMeaning::Monitor, WaitMeaning::Lock];
/// These waits say nothing about a holder: waits that release the lock, and idle threads.
const NOT_OF_HOLDERS: [WaitMeaning; 4] =
    [WaitMeaning::ObjectWait, WaitMeaning::Condition, WaitMeaning::Queue, WaitMeaning::Idle];

/// The profile in which holders of a lock are searched.
pub(crate) struct Holders<'a> {
    pub(crate) stacks: &'a Stacks<'a>,
    pub(crate) profile: &'a Profile,
    pub(crate) sums: &'a Sums,
}

/// The time of an observed stack in a method of the lock, without waits for the lock.
struct Inside {
    /// The outermost method of the lock.
    method: FunctionIndex,
    meaning: StackMeaning,
    cpu_ns: f64,
    blocked_ns: f64,
}

impl Holders<'_> {
    /// What threads in `method` mostly wait for, if it is not the lock. `is_wait` tells which observed stacks wait for the
    /// lock.
    pub(crate) fn held_while_waiting(
        &self,
        method: FunctionIndex,
        is_wait: impl Fn(usize) -> bool,
    ) -> Option<Evidence> {
        let (mut all, mut by_meaning) = (0.0, FxHashMap::<WaitMeaning, f64>::default());
        let mut methods = vec![false; self.stacks.tables.functions.len()];
        methods[method.row()] = true;
        for inside in self.inside(&methods, is_wait) {
            all += inside.cpu_ns + inside.blocked_ns;
            if let StackMeaning::Known(meaning) = inside.meaning {
                *by_meaning.entry(meaning).or_default() += inside.blocked_ns;
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

    /// The other synchronized method that probably holds the lock of the synchronized method at `place` most of the time. The
    /// JVM does not tell whether both have the same object. `waited_ns` is the time of the waits for the lock.
    pub(crate) fn mostly_held_in(
        &self,
        (place, row): (&CallPlace<'_>, StackIndex),
        classes: &dyn ClassFiles,
        (is_wait, waited_ns): (impl Fn(usize) -> bool, f64),
    ) -> Option<Evidence> {
        // A block in the method has a lock of its own.
        if locking_line(place, classes).is_some() {
            return None;
        }
        let (methods, is_static) = self.methods_with_the_lock(place, classes)?;
        let mut by_method = FxHashMap::<FunctionIndex, f64>::default();
        for inside in self.inside(&methods, is_wait) {
            *by_method.entry(inside.method).or_default() += inside.cpu_ns + inside.blocked_ns;
        }
        let all: f64 = by_method.values().sum();
        let longest = by_method.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        let (method, ratio) = (longest.0, longest.1 / all);
        let is_told = method != self.stacks.function(row) && ratio >= MOST && all >= OF_WAITS * waited_ns;
        let (class, name) = class_and_method(&self.stacks.tables.functions.display_name[method.row()]);
        let (kind, holds) = match is_static {
            true => ("static synchronized", format!("{name} probably holds the lock of the class most of the time")),
            false => (
                "synchronized",
                format!("if the objects are the same, {name} probably holds the lock most of the time"),
            ),
        };
        is_told.then(|| Evidence {
            figure: Figure::HolderRatio,
            value: ratio,
            text: format!(
                "{} of the time inside the {kind} methods of {class}, without waits for locks, is in {name}: {holds}",
                share(ratio)
            ),
        })
    }

    /// By function, whether it locks the same object as the synchronized method at `place`, if it is one object; and whether
    /// the methods are static. `None`: the method is not synchronized, or its class file is missing.
    fn methods_with_the_lock(&self, place: &CallPlace<'_>, classes: &dyn ClassFiles) -> Option<(Vec<bool>, bool)> {
        let file = ClassFile::parse(classes.class_file(place.class)?).ok()?;
        let is_same = |method: &&Method<'_>, name: &str, descriptor: &str| {
            method.name == name && (descriptor.is_empty() || method.descriptor == descriptor)
        };
        let named = |name: &str, descriptor: &str| file.methods.iter().find(|it| is_same(it, name, descriptor));
        let locked = named(place.method, place.descriptor).filter(|method| method.is_synchronized())?;
        let functions = &self.stacks.tables.functions;
        let has_lock = |function: usize| {
            let written = java_method(functions, FunctionIndex::from_row(function))
                .filter(|written| written.class == place.class);
            let method = written.and_then(|written| named(written.name, written.descriptor));
            method.is_some_and(|method| method.is_synchronized() && method.is_static() == locked.is_static())
        };
        Some(((0..functions.len()).map(has_lock).collect(), locked.is_static()))
    }

    /// The times of the observed stacks with one of these methods, without the stacks that wait for the lock.
    fn inside(&self, methods: &[bool], is_wait: impl Fn(usize) -> bool) -> Vec<Inside> {
        let outermost = self.outermost(methods);
        let observed = self.profile.observed_stacks().iter().zip(self.profile.wait_meanings()).enumerate();
        let inside = observed.filter_map(|(number, (stack, meaning))| {
            let is_one_of =
                |meanings: &[WaitMeaning]| matches!(meaning, StackMeaning::Known(known) if meanings.contains(known));
            let method = outermost[stack.row()].filter(|_| !is_one_of(&FOR_LOCKS) && !is_wait(number))?;
            let totals = self.sums.of_stack(number);
            let blocked_ns = if is_one_of(&NOT_OF_HOLDERS) { 0.0 } else { totals.blocked_ns };
            Some(Inside { method, meaning: *meaning, cpu_ns: totals.cpu_ns(), blocked_ns })
        });
        inside.collect()
    }

    /// For each stack, the method of `methods` that is nearest to its root.
    fn outermost(&self, methods: &[bool]) -> Vec<Option<FunctionIndex>> {
        let (stacks, frames) = (&self.stacks.tables.stacks, &self.stacks.tables.frames);
        let mut outermost = vec![None; stacks.len()];
        for row in 1..outermost.len() {
            let own = Some(frames.function[stacks.frame[row].row()]).filter(|function| methods[function.row()]);
            outermost[row] = outermost[stacks.parent[row].row()].or(own);
        }
        outermost
    }
}

/// The simple name of the class, and the name of the method, in a displayed name such as `a.b.C.m(int)`.
fn class_and_method(shown: &str) -> (&str, &str) {
    let name = shown.split('(').next().unwrap_or(shown);
    let (class, method) = name.rsplit_once('.').unwrap_or(("", name));
    (class.rsplit(['.', '/']).next().unwrap_or(class), method)
}

/// Who held the lock for which these stacks wait, as the kernel's wakes tell. `None`: this is not known, or no holder has a large part.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn known_holder(
    profile: &Profile,
    predicate: Option<&Predicate>,
    is_wait: impl Fn(StackIndex) -> bool,
) -> Option<Evidence> {
    let main = main_holder(profile, predicate, is_wait).filter(|main| main.ratio >= WORTH_SAYING)?;
    let MainHolder { waiter, holder, function, ratio, meanwhile } = main;
    let function = function.map_or_else(String::new, |function| format!(" in {function}"));
    let meanwhile = meanwhile.filter(|told| told.ratio >= WORTH_SAYING && told.samples_count >= LEAST_SAMPLES);
    let meanwhile = meanwhile.map_or_else(String::new, |Meanwhile { words, ratio, samples_count }| {
        format!(", while {words}: {} of this time, according to {samples_count} samples", share(ratio))
    });
    Some(Evidence {
        figure: Figure::KnownHolderRatio,
        value: ratio,
        text: format!(
            "in {} of the waiting time, mostly of {waiter}, the lock is held by {holder}{function}{meanwhile}",
            share(ratio)
        ),
    })
}

/// The words about what to try. What the holder of the lock does comes first.
pub(crate) fn what_to_try(fix: &str, evidence: &[Evidence]) -> String {
    let has = |figure| evidence.iter().any(|each| each.figure == figure);
    if has(Figure::KnownHolderRatio) {
        format!(
            "First shorten what the named holder does with the lock, or do it outside the lock. If the holder waits meanwhile, move this wait out of the lock. {fix}"
        )
    } else if has(Figure::HeldRatio) {
        format!(
            "If threads wait while they hold the lock, move this wait out of the lock, and hold the lock only while the shared data is used. {fix}"
        )
    } else if has(Figure::HolderRatio) {
        format!(
            "If the method that the evidence names holds the lock, first shorten this method, or do its work outside the lock. {fix}"
        )
    } else {
        fix.to_owned()
    }
}

/// Report files contain no wakes.
#[cfg(target_arch = "wasm32")]
pub(crate) fn known_holder(_: &Profile, _: Option<&Predicate>, _: impl Fn(StackIndex) -> bool) -> Option<Evidence> {
    None
}
