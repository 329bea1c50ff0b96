//! The JVM's system properties with the origins of its classes and the version of Java.
//!
//! A recording has the initial properties of the JVM (`jdk.InitialSystemProperty`). It does not have properties that
//! Java code sets later or during the JVM's start, such as `user.dir`. Other properties are not read, because they can
//! contain passwords.

use std::collections::BTreeMap;

/// The kept properties. `user.dir` and `java.version` are in no recording. A caller that queries the JVM can add them.
const KEPT: [&str; 6] =
    ["java.class.path", "jdk.module.path", "java.home", "java.version", "java.vm.specification.version", "user.dir"];

/// Maximum length of a value. Paths of real programs are shorter.
const MAX_VALUE_BYTES: usize = 1 << 20;

/// async-profiler cuts texts at this length (`MAX_STRING_LENGTH` in its `buffer.h`). A class path with a hundred long
/// names is longer.
const CUT_BYTES: usize = 8191;

/// The kept properties, with the names that the JVM uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SystemProperties(BTreeMap<String, String>);

/// The entries of a property that contains paths, separated by `:`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathList<'a> {
    /// The entries in order. An empty entry means the working directory.
    pub entries: Vec<&'a str>,
    /// True if the recording has only the start of the list. The entry at the cut is left out.
    pub is_cut: bool,
}

impl SystemProperties {
    /// The value of property `key`, if the property is kept and the JVM has set the property.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// Sets a property if it is kept, unless the value is longer than paths of real programs.
    pub fn set(&mut self, key: &str, value: &str) {
        if Self::keeps(key) && value.len() <= MAX_VALUE_BYTES {
            self.0.insert(key.to_owned(), value.to_owned());
        }
    }

    /// True if property `key` is kept.
    pub fn keeps(key: &str) -> bool {
        KEPT.contains(&key)
    }

    /// The entries of a property with paths, such as `java.class.path`. Empty if the property is empty.
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

    /// The version of Java without minor numbers, such as 17 or 25. The JVM's `1.8` becomes 8.
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
