//! Packages that are known by name: widespread libraries, libraries of languages, and packages of organisations.

use whittle_profile::frameworks::is_framework;

/// The libraries of languages other than Java. Many programs contain them in their own jar.
const LANGUAGE_LIBRARIES: &[&str] =
    &["kotlin/", "kotlinx/coroutines/", "scala/", "groovy/lang/", "org/codehaus/groovy/", "clojure/"];

/// True for a class in the library of a language.
pub(crate) fn is_of_language(class: &str) -> bool {
    LANGUAGE_LIBRARIES.iter().any(|package| class.starts_with(package))
}

/// Packages of libraries that many programs call. They are no program's own.
const LIBRARIES: &[&str] = &[
    "ch/qos/logback/",
    "com/fasterxml/",
    "com/google/common/",
    "com/google/protobuf/",
    "com/mysql/",
    "com/zaxxer/",
    "io/prometheus/",
    "javassist/",
    "org/apache/commons/",
    "org/apache/hc/",
    "org/apache/http/",
    "org/apache/kafka/",
    "org/apache/logging/",
    "org/bouncycastle/",
    "org/hibernate/",
    "org/infinispan/",
    "org/objectweb/asm/",
    "org/postgresql/",
    "org/slf4j/",
];

/// True for a class of a framework or of a widespread library.
pub(crate) fn is_of_others(class: &str) -> bool {
    is_framework(class) || LIBRARIES.iter().any(|library| class.starts_with(library))
}

/// Packages that many organisations share. Three components name a program in them, and two components in others.
const SHARED: &[&str] =
    &["org/apache/", "org/eclipse/", "com/google/", "com/github/", "io/github/", "uk/co/", "br/com/", "au/com/"];

/// The package that names a program or an organisation: `com/acme/` for `com/acme/shop/Main`, `org/apache/kafka/` for
/// `org/apache/kafka/clients/A`. `None`: the class's package has fewer components.
pub(crate) fn of_program(class: &str) -> Option<&str> {
    let components = if SHARED.iter().any(|shared| class.starts_with(shared)) { 3 } else { 2 };
    let end = class.match_indices('/').nth(components - 1)?.0;
    Some(&class[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_that_organisations_share_need_three_components() {
        assert_eq!(of_program("com/acme/shop/A"), Some("com/acme/"));
        assert_eq!(of_program("org/apache/activemq/artemis/A"), Some("org/apache/activemq/"));
        assert_eq!((of_program("Main"), of_program("shop/A")), (None, None));
    }
}
