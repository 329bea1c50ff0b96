//! The engine for the report file: a WebAssembly module without imports that loads a packed experiment and answers
//! requests.
//!
//! A page calls the module's exports, and copies bytes into and out of the module's memory:
//!
//! ```text
//! input(length) -> address      memory for this many bytes, which the caller fills; 0: no memory
//! load() -> 0 | 1               the input is a packed experiment; 1: the output is the error
//! answer() -> 0 | 1 | 2         the input is a request; the output is JSON, bytes, or an error in JSON
//! output_pointer() -> address   the last output; after a trap, the error in words
//! output_length() -> length
//! ```
//!
//! A panic is a trap. After a trap, only the output of the instance can be read, and the output is the panic's message.
//! The page shows the message and starts another instance.

mod exports;
mod packed_code;
mod session;

pub use packed_code::PackedCode;
pub use session::{Outcome, Session};
