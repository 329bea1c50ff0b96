//! How a hand becomes the user of the observed process, in the namespaces of that process.
//!
//! The order is important, because each step needs rights that a later step gives up:
//!
//! 1. The hand enters the pid namespace. This affects only its new processes.
//! 2. It takes the groups.
//! 3. It enters the namespaces of mounts, network and IPC.
//! 4. It takes the user id.
//! 5. It enters the user namespace. The kernel gives all capabilities in this namespace to a process that enters it.
//! 6. It changes the root directory. Rootless containers use file systems in user space, which refuse all users outside
//!    the user namespace.
//! 7. It drops all capabilities.
//! 8. It continues in a new process, the first process of the hand that is visible in the pid namespace. At this time,
//!    the hand has only the rights of the program's user.
//!
//! A hand of an unprivileged whittle has no rights outside the user namespace of the process, so it enters the user
//! namespace first. Source: user_namespaces(7), setns(2).

use super::messages::{Descriptor, Entry, Failure, Response, Step, encode};
use super::socket;
use crate::process::User;
use rustix::fs::{Gid, Mode, Uid};
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use rustix::process::{DumpableBehavior, Resource, Rlimit};
use rustix::thread::{CapabilitySet, CapabilitySets, LinkNameSpaceType};
use std::os::fd::{AsFd, OwnedFd};

/// Maximum memory for buffers and names, in addition to the hand's address space at its start. A hand can be in
/// whittle's control group, and hands must not use up the limit of this group.
const MAX_MORE_BYTES: u64 = 64 << 20;
/// Maximum size of the address space if the size at the start is unknown.
const MAX_MEMORY_BYTES: u64 = 512 << 20;
/// Maximum size of a file that a hand writes. The profiler's library is smaller.
const MAX_FILE_BYTES: u64 = 32 << 20;
/// The highest capability number that any kernel can have.
const LAST_CAPABILITY: u32 = 63;

/// The descriptors of the first request, by name.
pub(super) struct Descriptors(Vec<(Descriptor, OwnedFd)>);

impl Descriptors {
    /// None: the request names other descriptors than it has.
    pub(super) fn new(names: &[Descriptor], descriptors: Vec<OwnedFd>) -> Option<Self> {
        (names.len() == descriptors.len()).then(|| Self(names.iter().copied().zip(descriptors).collect()))
    }

    /// Closes all descriptors except the descriptor of the observed process.
    pub(super) fn close_after_entry(&mut self) {
        self.0.retain(|(name, _)| *name == Descriptor::Process);
    }

    pub(super) fn get(&self, wanted: Descriptor) -> Option<&OwnedFd> {
        self.0.iter().find(|(name, _)| *name == wanted).map(|(_, descriptor)| descriptor)
    }
}

/// Becomes the user of `entry`. If a pid namespace must be entered, this returns in a new process, and the calling
/// process ends.
pub(super) fn enter(entry: &Entry, descriptors: &Descriptors, connection: &OwnedFd) -> Result<(), Failure> {
    limit_resources();
    let is_privileged = effective_capabilities().contains(CapabilitySet::SYS_ADMIN);
    if !is_privileged {
        enter_user_namespace(descriptors)?;
    }
    if let Some(namespace) = descriptors.get(Descriptor::PidNamespace) {
        move_into(namespace, LinkNameSpaceType::ProcessID).map_err(|errno| (Step::EnterPidNamespace, errno))?;
    }
    // A process without privileges keeps its user when it enters a user namespace. This user has another id there.
    let has_user = !is_privileged && descriptors.get(Descriptor::UserNamespace).is_some();
    let user = entry.user.as_ref().filter(|_| !has_user);
    if let Some(user) = user {
        take_groups(user)?;
    }
    for (name, kind, step) in [
        (Descriptor::MountNamespace, LinkNameSpaceType::Mount, Step::EnterMountNamespace),
        (Descriptor::NetworkNamespace, LinkNameSpaceType::Network, Step::EnterNetworkNamespace),
        (Descriptor::IpcNamespace, LinkNameSpaceType::InterProcessCommunication, Step::EnterIpcNamespace),
    ] {
        if let Some(namespace) = descriptors.get(name) {
            move_into(namespace, kind).map_err(|errno| (step, errno))?;
        }
    }
    if let Some(user) = user {
        take_user(user.uid).map_err(|errno| (Step::TakeUser, errno))?;
    }
    if is_privileged {
        enter_user_namespace(descriptors)?;
    }
    // A change of the user can make a process traceable again.
    forbid_tracing();
    if let Some(root) = descriptors.get(Descriptor::Root) {
        change_root(root, is_privileged).map_err(|errno| (Step::ChangeRoot, errno))?;
    }
    if entry.user.is_some() {
        drop_capabilities().map_err(|errno| (Step::DropCapabilities, errno))?;
    }
    // This is last: a new process in the pid namespace of a container is visible there, and root with CAP_SYS_PTRACE in
    // the container can control it.
    if descriptors.get(Descriptor::PidNamespace).is_some() {
        continue_in_new_process(connection)?;
    }
    Ok(())
}

fn move_into(namespace: &OwnedFd, kind: LinkNameSpaceType) -> Result<(), Errno> {
    rustix::thread::move_into_link_name_space(namespace.as_fd(), Some(kind))
}

