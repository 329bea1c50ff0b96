//! Runs the program that changes sources: it uses the trees of the JDK's compiler. Whittle contains the sources of this program,
//! and the JDK compiles them first.

use super::places::EditedSource;
use crate::interleaved::only_owner;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The sources of the program.
const PROGRAM: [(&str, &str); 18] = [
    ("Argument.java", include_str!("../../../../../../java/patch/whittle/patch/Argument.java")),
    ("Changes.java", include_str!("../../../../../../java/patch/whittle/patch/Changes.java")),
    ("Compilation.java", include_str!("../../../../../../java/patch/whittle/patch/Compilation.java")),
    ("Constant.java", include_str!("../../../../../../java/patch/whittle/patch/Constant.java")),
    ("ConstantText.java", include_str!("../../../../../../java/patch/whittle/patch/ConstantText.java")),
    ("DeclaredType.java", include_str!("../../../../../../java/patch/whittle/patch/DeclaredType.java")),
    ("Form.java", include_str!("../../../../../../java/patch/whittle/patch/Form.java")),
    ("Imports.java", include_str!("../../../../../../java/patch/whittle/patch/Imports.java")),
    ("LeftOut.java", include_str!("../../../../../../java/patch/whittle/patch/LeftOut.java")),
    ("NewField.java", include_str!("../../../../../../java/patch/whittle/patch/NewField.java")),
    ("OtherClass.java", include_str!("../../../../../../java/patch/whittle/patch/OtherClass.java")),
    ("Patcher.java", include_str!("../../../../../../java/patch/whittle/patch/Patcher.java")),
    ("PerThread.java", include_str!("../../../../../../java/patch/whittle/patch/PerThread.java")),
    ("Place.java", include_str!("../../../../../../java/patch/whittle/patch/Place.java")),
    ("Refused.java", include_str!("../../../../../../java/patch/whittle/patch/Refused.java")),
    ("Source.java", include_str!("../../../../../../java/patch/whittle/patch/Source.java")),
    ("Text.java", include_str!("../../../../../../java/patch/whittle/patch/Text.java")),
    ("Wrapped.java", include_str!("../../../../../../java/patch/whittle/patch/Wrapped.java")),
];

/// What the program gets.
pub(super) struct Request<'a> {
    pub(super) jdk: PathBuf,
    pub(super) sources: &'a [EditedSource],
    pub(super) class_path: String,
}

/// What the program answers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The changed texts of the sources, in their order.
    pub(super) texts: Vec<String>,
    /// Places that were not changed, in words, and the reasons.
    pub(super) refused: Vec<(String, String)>,
}

