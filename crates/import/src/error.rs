//! Why nothing could be imported.

use thiserror::Error;

/// An input that cannot be read at all. What is damaged in part is counted instead.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ImportError {
    /// No chunk of a recording was found.
    #[error(
        "wanted a JFR recording, found none in {byte_count} bytes: no chunk begins with \"FLR\" and has its metadata; \
         if the program still runs or was killed, its recorder may not have written anything yet"
    )]
    NotJfr {
        /// Length of the input.
        byte_count: u64,
    },
    /// No line is a collapsed stack.
    #[error("wanted collapsed stacks (\"main;parse 42\" a line), found none in {line_count} lines")]
    NotCollapsed {
        /// Lines of the input that are not empty.
        line_count: u64,
    },
}
