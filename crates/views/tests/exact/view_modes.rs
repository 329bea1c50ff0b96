//! Tests of the shown frames in each view mode, on stacks drawn as text.

use crate::support::profile;
use whittle_profile::{Query, ViewMode};

/// The stacks of a drawing in a mode, root first, each with its seconds.
fn shown(drawing: &str, mode: ViewMode) -> Vec<String> {
    let query = Query { mode, ..crate::support::query("cpu") };
    let view = whittle_views::stacks::stacks(&profile(drawing), &query).expect("stacks");
    let rows = view.rows.iter().map(|row| {
        let frames: Vec<&str> = row.frames_leaf_first.iter().rev().map(String::as_str).collect();
        format!("{} {}", row.values.numbers[0] / 1e9, frames.join(" "))
    });
    rows.collect()
}

const WRITE: &str = "
    start_thread[n]
    JavaThread::run[j]
    run()
    write0()
    Java_write0[n:/opt/jdk/lib/libjava.so]
    __write[n]
    entry_SYSCALL[k]
";

#[test]
fn hidden_frames_leave_their_weight_to_the_last_shown_one() {
    assert_eq!(shown(WRITE, ViewMode::User), ["1 run() write0()"]);
    assert_eq!(shown(WRITE, ViewMode::Expert), ["1 run() write0() Java_write0 __write"]);
    assert_eq!(
        shown(WRITE, ViewMode::Machine),
        ["1 start_thread JavaThread::run run() write0() Java_write0 __write entry_SYSCALL"]
    );
}

#[test]
fn native_code_of_the_application_shows_in_user_mode() {
    let drawing = "
        run()
        fast0()
        Java_fast0[n:/srv/app/libfast.so]
        JavaCalls::call[j]
        callback()
        memcpy[n]
    ";
    assert_eq!(shown(drawing, ViewMode::User), ["1 run() fast0() Java_fast0 callback()"]);
    assert_eq!(shown(drawing, ViewMode::Expert), ["1 run() fast0() Java_fast0 callback() memcpy"]);
}

#[test]
fn stacks_without_java_are_named_by_the_kind_of_thread() {
    let drawing = "
        @thread  C2 [jit_compiler]  main          reader     GC [gc]
                 Compile::run[j]    JavaMain[n]   run()      read[k]
                 malloc[n]          memset[n]
    ";
    assert_eq!(shown(drawing, ViewMode::User), ["2 <JVM-System>", "1 <no Java callstack recorded>", "1 run()"]);
    assert_eq!(
        shown(drawing, ViewMode::Expert),
        ["1 <JVM-System>", "1 Compile::run malloc", "1 JavaMain memset", "1 run()"]
    );
}

#[test]
fn truncations_stay_visible_in_all_modes() {
    let drawing = "
        ?[t:depth_limit]  start_thread[n]       poll[n]
        run()             ?[t:unwalkable_java]  run()
        read[k]                                 ?[t:deoptimization]
    ";
    let user = shown(drawing, ViewMode::User);
    assert_eq!(
        user,
        [
            "1 run() <truncated: deoptimization>",
            "1 <no Java callstack recorded> <truncated: unwalkable_java>",
            "1 <truncated: depth_limit> run()",
        ]
    );
    assert!(shown(drawing, ViewMode::Expert).contains(&"1 start_thread <truncated: unwalkable_java>".to_owned()));
    assert!(shown(drawing, ViewMode::Expert).contains(&"1 <truncated: depth_limit> run()".to_owned()));
}

#[test]
fn a_native_program_shows_its_native_frames_in_user_mode() {
    let drawing = "
        main[n:/usr/bin/ps]
        read[n]
        vfs_read[k]
    ";
    assert_eq!(shown(drawing, ViewMode::User), ["1 main read"]);
}
