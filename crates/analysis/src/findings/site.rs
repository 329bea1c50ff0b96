//! The question for the edit site: the heaviest stack of a finding, as bytecode places.

use super::candidates::Stacks;
use super::detector::SiteRule;
use super::matching::AnchorPlace;
use super::roles::class_of;
use super::view::{Finding, SiteAnswer};
use crate::CodeSource;
use crate::edit_site::{CallPlace, ClassFiles, SiteQuestion, find_site};
use crate::source_view::JavaClass;
use whittle_model::{FunctionKind, StackIndex};

/// Looks for the edit site of a finding, and adds the texts of its lines where the source is found.
pub(crate) fn add(
    finding: &mut Finding,
    rule: &SiteRule,
    stacks: &Stacks<'_>,
    heaviest: &AnchorPlace,
    code: &dyn CodeSource,
) {
    let called = stacks.called(heaviest);
    let callers: Vec<CallPlace<'_>> = stacks.upwards(heaviest.calling).filter_map(|row| place(stacks, row)).collect();
    let called: Vec<CallPlace<'_>> = called.into_iter().filter_map(|row| place(stacks, row)).collect();
    let _ = (&callers, &called, rule, code);
    finding.site = SiteAnswer::NotFound { reason: "looking for it is not built yet".to_owned() };
}

/// A Java frame as a place in bytecode.
fn place<'a>(stacks: &Stacks<'a>, row: StackIndex) -> Option<CallPlace<'a>> {
    let (tables, frame) = (stacks.tables, stacks.frame(row).row());
    let function = stacks.function(row).row();
    if tables.functions.kind[function] != FunctionKind::Java {
        return None;
    }
    let internal_name = tables.functions.internal_name[function].as_str();
    let class = class_of(internal_name);
    let (name, descriptor) = internal_name.find('(').map_or((internal_name, ""), |at| internal_name.split_at(at));
    let method = name.rsplit_once('.').map_or(name, |(_, method)| method);
    Some(CallPlace {
        class,
        method,
        descriptor,
        bytecode_index: tables.frames.bytecode_index[frame],
        line: tables.frames.line[frame],
    })
}
