//! Tests arguments that a setter sets after the creation of the object, such as the level of a compressing stream.

use crate::edit_site::tests::*;

const PACKS: &str = "package a;
import java.io.*;
import java.util.zip.*;
class Packs {
    static class Packed extends GZIPOutputStream {
        Packed(OutputStream out) throws IOException {
            super(out, 8192);
            def.setLevel(Deflater.BEST_COMPRESSION); // OWN
        }
        Packed(OutputStream out, int size) throws IOException {
            super(out, size);
            def.setLevel(1);
        }
    }
    static class Levelled extends DeflaterOutputStream {
        Levelled(OutputStream out, int level) {
            super(out);
            def.setLevel(level); // PASSED
        }
    }
    static class Plain extends GZIPOutputStream {
        Plain(OutputStream out) throws IOException { super(out); }
    }
    static class Zipped extends ZipOutputStream {
        Zipped(OutputStream out) {
            super(out);
            setLevel(8); // ZIPPED
        }
    }
    static class Both extends GZIPOutputStream {
        Both(OutputStream out, boolean small) throws IOException {
            super(out);
            if (small) def.setLevel(9); // BOTH
            else def.setLevel(1);
        }
    }
    void own(OutputStream to, byte[] bytes) throws IOException {
        try (Packed out = new Packed(to)) {
            out.write(bytes); // CALL own
        }
    }
    void other(OutputStream to, byte[] bytes) throws IOException {
        OutputStream out = new Packed(to, 512);
        out.write(bytes); // CALL other
    }
    void anonymous(OutputStream to, byte[] bytes) throws IOException {
        OutputStream out = new GZIPOutputStream(to) {{ def.setLevel(7); }}; // ANONYMOUS
        out.write(bytes); // CALL anonymous
    }
    void passed(OutputStream to, byte[] bytes) throws IOException {
        OutputStream out = new Levelled(to, 9); // LEVEL
        out.write(bytes); // CALL passed
    }
    void plain(OutputStream to, byte[] bytes) throws IOException {
        OutputStream out = new Plain(to);
        out.write(bytes); // CALL plain
    }
    void bare(OutputStream to, byte[] bytes) throws IOException {
        OutputStream out = new GZIPOutputStream(to);
        out.write(bytes); // CALL bare
    }
    void zipped(OutputStream to, byte[] bytes) throws IOException {
        ZipOutputStream out = new Zipped(to);
        out.write(bytes); // CALL zipped
    }
    void local(OutputStream to, byte[] bytes) throws IOException {
        ZipOutputStream out = new ZipOutputStream(to);
        out.setLevel(9); // LOCAL
        out.write(bytes); // CALL local
    }
    void both(OutputStream to, byte[] bytes) throws IOException {
        OutputStream out = new Both(to, true);
        out.write(bytes); // CALL both
    }
    final Deflater kept = new Deflater(1);
    void level() { kept.setLevel(9); } // KEPT
    int kept(byte[] bytes) {
        return kept.deflate(bytes); // CALL kept
    }
    void given(Packed out, byte[] bytes) throws IOException {
        out.write(bytes); // CALL given
    }
}
";

/// The line and the constant that whittle finds for the compression in a method.
fn level(program: &Program, method: &str) -> Result<EditSite, String> {
    let streams = [
        "java/util/zip/Deflater",
        "java/util/zip/GZIPOutputStream",
        "java/util/zip/ZipOutputStream",
        "java/util/zip/DeflaterOutputStream",
    ];
    let setters = ["java/util/zip/Deflater.setLevel", "java/util/zip/ZipOutputStream.setLevel"];
    let rule = SiteRule {
        argument: Some(0),
        setters: setters.map(str::to_owned).to_vec(),
        ..rule(SiteKind::Argument, &streams)
    };
    let line = program.marked(&format!("// CALL {method}"))[0].1;
    let callers = frames(&program.classes, leak_stack(method, line));
    let called = CallPlace {
        class: "",
        method: if method == "kept" { "deflate" } else { "write" },
        descriptor: "",
        bytecode_index: None,
        line: None,
    };
    find_site(&SiteQuestion { rule: &rule, callers: &callers, called: &[called] }, &program.classes)
}

fn leak_stack(method: &str, line: u32) -> &'static [(&'static str, &'static str, u32)] {
    Box::leak(Box::new([("a/Packs", leak(method.to_owned()), line)]))
}

#[test]
fn a_level_that_is_set_after_the_creation_is_the_line_to_edit() {
    for jdk in jdks() {
        let program = Program::compile(&jdk, &[("a/Packs.java", PACKS)], &[]);
        let found = |method: &str| {
            let site = level(&program, method).unwrap();
            (site.line, site.constant, site.instruction.map(|it| it.operation))
        };
        let set = Some("call java/util/zip/Deflater.setLevel".to_owned());
        let line = |mark: &str| Some(program.marked(mark)[0].1);
        assert_eq!(found("own"), (line("// OWN"), Some(9.0), set.clone()), "JDK {}", jdk.version);
        assert_eq!(found("anonymous"), (line("// ANONYMOUS"), Some(7.0), set.clone()), "JDK {}", jdk.version);
        assert_eq!(found("passed"), (line("// PASSED"), Some(9.0), set.clone()), "JDK {}", jdk.version);
        assert_eq!(found("kept"), (line("// KEPT"), Some(9.0), set.clone()), "JDK {}", jdk.version);
        assert_eq!((found("zipped").0, found("zipped").1), (line("// ZIPPED"), Some(8.0)), "JDK {}", jdk.version);
        assert_eq!((found("local").0, found("local").1), (line("// LOCAL"), Some(9.0)), "JDK {}", jdk.version);
        // Each constructor has its own level.
        assert_eq!(found("other").1, Some(1.0), "JDK {}", jdk.version);
        // The level depends on an argument, or nothing sets it.
        assert_eq!((found("both").0, found("both").1), (line("// BOTH"), None), "JDK {}", jdk.version);
        assert_eq!((found("plain").1, found("bare").1), (None, None), "JDK {}", jdk.version);
    }
}

#[test]
fn the_place_that_passes_the_level_and_the_creation_are_named_too() {
    let jdk = &jdks()[0];
    let program = Program::compile(jdk, &[("a/Packs.java", PACKS)], &[]);
    let passed = level(&program, "passed").unwrap();
    assert_eq!(passed.what, "java.util.zip.Deflater.setLevel(…) with 9");
    let others: Vec<_> = passed.others.iter().map(|other| (other.line, other.what.as_str())).collect();
    let line = Some(program.marked("// LEVEL")[0].1);
    assert_eq!(others, [(line, "9"), (line, "new a.Packs$Levelled(…)")]);
}

/// Nothing shows which constructor created the object.
#[test]
fn an_object_of_unknown_origin_has_the_level_that_all_constructors_set() {
    let jdk = &jdks()[0];
    let program = Program::compile(jdk, &[("a/Packs.java", PACKS)], &[]);
    let given = level(&program, "given");
    assert!(given.as_ref().is_ok_and(|site| site.constant.is_none()), "{given:?}");
}
