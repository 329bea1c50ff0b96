use super::*;

/// The events of a log as `kind name start..end reaching`, in microseconds after `start_ns`.
fn events_of(log: &str, start_ns: u64) -> Vec<String> {
    let mut table = JvmEventTable::default();
    let mut reader = JvmLog::new(start_ns);
    // The pieces end inside lines.
    log.as_bytes().chunks(37).for_each(|piece| reader.push(piece, &mut table));
    reader.finish(&mut table);
    let rows = (0..table.len()).map(|row| table.row(row));
    rows.map(|event| {
        let micros = |ns: u64| ns / 1000;
        let (start, end, reaching) = (micros(event.start_ns), micros(event.end_ns), micros(event.reaching_ns));
        format!("{} {} {start}..{end} {reaching}", event.kind, event.name)
    })
    .collect()
}

/// Lines of JDK 17 with the collector G1.
#[test]
fn a_pause_and_its_phases_are_inside_their_safepoint() {
    let log = "\
[1010600119ns][gc,phases] GC(101)   Pre Evacuate Collection Set: 0.1ms
[1010626417ns][gc,phases] GC(101)   Merge Heap Roots: 0.1ms
[1010630625ns][gc,phases] GC(101)   Evacuate Collection Set: 2.3ms
[1010635224ns][gc,phases] GC(101)   Post Evacuate Collection Set: 0.4ms
[1010644862ns][gc,phases] GC(101)   Other: 0.1ms
[1010672644ns][gc       ] GC(101) Pause Young (Mixed) (G1 Evacuation Pause) 78M->66M(200M) 3.022ms
[1010685909ns][safepoint] Safepoint \"G1CollectForAllocation\", Time since last: 777110 ns, Reaching safepoint: 4498 ns, \
Cleanup: 3978 ns, At safepoint: 3047096 ns, Total: 3055572 ns
";
    let expected = [
        "gc_phase Pre Evacuate Collection Set 10650..10750 0",
        "gc_phase Merge Heap Roots 10750..10850 0",
        "gc_phase Evacuate Collection Set 10850..13150 0",
        "gc_phase Post Evacuate Collection Set 13150..13550 0",
        "gc_phase Other 13550..13650 0",
        "gc_pause Pause Young (Mixed) (G1 Evacuation Pause) 10650..13672 0",
        "safepoint G1CollectForAllocation 10630..13685 4",
    ];
    // 997 ms is 3 ms before the first line, because lines are written at the end.
    assert_eq!(events_of(log, 997_000_000), expected);
}

#[test]
fn an_event_before_the_start_is_left_out_and_an_event_at_the_start_is_cut() {
    let log = "[2000000ns][gc] GC(1) Pause Remark 1M->1M(2M) 1.000ms\n[9000000ns][gc] GC(1) Pause Cleanup 5.000ms\n";
    assert_eq!(events_of(log, 5_000_000), ["gc_pause Pause Cleanup 0..4000 0"]);
}

/// The second line is 5 ms late, and the third is on time.
#[test]
fn a_late_line_does_not_move_its_safepoint_if_an_earlier_line_was_on_time() {
    let line = |time_ns: u64, since_last_ns: u64| {
        format!(
            "[{time_ns}ns][safepoint] Safepoint \"X\", Time since last: {since_last_ns} ns, Reaching safepoint: 50000 ns, \
             At safepoint: 40000 ns, Leaving safepoint: 10000 ns, Total: 100000 ns, Threads: 1 runnable, 11 total\n"
        )
    };
    let log = line(1_000_000, 77) + &line(16_000_000, 9_900_000) + &line(21_000_000, 9_900_000);
    let expected = ["safepoint X 900..1000 50", "safepoint X 10900..11000 50", "safepoint X 20900..21000 50"];
    assert_eq!(events_of(&log, 0), expected);
}

#[test]
fn a_missing_line_has_no_lasting_effect() {
    let mut clock = SafepointClock::default();
    let times = SafepointTimes { since_last_ns: Some(900), reaching_ns: 1, total_ns: 100 };
    let end = |clock: &mut SafepointClock, number: u64| clock.end_ns(1000 * number, times);
    assert_eq!([end(&mut clock, 1), end(&mut clock, 2)], [1000, 2000]);
    // The third line is missing.
    assert_eq!(end(&mut clock, 4), 3000);
    let ends: Vec<u64> = (5..60).map(|number| end(&mut clock, number)).collect();
    assert_eq!(ends.last(), Some(&59_000));
}

/// Lines of ZGC, Parallel and Shenandoah, JDK 17 and 25.
#[test]
fn collectors_report_in_different_words() {
    let log = "\
[1000000ns][gc,phases] GC(23) Pause Mark End 0.015ms
[2000000ns][gc,phases] GC(23) Concurrent Mark Free 0.001ms
[3000000ns][gc       ] Allocation Stall (main) 1.489ms
[4000000ns][gc       ] GC(22) Garbage Collection (Allocation Stall) 146M(73%)->68M(34%)
[5000000ns][gc,phases] GC(69) y: Pause Relocate Start 0.015ms
[6000000ns][gc,phases] GC(69) O: Concurrent Relocate 1.261ms
[7000000ns][gc,phases] GC(69) y: Young Generation 88M(44%)->134M(67%) 0.006s
[8000000ns][gc       ] GC(69) Minor Collection (Allocation Rate) 88M(44%)->134M(67%) 0.007s
[8100000ns][gc       ] GC(70) Minor Collection (Allocation Rate)
[9000000ns][gc       ] Trigger: Average GC time (31.01 ms) is above the time for average allocation rate
[9100000ns][gc,phases] GC(3) Marking Phase 0.100ms
[9200000ns][gc       ] GC(3) Pause Full (Ergonomics) 120M->80M(200M) 0.150ms
[9300000ns][gc       ] GC(27) Concurrent cleanup 157M->82M(200M) 0.043ms
[9400000ns][codecache] CodeCache is full. Compiler has been disabled.
no line of a log
";
    let expected = [
        "gc_concurrent Concurrent Mark Free 1999..2000 0",
        "allocation_stall main 1511..3000 0",
        "gc_concurrent Concurrent Relocate (old generation) 4739..6000 0",
        "gc_concurrent Young Generation (young generation) 1000..7000 0",
        "gc_concurrent Minor Collection (Allocation Rate) 1000..8000 0",
        "gc_concurrent Concurrent cleanup 9257..9300 0",
        "code_cache CodeCache is full. Compiler has been disabled. 9400..9400 0",
        "gc_pause Pause Mark End 985..1000 0",
        "gc_pause Pause Relocate Start (young generation) 4985..5000 0",
        "gc_phase Marking Phase 9000..9100 0",
        "gc_pause Pause Full (Ergonomics) 9050..9200 0",
    ];
    assert_eq!(events_of(log, 0), expected);
}

