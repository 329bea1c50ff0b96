//! Tests what the code of a line shows without a stack below it: repeated calls and texts for loggers.

use crate::edit_site::tests::*;
use crate::edit_site::{LogUse, is_repeated, log_use};

const CALLS: &str = "package a;
import java.io.IOException;
class Calls {
    int send(int x) throws IOException { if (x > 3) throw new IOException(); return x; }
    int returned(int x) {
        for (int i = 0; i < 5; i++) {
            try { return send(x); } // RETRY
            catch (IOException e) { continue; }
        }
        return 0;
    }
    void broken(int[] all) {
        for (int x : all) {
            for (int i = 0; ; i++) {
                try {
                    send(x); // RETRY
                    break;
                } catch (IOException | RuntimeException e) {
                    if (i > 4) throw new IllegalStateException(e);
                }
            }
        }
    }
    void each(int[] all) {
        for (int x : all) {
            try { send(x); } // OTHER
            catch (IOException e) { x++; }
        }
    }
    int paused(int x) throws InterruptedException {
        while (true) {
            try { return send(x); } // OTHER
            catch (IOException e) { Thread.sleep(100); }
        }
    }
    int once(int x) {
        try { return send(x); } // OTHER
        catch (IOException e) { return 0; }
    }
    Object interrupted(java.util.concurrent.BlockingQueue<Object> queue) {
        boolean was = false;
        try {
            while (true) {
                try { return queue.take(); } // OTHER
                catch (InterruptedException e) { was = true; }
            }
        } finally {
            if (was) Thread.currentThread().interrupt();
        }
    }
}
";

const LOGS: &str = "package a;
class Logs {
    static final org.slf4j.Logger LOG = null;
    void joined(Object x) {
        LOG.debug(\"x is \" + x); // TEXT
    }
    void formatted(Object x) {
        LOG.debug(String.format(\"x is %s\", x)); // TEXT
    }
    void placeholder(Object x) {
        LOG.debug(\"x is {}\", x); // OTHER
    }
    void kept(Object x) {
        String text = \"x is \" + x;
        LOG.debug(text); // OTHER
    }
    void asked(Object x) {
        if (LOG.isDebugEnabled()) LOG.debug(\"x is \" + x); // OTHER
    }
}
";

const LOGGER: &str = "package org.slf4j;
public interface Logger {
    void debug(String text);
    void debug(String text, Object value);
    boolean isDebugEnabled();
}
";

/// All calls of a class on lines that end with `mark`, as places.
fn places<'a>(program: &'a Program, class: &'a str, mark: &str) -> Vec<CallPlace<'a>> {
    let lines: Vec<u32> = program.marked(mark).into_iter().map(|(_, line)| line).collect();
    let file = ClassFile::parse(&program.classes.0[class]).unwrap();
    let mut places = Vec::new();
    for method in &file.methods {
        let Some(code) = &method.code else { continue };
        for instruction in code.instructions().flatten().filter(|it| matches!(it.opcode, 0xb6..=0xba)) {
            let (index, line) = (instruction.bytecode_index, code.line_at(instruction.bytecode_index).map(u32::from));
            if line.is_some_and(|line| lines.contains(&line)) {
                let [method, descriptor] =
                    [&method.name, &method.descriptor].map(|text| leak(text.clone().into_owned()));
                places.push(CallPlace { class, method, descriptor, bytecode_index: Some(index), line });
            }
        }
    }
    places
}

#[test]
fn only_calls_that_a_failure_repeats_without_a_pause_are_repeated() {
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Calls.java", CALLS)], &["-g"]);
        let (repeated, others) = (places(&program, "a/Calls", "// RETRY"), places(&program, "a/Calls", "// OTHER"));
        assert_eq!((repeated.len(), others.len()), (2, 4), "JDK {}", jdk.version);
        assert!(repeated.iter().all(|place| is_repeated(place, &program.classes)), "JDK {}: {repeated:?}", jdk.version);
        assert!(!others.iter().any(|place| is_repeated(place, &program.classes)), "JDK {}: {others:?}", jdk.version);
    }
}

#[test]
fn texts_that_only_a_logger_uses_are_known_by_the_code() {
    for jdk in jdks() {
        let sources = [("org/slf4j/Logger.java", LOGGER), ("a/Logs.java", LOGS)];
        for options in [&["-g"][..], &["-g", "-XDstringConcat=inline"]] {
            let program = Program::compile(&jdk, &sources, options);
            let uses = |mark: &str| -> Vec<Option<LogUse>> {
                places(&program, "a/Logs", mark).iter().map(|place| log_use(place, &program.classes)).collect()
            };
            let texts = uses("// TEXT");
            assert_eq!(texts.iter().filter(|found| **found == Some(LogUse::Call)).count(), 2, "JDK {}", jdk.version);
            assert!(texts.iter().all(Option::is_some), "JDK {}: {texts:?}", jdk.version);
            assert!(uses("// OTHER").iter().all(Option::is_none), "JDK {}", jdk.version);
        }
    }
}
