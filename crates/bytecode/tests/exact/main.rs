//! Class files of real compilers.

mod class_file;
