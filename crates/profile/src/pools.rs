//! Pools: threads of one process and class with names that differ in one number.
//!
//! ```text
//! http-nio-8080-exec-1, http-nio-8080-exec-2      http-nio-8080-exec-#
//! pool-3-thread-1, pool-3-thread-2                pool-3-thread-#         the pool has a number of its own
//! listener#0-0-C-1, listener#0-1-C-1              listener#0-#-C-1        the last number is always the same
//! worker, worker                                  worker                  equal names
//! pool-7-thread-1, main                           no pool                 a pool has at least two threads
//! ```
//!
//! If many pools have names that differ only in numbers, they are one pool. So a program that creates a pool for each
//! task has one row: `pool-#-thread-#`.

use crate::order::sort_by_key;
use crate::temporary_names;
use whittle_model::thread_name::{numbers, several_of_name, with_numbers_replaced, without_numbers};
use whittle_model::{Table, ThreadTable};

/// Maximum number of pools and single threads with names that differ only in numbers. If there are more, they are one
/// pool. About as many rows fit on a screen.
const MOST_ALIKE: usize = 32;

/// Only this many numbers at the end of a name are tried as the number of the thread. A hostile program can have names with
/// any number of numbers.
const MOST_POSITIONS: usize = 8;

/// A pool of threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pool {
    /// The name of its threads, with `#` for the numbers that differ. Two processes can have pools with the same name.
    pub name: String,
    /// Rows of the threads table, in ascending order.
    pub threads: Vec<usize>,
}

/// The pools of an experiment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pools {
    pools: Vec<Pool>,
    /// The pool of each thread. A thread that is in no pool has a number of its own, after those of the pools.
    group_of_thread: Vec<usize>,
    groups_count: usize,
}

impl Pools {
    /// The pools of one experiment. Threads without a name, threads of an unknown process, and the main thread of a
    /// process are in no pool.
    pub fn new(table: &ThreadTable) -> Self {
        let shapes = shapes(table, without_numbers);
        let kind = |thread: &usize| (table.process_id[*thread], table.class[*thread], shapes[*thread].as_str());
        let mut threads: Vec<usize> = (0..table.len()).filter(|thread| can_be_in_pool(table, *thread)).collect();
        sort_by_key(&mut threads, kind);
        let mut pools = Vec::new();
        for alike in threads.chunk_by(|a, b| kind(a) == kind(b)) {
            pools_of_shape(&table.name, &shapes[alike[0]], alike, &mut pools);
        }
        Self::of_pools(pools, table.len())
    }

    /// The pools of a comparison. Runs number their threads differently, so all threads with names that differ only in
    /// numbers, UUIDs and hashes are a pool, also a single thread.
    pub fn of_comparison(table: &ThreadTable) -> Self {
        let shapes = shapes(table, temporary_names::of_thread);
        let kind = |thread: &usize| (shapes[*thread].as_str(), table.class[*thread].is_jvm());
        let mut threads: Vec<usize> = (0..table.len()).collect();
        sort_by_key(&mut threads, kind);
        let alike = threads.chunk_by(|a, b| kind(a) == kind(b));
        let pool = |threads: &[usize]| Pool { name: shapes[threads[0]].clone(), threads: threads.to_vec() };
        Self::of_pools(alike.map(pool).collect(), table.len())
    }

    fn of_pools(mut pools: Vec<Pool>, threads_count: usize) -> Self {
        sort_by_key(&mut pools, |pool| pool.threads.first().copied());
        let mut group_of_thread = vec![usize::MAX; threads_count];
        for (index, pool) in pools.iter().enumerate() {
            pool.threads.iter().for_each(|thread| group_of_thread[*thread] = index);
        }
        let mut groups_count = pools.len();
        for group in group_of_thread.iter_mut().filter(|group| **group == usize::MAX) {
            *group = groups_count;
            groups_count += 1;
        }
        Self { pools, group_of_thread, groups_count }
    }

    /// The pool of a thread. `None`: the thread is in no pool.
    pub fn of_thread(&self, thread: usize) -> Option<&Pool> {
        self.pools.get(self.group_of_thread[thread])
    }