fn enter_user_namespace(descriptors: &Descriptors) -> Result<(), Failure> {
    let Some(namespace) = descriptors.get(Descriptor::UserNamespace) else { return Ok(()) };
    move_into(namespace, LinkNameSpaceType::User).map_err(|errno| (Step::EnterUserNamespace, errno))
}

/// Continues in a new process, and reports the new process's id. Both processes are children of whittle. The new
/// process waits until the report is sent, because whittle expects the report first.
fn continue_in_new_process(connection: &OwnedFd) -> Result<(), Failure> {
    let failed = |errno| (Step::EnterPidNamespace, errno);
    let (reported, report) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(failed)?;
    let flags = (libc::CLONE_PARENT | libc::SIGCHLD) as libc::c_long;
    // SAFETY: without CLONE_VM, this is `fork` with another parent. A hand has one thread, so no lock is held.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
    match u32::try_from(pid) {
        Ok(0) => {
            drop(report);
            // The calling process writes nothing. Its end closes the pipe, and then this read ends.
            let _ = rustix::io::read(&reported, &mut [0; 1]);
            Ok(())
        }
        Ok(pid) => {
            let is_sent = socket::send(connection, &encode(&Response::Forked { pid }), &[]).is_ok();
            // SAFETY: ends the process at once. Nothing must be cleaned up.
            unsafe { libc::_exit(i32::from(!is_sent)) }
        }
        Err(_) => Err(failed(Errno::AGAIN)),
    }
}

fn take_groups(user: &User) -> Result<(), Failure> {
    let groups: Vec<Gid> = user.groups.iter().copied().map(Gid::from_raw).collect();
    let gid = Gid::from_raw(user.gid);
    let is_same_user = user.uid == rustix::process::geteuid().as_raw();
    let taken = rustix::thread::set_thread_groups(&groups)
        .and_then(|()| rustix::thread::set_thread_res_gid(Some(gid), Some(gid), Some(gid)));
    match taken {
        // An unprivileged whittle has the user's groups already.
        Err(Errno::PERM) if is_same_user => Ok(()),
        taken => taken.map_err(|errno| (Step::TakeGroups, errno)),
    }
}

/// Takes the user id. Capabilities stay until they are dropped.
fn take_user(uid: u32) -> Result<(), Errno> {
    let id = Uid::from_raw(uid);
    rustix::thread::set_keep_capabilities(true)?;
    rustix::thread::set_thread_res_uid(Some(id), Some(id), Some(id))?;
    let sets = rustix::thread::capabilities(None)?;
    rustix::thread::set_capabilities(None, CapabilitySets { effective: sets.permitted, ..sets })
}

fn change_root(root: &OwnedFd, is_privileged: bool) -> Result<(), Errno> {
    rustix::process::fchdir(root)?;
    match rustix::process::chroot(".") {
        // Without privileges, only processes with the same root directory can be observed.
        Err(Errno::PERM) if !is_privileged => {
            let id = |found: rustix::fs::Stat| (found.st_dev, found.st_ino);
            let is_same = rustix::fs::fstat(root).map(id)? == rustix::fs::stat("/").map(id)?;
            if is_same { Ok(()) } else { Err(Errno::PERM) }
        }
        changed => changed,
    }
}

/// Drops all capabilities permanently.
fn drop_capabilities() -> Result<(), Errno> {
    rustix::thread::set_no_new_privs(true)?;
    for number in 0..=LAST_CAPABILITY {
        let capability = CapabilitySet::from_bits_retain(1 << number);
        // Unknown numbers and missing rights are no problem. The process cannot gain privileges, so the bounding set
        // has no effect.
        let _ = rustix::thread::remove_capability_from_bounding_set(capability);
    }
    let _ = rustix::thread::clear_ambient_capability_set();
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
}

fn effective_capabilities() -> CapabilitySet {
    rustix::thread::capabilities(None).map_or(CapabilitySet::empty(), |sets| sets.effective)
}

/// Forbids other processes of the user to trace this process.
fn forbid_tracing() {
    let _ = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

/// The size of the address space at the start, plus [`MAX_MORE_BYTES`].
fn max_memory_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: Option<u64> = text.split(' ').next().and_then(|number| number.parse().ok());
    let bytes = pages.map(|pages| pages * rustix::param::page_size() as u64 + MAX_MORE_BYTES);
    bytes.unwrap_or(MAX_MEMORY_BYTES)
}

/// Limits memory and files.
fn limit_resources() {
    forbid_tracing();
    // The user can have too many processes already. The hand needs one more.
    let unlimited = Rlimit { current: None, maximum: None };
    let _ = rustix::process::setrlimit(Resource::Nproc, unlimited);
    let limits = [(Resource::Core, 0), (Resource::As, max_memory_bytes()), (Resource::Fsize, MAX_FILE_BYTES)];
    for (resource, limit) in limits {
        let present = rustix::process::getrlimit(resource);
        let lower = |present: Option<u64>| Some(present.map_or(limit, |present| present.min(limit)));
        let limit = Rlimit { current: lower(present.current), maximum: lower(present.maximum) };
        // Lower limits are always allowed.
        let _ = rustix::process::setrlimit(resource, limit);
    }
    rustix::process::umask(Mode::from_raw_mode(0o077));
}