impl Request<'_> {
    /// Changes and compiles the sources. The inner error is the reason why there is no patch.
    pub(super) fn answer(&self) -> io::Result<Result<Answer, String>> {
        let folder = tempfile::Builder::new().prefix("whittle-patch-").permissions(only_owner()).tempdir()?;
        if let Err(reason) = self.compile_program(folder.path())? {
            return Ok(Err(reason));
        }
        let request = folder.path().join("request");
        fs::write(&request, self.text(folder.path())?)?;
        let mut java = Command::new(self.jdk.join("bin/java"));
        java.arg("-cp").arg(folder.path().join("program")).arg("whittle.patch.Patcher").arg(&request);
        let output = run(java)?;
        if !output.status.success() {
            return Ok(Err(format!("the change of the sources failed: {}", first_line(&output.stderr))));
        }
        self.read(folder.path(), &String::from_utf8_lossy(&output.stdout))
    }

    fn compile_program(&self, folder: &Path) -> io::Result<Result<(), String>> {
        let sources = folder.join("sources");
        fs::create_dir(&sources)?;
        let mut javac = Command::new(self.jdk.join("bin/javac"));
        javac.args(["-nowarn", "-proc:none", "-encoding", "UTF-8", "-d"]).arg(folder.join("program"));
        for (name, text) in PROGRAM {
            fs::write(sources.join(name), text)?;
            javac.arg(sources.join(name));
        }
        let output = run(javac)?;
        let reason = || {
            let jdk = self.jdk.display();
            format!("the JDK {jdk} is older than 11, or has no compiler: {}", first_line(&output.stderr))
        };
        Ok(if output.status.success() { Ok(()) } else { Err(reason()) })
    }

    /// The lines of the request. The sources are copied, so the program changes no file of the user.
    fn text(&self, folder: &Path) -> io::Result<String> {
        let mut text = format!("classpath\t{}\nfolder\t{}\n", self.class_path, folder.display());
        let mut place = 0;
        for (number, source) in (1..).zip(self.sources) {
            let copy = folder.join(format!("{number}.java"));
            fs::write(&copy, &source.text)?;
            let name = source.path.rsplit('/').next().unwrap_or_default();
            text += &format!("source\t{}\t{name}\n", copy.display());
            for edit in &source.edits {
                place += 1;
                text += &format!("edit\t{place}\t{}\t{}\t{}\n", edit.line, edit.operation, edit.form.join("\t"));
            }
        }
        Ok(text)
    }

    fn read(&self, folder: &Path, answer: &str) -> io::Result<Result<Answer, String>> {
        let places: Vec<&str> =
            self.sources.iter().flat_map(|source| &source.edits).map(|edit| edit.words.as_str()).collect();
        let (mut refused, mut is_compiled) = (Vec::new(), false);
        for line in answer.lines() {
            match line.split('\t').collect::<Vec<_>>()[..] {
                ["refused", number, reason] => {
                    let place = number.parse::<usize>().ok().and_then(|number| places.get(number.checked_sub(1)?));
                    refused.push((place.copied().unwrap_or_default().to_owned(), reason.to_owned()));
                }
                ["unchecked", reason] => {
                    return Ok(Err(format!(
                        "the unchanged source does not compile with the class path that whittle knows: {reason}"
                    )));
                }
                ["broken", reason] => return Ok(Err(format!("the changed source does not compile: {reason}"))),
                ["compiled"] => is_compiled = true,
                _ => {}
            }
        }
        if !is_compiled {
            return Ok(Err("the change of the sources ended without an answer".to_owned()));
        }
        let texts = (1..=self.sources.len()).map(|number| fs::read_to_string(folder.join(format!("{number}.new"))));
        Ok(Ok(Answer { texts: texts.collect::<io::Result<_>>()?, refused }))
    }
}

/// Runs a program of the JDK without options from the environment, such as agents.
fn run(mut command: Command) -> io::Result<Output> {
    command.env_remove("JAVA_TOOL_OPTIONS").env_remove("JDK_JAVAC_OPTIONS").env_remove("JDK_JAVA_OPTIONS").output()
}

fn first_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or("it printed nothing").to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::super::places::Edit;
    use super::*;
    use whittle_testkit::any_jdk;

    /// The comment behind a line names the form and the operation of its edit.
    const PROGRAM_BEFORE: &str = r#"package app;

import java.io.*;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;

/** A program with one place for each form. */
public class Places {
    static final String WORD = "[a-z]+";

    enum Kind { A, B }

    static int count(File file, String text) throws IOException {
        int count = 0;
        try (FileOutputStream out = new FileOutputStream(file)) { // wrap java.io.BufferedOutputStream java.io.OutputStream | new java/io/FileOutputStream
            out.write(text.length());
        }
        LinkedList<String> words = new LinkedList<>(); // instead java.util.ArrayList | new java/util/LinkedList
        words.add(text);
        StringBuffer all = new StringBuffer("x"); // instead java.lang.StringBuilder | new java/lang/StringBuffer
        all.append(words.get(0).replaceAll(WORD + "!", text).replaceAll("x", "y")); // constant | call java/lang/String.replaceAll*2
        count += text.split("[,;]", 2).length; // constant | call java/lang/String.split
        count += text.matches("\\d+") ? 1 : 0; // constant | call java/lang/String.matches
        if (java.util.regex.Pattern.matches("a|b", text.trim())) { // constant | call java/util/regex/Pattern.matches
            count++;
        }
        String day = java.time.format.DateTimeFormatter.ofPattern("uuuu", Locale.ROOT).toString(); // constant | call java/time/format/DateTimeFormatter.ofPattern
        List<String> more = new java.util.ArrayList<>(); // argument 1024 | new java/util/ArrayList
        day += new java.text.SimpleDateFormat("HH:mm").format(0L); // constant | new java/text/SimpleDateFormat
        System.gc(); // leave-out | call java/lang/System.gc
        if (count > 5) System.gc(); // leave-out | call java/lang/System.gc
        count += text.split(text).length; // constant | call java/lang/String.split
        return count + all.length() + more.size() + day.length();
    }
}
"#;

    const PROGRAM_AFTER: &str = r#"package app;

