//! Tests of names, lines, frame kinds and files.

use super::program::{Program, Stopped, Workshop};
use super::{Observer, from_main};
use crate::process_id::ProcessId;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use whittle_model::{BinaryKind, FrameKind, FunctionKind, LossReason, Table};
use whittle_testkit::not_run;

/// The stack of a program after the program has reported that it is ready.
fn stack_of(program: &Path, observer: &mut Observer) -> (Vec<String>, LossReason) {
    let mut program = Program::start(program, &[]);
    program.wait_until_ready();
    program.stopped(|stopped| observer.see(program.process(), stopped))
}

#[test]
fn inlined_functions_are_frames_of_their_own() {
    let workshop = Workshop::new();
    for version in ["-gdwarf-5", "-gdwarf-4", "-gdwarf-3"] {
        let Some(program) = workshop.compile("inlined.c", &[version]) else { return };
        let mut observer = Observer::new();
        let (words, reason) = stack_of(&program, &mut observer);
        let line = |mark| Workshop::line("inlined.c", mark);
        let expected = [
            format!("main:{}", line("main")),
            format!("outer:{}", line("outer")),
            format!("between:{} inlined", line("between")),
        ];
        let words = from_main(&words);
        assert_eq!((&words[..3], words.len(), reason), (&expected[..], 4, LossReason::None), "{version}");
        // Either the line of the loop, or the line of the statement in the loop.
        let loop_line = line("innermost");
        let innermost = [format!("innermost:{loop_line} inlined"), format!("innermost:{} inlined", loop_line - 1)];
        assert!(innermost.contains(&words[3]), "{version}: {words:?}");
        let functions = &observer.builder.tables().functions;
        let row = |name: &str| functions.display_name.iter().position(|found| found == name).unwrap();
        for name in ["main", "outer", "between", "innermost"] {
            let file = functions.source_file[row(name)].as_deref().unwrap();
            assert_eq!(Path::new(file), workshop.path("inlined.c"), "{name}");
        }
        assert_eq!(functions.first_line[row("outer")], Some(line("outer") - 1), "{version}");
        assert!(functions.address[row("outer")].is_some() && functions.size_bytes[row("outer")] > Some(8));
        assert_eq!(functions.address[row("between")], None);
    }
}

#[test]
fn cpp_names_are_demangled_without_parameters() {
    let workshop = Workshop::new();
    let Some(program) = workshop.compile("names.cpp", &["-g"]) else { return };
    let mut observer = Observer::new();
    let mut running = Program::start(&program, &[]);
    running.wait_until_ready();
    let mut names = Vec::new();
    for _ in 0..20 {
        let (words, _) = running.stopped(|stopped| observer.see(running.process(), stopped));
        let words = from_main(&words).to_vec();
        if words.last().unwrap().starts_with("shop::Loud::add") {
            names = words;
            break;
        }
    }
    let line = |mark| Workshop::line("names.cpp", mark);
    assert_eq!(names[0], format!("main:{}", line("main")));
    assert!(names[1].starts_with("shop::run:"), "{names:?}");
    assert!(names[2].starts_with("void shop::each<shop::run"), "{names:?}");
    assert!(names[2].ends_with(&format!(":{}", line("each"))), "{names:?}");
    assert!(names[3].contains("::operator()") && names[3].contains(&format!(":{}", line("lambda"))), "{names:?}");
    assert!(names[4].starts_with("shop::Loud::add:"), "{names:?}");
}

#[test]
fn a_stripped_program_is_walked_and_its_functions_are_unknown() {
    let workshop = Workshop::new();
    let Some(program) = workshop.compile("inlined.c", &["-s"]) else { return };
    let mut observer = Observer::new();
    let (words, reason) = stack_of(&program, &mut observer);
    assert_eq!(reason, LossReason::Unsymbolised);
    assert_eq!(words[words.len() - 2..], ["[unknown]", "[unknown]"]);
    let tables = observer.builder.tables();
    let unknown = |frame: &usize| {
        tables.functions.internal_name[tables.frames.function[*frame].row()] == "unknown"
            && tables.frames.address[*frame].is_some()
    };
    assert!((0..tables.frames.len()).filter(unknown).count() >= 2, "each place keeps its address");
    tables.validate().unwrap();
}

#[test]
fn separate_debug_information_is_found_by_its_link() {
    let workshop = Workshop::new();
    // Without a build id, the file is recognised by its checksum.
    for (round, build_id) in ["-Wl,--build-id=sha1", "-Wl,--build-id=none"].into_iter().enumerate() {
        let Some(program) = workshop.compile("inlined.c", &["-g", build_id]) else { return };
        let (debug, stripped) = (workshop.path(&format!("{round}.debug")), workshop.path(&format!("stripped{round}")));
        let mut keep = Command::new("objcopy");
        keep.args(["--only-keep-debug", "--compress-debug-sections"]).arg(&program).arg(&debug);
        let link = format!("--add-gnu-debuglink={}", debug.display());
        let mut strip = Command::new("objcopy");
        strip.args(["--strip-all", &link]).arg(&program).arg(&stripped);
        if workshop.run(&mut keep).is_none() || workshop.run(&mut strip).is_none() {
            return;
        }
        let mut observer = Observer::new();
        let (words, reason) = stack_of(&stripped, &mut observer);
        let outer = format!("outer:{}", Workshop::line("inlined.c", "outer"));
        assert!(words.contains(&outer), "{words:?}");
        assert_eq!(reason, LossReason::None);
        let binaries = &observer.builder.tables().binaries;
        let own = binaries.path.iter().position(|path| *path == format!("stripped{round}")).unwrap();
        assert_eq!(binaries.build_id[own].is_some(), round == 0);
        // Another program's file is not mistaken for the file of this program.
        fs::write(&debug, fs::read(&debug).unwrap().repeat(2)).unwrap();
        let Some(other) = workshop.compile("callers.c", &["-g", build_id]) else { return };
        fs::copy(other, &debug).unwrap();
        let (_, reason) = stack_of(&stripped, &mut Observer::new());
        assert_eq!(reason, LossReason::Unsymbolised);
    }
}

