//! What a person may say about whose code is whose.

/// Packages that decide whose code a class is; the longest that fits counts. Nothing said: origins of classes decide.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FindingsOptions {
    /// Packages of the program's own code, with dots: `com.acme`.
    pub own: Vec<String>,
    /// Packages of other people's code.
    pub third_party: Vec<String>,
}
