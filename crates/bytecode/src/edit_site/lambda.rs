//! Lambdas and method references: `invokedynamic` creates an object that calls one method.

use crate::class_file::{Constant, MemberKind, MemberReference};
use crate::edit_site::context::Context;
use std::borrow::Cow;
use std::rc::Rc;

/// The JDK class that creates objects of functional interfaces.
const METAFACTORY: &str = "java/lang/invoke/LambdaMetafactory";
/// Kind of a method handle that creates an object: `FileOutputStream::new`.
const NEW_INVOKE_SPECIAL: u8 = 8;

/// A lambda or method reference.
#[derive(Debug, Clone)]
pub(super) struct Lambda<'c> {
    /// The place that creates the lambda.
    pub(super) maker: (Rc<Context<'c>>, u32),
    /// The method that the lambda calls.
    pub(super) member: CalledMember,
    /// True if the lambda calls a constructor.
    pub(super) makes_object: bool,
}

/// A method, identified by its names.
#[derive(Debug, Clone)]
pub(super) struct CalledMember {
    pub(super) class: String,
    pub(super) name: String,
    pub(super) descriptor: String,
}

impl CalledMember {
    pub(super) fn as_reference(&self) -> MemberReference<'_> {
        MemberReference {
            kind: MemberKind::Method,
            class: Cow::Borrowed(&self.class),
            name: Cow::Borrowed(&self.name),
            descriptor: Cow::Borrowed(&self.descriptor),
        }
    }
}

impl<'c> Lambda<'c> {
    /// The lambda that the instruction at a bytecode index creates. `None` if the instruction creates no lambda.
    pub(super) fn at(context: &Rc<Context<'c>>, bytecode_index: u32) -> Option<Self> {
        let instruction = context.flow.instructions.get(&bytecode_index).filter(|it| it.opcode == 0xba)?;
        let (kind, member) = called(context, instruction.constant()?)?;
        let makes_object = kind == NEW_INVOKE_SPECIAL;
        Some(Self { maker: (Rc::clone(context), bytecode_index), member, makes_object })
    }
}

fn called(context: &Context<'_>, constant: u16) -> Option<(u8, CalledMember)> {
    let file = &context.class.file;
    let Constant::InvokeDynamic { bootstrap, .. } = file.constants.get(constant)? else { return None };
    let bootstrap = file.bootstrap_methods.get(usize::from(bootstrap))?;
    let Constant::MethodHandle { member, .. } = file.constants.get(bootstrap.method)? else { return None };
    if file.constants.member(member)?.class != METAFACTORY {
        return None;
    }
    // The arguments are the type of the interface method, the method to call, and the interface method's type at this
    // place.
    let Constant::MethodHandle { kind, member } = file.constants.get(*bootstrap.arguments.get(1)?)? else {
        return None;
    };
    let member = file.constants.member(member)?;
    let called = CalledMember {
        class: member.class.into_owned(),
        name: member.name.into_owned(),
        descriptor: member.descriptor.into_owned(),
    };
    Some((kind, called))
}
