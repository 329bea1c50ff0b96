//! Tests of `stat` on experiments drawn as text, and of each rule of the advice.

use crate::support::text;
use whittle_model::{
    Collector, CollectorStatus, CounterValue, CpuSplitSource, ExitStatus, Host, Manifest, Metric, ResourceUse, Tables,
    UnitOfWork,
};
use whittle_profile::Profile;
use whittle_render::{Format, Style, render};
use whittle_testkit::{add_thread_states, experiment_from_text, experiment_with_calls};

const CALLS: &str = "
    thread  call   file                      calls   errors  bytes   seconds  latencies
    main    write  regular:/var/log/app.log  400000  0       400000  3.5      13:400000
    main    read   regular:/etc/hosts        100     0       409600  0.1      13:100
    main    futex  none                      50      2       0       1.5      24:50
";

fn resources(user_ns: u64, system_ns: u64) -> ResourceUse {
    ResourceUse {
        real_ns: 10_000_000_000,
        user_ns,
        system_ns,
        peak_rss_bytes: Some(120_300_000),
        mean_rss_bytes: Some(98_000_000),
        voluntary_switches: Some(900),
        involuntary_switches: Some(100),
        minor_faults: Some(5_000),
        major_faults: Some(0),
        gc_count: Some(12),
        gc_ns: Some(120_000_000),
        allocated_bytes: Some(24_000_000),
        allocated_objects_count: Some(68_000),
        run_queue_ns: Some(250_000_000),
        blocked_ns: Some(3_000_000_000),
    }
}

const MAIN_STATES: &str = "
    thread  on_cpu_user  on_cpu_system  runnable:run_queue  blocked:futex  blocked:file
    main    2.0          5.0            0.25                1.5            1.25
    C2      0.5          -              -                   9.5            -
";

fn small_writes() -> (Manifest, Tables) {
    let (mut manifest, mut tables) = experiment_with_calls(CALLS, "@thread  main  C2 [jit_compiler]\n         a     b");
    manifest.command = vec!["java".to_owned(), "Main".to_owned()];
    manifest.duration_ns = 10_000_000_000;
    manifest.exit = Some(ExitStatus::Code(0));
    manifest.host = Some(Host { name: "h".to_owned(), kernel: "6.1".to_owned(), cpu_count: 2, tick_hz: None });
    manifest.resources = Some(resources(2_500_000_000, 5_000_000_000));
    manifest.units_of_work =
        vec![UnitOfWork { name: "documents".to_owned(), amount: 183.0, source: "printed by the program".to_owned() }];
    manifest.not_counted = vec!["io_uring: its operations are no system calls".to_owned()];
    add_thread_states(&mut tables, MAIN_STATES);
    for (time_ns, counter, value) in [
        (1, "rate", 14.0),
        (3, "rate", 20.0),
        (2, "rate", 17.0),
        (4, "heap_used_bytes", 64e6),
        (5, "class_count", 1254.0),
        (5, "class_loading_ns", 138e6),
        (5, "compilation_ns", 429e6),
    ] {
        tables.counters.push(CounterValue { time_ns, counter: counter.to_owned(), value });
    }
    tables.threads.cpu_ns = vec![Some(7_000_000_000), Some(500_000_000)];
    tables.threads.cpu_split = vec![CpuSplitSource::KernelTicks; 2];
    (manifest, tables)
}

/// A running program has loaded classes before. They are not part of the measurement.
#[test]
fn values_of_a_running_program_count_from_the_first_reading() {
    let (mut manifest, mut tables) = small_writes();
    manifest.exit = None;
    for (counter, value) in [("class_count", 1200.0), ("class_loading_ns", 100e6), ("compilation_ns", 29e6)] {
        tables.counters.push(CounterValue { time_ns: 1, counter: counter.to_owned(), value });
    }
    let view = whittle_views::stat::stat(&Profile::load(manifest, tables).expect("valid"), None);
    assert!(
        text(&view).contains("JVM:             54 classes loaded in 0.038 s, compiler 0.400 s\n"),
        "{}",
        text(&view)
    );
    // One reading shows no growth.
    let (mut manifest, tables) = small_writes();
    manifest.exit = None;
    let view = whittle_views::stat::stat(&Profile::load(manifest, tables).expect("valid"), None);
    assert!(!text(&view).contains("JVM:"), "{}", text(&view));
}

