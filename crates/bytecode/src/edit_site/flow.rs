//! Finds the origins of values in one method. For this purpose, the method's code is interpreted. A value is
//! represented by the set of its possible origins.
//!
//! ```text
//! 0 new java/io/FileOutputStream      stack: {0}
//! 3 dup                                      {0} {0}
//! 4 aload_1                                  {0} {0} {parameter 0}
//! 5 invokespecial <init>                     {0}                        operands at 5: {0} {parameter 0}
//! 8 astore_2                                                            local 2: {0}
//! ```
//!
//! Where two paths through the code meet, their sets are merged. Casts, copies and local variables keep the set. The
//! code is not verified. An instruction that cannot be interpreted ends a path, and the amount of work is limited.

use crate::class_file::{ClassFile, Code, Instruction, Method, Operands};
use crate::edit_site::descriptor::parameters;
use crate::edit_site::effects;
use crate::edit_site::effects::Effect;
use crate::edit_site::state::State;
use crate::edit_site::value::{Origin, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Maximum number of interpreted instructions and merged slots. An instruction is counted each time it is interpreted.
const MAX_WORK: usize = 4_000_000;
/// Maximum number of slots in all kept states.
const MAX_SLOTS: usize = 1_000_000;

/// The origins of a method's values.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// The instructions, by bytecode index.
    pub(super) instructions: BTreeMap<u32, Instruction>,
    /// The values that instructions take from the stack, the deepest value first. The instructions are calls (object
    /// and arguments), field accesses, returns, `monitorenter`, `monitorexit` and array accesses.
    pub(super) operands: BTreeMap<u32, Vec<Value>>,
}

impl Flow {
    /// Interprets a method. `None` if the method has no code.
    pub(super) fn of(class: &ClassFile<'_>, method: &Method<'_>) -> Option<Self> {
        let code = method.code.as_ref()?;
        let mut flow = Self::default();
        for instruction in code.instructions().flatten() {
            flow.instructions.insert(instruction.bytecode_index, instruction);
        }
        let mut run = Run::new(&flow, code);
        run.join(0, &entry_state(method, code));
        run.walk_all(class);
        flow.operands = run.operands;
        Some(flow)
    }

    /// The instructions of one opcode.
    pub(super) fn with_opcode(&self, opcode: u8) -> impl Iterator<Item = &Instruction> {
        self.instructions.values().filter(move |instruction| instruction.opcode == opcode)
    }

    /// The values that an instruction takes. Empty if no path reaches the instruction.
    pub(super) fn operands_at(&self, bytecode_index: u32) -> &[Value] {
        self.operands.get(&bytecode_index).map_or(&[], Vec::as_slice)
    }
}

/// The state at the start of the method: `this` and the parameters are in the first locals.
fn entry_state(method: &Method<'_>, code: &Code<'_>) -> State {
    let mut locals = Vec::new();
    if !method.is_static() {
        locals.push(Value::of(Origin::This));
    }
    for (number, parameter) in parameters(&method.descriptor).into_iter().enumerate() {
        locals.push(Value::of(Origin::Parameter(number as u16)));
        if parameter.slots == 2 {
            locals.push(Value::default());
        }
    }
    locals.resize(locals.len().max(usize::from(code.max_locals)), Value::default());
    State { locals, stack: Vec::new() }
}

/// An interpretation in progress.
struct Run<'f> {
    flow: &'f Flow,
    handlers: Vec<(u32, u32, u32)>,
    /// The places where paths meet: branch targets and exception handlers.
    meetings: BTreeSet<u32>,
    states: HashMap<u32, State>,
    open: BTreeSet<u32>,
    operands: BTreeMap<u32, Vec<Value>>,
    work_left: usize,
    slots_left: usize,
}

