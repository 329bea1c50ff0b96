//! The packages that name programs and organisations.

/// Packages that many organisations share. Three components name a program in them, and two components in others.
const SHARED: &[&str] =
    &["org/apache/", "org/eclipse/", "com/google/", "com/github/", "io/github/", "uk/co/", "br/com/", "au/com/"];

/// The package that names a program or an organisation: `com/acme/` for `com/acme/shop/Main`, `org/apache/kafka/` for
/// `org/apache/kafka/clients/A`. `None`: the class's package has fewer components.
pub fn of_program(class: &str) -> Option<&str> {
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
