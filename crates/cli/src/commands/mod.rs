//! The commands that are not views. Each has one module, with its arguments and its `run`.

pub(crate) mod agent;
pub(crate) mod analyzer;
pub(crate) mod collect;
pub(crate) mod completions;
pub(crate) mod debug_info;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod lab;
pub(crate) mod licences;
pub(crate) mod man_pages;
pub(crate) mod notes;
pub(crate) mod report;
pub(crate) mod stat;
pub(crate) mod trial;
pub(crate) mod verify;