#[test]
fn functions_are_those_of_an_imported_recording() {
    let workshop = Workshop::new();
    let Some(library) = workshop.compile("library.c", &["-shared", "-fPIC"]) else { return };
    let Some(program) = workshop.compile("odd_frames.c", &["-g"]) else { return };
    // The JVM's library is recognised by its name.
    let jvm = workshop.path("libjvm.so");
    fs::rename(library, &jvm).unwrap();
    let mut running = Program::start(&program, &["late", jvm.to_str().unwrap()]);
    running.line();
    running.answer();
    running.wait_until_ready();
    let mut observer = Observer::new();
    running.stopped(|stopped| observer.see(running.process(), stopped));
    let tables = observer.builder.tables();
    tables.validate().unwrap();
    let frame = |name: &str| {
        let function = tables.functions.internal_name.iter().position(|found| found == name).unwrap();
        let frame = tables.frames.function.iter().position(|found| found.row() == function).unwrap();
        let binary = tables.functions.binary[function].row();
        let kinds = (tables.functions.kind[function], tables.frames.kind[frame], tables.binaries.kind[binary]);
        (tables.binaries.path[binary].as_str(), kinds)
    };
    let native = (FunctionKind::Native, FrameKind::Native, BinaryKind::Elf);
    assert_eq!(frame("run_in_library"), ("libjvm.so", (FunctionKind::Jvm, FrameKind::Jvm, BinaryKind::Elf)));
    assert_eq!(frame("main"), (program.file_name().unwrap().to_str().unwrap(), native));
    let libc = tables.binaries.path.iter().position(|path| path == "libc.so.6");
    let libc = libc.expect("libraries go by their file names");
    assert!(tables.binaries.build_id[libc].as_ref().is_some_and(|id| id.len() == 40));
}

/// Tests a program that exists only in its own mount namespace, and a deleted program.
#[test]
fn files_are_those_that_are_mapped() {
    // SAFETY: `geteuid` takes no arguments and cannot fail.
    if unsafe { libc::geteuid() } != 0 {
        return not_run("needs root");
    }
    let workshop = Workshop::new();
    let Some(program) = workshop.compile("inlined.c", &["-g"]) else { return };
    let hidden = workshop.path("hidden");
    fs::create_dir(&hidden).unwrap();
    let script = "mount -t tmpfs none hidden && cp \"$0\" hidden/program && exec hidden/program";
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(&program).current_dir(workshop.path(""));
    // SAFETY: the two calls are allowed between fork and exec and touch no memory of this process.
    unsafe {
        command.pre_exec(|| {
            let root = c"/".as_ptr();
            let private = libc::MS_REC | libc::MS_PRIVATE;
            let none = std::ptr::null();
            let is_done =
                libc::unshare(libc::CLONE_NEWNS) == 0 && libc::mount(none, root, none, private, none.cast()) == 0;
            if is_done { Ok(()) } else { Err(std::io::Error::last_os_error()) }
        });
    }
    let mut running = Program::spawn(&mut command);
    running.wait_until_ready();
    assert!(!hidden.join("program").exists());
    let (words, reason) = running.stopped(|stopped| Observer::new().see(running.process(), stopped));
    assert!(words.iter().any(|frame| frame.starts_with("outer:")), "{words:?}");
    assert_eq!(reason, LossReason::None);

    let mut running = Program::start(&program, &[]);
    running.wait_until_ready();
    fs::remove_file(&program).unwrap();
    let (words, reason) = running.stopped(|stopped| Observer::new().see(running.process(), stopped));
    assert!(words.iter().any(|frame| frame.starts_with("outer:")), "{words:?}");
    assert_eq!(reason, LossReason::None);
}

/// Tests that mappings are still known after the process has ended, and that a fork is known from the start.
#[test]
fn processes_are_opened_inherited_and_forgotten() {
    let workshop = Workshop::new();
    let Some(program) = workshop.compile("inlined.c", &[]) else { return };
    let mut running = Program::start(&program, &[]);
    running.wait_until_ready();
    let (process, mut observer) = (running.process(), Observer::new());
    observer.stacks.open(process);
    let copy = running.stopped(Stopped::clone);
    drop(running);
    let (words, reason) = observer.see(process, &copy);
    assert_eq!((from_main(&words).len(), reason), (2, LossReason::None), "{words:?}");
    let child = ProcessId(u32::MAX);
    observer.stacks.inherit(process, child);
    assert_eq!(observer.see(child, &copy), (words, LossReason::None));
    observer.stacks.forget(child);
    let (words, reason) = observer.see(child, &copy);
    assert_eq!((words.len(), reason), (2, LossReason::NoMapping), "{words:?}");
}
