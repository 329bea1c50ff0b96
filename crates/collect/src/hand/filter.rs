//! The system calls that remain for a hand while the JVM's user can control the hand.
//!
//! A hand is not in the control groups of the observed process, and the filter of the process's container does not
//! apply to the hand. If the hand had no filter, a user who controls the hand could bypass these limits.

use rustix::io::Errno;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
use std::collections::BTreeMap;

/// The system calls that a hand needs to communicate with whittle and the JVM on open sockets, to use memory, and to
/// end.
const ALLOWED: &[libc::c_long] = &[
    libc::SYS_recvmsg,
    libc::SYS_sendmsg,
    libc::SYS_recvfrom,
    libc::SYS_sendto,
    libc::SYS_ppoll,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_alarm,
    libc::SYS_setitimer,
    libc::SYS_prctl,
    libc::SYS_close,
    // The standard library checks descriptors in this way in debug builds.
    libc::SYS_fcntl,
    libc::SYS_clock_gettime,
    libc::SYS_mmap,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_rt_sigreturn,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// From this call on, the kernel kills this process at any other system call.
pub(super) fn allow_only_talking() -> Result<(), Errno> {
    let rules = ALLOWED.iter().map(|call| (*call, Vec::new())).collect::<BTreeMap<_, _>>();
    let architecture = std::env::consts::ARCH.try_into().map_err(|_| Errno::NOSYS)?;
    let filter = SeccompFilter::new(rules, SeccompAction::KillProcess, SeccompAction::Allow, architecture);
    let program: BpfProgram = filter.and_then(TryInto::try_into).map_err(|_| Errno::INVAL)?;
    seccompiler::apply_filter(&program).map_err(|_| Errno::NOSYS)
}
