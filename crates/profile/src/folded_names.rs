//! The names of folded frames: `<23 framework frames>`. There is one name for each length of a run.

use std::sync::LazyLock;

/// Fewer frames in a row are not folded.
pub(crate) const FEWEST_FRAMES: u32 = 4;

/// Longer runs of frames have the name of the longest run.
pub(crate) const MOST_FRAMES: u32 = 200;

/// Number of different names.
pub(crate) const NAMES_COUNT: u32 = MOST_FRAMES - FEWEST_FRAMES + 1;

/// The names, the shortest run first.
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let name = |frames: u32| match frames {
        MOST_FRAMES => format!("<{MOST_FRAMES} framework frames or more>"),
        _ => format!("<{frames} framework frames>"),
    };
    (FEWEST_FRAMES..=MOST_FRAMES).map(name).collect()
});

/// The name of folded frames, by its number.
pub(crate) fn folded_name(number: u32) -> Option<&'static str> {
    NAMES.get(number as usize).map(String::as_str)
}
