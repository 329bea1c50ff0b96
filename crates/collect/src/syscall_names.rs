//! System calls by number: names, and facts for the accounts.
//!
//! The facts are in `system_calls.tsv`. The file has one line per system call, with its numbers on both architectures,
//! for all calls of Linux 6.19. A newer call is named `syscall_NNN` and has no facts.
//!
//! | column | values |
//! |---|---|
//! | first argument | `descriptor`: the call works on the descriptor's file |
//! | result | `bytes`: a positive result is a count of bytes moved through a descriptor, a queue or between processes |
//! | waits for | why a thread is blocked in the call; `descriptor`: the reason depends on the descriptor's file |
//!
//! Calls with a path (`openat`) work on the path's file, not on the folder in their first argument. But C libraries
//! call `newfstatat` with an empty path for the attributes of an open file. Only data is counted as bytes. Names of a
//! folder's files (`getdents64`), links, attributes and random numbers are not data.

use std::sync::LazyLock;
use whittle_model::WaitReason;

const TABLE: &str = include_str!("system_calls.tsv");

#[cfg(target_arch = "x86_64")]
const NUMBER_COLUMN: usize = X86_64_COLUMN;
#[cfg(target_arch = "aarch64")]
const NUMBER_COLUMN: usize = AARCH64_COLUMN;

#[cfg(any(target_arch = "x86_64", test))]
const X86_64_COLUMN: usize = 1;
#[cfg(any(target_arch = "aarch64", test))]
const AARCH64_COLUMN: usize = 2;
const COLUMN_COUNT: usize = 6;

/// The facts about a system call for the accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Why a thread is blocked in the call. `None`: this depends on the file of the call's descriptor.
    pub(crate) wait: WaitReason,
    /// True if the first argument is the descriptor of the file that the call works on.
    pub(crate) has_descriptor: bool,
    /// True if a positive result is a number of moved bytes.
    pub(crate) moves_bytes: bool,
}

impl Facts {
    /// The facts of an unknown call.
    const UNKNOWN: Self = Self { wait: WaitReason::Other, has_descriptor: false, moves_bytes: false };
}

/// A system call of the architecture that this program was built for.
#[derive(Debug, Clone, Copy)]
struct Call {
    name: &'static str,
    facts: Facts,
}

/// The calls by number.
static CALLS: LazyLock<Vec<Option<Call>>> = LazyLock::new(|| calls(NUMBER_COLUMN));

/// The call's name, for example `write`.
pub(crate) fn name(number: u32) -> String {
    call(number).map_or_else(|| format!("syscall_{number}"), |call| call.name.to_owned())
}

/// The facts about the call.
pub(crate) fn facts(number: u32) -> Facts {
    call(number).map_or(Facts::UNKNOWN, |call| call.facts)
}

fn call(number: u32) -> Option<&'static Call> {
    CALLS.get(usize::try_from(number).ok()?)?.as_ref()
}

fn calls(number_column: usize) -> Vec<Option<Call>> {
    let mut calls = Vec::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&'static str> = line.split('\t').collect();
        let Ok([name, _, _, argument, result, wait]) = <[_; COLUMN_COUNT]>::try_from(columns.as_slice()) else {
            continue;
        };
        let Ok(number) = columns[number_column].parse::<usize>() else { continue };
        let facts =
            Facts { wait: wait_reason(wait), has_descriptor: argument == "descriptor", moves_bytes: result == "bytes" };
        calls.resize(calls.len().max(number + 1), None);
        calls[number] = Some(Call { name, facts });
    }
    calls
}

