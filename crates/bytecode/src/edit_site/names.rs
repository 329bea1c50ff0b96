//! Readable names of classes, fields, methods and types.

use crate::class_file::MemberReference;

/// A class as displayed: `java.io.File`.
pub(super) fn class(name: &str) -> String {
    name.replace('/', ".")
}

/// The class's name in the source: `CrcOut` for `c01/Slow$CrcOut`.
pub(super) fn simple_class(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    let inner = name.rsplit('$').next().unwrap_or(name);
    if inner.is_empty() || inner.starts_with(|first: char| first.is_ascii_digit()) { name } else { inner }
}

/// A field as displayed: `CrcOut.w`.
pub(super) fn field(owner: &str, name: &str) -> String {
    format!("{}.{name}", simple_class(owner))
}

/// A member as displayed: `java.io.OutputStream.write`.
pub(super) fn member(member: &MemberReference<'_>) -> String {
    format!("{}.{}", class(&member.class), member.name)
}

/// A line as displayed: `line 5`.
pub(super) fn line(line: Option<u32>) -> String {
    line.map_or_else(|| "line unknown".to_owned(), |line| format!("line {line}"))
}

/// A type by its descriptor: `java.io.OutputStream`, `byte[]`.
pub(super) fn type_name(descriptor: &str) -> String {
    let element = descriptor.trim_start_matches('[');
    let name = match element {
        "Z" => "boolean".to_owned(),
        "B" => "byte".to_owned(),
        "C" => "char".to_owned(),
        "S" => "short".to_owned(),
        "I" => "int".to_owned(),
        "J" => "long".to_owned(),
        "F" => "float".to_owned(),
        "D" => "double".to_owned(),
        other => class(other.strip_prefix('L').unwrap_or(other).trim_end_matches(';')),
    };
    name + &"[]".repeat(descriptor.len() - element.len())
}
