//! The class files of the observed program. With these files, its code can be read later and on other machines.

use crate::identity::ContentHash;

table! {
    /// One row per class of the program that was on a stack. These rows are followed by one row per other class of the
    /// program that these classes refer to.
    pub table ArchiveTable of ArchivedClass named "archive" {
        /// The class name in the JVM, for example `java/lang/String`.
        class_name: String,
        /// Path of the jar, folder or module that the class was loaded from; empty: unknown.
        origin: String,
        /// XXH3-128 of the class file. Missing: there is no class file.
        digest: Option<ContentHash>,
        /// The class file. Missing: not available, for example for a generated class.
        bytes: Option<Vec<u8>>,
    }
}
