//! Tests of class archives. The classes are in folders and in jars of every shape, made by hand or by a real JDK.

use super::*;
use rawzip::{CompressionMethod, ZipArchiveWriter};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use whittle_model::{BinaryIndex, FunctionKind, NewFunction, Table, TableBuilder};

/// A class file with `text` after the header. It is sufficient for these tests.
fn class_file(text: &str) -> Vec<u8> {
    [&[0xca, 0xfe, 0xba, 0xbe], text.as_bytes()].concat()
}

fn zip(entries: &[(&str, Vec<u8>)], method: CompressionMethod) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut zip = ZipArchiveWriter::new(&mut bytes);
    for (name, content) in entries {
        let (mut entry, config) = zip.new_file(name).compression_method(method).start().unwrap();
        if method == CompressionMethod::DEFLATE {
            let packer = flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::default());
            let mut writer = config.wrap(packer);
            writer.write_all(content).unwrap();
            let (packer, descriptor) = writer.finish().unwrap();
            packer.finish().unwrap();
            entry.finish(descriptor).unwrap();
        } else {
            let mut writer = config.wrap(&mut entry);
            writer.write_all(content).unwrap();
            let (_, descriptor) = writer.finish().unwrap();
            entry.finish(descriptor).unwrap();
        }
    }
    zip.finish().unwrap();
    bytes
}

pub(super) fn stored(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    zip(entries, CompressionMethod::STORE)
}

pub(super) fn packed(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    zip(entries, CompressionMethod::DEFLATE)
}

/// A folder with files, and a class path to search.
struct Files(tempfile::TempDir);