/// Lines of JDK 17 and 25. Only optimised code counts, and only if an assumption was wrong.
#[test]
fn code_that_is_given_up_is_an_event() {
    let log = "\
[1000000ns][jit,compilation]   32       4       app.Shop::price (32 bytes)
[2000000ns][jit,compilation]   32       4       app.Shop::price (32 bytes)   made not entrant
[3000000ns][jit,compilation]    4 %  !  4       app.Shop::run @ 4 (32 bytes)   made not entrant: uncommon trap
[4000000ns][jit,compilation]   30       3       app.Shop::price (32 bytes)   made not entrant
[5000000ns][jit,compilation]   41       4       app.Shop::price (32 bytes)   made not entrant: not used
";
    let expected =
        ["deoptimization app.Shop.price 2000..2000 0", "deoptimization app.Shop.run (uncommon trap) 3000..3000 0"];
    assert_eq!(events_of(log, 0), expected);
}

/// Lines of JDK 17.
#[test]
fn a_pause_that_found_no_free_region_says_so() {
    let log = "\
[1000000ns][gc] GC(1) To-space exhausted
[2000000ns][gc] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 78M->78M(78M) 0.022ms
[3000000ns][gc] GC(2) Pause Full (G1 Compaction Pause) 78M->60M(78M) 0.022ms
";
    let expected = [
        "gc_pause Pause Young (Normal) (G1 Evacuation Pause) (To-space exhausted) 1978..2000 0",
        "gc_pause Pause Full (G1 Compaction Pause) 2978..3000 0",
    ];
    assert_eq!(events_of(log, 0), expected);
}

#[test]
fn a_collection_has_the_heap_before_and_after() {
    let log = "\
[1000000ns][gc] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 78M->66M(200M) 0.022ms
[2000000ns][gc] GC(2) Minor Collection (Allocation Rate) 1G(88%)->512K(4%) 0.007s
[3000000ns][gc] GC(3) Pause Remark 0.015ms
[4000000ns][gc] GC(4) Pause Full (Ergonomics) 99999999999999999999M->5X(2M) 0.015ms
";
    let mut table = JvmEventTable::default();
    let mut reader = JvmLog::new(0);
    reader.push(log.as_bytes(), &mut table);
    reader.finish(&mut table);
    let mut heaps: Vec<(u64, Option<u64>, Option<u64>)> = (0..table.len())
        .map(|row| (table.end_ns[row], table.heap_before_bytes[row], table.heap_after_bytes[row]))
        .collect();
    heaps.sort_unstable();
    let expected = [
        (1_000_000, Some(78 << 20), Some(66 << 20)),
        (2_000_000, Some(1 << 30), Some(512 << 10)),
        (3_000_000, None, None),
        (4_000_000, None, None),
    ];
    assert_eq!(heaps, expected);
}

/// Lines of JDK 11.
#[test]
fn names_and_times_can_be_in_different_lines() {
    let log = "\
[7000000ns][safepoint] Application time: 0.5 seconds
[7100000ns][safepoint] Entering safepoint region: RevokeBias
[7300000ns][safepoint] Leaving safepoint region
[7300000ns][safepoint] Total time for which application threads were stopped: 0.0003000 seconds, \
Stopping threads took: 0.0000500 seconds
";
    assert_eq!(events_of(log, 0), ["safepoint RevokeBias 7000..7300 50"]);
}

#[test]
fn too_many_events_are_counted_and_phases_are_left_out_first() {
    let (mut reader, mut table) = (JvmLog::new(0), JvmEventTable::default());
    let mut events = |kind, count| {
        (0..count).for_each(|_| reader.add(event(kind, String::new(), (1, 2)), &mut table));
        (table.len(), reader.left_out_count())
    };
    assert_eq!(events(JvmEventKind::GcPhase, MAX_EVENTS_WITH_PHASES + 5), (MAX_EVENTS_WITH_PHASES, 5));
    assert_eq!(events(JvmEventKind::GcPause, MAX_EVENTS), (MAX_EVENTS, 5 + MAX_EVENTS_WITH_PHASES as u64));
}

#[test]
fn a_long_line_is_skipped_and_costs_no_memory() {
    let mut reader = JvmLog::new(0);
    let mut table = JvmEventTable::default();
    for _ in 0..1000 {
        reader.push(&[b'x'; 1000], &mut table);
        assert!(reader.rest.len() <= MAX_LINE_BYTES);
    }
    reader.push(b"\n[2000000ns][gc] GC(1) Concurrent Cycle 1.000ms\n", &mut table);
    assert_eq!(table.len(), 1);
}
