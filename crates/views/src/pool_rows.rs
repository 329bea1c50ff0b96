//! Rows of views that list threads. A pool is one row. An open pool also has a row for each of its threads, below its
//! own row.
//!
//! ```text
//! closed (default)                       open                                   none
//! http-nio-8080-exec-# (2 threads)       http-nio-8080-exec-# (2 threads)       http-nio-8080-exec-1
//! main                                     http-nio-8080-exec-1                 main
//!                                          http-nio-8080-exec-2                 http-nio-8080-exec-2
//!                                        main
//! ```

use crate::definition::{Parameter, read_word};
use serde::Deserialize;
use std::sync::OnceLock;
use whittle_model::thread_name::name_of_several;
use whittle_profile::Profile;
use whittle_profile::order::sort_by;
use whittle_profile::pools::Pool;

/// Which rows the threads of pools have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PoolRows {
    /// A pool is one row.
    #[default]
    Closed,
    /// A pool is one row, and its threads are the rows below it.
    Open,
    /// Pools have no rows. Each thread is a row.
    None,
}

/// The option `--pools`.
pub(crate) const POOLS: Parameter = Parameter {
    default: Some("closed"),
    read: |text| read_word::<PoolRows>(text, "closed, open or none"),
    ..Parameter::text(
        "pools",
        "ROWS",
        "Rows of pools: closed (a row for each pool), open (also rows for its threads) or none (a row for each thread)",
    )
};

/// The keys of a request about pools.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PoolKeys<'a> {
    pub(crate) rows: PoolRows,
    /// Threads, by their rows. The pools of these threads are open.
    pub(crate) open: &'a [usize],
}

/// A row of a view: a thread or a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ThreadLine {
    /// The threads of the row that are part of the view. There is at least one.
    pub(crate) threads: Vec<usize>,
    /// 1 for the threads below the row of their pool, otherwise 0.
    pub(crate) depth: usize,
}

impl ThreadLine {
    /// The pool that the row represents. `None`: the row is a thread.
    pub(crate) fn pool<'a>(&self, profile: &'a Profile) -> Option<&'a Pool> {
        let is_pool = self.threads.len() > 1 || profile.comparison().is_some();
        profile.pools().of_thread(self.threads[0]).filter(|_| is_pool)
    }

    /// The row of the thread, or of the first thread of the pool. The first thread need not be part of the view.
    pub(crate) fn index(&self, profile: &Profile) -> usize {
        self.pool(profile).map_or(self.threads[0], |pool| pool.threads[0])
    }

    /// The name of the thread or the pool.
    pub(crate) fn name<'a>(&self, profile: &'a Profile) -> &'a str {
        let thread = || profile.tables().threads.name[self.threads[0]].as_str();
        self.pool(profile).map_or_else(thread, |pool| pool.name.as_str())
    }

    /// True if no other thread or pool has this name.
    pub(crate) fn has_own_name(&self, profile: &Profile) -> bool {
        match self.pool(profile) {
            Some(pool) => profile.pools().iter().filter(|other| other.name == pool.name).count() == 1,
            None => has_own_name(profile, self.threads[0]),
        }
    }
}

/// The rows of threads, in the order that `sort` makes. `sort` gets the rows of pools and single threads first, and then
/// the threads of each open pool.
pub(crate) fn thread_lines(
    profile: &Profile,
    threads: impl Iterator<Item = usize>,
    keys: PoolKeys<'_>,
    sort: impl Fn(&mut Vec<ThreadLine>),
) -> Vec<ThreadLine> {
    let mut lines = grouped(profile, threads, keys.rows);
    sort(&mut lines);
    let is_open = |line: &ThreadLine| {
        let is_asked = |pool: &Pool| keys.open.iter().any(|thread| pool.threads.contains(thread));
        let is_open = |pool: &Pool| keys.rows == PoolRows::Open || is_asked(pool);
        profile.comparison().is_none() && line.pool(profile).is_some_and(is_open)
    };
    let with_threads = |line: ThreadLine| {
        let mut threads = Vec::new();
        if is_open(&line) {
            threads.extend(line.threads.iter().map(|thread| ThreadLine { threads: vec![*thread], depth: 1 }));
            sort(&mut threads);
        }
        threads.insert(0, line);
        threads
    };
    lines.into_iter().flat_map(with_threads).collect()
}

/// One row for each pool, and for each thread that is in no pool. A pool with only one of its threads in the view is the
/// row of this thread.
fn grouped(profile: &Profile, threads: impl Iterator<Item = usize>, rows: PoolRows) -> Vec<ThreadLine> {
    let are_pools_shown = rows != PoolRows::None || profile.comparison().is_some();
    let mut line_of_pool = vec![None; profile.tables().threads.name.len()];
    let mut lines: Vec<ThreadLine> = Vec::new();
    for thread in threads {
        let pool = profile.pools().of_thread(thread).filter(|_| are_pools_shown);
        // A pool is known by its first thread.
        match pool.map(|pool| &mut line_of_pool[pool.threads[0]]) {
            Some(Some(line)) => {
                let line: &mut ThreadLine = &mut lines[*line];
                line.threads.push(thread);
                continue;
            }
            Some(line) => *line = Some(lines.len()),
            None => {}
        }
        lines.push(ThreadLine { threads: vec![thread], depth: 0 });
    }
    lines
}

/// Whether each thread has a name that no other thread has. This is computed at the first request.
#[derive(Default)]
struct OwnNames(OnceLock<Vec<bool>>);

/// True if no other thread has the thread's name.
pub(crate) fn has_own_name(profile: &Profile, thread: usize) -> bool {
    let names = &profile.tables().threads.name;
    let compute = || {
        let mut by_name: Vec<usize> = (0..names.len()).collect();
        sort_by(&mut by_name, |a, b| names[*a].cmp(&names[*b]));
        let mut is_own = vec![false; names.len()];
        for alike in by_name.chunk_by(|a, b| names[*a] == names[*b]) {
            is_own[alike[0]] = alike.len() == 1 && !names[alike[0]].is_empty();
        }
        is_own
    };
    profile.kept::<OwnNames>().0.get_or_init(compute)[thread]
}

/// The name of a row in text, with the number of threads of a pool: `task-# (1200 threads)`.
pub(crate) fn name_in_text(name: &str, threads_count: u64, (is_pool, depth): (bool, usize)) -> String {
    let name = if is_pool && threads_count > 1 { name_of_several(name, threads_count) } else { name.to_owned() };
    "  ".repeat(depth) + &name
}
