//! Threads of pools that never had work. Such a thread starts, and then its first wait lasts until the program or the collection
//! ends. If the program ends first, the wait has no Java stack, and so no meaning.
//!
//! ```text
//! exec-1   user ▏ futex ─────────────────────────────── the program ends     unused: it never had a task
//! exec-2   user ▏ futex ── user ─── futex ─ user ────── the program ends     its other waits have stacks
//! main     user ▏ futex ─────────────────────────────── the program ends     in no pool: it can wait for anything
//! ```

use whittle_model::{EventKind, Table, ThreadStateTable, WeightColumn};
use whittle_profile::Profile;
use whittle_profile::samples::SampleKind;
use whittle_profile::waits::StackMeaning;

/// Largest share of its time that an idle thread works. A thread that waits for work still starts, and wakes up now and then.
pub(crate) const IDLE_THREAD_WORK_RATIO: f64 = 0.001;

/// Smallest share of its time that the only wait of an unused thread lasts. When a thread starts, it also waits for moments.
const ONLY_WAIT_RATIO: f64 = 0.9;

/// The longest sampled wait of a thread.
#[derive(Debug, Clone, Copy, Default)]
struct LongestWait {
    nanos: f64,
    has_meaning: bool,
}

impl LongestWait {
    /// Replaces the wait by a longer one.
    fn extend(&mut self, nanos: f64, has_meaning: bool) {
        if nanos > self.nanos {
            *self = Self { nanos, has_meaning };
        }
    }
}

/// For each thread, whether it is an unused thread of a pool. Without the kernel's record of states, no thread is.
pub(crate) fn unused_threads(profile: &Profile) -> Vec<bool> {
    unused(profile, &longest_waits(profile))
}

fn longest_waits(profile: &Profile) -> Vec<LongestWait> {
    let (samples, meanings) = (profile.samples(), profile.wait_meanings());
    let is_wait: Vec<bool> = SampleKind::all().map(|kind| kind.event == EventKind::OffCpu).collect();
    let durations = samples.column(WeightColumn::DurationNs);
    let mut longest = vec![LongestWait::default(); profile.tables().threads.len()];
    for sample in (0..samples.len()).filter(|sample| is_wait[usize::from(samples.kind[*sample])]) {
        let has_meaning = matches!(meanings[samples.observed[sample] as usize], StackMeaning::Known(_));
        longest[samples.thread[sample].row()].extend(durations[sample] as f64, has_meaning);
    }
    longest
}

fn unused(profile: &Profile, longest: &[LongestWait]) -> Vec<bool> {
    let times = times(&profile.tables().thread_states, longest.len());
    let is_unused = |(thread, longest): (usize, &LongestWait)| {
        let (on_cpu_ns, all_ns) = times[thread];
        !longest.has_meaning
            && longest.nanos > 0.0
            && all_ns > 0.0
            && longest.nanos >= ONLY_WAIT_RATIO * all_ns
            && on_cpu_ns <= IDLE_THREAD_WORK_RATIO * all_ns
            && profile.pools().of_thread(thread).is_some()
    };
    longest.iter().enumerate().map(is_unused).collect()
}

/// For each thread, the time that it executed, and its whole time, in nanoseconds.
fn times(table: &ThreadStateTable, threads_count: usize) -> Vec<(f64, f64)> {
    let mut times = vec![(0.0, 0.0); threads_count];
    for row in 0..table.len() {
        let (on_cpu_ns, all_ns) = &mut times[table.thread[row].row()];
        let spent_ns = table.duration_ns[row] as f64;
        *all_ns += spent_ns;
        *on_cpu_ns += if table.state[row].is_on_cpu() { spent_ns } else { 0.0 };
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_testkit::{add_thread_states, experiment_from_text};

    #[test]
    fn a_thread_of_a_pool_with_one_long_unknown_wait_is_unused() {
        let (manifest, mut tables) = experiment_from_text(
            "
            @thread  exec-1  exec-2  exec-3  exec-4  single
                     a       a       a       a       a
            ",
        );
        add_thread_states(
            &mut tables,
            "
            thread  on_cpu_user  blocked:futex
            exec-1  0.002        4.998
            exec-2  0.5          4.5
            exec-3  0.002        4.998
            exec-4  0.002        4.998
            single  0.002        4.998
            ",
        );
        let profile = Profile::load(manifest, tables).expect("valid");
        let longest = |waits: &[(f64, bool)]| {
            let mut longest = LongestWait::default();
            waits.iter().for_each(|(seconds, has_meaning)| longest.extend(seconds * 1e9, *has_meaning));
            longest
        };
        // All threads wait for a moment when they start. This wait has a stack.
        let start = (0.03, true);
        let unknown = longest(&[start, (4.9, false)]);
        let known = longest(&[start, (4.9, true)]);
        let short = longest(&[start, (2.0, false)]);
        let found = unused(&profile, &[unknown, unknown, known, short, unknown]);
        assert_eq!(found, [true, false, false, false, false]);
    }
}
