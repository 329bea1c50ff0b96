//! Finds the line to edit in the reference data's programs with a known fault.

use crate::edit_site::tests::*;
use whittle_testkit::reference_folder;

/// Compiles a case. `None` if there is no reference data.
fn case(jdk: &Jdk, name: &str) -> Option<Program> {
    let folder = reference_folder("cases")?;
    let read = |path: &str| std::fs::read_to_string(folder.join(path)).unwrap();
    let path = format!("{name}/Slow.java");
    Some(Program::compile(jdk, &[(&path, &read(&path)), ("bench/Loop.java", &read("bench/Loop.java"))], &[]))
}

fn cases(name: &str) -> Vec<Program> {
    jdks().iter().filter_map(|jdk| case(jdk, name)).collect()
}

#[test]
fn a_stream_made_in_a_constructor() {
    for program in cases("c01") {
        let stack = [("c01/Slow$CrcOut", "write", 5), ("c01/Slow", "report", 9), ("c01/Slow", "main", 10)];
        let called = ("java/io/FileOutputStream", "write", "(I)V");
        let site = receiver_site(&program.classes, &stack, called).unwrap();
        assert_eq!((site.class.as_str(), site.method.as_str(), site.line), ("c01/Slow$CrcOut", "<init>", Some(4)));
        assert_eq!(site.file.as_deref(), Some("Slow.java"));
        assert_eq!(site.what, "new java.io.FileOutputStream(…), kept in field CrcOut.w");
        assert!(site.others.is_empty(), "{site:?}");
        let field = site.field.unwrap();
        assert_eq!(
            (field.field.as_str(), field.declaration.as_str()),
            ("c01.Slow$CrcOut.w", "final java.io.OutputStream w")
        );
        let uses: Vec<_> = field.uses.iter().map(|it| (it.function.as_str(), it.line, it.what.as_str())).collect();
        assert_eq!(uses, [("c01.Slow$CrcOut.close", Some(6), "w.close()")]);
    }
}

#[test]
fn streams_made_in_a_factory() {
    for program in cases("c02") {
        let stack = [("c02/Slow", "words", 6), ("c02/Slow", "main", 8)];
        let site = receiver_site(&program.classes, &stack, ("java/io/FileInputStream", "read", "()I")).unwrap();
        assert_eq!((site.method.as_str(), site.line), ("open", Some(5)));
        assert_eq!(site.what, "new java.io.FileInputStream(…)");
    }
    for program in cases("c03") {
        let stack = [("c03/Slow", "hist", 6), ("c03/Slow", "main", 8)];
        let site = receiver_site(&program.classes, &stack, ("java/io/InputStreamReader", "read", "()I")).unwrap();
        assert_eq!((site.method.as_str(), site.line), ("open", Some(5)));
    }
    for program in cases("c14") {
        let stack = [("c14/Slow", "send", 6), ("c14/Slow", "main", 8)];
        let called = ("java/net/Socket$SocketOutputStream", "write", "(I)V");
        let site = receiver_site(&program.classes, &stack, called).unwrap();
        assert_eq!((site.method.as_str(), site.line), ("wrap", Some(5)));
        assert_eq!(site.what, "java.net.Socket.getOutputStream(), kept in field Slow.out");
        assert_eq!(site.field.unwrap().declaration, "static java.io.OutputStream out");
    }
}

/// The call of a set that asks a key for its hash code.
const ADD: CallPlace<'_> = CallPlace {
    class: "java/util/HashSet",
    method: "add",
    descriptor: "(Ljava/lang/Object;)Z",
    bytecode_index: None,
    line: None,
};

