//! The class files of the observed program, kept so that its code can be looked at elsewhere and later.

use crate::identity::ContentHash;

table! {
    /// One row per class of the program that was on a stack, then those of its classes that they refer to.
    pub table ArchiveTable of ArchivedClass named "archive" {
        /// The class name in the JVM, for example `java/lang/String`.
        class_name: String,
        /// Path of the jar, folder or module that it was loaded from; empty: unknown.
        origin: String,
        /// XXH3-128 of the class file. Missing: there is none.
        digest: Option<ContentHash>,
        /// The class file. Missing: bytes unavailable, for example of a generated class.
        bytes: Option<Vec<u8>>,
    }
}
