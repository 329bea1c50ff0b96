//! The user's settings that decide which code is the program's own.

use whittle_profile::roles::NamedPackages;

/// Packages that decide who wrote a class. The longest matching package decides. Without packages, the origins of
/// classes decide.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FindingsOptions {
    /// Packages of the program's own code, with dots: `com.acme`.
    pub own: Vec<String>,
    /// Packages of third parties.
    pub third_party: Vec<String>,
}

impl FindingsOptions {
    /// The packages whose owner the user named.
    pub fn packages(&self) -> NamedPackages<'_> {
        NamedPackages { own: &self.own, third_party: &self.third_party }
    }
}
