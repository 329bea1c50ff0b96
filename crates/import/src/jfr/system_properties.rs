//! The JVM's system properties that tell where its classes come from and which Java it is.
//!
//! A recording has them as the JVM got them (`jdk.InitialSystemProperty`): what the program sets later is not
//! there, nor what Java code sets while it starts, such as `user.dir`. Others than the kept ones are not read:
//! they can hold passwords.

use std::collections::BTreeMap;

/// The properties that are kept. `user.dir` and `java.version` are in no recording; who asks the JVM itself
/// can add them.
const KEPT: [&str; 6] =
    ["java.class.path", "jdk.module.path", "java.home", "java.version", "java.vm.specification.version", "user.dir"];

/// Longer values are no paths of a real program.
const MAX_VALUE_BYTES: usize = 1 << 20;

/// async-profiler writes no more of a text than this (`MAX_STRING_LENGTH` of its `buffer.h`): a class path of a
/// hundred long names is longer.
const CUT_BYTES: usize = 8191;

/// Where the classes of a JVM come from, in its own words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SystemProperties(BTreeMap<String, String>);

/// The entries of a property that holds paths with `:` between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathList<'a> {
    /// The entries in order; an empty one means the working directory.
    pub entries: Vec<&'a str>,
    /// True if the recording holds the start of the list only; the entry that was cut through is left out.
    pub is_cut: bool,
}

impl SystemProperties {
    /// The value of property `key`, if it is one of those that are kept and the JVM had it.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// Sets a property, unless it is none of those that are kept or its value is no path of a real program.
    pub fn set(&mut self, key: &str, value: &str) {
        if Self::keeps(key) && value.len() <= MAX_VALUE_BYTES {
            self.0.insert(key.to_owned(), value.to_owned());
        }
    }

    /// True if property `key` is one of those that are kept.
    pub fn keeps(key: &str) -> bool {
        KEPT.contains(&key)
    }

    /// The entries of a property that holds paths, such as `java.class.path`; none if it is empty.
    pub fn paths(&self, key: &str) -> PathList<'_> {
        let value = self.get(key).unwrap_or_default();
        if value.is_empty() {
            return PathList::default();
        }
        let mut entries: Vec<&str> = value.split(':').collect();
        let is_cut = value.len() == CUT_BYTES;
        if is_cut {
            entries.pop();
        }
        PathList { entries, is_cut }
    }

    /// The version of Java without minor numbers, such as 17 or 25; 8 is `1.8` in the JVM's words.
    pub fn java_version(&self) -> Option<u32> {
        let text = self.get("java.version").or_else(|| self.get("java.vm.specification.version"))?;
        let text = text.strip_prefix("1.").unwrap_or(text);
        text.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_kept_properties_are_there() {
        let mut properties = SystemProperties::default();
        properties.set("java.class.path", "/opt/a.jar::lib/b.jar");
        properties.set("database.password", "secret");
        properties.set("java.home", &"x".repeat(MAX_VALUE_BYTES + 1));
        assert_eq!(properties.0.len(), 1);
        let paths = PathList { entries: vec!["/opt/a.jar", "", "lib/b.jar"], is_cut: false };
        assert_eq!(properties.paths("java.class.path"), paths);
        assert_eq!(properties.paths("jdk.module.path"), PathList::default());
    }

    #[test]
    fn a_cut_class_path_loses_the_entry_that_was_cut() {
        let mut properties = SystemProperties::default();
        let long = format!("/opt/a.jar:{}", "y".repeat(CUT_BYTES - "/opt/a.jar:".len()));
        properties.set("java.class.path", &long);
        assert_eq!(properties.paths("java.class.path"), PathList { entries: vec!["/opt/a.jar"], is_cut: true });
    }

    #[test]
    fn versions_of_java() {
        for (key, text, version) in [
            ("java.vm.specification.version", "17", Some(17)),
            ("java.vm.specification.version", "1.8", Some(8)),
            ("java.version", "25.0.3", Some(25)),
            ("java.version", "26-ea", Some(26)),
            ("java.version", "", None),
            ("java.home", "17", None),
        ] {
            let mut properties = SystemProperties::default();
            properties.set(key, text);
            assert_eq!(properties.java_version(), version, "{key}={text}");
        }
    }
}
