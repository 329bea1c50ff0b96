//! Who is accountable for a process: a user, or the programs of a user in a container.

use crate::process::Process;
use rustix::fs::{Mode, OFlags, Stat};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Requests to namespaces, from `linux/nsfs.h`.
const NS_GET_USERNS: libc::c_ulong = 0xb701;
const NS_GET_PARENT: libc::c_ulong = 0xb702;
const NS_GET_OWNER_UID: libc::c_ulong = 0xb704;

/// Maximum depth of user namespaces and of pid namespaces in the kernel.
const MAX_DEPTH: usize = 33;

/// A number for who is accountable for a process with the effective user id `uid`.
///
/// - In a container that root of the host made: all programs of the container have one number. The programs of a container
///   without a user namespace have the ids of the host, and can choose any of them.
/// - Otherwise in a user namespace, in which a user can have tens of thousands of ids: the owner of the outermost namespace.
/// - Otherwise `uid`.
pub(crate) fn accountable_user(process: Process, uid: u32) -> u32 {
    container_of(process).or_else(|| owner_of_namespace(process)).unwrap_or(uid)
}

/// The number of the outermost pid namespace below ours, if it belongs to our user namespace: then root of the host made
/// it. None: the process is in our pid namespace, a user made its pid namespace, or whittle must not see it.
fn container_of(process: Process) -> Option<u32> {
    /// User ids do not use the highest bit.
    const CONTAINER: u32 = 1 << 31;
    let own = rustix::fs::stat("/proc/self/ns/pid").ok()?;
    let own_users = rustix::fs::stat("/proc/self/ns/user").ok()?;
    let mut namespace = open(process, "ns/pid")?;
    for _ in 0..MAX_DEPTH {
        if is_same(&namespace, &own) {
            return None;
        }
        let parent = related(&namespace, NS_GET_PARENT)?;
        if is_same(&parent, &own) {
            let owner = related(&namespace, NS_GET_USERNS)?;
            let number = rustix::fs::fstat(&namespace).ok()?.st_ino as u32;
            return is_same(&owner, &own_users).then_some(CONTAINER | number);
        }
        namespace = parent;
    }
    None
}

fn open(process: Process, name: &str) -> Option<OwnedFd> {
    rustix::fs::open(process.path(name), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()
}

/// None: the process is in our user namespace, or whittle must not see its namespace.
fn owner_of_namespace(process: Process) -> Option<u32> {
    let own = rustix::fs::stat("/proc/self/ns/user").ok()?;
    let mut namespace = open(process, "ns/user")?;
    if is_same(&namespace, &own) {
        return None;
    }
    for _ in 0..MAX_DEPTH {
        let parent = related(&namespace, NS_GET_PARENT)?;
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

/// The parent of a namespace, or the user namespace that it belongs to.
fn related(namespace: &OwnedFd, request: libc::c_ulong) -> Option<OwnedFd> {
    // SAFETY: the request takes no argument, and returns a new descriptor or a negative number.
    let found = unsafe { libc::ioctl(namespace.as_raw_fd(), request as _) };
    // SAFETY: the kernel has just given us this descriptor.
    (found >= 0).then(|| unsafe { OwnedFd::from_raw_fd(found) })
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

    /// A process that `unshare` starts with these options, or None if that is not allowed.
    fn in_namespaces(options: &[&str], check: impl FnOnce(Process)) -> Option<()> {
        let mut unshare = std::process::Command::new("unshare");
        unshare.args(options).args(["--pid", "--fork", "--kill-child", "sleep", "60"]);
        let mut unshare = unshare.stderr(std::process::Stdio::null()).spawn().unwrap();
        let children = format!("/proc/{0}/task/{0}/children", unshare.id());
        while unshare.try_wait().unwrap().is_none() {
            let child = std::fs::read_to_string(&children).unwrap_or_default();
            let Ok(child) = child.trim().parse() else { continue };
            check(Process(child));
            unshare.kill().unwrap();
            unshare.wait().unwrap();
            return Some(());
        }
        None
    }

    #[test]
    fn the_programs_of_a_container_have_one_number() {
        let checked = in_namespaces(&[], |process| {
            let number = accountable_user(process, 17);
            assert!(number > 1 << 31 && number == accountable_user(process, 18), "{number}");
        });
        checked.unwrap_or_else(|| whittle_testkit::not_run("needs the right to unshare a pid namespace"));
    }

    #[test]
    fn namespaces_that_a_user_makes_do_not_hide_the_user() {
        let own = rustix::process::geteuid().as_raw();
        let checked = in_namespaces(&["--user"], |process| assert_eq!(accountable_user(process, 17), own));
        checked.unwrap_or_else(|| whittle_testkit::not_run("needs the right to unshare a user namespace"));
    }
}
