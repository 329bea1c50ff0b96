//! Checks that the program accepts every `whittle` command line in the pages.
//!
//! In code blocks, reads the lines that start with `whittle` or `$ whittle`, including lines that continue after a
//! backslash. Runs each command with `--help` added. The program then only checks all arguments, and fails if an
//! argument is wrong. In blocks marked `console`, only lines that start with `$ ` are commands. The other lines are
//! output.

use crate::Result;
use crate::shell_words::shell_words;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Pages and folders of pages, from the workspace's folder.
const PAGES: [&str; 6] = ["README.md", "CONTRIBUTING.md", "bench", "docs/user", "docs/user/cases", "docs/developer"];

/// Runs all examples. The program must be built.
pub(crate) fn check(root: &Path) -> Result {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let program = target.join("debug/whittle");
    let mut count = 0;
    let mut wrong = Vec::new();
    for page in pages(root) {
        let text = fs::read_to_string(&page).map_err(|error| format!("{}: {error}", page.display()))?;
        for line in command_lines(&text) {
            count += 1;
            if let Some(problem) = problem_with(&program, &line)? {
                wrong.push(format!("{}: {line}\n{problem}", page.display()));
            }
        }
    }
    if wrong.is_empty() {
        println!("examples: the program accepts all {count} command lines in the pages");
        return Ok(());
    }
    Err(wrong.join("\n"))
}

fn pages(root: &Path) -> Vec<PathBuf> {
    let expand = |path: PathBuf| match fs::read_dir(&path) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
        Err(_) => vec![path],
    };
    let mut pages: Vec<PathBuf> = PAGES.iter().flat_map(|page| expand(root.join(page))).collect();
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    pages
}

/// The command lines in a page's code blocks, including indented blocks.
fn command_lines(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut is_fenced, mut has_output) = (false, false);
    let joined = page.replace("\\\n", " ");
    for line in joined.lines() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
            has_output = line.ends_with("console");
        } else if has_output && !line.starts_with("$ ") {
            continue;
        } else if is_fenced || line.starts_with("    ") {
            let command = line.trim_start().trim_start_matches("$ ").trim_start_matches("target/release/");
            if command.starts_with("whittle ") {
                found.push(command.split(" | ").next().unwrap_or(command).to_owned());
            }
        }
    }
    found
}

/// The program's error for a command line.
fn problem_with(program: &Path, line: &str) -> std::result::Result<Option<String>, String> {
    let words = shell_words(line.split(" #").next().unwrap_or(line));
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let output = Command::new(program).args(&words[1..end]).arg("--help").output();
    let output = output.map_err(|error| format!("{}: {error}; run: cargo build", program.display()))?;
    let problem = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok((!output.status.success()).then_some(problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_in_code_blocks_only() {
        let page =
            "whittle is a word\n```sh\n$ whittle a \\\n    --b c\noutput\n```\nwhittle again\n\n    whittle d | head\n";
        let lines = command_lines(page);
        assert_eq!(
            lines.iter().map(|line| shell_words(line)).collect::<Vec<_>>(),
            [vec!["whittle", "a", "--b", "c"], vec!["whittle", "d"]]
        );
    }

    #[test]
    fn output_is_no_command() {
        let page = "```console\n$ whittle a\nwhittle says b\n    whittle c\n```\n\n    whittle d\n";
        assert_eq!(command_lines(page), ["whittle a", "whittle d"]);
    }
}
