//! Tests that stacks are walked to their root, through every kind of frame.

use super::program::{Program, Workshop};
use super::{Observer, from_main};
use std::process::Command;
use whittle_model::LossReason;

/// How often a program is stopped. Each time, its stack is compared with the known stack.
const STOP_COUNT: usize = 300;

/// The source line of a mark in `callers.c`.
fn line(mark: &str) -> u32 {
    Workshop::line("callers.c", mark)
}

/// A frame pointer chain loses the caller of a leaf without a frame; unwind tables do not.
#[test]
fn a_leaf_without_a_frame_has_its_true_caller_and_lines() {
    let workshop = Workshop::new();
    let Some(program) = workshop.compile("callers.c", &["-g"]) else { return };
    let mut program = Program::start(&program, &[]);
    let truth = u64::from_str_radix(program.line().trim_start_matches("0x"), 16).unwrap();
    let mut observer = Observer::new();
    let mut seen = [0; 3];
    for _ in 0..STOP_COUNT {
        // Without a pause, the program would hardly move between two stops.
        std::thread::sleep(std::time::Duration::from_millis(1));
        program.stopped(|stopped| {
            let mut number = [0; 4];
            program.read(truth, &mut number).unwrap();
            let (words, reason) = observer.see(program.process(), stopped);
            assert_eq!(reason, LossReason::None, "{words:?}");
            let words = from_main(&words);
            if !words.last().unwrap().starts_with("leaf") {
                return;
            }
            let number = i32::from_le_bytes(number) as usize;
            let caller = ["", "often", "seldom"][number];
            assert_eq!(words[0], format!("main:{}", line("main")));
            assert_eq!(words[1], format!("work:{}", line(&format!("work {caller}"))));
            assert_eq!(words[2], format!("{caller}:{}", line(caller)));
            let leaf_line: u32 = words[3].split(':').nth(1).unwrap().parse().unwrap();
            assert!((line("leaf") - 2..=line("leaf") + 1).contains(&leaf_line), "{words:?}");
            seen[number] += 1;
        });
    }
    let share = f64::from(seen[1]) / f64::from(seen[1] + seen[2]);
    assert!(seen[1] + seen[2] > STOP_COUNT as u32 / 2, "{seen:?}");
    assert!((0.62..0.82).contains(&share), "often: {share}, expected 0.72");
}

/// The stack of `odd_frames` with this argument, in the thread with this number.
fn odd_frames(choice: &str, thread: usize) -> Option<(Vec<String>, LossReason)> {
    let workshop = Workshop::new();
    let program = workshop.compile("odd_frames.c", &["-g1"])?;
    let mut program = Program::start(&program, &[choice]);
    program.wait_until_ready();
    let thread = program.threads()[thread];
    Some(program.thread_stopped(thread, |stopped| Observer::new().see(program.process(), stopped)))
}

/// Names only, without lines.
fn names(words: &[String]) -> Vec<&str> {
    words.iter().map(|frame| frame.split(':').next().unwrap()).collect()
}

#[test]
fn a_signal_handler_stands_on_what_it_interrupted() {
    let expected = ["main", "be_interrupted", "interrupted", "__restore_rt", "handler", "spin"];
    let Some((words, reason)) = odd_frames("signal", 0) else { return };
    assert_eq!((names(from_main(&words)), reason), (expected.to_vec(), LossReason::None));
}

/// The handler's stack is copied. The interrupted stack is another stack, so its frames are missing.
#[test]
fn a_signal_handler_on_its_own_stack_says_what_is_missing() {
    let Some((words, reason)) = odd_frames("own-stack", 0) else { return };
    let expected = ["interrupted", "__restore_rt", "handler", "spin"];
    assert_eq!(names(&words[1..]), expected);
    assert_eq!(words[0], format!("<truncated: {reason}>"));
    assert!([LossReason::UnwalkableNative, LossReason::StackCopyLimit].contains(&reason), "{reason}");
}

#[test]
fn aligned_and_variable_frames_are_passed() {
    let Some((words, reason)) = odd_frames("aligned", 0) else { return };
    let expected = ["main", "aligned", "variable", "use", "spin"];
    assert_eq!((names(from_main(&words)), reason), (expected.to_vec(), LossReason::None));
}

#[test]
fn a_thread_is_followed_to_its_start() {
    let Some((words, reason)) = odd_frames("thread", 1) else { return };
    let names = names(&words);
    assert_eq!((&names[names.len() - 2..], reason), (&["thread", "spin"][..], LossReason::None));
    assert!(!names.contains(&"main"), "{names:?}");
}

