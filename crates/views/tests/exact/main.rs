//! Tests of the views. The experiments are drawn as text, made at random, or recorded by other profilers.

mod call_tree;
mod callers_callees;
mod classes;
mod comparison;
mod filters;
mod flame_graph;
mod functions;
mod golden;
mod locks;
mod other_views;
mod packed;
mod pauses;
mod pools;
mod processes;
mod properties;
mod requests;
mod source;
mod stat;
mod support;
mod syscalls;
mod timeline;
mod transforms;
mod tree_rows;
mod view_modes;
mod waits;
mod wakers;