#[test]
fn one_screen_says_what_was_used_and_what_to_look_at() {
    let (manifest, tables) = small_writes();
    let view = whittle_views::stat::stat(&Profile::load(manifest, tables).expect("valid"), Some("app.whittle"));
    assert_eq!(
        text(&view),
        "
Command: java Main

Real:            10.000 s on 2 CPUs
User:            2.500 s (12.5 % of real × CPUs)
System:          5.000 s (25.0 % of real × CPUs)
CPU by threads:  work 7.000 s (93.3 %), jit_compiler 0.500 s (6.7 %)
Memory:          peak 120.3 MB, mean 98.0 MB, Java heap up to 64.0 MB
Allocation:      24.0 MB (2.4 MB/s), 68,000 objects (6,800/s), estimated from samples
GC:              12 collections, 0.120 s (1.2 % of real)
JVM:             1,254 classes loaded in 0.138 s, compiler 0.429 s
Switches:        900 voluntary, 100 involuntary, 100/s
Page faults:     5,000 minor, 0 major
Blocked:         futex 1.500 s, file 1.250 s; waiting for a CPU 0.250 s; of one work thread
System calls:    400,150 (40,015/s), mean 2.0 bytes per call that moves bytes, 2 errors
Work done:       183 documents (18.3/s), printed by the program
Work done:       rate 17.0 on average, 14.0 to 20.0, last 20.0 (3 readings)

▼ time s    calls   calls/s  bytes/call  system call
   3.500  400,000  40,000.0         1.0  write
   1.500       50       5.0           -  futex
   0.100      100      10.0     4,096.0  read

Note: not counted: io_uring: its operations are no system calls
Next: System CPU is 67 % of the CPU time, and write moves 1.0 bytes per call, 40,000 times per second: \
`whittle syscalls app.whittle` shows which functions make these calls.
"
    );
    let json: serde_json::Value = serde_json::from_str(&render(&view, Format::Json, Style::default())).expect("JSON");
    assert_eq!((&json["view"], &json["advice"]["rule"]), (&"stat".into(), &"small_calls".into()));
    assert_eq!(json["syscalls"]["top_by_time"][0]["bytes_per_call"], 1.0);
    assert_eq!(json["blocked_by_reason"][0], serde_json::json!({ "reason": "futex", "duration_ns": 1_500_000_000 }));
    assert_eq!(json["system_ratio"], 0.25);
    let csv = render(&view, Format::Csv, Style::default());
    assert!(csv.contains("blocked_futex_ns,1500000000\r\n") && csv.ends_with("advice_rule,small_calls\r\n"), "{csv}");
}

/// Makes one change in an experiment without problems, and returns the advice.
fn rule_after(change: impl Fn(&mut Manifest, &mut Tables)) -> (&'static str, String) {
    let (mut manifest, mut tables) = experiment_from_text("@thread  main\n         app.Main.run\n         app.Work.go");
    manifest.duration_ns = 10_000_000_000;
    manifest.resources = Some(resources(6_000_000_000, 1_000_000_000));
    tables.samples.count[0] = 1_000;
    change(&mut manifest, &mut tables);
    let advice = whittle_views::stat::stat(&Profile::load(manifest, tables).expect("valid"), Some("a.whittle")).advice;
    (advice.rule, advice.text)
}

fn used(manifest: &mut Manifest) -> &mut ResourceUse {
    manifest.resources.as_mut().expect("set before")
}