    /// A number for the thread's pool, or for the thread if it is in no pool. It is less than
    /// [`groups_count`](Self::groups_count).
    pub fn group_of_thread(&self, thread: usize) -> usize {
        self.group_of_thread[thread]
    }

    /// The number of pools and of threads that are in no pool.
    pub fn groups_count(&self) -> usize {
        self.groups_count
    }

    /// All pools.
    pub fn iter(&self) -> std::slice::Iter<'_, Pool> {
        self.pools.iter()
    }
}

/// The number of threads that rows of the threads table represent.
pub fn threads_count(table: &ThreadTable, threads: &[usize]) -> u64 {
    threads.iter().map(|thread| several_of_name(&table.name[*thread]).map_or(1, |(_, count)| count)).sum()
}

/// The name of each thread without the parts that `without` removes.
fn shapes(table: &ThreadTable, without: fn(&str) -> String) -> Vec<String> {
    let label = |name: &'_ String| without(several_of_name(name).map_or(name, |(label, _)| label));
    table.name.iter().map(label).collect()
}

fn can_be_in_pool(table: &ThreadTable, thread: usize) -> bool {
    let process = table.process_id[thread];
    // A row for several threads of several processes has no process.
    let is_known = process.is_some() || several_of_name(&table.name[thread]).is_some();
    let is_main = process.is_some() && process == table.thread_id[thread];
    is_known && !is_main && !table.name[thread].is_empty()
}

/// Finds the pools of threads with names that differ only in numbers. `shape` is their name without numbers.
fn pools_of_shape(names: &[String], shape: &str, threads: &[usize], pools: &mut Vec<Pool>) {
    let is_several = |thread: &usize| several_of_name(&names[*thread]).is_some();
    let (mut several, mut open): (Vec<usize>, Vec<usize>) = threads.iter().partition(|thread| is_several(thread));
    let numbers_count = open.iter().map(|thread| numbers(&names[*thread]).count()).max().unwrap_or(0);
    let mut groups = Vec::new();
    // The last number is usually the thread's number in its pool.
    for position in (0..numbers_count.max(1)).rev().take(MOST_POSITIONS) {
        if !is_part_of_word(&names[threads[0]], position) {
            open = group_by_number(names, position, open, &mut groups);
        }
    }
    if groups.len() + open.len() > MOST_ALIKE {
        groups = vec![threads.to_vec()];
    } else if !several.is_empty() {
        several.append(&mut open);
        groups.push(several);
    }
    let first_pool = pools.len();
    for mut threads in groups {
        let name = if threads.iter().any(is_several) { shape.to_owned() } else { common_name(names, &threads) };
        match pools[first_pool..].iter_mut().find(|pool| pool.name == name) {
            Some(pool) => pool.threads.append(&mut threads),
            None => pools.push(Pool { name, threads }),
        }
    }
    pools[first_pool..].iter_mut().for_each(|pool| sort_by_key(&mut pool.threads, |thread| *thread));
}

/// True if the number at a position follows a letter inside a name, as in `C2 CompilerThread0`. Such a number does not
/// count threads. At the end of a name, it does.
fn is_part_of_word(name: &str, position: usize) -> bool {
    let (mut before, mut rest) = (None, name);
    for number in numbers(name).take(position + 1) {
        let start = rest.find(number).unwrap_or(0);
        before = rest[..start].chars().next_back();
        rest = &rest[start + number.len()..];
    }
    before.is_some_and(char::is_alphabetic) && !rest.is_empty()
}

/// Adds groups of at least two threads with equal numbers, except for the number at one position. Returns all other
/// threads.
fn group_by_number(names: &[String], position: usize, threads: Vec<usize>, groups: &mut Vec<Vec<usize>>) -> Vec<usize> {
    let other_numbers = |thread: &usize| {
        let numbers = numbers(&names[*thread]).enumerate();
        numbers.filter(|(other, _)| *other != position).map(|(_, number)| number).collect::<Vec<_>>()
    };
    let mut threads: Vec<(Vec<&str>, usize)> =
        threads.into_iter().map(|thread| (other_numbers(&thread), thread)).collect();
    sort_by_key(&mut threads, |(numbers, thread)| (numbers.clone(), *thread));
    let mut single = Vec::new();
    for alike in threads.chunk_by(|a, b| a.0 == b.0) {
        let alike: Vec<usize> = alike.iter().map(|(_, thread)| *thread).collect();
        if alike.len() > 1 { groups.push(alike) } else { single.extend(alike) }
    }
    single
}

