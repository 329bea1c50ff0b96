//! Tests what the code of a line shows without a stack below it: repeated calls and texts for loggers.

use crate::edit_site::tests::*;
use crate::edit_site::{CodeOfLines, LogUse};
use std::collections::BTreeSet;

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
    void iterated(Iterable<Integer> all) {
        for (Integer x : all) {
            try { send(x); } // OTHER
            catch (IOException e) { continue; }
            n++;
        }
    }
    void worker() {
        while (n > 0) {
            try { send(n); } // OTHER
            catch (IOException e) { System.err.println(e); }
        }
    }
    void forever() {
        while (true) {
            try { send(n); } // OTHER
            catch (IOException e) { continue; }
            n++;
        }
    }
    int n;
    int first(java.util.List<Calls> hosts) {
        for (Calls host : hosts) {
            try { return host.send(1); } // HOST
            catch (IOException e) { n++; }
        }
        return 0;
    }
    int timed(java.util.concurrent.Future<Integer> answer) throws Exception {
        while (true) {
            try { return answer.get(1, java.util.concurrent.TimeUnit.SECONDS); } // OTHER
            catch (java.util.concurrent.TimeoutException e) { n++; }
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
    void lines(Object x) {
        LOG.debug(\"x is \" + x // FIRST
            + x.hashCode() + \" and \" + x); // LAST
    }
    Object compute() { return this; }
    void work() {
        LOG.debug(\"x is \" + compute()); // WORK
    }
    void placeholder(Object x) {
        LOG.debug(\"x is {}\", x); // OTHER
    }
    void kept(Object x) {
        String text = \"x is \" + x;
        LOG.debug(text); // OTHER
        last = text;
    }
    String last;
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
fn only_calls_that_a_failure_repeats_at_once_are_repeated() {
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Calls.java", CALLS)], &["-g"]);
        let code = CodeOfLines::new(&program.classes);
        let repeated = |mark: &str| -> Vec<(&str, bool)> {
            let places = places(&program, "a/Calls", mark);
            places.iter().map(|place| (place.method, code.is_repeated(place))).collect()
        };
        assert_eq!(repeated("// RETRY"), [("returned", true), ("broken", true)], "JDK {}", jdk.version);
        let others: Vec<_> = repeated("// OTHER").into_iter().filter(|(_, is_repeated)| *is_repeated).collect();
        assert_eq!(others, [], "JDK {}", jdk.version);
        assert!(repeated("// HOST").iter().all(|(_, is_repeated)| !is_repeated), "JDK {}", jdk.version);
    }
}

const LOOPS: &str = "package a;
class Loops {
    int call(Object x) { return 1; }
    void elements(Iterable<String> all) {
        for (String x : all) call(x); // EACH
    }
    int array(Object[] all) {
        int sum = 0;
        for (Object x : all) {
            if (x == null) continue;
            sum += call(x); // EACH
        }
        return sum;
    }
    void counted() {
        for (int i = 0; i < 10; i++) {
            try { call(i); } // EACH
            finally { call(null); }
        }
    }
    void first(Iterable<String> all) {
        for (String x : all) {
            if (x.isEmpty()) { call(x); return; } // OTHER
        }
    }
    void attempts() {
        for (int i = 0; i < 3; i++) {
            if (call(null) > 0) break; // OTHER
        }
    }
    void untilDone() {
        boolean done = false;
        for (int i = 0; i < 3 && !done; i++) done = call(null) > 0; // OTHER
    }
    void tokens() {
        Object token = this;
        int pages = 0;
        while (token != null) {
            token = call(token) > 3 ? null : token; // OTHER
            pages++;
        }
    }
    void checked(Iterable<String> all) {
        for (String x : all) {
            if (call(x) < 0) throw new IllegalStateException(x); // EACH
        }
    }
    void closed() {
        int sent = 0;
        while (true) {
            if (n < 0) throw new IllegalStateException();
            call(null); // OTHER
            sent++;
        }
    }
    void pages() {
        int page = 0;
        do {
            page = call(page); // OTHER
            for (int i = 0; i < page; i++) n++;
        } while (page > 0);
    }
    void queue(java.util.concurrent.BlockingQueue<String> jobs) throws InterruptedException {
        int sent = 0;
        while (n > 0) {
            call(jobs.take()); // OTHER
            sent++;
        }
    }
    void forever() {
        int sent = 0;
        while (true) {
            call(null); // OTHER
            sent++;
        }
    }
    void once(Iterable<String> all) {
        call(all); // OTHER
        for (String x : all) n++;
    }
    void worker() {
        while (n > 0) call(this); // OTHER
    }
    void paced(Iterable<String> all) throws InterruptedException {
        for (String x : all) {
            call(x); // OTHER
            Thread.sleep(10);
        }
    }
    int n;
}
";

#[test]
fn calls_that_a_loop_makes_for_each_element_are_known() {
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Loops.java", LOOPS)], &["-g"]);
        let code = CodeOfLines::new(&program.classes);
        let of_call = |mark: &str| -> Vec<(&str, bool)> {
            let places = places(&program, "a/Loops", mark);
            places.iter().map(|place| (place.method, code.is_for_each(place))).collect()
        };
        // Some places of a line are other calls, such as boxing.
        let found: BTreeSet<&str> = of_call("// EACH").into_iter().filter(|(_, is_it)| *is_it).map(|it| it.0).collect();
        assert_eq!(found, BTreeSet::from(["array", "checked", "counted", "elements"]), "JDK {}", jdk.version);
        let others: Vec<_> =
            of_call("// OTHER").into_iter().filter(|(method, is_it)| *is_it && *method != "first").collect();
        assert_eq!(others, [], "JDK {}", jdk.version);
    }
}

#[test]
fn texts_that_only_a_logger_uses_are_known_by_the_code() {
    for jdk in jdks() {
        let sources = [("org/slf4j/Logger.java", LOGGER), ("a/Logs.java", LOGS)];
        for options in [&["-g"][..], &["-g", "-XDstringConcat=inline"]] {
            let program = Program::compile(&jdk, &sources, options);
            let code = CodeOfLines::new(&program.classes);
            // The number of texts, of calls of loggers, and of other calls.
            let uses = |mark: &str| -> [usize; 3] {
                let mut counts = [0; 3];
                for place in places(&program, "a/Logs", mark) {
                    counts[match code.log_use(&place) {
                        Some(LogUse::Text { .. }) => 0,
                        Some(LogUse::Call { .. }) => 1,
                        None => 2,
                    }] += 1;
                }
                counts
            };
            let [texts, calls, others] = uses("// TEXT");
            // The constructor of a builder is not a part of the text.
            assert!(texts >= 2 && calls == 2 && others <= 1, "JDK {}: {:?}", jdk.version, uses("// TEXT"));
            // A text of several lines belongs to the call, whatever lines they have.
            let [first, last] = [uses("// FIRST"), uses("// LAST")];
            assert!(first[0] + last[0] >= 1 && first[1] + last[1] == 1, "JDK {}: {first:?} {last:?}", jdk.version);
            // The argument is the work of another method.
            assert!(uses("// WORK")[2] >= 1, "JDK {}: {:?}", jdk.version, uses("// WORK"));
            assert_eq!(uses("// OTHER")[..2], [0, 0], "JDK {}", jdk.version);
        }
    }
}
