//! The class of a JVM's thread, from its name.
//!
//! The names are those of HotSpot (JDK 8 to 25). The kernel keeps only the first 15 characters, so only the start is
//! compared. If a program gives such a name to its own thread, the thread is classified as a thread of the JVM.

use crate::ThreadClass;

/// Starts of names, by class.
const NAME_STARTS: &[(ThreadClass, &[&str])] = &[
    (
        ThreadClass::Gc,
        &[
            "GC Thread",
            "G1 ",
            "GC task thread",
            "ParGC Thread",
            "ZWorker",
            "ZDriver",
            "ZDirector",
            "ZStat",
            "ZUncommit",
            "ZUnmapper",
            "XWorker",
            "XDriver",
            "Shenandoah",
            "Concurrent Mark-",
            "Gang worker",
        ],
    ),
    (ThreadClass::JitCompiler, &["C1 CompilerThre", "C2 CompilerThre", "JVMCI CompilerT", "Sweeper thread"]),
    (
        ThreadClass::JvmService,
        &[
            "VM Thread",
            "VM Periodic Tas",
            "Reference Handl",
            "Finalizer",
            "Signal Dispatch",
            "Service Thread",
            "Monitor Deflati",
            "Common-Cleaner",
            "Notification Th",
            "Attach Listener",
            "StringDedup",
            "JFR ",
            "Async-profiler",
            "whittle-agent",
            "Surrogate Locke",
        ],
    ),
];

impl ThreadClass {
    /// The class of the thread called `name` in a JVM. If the name is empty, the class is unknown.
    ///
    /// ```
    /// use whittle_model::ThreadClass;
    /// assert_eq!(ThreadClass::of_java_thread("GC Thread#0"), ThreadClass::Gc);
    /// assert_eq!(ThreadClass::of_java_thread("C2 CompilerThread0"), ThreadClass::JitCompiler);
    /// assert_eq!(ThreadClass::of_java_thread("http-nio-8080-exec-1"), ThreadClass::Work);
    /// ```
    pub fn of_java_thread(name: &str) -> Self {
        if name.is_empty() {
            return Self::Unknown;
        }
        let is_start = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
        NAME_STARTS.iter().find(|(_, starts)| is_start(starts)).map_or(Self::Work, |(class, _)| *class)
    }
}
