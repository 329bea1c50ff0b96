//! The suffixes with which async-profiler marks the kind of a frame in text.

use whittle_model::FrameKind;

/// The suffix of kernel frames.
pub(crate) const KERNEL_SUFFIX: &str = "_[k]";

/// The suffixes and their kinds of frame.
pub(crate) const SUFFIXES: [(&str, FrameKind); 5] = [
    (KERNEL_SUFFIX, FrameKind::Kernel),
    ("_[j]", FrameKind::Jit),
    ("_[i]", FrameKind::Inlined),
    ("_[0]", FrameKind::Interpreted),
    ("_[1]", FrameKind::C1),
];