#[test]
fn each_rule_speaks_where_it_holds() {
    type Change = fn(&mut Manifest, &mut Tables);
    let cases: [(&str, &str, Change); 10] = [
        ("top_function", "100 % of the CPU time is in app.Work.go itself", |_, _| {}),
        ("few_samples", "3 samples are too few", |_, tables| tables.samples.count[0] = 3),
        ("system_cpu", "--metrics e.system_cpu,e.system_cpu%,i.cpu", |manifest, _| {
            used(manifest).system_ns = 4_000_000_000;
        }),
        ("gc", "Garbage collections took 20 %", |manifest, _| used(manifest).gc_ns = Some(2_000_000_000)),
        ("run_queue", "waited for a free CPU in 50 % of the time", |_, tables| {
            add_thread_states(tables, "thread  on_cpu_user  runnable:run_queue\nmain    5.0          5.0");
        }),
        ("cpu_quota", "stopped threads in 50 % of the time in which they could execute", |_, tables| {
            add_thread_states(tables, "thread  on_cpu_user  runnable:quota\nmain    5.0          5.0");
        }),
        ("locks", "`whittle functions a.whittle --metrics i.off_cpu_futex`", |_, tables| {
            add_thread_states(tables, "thread  on_cpu_user  blocked:futex\nmain    3.0          7.0");
        }),
        ("files", "waited for files 70 % of their time", |_, tables| {
            add_thread_states(tables, "thread  on_cpu_user  blocked:file\nmain    3.0          7.0");
        }),
        ("idle", "its threads mostly waited (poll)", |manifest, tables| {
            (used(manifest).user_ns, used(manifest).system_ns) = (40_000_000, 40_000_000);
            add_thread_states(tables, "thread  on_cpu_user  blocked:poll\nmain    0.08         9.92");
        }),
        ("overview", "`whittle overview a.whittle`", |manifest, tables| {
            manifest.metrics.clear();
            tables.samples.count[0] = 1_000;
        }),
    ];
    for (rule, part, change) in cases {
        let (found, text) = rule_after(change);
        assert_eq!(found, rule, "{text}");
        assert!(text.contains(part), "{text}");
    }
}

/// Idle workers also wait for other threads. Without waits for Java locks, this is not a lock problem.
#[test]
fn threads_that_wait_for_work_are_no_lock_problem() {
    let states = "thread  on_cpu_user  blocked:futex\nmain    0.3          9.7";
    let (rule, _) = rule_after(|manifest, tables| {
        (used(manifest).user_ns, used(manifest).system_ns) = (300_000_000, 10_000_000);
        manifest.metrics.push(Metric::LockWait.definition());
        add_thread_states(tables, states);
    });
    assert_eq!(rule, "idle");
}

#[test]
fn without_an_experiment_the_advice_says_how_to_make_one() {
    let (manifest, tables) = small_writes();
    let text = whittle_views::stat::stat(&Profile::load(manifest, tables).expect("valid"), None).advice.text;
    assert!(text.ends_with(
        ": collect (whittle collect -o app.whittle …), then `whittle syscalls app.whittle` shows which functions make \
         these calls."
    ), "{text}");
}

/// An imported recording has samples but no counts from the kernel. Unknown values are left out.
#[test]
fn without_accounts_the_samples_speak() {
    let (manifest, tables) = experiment_from_text("@thread  main  GC [gc]\n         a     b[k]");
    let view = whittle_views::stat::stat(&Profile::load(manifest, tables).expect("valid"), Some("a.whittle"));
    assert_eq!((view.user_ns, view.system_ns, view.real_ns), (Some(1_000_000_000), Some(1_000_000_000), 2_000_000_000));
    let text = text(&view);
    assert!(text.contains("CPU by threads:  work 1.000 s (50.0 %), gc 1.000 s (50.0 %)"), "{text}");
    assert!(!text.contains("Memory") && !text.contains("System calls:"), "{text}");
}

/// Without the engine `kernel`, samples are the only source of blocked time. Threads of the JVM do no work of the program.
#[test]
fn blocked_time_without_a_count_is_an_estimate() {
    let (mut manifest, tables) = experiment_from_text(
        "
        @thread  main  main            worker          C2 [jit_compiler]
        @event   cpu   off_cpu:socket  off_cpu:futex   off_cpu:futex
        @weight  1     2               3               9
                 a     b               c               d
        ",
    );
    let lines = |manifest: &Manifest| {
        let profile = Profile::load(manifest.clone(), tables.clone()).expect("valid");
        let text = text(&whittle_views::stat::stat(&profile, Some("app.whittle")));
        text.lines().filter(|line| line.starts_with("Blocked:")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines(&manifest), [""; 0]);
    manifest.collectors = vec![Collector {
        name: String::new(),
        engine: "ctimer".to_owned(),
        interval_ns: None,
        status: CollectorStatus::Used,
        reason: String::new(),
    }];
    let found = lines(&manifest);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].ends_with(" futex 3.000 s, socket 2.000 s; total of 2 work threads, estimated from samples"),
        "{found:?}"
    );
}
