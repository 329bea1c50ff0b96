//! Following a value backwards to where it is made: through locals, fields, parameters, return values, constructors,
//! wrappers and lambdas, over as many classes as it takes and are known.
//!
//! A *context* is a method together with how it was entered, so that its parameters are those of one call and not of
//! all. Contexts that the profile saw on the stack are entered by the caller that the profile saw.

use super::SiteQuestion;
use super::context::{Context, Entered};
use super::known_classes::{KnownClass, KnownClasses, is_jdk_class};
use super::lambda::Lambda;
use super::member_uses::{FieldKey, MemberUses};
use super::value::{Origin, Value};
use super::wanted::Wanted;
use super::words;
use crate::class_file::MemberReference;
use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;

/// Origins that are looked at for one question.
const MAX_STEPS: usize = 2_500;
/// Steps from the call to a site.
const MAX_DEPTH: usize = 32;
/// Calls, assignments or subclasses that are followed from one place.
const MAX_BRANCHES: usize = 16;
/// The same value in the same method on one way: more is a loop. Two, as factories may be nested.
const MAX_REPEATS: usize = 2;
/// Reasons that are kept.
const MAX_DEAD_ENDS: usize = 40;

/// Where a value was found to be made.
#[derive(Debug, Clone)]
pub(super) struct Leaf<'c> {
    pub(super) context: Rc<Context<'c>>,
    pub(super) bytecode_index: u32,
    pub(super) trail: Trail,
}

/// The way from the call to a place. Ways that part share what they have in common.
#[derive(Debug, Clone, Default)]
pub(super) struct Trail {
    last_step: Option<Rc<Step>>,
    /// The first field on the way.
    pub(super) field: Option<Rc<FieldKey>>,
    depth: usize,
    last_seen: Option<Rc<Seen>>,
}

/// One sentence, and the steps before.
#[derive(Debug)]
struct Step {
    text: String,
    before: Option<Rc<Step>>,
}

/// A value of a method that was passed, and those before: class, method, origin.
#[derive(Debug)]
struct Seen {
    key: (usize, usize, Origin),
    before: Option<Rc<Seen>>,
}

impl Trail {
    pub(super) fn with(&self, text: String) -> Self {
        let mut trail = self.clone();
        if trail.last_step.as_ref().is_none_or(|last| last.text != text) {
            trail.last_step = Some(Rc::new(Step { text, before: trail.last_step.take() }));
        }
        trail
    }

    /// The sentences from the call on.
    pub(super) fn steps(&self) -> Vec<String> {
        let all = std::iter::successors(self.last_step.as_ref(), |step| step.before.as_ref());
        let mut steps: Vec<String> = all.map(|step| step.text.clone()).collect();
        steps.reverse();
        steps
    }

    /// How often a value was passed.
    fn count(&self, key: (usize, usize, Origin)) -> usize {
        let all = std::iter::successors(self.last_seen.as_ref(), |seen| seen.before.as_ref());
        all.filter(|seen| seen.key == key).count()
    }
}

/// What following a value gave.
#[derive(Debug, Default)]
pub(super) struct Outcome<'c> {
    pub(super) leaves: Vec<Leaf<'c>>,
    /// Why other ways ended, one clause each.
    pub(super) dead_ends: Vec<String>,
}

impl<'c> Outcome<'c> {
    /// One place, without a way to it.
    pub(super) fn of_leaf(context: &Rc<Context<'c>>, bytecode_index: u32) -> Self {
        let leaf = Leaf { context: Rc::clone(context), bytecode_index, trail: Trail::default() };
        Self { leaves: vec![leaf], dead_ends: Vec::new() }
    }

    fn end(&mut self, reason: String) {
        if self.dead_ends.len() < MAX_DEAD_ENDS && !self.dead_ends.contains(&reason) {
            self.dead_ends.push(reason);
        }
    }
}

/// A search under way.
pub(super) struct Search<'q, 'c> {
    pub(super) classes: KnownClasses<'c>,
    pub(super) uses: MemberUses<'c>,
    pub(super) question: &'q SiteQuestion<'q>,
    steps_left: Cell<usize>,
}

/// What a way is looked for, and where to put what it leads to.
struct Way<'w, 'o, 'c> {
    wanted: &'w Wanted<'w>,
    out: &'o mut Outcome<'c>,
}

