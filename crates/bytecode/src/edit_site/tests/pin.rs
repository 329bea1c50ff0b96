//! Tests which frame pins a virtual thread.

use crate::edit_site::tests::*;

const TEXT: &str = "package a;
class Pins {
    static final Object LOCK = new Object();
    static native void nativeCode();
    static class Slow {
        static {
            rest(); // INITIALISER
        }
    }
    static void rest() {
        Thread.yield(); // REST
    }
    static void block() {
        rest(); // BEFORE
        synchronized (LOCK) { // BLOCK
            if (LOCK.hashCode() == 0) {
                return;
            }
            rest(); // INSIDE
        }
        rest(); // AFTER
    }
    static synchronized void method() {
        rest(); // METHOD
    }
}
";

/// A frame of the program at the call with this mark.
fn frame(program: &Program, class: &'static str, method: &'static str, mark: &str) -> CallPlace<'static> {
    let line = program.marked(mark)[0].1;
    let file = ClassFile::parse(&program.classes.0[class]).unwrap();
    let code = file.methods.iter().find(|it| it.name == method).unwrap().code.as_ref().unwrap();
    let is_call = |index: &u32| code.line_at(*index).map(u32::from) == Some(line);
    let mut calls = code.instructions().flatten().filter(|it| it.opcode == INVOKE_STATIC).map(|it| it.bytecode_index);
    let index = calls.find(is_call);
    CallPlace { class, method, descriptor: "()V", bytecode_index: index, line: Some(line) }
}

const INVOKE_STATIC: u8 = 0xb8;
const ROOT: CallPlace<'static> =
    CallPlace { class: "java/lang/VirtualThread", method: "run", descriptor: "()V", bytecode_index: None, line: None };

fn native(method: &'static str) -> CallPlace<'static> {
    CallPlace { class: "a/Pins", method, descriptor: "()V", bytecode_index: None, line: None }
}

fn pin(
    program: &Program,
    callers: &[CallPlace<'_>],
    called: &[CallPlace<'_>],
) -> Result<(Option<u32>, String), String> {
    let rule = rule(SiteKind::Pin, &[]);
    let site = find_site(&SiteQuestion { rule: &rule, callers, called }, &program.classes)?;
    Ok((site.line, site.what))
}

#[test]
fn the_nearest_frame_that_holds_a_lock_pins() {
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Pins.java", TEXT)], &[]);
        let of = |method, mark| frame(&program, "a/Pins", method, mark);
        let line = |mark| Some(program.marked(mark)[0].1);
        let rest = CallPlace { bytecode_index: None, ..of("rest", "// REST") };
        let block = pin(&program, &[rest, of("block", "// INSIDE"), ROOT], &[]).unwrap();
        assert_eq!(block, (line("// BLOCK"), "synchronized on field Pins.LOCK".to_owned()));
        for outside in ["// BEFORE", "// AFTER"] {
            pin(&program, &[rest, of("block", outside), ROOT], &[]).unwrap_err();
            // A lock that the carrier holds does not pin.
            pin(&program, &[rest, of("block", outside), ROOT, of("method", "// METHOD")], &[]).unwrap_err();
        }
        let method = pin(&program, &[rest, of("method", "// METHOD"), of("block", "// INSIDE"), ROOT], &[]).unwrap();
        assert!(method.1.starts_with("synchronized method"), "{method:?}");
        // A library that the program calls.
        let park = CallPlace { method: "parkOnCarrierThread", ..ROOT };
        let called = pin(&program, &[of("block", "// AFTER"), ROOT], &[of("method", "// METHOD"), rest, park]).unwrap();
        assert!(called.1.starts_with("synchronized method"), "{called:?}");
    }
}

#[test]
fn native_code_pins_in_all_versions() {
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Pins.java", TEXT)], &[]);
        let inside = frame(&program, "a/Pins", "block", "// INSIDE");
        let slow = frame(&program, "a/Pins$Slow", "<clinit>", "// INITIALISER");
        let (line, what) = pin(&program, &[inside, slow, ROOT], &[]).unwrap();
        assert_eq!(line, Some(program.marked("// INITIALISER")[0].1));
        assert!(what.starts_with("initialiser of a class"), "{what}");
        let caller = frame(&program, "a/Pins", "block", "// AFTER");
        let (line, what) = pin(&program, &[inside, native("nativeCode"), caller, ROOT], &[]).unwrap();
        assert_eq!((line, what.as_str()), (caller.line, "call of the native method Pins.nativeCode"));
    }
}
