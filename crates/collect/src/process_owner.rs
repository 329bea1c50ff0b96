//! Which user is accountable for a process.

use crate::process::Process;
use rustix::fs::{Mode, OFlags, Stat};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Requests to namespaces, from `linux/nsfs.h`.
const NS_GET_PARENT: libc::c_ulong = 0xb702;
const NS_GET_OWNER_UID: libc::c_ulong = 0xb704;

/// Maximum depth of user namespaces in the kernel.
const MAX_DEPTH: usize = 33;

/// The user who is accountable for a process with the effective user id `uid`. In a user namespace, a user can have tens
/// of thousands of ids; the owner of the outermost namespace is accountable for them.
pub(crate) fn accountable_user(process: Process, uid: u32) -> u32 {
    owner_of_namespace(process).unwrap_or(uid)
}

/// None: the process is in our user namespace, or whittle must not see its namespace.
fn owner_of_namespace(process: Process) -> Option<u32> {
    let own = rustix::fs::stat("/proc/self/ns/user").ok()?;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let mut namespace = rustix::fs::open(process.path("ns/user"), flags, Mode::empty()).ok()?;
    if is_same(&namespace, &own) {
        return None;
    }
    for _ in 0..MAX_DEPTH {
        let parent = parent_of(&namespace)?;
        if is_same(&parent, &own) {
            return owner_of(&namespace);
        }
        namespace = parent;
    }
    None
}

fn is_same(namespace: &OwnedFd, own: &Stat) -> bool {
    rustix::fs::fstat(namespace).is_ok_and(|found| (found.st_dev, found.st_ino) == (own.st_dev, own.st_ino))
}

fn parent_of(namespace: &OwnedFd) -> Option<OwnedFd> {
    // SAFETY: the request takes no argument, and returns a new descriptor or a negative number.
    let parent = unsafe { libc::ioctl(namespace.as_raw_fd(), NS_GET_PARENT as _) };
    // SAFETY: the kernel has just given us this descriptor.
    (parent >= 0).then(|| unsafe { OwnedFd::from_raw_fd(parent) })
}

fn owner_of(namespace: &OwnedFd) -> Option<u32> {
    let mut uid: libc::uid_t = 0;
    // SAFETY: the request writes one user id to the pointer.
    let result = unsafe { libc::ioctl(namespace.as_raw_fd(), NS_GET_OWNER_UID as _, &raw mut uid) };
    (result == 0).then_some(uid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_outside_of_namespaces_is_its_users() {
        assert_eq!(accountable_user(Process(std::process::id()), 17), 17);
        assert_eq!(accountable_user(Process(u32::MAX), 18), 18);
    }
}
