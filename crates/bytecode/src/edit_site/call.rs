//! Finds the call of a finding: the instruction in the calling method.

use super::context::Context;
use super::instruction;
use super::names;
use super::search::Search;
use super::site::{EditSite, SiteInstruction};
use super::spot::Spot;
use std::rc::Rc;

/// `newarray`, `anewarray`, `multianewarray`.
const NEW_ARRAYS: [u8; 3] = [0xbc, 0xbd, 0xc5];

/// The calling method and its call. If several calls are on the same line and the profile does not distinguish them,
/// there are several indices.
pub(super) struct Calls<'c> {
    pub(super) context: Rc<Context<'c>>,
    pub(super) indices: Vec<u32>,
}

/// Finds the call.
///
/// # Errors
/// The class file is missing, or contains another version of the class.
pub(super) fn locate<'c>(search: &Search<'_, 'c>) -> Result<Calls<'c>, String> {
    let context = calling_method(search)?;
    let place = search.question.callers.first().ok_or("the stack has no calling function")?;
    let called = search.question.called.first();
    let has_name = |name: &str| called.is_none_or(|called| called.method == name);
    let mut indices = context.calls_at(place.bytecode_index, place.line, |member| has_name(&member.name));
    if indices.is_empty() {
        // The profile leaves out frames of generated code, so the instruction can call a different method than the
        // stack shows.
        indices = context.calls_at(place.bytecode_index, None, |_| true);
        indices.retain(|index| Some(*index) == place.bytecode_index);
    }
    let has_type = |index: &u32| {
        called.is_some_and(|called| {
            context.member_at(*index).is_some_and(|member| member.descriptor == called.descriptor)
        })
    };
    if indices.iter().any(has_type) {
        indices.retain(has_type);
    }
    if indices.is_empty() {
        let name = called.map_or_else(|| "a method".to_owned(), |called| format!("{}()", called.method));
        let line = names::line(place.line);
        return Err(format!(
            "the class file of {} does not call {name} in {line}. The class file may contain another version of the class",
            names::class(place.class)
        ));
    }
    Ok(Calls { context, indices })
}

/// The calling method.
///
/// # Errors
/// The class file is missing or does not contain the method.
pub(super) fn calling_method<'c>(search: &Search<'_, 'c>) -> Result<Rc<Context<'c>>, String> {
    let place = search.question.callers.first().ok_or("the stack has no calling function")?;
    if search.classes.get(place.class).is_none() {
        return Err(format!(
            "the class file of {} was not found, neither in the experiment nor elsewhere",
            names::class(place.class)
        ));
    }
    search
        .context_of_frame(0)
        .ok_or_else(|| format!("the class file of {} has no {}", names::class(place.class), place.method))
}

/// The creation of an array, which is no call of a Java method.
fn new_array(search: &Search<'_, '_>) -> Option<EditSite> {
    let place = search.question.callers.first().filter(|_| search.question.called.is_empty())?;
    let context = calling_method(search).ok()?;
    let index =
        place.bytecode_index.filter(|index| context.opcode(*index).is_some_and(|it| NEW_ARRAYS.contains(&it)))?;
    Some(Spot::new(&context, index).site(Vec::new()))
}

/// The calling line itself as the line to edit.
pub(super) fn calling_line(search: &Search<'_, '_>) -> Result<EditSite, String> {
    let place = search.question.callers.first().ok_or("the stack has no calling function")?;
    if let Some(site) = new_array(search) {
        return Ok(site);
    }
    if let Ok(Calls { context, indices }) = locate(search)
        && let Some(index) = indices.first()
    {
        let mut site = Spot::new(&context, *index).site(Vec::new());
        site.line = site.line.or(place.line);
        // Another call on the line could be the costly one.
        site.instruction = site.instruction.filter(|_| indices.len() == 1);
        return Ok(site);
    }
    let class = search.classes.get(place.class);
    let called = search.question.called.first();
    Ok(EditSite {
        class: place.class.to_owned(),
        method: place.method.to_owned(),
        file: class.and_then(|class| class.file.source_file.as_deref().map(str::to_owned)),
        line: place.line,
        what: called.map_or_else(
            || "the call".to_owned(),
            |called| format!("the call of {}.{}", names::class(called.class), called.method),
        ),
        text: None,
        steps: Vec::new(),
        others: Vec::new(),
        field: None,
        constant: None,
        instruction: concatenation(search, place.bytecode_index),
    })
}

/// The concatenation of texts at the place. It calls no method that the class file names.
fn concatenation(search: &Search<'_, '_>, bytecode_index: Option<u32>) -> Option<SiteInstruction> {
    instruction::concatenation(&*calling_method(search).ok()?, bytecode_index?)
}
