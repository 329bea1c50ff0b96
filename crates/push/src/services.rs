//! The services that an access token can push.

/// The services that clients with an access token can push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedServices {
    /// Every service.
    All,
    /// The services that match one of these patterns.
    Matching(Vec<ServicePattern>),
}

/// A pattern for names of services.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServicePattern {
    /// The service with this name.
    Name(String),
    /// All services with names that begin with this text.
    Prefix(String),
}

impl AllowedServices {
    /// Parses patterns that are separated by commas, such as `shop,shop-*`.
    ///
    /// # Errors
    /// A pattern is empty, or has a `*` that is not at its end. The error is one sentence.
    pub fn parse(patterns: &str) -> Result<Self, String> {
        patterns.split(',').map(ServicePattern::parse).collect::<Result<_, _>>().map(Self::Matching)
    }

    /// Whether the token can push this service.
    pub fn includes(&self, service: &str) -> bool {
        match self {
            Self::All => true,
            Self::Matching(patterns) => patterns.iter().any(|pattern| pattern.matches(service)),
        }
    }
}

impl ServicePattern {
    fn parse(pattern: &str) -> Result<Self, String> {
        let (name, is_prefix) = pattern.strip_suffix('*').map_or((pattern, false), |prefix| (prefix, true));
        if name.contains('*') || pattern.is_empty() {
            return Err(format!("expected the name of a service, or the start of a name and *; found \"{pattern}\""));
        }
        let name = name.to_owned();
        Ok(if is_prefix { Self::Prefix(name) } else { Self::Name(name) })
    }

    fn matches(&self, service: &str) -> bool {
        match self {
            Self::Name(name) => service == name,
            Self::Prefix(prefix) => service.starts_with(prefix.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_name_or_the_start_of_a_name() {
        let allowed = AllowedServices::parse("shop,pay-*").unwrap();
        let included = |names: &[&str]| names.iter().map(|name| allowed.includes(name)).collect::<Vec<_>>();
        assert_eq!(included(&["shop", "pay-", "pay-eu"]), [true; 3]);
        assert_eq!(included(&["shop-2", "sho", "", "Shop", "pay", "a-pay-eu"]), [false; 6]);
        assert!(AllowedServices::parse("*").unwrap().includes("anything"));
        for wrong in ["", "shop,", "a*b", "**"] {
            assert!(AllowedServices::parse(wrong).is_err(), "{wrong}");
        }
    }
}
