//! A method, and how it was entered.

use crate::class_file::{Constant, MemberReference};
use crate::edit_site::flow::Flow;
use crate::edit_site::known_classes::KnownClass;
use crate::edit_site::names;
use crate::edit_site::value::Origin;
use std::fmt;
use std::rc::Rc;

/// A method, together with how it was entered.
pub(super) struct Context<'c> {
    pub(super) class: Rc<KnownClass<'c>>,
    /// The method's position among the methods of its class.
    pub(super) method: usize,
    pub(super) flow: Rc<Flow>,
    pub(super) entered: Entered<'c>,
}

/// How a method was entered.
pub(super) enum Entered<'c> {
    /// The method is the frame with this position among the question's callers.
    Frame(usize),
    /// The method was entered by the call at this bytecode index of another method.
    Call(Rc<Context<'c>>, u32),
    /// The method is the body of a lambda. One place creates the lambda, another place calls the lambda.
    Lambda { maker: (Rc<Context<'c>>, u32), caller: Option<(Rc<Context<'c>>, u32)> },
    /// It is unknown how the method was entered.
    Unknown,
}

impl fmt::Debug for Context<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown_method())
    }
}

impl<'c> Context<'c> {
    /// Creates a context. `None` if the method has no code.
    pub(super) fn new(class: Rc<KnownClass<'c>>, method: usize, entered: Entered<'c>) -> Option<Rc<Self>> {
        let flow = class.flow(method)?;
        Some(Rc::new(Self { class, method, flow, entered }))
    }

    /// Identifies the class.
    pub(super) fn class_key(&self) -> usize {
        Rc::as_ptr(&self.class).addr()
    }

    /// Identifies a place in code: class, method, bytecode index.
    pub(super) fn place_key(&self, bytecode_index: u32) -> (usize, usize, u32) {
        (self.class_key(), self.method, bytecode_index)
    }

    pub(super) fn method_name(&self) -> &str {
        self.class.method(self.method).map_or("?", |method| method.name.as_ref())
    }

    pub(super) fn is_static(&self) -> bool {
        self.class.method(self.method).is_some_and(|method| method.is_static())
    }

    /// True if the method's name follows javac's naming scheme for lambda bodies.
    pub(super) fn is_lambda_body(&self) -> bool {
        self.method_name().starts_with("lambda$")
    }

    /// The method as displayed: `c01.Slow$CrcOut.write`.
    pub(super) fn shown_method(&self) -> String {
        format!("{}.{}", names::class(&self.class.file.name), self.method_name())
    }

    pub(super) fn line(&self, bytecode_index: u32) -> Option<u32> {
        self.class.line(self.method, bytecode_index)
    }

    /// A place in the method as displayed: `c01.Slow$CrcOut.write, line 5`.
    pub(super) fn shown_place(&self, bytecode_index: u32) -> String {
        format!("{}, {}", self.shown_method(), names::line(self.line(bytecode_index)))
    }

    pub(super) fn opcode(&self, bytecode_index: u32) -> Option<u8> {
        self.flow.instructions.get(&bytecode_index).map(|instruction| instruction.opcode)
    }

    /// The class that an instruction such as `new` or `checkcast` names.
    pub(super) fn class_at(&self, bytecode_index: u32) -> Option<String> {
        let constant = self.flow.instructions.get(&bytecode_index)?.constant()?;
        self.class.file.constants.class_name(constant).map(|name| name.into_owned())
    }

    /// The field or method that the instruction names.
    pub(super) fn member_at(&self, bytecode_index: u32) -> Option<MemberReference<'c>> {
        let constant = self.flow.instructions.get(&bytecode_index)?.constant()?;
        self.class.file.constants.member(constant)
    }

    /// The descriptor of the called method, also for `invokedynamic`.
    pub(super) fn call_descriptor(&self, bytecode_index: u32) -> Option<String> {
        let constants = &self.class.file.constants;
        let index = self.flow.instructions.get(&bytecode_index)?.constant()?;
        match constants.get(index)? {
            Constant::InvokeDynamic { name_and_type, .. } => {
                Some(constants.name_and_type(name_and_type)?.1.into_owned())
            }
            _ => Some(constants.member(index)?.descriptor.into_owned()),
        }
    }

    /// The instructions with this opcode, each with the field or method that it names.
    pub(super) fn member_instructions(&self, opcode: u8) -> impl Iterator<Item = (u32, MemberReference<'c>)> {
        self.flow
            .with_opcode(opcode)
            .filter_map(|it| Some((it.bytecode_index, self.class.file.constants.member(it.constant()?)?)))
    }

    /// The constructor calls on an object.
    pub(super) fn constructor_calls(&self, object: Origin) -> impl Iterator<Item = u32> {
        let calls = self.member_instructions(0xb7).filter(|(_, member)| member.name == "<init>");
        let on_it = calls.filter(move |(index, _)| {
            self.flow.operands_at(*index).first().is_some_and(|value| value.contains(object))
        });
        on_it.map(|(index, _)| index)
    }

    /// The matching call at a bytecode index. If there is no such call, the matching calls on the line.
    pub(super) fn calls_at(
        &self,
        bytecode_index: Option<u32>,
        line: Option<u32>,
        is_it: impl Fn(&MemberReference<'c>) -> bool,
    ) -> Vec<u32> {
        let fits = |index: u32| self.is_call(index) && self.member_at(index).is_some_and(|member| is_it(&member));
        if let Some(index) = bytecode_index.filter(|index| fits(*index)) {
            return vec![index];
        }
        let line = line.or_else(|| self.line(bytecode_index?));
        let all = self.flow.instructions.keys().copied();
        all.filter(|index| line.is_some() && self.line(*index) == line && fits(*index)).collect()
    }

    fn is_call(&self, bytecode_index: u32) -> bool {
        matches!(self.opcode(bytecode_index), Some(0xb6..=0xb9))
    }
}
