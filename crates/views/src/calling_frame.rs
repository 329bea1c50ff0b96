//! The frame that calls: of a system call its caller, of an allocation the line that allocates. Each stack has one frame.
//!
//! ```text
//! main() > Log.flush() > java.io.FileOutputStream.write(int) > __write > vfs_write      Log.flush()
//! java.lang.Thread.run() > java.net.Socket.read() > __recv                              java.net.Socket.read()
//! start > serve > __recv                                                                serve
//! ```
//!
//! It is the deepest Java method outside the JDK, otherwise the deepest Java method. On a stack without Java, it is the
//! deepest native function outside system libraries. If there is no such function, it is the deepest function of the
//! JVM, otherwise the deepest function of any library.

use whittle_bytecode::class_file::is_jdk_method;
use whittle_model::{FrameIndex, FrameKind, FunctionKind, Table, Tables};
use whittle_profile::system_libraries::SystemLibraries;

/// Ranks functions by how well they identify the calling code. The best rank comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    OwnJava,
    Java,
    OwnNative,
    Jvm,
    OtherUserCode,
    Nothing,
}

/// The calling frame for each row of the stacks table. Missing if the stack is empty or has only kernel code.
pub(crate) fn calling_frames(tables: &Tables) -> Vec<Option<FrameIndex>> {
    let ranks = function_ranks(tables);
    let (stacks, frames) = (&tables.stacks, &tables.frames);
    let mut callers: Vec<(Rank, FrameIndex)> = Vec::with_capacity(stacks.len());
    callers.push((Rank::Nothing, FrameIndex::TOTAL));
    // Parents come before their children. Among equal ranks, the deeper frame is selected.
    for row in 1..stacks.len() {
        let above = callers[stacks.parent[row].row()];
        let frame = stacks.frame[row];
        let is_cut = frames.kind[frame.row()] == FrameKind::Truncated;
        let rank = if is_cut { Rank::Nothing } else { ranks[frames.function[frame.row()].row()] };
        callers.push(if rank <= above.0 { (rank, frame) } else { above });
    }
    callers.into_iter().map(|(rank, frame)| (rank != Rank::Nothing).then_some(frame)).collect()
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
        let caller = calling_frames(&tables)[leaf];
        let function = |frame: FrameIndex| tables.frames.function[frame.row()].row();
        caller.map_or("none".to_owned(), |frame| tables.functions.display_name[function(frame)].clone())
    }

    #[test]
    fn the_deepest_code_of_the_program_calls() {
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
