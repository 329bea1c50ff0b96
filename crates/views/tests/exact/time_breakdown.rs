//! Tests of the overview's time breakdown, and of the filter `code is`. Each part is compared with a view that adds up the
//! same samples in another way.

use crate::support::text;
use proptest::prelude::{prop_assert_eq, proptest};
use whittle_profile::code_owner::CodeOwner;
use whittle_profile::{Profile, Query};
use whittle_testkit::{RandomShape, add_thread_states, experiment_from_samples, experiment_from_text, random_samples};
use whittle_views::overview::{OverviewView, overview};
use whittle_views::waits::waits;

/// All owners, and waits of threads with and without work.
const PROGRAM: &str = "
    @thread  main             main                  main                         main             main             GC [gc]  C2 [jit_compiler]  main             main                       main                                           worker
    @event   cpu              cpu                   cpu                          cpu              cpu              cpu      cpu                cpu              cpu                        off_cpu:futex                                  off_cpu:futex
    @weight  5                2                     1                            1                2                3        1                  4                0.5                        6                                              9
             app/Shop.run()V  app/Shop.run()V       app/Shop.run()V              app/Shop.run()V  app/Shop.run()V  mark[j]  parse[j]           app/Shop.run()V  <truncated>[t:unanswered]  app/Shop.run()V                                java/util/concurrent/ThreadPoolExecutor.getTask
                              java/util/Map.get()V  org/springframework/A.do()V  memcpy[n]        allocate[j]                                  write[n]                                    java/util/concurrent/locks/ReentrantLock.lock  java/util/concurrent/LinkedBlockingQueue.take
                                                                                                                                               vfs_write[k]
";

fn profile() -> Profile {
    let (manifest, tables) = experiment_from_text(PROGRAM);
    Profile::load(manifest, tables).expect("valid")
}

fn filtered(filter: &str) -> Query {
    Query { filter: Some(filter.parse().expect("a filter")), ..Query::default() }
}

/// The CPU time of an overview, from its totals.
fn cpu_ns(view: &OverviewView) -> f64 {
    let column = view.columns.iter().position(|column| column.metric == "cpu").expect("CPU");
    view.totals.numbers[column]
}

#[test]
fn each_part_is_the_total_of_its_filter_and_the_parts_add_up() {
    let profile = profile();
    let whole = overview(&profile, &Query::default()).expect("overview");
    let breakdown = whole.time_breakdown.as_ref().expect("a breakdown");
    let parts: Vec<(&str, f64)> = breakdown.code.iter().map(|part| (part.owner, part.amount / 1e9)).collect();
    let expected = [
        ("own", 5.0),
        ("library", 1.0),
        ("jdk", 2.0),
        ("native", 1.0),
        ("jvm", 2.0),
        ("gc", 3.0),
        ("jit", 1.0),
        ("kernel", 4.0),
        ("unknown", 0.5),
    ];
    assert_eq!(parts, expected);
    assert_eq!(breakdown.total, cpu_ns(&whole));
    for part in &breakdown.code {
        let only = overview(&profile, &filtered(&format!("code is {}", part.owner))).expect("overview");
        assert_eq!(cpu_ns(&only), part.amount, "{}", part.owner);
        let not = overview(&profile, &filtered(&format!("not code is {}", part.owner))).expect("overview");
        assert_eq!(cpu_ns(&not), breakdown.total - part.amount, "{}", part.owner);
    }
}

#[test]
fn waits_add_up_to_the_table_of_waits_without_idle_threads() {
    let (manifest, mut tables) = experiment_from_text(PROGRAM);
    add_thread_states(
        &mut tables,
        "
        thread  on_cpu_user  blocked:futex  blocked:socket
        main    1            8              2
        worker  1            12             -
        ",
    );
    let profile = Profile::load(manifest, tables).expect("valid");
    let view = overview(&profile, &Query::default()).expect("overview");
    let breakdown = view.time_breakdown.as_ref().expect("a breakdown");
    let table = waits(&profile, &Query::default()).expect("waits");
    assert_eq!(breakdown.waits_ns, table.total.duration_ns);
    let meanings: Vec<(&str, f64)> =
        breakdown.waits.iter().map(|part| (part.meaning, part.duration_ns / 1e9)).collect();
    assert_eq!(meanings, [("lock", 8.0), ("socket", 2.0)]);
    assert_eq!(breakdown.idle_ns, 12e9);
    let printed = text(&view);
    for line in [
        "Code: OOOOOLJJNVVGGGCKKKK?",
        "O own code 25.64 %",
        "Waits: 11111111111111112222  10.000 s, counted by the kernel: 1 a lock 80.00 %, 2 a socket 20.00 %; idle threads 12.000 s\n",
    ] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
}

#[test]
fn the_hottest_own_function_includes_the_code_of_others_that_it_calls() {
    let (manifest, tables) = experiment_from_text(
        "
        app/Main.main()V  app/Main.main()V      app/Main.main()V       app/Main.main()V
                          app/Main.load()V      app/Main.load()V
                                                java/util/Map.get()V
        ",
    );
    let profile = Profile::load(manifest, tables).expect("valid");
    let hottest = |query: &Query| overview(&profile, query).expect("overview").hottest_own_function;
    assert_eq!(hottest(&Query::default()).as_deref(), Some("app/Main.load()V"));
    assert_eq!(hottest(&filtered("code is jdk")).as_deref(), Some("app/Main.load()V"));
    assert_eq!(hottest(&filtered("code is kernel")), None);
}

const SHAPE: RandomShape = RandomShape { function_count: 3, depth: 8, sample_count: 12, thread_count: 4 };

proptest! {
    #[test]
    fn every_sample_has_exactly_one_owner(samples in random_samples(SHAPE)) {
        let (manifest, tables) = experiment_from_samples(&samples);
        let profile = Profile::load(manifest, tables).expect("valid");
        let whole = overview(&profile, &Query::default()).expect("overview");
        let owners = CodeOwner::ALL.iter().map(|owner| {
            overview(&profile, &filtered(&format!("code is {}", owner.name()))).expect("overview")
        });
        let (mut counts, mut cpu) = (0, 0.0);
        for view in owners {
            counts += view.samples_count;
            cpu += cpu_ns(&view);
        }
        prop_assert_eq!(counts, whole.samples_count);
        prop_assert_eq!(cpu, cpu_ns(&whole));
        prop_assert_eq!(whole.time_breakdown.map_or(0.0, |breakdown| breakdown.total), cpu);
    }
}
