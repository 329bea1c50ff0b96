//! The CPUs of the machine.

use std::fs;

/// The CPUs that are online (`0-3,8` in the kernel's notation).
pub(crate) fn online_cpus() -> Vec<u32> {
    let text = fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    let cpus = parse_cpus(&text);
    if cpus.is_empty() { vec![0] } else { cpus }
}

/// One more than the highest CPU number that the machine can have.
pub(crate) fn possible_cpu_count() -> u32 {
    let text = fs::read_to_string("/sys/devices/system/cpu/possible").unwrap_or_default();
    parse_cpus(&text).into_iter().max().unwrap_or(0) + 1
}

fn parse_cpus(text: &str) -> Vec<u32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse::<u32>().ok()?..=last.parse::<u32>().ok()?.min(1 << 16))
    };
    text.trim().split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cpus_are_ranges_and_numbers() {
        assert_eq!(parse_cpus("0-2,5\n"), [0, 1, 2, 5]);
        assert_eq!(parse_cpus("0"), [0]);
        assert_eq!(parse_cpus(""), [] as [u32; 0]);
        assert!(online_cpus().len() as u32 <= possible_cpu_count());
    }
}
