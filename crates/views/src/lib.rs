//! The views of a profile. Each view has a folder with its answer and its layout. This crate does no I/O.
//!
//! A view is a function that takes a [`Profile`](whittle_profile::Profile) and a [`Query`](whittle_profile::Query) and
//! returns typed rows. Each answer implements [`View`](whittle_render::View), which turns it into text, CSV or JSON.

use definition::ViewDefinition;

pub use pool_rows::PoolRows;

pub mod call_tree;
pub mod callers_callees;
mod calling_frame;
pub mod classes;
mod code_source;
pub mod comparison;
pub mod definition;
pub mod experiment;
mod fixed_order;
pub mod flame_graph;
pub mod function;
pub mod functions;
// The page of report files does not show this view, and report files must be small.
#[cfg(not(target_arch = "wasm32"))]
pub mod heat_map;
mod java_method;
// The page of report files does not show this view, and report files must be small.
#[cfg(not(target_arch = "wasm32"))]
pub mod lanes;
pub mod languages;
mod letter_bar;
// The page of report files does not show this view, and report files must be small.
#[cfg(not(target_arch = "wasm32"))]
pub mod lines;
// The page of report files does not show this view, and report files must be small.
#[cfg(not(target_arch = "wasm32"))]
pub mod locks;
pub mod overview;
// The page of report files does not complete packages, and report files must be small.
#[cfg(not(target_arch = "wasm32"))]
pub mod packages;
pub mod pause_figures;
// The page of report files does not show this view yet, and report files must be small.
#[cfg(not(target_arch = "wasm32"))]
pub mod pauses;
mod pool_rows;
#[cfg(not(target_arch = "wasm32"))]
mod processes;
pub mod request;
pub mod requests;
mod sample_times;
pub mod shown_stacks;
pub mod source;
pub mod stack_at;
// The page of report files does not show this view, and report files must be small.
#[cfg(not(target_arch = "wasm32"))]
pub mod stack_chart;
// The page of report files does not show this view, and report files must be small.
#[cfg(not(target_arch = "wasm32"))]
pub mod stacks;
pub mod stat;
pub mod suggest;
pub mod syscalls;
pub mod threads;
pub mod timeline;
mod transfers;
pub mod tree_rows;
mod unused_threads;
mod wait_words;
// The page of report files does not show this view yet, and report files must be small.
#[cfg(not(target_arch = "wasm32"))]
pub mod waits;
// The page of report files does not show this view, and report files must be small.
#[cfg(not(target_arch = "wasm32"))]
pub mod wakers;
mod wakes_missing;

/// Lists the views with the types of their answers.
macro_rules! views {
    ($($(#[$attribute:meta])* $view:ident: $answer:ty,)*) => {
        /// The views, in the order of the programs' help.
        pub const VIEWS: &[ViewDefinition] = &[$($(#[$attribute])* $view::VIEW),*];

        /// Visits the answer type of each view.
        #[cfg(feature = "typescript")]
        pub fn visit_answers(visitor: &mut impl AnswerVisitor) {
            $($(#[$attribute])* visitor.visit::<$answer>($view::VIEW.name());)*
        }
    };
}

views! {
    overview: overview::OverviewView,
    functions: functions::FunctionsView,
    callers_callees: callers_callees::CallersCalleesView,
    call_tree: call_tree::CallTreeView,
    #[cfg(not(target_arch = "wasm32"))]
    stacks: stacks::StacksView,
    #[cfg(not(target_arch = "wasm32"))]
    lines: lines::LinesView,
    threads: threads::ThreadsView,
    syscalls: syscalls::SyscallsView,
    #[cfg(not(target_arch = "wasm32"))]
    waits: waits::WaitsView,
    #[cfg(not(target_arch = "wasm32"))]
    wakers: wakers::WakersView,
    #[cfg(not(target_arch = "wasm32"))]
    locks: wakers::WakersView,
    #[cfg(not(target_arch = "wasm32"))]
    pauses: pauses::PausesView,
    requests: requests::RequestsView,
    classes: classes::ClassesView,
    source: source::SourceView,
    function: function::FunctionDetailsView,
    timeline: timeline::TimelineHeader,
    #[cfg(not(target_arch = "wasm32"))]
    heat_map: heat_map::HeatMapHeader,
    #[cfg(not(target_arch = "wasm32"))]
    lanes: lanes::LanesHeader,
    experiment: experiment::ExperimentAnswer<'static>,
    flame_graph: flame_graph::FlameGraphView,
    stack_at: stack_at::StackAtView,
    #[cfg(not(target_arch = "wasm32"))]
    stack_chart: stack_chart::StackChartView,
    suggest: suggest::Suggestions,
    #[cfg(not(target_arch = "wasm32"))]
    packages: packages::Packages,
    tree_rows: tree_rows::TreeRowsView,
}

/// Receives the types of answers.
#[cfg(feature = "typescript")]
pub trait AnswerVisitor {
    /// Receives the type of a view's answer. A view with a different answer for comparisons is visited twice.
    fn visit<T: ts_rs::TS + 'static>(&mut self, view: &'static str);
}
