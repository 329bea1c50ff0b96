//! The engine for the report file: a WebAssembly module without imports that loads a packed experiment and answers
//! requests.
//!
//! A page calls its exports and copies bytes in and out of its memory:
//!
//! ```text
//! input(length) -> address      room for so many bytes, which the caller fills; 0: there is no room
//! load() -> 0 | 1               the input is a packed experiment; 1: the output says what is wrong
//! answer() -> 0 | 1 | 2         the input is a request; the output is JSON, bytes, or an error in JSON
//! output_pointer() -> address   the last output; after a trap, what went wrong in words
//! output_length() -> length
//! ```
//!
//! A panic is a trap: the instance is lost but for its output, which then holds the panic's message. Whoever runs
//! the module shows it and starts another instance.

mod exports;
mod packed_code;
mod session;

pub use packed_code::PackedCode;
pub use session::{Outcome, Session};
