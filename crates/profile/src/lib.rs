//! Prepares samples for views: selects and weights them, and shows them as a prefix tree of stacks. No I/O.
//!
//! [`Profile::load`] takes a manifest and tables. A view passes a [`Query`] to the profile:
//!
//! ```text
//! samples ── filter ──> one weight per observed stack ── view mode, transforms ──> one weight per node of a
//! prefix tree of functions (or lines) ──> exclusive, inclusive and attributed values
//! ```
//!
//! The result of everything here depends only on the input: the crate uses no files, no clock and no threads. It also
//! builds for the browser.

pub mod amounts;
pub mod attribution;
pub mod cache;
pub mod code_groups;
pub mod ends_before;
pub mod entity_tree;
mod error;
pub mod filter;
pub mod fragment;
pub mod function_name;
mod kept;
pub mod lexer;
pub mod metrics;
pub mod order;
pub mod ordered_map;
pub mod pattern;
mod profile;
pub mod query;
pub mod ranking;
pub mod reduction;
pub mod samples;
pub mod shown_frames;
pub mod sides;
pub mod system_libraries;
pub mod target;
pub mod transform;
pub mod value_shape;
mod view_mode;
pub mod weights;

pub use error::AnalysisError;
pub use filter::{Filter, FilterError};
pub use fragment::Fragment;
pub use metrics::{Column, Flavour, MetricTerm, MetricTerms, SortTerm};
pub use profile::{FunctionParts, FunctionShare, Parts, Profile, totals};
pub use query::{Preamble, Query, TransformLine, Values};
pub use sides::Side;
pub use transform::{Transform, TransformError};
pub use view_mode::{UnknownViewMode, ViewMode};
