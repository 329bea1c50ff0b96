//! Tests with class files of real compilers.

mod class_file;
