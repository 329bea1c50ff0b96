//! Detectors, and the output of findings.

mod detectors;
mod output;
