//! Transforms remove or collapse frames of the shown stacks.
//!
//! ```text
//! focus "A.f"                 only stacks with A.f, from its outermost occurrence on
//! merge "A.f"                 frames of A.f are removed; their caller gets their cost
//! hide "A.f"                  stacks that contain A.f are left out
//! collapse package "java.util"     adjacent frames of the package become one frame, `java.util.*`
//! collapse binary "libc.so.6"      adjacent frames of the binary become one frame, `libc.so.6`
//! collapse recursion "A.f"    frames from the outermost to the deepest A.f become one frame
//! collapse recursion          recursive frames of every function become one frame
//! fold frameworks             the frames of frameworks that lead to own code become one frame
//! ```
//!
//! `focus`, `merge` and `hide` also accept `package "…"` and `binary "…"` instead of a function.

mod apply;
mod built;
mod fold;
mod language;
mod members;

pub use language::{Transform, TransformError};
