//! The methods that a loop calls while it waits for another thread.

use crate::class_file::MemberReference;

/// What a test reads. A larger value is more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Asked {
    /// Nothing that changes.
    Nothing,
    /// Variables that are not volatile.
    Plain,
    /// What other threads change.
    Shared,
}

/// The result of a call that took something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// An object, as from `poll()`.
    NotNull,
    /// `true`, as from `tryLock()`.
    True,
    /// `false`, as from `getAndSet(true)`.
    False,
}

/// Methods without arguments that look at the state of a queue, a task, a lock, a thread or a stream.
const LOOKS: [&str; 26] = [
    "available",
    "availablePermits",
    "getCount",
    "getPhase",
    "getQueueLength",
    "getState",
    "hasQueuedThreads",
    "isAlive",
    "isCancelled",
    "isCompletedExceptionally",
    "isDone",
    "isEmpty",
    "isInterrupted",
    "isLocked",
    "isQuiescent",
    "isShutdown",
    "isTerminated",
    "isTerminating",
    "isWriteLocked",
    "peek",
    "peekFirst",
    "peekLast",
    "ready",
    "remainingCapacity",
    "size",
    "state",
];
/// The beginnings of the names of classes with these methods.
const LOOKED_AT: [&str; 4] = ["java/util/", "java/lang/Thread", "java/io/", "java/net/"];
/// Methods that read a variable as other threads see it. Array variables have an index.
const READS: [&str; 11] = [
    "get",
    "getAcquire",
    "getOpaque",
    "getPlain",
    "getVolatile",
    "getReference",
    "isMarked",
    "getStamp",
    "intValue",
    "longValue",
    "sum",
];
/// Methods that change a variable if it has an expected value.
const SWAPS: [&str; 6] = [
    "compareAndSet",
    "weakCompareAndSet",
    "weakCompareAndSetPlain",
    "weakCompareAndSetVolatile",
    "weakCompareAndSetAcquire",
    "weakCompareAndSetRelease",
];
/// Methods of the JDK that change nothing and look at nothing that other threads change: class and method.
const NEUTRAL: [(&str, &str); 15] = [
    ("java/lang/System", "nanoTime"),
    ("java/lang/System", "currentTimeMillis"),
    ("java/lang/Thread", "currentThread"),
    ("java/lang/Boolean", "booleanValue"),
    ("java/lang/Integer", "intValue"),
    ("java/lang/Long", "longValue"),
    ("java/lang/Object", "equals"),
    ("java/lang/String", "equals"),
    ("java/util/Objects", "equals"),
    ("java/lang/Boolean", "equals"),
    ("java/lang/Integer", "equals"),
    ("java/lang/Long", "equals"),
    ("java/lang/Enum", "ordinal"),
    ("java/lang/Math", "min"),
    ("java/lang/Math", "max"),
];

/// Whether the method lets the processor or another thread go first.
pub(super) fn pauses(member: &MemberReference<'_>) -> bool {
    member.class == "java/lang/Thread" && matches!(&*member.name, "onSpinWait" | "yield")
}

/// Whether the method of the JDK only looks at what other threads change.
pub(super) fn looks(member: &MemberReference<'_>) -> bool {
    let is_on = |classes: &[&str]| classes.iter().any(|class| member.class.starts_with(class));
    let is_optional = member.class.starts_with("java/util/Optional");
    let has_name = |names: &[&str]| names.contains(&&*member.name);
    is_variable(member) && has_name(&READS)
        || is_on(&LOOKED_AT) && !is_optional && has_name(&LOOKS) && member.descriptor.starts_with("()")
}

/// Whether the method of the JDK neither changes nor looks at what other threads change.
pub(super) fn is_neutral(member: &MemberReference<'_>) -> bool {
    NEUTRAL.iter().any(|(class, name)| member.class == *class && member.name == *name)
}

/// How the method of the JDK shows that it has taken something. `None`: it takes nothing, or it waits.
pub(super) fn takes(member: &MemberReference<'_>) -> Option<Taken> {
    let is_in = |package: &str| member.class.starts_with(package);
    match (&*member.name, &*member.descriptor) {
        ("poll" | "pollFirst" | "pollLast", "()Ljava/lang/Object;") if is_in("java/util/") => Some(Taken::NotNull),
        ("tryLock" | "tryAcquire", "()Z") if is_in("java/util/concurrent/") => Some(Taken::True),
        ("getAndSet", "(Z)Z") if is_in("java/util/concurrent/atomic/") => Some(Taken::False),
        (name, _) if is_variable(member) && SWAPS.contains(&name) => Some(Taken::True),
        _ => None,
    }
}

/// Whether the name of a method of an unknown class shows that it only looks.
pub(super) fn is_look_by_name(member: &MemberReference<'_>) -> bool {
    matches!(&*member.name, "isDone" | "isEmpty" | "isAlive" | "isTerminated") && member.descriptor == "()Z"
}

/// Whether the class is a variable that several threads use.
fn is_variable(member: &MemberReference<'_>) -> bool {
    member.class.starts_with("java/util/concurrent/atomic/") || member.class == "java/lang/invoke/VarHandle"
}