impl<'f> Run<'f> {
    fn new(flow: &'f Flow, code: &Code<'_>) -> Self {
        let handlers = code.exception_handlers.iter();
        let handlers: Vec<_> =
            handlers.map(|range| (range.start.into(), range.end.into(), range.handler.into())).collect();
        let mut meetings: BTreeSet<u32> = flow.instructions.values().flat_map(targets).collect();
        meetings.extend(handlers.iter().map(|(.., handler)| *handler));
        Self {
            flow,
            handlers,
            meetings,
            states: HashMap::new(),
            open: BTreeSet::new(),
            operands: BTreeMap::new(),
            work_left: MAX_WORK,
            slots_left: MAX_SLOTS,
        }
    }

    fn walk_all(&mut self, class: &ClassFile<'_>) {
        while let Some(start) = self.open.pop_first() {
            let Some(state) = self.states.get(&start).cloned() else { continue };
            self.walk(class, start, state);
        }
    }

    /// Interprets from `start` to the next place where paths meet.
    fn walk(&mut self, class: &ClassFile<'_>, start: u32, mut state: State) {
        let flow = self.flow;
        self.join_handlers(start, &state);
        for (index, instruction) in flow.instructions.range(start..) {
            if *index != start && self.meetings.contains(index) {
                self.join(*index, &state);
                return;
            }
            if !self.spend(1) {
                return;
            }
            if self.handlers.iter().any(|(from, ..)| from == index) {
                self.join_handlers(*index, &state);
            }
            let Some(effect) = effects::apply(&mut state, instruction, class) else { return };
            self.note_operands(*index, &effect);
            if effect.changes_locals {
                self.join_handlers(*index, &state);
            }
            for target in targets(instruction) {
                self.join(target, &state);
            }
            if effect.ends_way {
                return;
            }
        }
    }

    fn note_operands(&mut self, index: u32, effect: &Effect) {
        if effect.operands.is_empty() {
            return;
        }
        let known = self.operands.entry(index).or_default();
        known.resize(effect.operands.len(), Value::default());
        for (known, new) in known.iter_mut().zip(&effect.operands) {
            known.unite(new);
        }
    }

    /// Merges the locals of `state` and the exception into the state of each exception handler for the code at `index`.
    fn join_handlers(&mut self, index: u32, state: &State) {
        let reached: Vec<u32> = self
            .handlers
            .iter()
            .filter(|(from, to, _)| (*from..*to).contains(&index))
            .map(|(.., handler)| *handler)
            .collect();
        for handler in reached {
            let caught = State { locals: state.locals.clone(), stack: vec![Value::of(Origin::Unknown)] };
            self.join(handler, &caught);
        }
    }

    /// Merges `state` into the known state at `target`. If the known state changes, the code at `target` is interpreted
    /// again.
    fn join(&mut self, target: u32, state: &State) {
        if !self.flow.instructions.contains_key(&target) || !self.spend(state.locals.len() + state.stack.len()) {
            return;
        }
        let Some(known) = self.states.get_mut(&target) else {
            let Some(left) = self.slots_left.checked_sub(state.locals.len() + state.stack.len()) else { return };
            self.slots_left = left;
            self.states.insert(target, state.clone());
            self.open.insert(target);
            return;
        };
        // The numbers of slots differ. The JVM does not accept such code.
        if known.stack.len() != state.stack.len() || known.locals.len() != state.locals.len() {
            return;
        }
        let old = known.locals.iter_mut().chain(&mut known.stack);
        let new = state.locals.iter().chain(&state.stack);
        let changes = old.zip(new).filter_map(|(old, new)| old.unite(new).then_some(())).count();
        if changes > 0 {
            self.open.insert(target);
        }
    }

    fn spend(&mut self, work: usize) -> bool {
        let left = self.work_left.checked_sub(work);
        self.work_left = left.unwrap_or(0);
        left.is_some()
    }
}

/// The instructions that can follow an instruction, in addition to the next instruction.
pub(super) fn targets(instruction: &Instruction) -> Vec<u32> {
    let all = match &instruction.operands {
        Operands::Branch(target) => vec![*target],
        Operands::Switch(cases, default) => cases.iter().map(|(_, target)| *target).chain([*default]).collect(),
        _ => Vec::new(),
    };
    all.into_iter().filter_map(|target| u32::try_from(target).ok()).collect()
}
