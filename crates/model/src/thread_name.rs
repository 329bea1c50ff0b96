//! Numbers in names of threads. The names of a pool's threads differ only in a number: `pool-3-thread-7`.

/// The end of the name of a row for waits of virtual threads that keep their carriers: `booking-# (pinned)`. The kernel counts these waits
/// for the carriers.
pub const PINNED: &str = " (pinned)";

/// Whether a thread with this name may be a carrier of virtual threads: a thread of a fork/join pool. The pool's number depends on the
/// program.
pub fn may_be_carrier(name: &str) -> bool {
    name.starts_with("ForkJoinPool-") && name.contains("-worker-")
}

/// The end of a row's name if the row represents several threads: `task-# (1200 threads)`.
const THREADS: &str = " threads)";

/// A thread's name with `#` for each number: `pool-#-thread-#`. A `#` before a number is part of the number: `GC Thread#`
/// for `GC Thread#3`.
pub fn without_numbers(name: &str) -> String {
    with_numbers_replaced(name, |_| true)
}

/// A thread's name with `#` for some of its numbers. The numbers are counted from 0.
pub fn with_numbers_replaced(name: &str, is_replaced: impl Fn(usize) -> bool) -> String {
    let mut replaced = String::with_capacity(name.len());
    let mut rest = name;
    for (position, number) in numbers(name).enumerate() {
        let start = rest.find(number).unwrap_or(0);
        replaced.push_str(&rest[..start]);
        rest = &rest[start + number.len()..];
        if !is_replaced(position) {
            replaced.push_str(number);
        } else if !replaced.ends_with('#') {
            replaced.push('#');
        }
    }
    replaced + rest
}

/// The numbers in a thread's name, in their order.
pub fn numbers(name: &str) -> impl Iterator<Item = &str> {
    name.split(|letter: char| !letter.is_ascii_digit()).filter(|number| !number.is_empty())
}

/// The name of a row that represents several threads. `label` is their name without numbers.
pub fn name_of_several(label: &str, threads_count: u64) -> String {
    format!("{label} ({threads_count}{THREADS}")
}

/// The parts of [`name_of_several`]: the name without numbers, and the number of threads. `None`: the row represents one
/// thread.
pub fn several_of_name(name: &str) -> Option<(&str, u64)> {
    let (label, count) = name.strip_suffix(THREADS)?.rsplit_once(" (")?;
    count.parse().ok().filter(|count| *count > 1).map(|count| (label, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_replaced() {
        assert_eq!(without_numbers("pool-1-thread-17"), "pool-#-thread-#");
        assert_eq!(without_numbers("GC Thread#0"), "GC Thread#");
        assert_eq!(without_numbers("7"), "#");
        assert_eq!(without_numbers("größe 12 %"), "größe # %");
        assert_eq!(without_numbers("main"), "main");
        assert_eq!(with_numbers_replaced("a-11-b-1-c", |position| position == 1), "a-11-b-#-c");
        assert_eq!(numbers("http-nio-8080-exec-12").collect::<Vec<_>>(), ["8080", "12"]);
    }

    #[test]
    fn a_row_of_several_threads_has_their_number() {
        let name = name_of_several("task-#", 1200);
        assert_eq!(name, "task-# (1200 threads)");
        assert_eq!(several_of_name(&name), Some(("task-#", 1200)));
        for other in ["task-# (threads)", "task (1 threads)", "task", " threads)", "x (-3 threads)"] {
            assert_eq!(several_of_name(other), None, "{other}");
        }
    }
}
