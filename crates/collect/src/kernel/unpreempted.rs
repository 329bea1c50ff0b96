//! Reading the kernel side's maps without being preempted.
//!
//! While user space reads or writes an entry of a map, the kernel runs no classic programs on this CPU (`bpf_prog_active`).
//! If the reading thread is preempted at this moment, the calls of the next thread are not seen until the reading thread
//! continues. So the reading thread gets a real-time priority for some milliseconds at most. This is needed only with classic
//! tracepoints.

use std::marker::PhantomData;

/// While this value exists, only threads with a real-time priority preempt the current thread. If the kernel refuses
/// this, the thread stays preemptible, and calls that are not seen are counted as a loss.
pub(super) struct Unpreempted {
    is_changed: bool,
    /// The value belongs to the thread that made it.
    _thread: PhantomData<*const ()>,
}

impl Unpreempted {
    /// `is_needed`: otherwise, the value does nothing.
    pub(super) fn begin(is_needed: bool) -> Self {
        // A user may have given whittle another policy, and then it stays.
        let is_changed = is_needed && policy() == libc::SCHED_OTHER && set(libc::SCHED_FIFO, 1);
        Self { is_changed, _thread: PhantomData }
    }
}

impl Drop for Unpreempted {
    fn drop(&mut self) {
        if self.is_changed {
            set(libc::SCHED_OTHER, 0);
        }
    }
}

// The functions of musl with these names do nothing, so the kernel is called directly. In both calls, 0 is the current thread.

fn policy() -> i32 {
    // SAFETY: the call takes only an integer. Policies are small numbers.
    unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) as i32 }
}

fn set(policy: i32, priority: i32) -> bool {
    // SAFETY: the kernel only reads its `struct sched_param`, which consists of this number.
    unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, policy, &raw const priority) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without the permission, the kernel refuses a real-time policy.
    #[test]
    fn the_policy_changes_if_the_kernel_allows_it() {
        if set(libc::SCHED_FIFO, 1) {
            assert_eq!(policy(), libc::SCHED_FIFO);
            assert!(set(libc::SCHED_OTHER, 0));
        }
        assert_eq!(policy(), libc::SCHED_OTHER);
    }

    #[test]
    fn the_threads_policy_is_as_before_at_the_end() {
        let before = policy();
        {
            let _needed = Unpreempted::begin(true);
            let _nested = Unpreempted::begin(true);
        }
        assert_eq!(policy(), before);
        drop(Unpreempted::begin(false));
        assert_eq!(policy(), before);
    }
}
