//! The caller of a system call: one function for each stack.
//!
//! ```text
//! main() > Log.flush() > java.io.FileOutputStream.write(int) > __write > vfs_write      Log.flush()
//! java.lang.Thread.run() > java.net.Socket.read() > __recv                              java.net.Socket.read()
//! start > serve > __recv                                                                serve
//! ```
//!
//! The caller is the deepest Java method outside the JDK, otherwise the deepest Java method. On a stack without Java,
//! the caller is the deepest native function outside system libraries. If there is no such function, it is the deepest
//! function of the JVM, otherwise the deepest function of any library.

use whittle_bytecode::class_file::is_jdk_method;
use whittle_model::{FrameKind, FunctionIndex, FunctionKind, Table, Tables};
use whittle_profile::system_libraries::SystemLibraries;

/// Ranks functions by how well they identify the caller. The best rank comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    OwnJava,
    Java,
    OwnNative,
    Jvm,
    OtherUserCode,
    Nothing,
}

/// The calling function for each row of the stacks table. Missing if the stack is empty or has only kernel code.
pub(crate) fn calling_functions(tables: &Tables) -> Vec<Option<FunctionIndex>> {
    let ranks = function_ranks(tables);
    let (stacks, frames) = (&tables.stacks, &tables.frames);
    let mut callers: Vec<(Rank, FunctionIndex)> = Vec::with_capacity(stacks.len());
    callers.push((Rank::Nothing, FunctionIndex::TOTAL));
    // Parents come before their children. Among equal ranks, the deeper function is selected.
    for row in 1..stacks.len() {
        let above = callers[stacks.parent[row].row()];
        let frame = stacks.frame[row].row();
        let function = frames.function[frame];
        let rank = if frames.kind[frame] == FrameKind::Truncated { Rank::Nothing } else { ranks[function.row()] };
        callers.push(if rank <= above.0 { (rank, function) } else { above });
    }
    callers.into_iter().map(|(rank, function)| (rank != Rank::Nothing).then_some(function)).collect()
}

fn function_ranks(tables: &Tables) -> Vec<Rank> {
    let libraries = SystemLibraries::new(&tables.binaries);
    let functions = &tables.functions;
    let rank = |row: usize| match functions.kind[row] {
        FunctionKind::Java if is_jdk_method(&functions.internal_name[row]) => Rank::Java,
        FunctionKind::Java => Rank::OwnJava,
        FunctionKind::Native if libraries.is_system(&tables.binaries.path[functions.binary[row].row()]) => {
            Rank::OtherUserCode
        }
        FunctionKind::Native => Rank::OwnNative,
        FunctionKind::Jvm => Rank::Jvm,
        FunctionKind::Stub => Rank::OtherUserCode,
        FunctionKind::Kernel | FunctionKind::Pseudo => Rank::Nothing,
    };
    (0..functions.len()).map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_testkit::experiment_from_text;

    fn caller(drawn_frames: &str) -> String {
        let (_, tables) = experiment_from_text(drawn_frames);
        let leaf = tables.samples.stack[0].row();
        let caller = calling_functions(&tables)[leaf];
        caller.map_or("none".to_owned(), |function| tables.functions.display_name[function.row()].clone())
    }

    #[test]
    fn the_deepest_code_of_the_program_is_the_caller() {
        for (frames, expected) in [
            ("app.Main.run()\napp.Log.flush()\njava.io.F.write(int)\n__write[n]\nvfs_write[k]", "app.Log.flush()"),
            ("java.lang.Thread.run()\njava.net.Socket.read()\n__recv[n]", "java.net.Socket.read()"),
            ("start[n]\nserve[n:/srv/app]\n__recv[n]\ntcp_recvmsg[k]", "serve"),
            ("start[n]\n__recv[n]\ntcp_recvmsg[k]", "__recv"),
            ("app.Main.run()\nnative_part[n:/srv/libown.so]\n__write[n]", "app.Main.run()"),
            ("start_thread[n]\nCompile[j]\n__madvise[n]", "Compile"),
            ("vfs_write[k]", "none"),
            ("x[t:unanswered]", "none"),
        ] {
            assert_eq!(caller(frames), expected, "{frames}");
        }
    }
}
