//! What a value is followed for.

use super::known_classes::{KnownClasses, is_jdk_class};
use crate::class_file::MemberReference;

/// What a value is followed for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted<'r> {
    /// Objects of these classes, or what these methods give; wrappers are looked through.
    Classes(&'r [String]),
    /// Whatever it is.
    Anything,
    /// The making of objects of this class, or of one that extends it.
    Object(&'r str),
    /// The making of objects that a method is called on, lambdas included.
    Target,
}

impl Wanted<'_> {
    pub(super) fn takes_anything(&self) -> bool {
        matches!(self, Self::Anything)
    }

    /// True if what is inside an object counts.
    pub(super) fn looks_through(&self) -> bool {
        matches!(self, Self::Classes(_))
    }

    /// True if the making of an object of this class is it.
    pub(super) fn takes_class(&self, class: &str, classes: &KnownClasses<'_>) -> bool {
        match self {
            Self::Anything | Self::Target => true,
            Self::Object(wanted) => classes.is_subtype(class, wanted),
            Self::Classes(wanted) => {
                // Of the JDK's own classes the very one: what extends it often does what is missing.
                let names = if is_jdk_class(class) { vec![class.to_owned()] } else { classes.ancestors(class) };
                wanted.iter().any(|pattern| names.iter().any(|name| fits(pattern, name)))
            }
        }
    }

    /// True if what this method gives, or this field holds, is it.
    pub(super) fn takes_member(&self, member: &MemberReference<'_>, classes: &KnownClasses<'_>) -> bool {
        let Self::Classes(wanted) = self else { return false };
        let is_it = |owner: &str| {
            let name = format!("{owner}.{}", member.name);
            wanted.iter().any(|pattern| pattern.contains('.') && fits(pattern, &name))
        };
        let is_named = wanted.iter().any(|pattern| {
            let name = pattern.rsplit_once('.').map_or("", |(_, name)| name);
            !name.is_empty() && fits(name, &member.name)
        });
        is_named && classes.ancestors(&member.class).iter().any(|owner| is_it(owner))
    }
}

/// True if a pattern, which may end with `*`, fits a name.
fn fits(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |start| name.starts_with(start))
}
