//! Compares class files with the output of `javap`, the JDK's own reader, and tests damaged class files.
//!
//! `fixtures/Sample.class` was compiled from `fixtures/Sample.java`, which contains the command.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "test code; prints how much was compared")]

use proptest::collection::vec;
use proptest::prelude::{any, proptest};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use whittle_bytecode::class_file::{ClassFile, Code, Constant, Instruction, Operands};
use whittle_testkit::{Jdk, jdks};

const SAMPLE: &[u8] = include_bytes!("../fixtures/Sample.class");
const PAIR: &[u8] = include_bytes!("../fixtures/Sample$Pair.class");

/// Number of compared classes of `java.base`. They are distributed evenly over the folders below.
const CLASS_COUNT: usize = 400;
const FOLDERS: &str =
    "regex:/java.base/(java/(lang|util|io|time|text|math)|sun/(nio|security)|jdk/internal)/.*\\.class";

fn listing(class: &ClassFile<'_>, method: &str) -> String {
    let method = class.methods.iter().find(|candidate| candidate.name == method).unwrap();
    let code = method.code.as_ref().unwrap();
    let lines = code.instructions().map(|instruction| {
        let instruction = instruction.unwrap();
        let words = format!("{} {}", instruction.mnemonic(), class.operand_words(&instruction));
        format!(
            "{} {}: {}\n",
            code.line_at(instruction.bytecode_index).unwrap(),
            instruction.bytecode_index,
            words.trim()
        )
    });
    lines.collect()
}

#[test]
fn a_method_is_listed_with_lines_and_whole_names() {
    let class = ClassFile::parse(SAMPLE).unwrap();
    assert_eq!((class.name.as_ref(), class.major_version), ("fixtures/Sample", 61));
    assert_eq!(class.source_file.as_deref(), Some("Sample.java"));
    assert_eq!(
        listing(&class, "writeAll").lines().skip(16).take(7).collect::<Vec<_>>(),
        [
            "20 27: aload_0",
            "20 28: getfield fixtures/Sample.out:Ljava/io/OutputStream;",
            "20 31: iload 7",
            "20 33: invokevirtual java/io/OutputStream.write:(I)V",
            "21 36: iinc 3, 1",
            "19 39: iinc 6, 1",
            "19 42: goto 13",
        ]
    );
}

#[test]
fn fields_variables_nested_classes_and_call_sites_are_known() {
    let class = ClassFile::parse(SAMPLE).unwrap();
    let fields: Vec<_> = class.fields.iter().map(|field| (field.name.as_ref(), field.descriptor.as_ref())).collect();
    assert_eq!(fields, [("LIMIT", "J"), ("out", "Ljava/io/OutputStream;"), ("last", "Ljava/lang/Object;")]);
    assert_eq!(class.fields[0].constant, Some(Constant::Long(1 << 40)));
    let code = class.method("writeAll", "([BLjava/lang/Object;)I").unwrap().code.as_ref().unwrap();
    let variable = |slot, at| code.variable_at(slot, at).map(|variable| variable.name.as_ref());
    assert_eq!((variable(0, 0), variable(3, 30), variable(7, 30)), (Some("this"), Some("written"), Some("b")));
    assert_eq!((variable(7, 40), variable(9, 30)), (None, None));
    assert_eq!(code.first_line(), Some(18));
    assert!(class.inner_classes.iter().any(|inner| inner.simple_name.as_deref() == Some("Pair")));
    let lambda = listing(&class, "lambda");
    assert!(lambda.contains("invokedynamic getAsInt:(Lfixtures/Sample;I)Ljava/util/function/IntSupplier; for fixtures/Sample.lambda$lambda$0:(I)I"), "{lambda}");
    let names = listing(&class, "name");
    assert!(
        names.contains(r#"ldc "one\n\"quoted\"""#) && names.contains("😀") && names.contains(r"Null: \u0000"),
        "{names}"
    );
    assert!(names.contains("lookupswitch { 1: ") && listing(&class, "dense").contains("tableswitch { 0: "), "{names}");
}

/// Calls every function of a class file.
fn look_at_all(bytes: &[u8]) {
    let Ok(class) = ClassFile::parse(bytes) else { return };
    for method in &class.methods {
        let Some(code) = &method.code else { continue };
        for instruction in code.instructions().flatten() {
            let _ = (class.operand_words(&instruction), instruction.mnemonic(), instruction.constant());
            let _ = (code.line_at(instruction.bytecode_index), code.variable_at(1, instruction.bytecode_index));
        }
    }
}

#[test]
fn cut_files_are_refused_and_changed_ones_never_panic() {
    for whole in [SAMPLE, PAIR] {
        for length in 0..whole.len() {
            assert!(ClassFile::parse(&whole[..length]).is_err(), "{length}");
        }
        let mut longer = whole.to_vec();
        longer.push(0);
        assert!(ClassFile::parse(&longer).is_err());
        for position in 0..whole.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff, whole[position] ^ 1] {
                let mut changed = whole.to_vec();
                changed[position] = value;
                look_at_all(&changed);
            }
        }
    }
}

