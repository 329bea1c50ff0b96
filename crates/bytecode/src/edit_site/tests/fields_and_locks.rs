//! Tests uses of fields, locks of every kind, keys, arguments, and declarations in sources.

use crate::edit_site::tests::*;

fn called<'a>(class: &'a str, method: &'a str, descriptor: &'a str) -> [CallPlace<'a>; 1] {
    [CallPlace { class, method, descriptor, bytecode_index: None, line: None }]
}

fn ask(
    program: &Program,
    rule: &SiteRule,
    stack: &[(&str, &str, u32)],
    called: &[CallPlace<'_>],
) -> Result<EditSite, String> {
    let callers = frames(&program.classes, stack);
    find_site(&SiteQuestion { rule, callers: &callers, called }, &program.classes)
}

fn marked(program: &Program, mark: &str) -> u32 {
    program.marked(mark)[0].1
}

#[test]
fn all_other_uses_of_the_field_are_named() {
    let text = "package a;
import java.io.*;
class Sink {
    protected OutputStream w = new FileOutputStream(\"x\"); // SITE
    Sink() throws IOException {}
    void put(int b) throws IOException {
        w.write(b); // CALL
    }
    void end() throws IOException { w.flush(); w.close(); }
    OutputStream raw() { return w; }
    void copy(InputStream in) throws IOException { in.transferTo(w); }
    void lock() { synchronized (w) { } }
    void clear() { w = null; }
}
class Tee extends Sink {
    Tee() throws IOException {}
    Object print() { return new PrintStream(w); }
}
";
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Sink.java", text)], &[]);
        let stack = [("a/Sink", "put", marked(&program, "// CALL"))];
        let site = receiver_site(&program.classes, &stack, ("java/io/FileOutputStream", "write", "(I)V")).unwrap();
        assert_eq!(site.line, Some(marked(&program, "// SITE")));
        let field = site.field.unwrap();
        assert_eq!(field.declaration, "protected java.io.OutputStream w");
        let mut uses: Vec<_> = field.uses.iter().map(|it| format!("{}: {}", it.function, it.what)).collect();
        uses.sort();
        let expected = [
            "a.Sink.clear: w = …",
            "a.Sink.copy: java.io.InputStream.transferTo(w)",
            "a.Sink.end: w.close()",
            "a.Sink.end: w.flush()",
            "a.Sink.lock: synchronized (w)",
            "a.Sink.raw: return w",
            "a.Tee.print: new java.io.PrintStream(w)",
        ];
        assert_eq!(uses, expected);
    }
}

#[test]
fn locks_of_blocks_methods_and_the_jdk() {
    let text = "package a;
import java.util.*;
import java.util.concurrent.locks.*;
class Locks {
    final Object guard = new Object();
    final Lock lock = new ReentrantLock(); // LOCK
    final Map<String, Integer> map = Collections.synchronizedMap(new HashMap<>()); // MAP
    int n;
    void block() {
        synchronized (guard) { n++; } // BLOCK
    }
    synchronized void method() {
        n++; // METHOD
    }
    void explicit() {
        lock.lock(); // EXPLICIT
        try { n++; } finally { lock.unlock(); }
    }
    void jdk() {
        map.put(\"x\", 1); // JDK
    }
    void none() {
        n++; // NONE
    }
}
";
    let rule = rule(SiteKind::Lock, &[]);
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Locks.java", text)], &[]);
        let line = |mark| marked(&program, mark);
        let block = ask(&program, &rule, &[("a/Locks", "block", line("// BLOCK"))], &[]).unwrap();
        assert_eq!((block.line, block.what.as_str()), (Some(line("// BLOCK")), "synchronized on field Locks.guard"));
        let method = ask(&program, &rule, &[("a/Locks", "method", line("// METHOD"))], &[]).unwrap();
        assert_eq!(method.what, "synchronized method, which locks its object");
        let lock = called("java/util/concurrent/locks/ReentrantLock", "lock", "()V");
        let explicit = ask(&program, &rule, &[("a/Locks", "explicit", line("// EXPLICIT"))], &lock).unwrap();
        assert!(explicit.what.ends_with("on field Locks.lock"), "{}", explicit.what);
        assert_eq!(explicit.others[0].line, Some(line("// LOCK")));
        let put = called("java/util/Collections$SynchronizedMap", "put", "");
        let map = ask(&program, &rule, &[("a/Locks", "jdk", line("// JDK"))], &put).unwrap();
        assert_eq!((map.line, map.others[0].line), (Some(line("// JDK")), Some(line("// MAP"))));
        assert!(ask(&program, &rule, &[("a/Locks", "none", line("// NONE"))], &[]).is_err());
    }
}

#[test]
fn keys_by_what_is_known_of_them() {
    let text = "package a;
import java.util.*;
class Keys {
    static class Base { int x; public int hashCode() { return x; } } // BASE
    static class Child extends Base { }
    record Point(int x, int y) { }
    enum Color { RED }
    static class Plain { }
    final Map<Object, Integer> map = new HashMap<>();
    void child(Child key) {
        map.get(key); // CHILD
    }
    void point(List<Point> points) {
        for (Point p : points) map.put(p, 1); // POINT
    }
    void color(Color c) {
        map.get(c); // COLOR
    }
    void plain() {
        map.containsKey(new Plain()); // PLAIN
    }
    void text(String s) {
        map.get(s); // TEXT
    }
    void any(Object o) {
        map.get(o); // ANY
    }
}
";
    let rule = rule(SiteKind::HashCode, &[]);
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Keys.java", text)], &[]);
        let ask = |method, mark, name| {
            let called = called("java/util/HashMap", name, "");
            ask(&program, &rule, &[("a/Keys", method, marked(&program, mark))], &called)
        };
        let child = ask("child", "// CHILD", "get").unwrap();
        assert_eq!((child.class.as_str(), child.line), ("a/Keys$Base", Some(marked(&program, "// BASE"))));
        let point = ask("point", "// POINT", "put").unwrap();
        assert!(point.class == "a/Keys$Point" && point.what.contains("generated for the record"), "{point:?}");
        assert!(ask("color", "// COLOR", "get").unwrap_err().contains("is an enum"));
        assert!(ask("plain", "// PLAIN", "containsKey").unwrap_err().contains("no hashCode of its own"));
        assert!(ask("text", "// TEXT", "get").unwrap_err().contains("java.lang.String"));
        assert!(ask("any", "// ANY", "get").unwrap_err().contains("class of the keys is unknown"));
    }
}

