//! Files in memory that nobody can change.

use rustix::fs::{MemfdFlags, SealFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;

const SEALS: SealFlags = SealFlags::WRITE.union(SealFlags::GROW).union(SealFlags::SHRINK).union(SealFlags::SEAL);

/// A file in memory that can be executed and that nobody can change.
pub(super) fn sealed_memory(name: impl rustix::path::Arg + Copy, bytes: &[u8]) -> Result<OwnedFd, Errno> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let memory = match rustix::fs::memfd_create(name, flags | MemfdFlags::EXEC) {
        // Kernels before 6.3 do not know the flag, and make all such files executable.
        Err(Errno::INVAL) => rustix::fs::memfd_create(name, flags)?,
        memory => memory?,
    };
    let mut memory = File::from(memory);
    memory.write_all(bytes).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    rustix::fs::fcntl_add_seals(&memory, SEALS)?;
    Ok(memory.into())
}
