//! Converts an answer to an experiment, so all views can show the answer. The sums of the query become samples.
//!
//! ```text
//! host-1  cpu user  checkout > parse   40 s      sample of thread "host-1" with that stack: 40 s of user CPU
//! host-2  cpu user  checkout > parse   38 s      …
//! ```
//!
//! Each group becomes a thread. The time of a sample is the last nanosecond of its period. Samples are always at the
//! end of the time that they represent.

mod observed;

pub(crate) use observed::{CPU_COUNTER, LENGTH_COUNTER, is_unit_of_work};
pub use observed::{Counted, ExactAmounts, Observed};

use crate::question::{Question, Split};
use crate::stacks::{AnswerTree, LoadedStacks};
use observed::ObservedRow;
use rustc_hash::{FxHashMap, FxHashSet};
use whittle_model::{
    Closure, Collector, CollectorStatus, EventKind, LossReason, Losses, Manifest, MetricsSeen, Program, Sample,
    StackIndex, State, Table, Tables, ThreadClass, ThreadIndex,
};

/// Name of the thread for rows that are not grouped.
pub const ALL_THREADS: &str = "<all>";

/// Suffix in the name of a thread that represents the JVM's own threads.
const JVM_THREADS: &str = " <JVM threads>";

/// The name of a thread's group, without the suffix of the JVM's threads.
pub(crate) fn without_jvm_threads(name: &str) -> &str {
    name.strip_suffix(JVM_THREADS).unwrap_or(name)
}

const NS_PER_S: i64 = 1_000_000_000;

/// The input for an answer.
#[derive(Debug)]
pub struct Answer<'a> {
    /// The query.
    pub question: &'a Question,
    /// The sums.
    pub observed: &'a Observed,
    /// The stacks that the sums refer to.
    pub stacks: &'a LoadedStacks,
    /// Amounts that were counted exactly.
    pub exact: &'a ExactAmounts,
}

/// Weights of the CPU samples.
#[derive(Debug, Default)]
struct SampledCpu {
    sampled_ns: u64,
    rooted_ns: u64,
    losses: Losses,
}

