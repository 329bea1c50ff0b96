//! `whittle source` on programs with known cost. It must show this cost at the right line, bytecode and machine code.

use crate::support::tables::may_use_kernel_engine;
use crate::support::{SLOW, Workspace, number, row};
use serde_json::Value;
use std::path::{Path, PathBuf};
use whittle_testkit::{Jdk, jdks, native_workload};

const EXT_WRITE: &str = "whittle.workloads.crc.slow.ExtOutputStream.write(int)";

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../java/workloads/src/main/java").canonicalize().unwrap()
}

/// An experiment of case 1. Its classes are loaded from a copy of the jar outside of the project's folder.
fn slow_experiment(jdk: &Jdk) -> Workspace {
    let workspace = Workspace::new();
    let target = sources().join("../../../target");
    let (jar, library) = (workspace.path("app.jar"), workspace.path("jtidy.jar"));
    std::fs::copy(target.join("whittle-workloads.jar"), &jar).unwrap();
    std::fs::copy(target.join("lib/jtidy-4aug2000r7-dev.jar"), &library).unwrap();
    let class_path = format!("{}:{}", jar.display(), library.display());
    let java = jdk.java();
    let command = ["collect", "-q", "-o", "slow.whittle", "--", java.to_str().unwrap(), "-cp", &class_path];
    workspace.text(&[&command[..], &[SLOW, "--seconds", "5"]].concat());
    workspace
}

fn exclusive_cpu(values: &Value) -> f64 {
    values["exclusive_cpu_ns"].as_f64().unwrap_or(0.0)
}

fn inclusive_cpu(values: &Value) -> f64 {
    values["inclusive_cpu_ns"].as_f64().unwrap_or(0.0)
}

fn rows(listing: &Value) -> &[Value] {
    listing["rows"].as_array().unwrap()
}

fn only_listing<'v>(view: &'v Value, kind: &str) -> &'v Value {
    let listings = view["listings"].as_array().unwrap();
    let found: Vec<&Value> = listings.iter().filter(|listing| listing["kind"] == kind).collect();
    assert_eq!(found.len(), 1, "{kind} in {listings:?}");
    found[0]
}

/// Asserts that the exclusive values of a listing's rows add up to its functions' exclusive values in the view
/// `functions`.
fn assert_adds_up(workspace: &Workspace, experiment: &str, listing: &Value) {
    let of_rows: f64 = rows(listing).iter().map(exclusive_cpu).sum();
    let functions = workspace.json(&["functions", experiment, "--metrics", "e.cpu"]);
    let listed = listing["functions"].as_array().unwrap().iter();
    let names = functions["rows"].as_array().unwrap();
    let of_functions: f64 = listed
        .map(|listed| names.iter().find(|row| row["function"] == listed["function"]).map_or(0.0, exclusive_cpu))
        .sum();
    assert_eq!(of_rows, exclusive_cpu(&listing["values"]));
    assert_eq!(of_rows, of_functions, "{}", listing["functions"]);
}

#[test]
fn the_line_of_the_write_has_the_cost() {
    for jdk in jdks() {
        let workspace = slow_experiment(&jdk);
        let sources = sources();
        let options = ["--source-path", sources.to_str().unwrap(), "--metrics", "cpu"];
        let view = workspace.json(&[&["source", "slow.whittle", EXT_WRITE], &options[..]].concat());
        let listing = only_listing(&view, "java_source");
        let path = listing["path"].as_str().unwrap();
        assert!(path.ends_with("whittle/workloads/crc/slow/ExtOutputStream.java"), "JDK {}: {path}", jdk.version);
        let text = std::fs::read_to_string(path).unwrap();
        let line = 1 + text.lines().position(|line| line.trim() == "out.write(b);").unwrap();
        let of_line = &rows(listing)[line - 1];
        assert_eq!(
            (of_line["line"].as_u64(), of_line["text"].as_str().map(str::trim)),
            (Some(line as u64), Some("out.write(b);"))
        );
        let whole = inclusive_cpu(&view["values"]);
        eprintln!("JDK {}: line {line} has {:.4} of {whole} ns", jdk.version, inclusive_cpu(of_line) / whole);
        assert!(inclusive_cpu(of_line) > 0.9 * whole && whole > 1e8, "JDK {}: {of_line}", jdk.version);
        assert_adds_up(&workspace, "slow.whittle", listing);
        let text = workspace.text(&[&["source", "slow.whittle", EXT_WRITE], &options[..]].concat());
        assert!(text.contains("out.write(b);") && text.contains("write(int b)"), "{text}");
    }
}

