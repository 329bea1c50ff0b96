//! The objects for which a value is followed.

use crate::class_file::MemberReference;
use crate::edit_site::known_classes::{KnownClasses, is_jdk_class};

/// The objects for which a value is followed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted<'r> {
    /// Objects of these classes, or results of these methods. Objects inside wrappers are also wanted.
    Classes(&'r [String]),
    /// Any value.
    Anything,
    /// New objects of this class or of a subclass.
    Object(&'r str),
    /// New objects on which a method is called, lambdas included.
    Target,
}

impl Wanted<'_> {
    pub(super) fn takes_anything(&self) -> bool {
        matches!(self, Self::Anything)
    }

    /// True if objects inside a wrapper are also wanted.
    pub(super) fn looks_through(&self) -> bool {
        matches!(self, Self::Classes(_))
    }

    /// True if a new object of this class is wanted.
    pub(super) fn takes_class(&self, class: &str, classes: &KnownClasses<'_>) -> bool {
        match self {
            Self::Anything | Self::Target => true,
            Self::Object(wanted) => classes.is_subtype(class, wanted),
            Self::Classes(wanted) => {
                // For a JDK class, only the exact class matches. Its subclasses often already have the fix, such as a
                // buffer.
                let names = if is_jdk_class(class) { vec![class.to_owned()] } else { classes.ancestors(class) };
                wanted.iter().any(|pattern| names.iter().any(|name| fits(pattern, name)))
            }
        }
    }

    /// True if the result of this method, or the value of this field, is wanted.
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

/// True if a name matches a pattern. The pattern can end with `*`.
fn fits(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |start| name.starts_with(start))
}