type Site<'c> = (Rc<Context<'c>>, u32);

impl<'q, 'c> Search<'q, 'c> {
    pub(super) fn new(question: &'q SiteQuestion<'q>, classes: KnownClasses<'c>) -> Self {
        Self { classes, uses: MemberUses::default(), question, steps_left: Cell::new(MAX_STEPS) }
    }

    /// Where a value in a method is made.
    pub(super) fn follow(&self, context: &Rc<Context<'c>>, value: &Value, wanted: &Wanted<'_>) -> Outcome<'c> {
        self.follow_from(context, value, (wanted, &Trail::default()))
    }

    pub(super) fn follow_from(
        &self,
        context: &Rc<Context<'c>>,
        value: &Value,
        (wanted, trail): (&Wanted<'_>, &Trail),
    ) -> Outcome<'c> {
        let mut out = Outcome::default();
        self.value(context, value, (trail, &mut Way { wanted, out: &mut out }));
        let mut seen = HashSet::new();
        out.leaves.retain(|leaf| seen.insert(leaf.context.place_key(leaf.bytecode_index)));
        out
    }

    fn value(&self, context: &Rc<Context<'c>>, value: &Value, (trail, way): (&Trail, &mut Way<'_, '_, 'c>)) {
        for origin in value.origins() {
            self.origin(context, *origin, (trail, &mut *way));
        }
    }

    fn origin(&self, context: &Rc<Context<'c>>, origin: Origin, (trail, way): (&Trail, &mut Way<'_, '_, 'c>)) {
        let key = (context.class_key(), context.method, origin);
        if trail.count(key) >= MAX_REPEATS {
            return;
        }
        let Some(left) = self.steps_left.get().checked_sub(1) else {
            return way.out.end("there are too many ways that it can have come".to_owned());
        };
        self.steps_left.set(left);
        let mut trail = trail.clone();
        trail.last_seen = Some(Rc::new(Seen { key, before: trail.last_seen.take() }));
        trail.depth += 1;
        if trail.depth > MAX_DEPTH {
            return way.out.end("it comes a longer way than is followed".to_owned());
        }
        match origin {
            Origin::This => self.this(context, (&trail, way)),
            Origin::Parameter(number) => self.parameter(context, number, (&trail, way)),
            Origin::At(index) => self.instruction(context, index, (&trail, way)),
            Origin::Unknown => way.out.end(format!("it cannot be followed through {}", context.shown_method())),
        }
    }

    fn instruction(&self, context: &Rc<Context<'c>>, index: u32, (trail, way): (&Trail, &mut Way<'_, '_, 'c>)) {
        let Some(instruction) = context.flow.instructions.get(&index) else { return };
        match instruction.opcode {
            // `null` is made nowhere.
            0x01 => {}
            0xb2 | 0xb4 => self.field(context, index, (trail, way)),
            0xb6..=0xb9 => self.call(context, index, (trail, way)),
            0xba => self.dynamic(context, index, (trail, way)),
            0xbb => self.made(context, index, (trail, way)),
            _ if way.wanted.takes_anything() => leaf(context, index, (trail, way)),
            0x32 => way.out.end(format!("it is kept in an array, read in {}", context.shown_place(index))),
            _ => way.out.end(format!("{} is no such object", words::of(context, index))),
        }
    }

    // ---- objects that are made ----

    fn made(&self, context: &Rc<Context<'c>>, index: u32, (trail, way): (&Trail, &mut Way<'_, '_, 'c>)) {
        let Some(class) = context.class_at(index) else { return };
        if way.wanted.takes_class(&class, &self.classes) {
            return leaf(context, index, (trail, way));
        }
        if !way.wanted.looks_through() {
            return way.out.end(format!("{}, {}", words::of(context, index), context.shown_place(index)));
        }
        let before = way.out.leaves.len();
        let step = format!("{} in {} wraps it", words::of(context, index), context.shown_place(index));
        self.wrapped(context, index, (&trail.with(step), way));
        if way.out.leaves.len() == before {
            way.out.end(format!("it is {}, {}", words::of(context, index), context.shown_place(index)));
        }
    }

    /// What a new object is given or makes itself, and keeps.
    fn wrapped(&self, context: &Rc<Context<'c>>, index: u32, (trail, way): (&Trail, &mut Way<'_, '_, 'c>)) {
        let constructors = self.constructors(context, index);
        for constructor in &constructors {
            for (put, member) in constructor.member_instructions(0xb5) {
                let operands = constructor.flow.operands_at(put);
                let [object, value] = operands else { continue };
                if object.contains(Origin::This) && is_object(&member.descriptor) {
                    let step = format!(
                        "{} is assigned in {}",
                        words::field(&member.class, &member.name),
                        constructor.shown_place(put)
                    );
                    let mut trail = trail.with(step);
                    self.remember_field(&mut trail, constructor, put);
                    self.value(constructor, value, (&trail, &mut *way));
                }
            }
        }
        self.given_to_foreign_constructors(context, index, (trail, way));
    }

    /// What constructors are given that cannot be looked into: of the JDK, of classes that are not known.
    fn given_to_foreign_constructors(
        &self,
        context: &Rc<Context<'c>>,
        index: u32,
        (trail, way): (&Trail, &mut Way<'_, '_, 'c>),
    ) {
        let constructors = self.constructors(context, index);
        for (context, call) in self.foreign_constructor_calls(context, index, &constructors) {
            let operands = context.flow.operands_at(call).to_vec();
            for value in self.object_arguments(&context, call, &operands) {
                self.value(&context, &value, (trail, &mut *way));
            }
        }
    }

    /// The constructors that a `new` runs, each entered from the one before: its own, and by `this(…)` and
    /// `super(…)` those of other known classes.
    fn constructors(&self, context: &Rc<Context<'c>>, new_index: u32) -> Vec<Rc<Context<'c>>> {
        let mut found: Vec<Rc<Context<'c>>> = Vec::new();
        let mut open: Vec<Site<'c>> =
            context.constructor_calls(Origin::At(new_index)).map(|call| (Rc::clone(context), call)).collect();
        while let Some((caller, call)) = open.pop() {
            if found.len() >= MAX_BRANCHES {
                break;
            }
            let Some(member) = caller.member_at(call) else { continue };
            let Some(class) = self.classes.get(&member.class) else { continue };
            let Some(number) = class.method_number(&member.name, &member.descriptor) else { continue };
            let Some(entered) = Context::new(class, number, Entered::Call(caller, call)) else { continue };
            open.extend(entered.constructor_calls(Origin::This).map(|call| (Rc::clone(&entered), call)));
            found.push(entered);
        }
        found
    }

    fn foreign_constructor_calls(
        &self,
        context: &Rc<Context<'c>>,
        new_index: u32,
        known: &[Rc<Context<'c>>],
    ) -> Vec<Site<'c>> {
        let own = context.constructor_calls(Origin::At(new_index)).map(|call| (Rc::clone(context), call));
        let further = known.iter().flat_map(|constructor| {
            constructor.constructor_calls(Origin::This).map(|call| (Rc::clone(constructor), call))
        });
        let is_foreign = |(context, call): &Site<'c>| {
            context.member_at(*call).is_some_and(|member| self.classes.get(&member.class).is_none())
        };
        own.chain(further).filter(is_foreign).collect()
    }

    /// The arguments of a call that are objects other than texts.
    fn object_arguments(&self, context: &Context<'c>, call: u32, operands: &[Value]) -> Vec<Value> {
        let Some(descriptor) = context.call_descriptor(call) else { return Vec::new() };
        let types = super::effects::parameters(&descriptor);
        let first = operands.len().saturating_sub(types.len());
        let arguments = operands.iter().skip(first).zip(types);
        arguments.filter(|(_, kind)| is_object(&kind.descriptor)).map(|(value, _)| value.clone()).collect()
    }

    /// The places where the objects are made that a value can be, if all are known.
    fn objects(&self, context: &Rc<Context<'c>>, value: &Value, wanted: &Wanted<'_>) -> Option<Vec<Leaf<'c>>> {
        // A part of the steps: what is found is a help, not the answer.
        let all = self.steps_left.get();
        let share = all / 4;
        self.steps_left.set(share);
        let outcome = self.follow(context, value, wanted);
        self.steps_left.set(all - (share - self.steps_left.get()));
        (outcome.dead_ends.is_empty() && !outcome.leaves.is_empty()).then_some(outcome.leaves)
    }

    // ---- fields ----

    fn field(&self, context: &Rc<Context<'c>>, index: u32, (trail, way): (&Trail, &mut Way<'_, '_, 'c>)) {
        let Some(member) = context.member_at(index) else { return };
        let is_static = context.opcode(index) == Some(0xb2);
        if way.wanted.takes_member(&member, &self.classes) {
            return leaf(context, index, (trail, way));
        }
        let shown = words::field(&member.class, &member.name);
        let Some(class) = self.classes.declaring_class(&member.class, &member.name, &member.descriptor) else {
            if way.wanted.takes_anything() {
                return leaf(context, index, (trail, way));
            }
            let before = way.out.leaves.len();
            if !is_static && way.wanted.looks_through() {
                self.inherited_field(context, index, (&member, trail, &mut *way));
            }
            if way.out.leaves.len() == before {
                way.out.end(format!("it is kept in {shown}, a field of a class that is not known"));
            }
            return;
        };
        let mut trail = trail.clone();
        self.remember_field(&mut trail, context, index);
        let key = FieldKey::new(&class, &member);
        let before = (way.out.leaves.len(), way.out.dead_ends.len());
        let base = context.flow.operands_at(index).first().cloned().filter(|_| !is_static);
        let made = base.and_then(|base| {
            let class: &str = &key.class;
            self.objects(context, &base, &Wanted::Object(class))
        });
        let puts = self.uses.puts(&self.classes, &key);
        match made {
            // The very object is known: what its constructors were given, and what other methods assign.
            Some(made) => {
                for leaf in made.iter().take(MAX_BRANCHES) {
                    self.bound_puts(leaf, &key, (&trail, &mut *way));
                }
                let others = puts.iter().filter(|put| !put.is_in_constructor());
                self.unbound_puts(others, &key, (&trail, &mut *way));
                // Made by a reference to a constructor, `A::new`: which one is not said there.
                if before == (way.out.leaves.len(), way.out.dead_ends.len()) {
                    self.unbound_puts(puts.iter(), &key, (&trail, &mut *way));
                }
            }
            None => self.unbound_puts(puts.iter(), &key, (&trail, &mut *way)),
        }
        if before == (way.out.leaves.len(), way.out.dead_ends.len()) {
            if self.is_constant_field(&class, &member) && way.wanted.takes_anything() {
                return leaf(context, index, (&trail, way));
            }
            way.out.end(format!("no known class assigns {shown} an object"));
        }
    }

    /// A field of a superclass that cannot be looked into, such as `out` of `FilterOutputStream`: it holds what the
    /// superclass's constructor was given.
    fn inherited_field(
        &self,
        context: &Rc<Context<'c>>,
        index: u32,
        (member, trail, way): (&MemberReference<'_>, &Trail, &mut Way<'_, '_, 'c>),
    ) {
        let base = context.flow.operands_at(index).first().cloned().unwrap_or_default();
        let made = self.objects(context, &base, &Wanted::Object(&member.class));
        let sites: Vec<Site<'c>> = match made {
            Some(made) => made.into_iter().map(|leaf| (leaf.context, leaf.bytecode_index)).collect(),
            None => {
                let made = self.uses.made(&self.classes, &member.class);
                let sites =
                    made.iter().map(|made| Some((self.context_of(&made.class, made.method)?, made.bytecode_index)));
                sites.flatten().collect()
            }
        };
        for (maker, index) in sites.into_iter().take(MAX_BRANCHES) {
            let step = format!(
                "{} is given it by the constructor, {}",
                words::field(&member.class, &member.name),
                maker.shown_place(index)
            );
            self.given_to_foreign_constructors(&maker, index, (&trail.with(step), &mut *way));
        }
    }

    fn is_constant_field(&self, class: &KnownClass<'c>, member: &MemberReference<'_>) -> bool {
        class.file.fields.iter().any(|field| field.name == member.name && field.constant.is_some())
    }

    /// Assignments in the constructors that the `new` of one object runs.
    fn bound_puts(&self, object: &Leaf<'c>, key: &FieldKey, (trail, way): (&Trail, &mut Way<'_, '_, 'c>)) {
        for constructor in self.constructors(&object.context, object.bytecode_index) {
            for (put, member) in constructor.member_instructions(0xb5) {
                if key.is(&member, &self.classes)
                    && let [base, value] = constructor.flow.operands_at(put)
                    && base.contains(Origin::This)
                {
                    self.assigned(&constructor, put, (value, trail, &mut *way));
                }
            }
        }
    }

    fn unbound_puts<'p>(
        &self,
        puts: impl Iterator<Item = &'p super::member_uses::Use<'c>>,
        key: &FieldKey,
        (trail, way): (&Trail, &mut Way<'_, '_, 'c>),
    ) where
        'c: 'p,
    {
        for (count, put) in puts.enumerate() {
            if count >= MAX_BRANCHES {
                return way.out.end(format!("{} is assigned in many places", words::field(&key.class, &key.name)));
            }
            let Some(context) = self.context_of(&put.class, put.method) else { continue };
            if let Some(value) = context.flow.operands_at(put.bytecode_index).last() {
                self.assigned(&context, put.bytecode_index, (value, trail, &mut *way));
            }
        }
    }

    fn assigned(
        &self,
        context: &Rc<Context<'c>>,
        put: u32,
        (value, trail, way): (&Value, &Trail, &mut Way<'_, '_, 'c>),
    ) {
        let Some(member) = context.member_at(put) else { return };
        let step = format!("{} is assigned in {}", words::field(&member.class, &member.name), context.shown_place(put));
        self.value(context, value, (&trail.with(step), way));
    }

    fn remember_field(&self, trail: &mut Trail, context: &Context<'c>, index: u32) {
        if trail.field.is_none()
            && let Some(member) = context.member_at(index)
            && let Some(class) = self.classes.declaring_class(&member.class, &member.name, &member.descriptor)
        {
            trail.field = Some(Rc::new(FieldKey::new(&class, &member)));
        }
    }

    // ---- results of calls ----

    fn call(&self, context: &Rc<Context<'c>>, index: u32, (trail, way): (&Trail, &mut Way<'_, '_, 'c>)) {
        let Some(member) = context.member_at(index) else { return };
        if way.wanted.takes_member(&member, &self.classes) {
            return leaf(context, index, (trail, way));
        }
        let targets = self.targets(context, index, &member);
        if targets.is_empty() {
            return self.foreign_result(context, index, (&member, trail, way));
        }
        for target in targets.into_iter().take(MAX_BRANCHES) {
            match target {
                Target::Method(entered) => self.returned(&entered, (trail, &mut *way)),
                Target::Lambda(lambda) => self.lambda_result(&lambda, (Some((context, index)), trail, &mut *way)),
            }
        }
    }

    /// What a method of a known class returns.
    fn returned(&self, entered: &Rc<Context<'c>>, (trail, way): (&Trail, &mut Way<'_, '_, 'c>)) {
        let before = (way.out.leaves.len(), way.out.dead_ends.len());
        let returns: Vec<u32> = entered.flow.with_opcode(0xb0).map(|it| it.bytecode_index).collect();
        for index in returns {
            let Some(value) = entered.flow.operands_at(index).first() else { continue };
            let step = format!("{} returns it, {}", entered.shown_method(), words::line(entered.line(index)));
            self.value(entered, value, (&trail.with(step), &mut *way));
        }
        if before == (way.out.leaves.len(), way.out.dead_ends.len()) {
            way.out.end(format!("what {} returns cannot be followed", entered.shown_method()));
        }
    }

    /// What a call runs, as far as it is known.
    fn targets(&self, context: &Rc<Context<'c>>, index: u32, member: &MemberReference<'_>) -> Vec<Target<'c>> {
        let enter = |(class, number): (Rc<KnownClass<'c>>, usize)| {
            Context::new(class, number, Entered::Call(Rc::clone(context), index)).map(Target::Method)
        };
        let declared = self.classes.resolve_method(&member.class, &member.name, &member.descriptor);
        if matches!(context.opcode(index), Some(0xb7 | 0xb8)) {
            return declared.and_then(enter).into_iter().collect();
        }
        let overriding = self.overriding(member);
        let has_code = declared.as_ref().is_some_and(|(class, number)| class.code(*number).is_some());
        if overriding.is_empty() && has_code {
            return declared.and_then(enter).into_iter().collect();
        }
        let receiver = context.flow.operands_at(index).first().cloned().unwrap_or_default();
        match self.objects(context, &receiver, &Wanted::Target) {
            Some(objects) => objects.iter().filter_map(|object| self.target_on(object, (context, index))).collect(),
            None => declared.into_iter().chain(overriding).take(MAX_BRANCHES).filter_map(enter).collect(),
        }
    }

    /// The methods of known subclasses that a virtual call can run.
    fn overriding(&self, member: &MemberReference<'_>) -> Vec<(Rc<KnownClass<'c>>, usize)> {
        // Those of the JDK's interfaces are too many to tell anything.
        if is_jdk_class(&member.class) {
            return Vec::new();
        }
        let subtypes = self.uses.subtypes(&self.classes, &member.class);
        let methods = subtypes.iter().filter_map(|class| {
            let number = class.method_number(&member.name, &member.descriptor)?;
            class.code(number).is_some().then(|| (Rc::clone(class), number))
        });
        methods.collect()
    }

    /// What a call on one object runs.
    fn target_on(&self, object: &Leaf<'c>, (caller, call): (&Rc<Context<'c>>, u32)) -> Option<Target<'c>> {
        if let Some(lambda) = Lambda::at(&object.context, object.bytecode_index) {
            return Some(Target::Lambda(lambda));
        }
        let class = object.context.class_at(object.bytecode_index)?;
        let member = caller.member_at(call)?;
        let (class, number) = self.classes.resolve_method(&class, &member.name, &member.descriptor)?;
        Context::new(class, number, Entered::Call(Rc::clone(caller), call)).map(Target::Method)
    }

    /// The result of a method that cannot be looked into.
    fn foreign_result(
        &self,
        context: &Rc<Context<'c>>,
        index: u32,
        (member, trail, way): (&MemberReference<'_>, &Trail, &mut Way<'_, '_, 'c>),
    ) {
        let operands = context.flow.operands_at(index).to_vec();
        if &*member.class == "java/util/Objects" && member.name.starts_with("requireNonNull") {
            return operands.first().map_or((), |value| self.value(context, value, (trail, way)));
        }
        let kept = keeps_objects(member);
        if way.wanted.takes_anything() && !kept {
            return leaf(context, index, (trail, way));
        }
        let before = way.out.leaves.len();
        if way.wanted.looks_through() {
            let step = format!("{} gives it, {}", words::of(context, index), context.shown_place(index));
            let trail = trail.with(step);
            let mut values = self.object_arguments(context, index, &operands);
            if !kept && context.opcode(index) != Some(0xb8) {
                values.extend(operands.first().cloned());
            }
            for value in &values {
                self.value(context, value, (&trail, &mut *way));
            }
        }
        if way.out.leaves.len() == before {
            let place = context.shown_place(index);
            way.out.end(if kept {
                format!("it is kept in a collection, {} in {place}", words::of(context, index))
            } else {
                format!("it is what {} gives in {place}", words::of(context, index))
            });
        }
    }

    // ---- lambdas ----

    fn dynamic(&self, context: &Rc<Context<'c>>, index: u32, (trail, way): (&Trail, &mut Way<'_, '_, 'c>)) {
        match Lambda::at(context, index) {
            Some(lambda) if way.wanted.looks_through() => self.lambda_result(&lambda, (None, trail, way)),
            _ if way.wanted.takes_anything() || matches!(way.wanted, Wanted::Target) => {
                leaf(context, index, (trail, way));
            }
            _ => way.out.end(format!("it is a lambda, {}", context.shown_place(index))),
        }
    }

    /// What a lambda or method reference gives when it is called.
    fn lambda_result(
        &self,
        lambda: &Lambda<'c>,
        (call, trail, way): (Option<(&Rc<Context<'c>>, u32)>, &Trail, &mut Way<'_, '_, 'c>),
    ) {
        let (maker, index) = &lambda.maker;
        let step = format!("the lambda of {} gives it", maker.shown_place(*index));
        let trail = trail.with(step);
        let is_taken = if lambda.makes_object {
            way.wanted.takes_class(&lambda.member.class, &self.classes)
        } else {
            way.wanted.takes_member(&lambda.member.as_reference(), &self.classes)
        };
        if is_taken {
            return leaf(maker, *index, (&trail, way));
        }
        let resolved =
            self.classes.resolve_method(&lambda.member.class, &lambda.member.name, &lambda.member.descriptor);
        let entered = resolved.filter(|_| !lambda.makes_object).and_then(|(class, number)| {
            let caller = call.map(|(context, index)| (Rc::clone(context), index));
            Context::new(class, number, Entered::Lambda { maker: lambda.maker.clone(), caller })
        });
        match entered {
            Some(entered) => self.returned(&entered, (&trail, way)),
            None if way.wanted.takes_anything() => leaf(maker, *index, (&trail, way)),
            None => way.out.end(format!("it is what {} gives", words::member(&lambda.member.as_reference()))),
        }
    }

    // ---- parameters ----

    fn parameter(&self, context: &Rc<Context<'c>>, number: u16, (trail, way): (&Trail, &mut Way<'_, '_, 'c>)) {
        let place = usize::from(number) + usize::from(!context.is_static());
        self.passed(context, place, (trail, way));
    }

    fn this(&self, context: &Rc<Context<'c>>, (trail, way): (&Trail, &mut Way<'_, '_, 'c>)) {
        let is_called_object = match &context.entered {
            Entered::Call(..) | Entered::Lambda { .. } => true,
            Entered::Frame(frame) => self.actual_caller(*frame, context).is_some(),
            Entered::Unknown => false,
        };
        if is_called_object || context.is_lambda_body() {
            return self.passed(context, 0, (trail, way));
        }
        self.objects_of_class(context, (trail, way));
    }

    /// The value at a place of the operands by which a method was entered; 0 is the object, if there is one.
    fn passed(&self, context: &Rc<Context<'c>>, place: usize, (trail, way): (&Trail, &mut Way<'_, '_, 'c>)) {
        match &context.entered {
            Entered::Call(caller, call) => self.argument((caller, *call), place, (context, trail, way)),
            Entered::Lambda { maker, caller } => {
                let captured = maker.0.flow.operands_at(maker.1);
                match (captured.get(place), caller) {
                    (Some(_), _) => self.argument((&maker.0, maker.1), place, (context, trail, way)),
                    (None, Some((caller, call))) => {
                        // Behind the lambda itself.
                        let place = place - captured.len() + 1;
                        self.argument((caller, *call), place, (context, trail, way));
                    }
                    (None, None) => way.out.end(format!(
                        "it is passed to the lambda of {} by code that is not known",
                        maker.0.shown_place(maker.1)
                    )),
                }
            }
            Entered::Frame(frame) => match self.actual_caller(*frame, context) {
                Some((caller, calls)) => {
                    for call in calls {
                        self.argument((&caller, call), place, (context, trail, &mut *way));
                    }
                }
                None => self.passed_anywhere(context, place, (trail, way)),
            },
            Entered::Unknown => self.passed_anywhere(context, place, (trail, way)),
        }
    }

    fn argument(
        &self,
        (caller, call): (&Rc<Context<'c>>, u32),
        place: usize,
        (callee, trail, way): (&Rc<Context<'c>>, &Trail, &mut Way<'_, '_, 'c>),
    ) {
        let Some(value) = caller.flow.operands_at(call).get(place) else {
            return way.out.end(format!("what {} passes cannot be followed", caller.shown_place(call)));
        };
        let is_object = place == 0 && !callee.is_static();
        let verb = if is_object { "has the object of" } else { "passes it to" };
        let step = format!("{} {verb} {}", caller.shown_place(call), callee.shown_method());
        self.value(caller, value, (&trail.with(step), way));
    }

    /// All calls of a method in known classes.
    fn passed_anywhere(&self, context: &Rc<Context<'c>>, place: usize, (trail, way): (&Trail, &mut Way<'_, '_, 'c>)) {
        let calls = self.uses.calls(&self.classes, context);
        if calls.is_empty() {
            return way.out.end(format!("no known class calls {}, which is passed it", context.shown_method()));
        }
        for (count, call) in calls.iter().enumerate() {
            if count >= MAX_BRANCHES {
                return way.out.end(format!("{} is called in many places", context.shown_method()));
            }
            let Some(caller) = self.context_of(&call.class, call.method) else { continue };
            if call.is_dynamic() {
                let maker = (caller, call.bytecode_index);
                let entered = Entered::Lambda { maker, caller: None };
                if let Some(entered) = Context::new(Rc::clone(&context.class), context.method, entered) {
                    self.passed(&entered, place, (trail, &mut *way));
                }
            } else {
                self.argument((&caller, call.bytecode_index), place, (context, trail, &mut *way));
            }
        }
    }

    /// All objects that are made of a method's class, and of those that extend it.
    fn objects_of_class(&self, context: &Rc<Context<'c>>, (trail, way): (&Trail, &mut Way<'_, '_, 'c>)) {
        let name = context.class.file.name.clone().into_owned();
        let before = (way.out.leaves.len(), way.out.dead_ends.len());
        for made in self.uses.made(&self.classes, &name).iter().take(MAX_BRANCHES) {
            if let Some(maker) = self.context_of(&made.class, made.method) {
                self.origin(&maker, Origin::At(made.bytecode_index), (trail, &mut *way));
            }
        }
        if before == (way.out.leaves.len(), way.out.dead_ends.len()) {
            way.out.end(format!("no known class makes a {}", words::class(&name)));
        }
    }

    // ---- methods on the stack ----

    /// A method, entered as the profile saw it if it is on the stack.
    pub(super) fn context_of(&self, class: &Rc<KnownClass<'c>>, method: usize) -> Option<Rc<Context<'c>>> {
        let known = class.method(method)?;
        let frame = self.question.callers.iter().position(|place| {
            place.class == class.file.name && place.method == known.name && place.descriptor == known.descriptor
        });
        let entered = frame.map_or(Entered::Unknown, Entered::Frame);
        Context::new(Rc::clone(class), method, entered)
    }

    /// The context of a frame.
    pub(super) fn context_of_frame(&self, frame: usize) -> Option<Rc<Context<'c>>> {
        let place = self.question.callers.get(frame)?;
        let class = self.classes.get(place.class)?;
        let number = class.method_number(place.method, place.descriptor);
        let number = number.or_else(|| class.only_method(place.method).filter(|_| place.descriptor.is_empty()))?;
        Context::new(class, number, Entered::Frame(frame))
    }

    /// The frame that calls a frame's method, and its calls at that place; if it really calls it.
    fn actual_caller(&self, frame: usize, callee: &Context<'c>) -> Option<(Rc<Context<'c>>, Vec<u32>)> {
        let caller = self.context_of_frame(frame + 1)?;
        let place = self.question.callers.get(frame + 1)?;
        let method = callee.class.method(callee.method)?;
        let calls = caller.calls_at(place.bytecode_index, place.line, |member| {
            member.name == method.name && member.descriptor == method.descriptor
        });
        (!calls.is_empty()).then_some((caller, calls))
    }
}

