//! The threads that do the program's work, and the observed time range. Shares refer to these threads in this range.
//!
//! Threads of the JVM are left out. The warm-up is also left out, because the program's cost during the warm-up says
//! little about its later cost. The warm-up lasts until the JIT compiler becomes idle.

use crate::view::{ThreadGroup, Work};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use whittle_model::thread_name::without_numbers;
use whittle_model::{EventKind, Metric, Table, ThreadClass, ThreadTable};
use whittle_profile::Profile;
use whittle_profile::order::sort_by_key;
use whittle_profile::samples::Samples;
use whittle_views::timeline::end_ns;

/// The group number of threads that do not do the program's work.
pub(crate) const NO_GROUP: u8 = u8::MAX;
/// At most this many groups are distinguished. The last group contains all other threads.
const GROUP_LIMIT: usize = 32;

/// The samples that findings use, and their thread groups.
#[derive(Debug)]
pub(crate) struct WorkThreads {
    /// Group of each thread, or [`NO_GROUP`].
    pub(crate) group_of_thread: Vec<u8>,
    /// Names of the groups, sorted by CPU time.
    pub(crate) names: Vec<String>,
    /// Number of threads of each group.
    pub(crate) threads_count: Vec<usize>,
    /// Start of the observed range: the end of the warm-up.
    pub(crate) from_ns: u64,
    /// Whether a warm-up is left out. Then amounts are smaller than those of other views.
    pub(crate) has_warm_up: bool,
    /// End of the observed range.
    pub(crate) to_ns: u64,
    /// How the start of the observed range was determined.
    pub(crate) warm_up: String,
    /// The compiler's share of the CPU time after the warm-up.
    pub(crate) jit_ratio_after: f64,
    /// False if the compiler did not become idle in time.
    pub(crate) is_at_rest: bool,
}

impl WorkThreads {
    pub(crate) fn new(profile: &Profile) -> Self {
        let threads = &profile.tables().threads;
        let (names, threads_count, group_of_thread) = groups(profile, threads);
        let warm_up = WarmUp::find(profile);
        Self {
            group_of_thread,
            names,
            threads_count,
            from_ns: warm_up.end_ns,
            has_warm_up: warm_up.end_ns > 0,
            to_ns: end_ns(profile),
            warm_up: warm_up.words,
            jit_ratio_after: warm_up.jit_ratio_after,
            is_at_rest: warm_up.is_at_rest,
        }
    }

    /// Excludes everything outside a time range.
    pub(crate) fn narrow(&mut self, (from_ns, to_ns): (u64, u64)) {
        self.from_ns = self.from_ns.max(from_ns);
        self.to_ns = self.to_ns.min(to_ns).max(self.from_ns);
    }

    /// Length of the observed range in seconds; never 0.
    pub(crate) fn seconds(&self) -> f64 {
        (self.to_ns.saturating_sub(self.from_ns)).max(1) as f64 / 1e9
    }

    /// The work threads as the view shows them. `cpu_ns` has one value per group.
    pub(crate) fn view(&self, cpu_ns: &[f64], samples_count: u64) -> Work {
        let sum: f64 = cpu_ns.iter().sum();
        let mut groups: Vec<ThreadGroup> = (0..self.names.len())
            .map(|group| ThreadGroup {
                name: self.names[group].clone(),
                threads_count: self.threads_count[group],
                cpu_ratio: if sum > 0.0 { cpu_ns[group] / sum } else { 0.0 },
            })
            .collect();
        groups.retain(|group| group.cpu_ratio > 0.0);
        groups.sort_by(|a, b| b.cpu_ratio.total_cmp(&a.cpu_ratio));
        Work {
            groups,
            cpu_ns: (sum > 0.0 || samples_count == 0).then_some(sum),
            samples_count,
            from_ns: self.from_ns,
            to_ns: self.to_ns,
            warm_up: self.warm_up.clone(),
        }
    }
}

