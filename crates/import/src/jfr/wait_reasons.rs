//! Why a sleeping thread waits, according to its stack. async-profiler does not record the system call.
//!
//! The frame nearest to the leaf with a known name decides. `read` and `write` have no reason of their own, because their
//! descriptor can be a socket or a pipe. In this case, a Java frame decides.

use whittle_model::{FunctionKind, StackIndex, Tables, WaitReason};

/// Names with the same reason. A program can have functions with similar names, such as `select_plan`, so whole names count.
struct Known {
    kind: FunctionKind,
    reason: WaitReason,
    /// Functions of the C library without leading underscores and without the endings of its variants. Java methods with their
    /// class.
    functions: &'static [&'static str],
    /// Classes with only such functions: of the JVM, without namespaces, or of Java, with the classes inside.
    classes: &'static [&'static str],
}

const KNOWN: [Known; 9] = [
    Known {
        kind: FunctionKind::Native,
        reason: WaitReason::Futex,
        functions: &[
            "futex_abstimed_wait_common",
            "futex_abstimed_wait",
            "futex_abstimed_wait_cancelable",
            "futex_lock_pi",
            "futex_wait",
            "do_futex_wait",
            "lll_lock_wait",
            "lll_lock_wait_private",
            "lll_timedlock_wait",
            "lll_clocklock_wait",
            "lll_wait_tid",
            "lll_timedwait_tid",
            "pthread_mutex_lock",
            "pthread_mutex_lock_full",
            "pthread_mutex_timedlock",
            "pthread_mutex_clocklock",
            "pthread_mutex_clocklock_common",
            "pthread_mutex_cond_lock",
            "pthread_cond_wait",
            "pthread_cond_wait_common",
            "pthread_cond_timedwait",
            "pthread_cond_clockwait",
            "pthread_rwlock_rdlock",
            "pthread_rwlock_timedrdlock",
            "pthread_rwlock_clockrdlock",
            "pthread_rwlock_wrlock",
            "pthread_rwlock_timedwrlock",
            "pthread_rwlock_clockwrlock",
            "pthread_rwlock_rdlock_full",
            "pthread_rwlock_wrlock_full",
            "pthread_barrier_wait",
            "pthread_once",
            "pthread_once_slow",
            "pthread_join",
            "pthread_timedjoin_np",
            "pthread_timedjoin_ex",
            "pthread_clockjoin_np",
            "pthread_clockjoin_ex",
            "sem_wait",
            "sem_timedwait",
            "sem_clockwait",
            "new_sem_wait",
            "new_sem_wait_slow",
            "old_sem_wait",
        ],
        classes: &[],
    },
    Known {
        kind: FunctionKind::Native,
        reason: WaitReason::Sleep,
        functions: &["nanosleep", "clock_nanosleep", "usleep", "sleep", "thrd_sleep"],
        classes: &[],
    },
    Known {
        kind: FunctionKind::Native,
        reason: WaitReason::Poll,
        functions: &["poll", "ppoll", "select", "pselect", "epoll_wait", "epoll_pwait", "epoll_pwait2"],
        classes: &[],
    },
    Known {
        kind: FunctionKind::Native,
        reason: WaitReason::Socket,
        functions: &[
            "recv", "recvfrom", "recvmsg", "recvmmsg", "send", "sendto", "sendmsg", "sendmmsg", "accept", "accept4",
            "connect",
        ],
        classes: &[],
    },
    Known {
        kind: FunctionKind::Jvm,
        reason: WaitReason::Futex,
        functions: &[],
        classes: &[
            "PlatformEvent",
            "Parker",
            "PlatformMonitor",
            "PlatformMutex",
            "Monitor",
            "ObjectMonitor",
            "LinuxWaitBarrier",
            "PosixSemaphore",
        ],
    },
    Known {
        kind: FunctionKind::Java,
        reason: WaitReason::Futex,
        functions: &[
            "jdk/internal/misc/Unsafe.park",
            "sun/misc/Unsafe.park",
            "java/lang/Object.wait",
            "java/lang/Object.wait0",
            "java/lang/Thread.sleep",
            "java/lang/Thread.sleep0",
            "java/lang/Thread.sleepNanos",
            "java/lang/Thread.sleepNanos0",
        ],
        classes: &[],
    },
    Known {
        kind: FunctionKind::Java,
        reason: WaitReason::Poll,
        functions: &["sun/nio/ch/Net.poll", "sun/nio/ch/Net.pollConnect", "sun/nio/ch/Net.pollConnectNow"],
        classes: &[
            "sun/nio/ch/EPoll",
            "sun/nio/ch/EPollArrayWrapper",
            "sun/nio/ch/EPollSelectorImpl",
            "sun/nio/ch/EPollPoller",
            "sun/nio/ch/EPollPort",
            "sun/nio/ch/SelectorImpl",
        ],
    },
    Known {
        kind: FunctionKind::Java,
        reason: WaitReason::Socket,
        functions: &[],
        classes: &[
            "sun/nio/ch/SocketDispatcher",
            "sun/nio/ch/SocketChannelImpl",
            "sun/nio/ch/DatagramChannelImpl",
            "sun/nio/ch/NioSocketImpl",
            "java/net/Socket",
            "java/net/ServerSocket",
            "java/net/DatagramSocket",
            "java/net/MulticastSocket",
            "java/net/NetMulticastSocket",
            "java/net/SocketInputStream",
            "java/net/SocketOutputStream",
            "java/net/PlainSocketImpl",
            "java/net/AbstractPlainSocketImpl",
            "java/net/SocksSocketImpl",
            "java/net/PlainDatagramSocketImpl",
            "java/net/AbstractPlainDatagramSocketImpl",
        ],
    },
    Known {
        kind: FunctionKind::Java,
        reason: WaitReason::Pipe,
        functions: &[],
        classes: &["sun/nio/ch/SourceChannelImpl", "sun/nio/ch/SinkChannelImpl"],
    },
];