#[test]
fn the_hash_code_of_the_keys() {
    let rule = rule(SiteKind::HashCode, &[]);
    for program in cases("c13") {
        let callers = frames(&program.classes, &[("c13/Slow", "flood", 5)]);
        let map = CallPlace { class: "java/util/HashMap", method: "put", ..ADD };
        let key = CallPlace { class: "c13/Slow$P", method: "equals", ..ADD };
        for called in [vec![ADD, map], vec![ADD, map, key]] {
            let question = SiteQuestion { rule: &rule, callers: &callers, called: &called };
            let site = find_site(&question, &program.classes).unwrap();
            assert_eq!((site.class.as_str(), site.method.as_str(), site.line), ("c13/Slow$P", "hashCode", Some(4)));
            let instruction = site.instruction.unwrap();
            assert_eq!((instruction.operation.as_str(), instruction.bytecode_index), ("method hashCode", 0));
        }
    }
}

/// The JVM can name the method of a class that another line puts into maps.
#[test]
fn the_class_of_a_passed_key_is_more_certain_than_an_unrelated_class() {
    let rule = rule(SiteKind::HashCode, &[]);
    for jdk in jdks() {
        let source = "import java.util.*;
class Keys {
    static class Own { final int x; Own(int x) { this.x = x; }
        public int hashCode() { return x & 3; } public boolean equals(Object o) { return o instanceof Own && ((Own) o).x == x; } }
    static class Other extends Own { Other(int x) { super(x); } public boolean equals(Object o) { return this == o; } }
    static class Unrelated { public int hashCode() { return 1; } public boolean equals(Object o) { return this == o; } }
    static void own(Set<Object> set) {
        set.add(new Own(1));
    }
    static void any(Set<Object> set, Object key) {
        set.add(key);
    }
}
";
        let program = Program::compile(&jdk, &[("Keys.java", source)], &[]);
        let key_class = |method: &str, line: u32, called: &str| {
            let stack = [("Keys", method, line)];
            let callers = frames(&program.classes, &stack);
            let called = [ADD, CallPlace { class: called, method: "equals", ..ADD }];
            let question = SiteQuestion { rule: &rule, callers: &callers, called: &called };
            find_site(&question, &program.classes).unwrap().class
        };
        assert_eq!(key_class("own", 8, "Keys$Unrelated"), "Keys$Own");
        assert_eq!(key_class("any", 11, "Keys$Unrelated"), "Keys$Unrelated");
        assert_eq!(key_class("own", 8, "Keys$Other"), "Keys$Own", "it inherits hashCode");
    }
}

#[test]
fn the_lock_of_a_block() {
    let rule = rule(SiteKind::Lock, &[]);
    for program in cases("c09") {
        let callers = frames(&program.classes, &[("c09/Slow", "hit", 5)]);
        let question = SiteQuestion { rule: &rule, callers: &callers, called: &[] };
        let site = find_site(&question, &program.classes).unwrap();
        assert_eq!((site.method.as_str(), site.line), ("hit", Some(5)));
        assert_eq!(site.what, "synchronized on field Slow.c");
        let others: Vec<_> = site.others.iter().map(|other| (other.line, other.what.as_str())).collect();
        assert_eq!(others, [(Some(4), "new java.util.HashMap()")]);
        assert_eq!(site.field.unwrap().declaration, "static final java.util.Map c");
    }
}

#[test]
fn a_constant_that_is_an_argument() {
    let mut rule = rule(SiteKind::Argument, &["java/util/zip/Deflater"]);
    rule.argument = Some(0);
    for program in cases("c19") {
        let callers = frames(&program.classes, &[("c19/Slow", "pack", 6)]);
        let called = [CallPlace {
            class: "java/util/zip/Deflater",
            method: "deflate",
            descriptor: "([B)I",
            bytecode_index: None,
            line: None,
        }];
        let mut site =
            find_site(&SiteQuestion { rule: &rule, callers: &callers, called: &called }, &program.classes).unwrap();
        assert_eq!(site.line, Some(6));
        assert_eq!(site.what, "9, the value of constant Slow.LEVEL");
        refine_with_source(&mut site, &program.sources[0].1);
        assert_eq!((site.line, site.text.as_deref()), (Some(5), Some("static final int LEVEL=9;")));
        assert_eq!(site.field.unwrap().line, Some(5));
    }
}