#[test]
fn a_stack_beyond_the_copy_says_so() {
    let Some((words, reason)) = odd_frames("deep", 0) else { return };
    assert_eq!(reason, LossReason::StackCopyLimit);
    assert_eq!(words[0], "<truncated: stack_copy_limit>");
    assert!(words.len() > 50, "{} frames", words.len());
    let names = names(&words);
    assert!(names[1..names.len() - 1].iter().all(|name| *name == "deep"), "{names:?}");
}

#[test]
fn the_kernels_own_code_is_passed() {
    let workshop = Workshop::new();
    let Some(program) = workshop.compile("odd_frames.c", &[]) else { return };
    let mut program = Program::start(&program, &["vdso"]);
    program.wait_until_ready();
    let mut observer = Observer::new();
    let (mut in_kernels_code, mut stops) = (0, 0);
    // Half of the time is spent in the kernel's code. But a stopped program moves on only when it gets a CPU.
    while stops < STOP_COUNT || in_kernels_code == 0 && stops < 50 * STOP_COUNT {
        std::thread::sleep(std::time::Duration::from_millis(1));
        program.stopped(|stopped| {
            let (words, reason) = observer.see(program.process(), stopped);
            assert_eq!(reason, LossReason::None, "{words:?}");
            in_kernels_code += u32::from(words.iter().any(|frame| frame.contains("vdso")));
        });
        stops += 1;
    }
    assert!(in_kernels_code > 0);
    let path = &observer.builder.tables().binaries.path;
    assert!(path.iter().any(|path| path == "vdso"), "{path:?}");
}

#[test]
fn generated_code_is_unknown_and_passed_by_its_frame_record() {
    let Some((words, reason)) = odd_frames("generated", 0) else { return };
    let expected = ["main", "call_generated", "[unknown]", "spin"];
    assert_eq!((names(from_main(&words)), reason), (expected.to_vec(), LossReason::Unsymbolised));
}

#[test]
fn a_leaf_without_a_table_has_the_caller_that_its_stack_names() {
    let Some((words, reason)) = odd_frames("assembly", 0) else { return };
    let expected = ["main", "call_assembly", "without_table"];
    assert_eq!((names(from_main(&words)), reason), (expected.to_vec(), LossReason::None));
}

/// Unwind tables of hand-written assembly can describe the caller with an expression, or with a register that is not
/// saved.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_leaf_that_keeps_its_callers_stack_in_odd_places_is_passed() {
    for (choice, leaf) in [("red-zone", "in_red_zone"), ("register", "in_register")] {
        let Some((words, reason)) = odd_frames(choice, 0) else { return };
        let expected = ["main", &format!("call_{leaf}"), leaf];
        assert_eq!((names(from_main(&words)), reason), (expected.to_vec(), LossReason::None));
    }
}

#[test]
fn a_library_that_is_loaded_later_is_found() {
    let workshop = Workshop::new();
    let Some(program) = workshop.compile("odd_frames.c", &[]) else { return };
    let Some(library) = workshop.compile("library.c", &["-shared", "-fPIC"]) else { return };
    let mut program = Program::start(&program, &["late", library.to_str().unwrap()]);
    let mut observer = Observer::new();
    assert_eq!(program.line(), "before");
    let (words, _) = program.stopped(|stopped| observer.see(program.process(), stopped));
    assert!(!words.iter().any(|frame| frame.starts_with("run_in_library")));
    program.answer();
    program.wait_until_ready();
    // Wait, because whittle does not read a map again immediately.
    std::thread::sleep(std::time::Duration::from_millis(300));
    let (words, reason) = program.stopped(|stopped| observer.see(program.process(), stopped));
    let expected = ["main", "call_late", "run_in_library", "spin"];
    assert_eq!((names(from_main(&words)), reason), (expected.to_vec(), LossReason::None));
}

/// Tests programs without unwind tables. Only the frame pointer is available.
#[test]
fn a_program_without_tables_is_walked_by_frame_pointers() {
    let workshop = Workshop::new();
    let options = ["-g1", "-fno-asynchronous-unwind-tables", "-fno-omit-frame-pointer", "-DNO_TABLES"];
    let Some(program) = workshop.compile("callers.c", &options) else { return };
    // `-g` adds the tables again for debuggers.
    let stripped = workshop.path("without-tables");
    let mut strip = Command::new("objcopy");
    strip.args(["--remove-section", ".debug_frame"]).arg(&program).arg(&stripped);
    if workshop.run(&mut strip).is_none() {
        return;
    }
    let mut program = Program::start(&stripped, &[]);
    program.line();
    let mut observer = Observer::new();
    for _ in 0..50 {
        let (words, reason) = program.stopped(|stopped| observer.see(program.process(), stopped));
        assert_eq!(reason, LossReason::None, "{words:?}");
        assert_eq!(names(from_main(&words))[..1], ["main"]);
    }
}
