//! The processor's mode.

codes! {
    /// The processor's mode at the time of the sample.
    pub enum CpuMode {
        /// Unknown: the engine cannot see the kernel.
        Unknown = 0 "unknown",
        /// Executing the program's own code.
        User = 1 "user",
        /// Executing in the kernel on behalf of the program.
        System = 2 "system",
    }
}
