//! The module's exports. The exports handle memory and addresses, and [`Session`] does all other work.
//!
//! `#[unsafe(no_mangle)]` promises that no other code has these names. The compiler cannot check this promise. Nothing
//! else in this crate is unsafe. This module returns addresses, but accepts no addresses. The caller writes the memory.
//! While none of these functions runs, the caller owns the memory.

#![allow(unsafe_code, reason = "names of exports, nothing else")]
#![allow(unreachable_pub, reason = "the callers are outside of Rust")]

use crate::{Outcome, Session};
use std::cell::RefCell;
use std::panic::set_hook;

/// The result of [`answer`]: the kind of output.
const JSON: u32 = 0;
const BINARY: u32 = 1;
const ERROR: u32 = 2;

thread_local! {
    static SESSION: RefCell<Session> = RefCell::default();
    static INPUT: RefCell<Vec<u8>> = RefCell::default();
    static OUTPUT: RefCell<Vec<u8>> = RefCell::default();
}

/// Allocates memory for `length` bytes of input and returns the address. 0: there is not enough memory.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> usize {
    set_hook(Box::new(|panic| put_output(format!("the engine has failed: {panic}").into_bytes())));
    let mut room = Vec::new();
    if room.try_reserve_exact(length.max(1)).is_err() {
        return 0;
    }
    room.resize(length.max(1), 0);
    let address = room.as_ptr().addr();
    room.truncate(length);
    INPUT.set(room);
    address
}

/// Loads the input, which is a packed experiment. 0: done. 1: the output is the error.
#[unsafe(no_mangle)]
pub extern "C" fn load() -> u32 {
    match SESSION.with_borrow_mut(|session| session.load(INPUT.take())) {
        Ok(()) => 0,
        Err(message) => {
            put_output(message.into_bytes());
            1
        }
    }
}

/// Answers the input, which is a request. 0: the output is JSON. 1: the output is bytes. 2: the output is an error in
/// JSON.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> u32 {
    let request = INPUT.take();
    let (kind, output) = match SESSION.with_borrow(|session| session.answer(&request)) {
        Outcome::Json(text) => (JSON, text.into_bytes()),
        Outcome::Binary(bytes) => (BINARY, bytes),
        Outcome::Error(text) => (ERROR, text.into_bytes()),
    };
    put_output(output);
    kind
}

/// The address of the last output.
#[unsafe(no_mangle)]
pub extern "C" fn output_pointer() -> usize {
    OUTPUT.with_borrow(|output| output.as_ptr().addr())
}

/// The length of the last output in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn output_length() -> usize {
    OUTPUT.with_borrow(Vec::len)
}

/// Stores the output. This also works during a panic, because no code that can fail borrows the output.
fn put_output(bytes: Vec<u8>) {
    OUTPUT.set(bytes);
}
