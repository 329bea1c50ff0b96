//! Texts that a method makes only to pass them to a logger.
//!
//! ```java
//! LOG.debug("section " + section);        // the text is made even if the level is off
//! LOG.debug("section {}", section);       // the text is made only if the level is on
//! ```

use super::context::Context;
use super::value::Origin;
use std::collections::BTreeSet;

/// Classes and interfaces of loggers.
const LOGGERS: [&str; 13] = [
    "org/slf4j/Logger",
    "org/apache/logging/log4j/Logger",
    "org/apache/log4j/Logger",
    "org/apache/log4j/Category",
    "org/apache/commons/logging/Log",
    "org/jboss/logging/Logger",
    "org/jboss/logging/BasicLogger",
    "java/util/logging/Logger",
    "java/lang/System$Logger",
    "ch/qos/logback/classic/Logger",
    "org/tinylog/Logger",
    "io/quarkus/logging/Log",
    "io/vertx/core/impl/logging/Logger",
];
const INVOKE_DYNAMIC: u8 = 0xba;
const INVOKE_STATIC: u8 = 0xb8;
/// A text with more parts is not followed further.
const MOST_PARTS: usize = 200;

/// What a method does at a place for a logger. `call` is the bytecode index of the logger's call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogUse {
    /// It makes the text that this call gets.
    Text {
        /// The logger's call.
        call: u32,
    },
    /// It calls the logger with a text that the method makes.
    Call {
        /// The logger's call.
        call: u32,
    },
}

/// What the instruction at `at` does for a logger. `None`: nothing, or the method checks the level. Arguments that other
/// methods compute are no text: they can be the work that the program has to do anyway.
pub(super) fn log_use(context: &Context<'_>, at: u32) -> Option<LogUse> {
    let is_check = |(_, name): &(u32, String)| name.ends_with("Enabled") || name == "isLoggable";
    let calls = calls_of_loggers(context);
    if calls.iter().any(is_check) {
        return None;
    }
    calls.into_iter().find_map(|(call, _)| {
        let is_for_log = |index: &u32| is_text(context, *index) && is_only_used_by(context, *index, call);
        let texts: Vec<u32> = arguments(context, call).into_iter().filter(is_for_log).collect();
        match texts.as_slice() {
            [] => None,
            _ if call == at => Some(LogUse::Call { call }),
            texts => texts.iter().any(|text| parts(context, *text).contains(&at)).then_some(LogUse::Text { call }),
        }
    })
}

/// The calls of loggers, each with the name of the called method.
fn calls_of_loggers(context: &Context<'_>) -> Vec<(u32, String)> {
    let calls = [0xb6, INVOKE_STATIC, 0xb9].into_iter().flat_map(|opcode| context.member_instructions(opcode));
    let of_loggers = calls.filter(|(_, member)| LOGGERS.contains(&member.class.as_ref()));
    of_loggers.map(|(index, member)| (index, member.name.into_owned())).collect()
}

/// The instructions that make the arguments of a call.
fn arguments(context: &Context<'_>, call: u32) -> Vec<u32> {
    let objects = usize::from(context.opcode(call) != Some(INVOKE_STATIC));
    made_by(context.flow.operands_at(call).iter().skip(objects).flat_map(|value| value.origins()))
}

fn made_by<'v>(origins: impl Iterator<Item = &'v Origin>) -> Vec<u32> {
    let index = |origin: &Origin| if let Origin::At(index) = origin { Some(*index) } else { None };
    origins.filter_map(index).collect()
}

/// Whether an instruction makes a text of several parts. The text of a field or of a getter exists already.
fn is_text(context: &Context<'_>, index: u32) -> bool {
    let descriptor = context.call_descriptor(index);
    let is_string = descriptor.is_some_and(|descriptor| descriptor.ends_with(")Ljava/lang/String;"));
    is_string && (context.opcode(index) == Some(INVOKE_DYNAMIC) || is_of_text_class(context, index))
}

/// Whether no other instruction uses the text.
fn is_only_used_by(context: &Context<'_>, text: u32, call: u32) -> bool {
    let uses = context.flow.operands.iter().filter(|(_, values)| values.iter().any(|it| it.contains(Origin::At(text))));
    uses.map(|(index, _)| *index).all(|index| index == call)
}

fn is_of_text_class(context: &Context<'_>, index: u32) -> bool {
    context.member_at(index).is_some_and(|member| {
        let (class, name) = (member.class.as_ref(), member.name.as_ref());
        let is_builder = matches!(class, "java/lang/StringBuilder" | "java/lang/StringBuffer");
        is_builder
            || class == "java/lang/String" && matches!(name, "format" | "formatted" | "join" | "concat" | "valueOf")
    })
}

/// The instructions that make a text: itself, the calls of its builder, and conversions of its parts.
fn parts(context: &Context<'_>, text: u32) -> BTreeSet<u32> {
    let (mut found, mut open) = (BTreeSet::new(), vec![text]);
    while let Some(index) = open.pop().filter(|_| found.len() < MOST_PARTS) {
        if found.insert(index) {
            let used = made_by(context.flow.operands_at(index).iter().flat_map(|value| value.origins()));
            open.extend(used.into_iter().filter(|part| is_of_text_class(context, *part)));
        }
    }
    found
}
