//! The declaration of a field and everything that uses it.

use super::context::{Context, Entered};
use super::member_uses::FieldKey;
use super::names;
use super::search::Search;
use super::site::{FieldUse, OtherSite};
use super::spot::Spot;
use super::value::Origin;
use crate::class_file::Field;
use std::rc::Rc;

/// Maximum number of uses that the answer names.
const MAX_USES: usize = 20;

/// A field and its uses, without the calling line and the lines to edit. `None` if the field's class is unknown.
pub(super) fn of<'c>(
    search: &Search<'_, 'c>,
    key: &FieldKey,
    (call, spots): ((&Rc<Context<'c>>, u32), &[Spot<'c>]),
) -> Option<FieldUse> {
    let class = search.classes.get(&key.class)?;
    let is_it = |field: &&Field<'_>| field.name == key.name && field.descriptor == key.descriptor;
    let field = class.file.fields.iter().find(is_it)?;
    let calling = Spot::new(call.0, call.1).other();
    let sites: Vec<OtherSite> = spots.iter().map(Spot::other).collect();
    let is_known = |found: &OtherSite| {
        [&calling].into_iter().chain(&sites).any(|site| site.function == found.function && site.line == found.line)
    };
    let mut uses: Vec<OtherSite> = Vec::new();
    for found in search.uses.of_field(&search.classes, key) {
        let Some(context) = Context::new(found.class, found.method, Entered::Unknown) else { continue };
        let what = what_is_done(&context, found.bytecode_index, &key.name);
        let spot = Spot { what, ..Spot::new(&context, found.bytecode_index) };
        let other = OtherSite { instruction: None, ..spot.other() };
        if !is_known(&other) && !uses.contains(&other) && uses.len() < MAX_USES {
            uses.push(other);
        }
    }
    Some(FieldUse {
        field: format!("{}.{}", names::class(&key.class), key.name),
        declaration: declaration(field),
        line: None,
        uses,
    })
}

/// The declaration as in the source, built from flags and type: `private final java.io.OutputStream w`.
pub(super) fn declaration(field: &Field<'_>) -> String {
    const FLAGS: [(u16, &str); 7] = [
        (0x0001, "public "),
        (0x0002, "private "),
        (0x0004, "protected "),
        (0x0008, "static "),
        (0x0010, "final "),
        (0x0040, "volatile "),
        (0x0080, "transient "),
    ];
    let flags = FLAGS.iter().filter(|(bit, _)| field.access_flags & bit != 0).map(|(_, word)| *word);
    format!("{}{} {}", flags.collect::<String>(), names::type_name(&field.descriptor), field.name)
}

/// Describes how an instruction uses a field: `w.close()`, `w = …`.
fn what_is_done(context: &Rc<Context<'_>>, index: u32, name: &str) -> String {
    if matches!(context.opcode(index), Some(0xb3 | 0xb5)) {
        return format!("{name} = …");
    }
    let taken_at = context.flow.operands.range(index..).find_map(|(user, values)| {
        let place = values.iter().position(|value| value.contains(Origin::At(index)))?;
        Some((*user, place))
    });
    let Some((user, place)) = taken_at else { return format!("reads {name}") };
    match (context.opcode(user), context.member_at(user)) {
        (Some(0xb6 | 0xb7 | 0xb9), Some(member)) if place == 0 => {
            let dots = if member.descriptor.starts_with("()") { "" } else { "…" };
            format!("{name}.{}({dots})", member.name)
        }
        (Some(0xb6..=0xb9), Some(member)) if member.name == "<init>" => {
            format!("new {}({name})", names::class(&member.class))
        }
        (Some(0xb6..=0xb9), Some(member)) => format!("{}({name})", names::member(&member)),
        (Some(0xb3 | 0xb5), Some(member)) => format!("{} = {name}", names::field(&member.class, &member.name)),
        (Some(0xb4), Some(member)) => format!("{name}.{}", member.name),
        (Some(0xb0), _) => format!("return {name}"),
        (Some(0xc2), _) => format!("synchronized ({name})"),
        _ => format!("reads {name}"),
    }
}
