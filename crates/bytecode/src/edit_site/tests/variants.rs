//! Tests the same fault in many variants. The answer names the line that creates the stream, or reports that this line
//! was not found.

use crate::edit_site::tests::*;

/// A program that writes to a stream at `// CALL` and creates the stream at `// SITE`, compiled by every JDK.
struct Variant<'a> {
    sources: &'a [(&'a str, &'a str)],
    /// The frames above the calling frame.
    callers: &'a [(&'a str, &'a str, u32)],
    /// The calling class and method.
    calling: (&'a str, &'a str),
}

impl Variant<'_> {
    fn answers(&self) -> Vec<(Program, Result<EditSite, String>)> {
        let answer = |jdk: &Jdk| {
            let program = Program::compile(jdk, self.sources, &[]);
            let (class, method) = self.calling;
            let (_, line) = program.marked("// CALL")[0];
            let stack: Vec<_> = [(class, method, line)].into_iter().chain(self.callers.iter().copied()).collect();
            let called = ("java/io/FileOutputStream", "write", "(I)V");
            let site = receiver_site(&program.classes, &stack, called);
            (program, site)
        };
        jdks().iter().map(answer).collect()
    }

    /// Checks that the marked lines are found: the first line as the site, and the other lines as other places.
    fn is_found(&self) -> Vec<EditSite> {
        let answers = self.answers().into_iter().map(|(program, site)| {
            let site = site.unwrap_or_else(|reason| panic!("{reason}"));
            let mut found = vec![(site.file.clone().unwrap(), site.line.unwrap())];
            found.extend(site.others.iter().map(|other| (other.file.clone().unwrap(), other.line.unwrap())));
            found.sort();
            let mut marked = program.marked("// SITE");
            marked.sort();
            assert_eq!(found, marked, "{site:#?}");
            site
        });
        answers.collect()
    }

    fn is_not_found(&self, reason: &str) {
        for (_, answer) in self.answers() {
            let found = answer.expect_err("no site");
            assert!(found.contains(reason), "{found}");
        }
    }
}

/// One file, `a/Main.java`. The call is in `Main.run`.
fn one(text: &str) -> String {
    format!(
        "package a;\nimport java.io.*;\nimport java.util.*;\nimport java.util.function.*;\npublic class Main {{\n{text}\n}}\n"
    )
}

fn found(text: &str, calling: (&str, &str)) -> Vec<EditSite> {
    Variant { sources: &[("a/Main.java", &one(text))], callers: &[], calling }.is_found()
}

fn not_found(text: &str, calling: (&str, &str), reason: &str) {
    Variant { sources: &[("a/Main.java", &one(text))], callers: &[], calling }.is_not_found(reason);
}

const RUN: (&str, &str) = ("a/Main", "run");

#[test]
fn in_the_method_itself() {
    found(
        "void run(File f) throws IOException {
            try (OutputStream out = new FileOutputStream(f)) { // SITE
                for (int i = 0; i < 9; i++) {
                    out.write(i); // CALL
                }
            } finally { System.out.println(f); }
        }",
        RUN,
    );
}

#[test]
fn of_two_streams_the_right_one() {
    found(
        "void run(File f) throws IOException {
            OutputStream log = new FileOutputStream(\"log\");
            OutputStream out = new FileOutputStream(f); // SITE
            log.write(1);
            out.write(1); // CALL
        }",
        RUN,
    );
}

#[test]
fn wrappers_are_looked_through() {
    found(
        "void run(File f) throws IOException {
            OutputStream raw = new FileOutputStream(f); // SITE
            DataOutputStream out = new DataOutputStream(new FilterOutputStream(raw));
            out.write(1); // CALL
        }",
        RUN,
    );
    found(
        "static class Own extends FilterOutputStream { Own(OutputStream o) { super(o); } }
        void run(File f) throws IOException {
            PrintStream out = new PrintStream(new Own(new FileOutputStream(f)), true); // SITE
            out.write(1); // CALL
        }",
        RUN,
    );
}