proptest! {
    #[test]
    fn many_changes_at_once_never_panic(changes in vec((0..SAMPLE.len(), any::<u8>()), 1..12)) {
        let mut changed = SAMPLE.to_vec();
        changes.into_iter().for_each(|(position, value)| changed[position] = value);
        look_at_all(&changed);
    }

    #[test]
    fn code_of_any_bytes_is_decoded_to_its_end_or_to_an_error(bytes in vec(any::<u8>(), 0..64)) {
        let class = ClassFile::parse(PAIR).unwrap();
        let mut code = class.methods[0].code.clone().unwrap();
        code.bytecode = &bytes;
        let instructions: Vec<_> = code.instructions().collect();
        let errors = instructions.iter().filter(|instruction| instruction.is_err()).count();
        assert!(errors <= 1 && instructions.len() <= bytes.len());
    }
}

/// The class files of several hundred classes of `java.base`, and the class files of the workloads.
fn class_files(jdk: &Jdk, folder: &Path) -> Vec<PathBuf> {
    let modules = jdk.home.join("lib/modules");
    let mut extraction = Command::new(jdk.home.join("bin/jimage"));
    extraction.arg("extract").arg(format!("--dir={}", folder.display())).arg("--include").arg(FOLDERS).arg(modules);
    let output = extraction.output().unwrap();
    assert!(output.status.success(), "jimage: {}", String::from_utf8_lossy(&output.stderr));
    let mut of_jdk = Vec::new();
    find_classes(folder, &mut of_jdk);
    of_jdk.sort();
    assert!(of_jdk.len() > CLASS_COUNT, "{} classes", of_jdk.len());
    let every = of_jdk.len() / CLASS_COUNT;
    let mut files: Vec<PathBuf> = of_jdk.into_iter().step_by(every).collect();
    find_classes(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../java/workloads/target/classes"), &mut files);
    files.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/Sample.class"));
    files
}

fn find_classes(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            find_classes(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "class")
            && path.file_stem().is_some_and(|name| name != "module-info" && name != "package-info")
        {
            found.push(path);
        }
    }
}

/// One method's code as text: instructions, then `catch`, `line` and `local` rows.
type CodeText = Vec<String>;

