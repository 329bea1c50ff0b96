//! Views over stack weights: functions, callers-callees, call tree. No I/O.
//!
//! [`Profile::load`] takes a manifest and tables; each view is a method of [`Profile`] that takes a
//! [`Query`] and answers in typed rows; [`render`] turns any answer into text, CSV or JSON.
//!
//! ```text
//! samples ── filter ──> one weight per observed stack ── view mode ──> one weight per node of a
//! prefix tree of functions (or lines) ──> exclusive, inclusive and attributed values
//! ```
//!
//! Everything here is computed from what it is given: no files, no clock, no threads, and it also
//! builds for the browser.

mod attribution;
mod binary_answer;
mod cache;
mod calibration;
mod call_tree;
mod callers_callees;
mod calling_function;
pub mod class_file;
mod code_groups;
pub mod compare;
mod edit_site;
mod ends_before;
pub mod engine;
mod entity_tree;
mod error;
mod export;
mod filter;
pub mod findings;
mod flame_graph;
mod fragment;
mod function_details;
mod function_name;
mod functions;
mod functions_by_part;
mod jdk_classes;
mod latency;
mod lexer;
mod lines;
mod markdown_text;
mod metrics;
mod order;
mod ordered_map;
mod overview;
mod own_cost;
pub mod packed;
mod pattern;
mod profile;
mod query;
mod reduction;
pub mod regressions;
mod render;
mod samples;
mod selection;
mod shown_frames;
mod side;
mod source_view;
mod stack_at;
mod stacks;
mod stat;
mod stat_advice;
mod stat_view;
pub mod stats;
mod suggest;
mod syscall_groups;
mod syscalls;
mod system_libraries;
mod target;
mod thread_times;
mod threads;
mod timeline;
mod transform;
mod tree_rows;
pub mod verify;
mod view_mode;
mod weights;

pub use calibration::CalibrationLine;
pub use call_tree::{CallTreeView, PercentOf, TreeRow, TreeShape};
pub use callers_callees::CallersCalleesView;
pub use error::AnalysisError;
pub use export::{Export, ExportFormat};
pub use filter::{Filter, FilterError};
pub use flame_graph::{Boxes, Direction, FlameGraphShape, FlameGraphView, SearchMatch, SearchResult, ZoomStep};
pub use fragment::Fragment;
pub use function_details::{FunctionDetailsView, FunctionFields};
pub use functions::{FunctionRow, FunctionsView};
pub use functions_by_part::{FunctionParts, FunctionShare, Parts};
pub use lines::{LineRow, LinesView};
pub use metrics::{Column, Flavour, MetricTerm, MetricTerms, SortTerm};
pub use overview::{LossLine, OverviewView};
pub use profile::Profile;
pub use query::{Preamble, Query, TransformLine, Values};
pub use render::{DrawnCell, DrawnColumn, DrawnTable, DrawnTexts, Format, Sheet, Style, View, render};
pub use side::Side;
pub use source_view::{
    CodeSource, Disassembly, JavaClass, ListedFunction, Listing, ListingKind, MachineInstruction, NativeCode, NoFiles,
    RowKind, SourceRow, SourceText, SourceView,
};
pub use stack_at::{Moment, StackAtView, StackFrame};
pub use stacks::{StackRow, StacksView};
pub use stat_advice::Advice;
pub use stat_view::{ClassCpu, CounterSummary, StatCall, StatResources, StatSyscalls, StatView, UnitRate};
pub use suggest::{Suggestion, Suggestions};
pub use syscalls::{SyscallFigures, SyscallKey, SyscallKeys, SyscallRow, SyscallsView};
pub use thread_times::ReasonTime;
pub use threads::{ThreadRow, ThreadsView};
pub use timeline::{
    TimelineCounter, TimelineHeader, TimelineShape, TimelineSource, TimelineState, TimelineThread, TimelineView,
};
pub use transform::{Transform, TransformError};
pub use tree_rows::{TreeRowsShape, TreeRowsView, TreeWindowRow};
pub use view_mode::ViewMode;
