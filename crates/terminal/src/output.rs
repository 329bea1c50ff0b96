//! Results on standard output.

use crate::failure::Failure;
use std::io::{self, ErrorKind, Write};

/// Prints the result of the command. A reader that closes the pipe early (`| head`) is not a failure.
///
/// # Errors
/// Standard output cannot be written, for example because the disk is full.
pub fn print(result: impl AsRef<[u8]>) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    match output.write_all(result.as_ref()).and_then(|()| output.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::new(format!("cannot write the output: {error}"))),
        Ok(()) => Ok(()),
    }
}
