//! Code and the stacks that run it: binaries, functions, frames, stacks.

use crate::identity::ContentHash;
use crate::{BinaryIndex, FrameIndex, FunctionIndex, LossReason, StackIndex, Table};

/// The kernel's path in the binaries table.
pub const KERNEL_BINARY: &str = "[kernel]";

codes! {
    /// The kind of a row of the binaries table.
    pub enum BinaryKind {
        /// No binary: the row of pseudo-functions and of functions with an unknown origin.
        None = 0 "none",
        /// An ELF file: program or shared library.
        Elf = 1 "elf",
        /// An origin of classes: a jar, a folder or a module of the JDK.
        ClassOrigin = 2 "class_origin",
        /// The Linux kernel with its modules.
        Kernel = 3 "kernel",
    }
}

codes! {
    /// The kind of code of a function.
    pub enum FunctionKind {
        /// A name that represents no code, such as `<Total>`.
        Pseudo = 0 "pseudo",
        /// A Java method, including Java native methods.
        Java = 1 "java",
        /// Machine code outside the JVM: libc, the JDK's native libraries, native programs.
        Native = 2 "native",
        /// C++ code of the JVM itself.
        Jvm = 3 "jvm",
        /// A function of the Linux kernel.
        Kernel = 4 "kernel",
        /// Code that the JVM generated for itself, not for a Java method: stubs, adapters, the interpreter.
        Stub = 5 "stub",
    }
}

codes! {
    /// How the code of a frame was executing.
    pub enum FrameKind {
        /// No code: the frame of a pseudo-function.
        Pseudo = 0 "pseudo",
        /// Java bytecode in the interpreter.
        Interpreted = 1 "interpreted",
        /// Java compiled by C1.
        C1 = 2 "c1",
        /// Java compiled by C2 or another optimising compiler.
        Jit = 3 "jit",
        /// Java or machine code that the compiler inlined into its caller.
        Inlined = 4 "inlined",
        /// C++ code of the JVM.
        Jvm = 5 "jvm",
        /// Machine code outside the JVM.
        Native = 6 "native",
        /// Kernel code.
        Kernel = 7 "kernel",
        /// Code that the JVM generated for itself, not for a Java method.
        Stub = 8 "stub",
        /// Frames are missing here; the column `reason` says why.
        Truncated = 9 "truncated",
    }
}

table! {
    /// One row per ELF file, class origin and the kernel.
    pub table BinaryTable of Binary named "binaries" {
        /// Path or name in the producer's data; empty in row 0, which represents "none".
        path: String,
        /// GNU build id in lower-case hexadecimal. Missing: unknown.
        build_id: Option<String>,
        /// Kind of binary.
        kind: BinaryKind,
    }
}

table! {
    /// One row per function or Java method. Row 0 is `<Total>`.
    pub table FunctionTable of Function named "functions" {
        /// The displayed name, for example `java.io.FileOutputStream.write(int)`.
        display_name: String,
        /// The name in the JVM (`java/io/FileOutputStream.write(I)V`) or the linker; names of C++ and Rust code are
        /// demangled, without parameters.
        internal_name: String,
        /// Kind of code.
        kind: FunctionKind,
        /// Row of binaries; 0: none or unknown.
        binary: BinaryIndex,
        /// Source file name. Missing: unknown.
        source_file: Option<String>,
        /// First source line, counted from 1. Missing: unknown.
        first_line: Option<u32>,
        /// Address of the machine code. Missing: unknown, or the code moves.
        address: Option<u64>,
        /// Size of the code in bytes; can be 0. Missing: unknown.
        size_bytes: Option<u64>,
    }
}

table! {
    /// One row per distinct place in code. Row 0 is the frame of `<Total>`.
    pub table FrameTable of Frame named "frames" {
        /// Row of functions.
        function: FunctionIndex,
        /// Source line, counted from 1. Missing: unknown.
        line: Option<u32>,
        /// Bytecode index in a Java method. Missing: unknown or not Java.
        bytecode_index: Option<u32>,
        /// Address of the machine code. Missing: unknown.
        address: Option<u64>,
        /// How the code was executing.
        kind: FrameKind,
        /// Why frames are missing here; `none` unless kind is `truncated`.
        reason: LossReason,
    }
}

table! {
    /// One row per node of the prefix tree of stacks. Row 0 is the empty stack. In every other row, the parent is an
    /// earlier row.
    ///
    /// ```text
    /// row  parent  frame        depth      stack of this row, root first
    ///   0       0  <Total>          0
    ///   1       0  main             1      main
    ///   2       1  write            2      main write
    ///   3       1  parse            2      main parse
    /// ```
    pub table StackTable of Stack named "stacks" {
        /// Row of stacks: this stack without its leaf frame. Always an earlier row; 0 for row 0.
        parent: StackIndex,
        /// Row of frames: the leaf frame of this stack.
        frame: FrameIndex,
        /// Number of frames, without `<Total>`.
        depth: u32,
        /// Identity of the stack across experiments: a hash over its frames, without addresses and generated numbers.
        content_hash: ContentHash,
    }
}

impl StackTable {
    /// For each row, whether the row itself or a row above it has such a frame.
    pub fn has_frame(&self, is_wanted: impl Fn(FrameIndex) -> bool) -> Vec<bool> {
        let mut has_frame = vec![false; self.len()];
        for row in 1..has_frame.len() {
            has_frame[row] = has_frame[self.parent[row].row()] || is_wanted(self.frame[row]);
        }
        has_frame
    }
}
