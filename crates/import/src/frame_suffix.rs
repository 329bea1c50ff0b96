//! The suffixes that async-profiler uses for frame kinds in text.

use whittle_model::FrameKind;

/// The suffix of kernel frames.
pub(crate) const KERNEL_SUFFIX: &str = "_[k]";

/// The suffixes and their frame kinds.
pub(crate) const SUFFIXES: [(&str, FrameKind); 5] = [
    (KERNEL_SUFFIX, FrameKind::Kernel),
    ("_[j]", FrameKind::Jit),
    ("_[i]", FrameKind::Inlined),
    ("_[0]", FrameKind::Interpreted),
    ("_[1]", FrameKind::C1),
];
