//! Tests that any bytes give an answer quickly and without a panic.

use crate::edit_site::tests::*;
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any, proptest};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Time limit for a damaged class. Debug builds on a busy machine need far less.
const LIMIT: Duration = Duration::from_secs(20);

const SOURCE: &str = "package a;
import java.io.*;
import java.util.function.*;
class Main {
    interface Opener { OutputStream open(String name) throws IOException; }
    private OutputStream out; private long size; private double[] d = new double[3];
    Main(Opener opener, boolean twice) throws IOException {
        out = twice ? new DataOutputStream(opener.open(\"x\")) : opener.open(\"y\");
    }
    Main() throws IOException { this(name -> new FileOutputStream(name), true); }
    void put(int b) throws IOException {
        try { size += b; d[b] *= 2; out.write(b); } catch (IOException e) { throw e; } finally { size--; }
        switch (b) { case 1: size = 3L << b; break; case 900: synchronized (this) { size = -1; } default: }
    }
    static void run() throws IOException { Main main = new Main(); for (int i = 0; i < 9; i++) main.put(i); }
}
";

fn program() -> Option<&'static Program> {
    static PROGRAM: OnceLock<Option<Program>> = OnceLock::new();
    let compile = || jdks().first().map(|jdk| Program::compile(jdk, &[("a/Main.java", SOURCE)], &[]));
    PROGRAM.get_or_init(compile).as_ref()
}

/// Asks every kind of question about classes that may be damaged.
fn ask_all(classes: &Compiled) {
    let place = |class, method, descriptor, line| CallPlace { class, method, descriptor, bytecode_index: None, line };
    let callers = [place("a/Main", "put", "(I)V", Some(12)), place("a/Main", "run", "()V", Some(15))];
    let called = [place("java/io/OutputStream", "write", "(I)V", None)];
    for kind in [SiteKind::Call, SiteKind::Receiver, SiteKind::Argument, SiteKind::HashCode, SiteKind::Lock] {
        for wanted in [&STREAMS[..], &[]] {
            let rule = rule(kind, wanted);
            let start = Instant::now();
            let _ = find_site(&SiteQuestion { rule: &rule, callers: &callers, called: &called }, classes);
            assert!(start.elapsed() < LIMIT, "{kind:?} took {:?}", start.elapsed());
        }
    }
}

#[test]
fn the_whole_class_gives_the_site() {
    let Some(program) = program() else { return };
    let stack = [("a/Main", "put", 12), ("a/Main", "run", 15)];
    let site = receiver_site(&program.classes, &stack, ("java/io/FileOutputStream", "write", "(I)V")).unwrap();
    assert_eq!((site.method.as_str(), site.line), ("lambda$new$0", Some(10)), "{site:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn changed_bytes_do_no_harm(changes in vec((any::<proptest::sample::Index>(), any::<u8>()), 1..8)) {
        let Some(program) = program() else { return Ok(()) };
        let mut classes = program.classes.clone();
        let bytes = classes.0.get_mut("a/Main").unwrap();
        changes.into_iter().for_each(|(position, value)| { let at = position.index(bytes.len()); bytes[at] = value; });
        ask_all(&classes);
    }

    /// Tests code of arbitrary bytes, with the constants, handlers and limits of the real method.
    #[test]
    fn code_of_any_bytes_does_no_harm(code in vec(any::<u8>(), 1..40)) {
        let Some(program) = program() else { return Ok(()) };
        let mut classes = program.classes.clone();
        let bytes = classes.0.get_mut("a/Main").unwrap();
        let file = ClassFile::parse(bytes).unwrap();
        let old = file.method("put", "(I)V").unwrap().code.as_ref().unwrap().bytecode.to_vec();
        drop(file);
        let start = bytes.windows(old.len()).position(|window| window == old).unwrap();
        let length = code.len().min(old.len());
        bytes[start..start + length].copy_from_slice(&code[..length]);
        ask_all(&classes);
    }
}

/// Tests a method with as many locals and branches as possible. The number of kept states is limited.
#[test]
fn large_methods_end_soon() {
    let Some(jdk) = jdks().into_iter().next() else { return };
    let mut text = String::from(
        "package a; class Main { static java.io.OutputStream run(int n) throws Exception { java.io.OutputStream o = null;\n",
    );
    for number in 0..1500 {
        text += &format!(
            "Object l{number} = n; if (n == {number}) {{ o = new java.io.FileOutputStream(\"{number}\"); }}\n"
        );
    }
    text += "o.write(n); return o; } }";
    let program = Program::compile(&jdk, &[("a/Main.java", &text)], &[]);
    let start = Instant::now();
    let answer =
        receiver_site(&program.classes, &[("a/Main", "run", 1502)], ("java/io/FileOutputStream", "write", "(I)V"));
    assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
    assert!(answer.is_err(), "more origins than the limit: {answer:?}");
}