impl Files {
    fn new(files: &[(&str, Vec<u8>)]) -> Self {
        let files_and_folder = Self(tempfile::tempdir().unwrap());
        for (name, bytes) in files {
            let path = files_and_folder.0.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        files_and_folder
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// Archives `classes`, as Java `version` would find them on this class path below the folder.
    fn archive(&self, class_path: &[&str], classes: &[&str], version: &str) -> ClassArchive {
        let class_path: Vec<String> = class_path.iter().map(|name| self.path(name)).collect();
        let mut properties = SystemProperties::default();
        properties.set("java.class.path", &class_path.join(":"));
        properties.set("java.vm.specification.version", version);
        archive_of(classes, &properties)
    }

    /// The content and the origin of each class. Origins are relative to the folder.
    fn texts(&self, archive: &ClassArchive) -> BTreeMap<String, String> {
        let table = &archive.table;
        let row = |row: usize| {
            let origin = table.origin[row].strip_prefix(&self.path("")).unwrap_or_default();
            let bytes = table.bytes[row].as_deref().map(|bytes| String::from_utf8_lossy(&bytes[4..]).into_owned());
            let text = bytes.map_or_else(|| "unavailable".to_owned(), |text| format!("{text} in {origin}"));
            (table.class_name[row].clone(), text)
        };
        (0..table.len()).map(row).collect()
    }
}

fn archive_of(classes: &[&str], properties: &SystemProperties) -> ClassArchive {
    let mut builder = TableBuilder::new();
    for class in classes {
        let name = format!("{class}.run()V");
        let (kind, binary) = (FunctionKind::Java, BinaryIndex::NONE);
        builder.function(&NewFunction { display_name: &name, internal_name: &name, kind, binary });
    }
    let archiver = ClassArchiver::new(Process(std::process::id()));
    archiver.archive((&builder.tables().functions, &ArchiveTable::default()), properties, MAX_TIME)
}

fn expect(texts: &BTreeMap<String, String>, expected: &[(&str, &str)]) {
    let found: Vec<(&str, &str)> = texts.iter().map(|(class, text)| (class.as_str(), text.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_first_place_on_the_class_path_counts() {
    let files = Files::new(&[
        ("classes/a/A.class", class_file("a from the folder")),
        ("one.jar", packed(&[("a/A.class", class_file("no")), ("a/B.class", class_file("b from one"))])),
        ("two.jar", stored(&[("a/B.class", class_file("no")), ("C.class", class_file("c from two"))])),
    ]);
    let archive = files.archive(&["classes", "absent.jar", "one.jar", "two.jar"], &["a/A", "a/B", "C", "a/D"], "17");
    let expected = [
        ("C", "c from two in two.jar"),
        ("a/A", "a from the folder in classes"),
        ("a/B", "b from one in one.jar"),
        ("a/D", "unavailable"),
    ];
    expect(&files.texts(&archive), &expected);
    assert_eq!(archive.not_found.as_deref(), Some("no class file was found for a.D"));
    let row = archive.table.class_name.iter().position(|name| name == "C").unwrap();
    let digest = whittle_model::ContentHash::of(&class_file("c from two"));
    assert_eq!(archive.table.digest[row], Some(digest));
}

#[test]
fn classes_of_the_jdk_have_no_row_and_those_made_at_run_time_no_bytes() {
    let files = Files::new(&[("one.jar", packed(&[("javax/inject/Inject.class", class_file("inject"))]))]);
    let classes = [
        "java/lang/String",
        "javax/crypto/Cipher",
        "javax/inject/Inject",
        "a/B$$Lambda/0x0000000800c03000",
        "jdk/proxy1/$Proxy3",
    ];
    let archive = files.archive(&["one.jar"], &classes, "17");
    let expected = [
        ("a/B", "unavailable"),
        ("a/B$$Lambda/0x0000000800c03000", "unavailable"),
        ("javax/inject/Inject", "inject in one.jar"),
        ("jdk/proxy1/$Proxy3", "unavailable"),
    ];
    expect(&files.texts(&archive), &expected);
    assert_eq!(archive.not_found.as_deref(), Some("no class file was found for a.B"));
}

#[test]
fn jars_in_jars_are_looked_into() {
    let library = packed(&[("lib/L.class", class_file("l"))]);
    let inner = packed(&[("lib/M.class", class_file("m"))]);
    let boot = [
        ("org/loader/Launcher.class", class_file("launcher")),
        ("BOOT-INF/classes/a/A.class", class_file("a")),
        ("BOOT-INF/lib/library.jar", library),
    ];
    let war = [
        ("WEB-INF/classes/a/W.class", class_file("w")),
        ("WEB-INF/lib/inner.jar", inner.clone()),
        ("other/inner.jar", packed(&[("lib/X.class", class_file("x"))])),
    ];
    // The jar begins with a start script, as Spring Boot's executable jars do.
    let script = [b"#!/bin/sh\nexec java -jar \"$0\"\n".to_vec(), stored(&boot)].concat();
    let files = Files::new(&[("boot.jar", script), ("web.war", packed(&war))]);
    let classes = ["a/A", "a/W", "lib/L", "lib/M", "lib/X", "org/loader/Launcher"];
    let archive = files.archive(&["boot.jar", "web.war"], &classes, "17");
    let expected = [
        ("a/A", "a in boot.jar!/BOOT-INF/classes"),
        ("a/W", "w in web.war!/WEB-INF/classes"),
        ("lib/L", "l in boot.jar!/BOOT-INF/lib/library.jar"),
        ("lib/M", "m in web.war!/WEB-INF/lib/inner.jar"),
        ("lib/X", "unavailable"),
        ("org/loader/Launcher", "launcher in boot.jar"),
    ];
    expect(&files.texts(&archive), &expected);
}

#[test]
fn a_multi_release_jar_gives_the_version_that_java_takes() {
    let entries = |multi_release: &str| {
        packed(&[
            ("META-INF/MANIFEST.MF", format!("Multi-Release: {multi_release}\r\n").into_bytes()),
            ("META-INF/versions/9/A.class", class_file("a9")),
            ("META-INF/versions/17/A.class", class_file("a17")),
            ("META-INF/versions/21/A.class", class_file("a21")),
            ("A.class", class_file("a")),
            ("META-INF/versions/8/B.class", class_file("b8")),
            ("B.class", class_file("b")),
        ])
    };
    let files = Files::new(&[("multi.jar", entries("true")), ("plain.jar", entries("false"))]);
    for (jar, version, a) in [
        ("multi.jar", "17", "a17 in multi.jar!/META-INF/versions/17"),
        ("multi.jar", "25", "a21 in multi.jar!/META-INF/versions/21"),
        ("multi.jar", "1.8", "a in multi.jar"),
        ("multi.jar", "", "a in multi.jar"),
        ("plain.jar", "25", "a in plain.jar"),
    ] {
        let archive = files.archive(&[jar], &["A", "B"], version);
        expect(&files.texts(&archive), &[("A", a), ("B", &format!("b in {jar}"))]);
    }
}

#[test]
fn jars_that_a_manifest_names_are_looked_into_right_after_it() {
    let manifest = |names: &str| ("META-INF/MANIFEST.MF", format!("Class-Path: {names}\r\n").into_bytes());
    let files = Files::new(&[
        ("app.jar", packed(&[manifest("lib/one.jar lib/a%20b.jar https://example.org/x.jar")])),
        ("lib/one.jar", packed(&[manifest("../app.jar one.jar deep.jar"), ("A.class", class_file("a"))])),
        ("lib/a b.jar", packed(&[("B.class", class_file("b"))])),
        ("lib/deep.jar", packed(&[("C.class", class_file("c from deep"))])),
        ("last.jar", packed(&[("C.class", class_file("no"))])),
    ]);
    let archive = files.archive(&["app.jar", "last.jar"], &["A", "B", "C"], "17");
    let expected = [("A", "a in lib/one.jar"), ("B", "b in lib/a b.jar"), ("C", "c from deep in lib/deep.jar")];
    expect(&files.texts(&archive), &expected);
    assert_eq!(archive.notes, Vec::<String>::new());
}

#[test]
fn damaged_jars_are_named_and_the_others_are_used() {
    let good = packed(&[("A.class", class_file(&"a".repeat(1000))), ("B.class", class_file("b"))]);
    let mut wrong_bytes = good.clone();
    // This byte is in the packed bytes of A, after A's local header.
    wrong_bytes[45] ^= 0xff;
    let files = Files::new(&[
        ("text.jar", b"no zip at all".to_vec()),
        ("short.jar", good[..good.len() / 2].to_vec()),
        ("wrong.jar", wrong_bytes),
        ("text/A.class", b"no class file".to_vec()),
        ("good.jar", good),
    ]);
    let class_path = ["text.jar", "short.jar", "wrong.jar", "text", "good.jar"];
    let archive = files.archive(&class_path, &["A", "B"], "17");
    let texts = files.texts(&archive);
    assert!(texts["A"].ends_with("a in good.jar"), "{texts:?}");
    assert_eq!(texts["B"], "b in wrong.jar");
    let note = archive.notes.join("\n");
    for name in ["text.jar (", "short.jar (", "wrong.jar!/A.class (", "text: A.class (no class file)"] {
        assert!(note.contains(name), "{name} in {note}");
    }
}

#[test]
fn a_class_larger_than_the_limit_is_not_read() {
    let huge = [class_file(""), vec![0; 17 << 20]].concat();
    let files = Files::new(&[("huge.jar", packed(&[("A.class", huge.clone())])), ("classes/A.class", huge)]);
    let archive = files.archive(&["huge.jar", "classes"], &["A"], "17");
    expect(&files.texts(&archive), &[("A", "unavailable")]);
    let note = archive.notes.join("\n");
    assert!(note.contains("at least 17825796 bytes, but the limit is 16777216"), "{note}");
}

fn wanted(classes: &[&str]) -> Vec<wanted::WantedClass> {
    let source = wanted::ClassSource::Program;
    classes.iter().map(|name| wanted::WantedClass { name: (*name).to_owned(), source }).collect()
}

#[test]
fn jars_in_jars_are_decompressed_within_a_total() {
    let inner = |class: &str| packed(&[(class, class_file(class))]);
    let nested = [("WEB-INF/lib/a.jar", inner("A.class")), ("WEB-INF/lib/b.jar", inner("B.class"))];
    let small_count = nested[0].1.len() as u64;
    let files = Files::new(&[("one.war", packed(&nested)), ("two.war", stored(&nested))]);
    let target = TargetFiles::of_process(Process(std::process::id())).unwrap();
    let classes = wanted(&["A", "B"]);
    // From the first archive, only one jar is decompressed. The jars of the second archive are read in place.
    let places = ["one.war", "two.war"].map(|name| places::Place::Jar(files.path(name)));
    for (left, origins, note_count) in [
        (2 * small_count, ["one.war!/WEB-INF/lib/a.jar", "one.war!/WEB-INF/lib/b.jar"], 0),
        (2 * small_count - 1, ["one.war!/WEB-INF/lib/a.jar", "two.war!/WEB-INF/lib/b.jar"], 1),
        (0, ["two.war!/WEB-INF/lib/a.jar", "two.war!/WEB-INF/lib/b.jar"], 1),
    ] {
        let mut search = Search::new(&target, &classes, None);
        search.nested_bytes_left = left;
        search.run(places.to_vec());
        let archive = search.finish();
        assert_eq!(archive.table.origin, origins.map(|name| files.path(name)));
        assert_eq!(archive.notes.len(), note_count, "{:?}", archive.notes);
        assert!(archive.notes.iter().all(|note| note.contains("the jars inside jars are too large in total")));
    }
}

#[test]
fn a_search_ends_after_its_time() {
    let files = Files::new(&[("one.jar", packed(&[("A.class", class_file("a"))])), ("B.class", class_file("b"))]);
    let target = TargetFiles::of_process(Process(std::process::id())).unwrap().until(Instant::now());
    let classes = wanted(&["A", "B"]);
    let jar = || places::Place::Jar(files.path("one.jar"));
    let mut search = Search::new(&target, &classes, None);
    search.run(vec![jar(), places::Place::Folder(files.path("")), jar()]);
    let archive = search.finish();
    assert!(archive.table.bytes.iter().all(Option::is_none));
    assert_eq!(archive.not_found.as_deref(), Some("no class file was found for A, B"));
    let expected = "the search for class files ended after its limit of 60 seconds: 2 folders and jars were not searched, or only in part";
    assert_eq!(archive.notes, [expected]);
}

#[test]
fn jars_that_manifests_name_are_limited() {
    let words: Vec<String> = (0..25_000).map(|number| format!("{number:05}")).collect();
    let long: Vec<String> = (0..9_000).map(|number| format!("{}{number:04}", "x".repeat(3_900))).collect();
    let manifest = |words: &[String]| {
        // Longer manifests are not read.
        let words = &words[..words.len().min((1 << 20) / (words[0].len() + 1) - 1)];
        ("META-INF/MANIFEST.MF", format!("Class-Path: {}\r\n", words.join(" ")).into_bytes())
    };
    let mut jars = vec![("many.jar".to_owned(), packed(&[manifest(&words)]))];
    for (number, words) in long.chunks(250).enumerate() {
        jars.push((format!("long{number:02}.jar"), packed(&[manifest(words)])));
    }
    let files = Files::new(&jars.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect::<Vec<_>>());
    let limit = "folders and jars were not searched for class files: there are more than 20000";
    for (class_path, minimum) in [(vec!["many.jar"], 5_000), (jars[1..].iter().map(|(name, _)| &**name).collect(), 400)]
    {
        let archive = files.archive(&class_path, &["A"], "17");
        assert!(archive.notes[0].contains(limit), "{:?}", archive.notes);
        let count: usize = archive.notes[0].split(' ').next().unwrap().parse().unwrap();
        assert!((minimum..minimum + 1_000).contains(&count), "{count}");
    }
}

#[test]
fn notes_about_unreadable_files_are_short() {
    let name = |number: u32| format!("WEB-INF/lib/{number}{}.jar", "x".repeat(60_000));
    let names: Vec<String> = (0..20).map(name).collect();
    let entries: Vec<(&str, Vec<u8>)> = names.iter().map(|name| (name.as_str(), b"no zip".to_vec())).collect();
    let files = Files::new(&[("long.war", packed(&entries))]);
    let archive = files.archive(&["long.war"], &["A"], "17");
    assert!(archive.notes[0].len() < 2_500 && archive.notes[0].ends_with(" and 15 more"), "{:?}", archive.notes);
}

#[test]
fn the_archive_stays_within_its_limit() {
    let large = [class_file(""), vec![7; 15 << 20]].concat();
    let names = ["A", "B", "C", "D", "E", "F"];
    let class_files = names.map(|name| (format!("{name}.class"), large.clone()));
    let entries: Vec<(&str, Vec<u8>)> =
        class_files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    let files = Files::new(&[("large.jar", packed(&entries))]);
    let archive = files.archive(&["large.jar"], &names, "17");
    assert_eq!(archive.table.bytes.iter().flatten().count(), 4);
    assert_eq!(archive.table.len(), 6);
    assert_eq!(archive.notes, ["2 classes are not archived: the total would exceed 64 MiB"]);
}

/// For any content of a jar, reading ends without a panic, and returns only bytes with a correct checksum.
#[test]
fn no_damage_to_a_jar_does_harm() {
    let inner = packed(&[("lib/L.class", class_file("l"))]);
    let manifest = ("META-INF/MANIFEST.MF", b"Multi-Release: true\r\nClass-Path: x.jar\r\n".to_vec());
    let whole = stored(&[manifest, ("A.class", class_file("a")), ("BOOT-INF/lib/inner.jar", inner)]);
    let mut found_count = 0;
    for position in 0..whole.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[position] ^= change;
            let Ok(mut jar) = jar::Jar::open(jar::JarBytes::InMemory(bytes.into())) else { continue };
            let contents = jar.contents(&|name| name == "A", 17, &mut jar::NameRoom::default());
            let read = contents.classes.iter().flat_map(|class| jar.read(class.entry, 100));
            found_count += read.filter(|bytes| *bytes == class_file("a")).count();
            for (_, entry) in contents.jars {
                let inner = jar.nested(entry, &mut 1_000).and_then(jar::Jar::open);
                let _ = inner.map(|mut inner| inner.contents(&|_| true, 17, &mut jar::NameRoom::default()));
            }
        }
    }
    assert!(found_count > whole.len(), "{found_count}");
}

/// Archives a real program in a multi-release jar, a folder and a module. The archive contains the class files that
/// javac wrote, in the version that the program itself reports.
#[test]
fn classes_of_a_real_program_are_archived_after_its_end() {
    for jdk in whittle_testkit::jdks() {
        let program = RealProgram::build(&jdk.home);
        let (functions, properties, output) = program.run(&jdk.java());
        let archive = program.archiver_after_the_end(&functions, &properties);
        let table = &archive.table;
        let bytes_of = |class: &str| {
            let row = table.class_name.iter().position(|name| name == class).unwrap_or_else(|| panic!("{class}"));
            table.bytes[row].clone()
        };
        let release = output.trim();
        assert_eq!(bytes_of("app/Main"), Some(program.read("classes/app/Main.class")), "JDK {}", jdk.version);
        assert_eq!(bytes_of("lib/Work"), Some(program.read(&format!("{release}/lib/Work.class"))));
        let lambda = table.class_name.iter().position(|name| name.starts_with("app/Main$$Lambda"));
        assert_eq!(lambda.map(|row| &table.bytes[row]), Some(&None), "{:?}", table.class_name);
        assert!(!table.class_name.iter().any(|name| name.starts_with("java/lang/Thread")), "{:?}", table.class_name);
    }
}

const MAIN: &str = "package app;
public class Main {
    public static void main(String[] arguments) {
        long end = System.nanoTime() + 400_000_000L;
        Runnable task = () -> lib.Work.burn(end);
        task.run();
        System.out.println(lib.Work.release());
    }
}";

struct RealProgram(tempfile::TempDir);

impl RealProgram {
    fn build(home: &Path) -> Self {
        let program = Self(tempfile::tempdir().unwrap());
        let work = |release: &str| {
            format!(
                "package lib; public class Work {{
                    public static void burn(long end) {{ long x = 1; while (System.nanoTime() < end) x = x * 31 + 7; sink = x; }}
                    static volatile long sink;
                    public static String release() {{ return \"{release}\"; }}
                }}"
            )
        };
        for (folder, text) in [("base", work("base")), ("versions/17", work("versions/17"))] {
            program.write(&format!("{folder}/src/lib/Work.java"), text.as_bytes());
            program.tool(home, "javac", &["--release", "17", "-d", folder, &format!("{folder}/src/lib/Work.java")]);
        }
        program.write("src/app/Main.java", MAIN.as_bytes());
        program.tool(home, "javac", &["-cp", "base", "-d", "classes", "src/app/Main.java"]);
        program.write("manifest", b"Multi-Release: true\n");
        let base = ["cfm", "work.jar", "manifest", "-C", "base", "lib", "--release", "17", "-C", "versions/17", "lib"];
        program.tool(home, "jar", &base);
        program
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.path().join(name)).unwrap()
    }

    fn tool(&self, home: &Path, tool: &str, arguments: &[&str]) {
        let mut command = std::process::Command::new(home.join("bin").join(tool));
        let output = command.args(arguments).current_dir(self.0.path()).output().unwrap();
        assert!(output.status.success(), "{tool}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Runs the program to its end with the profiler inside. Returns its functions, system properties and output.
    fn run(&self, java: &Path) -> (whittle_model::FunctionTable, SystemProperties, String) {
        self.write("profiler.so", crate::async_profiler::LIBRARY);
        let agent = "-agentpath:./profiler.so=start,event=itimer,interval=5ms,jfr,file=recording.jfr,log=log";
        let mut command = std::process::Command::new(java);
        command.args([agent, "-cp", "classes:work.jar", "app.Main"]).current_dir(self.0.path());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let options = whittle_import::JfrOptions::default();
        let (tables, import) = whittle_import::import_jfr(&self.read("recording.jfr"), options).unwrap();
        (tables.functions, import.recording.system_properties, String::from_utf8(output.stdout).unwrap())
    }

    /// The class path is relative, so a process in the program's folder replaces the program that ended.
    fn archiver_after_the_end(&self, functions: &FunctionTable, properties: &SystemProperties) -> ClassArchive {
        let mut stand_in = std::process::Command::new("sleep").arg("60").current_dir(self.0.path()).spawn().unwrap();
        let archiver = ClassArchiver::new(Process(stand_in.id()));
        stand_in.kill().unwrap();
        stand_in.wait().unwrap();
        archiver.archive((functions, &ArchiveTable::default()), properties, MAX_TIME)
    }
}

/// A class file with only these references to classes. Only the reader of the archive accepts it.
pub(super) fn refers_to(classes: &[&str]) -> Vec<u8> {
    let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61];
    bytes.extend((classes.len() as u16 * 2 + 1).to_be_bytes());
    for (row, class) in classes.iter().enumerate() {
        bytes.push(1);
        bytes.extend((class.len() as u16).to_be_bytes());
        bytes.extend(class.as_bytes());
        bytes.push(7);
        bytes.extend((row as u16 * 2 + 1).to_be_bytes());
    }
    bytes
}

#[test]
fn classes_that_the_program_refers_to_are_archived_behind_those_on_stacks() {
    let inner = packed(&[("lib/L.class", refers_to(&["lib/Hidden"])), ("lib/Hidden.class", refers_to(&[]))]);
    let unused = packed(&[("lib/Unused.class", refers_to(&[]))]);
    let boot = stored(&[
        ("BOOT-INF/classes/a/A.class", refers_to(&["a/Factory", "lib/L", "java/lang/String", "[La/Element;", "[I"])),
        ("BOOT-INF/classes/a/Factory.class", refers_to(&["a/Made", "lib/Unused", "../../etc/passwd"])),
        ("BOOT-INF/classes/a/Made.class", refers_to(&["a/A", "folder/F", "other/O"])),
        ("BOOT-INF/classes/a/Element.class", refers_to(&[])),
        ("BOOT-INF/classes/a/Apart.class", refers_to(&[])),
        ("BOOT-INF/lib/inner.jar", inner),
        ("BOOT-INF/lib/unused.jar", unused),
    ]);
    let files = Files::new(&[
        ("boot.jar", boot),
        ("classes/folder/F.class", refers_to(&["absent/X"])),
        ("other.jar", packed(&[("other/O.class", refers_to(&[]))])),
    ]);
    // No class on a stack is from other.jar or unused.jar, so these jars are not searched.
    let archive = files.archive(&["boot.jar", "classes", "other.jar"], &["a/A", "lib/L"], "17");
    let mut classes = archive.table.class_name.clone();
    assert_eq!(classes[..2], ["a/A", "lib/L"]);
    classes.sort();
    assert_eq!(classes, ["a/A", "a/Element", "a/Factory", "a/Made", "folder/F", "lib/Hidden", "lib/L"]);
    assert_eq!(archive.notes, Vec::<String>::new());
    let origin = |class: &str| {
        let row = archive.table.class_name.iter().position(|name| name == class).unwrap();
        archive.table.origin[row].strip_prefix(&files.path("")).unwrap().to_owned()
    };
    assert_eq!(origin("a/Made"), "boot.jar!/BOOT-INF/classes");
    assert_eq!(origin("lib/Hidden"), "boot.jar!/BOOT-INF/lib/inner.jar");
    assert_eq!(origin("folder/F"), "classes");
}

/// If there are many related classes, the nearest classes are kept, up to the limit.
#[test]
fn what_classes_refer_to_is_archived_within_limits() {
    let names: Vec<String> = (0..6_000).map(|number| format!("a/C{number}")).collect();
    let chain = names.iter().enumerate().map(|(number, name)| {
        let next: Vec<&str> = names.get(number + 1).iter().map(|name| name.as_str()).collect();
        (format!("{name}.class"), refers_to(&next))
    });
    let entries: Vec<(String, Vec<u8>)> = chain.collect();
    let entries: Vec<(&str, Vec<u8>)> = entries.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    let files = Files::new(&[("chain.jar", packed(&entries))]);
    let start = std::time::Instant::now();
    let archive = files.archive(&["chain.jar"], &["a/C0"], "17");
    // Time is also limited, so a busy machine archives fewer classes.
    assert!((2..=4_001).contains(&archive.table.len()), "{}", archive.table.len());
    assert_eq!(archive.table.class_name[1], "a/C1");
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

/// Another JVM of the same collection can have ended earlier.
#[test]
fn an_archive_adds_to_the_archive_of_another_jvm() {
    let row = |name: &str, text: Option<&str>| ArchivedClass {
        class_name: name.to_owned(),
        origin: String::new(),
        digest: None,
        bytes: text.map(|text| text.as_bytes().to_vec()),
    };
    let table = |rows: &[ArchivedClass]| {
        let mut table = ArchiveTable::default();
        rows.iter().for_each(|row| table.push(row.clone()));
        table
    };
    let known = table(&[row("A", Some("a")), row("B", None), row("C", None)]);
    let found = table(&[row("B", Some("b")), row("C", None), row("A", Some("other")), row("D", Some("d"))]);
    let expected = table(&[row("A", Some("a")), row("C", None), row("B", Some("b")), row("D", Some("d"))]);
    assert_eq!(merged(&known, found), expected);
}