/// The methods with code that `javap -c -l -p` prints, in order.
fn codes_by_javap(jdk: &Jdk, files: &[PathBuf]) -> Vec<CodeText> {
    let mut javap = Command::new(jdk.home.join("bin/javap"));
    javap.args(["-J-Dfile.encoding=UTF-8", "-J-Dstdout.encoding=UTF-8", "-c", "-l", "-p"]).args(files);
    let output = javap.output().unwrap();
    assert!(output.status.success(), "javap: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut codes: Vec<CodeText> = Vec::new();
    let (mut part, mut in_switch) = ("", false);
    for line in text.lines() {
        let row = line.trim();
        let Some(code) = codes.last_mut().filter(|_| row != "Code:") else {
            if row == "Code:" {
                codes.push(Vec::new());
                part = "code";
            }
            continue;
        };
        // A member's heading ends the tables of the previous member. A string can contain any text.
        let is_heading = line.starts_with("  ") && !line.starts_with("   ") || line.starts_with('}');
        match row {
            _ if in_switch => {
                in_switch = row != "}";
                let case: Vec<&str> = row.split_whitespace().collect();
                code.last_mut().unwrap().push_str(&format!(" {}", case.concat().replace('}', "")));
            }
            _ if row.is_empty() || is_heading => part = "",
            "Exception table:" => part = "catch",
            "LineNumberTable:" => part = "line",
            "LocalVariableTable:" => part = "local",
            _ if row.starts_with("LocalVariableTypeTable") || row.starts_with("StackMapTable") => part = "",
            _ if part == "code" => {
                in_switch = row.split_whitespace().nth(1).is_some_and(|name| name.ends_with("switch"));
                code.push(instruction_row(row));
            }
            _ if part == "line" || row.starts_with(|c: char| c.is_ascii_digit()) && !part.is_empty() => {
                code.push(format!("{part} {}", row.split_whitespace().collect::<Vec<_>>().join(" ")));
            }
            _ => {}
        }
    }
    codes
}

/// `30: invokevirtual #3  // Method java/io/OutputStream.write:(I)V` without the parts that whittle's reader writes
/// differently.
fn instruction_row(row: &str) -> String {
    let (instruction, comment) = row.split_once("// ").unwrap_or((row, ""));
    let words: Vec<&str> = instruction.split_whitespace().collect();
    let comment =
        comment.strip_prefix("Method ").or(comment.strip_prefix("InterfaceMethod ")).or(comment.strip_prefix("Field "));
    format!("{} {}", words.join(" ").trim_end_matches('{').trim_end(), comment.unwrap_or_default())
        .trim_end()
        .to_owned()
}

/// The same text as in `codes_by_javap`, from whittle's reader.
fn codes_by_whittle(class: &ClassFile<'_>) -> Vec<CodeText> {
    let codes = class.methods.iter().filter_map(|method| method.code.as_ref());
    codes.map(|code| code_text(class, code)).collect()
}

fn code_text(class: &ClassFile<'_>, code: &Code<'_>) -> CodeText {
    let mut text: CodeText =
        code.instructions().map(|instruction| instruction_text(class, &instruction.unwrap())).collect();
    text.extend(code.exception_handlers.iter().map(|handler| {
        let class = handler.class.as_deref().map_or("any".to_owned(), |class| format!("Class {}", quoted_array(class)));
        format!("catch {} {} {} {class}", handler.start, handler.end, handler.handler)
    }));
    text.extend(code.lines.iter().map(|line| format!("line line {}: {}", line.line, line.start)));
    text.extend(code.local_variables.iter().map(|variable| {
        let (start, length) = (variable.start, variable.length);
        format!("local {start} {length} {} {} {}", variable.slot, variable.name, variable.descriptor)
    }));
    text
}

fn quoted_array(class: &str) -> String {
    if class.starts_with('[') { format!("\"{class}\"") } else { class.to_owned() }
}

fn instruction_text(class: &ClassFile<'_>, instruction: &Instruction) -> String {
    let operands = match &instruction.operands {
        Operands::None => String::new(),
        Operands::Constant(index) if instruction.mnemonic() == "invokedynamic" => format!(" #{index}, 0"),
        Operands::Constant(index) => format!(" #{index}"),
        Operands::InterfaceCall(index, count) => format!(" #{index}, {count}"),
        Operands::MultiArray(index, dimensions) => format!(" #{index}, {dimensions}"),
        Operands::Switch(cases, default) => {
            let cases: String = cases.iter().map(|(value, target)| format!(" {value}:{target}")).collect();
            format!("{cases} default:{default} ")
        }
        _ => format!(" {}", class.operand_words(instruction)),
    };
    let member = instruction.constant().and_then(|index| class.constants.member(index));
    let comment = member.map_or(String::new(), |member| {
        let name = if member.name == "<init>" { "\"<init>\"" } else { &member.name };
        let owner =
            if member.class == class.name { String::new() } else { format!("{}.", quoted_array(&member.class)) };
        format!(" {owner}{name}:{}", member.descriptor)
    });
    let mut text = format!("{}: {}{operands}", instruction.bytecode_index, instruction.mnemonic());
    if text.contains("switch") {
        text = text.trim_end().to_owned() + " ";
    }
    (text + &comment).trim_end().to_owned()
}

#[test]
fn the_jdk_reads_the_same() {
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let files = class_files(&jdk, folder.path());
        let mut ours = Vec::new();
        for file in &files {
            let bytes = fs::read(file).unwrap();
            let class = ClassFile::parse(&bytes).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            ours.extend(codes_by_whittle(&class).into_iter().map(|code| (file.clone(), code)));
        }
        let theirs = codes_by_javap(&jdk, &files);
        for ((file, ours), theirs) in ours.iter().zip(&theirs) {
            for (ours, theirs) in ours.iter().zip(theirs) {
                assert_eq!(ours.trim_end(), theirs.trim_end(), "JDK {}: {}", jdk.version, file.display());
            }
            assert_eq!(ours.len(), theirs.len(), "JDK {}: {}: {ours:#?} {theirs:#?}", jdk.version, file.display());
        }
        assert_eq!(ours.len(), theirs.len(), "JDK {}", jdk.version);
        let rows: usize = ours.iter().map(|(_, code)| code.len()).sum();
        eprintln!("JDK {}: {} classes, {} methods, {rows} rows are equal", jdk.version, files.len(), ours.len());
        assert!(files.len() >= CLASS_COUNT && rows > 100_000, "{} classes, {rows} rows", files.len());
    }
}
