//! Extracts facts about a program from its class files: methods, instructions and the line to edit. This crate does no
//! I/O.

pub mod class_file;
pub mod edit_site;
