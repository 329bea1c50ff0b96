//! Formats operands as text. The text is the same as in `javap`, but with the class of every member.

use crate::class_file::{BootstrapMethod, ClassFile, Constant, Instruction, Operands};
use std::borrow::Cow;
use std::fmt::Write;

/// The text for a reference to a missing constant.
const UNKNOWN: &str = "?";

/// The operand of an instruction as text. Empty if the instruction has no operand.
pub(super) fn operand_words(class: &ClassFile<'_>, instruction: &Instruction) -> String {
    match &instruction.operands {
        Operands::None => String::new(),
        Operands::Immediate(number) => number.to_string(),
        Operands::Local(slot) => slot.to_string(),
        Operands::Increment(slot, by) => format!("{slot}, {by}"),
        Operands::Constant(index) | Operands::InterfaceCall(index, _) => constant_words(class, *index),
        Operands::Branch(target) => target.to_string(),
        Operands::NewArray(code) => element_type(*code).to_owned(),
        Operands::MultiArray(index, dimensions) => format!("{}, {dimensions}", constant_words(class, *index)),
        Operands::Switch(cases, default) => switch_words(cases, *default),
    }
}

fn switch_words(cases: &[(i32, i32)], default: i32) -> String {
    let mut words = String::from("{ ");
    for (value, target) in cases {
        // Writing to a string cannot fail.
        let _ = write!(words, "{value}: {target}, ");
    }
    words + &format!("default: {default} }}")
}

/// The name of a primitive type, by its code in the instruction `newarray`.
pub(crate) fn element_type(code: u8) -> &'static str {
    const TYPES: [&str; 8] = ["boolean", "char", "float", "double", "byte", "short", "int", "long"];
    code.checked_sub(4).and_then(|row| TYPES.get(usize::from(row))).copied().unwrap_or(UNKNOWN)
}

fn constant_words(class: &ClassFile<'_>, index: u16) -> String {
    let constants = &class.constants;
    let or_unknown = |text: Option<Cow<'_, str>>| text.map_or_else(|| UNKNOWN.to_owned(), Cow::into_owned);
    match constants.get(index) {
        None => UNKNOWN.to_owned(),
        Some(Constant::Integer(number)) => number.to_string(),
        Some(Constant::Long(number)) => format!("{number}l"),
        Some(Constant::Float(number)) => format!("{number:?}f"),
        Some(Constant::Double(number)) => format!("{number:?}d"),
        Some(Constant::Class { .. }) => or_unknown(constants.class_name(index)),
        Some(Constant::String { text }) => {
            constants.text(text).map_or_else(|| UNKNOWN.to_owned(), |text| quoted(&text))
        }
        Some(Constant::Member { .. }) => member_words(class, index),
        Some(Constant::MethodHandle { member, .. }) => member_words(class, member),
        Some(Constant::MethodType { descriptor }) => or_unknown(constants.text(descriptor)),
        Some(Constant::Dynamic { bootstrap, name_and_type } | Constant::InvokeDynamic { bootstrap, name_and_type }) => {
            let target = class.bootstrap_methods.get(usize::from(bootstrap)).and_then(|made| made_for(class, made));
            let target = target.map_or_else(String::new, |target| format!(" for {target}"));
            name_and_type_words(class, name_and_type) + &target
        }
        Some(Constant::NameAndType { .. }) => name_and_type_words(class, index),
        Some(Constant::Utf8(_)) => or_unknown(constants.text(index)),
        Some(Constant::Module { name } | Constant::Package { name }) => or_unknown(constants.text(name)),
        Some(Constant::Unused) => UNKNOWN.to_owned(),
    }
}

/// The field or method that a constant names: `java/io/OutputStream.write:(I)V`.
fn member_words(class: &ClassFile<'_>, index: u16) -> String {
    let member = class.constants.member(index);
    member
        .map_or_else(|| UNKNOWN.to_owned(), |member| format!("{}.{}:{}", member.class, member.name, member.descriptor))
}

fn name_and_type_words(class: &ClassFile<'_>, index: u16) -> String {
    let known = class.constants.name_and_type(index);
    known.map_or_else(|| UNKNOWN.to_owned(), |(name, descriptor)| format!("{name}:{descriptor}"))
}

/// The method that a lambda or method reference calls. Its handle is one of the bootstrap method's arguments.
fn made_for(class: &ClassFile<'_>, bootstrap: &BootstrapMethod) -> Option<String> {
    bootstrap.arguments.iter().find_map(|argument| match class.constants.get(*argument)? {
        Constant::MethodHandle { member, .. } => Some(member_words(class, member)),
        _ => None,
    })
}

/// The text in quotes. Unprintable characters are escaped as in a Java source.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