#[test]
fn arguments_by_where_they_come_from() {
    let text = "package a;
import java.util.*;
import java.util.zip.*;
class Args {
    static final int BEST = 9, ALSO = 9;
    private final int level;
    Args(int level) { this.level = level; }
    static Args make() {
        return new Args(7); // LEVEL
    }
    int one(byte[] out) {
        Deflater d = new Deflater(level);
        return d.deflate(out); // ONE
    }
    int two(byte[] out) {
        Deflater d = new Deflater(BEST); // BOTH
        return d.deflate(out); // TWO
    }
    int none(byte[] out) {
        Deflater d = new Deflater(); // BARE
        return d.deflate(out); // NONE
    }
    boolean text(String s) {
        return s.matches(\"a+\"); // TEXT
    }
}
";
    let mut of_object = rule(SiteKind::Argument, &["java/util/zip/Deflater"]);
    of_object.argument = Some(0);
    let of_call = SiteRule { classes: Vec::new(), ..of_object.clone() };
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Args.java", text)], &[]);
        let deflate = called("java/util/zip/Deflater", "deflate", "([B)I");
        let ask_deflate =
            |method, mark| ask(&program, &of_object, &[("a/Args", method, marked(&program, mark))], &deflate).unwrap();
        let one = ask_deflate("one", "// ONE");
        assert_eq!((one.line, one.what.as_str()), (Some(marked(&program, "// LEVEL")), "7, kept in field Args.level"));
        let two = ask_deflate("two", "// TWO");
        assert_eq!(two.line, Some(marked(&program, "// BOTH")));
        assert_eq!(two.what, "9, which may be constant BEST or ALSO");
        let none = ask_deflate("none", "// NONE");
        assert_eq!(
            (none.line, none.what.as_str()),
            (Some(marked(&program, "// BARE")), "new java.util.zip.Deflater()")
        );
        let matches = called("java/lang/String", "matches", "(Ljava/lang/String;)Z");
        let text = ask(&program, &of_call, &[("a/Args", "text", marked(&program, "// TEXT"))], &matches).unwrap();
        assert_eq!(text.what, "\"a+\"");
    }
}