#[test]
fn without_source_the_call_in_the_bytecode_has_the_cost() {
    for jdk in jdks() {
        let workspace = slow_experiment(&jdk);
        let view = workspace.json(&["source", "slow.whittle", EXT_WRITE, "--metrics", "cpu"]);
        let listing = only_listing(&view, "bytecode");
        let why = listing["why"].as_str().unwrap();
        assert!(why.starts_with("source not found: ") && why.contains("add --source-path"), "{why}");
        assert!(why.contains("app.jar"), "JDK {}: {why}", jdk.version);
        let best = rows(listing).iter().max_by(|a, b| inclusive_cpu(a).total_cmp(&inclusive_cpu(b))).unwrap();
        let text = best["text"].as_str().unwrap();
        assert!(text.starts_with("invoke") && text.ends_with("write:(I)V"), "JDK {}: {best}", jdk.version);
        assert!(inclusive_cpu(best) > 0.9 * inclusive_cpu(&view["values"]), "JDK {}: {best}", jdk.version);
        assert!(best["bytecode_index"].is_u64() && best["line"].is_u64(), "{best}");
        assert_adds_up(&workspace, "slow.whittle", listing);
        // The JDK contains its sources. Whittle finds the JDK through the program's command.
        let name = "java.io.FileOutputStream.write(int)";
        let view = workspace.json(&["source", "slow.whittle", name, "--metrics", "cpu"]);
        let listing = &view["listings"][0];
        assert_adds_up(&workspace, "slow.whittle", listing);
        if jdk.home.join("lib/src.zip").exists() {
            assert_eq!(listing["kind"], "java_source", "{}", listing["why"]);
            let path = listing["path"].as_str().unwrap();
            assert!(path.ends_with("src.zip!/java.base/java/io/FileOutputStream.java"), "{path}");
            // The listing also has the cost of the native method that this method calls. The native method has no
            // lines.
            let lines = rows(listing).iter().filter(|row| row["kind"] == "source");
            let best = lines.max_by(|a, b| inclusive_cpu(a).total_cmp(&inclusive_cpu(b))).unwrap();
            assert!(best["text"].as_str().unwrap().contains("write("), "JDK {}: {best}", jdk.version);
        }
    }
}

#[test]
fn native_functions_show_source_and_machine_code() {
    if !may_use_kernel_engine() {
        return;
    }
    let workspace = Workspace::new();
    workspace.collect_native(&["-q", "-o", "a.whittle", "--interval", "1ms"], "spin_two_callers", &["--seconds", "3"]);
    let view = workspace.json(&["source", "a.whittle", "steps_from", "--metrics", "cpu"]);
    let source = only_listing(&view, "native_source");
    assert!(source["path"].as_str().unwrap().ends_with("native/workloads/clocks.h"), "{}", source["path"]);
    assert_adds_up(&workspace, "a.whittle", source);
    let whole = exclusive_cpu(&view["values"]);
    let of_function = row(&workspace.json(&["functions", "a.whittle"]), "steps_from").clone();
    assert_eq!(whole, number(&of_function["exclusive_cpu_ns"]));
    let loop_rows: Vec<&Value> = rows(source).iter().filter(|row| exclusive_cpu(row) > 0.05 * whole).collect();
    // The CPU determines how the cost is divided among the loop's lines, including its head.
    let is_of_loop = |text: &str| text.contains("x ") || text.contains("i < steps");
    assert!(!loop_rows.is_empty());
    assert!(loop_rows.iter().all(|row| is_of_loop(row["text"].as_str().unwrap())), "{loop_rows:?}");

    // `steps_from` was inlined into the function without a frame. The machine code of that function has the whole cost.
    let machine = only_listing(&view, "disassembly");
    assert_eq!(machine["functions"][0]["function"], "leaf");
    assert!(
        machine["why"].as_str().unwrap().contains("this is the code of leaf: the compiler inlined steps_from into it"),
        "{}",
        machine["why"]
    );
    let of_rows: f64 = rows(machine).iter().map(exclusive_cpu).sum();
    assert_eq!(of_rows, exclusive_cpu(&machine["values"]));
    assert!(of_rows >= whole, "{of_rows} of {whole}");
    let placed: f64 = rows(machine).iter().filter(|row| row["kind"] != "unplaced").map(exclusive_cpu).sum();
    assert!(placed > 0.95 * of_rows, "{placed} of {of_rows}");
    assert_instructions_are_those_of_objdump(machine, &native_workload("spin_two_callers"));
}

/// Compares addresses and names of instructions with objdump's output. Operands are not compared, because objdump
/// writes them slightly differently.
fn assert_instructions_are_those_of_objdump(listing: &Value, program: &Path) {
    let Ok(output) =
        std::process::Command::new("objdump").args(["-d", "-M", "intel", "--no-show-raw-insn"]).arg(program).output()
    else {
        return whittle_testkit::not_run("needs objdump");
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let function = text.split("\n\n").find(|part| part.contains("<leaf>:")).unwrap();
    let theirs: Vec<(String, String)> = function
        .lines()
        .filter_map(|line| line.trim().split_once(":\t"))
        .map(|(address, text)| (address.to_owned(), first_word(text)))
        .collect();
    let ours: Vec<(String, String)> = rows(listing)
        .iter()
        .filter(|row| row["kind"] == "instruction")
        .map(|row| (format!("{:x}", row["address"].as_u64().unwrap()), first_word(row["text"].as_str().unwrap())))
        .collect();
    assert_eq!(ours, theirs[..ours.len().min(theirs.len())]);
    assert!(ours.len() > 5, "{ours:?}");
}

fn first_word(text: &str) -> String {
    text.split_whitespace().next().unwrap_or_default().to_owned()
}

#[test]
fn another_build_of_the_program_is_refused() {
    if !may_use_kernel_engine() {
        return;
    }
    let workspace = Workspace::new();
    let copy = workspace.path("spin_two_callers");
    std::fs::copy(native_workload("spin_two_callers"), &copy).unwrap();
    let launch = ["collect", "-q", "-o", "a.whittle", "--", copy.to_str().unwrap(), "--seconds", "1"];
    workspace.text(&launch);
    std::fs::copy(native_workload("lister"), &copy).unwrap();
    let view = workspace.json(&["source", "a.whittle", "leaf"]);
    let listings = view["listings"].as_array().unwrap();
    assert!(listings.iter().all(|listing| listing["kind"] != "disassembly"), "{listings:?}");
    let said = workspace.text(&["source", "a.whittle", "main"]);
    assert!(said.contains("it has another build id") || said.contains("Source file"), "{said}");
}
