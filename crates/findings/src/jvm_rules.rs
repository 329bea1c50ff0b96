//! Detectors that examine what the JVM reported about its collector and compiler.

use crate::detector::Detector;
use crate::saving::gc_ratio;
use crate::view::REPORTED_RATIO;
use crate::words::share;
use crate::work::WorkThreads;
use std::collections::BTreeMap;
use whittle_model::{JvmEvent, JvmEventKind, Table};
use whittle_profile::Profile;
use whittle_profile::amounts::count;
use whittle_profile::order::sort_by_key;

/// Causes of full collections that somebody asked for, or that are not about the heap.
const REQUESTED: [&str; 9] = [
    "System.gc()",
    "Diagnostic Command",
    "Heap Dump",
    "Heap Inspection",
    "Metadata GC",
    "CodeCache GC",
    "G1 Periodic Collection",
    "WhiteBox",
    "JvmtiEnv",
];

/// Names of pauses in which a collector gave up its usual way of working: G1, Shenandoah.
const FAILED: [&str; 3] = ["(Evacuation Failure", "(To-space exhausted", "Pause Degenerated"];

/// An object that native code uses cannot be moved. This is no lack of memory.
const PINNED: &str = "(Evacuation Failure: Pinned)";

/// At least this share of the allocated bytes must be promoted and freed later.
const PROMOTED_RATIO: f64 = 0.1;

/// The collector's threads must have at least this share of the work threads' CPU time, or its pauses 3 % of the time.
const COLLECTOR_RATIO: f64 = 0.1;

/// The code of a method must be given up at least this many times, and this many times per minute. After the warm-up, once or
/// twice is usual.
const FEWEST_DEOPTIMIZATIONS: usize = 5;
const DEOPTIMIZATIONS_PER_MINUTE: f64 = 1.0;

/// The conditions that the detector's rule finds met, in words. `None`: it finds no problem, or it is another kind of rule.
pub(crate) fn criteria(detector: &Detector, profile: &Profile, work: &WorkThreads) -> Option<Vec<String>> {
    let events = events_in_order(profile, work);
    match detector.rule.as_deref()? {
        "collector-falls-behind" => collector_falls_behind(&events, work),
        "early-promotion" => early_promotion(&events, work, gc_ratio(profile)),
        "repeated-deoptimization" => repeated_deoptimization(&events, work),
        _ => None,
    }
}

/// The data that a rule needs but that is missing in the experiment.
pub(crate) fn missing(rule: &str, profile: &Profile) -> Option<&'static str> {
    let events = &profile.tables().jvm_events;
    match rule {
        "collector-falls-behind" | "repeated-deoptimization" if events.is_empty() => {
            Some("the JVM's log (JDK 9 and later)")
        }
        "early-promotion" if events.heap_after_bytes.iter().all(Option::is_none) => {
            Some("the sizes of the heap in the JVM's log (JDK 9 and later), and at least one collection")
        }
        _ => None,
    }
}

/// The events after the warm-up, in the order of their ends.
fn events_in_order(profile: &Profile, work: &WorkThreads) -> Vec<JvmEvent> {
    let events = &profile.tables().jvm_events;
    let range = work.from_ns..work.to_ns;
    let rows = (0..events.len()).filter(|row| range.contains(&events.start_ns[*row]));
    let mut events: Vec<JvmEvent> = rows.map(|row| events.row(row)).collect();
    sort_by_key(&mut events, |event: &JvmEvent| event.end_ns);
    events
}

fn times(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// The time in which at least one of the events was going on, in seconds. Several threads can wait for memory at the same time.
fn seconds_together<'a>(events: impl Iterator<Item = &'a JvmEvent>) -> f64 {
    let mut ranges: Vec<(u64, u64)> = events.map(|event| (event.start_ns, event.end_ns)).collect();
    ranges.sort_unstable();
    let (mut sum_ns, mut until_ns) = (0, 0);
    for (start_ns, end_ns) in ranges {
        sum_ns += end_ns.saturating_sub(start_ns.max(until_ns));
        until_ns = until_ns.max(end_ns);
    }
    sum_ns as f64 / 1e9
}

fn seconds<'a>(events: impl Iterator<Item = &'a JvmEvent>) -> f64 {
    events.map(|event| event.end_ns.saturating_sub(event.start_ns) as f64 / 1e9).sum()
}

