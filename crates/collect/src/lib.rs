//! Collection on Linux: the attach protocol, async-profiler, the kernel's accounting.
