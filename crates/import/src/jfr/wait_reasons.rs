//! Why a sleeping thread waits, according to its stack. async-profiler does not record the system call.
//!
//! The frame nearest to the leaf with a known name decides. `read` and `write` have no reason of their own, because their
//! descriptor can be a socket or a pipe. In this case, a Java frame decides.

use whittle_model::{FunctionKind, StackIndex, Tables, WaitReason};

/// The reasons by the start of a name: functions of the C library without leading underscores, functions of the JVM, and
/// Java methods.
const BY_NAME: [(FunctionKind, WaitReason, &[&str]); 9] = [
    (FunctionKind::Native, WaitReason::Futex, &["futex_", "pthread_", "lll_", "sem_", "new_sem_"]),
    (FunctionKind::Native, WaitReason::Sleep, &["nanosleep", "clock_nanosleep", "usleep", "sleep"]),
    (FunctionKind::Native, WaitReason::Poll, &["poll", "ppoll", "select", "pselect", "epoll_"]),
    (FunctionKind::Native, WaitReason::Socket, &["recv", "send", "accept", "connect"]),
    (
        FunctionKind::Jvm,
        WaitReason::Futex,
        &[
            "PlatformEvent::park",
            "Parker::park",
            "PlatformMonitor::wait",
            "Monitor::wait",
            "ObjectMonitor::",
            "LinuxWaitBarrier::",
            "PosixSemaphore::",
        ],
    ),
    (
        FunctionKind::Java,
        WaitReason::Futex,
        &["jdk/internal/misc/Unsafe.park", "sun/misc/Unsafe.park", "java/lang/Object.wait", "java/lang/Thread.sleep"],
    ),
    (FunctionKind::Java, WaitReason::Poll, &["sun/nio/ch/EPoll", "sun/nio/ch/Net.poll", "sun/nio/ch/SelectorImpl."]),
    (
        FunctionKind::Java,
        WaitReason::Socket,
        &[
            "sun/nio/ch/SocketDispatcher.",
            "sun/nio/ch/SocketChannelImpl.",
            "sun/nio/ch/DatagramChannelImpl.",
            "sun/nio/ch/NioSocketImpl.",
            "java/net/",
        ],
    ),
    (FunctionKind::Java, WaitReason::Pipe, &["sun/nio/ch/SourceChannelImpl.", "sun/nio/ch/SinkChannelImpl."]),
];

/// The reason of a wait with this stack. `Other`: no name is known.
pub(crate) fn wait_reason(tables: &Tables, stack: StackIndex) -> WaitReason {
    let rows = std::iter::successors(Some(stack), |row| Some(tables.stacks.parent[row.row()]));
    let functions = rows.take_while(|row| row.row() != 0).map(|row| {
        let function = tables.frames.function[tables.stacks.frame[row.row()].row()].row();
        let functions = &tables.functions;
        match functions.kind[function] {
            FunctionKind::Java => (FunctionKind::Java, functions.internal_name[function].as_str()),
            kind => (kind, functions.display_name[function].as_str()),
        }
    });
    functions.filter_map(|(kind, name)| of_function(kind, name)).next().unwrap_or(WaitReason::Other)
}

fn of_function(kind: FunctionKind, name: &str) -> Option<WaitReason> {
    let name = if kind == FunctionKind::Native { name.trim_start_matches('_') } else { name };
    let is_named = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    let found = BY_NAME.iter().find(|(of, _, starts)| *of == kind && is_named(starts));
    found.map(|(_, reason, _)| *reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_nearest_to_the_leaf_decides() {
        for (kind, name, reason) in [
            (FunctionKind::Native, "__futex_abstimed_wait_common", Some(WaitReason::Futex)),
            (FunctionKind::Native, "pthread_cond_timedwait", Some(WaitReason::Futex)),
            (FunctionKind::Native, "epoll_wait", Some(WaitReason::Poll)),
            (FunctionKind::Native, "__libc_recv", None),
            (FunctionKind::Native, "recvfrom", Some(WaitReason::Socket)),
            (FunctionKind::Native, "read", None),
            (
                FunctionKind::Java,
                "sun/nio/ch/SocketDispatcher.read0(Ljava/io/FileDescriptor;JI)I",
                Some(WaitReason::Socket),
            ),
            (FunctionKind::Java, "sun/nio/ch/SourceChannelImpl.read(Ljava/nio/ByteBuffer;)I", Some(WaitReason::Pipe)),
            (FunctionKind::Java, "poll", None),
        ] {
            assert_eq!(of_function(kind, name), reason, "{name}");
        }
    }
}