fn wait_reason(text: &str) -> WaitReason {
    if text == "descriptor" { WaitReason::None } else { WaitReason::from_name(text).unwrap_or(WaitReason::Other) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn every_line_of_the_table_is_understood() {
        let mut names = BTreeSet::new();
        let mut numbers = BTreeSet::new();
        for line in TABLE.lines().skip(1) {
            let columns: Vec<&str> = line.split('\t').collect();
            assert_eq!(columns.len(), COLUMN_COUNT, "{line}");
            assert!(names.insert(columns[0]), "{line}");
            for (architecture, column) in [X86_64_COLUMN, AARCH64_COLUMN].into_iter().enumerate() {
                let number = columns[column];
                let is_new = number == "-" || numbers.insert((architecture, number.parse::<u32>().unwrap()));
                assert!(is_new, "{line}");
            }
            assert!(columns[1..3].iter().any(|number| *number != "-"), "{line}");
            assert!(["descriptor", "-"].contains(&columns[3]) && ["bytes", "-"].contains(&columns[4]), "{line}");
            let waits = ["descriptor", "futex", "sleep", "poll", "file", "other"];
            assert!(waits.contains(&columns[5]), "{line}");
            assert!(columns[5] != "descriptor" || columns[3] == "descriptor", "{line}: no descriptor to depend on");
        }
        assert!(names.len() > 380, "{}", names.len());
    }

    #[test]
    fn well_known_calls_on_both_architectures() {
        let facts = |wait, has_descriptor, moves_bytes| Facts { wait, has_descriptor, moves_bytes };
        for (name, x86_64, aarch64, expected) in [
            ("read", 0, 63, facts(WaitReason::None, true, true)),
            ("sendto", 44, 206, facts(WaitReason::None, true, true)),
            ("fsync", 74, 82, facts(WaitReason::None, true, false)),
            ("openat", 257, 56, facts(WaitReason::File, false, false)),
            ("futex", 202, 98, facts(WaitReason::Futex, false, false)),
            ("clock_nanosleep", 230, 115, facts(WaitReason::Sleep, false, false)),
            ("ppoll", 271, 73, facts(WaitReason::Poll, false, false)),
            ("epoll_pwait", 281, 22, facts(WaitReason::Poll, true, false)),
            ("getdents64", 217, 61, facts(WaitReason::None, true, false)),
            ("mmap", 9, 222, facts(WaitReason::Other, false, false)),
            ("cachestat", 451, 451, facts(WaitReason::None, true, false)),
        ] {
            for (column, number) in [(X86_64_COLUMN, x86_64), (AARCH64_COLUMN, aarch64)] {
                let call = calls(column)[number].unwrap();
                assert_eq!((call.name, call.facts), (name, expected), "{number}");
            }
        }
    }

    #[test]
    fn an_unknown_call_has_a_name_and_no_facts() {
        for number in [9999, u32::MAX] {
            assert_eq!(name(number), format!("syscall_{number}"));
            assert_eq!(facts(number), Facts::UNKNOWN);
        }
        // No call ever had these numbers.
        assert_eq!(name(400), "syscall_400");
    }

    /// Names and numbers in lines such as `#define __NR_read 0` of one of the kernel's headers.
    fn defined_in(paths: &[&str]) -> Option<BTreeMap<u32, String>> {
        let text = paths.iter().find_map(|path| std::fs::read_to_string(path).ok());
        let Some(text) = text else {
            whittle_testkit::not_run(&format!("needs the kernel's headers: {}", paths.join(" or ")));
            return None;
        };
        let definition = |line: &str| {
            let (name, number) = line.strip_prefix("#define __NR")?.split_once(|c: char| c.is_whitespace())?;
            let name = name.strip_prefix('_').or_else(|| name.strip_prefix("3264_"))?;
            Some((number.trim().parse().ok()?, name.to_owned()))
        };
        Some(text.lines().filter_map(definition).collect())
    }

    #[test]
    fn no_call_of_this_machines_headers_is_missing() {
        let x86_64 = ["/usr/include/asm/unistd_64.h", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"];
        for (number, name) in defined_in(&x86_64).into_iter().flatten() {
            let known = calls(X86_64_COLUMN).get(number as usize).copied().flatten().map(|call| call.name);
            assert_eq!(known, Some(name.as_str()), "{number}");
        }
        // arm64 uses the generic list, without the calls of 32-bit architectures.
        let is_other = |name: &str| name.ends_with("time64") || ["arch_specific_syscall", "syscalls"].contains(&name);
        for (number, name) in defined_in(&["/usr/include/asm-generic/unistd.h"]).into_iter().flatten() {
            let is_of_32_bits = (403..424).contains(&number) || is_other(&name);
            let expected = if name == "fstatat" { "newfstatat" } else { name.as_str() };
            let known = calls(AARCH64_COLUMN).get(number as usize).copied().flatten().map(|call| call.name);
            assert!(is_of_32_bits || known == Some(expected), "{number}: {name}, {known:?}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_numbers_are_those_of_this_machines_c_library() {
        for (number, expected) in [(libc::SYS_write, "write"), (libc::SYS_futex, "futex"), (libc::SYS_statx, "statx")] {
            assert_eq!(name(number as u32), expected);
        }
    }
}
