//! Tests which block a stack shows: by bytecode index, for several blocks on a line and for headers of several lines.

use crate::edit_site::tests::*;

const TEXT: &str = "package a;
class Blocks {
    final Object first = new Object();
    final Object second = new Object();
    int n;
    void below() {
        synchronized (first) { // BELOW
            n++; // BODY
        }
    }
    void shared() {
        synchronized (first) { n++; } synchronized (second) { n--; } // SHARED
    }
    void nested() {
        synchronized (first) { synchronized (second) { n++; } } // NESTED
    }
    void header() {
        synchronized ( // HEADER
            pick( // PICK
                n)) { // END
            n++;
        }
    }
    Object pick(int n) { return n > 0 ? first : second; }
    void call() {
        synchronized (first) { // AROUND
            pick(1); // CALL
        }
        new Blocks(); // NEW
    }
    synchronized void both() {
        synchronized (second) { n++; } // BOTH
    }
}
";

const ENTER: u8 = 0xc2;
const EXIT: u8 = 0xc3;

/// The bytecode indices of an opcode in a method.
fn indices(program: &Program, method: &str, opcode: u8) -> Vec<u32> {
    let file = ClassFile::parse(&program.classes.0["a/Blocks"]).unwrap();
    let method = file.methods.iter().find(|it| it.name == method).unwrap();
    let all = method.code.as_ref().unwrap().instructions().flatten();
    all.filter(|it| it.opcode == opcode).map(|it| it.bytecode_index).collect()
}

/// The line to edit for a thread at a bytecode index. The line of the stack is that of the index, as in profiles.
fn at(program: &Program, method: &str, index: u32) -> Result<(u32, String), String> {
    let file = ClassFile::parse(&program.classes.0["a/Blocks"]).unwrap();
    let found = file.methods.iter().find(|it| it.name == method).unwrap();
    let line = found.code.as_ref().unwrap().line_at(index).map(u32::from);
    let descriptor = leak(found.descriptor.clone().into_owned());
    ask(program, CallPlace { class: "a/Blocks", method, descriptor, bytecode_index: Some(index), line })
}

fn ask(program: &Program, place: CallPlace<'_>) -> Result<(u32, String), String> {
    let rule = rule(SiteKind::Lock, &[]);
    let mut site = find_site(&SiteQuestion { rule: &rule, callers: &[place], called: &[] }, &program.classes)?;
    refine_with_source(&mut site, TEXT);
    Ok((site.line.unwrap(), site.what))
}

fn on_field(line: u32, field: &str) -> (u32, String) {
    (line, format!("synchronized on field Blocks.{field}"))
}

fn line(program: &Program, mark: &str) -> u32 {
    program.marked(mark)[0].1
}

/// The interpreter goes to the next instruction before it locks, so the stack has the line of the block's first statement.
#[test]
fn a_waiting_thread_is_at_the_monitorenter_or_at_the_next_instruction() {
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Blocks.java", TEXT)], &[]);
        let expected = on_field(line(&program, "// BELOW"), "first");
        let enter = indices(&program, "below", ENTER)[0];
        assert_eq!(at(&program, "below", enter).unwrap(), expected);
        assert_eq!(at(&program, "below", enter + 1).unwrap(), expected);
        // Only the line is known, as in files of other tools.
        let place = |mark| CallPlace {
            class: "a/Blocks",
            method: "below",
            descriptor: "()V",
            bytecode_index: None,
            line: Some(line(&program, mark)),
        };
        assert_eq!(ask(&program, place("// BELOW")).unwrap(), expected);
        assert_eq!(ask(&program, place("// BODY")).unwrap(), expected);
    }
}

#[test]
fn a_thread_that_releases_a_lock_is_at_its_block() {
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Blocks.java", TEXT)], &[]);
        let exits = indices(&program, "below", EXIT);
        // On the usual way, and when an exception leaves the block.
        assert_eq!(exits.len(), 2);
        for exit in exits {
            assert_eq!(at(&program, "below", exit).unwrap(), on_field(line(&program, "// BELOW"), "first"));
        }
    }
}

#[test]
fn blocks_on_the_same_line_are_distinguished_by_index() {
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Blocks.java", TEXT)], &[]);
        for (method, mark) in [("shared", "// SHARED"), ("nested", "// NESTED")] {
            let enters = indices(&program, method, ENTER);
            for (enter, field) in enters.into_iter().zip(["first", "second"]) {
                let expected = on_field(line(&program, mark), field);
                assert_eq!(at(&program, method, enter).unwrap(), expected, "{method}");
                assert_eq!(at(&program, method, enter + 1).unwrap(), expected, "{method}");
            }
        }
        let exits = indices(&program, "nested", EXIT);
        assert_eq!(at(&program, "nested", exits[0]).unwrap().1, "synchronized on field Blocks.second");
        assert_eq!(at(&program, "nested", *exits.last().unwrap()).unwrap().1, "synchronized on field Blocks.first");
    }
}

#[test]
fn the_line_of_a_long_header_is_that_of_synchronized() {
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Blocks.java", TEXT)], &[]);
        let enter = indices(&program, "header", ENTER)[0];
        for index in [enter, enter + 1] {
            assert_eq!(at(&program, "header", index).unwrap().0, line(&program, "// HEADER"));
        }
    }
}

/// For example, the JVM takes a lock of its own when `new` initialises a class.
#[test]
fn other_instructions_of_a_block_do_not_wait_for_its_lock() {
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Blocks.java", TEXT)], &[]);
        let new = indices(&program, "call", 0xbb)[0];
        assert!(at(&program, "call", new).unwrap_err().contains("locks nothing in line"));
        let call = indices(&program, "call", 0xb6)[0];
        let what = at(&program, "call", call);
        assert!(what.is_err(), "{what:?}");
    }
}

#[test]
fn a_synchronized_method_locks_before_its_blocks() {
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Blocks.java", TEXT)], &[]);
        let (_, what) = at(&program, "both", 0).unwrap();
        assert_eq!(what, "synchronized method, which locks its object");
        let enter = indices(&program, "both", ENTER)[0];
        assert_eq!(at(&program, "both", enter).unwrap(), on_field(line(&program, "// BOTH"), "second"));
        assert_eq!(at(&program, "both", enter + 1).unwrap(), on_field(line(&program, "// BOTH"), "second"));
    }
}
