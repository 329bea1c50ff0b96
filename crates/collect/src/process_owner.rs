//! Who is accountable for a process: a user, or the programs of a user in a container.

use crate::process::Process;
use rustix::fs::{Mode, OFlags, Stat};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Requests to namespaces, from `linux/nsfs.h`.
const NS_GET_PARENT: libc::c_ulong = 0xb702;
const NS_GET_OWNER_UID: libc::c_ulong = 0xb704;

/// Maximum depth of user namespaces in the kernel.
const MAX_DEPTH: usize = 33;

/// A number for who is accountable for a process with the effective user id `uid`.
///
/// In a user namespace, a user can have tens of thousands of ids; the owner of the outermost namespace is accountable for
/// them. A container without a user namespace has the ids of the host, but other programs; so the same id in another pid
/// namespace has another number. Only root of the host or a user namespace can make a pid namespace.
pub(crate) fn accountable_user(process: Process, uid: u32) -> u32 {
    owner_of_namespace(process).unwrap_or_else(|| container_of(process).map_or(uid, |number| in_container(uid, number)))
}

/// The highest bit is not used by user ids.
fn in_container(uid: u32, number: u64) -> u32 {
    const CONTAINER: u32 = 1 << 31;
    CONTAINER | (uid.rotate_left(16) ^ number as u32)
}

/// The number of the pid namespace. None: the process is in our pid namespace, or whittle must not see its namespace.
fn container_of(process: Process) -> Option<u64> {
    let own = rustix::fs::stat("/proc/self/ns/pid").ok()?;
    let found = rustix::fs::stat(process.path("ns/pid")).ok()?;
    (found.st_ino != own.st_ino).then_some(found.st_ino)
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

    #[test]
    fn a_process_in_another_pid_namespace_is_not_its_users() {
        let mut unshare = std::process::Command::new("unshare");
        unshare.args(["--pid", "--fork", "--kill-child", "sleep", "60"]);
        let mut unshare = unshare.spawn().unwrap();
        let children = format!("/proc/{0}/task/{0}/children", unshare.id());
        while unshare.try_wait().unwrap().is_none() {
            let child = std::fs::read_to_string(&children).unwrap_or_default();
            let Ok(child) = child.trim().parse() else { continue };
            assert_ne!(accountable_user(Process(child), 17), 17);
            assert_ne!(accountable_user(Process(child), 17), accountable_user(Process(child), 18));
            unshare.kill().unwrap();
            unshare.wait().unwrap();
            return;
        }
        whittle_testkit::not_run("needs the right to unshare a pid namespace");
    }
}