import java.io.*;
import java.text.SimpleDateFormat;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** A program with one place for each form. */
public class Places {
    private static final DateTimeFormatter FORMATTER = DateTimeFormatter.ofPattern("uuuu", Locale.ROOT);
    private static final Pattern PATTERN = Pattern.compile("x");
    private static final Pattern PATTERN_2 = Pattern.compile(Places.WORD + "!");
    private static final Pattern PATTERN_3 = Pattern.compile("[,;]");
    private static final Pattern PATTERN_4 = Pattern.compile("\\d+");
    private static final Pattern PATTERN_5 = Pattern.compile("a|b");
    private static final ThreadLocal<SimpleDateFormat> FORMAT = ThreadLocal.withInitial(() -> new java.text.SimpleDateFormat("HH:mm"));
    static final String WORD = "[a-z]+";

    enum Kind { A, B }

    static int count(File file, String text) throws IOException {
        int count = 0;
        try (OutputStream out = new BufferedOutputStream(new FileOutputStream(file))) {
            out.write(text.length());
        }
        ArrayList<String> words = new ArrayList<>();
        words.add(text);
        StringBuilder all = new StringBuilder("x");
        all.append(PATTERN.matcher(PATTERN_2.matcher(words.get(0)).replaceAll(text)).replaceAll("y"));
        count += PATTERN_3.split(text, 2).length;
        count += PATTERN_4.matcher(text).matches() ? 1 : 0;
        if (PATTERN_5.matcher(text.trim()).matches()) {
            count++;
        }
        String day = FORMATTER.toString();
        List<String> more = new java.util.ArrayList<>(1024);
        day += FORMAT.get().format(0L);
        if (count > 5) { }
        count += text.split(text).length;
        return count + all.length() + more.size() + day.length();
    }
}
"#;

    /// The edits that the comments name, and the text without these comments.
    fn edited(name: &str, text: &str) -> EditedSource {
        let mut edits = Vec::new();
        let mut lines = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let Some((code, comment)) = text.split_once(" // ") else {
                lines.push(text);
                continue;
            };
            lines.push(code);
            let (form, operation) = comment.split_once(" | ").unwrap();
            let (operation, count) = operation.split_once('*').unwrap_or((operation, "1"));
            for _ in 0..count.parse().unwrap() {
                let form = form.split(' ').map(str::to_owned).collect();
                edits.push(Edit { line, operation: operation.to_owned(), form, words: format!("place {line}") });
            }
        }
        EditedSource { path: format!("src/app/{name}"), text: lines.join("\n") + "\n", edits }
    }

    fn answer(name: &str, text: &str) -> Option<Result<Answer, String>> {
        let jdk = any_jdk()?;
        let sources = [edited(name, text)];
        Some(Request { jdk: jdk.home.clone(), sources: &sources, class_path: String::new() }.answer().unwrap())
    }

    #[test]
    fn each_form_gives_a_source_that_compiles() {
        let Some(answer) = answer("Places.java", PROGRAM_BEFORE) else { return };
        let Answer { texts, refused } = answer.unwrap();
        assert_eq!(texts, [PROGRAM_AFTER], "{}", texts[0]);
        let [(place, reason)] = refused.as_slice() else { panic!("{refused:?}") };
        assert_eq!(place, "place 33");
        assert!(reason.starts_with("the argument text is not a constant"), "{reason}");
    }

    #[test]
    fn a_source_that_does_not_compile_has_no_patch() {
        let unknown = "class A { Missing field; }\n";
        let Some(answer) = answer("A.java", unknown) else { return };
        let reason = answer.unwrap_err();
        assert!(
            reason.contains("unchanged source does not compile") && reason.contains("A.java:1: cannot find symbol")
        );
        // The change does not compile, because the method needs the class of the stream.
        let broken = "class A { Object a() throws Exception { return new java.io.FileOutputStream(\"x\").getChannel(); // \
            wrap java.io.BufferedOutputStream java.io.OutputStream | new java/io/FileOutputStream\n} }\n";
        let reason = self::answer("A.java", broken).unwrap().unwrap_err();
        assert!(reason.starts_with("the changed source does not compile: A.java:"), "{reason}");
    }

    #[test]
    fn whittle_has_all_sources_of_the_program() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../java/patch/whittle/patch");
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, PROGRAM.map(|(name, _)| name));
    }
}