/// What a call can run.
enum Target<'c> {
    Method(Rc<Context<'c>>),
    Lambda(Lambda<'c>),
}

fn leaf<'c>(context: &Rc<Context<'c>>, bytecode_index: u32, (trail, way): (&Trail, &mut Way<'_, '_, 'c>)) {
    way.out.leaves.push(Leaf { context: Rc::clone(context), bytecode_index, trail: trail.clone() });
}

/// True for types of objects that can hold others: no numbers, texts, arrays, names of files and the like.
fn is_object(descriptor: &str) -> bool {
    const PLAIN: [&str; 12] = [
        "Ljava/lang/String;",
        "Ljava/lang/Class;",
        "Ljava/lang/Integer;",
        "Ljava/lang/Long;",
        "Ljava/lang/Boolean;",
        "Ljava/io/File;",
        "Ljava/nio/file/Path;",
        "Ljava/nio/charset/",
        "Ljava/util/Locale;",
        "Ljava/util/concurrent/TimeUnit;",
        "Ljava/time/",
        "Ljava/math/",
    ];
    descriptor.starts_with('L') && !PLAIN.iter().any(|plain| descriptor.starts_with(plain))
}

/// True for methods that give back what was put into a collection or another holder.
fn keeps_objects(member: &MemberReference<'_>) -> bool {
    const NO_HOLDERS: [&str; 4] = ["java/util/zip/", "java/util/regex/", "java/util/function/", "java/util/jar/"];
    let is_holder = member.class.starts_with("java/util/") || member.class.starts_with("java/lang/ref/");
    is_holder
        && !NO_HOLDERS.iter().any(|package| member.class.starts_with(package))
        && member.descriptor.ends_with(")Ljava/lang/Object;")
}
