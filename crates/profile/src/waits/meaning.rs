//! The meanings of waits.

use whittle_model::WaitReason;

/// What a thread waits for. The kernel's reason says only in which way the thread sleeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaitMeaning {
    /// A thread of a pool, or an event loop, has no work.
    Idle,
    /// `Thread.sleep`.
    Sleep,
    /// `LockSupport.parkNanos` of the program: until a time, or until another thread ends it.
    TimedPark,
    /// `LockSupport.park` of the program: until another thread ends it.
    Park,
    /// Another thread is inside a `synchronized` block or method.
    Monitor,
    /// Another thread holds a lock of `java.util.concurrent`.
    Lock,
    /// A condition that another thread signals.
    Condition,
    /// `Object.wait` until another thread notifies.
    ObjectWait,
    /// A queue is empty or full.
    Queue,
    /// The result or the end of another thread.
    Result,
    /// A permit of a semaphore or of a rate limiter.
    Permit,
    /// A connection from a pool.
    ConnectionPool,
    /// Any of several channels.
    Selector,
    /// A connection to another program.
    Connect,
    /// A connection from another program.
    Accept,
    /// Data from another program.
    SocketRead,
    /// Another program does not take data.
    SocketWrite,
    /// The address of a host name.
    Dns,
    /// A pipe.
    Pipe,
    /// A file.
    File,
    /// Data of a file must reach the disk.
    FileSync,
    /// The end of another process.
    Process,
    /// A class is being loaded.
    ClassLoading,
    /// The heap has no free memory for an object, or other threads get memory from it.
    HeapMemory,
    /// The JVM has stopped the thread, or executes an operation for it at a safepoint.
    Safepoint,
    /// A page of memory is being read or created.
    PageFault,
    /// A signal, a debugger or a freezer stops the thread.
    Stopped,
    /// The memory limit of a container delays the thread.
    MemoryLimit,
    /// Another thread, for an unknown purpose.
    OtherThread,
    /// Another program, through a socket, in an unknown way.
    Socket,
    /// The purpose is unknown.
    Unknown,
}

impl WaitMeaning {
    /// All meanings, in the order of their names in help texts.
    pub const ALL: &[Self] = &[
        Self::Idle,
        Self::Sleep,
        Self::TimedPark,
        Self::Park,
        Self::Monitor,
        Self::Lock,
        Self::Condition,
        Self::ObjectWait,
        Self::Queue,
        Self::Result,
        Self::Permit,
        Self::ConnectionPool,
        Self::Selector,
        Self::Connect,
        Self::Accept,
        Self::SocketRead,
        Self::SocketWrite,
        Self::Dns,
        Self::Pipe,
        Self::File,
        Self::FileSync,
        Self::Process,
        Self::ClassLoading,
        Self::HeapMemory,
        Self::Safepoint,
        Self::PageFault,
        Self::Stopped,
        Self::MemoryLimit,
        Self::OtherThread,
        Self::Socket,
        Self::Unknown,
    ];

    /// The names of all meanings, in the order of [`ALL`](Self::ALL).
    pub const NAMES: &[&str] = &[
        "idle",
        "sleep",
        "timed_park",
        "park",
        "monitor",
        "lock",
        "condition",
        "object_wait",
        "queue",
        "result",
        "permit",
        "connection_pool",
        "selector",
        "connect",
        "accept",
        "socket_read",
        "socket_write",
        "dns",
        "pipe",
        "file",
        "file_sync",
        "process",
        "class_loading",
        "heap_memory",
        "safepoint",
        "page_fault",
        "stopped",
        "memory_limit",
        "other_thread",
        "socket",
        "unknown",
    ];

    /// The name in filters and answers.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The meaning with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|meaning| meaning.name() == name)
    }

    /// What the thread waits for, as the end of the sentence "The thread waits for …". Not for [`Idle`](Self::Idle).
    pub fn words(self) -> &'static str {
        match self {
            Self::Idle => "work",
            Self::Sleep => "the end of a sleep (Thread.sleep)",
            Self::TimedPark => "a time limit or another thread (parkNanos)",
            Self::Park => "another thread (park)",
            Self::Monitor => "a synchronized block or method",
            Self::Lock => "a lock",
            Self::Condition => "a condition",
            Self::ObjectWait => "a notification (Object.wait)",
            Self::Queue => "a queue",
            Self::Result => "the result of another thread",
            Self::Permit => "a permit",
            Self::ConnectionPool => "a connection from a pool",
            Self::Selector => "any of several channels",
            Self::Connect => "a connection to be made",
            Self::Accept => "a connection to be accepted",
            Self::SocketRead => "data from a socket",
            Self::SocketWrite => "space in a full socket",
            Self::Dns => "the address of a host",
            Self::Pipe => "a pipe",
            Self::File => "a file",
            Self::FileSync => "data to reach the disk",
            Self::Process => "another process",
            Self::ClassLoading => "a class to be loaded",
            Self::HeapMemory => "memory of the heap (a collection, or other threads that allocate)",
            Self::Safepoint => "the JVM (a safepoint or a handshake)",
            Self::PageFault => "a page of memory",
            Self::Stopped => "a signal, debugger or freezer to resume it",
            Self::MemoryLimit => "the end of a delay at the memory limit",
            Self::OtherThread => "another thread",
            Self::Socket => "a socket",
            Self::Unknown => "something unknown",
        }
    }

    /// The meaning of a wait whose stack matches no pattern, by the kernel's reason. `None`: the thread does not wait.
    pub fn of_reason(reason: WaitReason) -> Option<Self> {
        Some(match reason {
            WaitReason::None | WaitReason::RunQueue | WaitReason::Preemption | WaitReason::Quota => return None,
            WaitReason::Futex => Self::OtherThread,
            WaitReason::Socket => Self::Socket,
            WaitReason::File => Self::File,
            WaitReason::Sleep => Self::Sleep,
            WaitReason::Poll => Self::Selector,
            WaitReason::Pipe => Self::Pipe,
            WaitReason::PageFault => Self::PageFault,
            WaitReason::Stopped => Self::Stopped,
            WaitReason::MemoryLimit => Self::MemoryLimit,
            WaitReason::Other => Self::Unknown,
        })
    }

    /// Whether the kernel's reason is more exact than any stack: a thread can wait for a page, or be stopped, in any function.
    pub fn is_told_by_kernel(reason: WaitReason) -> bool {
        matches!(reason, WaitReason::PageFault | WaitReason::Stopped | WaitReason::MemoryLimit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_meaning_has_its_own_name() {
        assert_eq!(WaitMeaning::ALL.len(), WaitMeaning::NAMES.len());
        for (position, meaning) in WaitMeaning::ALL.iter().enumerate() {
            assert_eq!(*meaning as usize, position);
            assert_eq!(WaitMeaning::from_name(meaning.name()), Some(*meaning));
        }
        assert_eq!(WaitMeaning::from_name("lazy"), None);
    }
}