#[test]
fn the_calling_line_is_known_without_class_files() {
    let rule = rule(SiteKind::Call, &[]);
    let callers =
        [CallPlace { class: "a/B", method: "run", descriptor: "()V", bytecode_index: Some(4), line: Some(7) }];
    let called = called("java/util/regex/Pattern", "compile", "");
    let question = SiteQuestion { rule: &rule, callers: &callers, called: &called };
    let site = find_site(&question, &Compiled(BTreeMap::new())).unwrap();
    assert_eq!((site.class.as_str(), site.line), ("a/B", Some(7)));
    assert_eq!(site.what, "the call of java.util.regex.Pattern.compile");
    let receiver = SiteRule { kind: SiteKind::Receiver, ..rule.clone() };
    let missing = find_site(&SiteQuestion { rule: &receiver, ..question }, &Compiled(BTreeMap::new())).unwrap_err();
    assert_eq!(missing, "the class file of a.B was not found, neither in the experiment nor elsewhere");
}

const SOURCE: &str = "package a; /* class Sink { int level; } */
public class Outer {
    // int level = 1;
    static final String TEXT = \"int level = 2;\";
    private int other, level = 3;
    int use() { int level = 4; return level; }
    static class Sink extends Thing {
        java.util.Map<String, int[]> level = new java.util.HashMap<>() {{ put(\"}\", null); }};
        char brace = '}'; int after;
        String block = \"\"\"
            int later;
            \"\"\"; int later;
    }
    enum Kind { A, B { int inner; }; final int kind = 1; }
    record Pair(int left, int right) { static int count; }
}
";

#[test]
fn declarations_are_found_in_sources() {
    let cases = [
        ("Outer", "level", Some(5)),
        ("Outer", "other", Some(5)),
        ("Outer", "TEXT", Some(4)),
        ("Sink", "level", Some(8)),
        ("Sink", "brace", Some(9)),
        ("Sink", "after", Some(9)),
        ("Sink", "later", Some(12)),
        ("Kind", "kind", Some(14)),
        ("Pair", "count", Some(15)),
        ("Outer", "absent", None),
        ("Absent", "level", None),
    ];
    for (class, field, line) in cases {
        assert_eq!(declaration_line(SOURCE, class, field), line, "{class}.{field}");
    }
}

/// In class files, the second line of a statement has no line number.
#[test]
fn the_line_of_a_long_statement_is_that_which_makes_the_object() {
    let text = "package a;
import java.io.*;
class Long {
    static void run(File file) throws IOException {
        OutputStream out = new DataOutputStream(
            new FilterOutputStream(
                new FileOutputStream(file))); // SITE
        out.write(1); // CALL
    }
}
";
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Long.java", text)], &[]);
        let stack = [("a/Long", "run", marked(&program, "// CALL"))];
        let mut site = receiver_site(&program.classes, &stack, ("java/io/FileOutputStream", "write", "(I)V")).unwrap();
        refine_with_source(&mut site, text);
        assert_eq!(site.line, Some(marked(&program, "// SITE")));
        assert_eq!(site.text.as_deref(), Some("new FileOutputStream(file))); // SITE"));
    }
}