/// The name of threads with names that differ only in numbers, with `#` for each number that differs.
fn common_name(names: &[String], threads: &[usize]) -> String {
    let first = &names[threads[0]];
    let of_first: Vec<&str> = numbers(first).collect();
    let mut differs = vec![false; of_first.len()];
    for thread in threads {
        let numbers = numbers(&names[*thread]).zip(&of_first);
        numbers.zip(&mut differs).for_each(|((number, first), differs)| *differs |= number != *first);
    }
    with_numbers_replaced(first, |position| differs[position])
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::{Thread, ThreadClass};

    fn table(threads: &[(u32, u32, &str)]) -> ThreadTable {
        let mut table = ThreadTable::default();
        for (process, id, name) in threads {
            let class = ThreadClass::of_java_thread(name);
            table.push(Thread { class, ..Thread::unknown(Some(*process), Some(*id), name) });
        }
        table
    }

    /// The name of each pool and the number of its threads.
    fn pools(names: &[&str]) -> Vec<(String, u64)> {
        let threads: Vec<(u32, u32, &str)> = names.iter().zip(2..).map(|(name, id)| (1, id, *name)).collect();
        drawn(&table(&threads))
    }

    fn drawn(table: &ThreadTable) -> Vec<(String, u64)> {
        Pools::new(table).iter().map(|pool| (pool.name.clone(), threads_count(table, &pool.threads))).collect()
    }

    fn expected(pools: &[(&str, u64)]) -> Vec<(String, u64)> {
        pools.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn names_of_real_pools() {
        for (names, pool) in [
            (["http-nio-8080-exec-1", "http-nio-8080-exec-10"], "http-nio-8080-exec-#"),
            (["pool-3-thread-7", "pool-3-thread-8"], "pool-3-thread-#"),
            (
                ["ForkJoinPool.commonPool-worker-3", "ForkJoinPool.commonPool-worker-1"],
                "ForkJoinPool.commonPool-worker-#",
            ),
            (["ForkJoinPool-1-worker-3", "ForkJoinPool-1-worker-1"], "ForkJoinPool-1-worker-#"),
            (["Thread-17", "Thread-0"], "Thread-#"),
            (["grpc-default-executor-12", "grpc-default-executor-2"], "grpc-default-executor-#"),
            (["lettuce-epollEventLoop-4-1", "lettuce-epollEventLoop-4-2"], "lettuce-epollEventLoop-4-#"),
            (
                ["elasticsearch[node-1][search][T#3]", "elasticsearch[node-1][search][T#4]"],
                "elasticsearch[node-1][search][T#]",
            ),
            (["GC Thread#0", "GC Thread#1"], "GC Thread#"),
            (["C2 CompilerThread0", "C2 CompilerThread1"], "C2 CompilerThread#"),
            (["listener#0-0-C-1", "listener#0-1-C-1"], "listener#0-#-C-1"),
            (["RMI TCP Connection(1)-127.0.0.1", "RMI TCP Connection(2)-127.0.0.1"], "RMI TCP Connection(#)-127.0.0.1"),
            (["http-nio-8080-e", "http-nio-8080-e"], "http-nio-8080-e"),
        ] {
            assert_eq!(pools(&names), expected(&[(pool, 2)]));
        }
    }

    #[test]
    fn each_pool_keeps_its_own_number() {
        let names = ["pool-1-thread-1", "pool-1-thread-2", "pool-2-thread-1", "pool-2-thread-2", "pool-2-thread-3"];
        assert_eq!(pools(&names), expected(&[("pool-1-thread-#", 2), ("pool-2-thread-#", 3)]));
        // Three pools with one thread each: only the number of the pool differs.
        assert_eq!(pools(&["pool-1-thread-1", "pool-2-thread-1", "main"]), expected(&[("pool-#-thread-1", 2)]));
    }

    #[test]
    fn a_single_thread_and_threads_without_a_name_are_no_pool() {
        assert_eq!(pools(&["main", "pool-1-thread-1", "Thread-0", "", "", "pool-2-thread-2", "worker-a"]), []);
        // The number of a compiler is part of its name.
        assert_eq!(pools(&["C1 CompilerThread0", "C2 CompilerThread0", "C1 CompilerThre", "C2 CompilerThre"]), []);
        let table = table(&[(1, 2, "worker-1"), (2, 3, "worker-2")]);
        assert_eq!(drawn(&table), [], "two processes");
    }

    #[test]
    fn threads_of_two_classes_and_the_main_thread_are_no_pool() {
        let mut two_classes = table(&[(1, 2, "worker-1"), (1, 3, "worker-2")]);
        two_classes.class[1] = ThreadClass::Gc;
        assert_eq!(drawn(&two_classes), []);
        // The kernel gives the threads of a native program the name of its main thread.
        assert_eq!(drawn(&table(&[(7, 7, "server"), (7, 8, "server")])), []);
        assert_eq!(drawn(&table(&[(7, 7, "server"), (7, 8, "server"), (7, 9, "server")])), expected(&[("server", 2)]));
        let mut unknown = table(&[(1, 2, "host-1"), (1, 3, "host-2")]);
        unknown.process_id = vec![None; 2];
        assert_eq!(drawn(&unknown), [], "threads of an unknown process");
    }

    #[test]
    fn a_pool_for_each_task_is_one_pool() {
        let names: Vec<String> =
            (0..40).flat_map(|pool| [1, 2].map(|thread| format!("pool-{pool}-thread-{thread}"))).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(pools(&names), expected(&[("pool-#-thread-#", 80)]));
        assert_eq!(pools(&names[..64]).len(), 32);
        let connections: Vec<String> = (0..40).map(|id| format!("connection {id} to 10.0.7.{}:80", 100 - id)).collect();
        let connections: Vec<&str> = connections.iter().map(String::as_str).collect();
        assert_eq!(pools(&connections), expected(&[("connection # to 10.0.7.#:80", 40)]));
    }

    #[test]
    fn rows_of_several_threads_are_part_of_the_pool() {
        assert_eq!(pools(&["task-# (1200 threads)"]), expected(&[("task-#", 1200)]));
        assert_eq!(pools(&["task-1", "task-# (1200 threads)", "task-2"]), expected(&[("task-#", 1202)]));
        let names = ["pool-1-thread-1", "pool-1-thread-2", "pool-#-thread-# (9 threads)", "pool-2-thread-7"];
        assert_eq!(pools(&names), expected(&[("pool-1-thread-#", 2), ("pool-#-thread-#", 10)]));
    }

    #[test]
    fn in_a_comparison_all_numbers_are_equal() {
        let table = table(&[(1, 2, "pool-1-thread-1"), (2, 2, "pool-2-thread-4"), (1, 3, "main"), (1, 4, "")]);
        let pools = Pools::of_comparison(&table);
        let names: Vec<&str> = pools.iter().map(|pool| pool.name.as_str()).collect();
        assert_eq!(names, ["pool-#-thread-#", "main", ""]);
        assert_eq!(pools.of_thread(1).map(|pool| pool.threads.as_slice()), Some(&[0, 1][..]));
    }

    #[test]
    fn in_a_comparison_hashes_of_threads_are_equal() {
        let table = table(&[
            (1, 2, "consumer | 3f0c9a52-77aa-4b1e-9d3f-aa00bb11cc22"),
            (2, 2, "consumer | 0b7711ff-0c1d-99ab-8e11-0011223344ff"),
        ]);
        let pools = Pools::of_comparison(&table);
        assert_eq!(pools.iter().map(|pool| pool.threads.len()).collect::<Vec<_>>(), [2]);
    }
}