/// Whether the collector could not free memory as fast as the program allocated it.
fn is_failure(event: &JvmEvent) -> bool {
    let has = |part: &&str| event.name.contains(*part);
    match event.kind {
        JvmEventKind::AllocationStall => true,
        JvmEventKind::GcPause if event.name.starts_with("Pause Full") => !REQUESTED.iter().any(has),
        JvmEventKind::GcPause => FAILED.iter().any(has) && !has(&PINNED),
        _ => false,
    }
}

fn collector_falls_behind(events: &[JvmEvent], work: &WorkThreads) -> Option<Vec<String>> {
    let failures = || events.iter().filter(|event| is_failure(event));
    let ratio = seconds_together(failures()) / work.seconds();
    let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
    for event in failures() {
        let name = if event.kind == JvmEventKind::AllocationStall { "allocation stall" } else { event.name.as_str() };
        *by_name.entry(name).or_default() += 1;
    }
    let (name, count) = by_name.iter().max_by_key(|(_, count)| **count)?;
    (ratio >= REPORTED_RATIO).then(|| {
        vec![
            format!(
                "full collections, failed evacuations and threads that waited for memory took {} of the time (required: at \
                 least {})",
                share(ratio),
                share(REPORTED_RATIO)
            ),
            format!("most often: {name}, {}", times(*count)),
        ]
    })
}

/// What the sizes of the heap tell about the generations, in bytes.
#[derive(Debug, Default, PartialEq)]
struct Generations {
    allocated: u64,
    /// How much the heap after young collections grew until a collection of the old generation.
    promoted: u64,
    /// What a collection left in the heap, and a later collection of the old generation removed.
    freed: u64,
    /// Times at which collections freed memory of the old generation. Several in a row are one.
    cycles: usize,
}

/// What a pause with sizes of the heap collects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Collected {
    Young,
    /// Also, or only, the old generation.
    Old,
    /// Regions without live objects: the pauses `Remark` and `Cleanup` of G1.
    EmptyRegions,
}

impl Collected {
    /// Before JDK 11, pauses of G1 are called `Pause Mixed` and `Pause Initial Mark`.
    fn by(name: &str) -> Self {
        let is_young = name.starts_with("Pause Young") || name.starts_with("Pause Initial Mark");
        match is_young && !name.contains("(Mixed)") {
            true => Self::Young,
            false if is_young || name.starts_with("Pause Full") || name.starts_with("Pause Mixed") => Self::Old,
            false => Self::EmptyRegions,
        }
    }
}

impl Generations {
    /// The pauses must be in the order of time.
    fn new<'a>(pauses: impl Iterator<Item = &'a JvmEvent>) -> Self {
        let mut sums = Self::default();
        // What the last collection left in the heap, what the last collection of the old generation left, and whether the last
        // collection was of the old generation.
        let mut known: Option<(u64, u64, bool)> = None;
        for pause in pauses {
            let (Some(before), Some(after)) = (pause.heap_before_bytes, pause.heap_after_bytes) else { continue };
            let Some((left, base, is_old_before)) = known else {
                known = Some((after, after, false));
                continue;
            };
            let collected = Collected::by(&pause.name);
            if collected == Collected::EmptyRegions {
                let freed = before.saturating_sub(after);
                sums.freed += freed;
                known = Some((left.saturating_sub(freed), base.saturating_sub(freed), is_old_before));
                continue;
            }
            sums.allocated += before.saturating_sub(left);
            if collected == Collected::Young {
                known = Some((after, base, false));
                continue;
            }
            sums.promoted += left.saturating_sub(base);
            sums.freed += left.saturating_sub(after);
            sums.cycles += usize::from(!is_old_before && left > after);
            known = Some((after, after, true));
        }
        sums
    }

    /// The share of the allocated bytes that was promoted although it was garbage soon. A cache that grows is promoted too, but
    /// not freed.
    fn ratio(&self) -> f64 {
        self.promoted.min(self.freed) as f64 / self.allocated.max(1) as f64
    }
}

