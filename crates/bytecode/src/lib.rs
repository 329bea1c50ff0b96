//! Facts about a program from its class files: methods and instructions, and the line to edit. No I/O.

pub mod class_file;
pub mod edit_site;
