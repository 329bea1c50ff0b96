//! Frame categories in the Firefox Profiler's format. They show the function kind and how the function was executing.

use serde_json::{Value, json};
use whittle_model::FunctionKind;

/// The first subcategory of each category. It represents the category itself.
const OTHER: &str = "Other";

/// Categories with their colours and subcategories, in the order of [`category`].
const CATEGORIES: [(&str, &str, &[&str]); 6] = [
    (OTHER, "grey", &[OTHER]),
    ("Java", "green", &[OTHER, "Interpreted", "C1", "C2/JIT", "Inlined"]),
    ("Native", "blue", &[OTHER, "Inlined"]),
    ("JVM", "purple", &[OTHER]),
    ("Kernel", "orange", &[OTHER]),
    ("Stub", "brown", &[OTHER]),
];

/// The category for a kind of function.
pub(super) fn category(kind: FunctionKind) -> usize {
    match kind {
        FunctionKind::Pseudo => 0,
        FunctionKind::Java => 1,
        FunctionKind::Native => 2,
        FunctionKind::Jvm => 3,
        FunctionKind::Kernel => 4,
        FunctionKind::Stub => 5,
    }
}

/// The position of the subcategory `name` in a category, or 0 if the subcategory does not exist.
pub(super) fn subcategory(category: usize, name: &str) -> usize {
    CATEGORIES[category].2.iter().position(|known| *known == name).unwrap_or(0)
}

/// Makes the table `categories`.
pub(super) fn table() -> Vec<Value> {
    CATEGORIES
        .iter()
        .map(|(name, color, subcategories)| json!({"name": name, "color": color, "subcategories": subcategories}))
        .collect()
}
