//! The exact instructions of lines to edit and of calling lines.

use crate::edit_site::tests::*;

const LOG: &str = "package a;
import java.io.*;
class Log {
    OutputStream out;
    Log(String file) throws IOException {
        out = new FileOutputStream(file); // SITE
    }
    void put(int b) throws IOException {
        out.write(b);
    }
    static String clean(String text) {
        return text.replaceAll(\"x\", \"y\");
    }
    static String twice(String text) {
        return text.replaceAll(\"x\", \"y\").replaceAll(\"z\", \"y\");
    }
    static Exception bad(String why) {
        return new IllegalStateException(why);
    }
    static int[] cells(int size) {
        return java.util.Arrays.copyOf(new int[size], 1);
    }
    static String joined(String[] parts) {
        String text = \"\";
        for (String part : parts) text += part + ',';
        return text;
    }
}
";

fn programs() -> Vec<Program> {
    jdks().iter().map(|jdk| Program::compile(jdk, &[("a/Log.java", LOG)], &[])).collect()
}

/// The instruction of the calling line. `has_index`: the stack has the bytecode index of the call.
fn called_on_line(
    program: &Program,
    (method, line): (&str, u32),
    (called, has_index): (CallPlace<'_>, bool),
) -> Option<SiteInstruction> {
    let stack = [("a/Log", method, line)];
    let mut callers = frames(&program.classes, &stack);
    if has_index {
        callers = with_index(&program.classes, &callers, called.method);
    }
    let question = SiteQuestion { rule: &SiteRule::calling_line(), callers: &callers, called: &[called] };
    find_site(&question, &program.classes).unwrap().instruction
}

fn called<'a>(class: &'a str, method: &'a str, descriptor: &'a str) -> CallPlace<'a> {
    CallPlace { class, method, descriptor, bytecode_index: None, line: None }
}

/// The opcode at an instruction's index, in the class file.
fn opcode(program: &Program, instruction: &SiteInstruction) -> u8 {
    let file = ClassFile::parse(program.classes.class_file(&instruction.class).unwrap()).unwrap();
    let code = file.method(&instruction.method, &instruction.descriptor).unwrap().code.as_ref().unwrap();
    code.bytecode[instruction.bytecode_index as usize]
}

#[test]
fn the_creation_of_the_receiver_is_its_new() {
    for program in programs() {
        let stack = [("a/Log", "put", 9)];
        let site = receiver_site(&program.classes, &stack, ("java/io/FileOutputStream", "write", "(I)V")).unwrap();
        let instruction = site.instruction.unwrap();
        assert_eq!(site.line, Some(program.marked("// SITE")[0].1));
        assert_eq!((instruction.class.as_str(), instruction.method.as_str()), ("a/Log", "<init>"));
        assert_eq!(instruction.descriptor, "(Ljava/lang/String;)V");
        assert_eq!(instruction.operation, "new java/io/FileOutputStream");
        assert_eq!(opcode(&program, &instruction), 0xbb);
    }
}

#[test]
fn a_calling_line_is_its_call_and_a_constructor_is_its_new() {
    for program in programs() {
        let replace =
            called("java/lang/String", "replaceAll", "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;");
        let instruction = called_on_line(&program, ("clean", 12), (replace, false)).unwrap();
        assert_eq!(instruction.operation, "call java/lang/String.replaceAll");
        assert_eq!(opcode(&program, &instruction), 0xb6);
        let constructor = called("java/lang/IllegalStateException", "<init>", "(Ljava/lang/String;)V");
        let instruction = called_on_line(&program, ("bad", 18), (constructor, true)).unwrap();
        assert_eq!(instruction.operation, "new java/lang/IllegalStateException");
        assert_eq!((instruction.bytecode_index, opcode(&program, &instruction)), (0, 0xbb));
    }
}

/// Another call is on the same line, but no method was called.
#[test]
fn a_new_array_is_its_own_instruction() {
    for program in programs() {
        let stack = [("a/Log", "cells", 21)];
        let mut callers = frames(&program.classes, &stack);
        callers[0].bytecode_index = Some(1);
        let question = SiteQuestion { rule: &SiteRule::calling_line(), callers: &callers, called: &[] };
        let site = find_site(&question, &program.classes).unwrap();
        assert_eq!((site.what.as_str(), site.line), ("a new array", Some(21)));
        let instruction = site.instruction.unwrap();
        assert_eq!((instruction.operation.as_str(), instruction.bytecode_index), ("new int[]", 1));
        assert_eq!(opcode(&program, &instruction), 0xbc);
    }
}

#[test]
fn one_of_several_calls_on_a_line_is_exact_only_with_its_index() {
    for program in programs() {
        let replace =
            called("java/lang/String", "replaceAll", "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;");
        assert_eq!(called_on_line(&program, ("twice", 15), (replace, false)), None);
        assert!(called_on_line(&program, ("twice", 15), (replace, true)).is_some());
    }
}

/// The frames between the line and the JDK's code are generated, so the stack does not show the called method.
#[test]
fn a_concatenation_is_exact_with_its_index() {
    for program in programs() {
        let joins = called("java/lang/StringConcatHelper", "newArray", "(J)[B");
        let mut callers = frames(&program.classes, &[("a/Log", "joined", 25)]);
        let question = |callers: &[CallPlace<'_>]| {
            let question = SiteQuestion { rule: &SiteRule::calling_line(), callers, called: &[joins] };
            find_site(&question, &program.classes).unwrap().instruction
        };
        assert_eq!(question(&callers), None);
        let index = (0..60).find(|index| {
            callers[0].bytecode_index = Some(*index);
            question(&callers).is_some()
        });
        callers[0].bytecode_index = index;
        let instruction = question(&callers).unwrap();
        assert_eq!(instruction.operation, "concatenate java/lang/String");
        assert_eq!(opcode(&program, &instruction), 0xba);
    }
}