fn groups(profile: &Profile, threads: &ThreadTable) -> (Vec<String>, Vec<usize>, Vec<u8>) {
    let cpu = cpu_by_thread(profile);
    let mut numbers: FxHashMap<Cow<'_, str>, usize> = FxHashMap::default();
    let mut found: Vec<(String, f64, usize)> = Vec::new();
    let mut group_of: Vec<Option<usize>> = Vec::with_capacity(threads.len());
    for (row, cpu_ns) in cpu.iter().enumerate() {
        if thread_class(threads, row).is_jvm() {
            group_of.push(None);
            continue;
        }
        let name = group_name(profile, row);
        let number = *numbers.entry(name.clone()).or_insert_with(|| {
            found.push((name.into_owned(), 0.0, 0));
            found.len() - 1
        });
        found[number].1 += cpu_ns;
        found[number].2 += 1;
        group_of.push(Some(number));
    }
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by(|a, b| found[*b].1.total_cmp(&found[*a].1).then(a.cmp(b)));
    let mut place = vec![0; found.len()];
    order.iter().enumerate().for_each(|(position, group)| place[*group] = position.min(GROUP_LIMIT - 1));
    let count = found.len().min(GROUP_LIMIT);
    let (mut names, mut sizes) = (vec![String::new(); count], vec![0; count]);
    for group in order.into_iter().rev() {
        names[place[group]].clone_from(&found[group].0);
        sizes[place[group]] += found[group].2;
    }
    if found.len() > GROUP_LIMIT {
        "other threads".clone_into(&mut names[GROUP_LIMIT - 1]);
    }
    let group_of_thread = group_of.into_iter().map(|group| group.map_or(NO_GROUP, |group| place[group] as u8));
    (names, sizes, group_of_thread.collect())
}

/// The name of a thread's group: its pool. Some files of other tools have no processes, and so no pools. Then the group is
/// all threads with names that differ only in numbers.
pub(crate) fn group_name(profile: &Profile, thread: usize) -> Cow<'_, str> {
    let threads = &profile.tables().threads;
    match profile.pools().of_thread(thread) {
        Some(pool) => Cow::Borrowed(&pool.name),
        None if threads.process_id[thread].is_none() => Cow::Owned(without_numbers(&threads.name[thread])),
        None => Cow::Borrowed(&threads.name[thread]),
    }
}

/// The thread's class. Recordings of other tools contain only its name.
pub(crate) fn thread_class(threads: &ThreadTable, row: usize) -> ThreadClass {
    match threads.class[row] {
        ThreadClass::Unknown => ThreadClass::of_java_thread(&threads.name[row]),
        class => class,
    }
}

fn cpu_by_thread(profile: &Profile) -> Vec<f64> {
    let cpu = profile.manifest().metric_index(Metric::Cpu);
    let weights = profile.all_weights();
    match cpu {
        Some(cpu) => weights.by_thread[cpu].clone(),
        None => weights.samples_by_thread.iter().map(|count| *count as f64).collect(),
    }
}

/// The end of the warm-up: the time when the JIT compiler becomes idle.
struct WarmUp {
    end_ns: u64,
    words: String,
    jit_ratio_after: f64,
    is_at_rest: bool,
}

/// Length of the examined spans.
const SPAN_NS: u64 = 500_000_000;
/// Below this share of the CPU time the compiler is idle.
const REST_RATIO: f64 = 0.15;
/// The warm-up is never longer than this share of the experiment.
const LARGEST_RATIO: f64 = 0.4;
/// Largest number of examined samples.
const LOOKED_AT: usize = 2_000_000;