fn early_promotion(events: &[JvmEvent], work: &WorkThreads, gc_ratio: Option<f64>) -> Option<Vec<String>> {
    let pauses = || events.iter().filter(|event| event.kind == JvmEventKind::GcPause);
    let generations = Generations::new(pauses());
    let paused = seconds(pauses()) / work.seconds();
    let is_worth = paused >= REPORTED_RATIO || gc_ratio.is_some_and(|ratio| ratio >= COLLECTOR_RATIO);
    (is_worth && generations.cycles > 1 && generations.ratio() >= PROMOTED_RATIO).then(|| {
        let Generations { allocated, promoted, freed, cycles } = generations;
        vec![
            format!(
                "{} of the allocated bytes outlived the young generation and were freed later (required: at least {}): {} MB \
                 allocated, {} MB promoted, {} MB freed in {cycles} cycles of collections",
                share(generations.ratio()),
                share(PROMOTED_RATIO),
                count(allocated as f64 / 1e6),
                count(promoted as f64 / 1e6),
                count(freed as f64 / 1e6)
            ),
            format!("the pauses of the collector took {} of the time", share(paused)),
        ]
    })
}

fn repeated_deoptimization(events: &[JvmEvent], work: &WorkThreads) -> Option<Vec<String>> {
    let mut by_method: BTreeMap<&str, usize> = BTreeMap::new();
    for event in events.iter().filter(|event| event.kind == JvmEventKind::Deoptimization) {
        let method = event.name.split(" (").next().unwrap_or_default();
        *by_method.entry(method).or_default() += 1;
    }
    let (method, count) = by_method.iter().max_by_key(|(_, count)| **count)?;
    let is_frequent = *count as f64 * 60.0 / work.seconds() >= DEOPTIMIZATIONS_PER_MINUTE;
    (*count >= FEWEST_DEOPTIMIZATIONS && is_frequent).then(|| {
        let others = by_method.values().filter(|count| **count >= FEWEST_DEOPTIMIZATIONS).count() - 1;
        let others = match others {
            0 => String::new(),
            1 => ", and that of one more name, too".to_owned(),
            _ => format!(", and that of {others} more names, too"),
        };
        vec![format!(
            "the optimised code of methods with the name {method} was given up {count} times (required: at least \
             {FEWEST_DEOPTIMIZATIONS}){others}"
        )]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detector::Detector;
    use whittle_testkit::experiment_from_text;

    /// An event of a millisecond, with the used heap in MiB.
    fn event(kind: JvmEventKind, name: &str, (millis, length): (u64, u64), heap: Option<(u64, u64)>) -> JvmEvent {
        JvmEvent {
            start_ns: millis * 1_000_000,
            end_ns: (millis + length) * 1_000_000,
            kind,
            name: name.to_owned(),
            reaching_ns: 0,
            heap_before_bytes: heap.map(|(before, _)| before << 20),
            heap_after_bytes: heap.map(|(_, after)| after << 20),
        }
    }

    fn pause(name: &str, times: (u64, u64), heap: (u64, u64)) -> JvmEvent {
        event(JvmEventKind::GcPause, name, times, Some(heap))
    }

    /// What the rule of a detector says about a program that ran for 10 s.
    fn said(detector: &str, events: &[JvmEvent]) -> Option<String> {
        let (mut manifest, mut tables) = experiment_from_text("a.Main.main()");
        manifest.duration_ns = 10_000_000_000;
        events.iter().for_each(|event| tables.jvm_events.push(event.clone()));
        let profile = Profile::load(manifest, tables).expect("valid");
        let work = WorkThreads { from_ns: 0, to_ns: 10_000_000_000, ..WorkThreads::new(&profile) };
        let detector = Detector::of_id(detector).expect("a detector");
        criteria(detector, &profile, &work).map(|criteria| criteria.join("; "))
    }

    #[test]
    fn a_collector_that_falls_behind_makes_full_collections() {
        let full = |cause: &str, millis| pause(&format!("Pause Full ({cause})"), (millis, 200), (200, 190));
        let said = |events: &[JvmEvent]| said("collector-falls-behind", events);
        let text = said(&[full("G1 Compaction Pause", 100), full("G1 Compaction Pause", 500)]).expect("a problem");
        assert!(text.contains("took 4.0 % of the time"), "{text}");
        assert!(text.ends_with("most often: Pause Full (G1 Compaction Pause), 2 times"), "{text}");
        assert_eq!(said(&[full("System.gc()", 100), full("System.gc()", 500)]), None);
        assert_eq!(said(&[full("G1 Compaction Pause", 100)]), None);
        let evacuation = |cause: &str| pause(&format!("Pause Young (Normal) ({cause})"), (100, 900), (200, 190));
        assert!(said(&[evacuation("Evacuation Failure: Allocation")]).is_some());
        assert_eq!(said(&[evacuation("Evacuation Failure: Pinned")]), None);
        let stall = event(JvmEventKind::AllocationStall, "main", (100, 900), None);
        assert!(said(&[stall]).expect("a problem").ends_with("allocation stall, once"));
    }

    /// Young collections leave 10 MiB of 50 MiB, which a full collection frees. A cache keeps what it gets.
    #[test]
    fn bytes_that_are_promoted_and_freed_soon_are_promoted_too_early() {
        let young = |millis, heap| pause("Pause Young (Allocation Failure)", (millis, 50), heap);
        let full = |millis, heap| pause("Pause Full (Ergonomics)", (millis, 50), heap);
        let early = [
            young(100, (50, 10)),
            young(200, (60, 20)),
            young(300, (70, 30)),
            full(400, (80, 10)),
            young(500, (60, 20)),
            young(600, (70, 30)),
            full(700, (80, 10)),
        ];
        let text = said("early-promotion", &early).expect("a problem");
        assert!(text.starts_with("13 % of the allocated bytes outlived"), "{text}");
        assert!(text.contains("315 MB allocated, 42 MB promoted, 42 MB freed in 2 cycles of collections"), "{text}");
        let cache = [young(100, (50, 10)), young(200, (60, 20)), young(300, (70, 30)), full(400, (80, 40))];
        assert_eq!(said("early-promotion", &cache), None);
    }

    /// The survivors of the young generation come and go. A mixed collection finds nothing to free. JDK 9 has other names.
    #[test]
    fn survivors_are_not_promoted() {
        let mut pauses = Vec::new();
        for round in 0..4_u64 {
            let times = |part| (10 * round + part, 1);
            pauses.push(pause("Pause Young (Normal) (G1 Evacuation Pause)", times(1), (100, 80)));
            pauses.push(pause("Pause Initial Mark (G1 Evacuation Pause)", times(2), (120, 40)));
            pauses.push(pause("Pause Mixed (G1 Evacuation Pause)", times(3), (80, 40)));
        }
        let generations = Generations::new(pauses.iter());
        assert_eq!((generations.promoted, generations.freed, generations.cycles), (0, 0, 0));
    }

    #[test]
    fn threads_that_wait_for_memory_at_the_same_time_wait_once() {
        let stall = |millis| event(JvmEventKind::AllocationStall, "worker", (millis, 200), None);
        let text = said("collector-falls-behind", &[stall(100), stall(150), stall(150)]);
        assert_eq!(text, None);
        let text = said("collector-falls-behind", &[stall(100), stall(150), stall(500)]).expect("a problem");
        assert!(text.contains("took 4.5 % of the time"), "{text}");
    }

    #[test]
    fn the_pauses_of_a_marking_free_regions_of_the_old_generation() {
        let pauses = [
            pause("Pause Young (Normal) (G1 Evacuation Pause)", (1, 1), (50, 10)),
            pause("Pause Young (Normal) (G1 Evacuation Pause)", (2, 1), (60, 30)),
            pause("Pause Cleanup", (3, 1), (45, 40)),
            pause("Pause Young (Mixed) (G1 Evacuation Pause)", (4, 1), (60, 15)),
        ];
        let mebi = |value: u64| value << 20;
        let expected = Generations { allocated: mebi(85), promoted: mebi(20), freed: mebi(15), cycles: 1 };
        assert_eq!(Generations::new(pauses.iter()), expected);
    }

    #[test]
    fn code_that_is_given_up_again_and_again_is_told() {
        let given_up = |name: &str, count| {
            let one = |number| event(JvmEventKind::Deoptimization, name, (number, 0), None);
            (0..count).map(one).collect::<Vec<_>>()
        };
        let mut events = given_up("app.Shop.price (uncommon trap)", 4);
        assert_eq!(said("repeated-deoptimization", &events), None);
        events.extend(given_up("app.Shop.price", 3));
        events.extend(given_up("app.Shop.sell", 5));
        let expected = "the optimised code of methods with the name app.Shop.price was given up 7 times (required: at least \
                        5), and that of one more name, too";
        assert_eq!(said("repeated-deoptimization", &events).as_deref(), Some(expected));
    }
}
