//! Tests of the frames of whittle's BPF programs.

use crate::support::{query, text};
use whittle_model::{Collector, CollectorStatus};
use whittle_profile::{Profile, Query, ViewMode};
use whittle_testkit::experiment_from_text;

/// Two system calls are observed. Each has its own BPF program, which calls functions of the kernel. The fifth stack is in a filter of
/// seccomp, which is a BPF program of the observed program.
const OBSERVED: &str = "
    main()               main()               main()               main()        main()
    __write[n]           __write[n]           __write[n]           __write[n]    __write[n]
    do_syscall_64[k]     do_syscall_64[k]     do_syscall_64[k]     vfs_write[k]  __seccomp_filter[k]
    __bpf_trace_sys[k]   bpf_trace_run2[k]    __bpf_trace_sys[k]                 bpf_prog_9[k]
    bpf_trace_run2[k]    bpf_prog_52_exit[k]  bpf_trace_run2[k]
    bpf_prog_51_enter[k]                      bpf_prog_51_enter[k]
    ring_reserve[k]
";

fn profile(engine: &str) -> Profile {
    let (mut manifest, tables) = experiment_from_text(OBSERVED);
    manifest.collectors.push(Collector {
        name: "whittle".to_owned(),
        engine: engine.to_owned(),
        interval_ns: None,
        status: CollectorStatus::Used,
        reason: String::new(),
    });
    Profile::load(manifest, tables).expect("valid")
}

fn machine() -> Query {
    Query { mode: ViewMode::Machine, ..query("e.cpu,i.cpu") }
}

#[test]
fn own_frames_are_one_row_and_the_rows_add_up_to_the_total() {
    let view = whittle_views::functions::functions(&profile("kernel"), &machine()).expect("functions");
    assert_eq!(
        text(&view),
        "
Functions, machine mode

exclusive  inclusive
  ▼ CPU s      CPU s  function
    5.000      5.000  <Total>
    3.000      3.000  <whittle BPF programs>
    1.000      1.000  bpf_prog_9
    1.000      1.000  vfs_write
    0.000      1.000  __seccomp_filter
    0.000      5.000  __write
    0.000      3.000  do_syscall_64
    0.000      5.000  main()
"
    );
    let overview = whittle_views::overview::overview(&profile("kernel"), &machine()).expect("an overview");
    assert_eq!(overview.whittle_cpu_ns, Some(3_000_000_000));
}

/// Without the engine `kernel`, BPF programs are not whittle's.
#[test]
fn bpf_programs_of_other_tools_keep_their_names() {
    let view = whittle_views::functions::functions(&profile("ctimer"), &machine()).expect("functions");
    assert!(view.rows.iter().any(|row| row.function == "bpf_prog_51_enter"), "{:?}", view.rows);
    let overview = whittle_views::overview::overview(&profile("ctimer"), &machine()).expect("an overview");
    assert_eq!(overview.whittle_cpu_ns, None);
}

/// In user mode, the Java method has the cost of its system calls, as before.
#[test]
fn user_mode_does_not_change() {
    let user = Query { mode: ViewMode::User, ..machine() };
    let rows = |engine| whittle_views::functions::functions(&profile(engine), &user).expect("functions").rows;
    let values = |engine| rows(engine).into_iter().map(|row| (row.function, row.values.numbers)).collect::<Vec<_>>();
    assert_eq!(values("kernel"), values("ctimer"));
}
