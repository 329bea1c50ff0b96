//! The demo: a program that writes one byte at a time, before and after its fix, through whittle's eyes.
//!
//! Runs the release build of `whittle` on the workloads `Slow` and `Fixed`, prints every command so that
//! a reader can repeat it, and ends with both programs side by side. It is one run a side, so the words
//! are "looks like". What the programs print is captured: only their rate is shown.

use crate::Result;
use crate::demo_table::{Side, comparison};
use crate::terminal::{fold_command, fold_line, fold_prose};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How long each program starts documents, in seconds: a thousand samples at one every 10 ms.
const RUN_SECONDS: &str = "10";

const CLASS_PATH: &str = "java/workloads/target/whittle-workloads.jar:java/workloads/target/lib/*";

const WRITE: &str = "java.io.FileOutputStream.write(int)";

const EDITED_FILE: &str = "java/workloads/src/main/java/whittle/workloads/crc/slow/ExtOutputStream.java";

const INTRODUCTION: &str = "\
A program writes documents to files: most bytes through a stream of its own, the rest through an HTML
printer, a library. It spends its time in the kernel. Why, who causes it, and what changes after a fix
of one line?";

const NEXT: &str = r#"The experiments are in demo/; the next `make demo` replaces them. Try:

  # from write(int)'s caller one step up; and so on, up to the top
  target/release/whittle callers-callees demo/slow.whittle \
      --fragment 'whittle.workloads.crc.slow.ExtOutputStream.write(int)'

  # below Java: libc and the kernel
  target/release/whittle functions demo/slow.whittle --mode machine

  # one thread only, as a tree
  target/release/whittle call-tree demo/slow.whittle --filter 'thread = "crc-writer"'

and your own program:

  target/release/whittle collect -o first.whittle -- java -jar app.jar"#;

/// Runs the demo in the folder of the workspace.
pub(crate) fn run(root: &Path) -> Result {
    let demo = Demo::new(root);
    println!("{INTRODUCTION}");
    title("1. Collect the slow program");
    let documents_slow = demo.collect("Slow", "demo/slow.whittle")?;
    title("2. What does the experiment hold?");
    demo.show(&["overview", "demo/slow.whittle", "--metrics", "e.cpu,e.cpu%,i.cpu", "--limit", "3"])?;
    let words = Words::for_totals(&demo.json(&["overview", "demo/slow.whittle"])?);
    if let Some(reason) = &words.why_no_split {
        println!("\n{}", fold_prose(reason));
    }
    title(words.functions_title);
    demo.show(&["functions", "demo/slow.whittle", "--metrics", words.function_metrics, "--limit", "5"])?;
    println!("\nThe cost is in writing single bytes.");
    title("4. Who calls write(int)?");
    demo.show(&["callers-callees", "demo/slow.whittle", "--fragment", WRITE, "--metrics", words.caller_metrics])?;
    println!("\nAbove the line with the asterisk: callers. Most of it comes from ExtOutputStream, which is our own.");
    title("5. Change one line, collect again");
    println!("{EDITED_FILE}\n");
    println!("  - out = new FileOutputStream(path.toFile(), true);");
    println!("  + out = new BufferedOutputStream(new FileOutputStream(path.toFile(), true));\n");
    let documents_fixed = demo.collect("Fixed", "demo/fixed.whittle")?;
    demo.show(&["callers-callees", "demo/fixed.whittle", "--fragment", WRITE, "--metrics", words.caller_metrics])?;
    title("6. Side by side");
    let slow = demo.side("demo/slow.whittle", documents_slow)?;
    let fixed = demo.side("demo/fixed.whittle", documents_fixed)?;
    println!("{}", comparison(&slow, &fixed));
    title("Next");
    println!("{NEXT}");
    Ok(())
}

fn title(text: &str) {
    println!("\n\n{text}\n{}\n", "-".repeat(text.chars().count()));
}

/// Which metrics to ask for, and how to talk about them.
struct Words {
    functions_title: &'static str,
    function_metrics: &'static str,
    caller_metrics: &'static str,
    /// Why user and system CPU cannot be told apart here; missing if they can.
    why_no_split: Option<String>,
}

impl Words {
    /// System CPU if the experiment has it, else CPU.
    fn for_totals(overview: &Value) -> Self {
        if overview["totals"]["system_cpu_ns"].is_number() {
            return Self {
                functions_title: "3. Which functions spend system CPU?",
                function_metrics: "e.system_cpu,e.system_cpu%,e.cpu",
                caller_metrics: "a.system_cpu,a.system_cpu%,a.cpu",
                why_no_split: None,
            };
        }
        let reason = overview["why_no_system_cpu"].as_str().unwrap_or_default();
        Self {
            functions_title: "3. Which functions spend CPU?",
            function_metrics: "e.cpu,e.cpu%,i.cpu",
            caller_metrics: "a.cpu,a.cpu%",
            why_no_split: Some(format!("System CPU is not to be had here, so the rest is about CPU. {reason}")),
        }
    }
}