impl WarmUp {
    fn find(profile: &Profile) -> Self {
        let end_ns = end_ns(profile);
        let spans = Self::spans(profile, end_ns);
        let ratio = |span: &[f64; 2]| if span[1] > 0.0 { span[0] / span[1] } else { 0.0 };
        let most = (spans.len() as f64 * LARGEST_RATIO) as usize;
        let is_at_rest = |first: usize| {
            spans[first..].iter().filter(|span| span[1] > 0.0).take(2).all(|span| ratio(span) < REST_RATIO)
        };
        let first = (0..most).find(|first| is_at_rest(*first)).unwrap_or(most);
        let after = spans[first..].iter().fold([0.0; 2], |sum, span| [sum[0] + span[0], sum[1] + span[1]]);
        let words = if spans.iter().all(|span| span[0] == 0.0) {
            "The whole experiment is used, because no compiler threads were seen.".to_owned()
        } else if most == 0 {
            "The whole experiment is used, because it is too short to detect a warm-up.".to_owned()
        } else if first == 0 {
            "The whole experiment is used, because the JIT compiler was idle from the start.".to_owned()
        } else if first == most {
            "The first two fifths of the experiment are left out, because the JIT compiler did not become idle."
                .to_owned()
        } else {
            format!(
                "The first {:.1} s are left out, because the JIT compiler took more than {:.0} % of the CPU time until then.",
                (first as u64 * SPAN_NS) as f64 / 1e9,
                REST_RATIO * 100.0
            )
        };
        Self {
            end_ns: first as u64 * SPAN_NS,
            words,
            jit_ratio_after: ratio(&after),
            is_at_rest: first < most || most == 0,
        }
    }

    /// CPU time of the compiler, and of all threads, in each span.
    fn spans(profile: &Profile, end_ns: u64) -> Vec<[f64; 2]> {
        let samples: &Samples = profile.samples();
        let threads = &profile.tables().threads;
        let durations = samples.column(whittle_model::WeightColumn::DurationNs);
        let mut spans = vec![[0.0; 2]; (end_ns / SPAN_NS + 1) as usize];
        let is_jit: Vec<bool> =
            (0..threads.len()).map(|row| thread_class(threads, row) == ThreadClass::JitCompiler).collect();
        let is_cpu =
            whittle_profile::samples::SampleKind::all().map(|kind| kind.event == EventKind::Cpu).collect::<Vec<_>>();
        for sample in (0..samples.len()).step_by(samples.len() / LOOKED_AT + 1) {
            if is_cpu[usize::from(samples.kind[sample])] {
                let span = &mut spans[(samples.time_ns[sample].min(end_ns) / SPAN_NS) as usize];
                let weight = durations[sample] as f64;
                span[1] += weight;
                if is_jit[samples.thread[sample].row()] {
                    span[0] += weight;
                }
            }
        }
        spans
    }
}

/// The names of thread groups as one text: the first few names, and the number of the other groups.
pub(crate) fn in_words(names: &[&str]) -> String {
    let mut names = names.to_vec();
    sort_by_key(&mut names, |name| name.len() > 40);
    match names.as_slice() {
        [] => "no thread".to_owned(),
        [one] => (*one).to_owned(),
        [one, two] => format!("{one} and {two}"),
        [one, two, rest @ ..] => format!("{one}, {two} and {} more", rest.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_testkit::experiment_from_text;

    #[test]
    fn threads_of_a_pool_are_one_group() {
        let (manifest, tables) = experiment_from_text(
            "
            @thread  pool-1-thread-1  pool-1-thread-2  main    C2 [jit_compiler]
                     a.B.run()        a.B.run()        c.main  Compile[j]
            ",
        );
        let work = WorkThreads::new(&Profile::load(manifest, tables).expect("loads"));
        assert_eq!(work.names, ["pool-1-thread-#", "main"]);
        assert_eq!(work.threads_count, [2, 1]);
    }

    #[test]
    fn the_cpu_time_of_samples_that_are_only_counts_is_unknown() {
        let (manifest, tables) = experiment_from_text("main");
        let work = WorkThreads::new(&Profile::load(manifest, tables).expect("loads"));
        assert_eq!((work.view(&[2e9], 20).cpu_ns, work.view(&[0.0], 0).cpu_ns), (Some(2e9), Some(0.0)));
        let counts = work.view(&[0.0], 1_000_001);
        assert_eq!(counts.cpu_ns, None);
        let words = counts.amount_in_words();
        assert!(words.starts_with("CPU time unknown, 1000001 samples, from 0.0 to "), "{words}");
    }
}