#[test]
fn conditions_give_several_sites() {
    found(
        "void run(String f) throws IOException {
            OutputStream out = f.isEmpty()
                ? new FileOutputStream(\"x\") // SITE
                : new FileOutputStream(f); // SITE
            out.write(1); // CALL
        }",
        RUN,
    );
    let sites = found(
        "void run(String f) throws IOException {
            OutputStream out;
            if (f.isEmpty()) { out = new ByteArrayOutputStream(); }
            else { out = new FileOutputStream(f); } // SITE
            out.write(1); // CALL
        }",
        RUN,
    );
    for site in sites {
        assert!(site.steps.last().unwrap().contains("ByteArrayOutputStream"), "{site:?}");
    }
}

#[test]
fn by_a_lambda_or_a_method_reference() {
    found(
        "interface Opener { OutputStream open(String name) throws IOException; }
        static void with(Opener opener) throws IOException { run(opener.open(\"x\")); }
        static void run(OutputStream out) throws IOException {
            out.write(1); // CALL
        }
        static void main() throws IOException {
            with(name -> new FileOutputStream(name)); // SITE
        }",
        RUN,
    );
    found(
        "interface Opener { OutputStream open(String name) throws IOException; }
        final Opener opener;
        Main(Opener opener) { this.opener = opener; }
        void run() throws IOException {
            OutputStream out = opener.open(\"x\");
            out.write(1); // CALL
        }
        static Main make() {
            return new Main(FileOutputStream::new); // SITE
        }",
        RUN,
    );
    found(
        "static OutputStream open() { try {
            return new FileOutputStream(\"x\"); // SITE
        } catch (IOException e) { throw new UncheckedIOException(e); } }
        final Supplier<OutputStream> supplier = Main::open;
        void run() throws IOException {
            supplier.get().write(1); // CALL
        }",
        RUN,
    );
}

#[test]
fn captured_by_a_lambda() {
    found(
        "interface Task { void go() throws IOException; }
        static void times(Task task) throws IOException { for (int i = 0; i < 9; i++) task.go(); }
        void run(File f) throws IOException {
            OutputStream out = new FileOutputStream(f); // SITE
            times(() -> {
                out.write(1); // CALL
            });
        }",
        ("a/Main", "lambda$run$0"),
    );
}

#[test]
fn captured_by_an_anonymous_class() {
    found(
        "void run(File f) throws IOException {
            OutputStream out = new FileOutputStream(f); // SITE
            new Object() { void go() throws IOException {
                out.write(1); // CALL
            } }.go();
        }",
        ("a/Main$1", "go"),
    );
}

#[test]
fn by_a_subclass_in_its_constructor_or_method() {
    found(
        "static abstract class Base {
            private final OutputStream sink;
            Base(OutputStream sink) { this.sink = sink; }
            void put(int b) throws IOException {
                sink.write(b); // CALL
            }
        }
        static class Child extends Base {
            Child(File f) throws IOException {
                super(new FileOutputStream(f)); // SITE
            }
        }
        static void run() throws IOException { new Child(new File(\"x\")).put(1); }",
        ("a/Main$Base", "put"),
    );
    found(
        "static abstract class Base {
            abstract OutputStream open() throws IOException;
            void put(int b) throws IOException {
                open().write(b); // CALL
            }
        }
        static class Child extends Base {
            OutputStream open() throws IOException {
                return new FileOutputStream(\"x\"); // SITE
            }
        }",
        ("a/Main$Base", "put"),
    );
}

#[test]
fn by_a_default_method_of_an_interface() {
    found(
        "interface Sink { default OutputStream out() throws IOException {
            return new FileOutputStream(\"x\"); // SITE
        } }
        static class Plain implements Sink { }
        void run(Plain sink) throws IOException {
            sink.out().write(1); // CALL
        }",
        RUN,
    );
}

#[test]
fn for_a_constant_of_an_enum() {
    found(
        "enum Target {
            FILE(open()); // SITE-ENUM
            final OutputStream out;
            Target(OutputStream out) { this.out = out; }
            static OutputStream open() { try {
                return new FileOutputStream(\"x\"); // SITE
            } catch (IOException e) { return null; } }
        }
        void run() throws IOException {
            Target.FILE.out.write(1); // CALL
        }",
        RUN,
    );
}

#[test]
fn by_a_builder() {
    found(
        "static class Writer {
            private final OutputStream target;
            private Writer(Builder b) { this.target = b.raw; }
            void put(int b) throws IOException {
                target.write(b); // CALL
            }
        }
        static class Builder {
            private OutputStream raw;
            Builder file(String name) throws IOException {
                raw = new FileOutputStream(name); // SITE
                return this;
            }
            Writer build() { return new Writer(this); }
        }
        static void run() throws IOException { new Builder().file(\"x\").build().put(1); }",
        ("a/Main$Writer", "put"),
    );
}

#[test]
fn in_a_static_initialiser_with_an_inner_class_that_writes() {
    found(
        "private static OutputStream shared;
        static { try {
            shared = new FileOutputStream(\"x\"); // SITE
        } catch (IOException e) { throw new UncheckedIOException(e); } }
        static class Inner { void put(int b) throws IOException {
            shared.write(b); // CALL
        } }",
        ("a/Main$Inner", "put"),
    );
    found(
        "private OutputStream own;
        Main() throws IOException {
            own = new FileOutputStream(\"x\"); // SITE
        }
        class Inner { void put(int b) throws IOException {
            own.write(b); // CALL
        } }",
        ("a/Main$Inner", "put"),
    );
}

/// Before Java 11, inner classes accessed private fields through methods generated by the compiler.
#[test]
fn through_access_methods_of_old_compilers() {
    let text = one("private OutputStream own;
        Main() throws IOException {
            own = new FileOutputStream(\"x\"); // SITE
        }
        class Inner { void put(int b) throws IOException {
            own.write(b); // CALL
        } }");
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Main.java", &text)], &["--release", "8"]);
        let line = program.marked("// CALL")[0].1;
        let called = ("java/io/FileOutputStream", "write", "(I)V");
        let site = receiver_site(&program.classes, &[("a/Main$Inner", "put", line)], called).unwrap();
        assert_eq!(site.line, Some(program.marked("// SITE")[0].1), "{site:?}");
    }
}

#[test]
fn passed_through_two_constructors_and_this() {
    found(
        "static class Encoder {
            final OutputStream out; final int level;
            Encoder(OutputStream out) { this(out, 3); }
            Encoder(OutputStream out, int level) { this.out = out; this.level = level; }
            void put(int b) throws IOException {
                out.write(b); // CALL
            }
        }
        static class Report {
            final Encoder encoder;
            Report(OutputStream out) { encoder = new Encoder(out); }
        }
        static void run(File f) throws IOException {
            Report report = new Report(new FileOutputStream(f)); // SITE
            report.encoder.put(1);
        }",
        ("a/Main$Encoder", "put"),
    );
}

/// Two objects of one class each have a stream. The stack shows which object is meant.
#[test]
fn the_object_on_the_stack_counts() {
    let text = one("static class Sink {
            final OutputStream out;
            Sink(OutputStream out) { this.out = out; }
            void put(int b) throws IOException {
                out.write(b); // CALL
            }
        }
        static void quiet() throws IOException {
            Sink sink = new Sink(new FileOutputStream(\"quiet\"));
            sink.put(1);
        }
        static void busy() throws IOException {
            Sink sink = new Sink(new FileOutputStream(\"busy\")); // SITE
            sink.put(1); // FRAME
        }");
    let line = text.lines().position(|line| line.ends_with("// FRAME")).unwrap() as u32 + 1;
    let callers = [("a/Main", "busy", line)];
    Variant { sources: &[("a/Main.java", &text)], callers: &callers, calling: ("a/Main$Sink", "put") }.is_found();
}

#[test]
fn passed_by_the_caller_on_the_stack() {
    let text = one("static void run(OutputStream out) throws IOException {
            out.write(1); // CALL
        }
        static void quiet() throws IOException { run(new FileOutputStream(\"quiet\")); }
        static void busy(File f) throws IOException {
            OutputStream made = new FileOutputStream(f); // SITE
            run(made); // FRAME
        }");
    let line = text.lines().position(|line| line.ends_with("// FRAME")).unwrap() as u32 + 1;
    let callers = [("a/Main", "busy", line)];
    Variant { sources: &[("a/Main.java", &text)], callers: &callers, calling: RUN }.is_found();
}

#[test]
fn in_another_class_of_another_jar_with_shaded_names() {
    let library = "package shaded.org.lib.v2;
import java.io.*;
public final class q {
    private OutputStream a;
    public q(OutputStream b) { a = java.util.Objects.requireNonNull(b); }
    public void a(int c) throws IOException {
        a.write(c); // CALL
    }
}
";
    let program = "package my.app;
import java.io.*;
import shaded.org.lib.v2.q;
class Start {
    static q make(Streams s) throws IOException { return new q(s.z()); }
    static void go() throws IOException { make(new Streams()).a(1); }
}
class Streams {
    OutputStream z() throws IOException {
        return java.nio.file.Files.newOutputStream(java.nio.file.Path.of(\"x\")); // SITE
    }
}
";
    let sources = [("shaded/org/lib/v2/q.java", library), ("my/app/Start.java", program)];
    Variant { sources: &sources, callers: &[], calling: ("shaded/org/lib/v2/q", "a") }.is_found();
}

#[test]
fn in_a_thread_local_or_for_a_subclass_of_the_stream() {
    found(
        "static OutputStream open() { try {
            return new FileOutputStream(\"x\"); // SITE
        } catch (IOException e) { throw new UncheckedIOException(e); } }
        static final ThreadLocal<OutputStream> LOCAL = ThreadLocal.withInitial(() -> open());
        void run() throws IOException {
            LOCAL.get().write(1); // CALL
        }",
        RUN,
    );
    found(
        "static class Counting extends FileOutputStream {
            Counting(String name) throws IOException { super(name); }
            void put(int b) throws IOException {
                write(b); // CALL
            }
        }
        void run() throws IOException {
            new Counting(\"x\").put(1); // SITE
        }",
        ("a/Main$Counting", "put"),
    );
}

/// The field is in a JDK class. Its value is an argument of this class's constructor.
#[test]
fn kept_by_a_superclass_of_the_jdk() {
    let text = "static class Counting extends FilterOutputStream {
            long count;
            Counting(OutputStream out) { super(out); }
            public void write(int b) throws IOException {
                count++;
                out.write(b); // CALL
            }
        }
        static void run(String name) throws IOException {
            OutputStream made = new Counting(new FileOutputStream(name)); // SITE
            made.write(1); // FRAME
        }";
    found(text, ("a/Main$Counting", "write"));
    let text = one(text);
    let line = text.lines().position(|line| line.ends_with("// FRAME")).unwrap() as u32 + 1;
    let callers = [("a/Main", "run", line)];
    Variant { sources: &[("a/Main.java", &text)], callers: &callers, calling: ("a/Main$Counting", "write") }.is_found();
}

/// There are five callers, and the stack does not contain any of them. So no place is chosen as the site.
#[test]
fn too_many_places_are_no_answer() {
    let makers: String = (0..5)
        .map(|number| format!("static void m{number}() throws IOException {{ run(new FileOutputStream(\"f\")); }}\n"))
        .collect();
    let text = format!(
        "{makers} static void run(OutputStream out) throws IOException {{
            out.write(1); // CALL
        }}"
    );
    not_found(&text, RUN, "it can be created in 5 places, such as a.Main.m0, line 6");
}

#[test]
fn what_is_kept_in_collections_is_not_found() {
    not_found(
        "final Map<String, OutputStream> open = new HashMap<>();
        void run(String f) throws IOException {
            open.put(f, new FileOutputStream(f));
            open.get(f).write(1); // CALL
        }",
        RUN,
        "it is kept in a collection, java.util.Map.get(…)",
    );
    not_found(
        "final OutputStream[] open = new OutputStream[4];
        void run(int i) throws IOException {
            open[i].write(1); // CALL
        }",
        RUN,
        "it is kept in an array",
    );
}

#[test]
fn what_comes_from_nowhere_is_not_found() {
    not_found(
        "void run(OutputStream out) throws IOException {
            out.write(1); // CALL
        }",
        RUN,
        "no known class calls a.Main.run",
    );
    not_found(
        "void run() throws IOException {
            OutputStream out = new ByteArrayOutputStream();
            out.write(1); // CALL
        }",
        RUN,
        "look for where java.io.FileOutputStream",
    );
    not_found(
        "void run() throws IOException {
            System.out.write(1); // CALL
        }",
        RUN,
        "System.out",
    );
    // The variables are assigned to each other, which is a loop.
    not_found(
        "OutputStream a, b;
        void swap() { OutputStream c = a; a = b; b = c; }
        void run() throws IOException {
            a.write(1); // CALL
        }",
        RUN,
        "look for where",
    );
}
