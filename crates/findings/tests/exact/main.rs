//! Detectors, computed findings, and the output of findings.

mod code_of_lines;
mod compared;
mod computed;
mod detectors;
mod output;
mod own_code;
mod remedies;
mod waits;