impl Answer<'_> {
    /// The answer as an experiment.
    pub fn into_experiment(self) -> (Manifest, Tables) {
        let (manifest, tables, _) = self.into_named_experiment();
        (manifest, tables)
    }

    /// Returns the same experiment, and for each thread the position of its group in [`Observed::names`].
    pub(crate) fn into_named_experiment(self) -> (Manifest, Tables, Vec<u32>) {
        let mut tree = AnswerTree::new(self.stacks.code());
        let (mut sampled, mut seen) = (SampledCpu::default(), MetricsSeen::default());
        let threads = self.threads(&mut tree);
        let mut samples = self.samples_with_stacks(&mut tree, |row| threads[&(row.names, row.is_jvm)]);
        if self.question.width_s().is_some() {
            samples.sort_by_key(|sample| sample.time_ns);
        }
        for sample in samples {
            sampled.add(&sample, tree.missing_root(sample.stack));
            seen.see(sample.observed());
            tree.builder().sample(sample);
        }
        let tables = tree.into_tables();
        let mut names = vec![0; tables.threads.len()];
        threads.into_iter().for_each(|((name, _), thread): ((u32, bool), ThreadIndex)| names[thread.row()] = name);
        (self.manifest(sampled, &seen), tables, names)
    }

    /// Adds all rows as samples. Handles one service after the other, so the stacks of a service are looked up
    /// together.
    fn samples_with_stacks(&self, tree: &mut AnswerTree, thread: impl Fn(&ObservedRow) -> ThreadIndex) -> Vec<Sample> {
        let mut samples = Vec::with_capacity(self.observed.rows.len());
        for (number, service) in self.observed.services.iter().enumerate() {
            let stacks = self.stacks.service(service);
            let mut rows = stacks.map(|stacks| AnswerTree::rows_of(stacks));
            for row in self.observed.rows.iter().filter(|row| row.service as usize == number) {
                let stack = match (stacks, &mut rows) {
                    (Some(stacks), Some(rows)) => tree.stack((stacks, self.stacks.code()), rows, row.stack),
                    _ if row.stack == 0 => StackIndex::ROOT,
                    _ => tree.unknown_stack(),
                };
                samples.push(self.sample(row, thread(row), stack));
            }
        }
        samples
    }

    fn sample(&self, row: &ObservedRow, thread: ThreadIndex, stack: StackIndex) -> Sample {
        let time = self.question.time;
        let end_s = row.bucket_end_s.unwrap_or(time.to_s).clamp(time.from_s + 1, time.to_s);
        let time_ns = u64::try_from((end_s - time.from_s).saturating_mul(NS_PER_S) - 1).unwrap_or(0);
        Sample {
            mode: row.mode,
            reason: row.reason,
            count: row.count.max(1),
            duration_ns: row.duration_ns,
            bytes: row.bytes,
            ..Sample::new(time_ns, thread, stack, row.event)
        }
    }

    /// Creates the threads. A group can have two threads: one for the JVM's own threads, and one for all other threads.
    /// Threads are numbered by name, because engines return rows in any order.
    fn threads(&self, tree: &mut AnswerTree) -> FxHashMap<(u32, bool), ThreadIndex> {
        let seen: FxHashSet<(u32, bool)> = self.observed.rows.iter().map(|row| (row.names, row.is_jvm)).collect();
        let mut seen: Vec<(u32, bool)> = seen.into_iter().collect();
        seen.sort_unstable_by_key(|(names, is_jvm)| (&self.observed.names[*names as usize], *is_jvm));
        seen.into_iter().map(|known| (known, self.thread(tree, known))).collect()
    }

    /// Creates the thread of a group. The JVM's own threads are separate, because their stacks without Java have a
    /// different name.
    fn thread(&self, tree: &mut AnswerTree, (names, is_jvm): (u32, bool)) -> ThreadIndex {
        let names = &self.observed.names[names as usize];
        let name = if names.is_empty() { ALL_THREADS.to_owned() } else { names.join(" / ") };
        let by_thread = self.question.split.contains(&Split::Thread);
        let name = if is_jvm && !by_thread { format!("{name}{JVM_THREADS}") } else { name };
        let builder = tree.builder();
        let index = builder.thread(None, None, &name);
        builder.threads_mut().class[index.row()] = match is_jvm {
            true => ThreadClass::JvmService,
            false if by_thread => names
                .iter()
                .map(|name| ThreadClass::of_java_thread(name))
                .find(|class| class.is_jvm())
                .unwrap_or(ThreadClass::Work),
            false => ThreadClass::Unknown,
        };
        index
    }

    fn manifest(&self, sampled: SampledCpu, seen: &MetricsSeen) -> Manifest {
        let time = self.question.time;
        let mut manifest =
            Manifest::new(Program { name: "whittle-fleet".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() });
        manifest.state = State::Complete;
        manifest.start_wall_ns = u64::try_from(time.from_s.saturating_mul(NS_PER_S)).ok();
        manifest.duration_ns = u64::try_from(time.length_s().saturating_mul(NS_PER_S)).unwrap_or(0);
        manifest.comment = format!("{}, {time}", self.question.whose.words());
        manifest.collectors = vec![self.collector()];
        manifest.metrics = seen.definitions();
        manifest.losses = self.losses(&sampled.losses);
        manifest.closure = (self.exact.cpu_ns > 0).then_some(Closure {
            exact_cpu_ns: self.exact.cpu_ns,
            exact_user_ns: None,
            exact_system_ns: None,
            sampled_ns: sampled.sampled_ns,
            rooted_ns: sampled.rooted_ns,
        });
        manifest.units_of_work = self.exact.units.clone();
        if let [service] = self.observed.services.as_slice() {
            manifest.labels.insert("service".to_owned(), service.clone());
        }
        manifest
    }

    /// The losses that agents counted in their segments. If agents did not count a reason, the losses of the samples
    /// are used.
    fn losses(&self, of_samples: &Losses) -> Losses {
        let mut losses = self.exact.losses.clone();
        for loss in of_samples.iter().filter(|loss| self.exact.losses.count(loss.reason) == 0) {
            losses.add_cpu(loss.reason, loss.cpu_ns.unwrap_or(0));
            losses.add_count(loss.reason, loss.count.saturating_sub(1));
        }
        losses
    }

    fn collector(&self) -> Collector {
        let reason = format!(
            "{} segments of {} services, as sent by agents",
            self.exact.segment_count,
            self.observed.services.len()
        );
        let (name, engine) = ("whittle-fleet".to_owned(), "fleet".to_owned());
        Collector { name, engine, interval_ns: None, status: CollectorStatus::Used, reason }
    }
}

impl SampledCpu {
    fn add(&mut self, sample: &Sample, missing_root: LossReason) {
        match (sample.event, missing_root) {
            (EventKind::Cpu, LossReason::None) => {
                self.sampled_ns = self.sampled_ns.saturating_add(sample.duration_ns);
                self.rooted_ns = self.rooted_ns.saturating_add(sample.duration_ns);
            }
            (EventKind::Cpu, reason) => {
                self.sampled_ns = self.sampled_ns.saturating_add(sample.duration_ns);
                self.losses.add_cpu(reason, sample.duration_ns);
            }
            (_, LossReason::None) => {}
            (_, reason) => self.losses.add_count(reason, sample.count),
        }
    }
}
