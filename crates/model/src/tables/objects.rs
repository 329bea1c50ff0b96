//! Classes of the objects that samples are about.

table! {
    /// One row per class of objects. Row 0 means "unknown".
    pub table ObjectClassTable of ObjectClass named "object_classes" {
        /// Name of the class, as in Java: `java.util.HashMap$Node`, `byte[]`, `java.lang.String[][]`. Empty only in row 0.
        name: String,
    }
}