/// The program under demonstration.
struct Demo<'a> {
    root: &'a Path,
    whittle: PathBuf,
}

impl<'a> Demo<'a> {
    fn new(root: &'a Path) -> Self {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
        Self { root, whittle: target.join("release/whittle") }
    }

    /// Collects the workload `class`; what it said about its documents.
    fn collect(&self, class: &str, experiment: &str) -> std::result::Result<Documents, String> {
        let class = format!("whittle.workloads.crc.{class}");
        let collect = ["collect", "--force", "-o", experiment, "--"];
        let java = ["java", "-cp", CLASS_PATH, &class, "--seconds", RUN_SECONDS];
        let arguments = [&collect[..], &java[..]].concat();
        self.print_command(&arguments);
        let printed = self.output(&arguments)?;
        let documents = Documents::parse(&printed).ok_or_else(|| format!("{class} did not print its documents"))?;
        println!("\nThe program printed: {}\n", documents.lines.join(", "));
        Ok(documents)
    }

    /// Prints a view, as the user would see it.
    fn show(&self, arguments: &[&str]) -> Result {
        self.print_command(arguments);
        println!();
        self.output(arguments)?.lines().for_each(|line| println!("{}", fold_line(line)));
        Ok(())
    }

    fn json(&self, arguments: &[&str]) -> std::result::Result<Value, String> {
        let printed = self.output(&[arguments, &["--json"]].concat())?;
        serde_json::from_str(&printed).map_err(|error| format!("whittle {arguments:?}: not JSON: {error}"))
    }

    /// The figures of one experiment.
    fn side(&self, experiment: &str, documents: Documents) -> std::result::Result<Side, String> {
        let totals = self.json(&["overview", experiment])?;
        let metrics = if totals["totals"]["system_cpu_ns"].is_number() { "a.cpu,a.system_cpu" } else { "a.cpu" };
        let write = self.json(&["callers-callees", experiment, "--fragment", WRITE, "--metrics", metrics])?;
        let (totals, write) = (&totals["totals"], &write["inclusive"]);
        Ok(Side {
            documents: documents.count,
            documents_per_second: documents.per_second,
            cpu_ns: totals["cpu_ns"].as_f64().ok_or("the overview has no CPU total")?,
            system_cpu_ns: totals["system_cpu_ns"].as_f64(),
            write_cpu_ns: write["attributed_cpu_ns"].as_f64().ok_or("callers-callees has no CPU total")?,
            write_system_cpu_ns: write["attributed_system_cpu_ns"].as_f64(),
        })
    }

    fn print_command(&self, arguments: &[&str]) {
        let program = self.whittle.to_string_lossy();
        println!("{}", fold_command(&[&[&*program], arguments].concat()));
    }

    /// Runs whittle, which must succeed; its standard output. Its notes go to the terminal.
    fn output(&self, arguments: &[&str]) -> std::result::Result<String, String> {
        let program = self.root.join(&self.whittle);
        let output = Command::new(&program)
            .args(arguments)
            .current_dir(self.root)
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| format!("{}: {error}; run: make demo", program.display()))?;
        if !output.status.success() {
            return Err(format!("whittle {} failed: {}", arguments.join(" "), output.status));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// What a workload said about its documents.
#[derive(Debug, PartialEq)]
struct Documents {
    count: f64,
    per_second: f64,
    /// The lines that say so.
    lines: Vec<String>,
}

impl Documents {
    /// From the lines `documents N seconds S` and, the last of its kind, `rate R documents/s`.
    fn parse(printed: &str) -> Option<Self> {
        let documents = printed.lines().find(|line| line.starts_with("documents "))?;
        let rate = printed.lines().rfind(|line| line.starts_with("rate "))?;
        let number = |line: &str| line.split(' ').nth(1)?.parse().ok();
        Some(Self {
            count: number(documents)?,
            per_second: number(rate)?,
            lines: vec![documents.to_owned(), rate.to_owned()],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_of_the_whole_run_is_the_last_one() {
        let printed = "rate 14.0 documents/s\nrate 20.4 documents/s\ndocuments 183 seconds 10.0\nrate 18.3 documents/s\ncalls 5\n";
        let documents = Documents::parse(printed).expect("complete");
        assert_eq!((documents.count, documents.per_second), (183.0, 18.3));
        assert_eq!(documents.lines, ["documents 183 seconds 10.0", "rate 18.3 documents/s"]);
        assert_eq!(Documents::parse("rate 1.0 documents/s\n"), None);
    }
}
