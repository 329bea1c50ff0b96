//! Texts that a line makes only to pass them to a logger.
//!
//! ```java
//! LOG.debug("section " + section);        // the text is made even if the level is off
//! LOG.debug("section {}", section);       // the text is made only if the level is on
//! ```

use super::context::Context;
use super::search::Search;
use super::value::Origin;
use std::rc::Rc;

/// Classes and interfaces of loggers.
const LOGGERS: [&str; 12] = [
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
    "io/vertx/core/impl/logging/Logger",
];
const INVOKE_DYNAMIC: u8 = 0xba;

/// What a line with a logged text does at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogUse {
    /// It makes the text.
    Text,
    /// It calls the logger.
    Call,
}

/// What the first caller of the question does for a logger. `None`: nothing, or the method asks whether the level is on.
pub(super) fn log_use(search: &Search<'_, '_>) -> Option<LogUse> {
    let context = search.context_of_frame(0)?;
    let at = search.question.callers.first()?.bytecode_index?;
    if calls_of_loggers(&context).any(|(_, name)| name.ends_with("Enabled") || name == "isLoggable") {
        return None;
    }
    let line = context.line(at)?;
    let is_text = |origin: &Origin| match origin {
        Origin::At(index) => context.line(*index) == Some(line) && makes_text(&context, *index),
        _ => false,
    };
    let with_text = calls_of_loggers(&context).filter(|(index, _)| {
        let arguments = context.flow.operands_at(*index).iter().skip(1);
        arguments.flat_map(|value| value.origins()).any(|origin| is_text(origin))
    });
    let calls: Vec<u32> = with_text.map(|(index, _)| index).collect();
    match calls.as_slice() {
        [] => None,
        calls if calls.contains(&at) => Some(LogUse::Call),
        _ => Some(LogUse::Text),
    }
}

/// The calls of loggers, each with the name of the called method.
fn calls_of_loggers(context: &Rc<Context<'_>>) -> impl Iterator<Item = (u32, String)> {
    let calls = [0xb6, 0xb8, 0xb9].into_iter().flat_map(|opcode| context.member_instructions(opcode));
    let of_loggers = calls.filter(|(_, member)| LOGGERS.contains(&member.class.as_ref()));
    of_loggers.map(|(index, member)| (index, member.name.into_owned()))
}

/// Whether an instruction concatenates or formats a text. The text of a field or of a getter exists already.
fn makes_text(context: &Rc<Context<'_>>, index: u32) -> bool {
    let is_string =
        context.call_descriptor(index).is_some_and(|descriptor| descriptor.ends_with(")Ljava/lang/String;"));
    let member = context.member_at(index);
    let is_made = match context.opcode(index) {
        Some(INVOKE_DYNAMIC) => true,
        Some(_) => member.is_some_and(|member| {
            let class = member.class.as_ref();
            let is_builder = matches!(class, "java/lang/StringBuilder" | "java/lang/StringBuffer");
            let is_format = class == "java/lang/String"
                && matches!(member.name.as_ref(), "format" | "formatted" | "join" | "concat");
            is_builder || is_format
        }),
        None => false,
    };
    is_string && is_made
}