/// Endings of the variants of a function in the C library: for files with 64-bit offsets or times, without cancellation, and
/// with a check of the buffer.
const VARIANTS: [&str; 5] = ["_nocancel", "_time64", "64", "_chk", "_cp"];

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
    let (function, class) = match kind {
        FunctionKind::Native => (plain_native(name), ""),
        FunctionKind::Jvm => ("", jvm_class(name)),
        _ => java_names(name),
    };
    let is_known =
        |known: &&Known| known.kind == kind && (known.functions.contains(&function) || known.classes.contains(&class));
    KNOWN.iter().find(is_known).map(|known| known.reason)
}

/// `pthread_cond_wait` for `__pthread_cond_wait@@GLIBC_2.3.2`. The compiler and the linker add what follows `.` and `@`.
fn plain_native(name: &str) -> &str {
    let name = name.trim_start_matches('_');
    let name = name.find(['.', '@']).map_or(name, |end| &name[..end]);
    VARIANTS.iter().find_map(|variant| name.strip_suffix(variant)).unwrap_or(name)
}

/// `PlatformEvent` for `os::PlatformEvent::park(long)`.
fn jvm_class(name: &str) -> &str {
    let name = name.find('(').map_or(name, |end| &name[..end]);
    let scope = name.rsplit_once("::").map_or("", |(scope, _)| scope);
    scope.rsplit("::").next().unwrap_or(scope)
}

/// The method with its class, and the outermost class, in `java/net/Socket$SocketInputStream.read([BII)I`.
fn java_names(name: &str) -> (&str, &str) {
    let method = name.find('(').map_or(name, |end| &name[..end]);
    let class = method.rsplit_once('.').map_or("", |(class, _)| class);
    (method, class.find('$').map_or(class, |end| &class[..end]))
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
            (FunctionKind::Native, "pthread_cond_wait@@GLIBC_2.3.2", Some(WaitReason::Futex)),
            (FunctionKind::Native, "__new_sem_wait_slow64.constprop.0", Some(WaitReason::Futex)),
            (FunctionKind::Native, "__poll_chk", Some(WaitReason::Poll)),
            (FunctionKind::Jvm, "Parker::park", Some(WaitReason::Futex)),
            (FunctionKind::Jvm, "os::PlatformEvent::park_nanos(long)", Some(WaitReason::Futex)),
            (FunctionKind::Java, "java/net/Socket$SocketInputStream.read([BII)I", Some(WaitReason::Socket)),
            (FunctionKind::Java, "sun/nio/ch/EPoll.wait(IJII)I", Some(WaitReason::Poll)),
            (FunctionKind::Java, "java/lang/Object.wait0(J)V", Some(WaitReason::Futex)),
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

    #[test]
    fn similar_names_of_the_program_are_no_waits() {
        for (kind, name) in [
            (FunctionKind::Native, "select_plan"),
            (FunctionKind::Native, "send_report"),
            (FunctionKind::Native, "connection_pool_grow"),
            (FunctionKind::Native, "polling_place"),
            (FunctionKind::Native, "sem_graph_new"),
            (FunctionKind::Native, "sleepers"),
            (FunctionKind::Jvm, "ObjectMonitors::clean"),
            (FunctionKind::Jvm, "parker"),
            (FunctionKind::Java, "java/net/URLClassLoader.findClass(Ljava/lang/String;)Ljava/lang/Class;"),
            (FunctionKind::Java, "java/net/SocketPermission.implies(Ljava/security/Permission;)Z"),
            (FunctionKind::Java, "java/lang/Object.waiting()V"),
        ] {
            assert_eq!(of_function(kind, name), None, "{name}");
        }
    }
}
