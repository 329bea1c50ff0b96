//! Tests of properties that are always true. The experiments are random, with much recursion and all kinds of code.
//!
//! Weights are whole nanoseconds. An f64 represents their sums exactly, so values are compared exactly.

use proptest::prelude::{ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, prop_assume, proptest};
use proptest::sample::Index;
use std::collections::BTreeMap;
use whittle_model::{
    FileIdentity, FileIndex, FileKind, FunctionKind, SampledCall, StackIndex, Syscall, SyscallIndex, SyscallLatency,
    Tables, ThreadIndex,
};
use whittle_profile::{Fragment, Parts, Profile, Query, ViewMode};
use whittle_testkit::{RandomSample, RandomShape, experiment_from_samples, random_samples};
use whittle_views::call_tree::{CallTreeView, TreeShape};
use whittle_views::functions::FunctionsView;
use whittle_views::syscalls::SyscallFigures;

const SHAPE: RandomShape = RandomShape { function_count: 3, depth: 8, sample_count: 12, thread_count: 4 };

fn profile(samples: &[RandomSample]) -> Profile {
    let (manifest, tables) = experiment_from_samples(samples);
    Profile::load(manifest, tables).expect("valid tables")
}

fn query(mode: ViewMode, metrics: &str) -> Query {
    Query { mode, metrics: Some(metrics.parse().expect("metrics")), ..Query::default() }
}

fn functions(profile: &Profile, mode: ViewMode) -> FunctionsView {
    whittle_views::functions::functions(
        profile,
        &query(mode, "e.cpu,i.cpu,e.system_cpu,i.system_cpu,e.user_cpu,i.user_cpu"),
    )
    .expect("functions")
}

/// Values by name. Names are unique in random experiments.
fn by_name(view: &FunctionsView) -> BTreeMap<String, Vec<f64>> {
    view.rows.iter().map(|row| (row.function.clone(), row.values.numbers.clone())).collect()
}

/// A random fragment: some consecutive names of a stack that the mode shows, root first.
fn random_fragment(
    profile: &Profile,
    mode: ViewMode,
    (stack, start, length): (Index, Index, Index),
) -> Option<Fragment> {
    let stacks = whittle_views::stacks::stacks(profile, &query(mode, "cpu")).expect("stacks");
    let frames = &stacks.rows.get(stack.index(stacks.rows.len().max(1)))?.frames_leaf_first;
    if frames.is_empty() {
        return None;
    }
    let start = start.index(frames.len());
    let length = 1 + length.index(frames.len() - start).min(2);
    let mut names = frames.iter().rev().skip(start).take(length);
    let first = Fragment::center(names.next()?.as_str());
    Some(names.fold(first, |fragment, name| fragment.append(name.as_str())))
}

fn mode() -> impl Strategy<Value = ViewMode> {
    proptest::sample::select(ViewMode::ALL.to_vec())
}

/// Whether a stack contains a fragment. This is the literal definition of "inclusive", for comparison.
fn contains_in_order(frames_root_first: &[&str], fragment: &[String]) -> bool {
    frames_root_first.windows(fragment.len()).any(|window| window.iter().zip(fragment).all(|(a, b)| *a == b))
}

/// Number of rows in the table of system calls: 2 threads × 2 calls × 3 files. One of the files means that the call has
/// no file.
const CALL_ROWS: u32 = 12;

/// One sampled call: row of the syscalls table, sample with the stack, weight, bytes, latency, and whether the call
/// failed.
type RandomCall = (u32, Index, u64, u64, u64, bool);

fn random_call() -> impl Strategy<Value = RandomCall> {
    (0..CALL_ROWS, any::<Index>(), 1..50_u64, 0..600_u64, 0..100_000_u64, any::<bool>())
}

/// An experiment with exact counts of calls, `calls[row]` for each row, and with sampled calls.
fn profile_with_calls(samples: &[RandomSample], calls: &[u64], sampled: &[RandomCall]) -> Profile {
    let (manifest, mut tables) = experiment_from_samples(samples);
    let identity = |inode| FileIdentity { device: 1, inode, kind: FileKind::Regular };
    add_files(&mut tables, [identity(1), identity(2)]);
    let threads = tables.threads.name.len() as u32;
    for (row, count) in (0..).zip(calls) {
        tables.syscalls.push(Syscall {
            thread: ThreadIndex((row / 6) % threads),
            number: row % 2,
            name: ["read", "write"][(row % 2) as usize].to_owned(),
            file: FileIndex(row % 3),
            calls_count: *count,
            errors_count: count / 3,
            bytes: count * 7 * u64::from(row),
            duration_ns: count * 1_000,
            longest_ns: 2_000,
        });
        tables.syscall_latencies.push(SyscallLatency {
            syscall: SyscallIndex(row),
            bucket: 10,
            count: (*count).max(1),
        });
    }
    for (row, stack, count, bytes, latency_ns, failed) in sampled {
        tables.sampled_calls.push(SampledCall {
            time_ns: *latency_ns,
            thread: tables.syscalls.thread[*row as usize],
            stack: *stack.get(&tables.samples.stack),
            syscall: SyscallIndex(*row),
            count: *count,
            bytes: *bytes,
            latency_ns: *latency_ns,
            error_number: failed.then_some(11),
        });
    }
    Profile::load(manifest, tables).expect("valid tables")
}

fn add_files(tables: &mut Tables, identities: [FileIdentity; 2]) {
    for FileIdentity { device, inode, kind } in identities {
        tables.files.push(whittle_model::File { device, inode, kind, path: format!("/file-{inode}") });
    }
    assert_eq!(tables.stacks.parent[0], StackIndex::ROOT);
}

/// Calls, errors, bytes, time.
fn amounts(figures: &SyscallFigures) -> [f64; 4] {
    [figures.calls_count, figures.errors_count, figures.bytes, figures.duration_ns]
}

/// True if the values are equal except for rounding. Shares of whole numbers can be fractions.
fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_function_by_part_is_the_function_of_each_parts_samples(samples in random_samples(SHAPE), mode in mode(), chosen in any::<Index>()) {
        let profile = profile(&samples);
        let rows = functions(&profile, mode).rows;
        prop_assume!(!rows.is_empty());
        let name = &rows[chosen.index(rows.len())].function;
        let threads = profile.tables().threads.name.len();
        let of = |thread: ThreadIndex, _: u64| Some(thread.row());
        let parts = Parts { count: threads, of: &of };
        for metric in ["cpu", "system_cpu"] {
            let shares = profile.function_by_part(&query(mode, "cpu"), (name, metric), &parts).expect("shares");
            for (thread, share) in shares.iter().enumerate() {
                let filter = Some(format!("thread = #{thread}").parse().expect("a filter"));
                let asked = Query { filter, ..query(mode, &format!("e.{metric},i.{metric},i.{metric}%")) };
                let values = whittle_views::function::function_details(&profile, &asked, name).expect("details").values;
                let expected = [values.numbers[0], values.numbers[1], values.bases[1]];
                prop_assert_eq!([share.exclusive, share.inclusive, share.total], expected, "{} {}", name, thread);
            }
        }
    }

    #[test]
    fn exclusive_values_sum_to_the_total(samples in random_samples(SHAPE), mode in mode()) {
        let profile = profile(&samples);
        let view = functions(&profile, mode);
        let total: u64 = samples.iter().map(|sample| sample.weight_ns).sum();
        prop_assert_eq!(view.total.numbers[0], total as f64);
        // A stack without frames is only in the root, and the root has no row.
        let rootless: u64 =
            samples.iter().filter(|sample| sample.frames_root_first.is_empty()).map(|sample| sample.weight_ns).sum();
        let rootless = if mode == ViewMode::Machine { rootless as f64 } else { 0.0 };
        let sum: f64 = view.rows.iter().map(|row| row.values.numbers[0]).sum();
        prop_assert_eq!(sum + rootless, total as f64);
    }

    #[test]
    fn user_and_system_add_up(samples in random_samples(SHAPE), mode in mode()) {
        let view = functions(&profile(&samples), mode);
        for row in view.rows.iter().map(|row| &row.values.numbers).chain([&view.total.numbers]) {
            prop_assert_eq!(row[0], row[2] + row[4]);
            prop_assert_eq!(row[1], row[3] + row[5]);
        }
    }

    #[test]
    fn both_attributed_sums_are_the_inclusive_value(
        samples in random_samples(SHAPE),
        mode in mode(),
        picks in any::<(Index, Index, Index)>(),
    ) {
        let profile = profile(&samples);
        let fragment = random_fragment(&profile, mode, picks);
        prop_assume!(fragment.is_some());
        let fragment = fragment.expect("just assumed");
        let view = whittle_views::callers_callees::callers_callees(&profile, &query(mode, "a.cpu"), &fragment).expect("callers-callees");
        let sum = |rows: &[whittle_views::functions::FunctionRow]| rows.iter().map(|row| row.values.numbers[0]).sum::<f64>();
        let inclusive = view.inclusive.numbers[0];
        prop_assert_eq!(sum(&view.callers), inclusive);
        prop_assert_eq!(sum(&view.callees) + view.own.numbers[0], inclusive);

        let stacks = whittle_views::stacks::stacks(&profile, &query(mode, "cpu")).expect("stacks");
        let literal = stacks.rows.iter().filter(|row| {
            let root_first: Vec<&str> = row.frames_leaf_first.iter().rev().map(String::as_str).collect();
            contains_in_order(&root_first, fragment.names())
        });
        prop_assert_eq!(literal.map(|row| row.values.numbers[0]).sum::<f64>(), inclusive);
        if let [name] = fragment.names() {
            let functions = by_name(&functions(&profile, mode));
            prop_assert_eq!(functions[name][1], inclusive);
            prop_assert_eq!(functions[name][0], view.own.numbers[0]);
        }
    }

    #[test]
    fn order_of_samples_changes_nothing(samples in random_samples(SHAPE), mode in mode(), seed in 0..12_usize) {
        let mut turned = samples.clone();
        turned.rotate_left(seed % samples.len());
        turned.reverse();
        prop_assert_eq!(by_name(&functions(&profile(&samples), mode)), by_name(&functions(&profile(&turned), mode)));
    }

    #[test]
    fn samples_may_come_from_one_thread_or_many(samples in random_samples(SHAPE), mode in mode()) {
        // All samples get threads of the program, because stacks without Java are named after the kind of thread.
        let on_thread = |thread: fn(usize) -> u8| -> Vec<RandomSample> {
            let samples = samples.iter().enumerate();
            samples.map(|(index, sample)| RandomSample { thread: thread(index), ..sample.clone() }).collect()
        };
        let one = functions(&profile(&on_thread(|_| 0)), mode);
        let many = functions(&profile(&on_thread(|index| (index % 2) as u8 + 3)), mode);
        prop_assert_eq!(by_name(&one), by_name(&many));
    }

    #[test]
    fn modes_keep_totals_and_inclusive_values_of_java(samples in random_samples(SHAPE)) {
        let profile = profile(&samples);
        let java = |mode: ViewMode| -> Vec<(String, Vec<f64>)> {
            let rows = functions(&profile, mode).rows.into_iter().filter(|row| row.kind == FunctionKind::Java);
            let mut rows: Vec<_> = rows.map(|row| {
                let inclusive = row.values.numbers.into_iter().skip(1).step_by(2).collect();
                (row.function, inclusive)
            }).collect();
            rows.sort_by(|a, b| a.0.cmp(&b.0));
            rows
        };
        let machine = java(ViewMode::Machine);
        for mode in [ViewMode::User, ViewMode::Expert] {
            prop_assert_eq!(functions(&profile, mode).total, functions(&profile, ViewMode::Machine).total);
            prop_assert_eq!(java(mode), machine.clone());
        }
    }

    #[test]
    fn a_call_tree_holds_what_the_functions_hold(samples in random_samples(SHAPE), mode in mode()) {
        let profile = profile(&samples);
        let query = query(mode, "i.cpu,e.cpu");
        let tree = whittle_views::call_tree::call_tree(&profile, &query, &TreeShape::default()).expect("call tree");
        let exclusive: f64 = tree.rows.iter().map(|row| row.values.numbers[1]).sum();
        prop_assert_eq!(exclusive, tree.rows[0].values.numbers[0]);
        check_children(&tree)?;
        // The tree below a function has the function's inclusive value, and the exclusive values of all its
        // occurrences.
        for row in whittle_views::functions::functions(&profile, &query).expect("functions").rows {
            let shape = TreeShape { root: Some(row.function.clone()), ..TreeShape::default() };
            let below = whittle_views::call_tree::call_tree(&profile, &query, &shape).expect("call tree");
            prop_assert_eq!(below.rows[0].values.numbers[0], row.values.numbers[0]);
            let own = below.rows.iter().filter(|below| below.function == row.function);
            prop_assert_eq!(own.map(|below| below.values.numbers[1]).sum::<f64>(), row.values.numbers[1]);
            check_children(&below)?;
        }
    }

    /// For any grouping of calls, the rows add up to the kernel's counts.
    #[test]
    fn system_calls_add_up_to_the_exact_figures(
        samples in random_samples(SHAPE),
        calls in proptest::collection::vec(0..1_000_u64, CALL_ROWS as usize),
        sampled in proptest::collection::vec(random_call(), 0..20),
    ) {
        let profile = profile_with_calls(&samples, &calls, &sampled);
        for by in ["call", "file", "caller", "call,file", "call,caller", "file,caller", "call,file,caller"] {
            let view = whittle_views::syscalls::syscalls(&profile, &Query::default(), &by.parse().expect("keys")).expect("system calls");
            let total = amounts(&view.total);
            prop_assert_eq!(total[0], calls.iter().sum::<u64>() as f64);
            for (figure, total) in total.into_iter().enumerate() {
                let sum: f64 = view.rows.iter().map(|row| amounts(&row.figures)[figure]).sum();
                prop_assert!(is_near(sum, total), "{by}, figure {figure}: {sum} against {total}");
            }
        }
    }

    #[test]
    fn a_filter_of_system_calls_and_its_opposite_share_them_out(
        samples in random_samples(SHAPE),
        calls in proptest::collection::vec(0..1_000_u64, CALL_ROWS as usize),
        sampled in proptest::collection::vec(random_call(), 0..20),
        index in 0..4_usize,
    ) {
        let profile = profile_with_calls(&samples, &calls, &sampled);
        let total = |filter: &str| {
            let query = Query { filter: Some(filter.parse().expect("a filter")), ..Query::default() };
            let view = whittle_views::syscalls::syscalls(&profile, &query, &"call,caller".parse().expect("keys")).expect("system calls");
            (amounts(&view.total), view.total.is_estimate)
        };
        let filter = ["thread ~ \"0\"", "thread ~ \"[12]\" or thread ~ \"0\"", "time in ..50us", "mode is system"][index];
        let (kept, rest) = (total(filter), total(&format!("not ({filter})")));
        let whole: [f64; 4] = if index < 2 {
            amounts(&whittle_views::syscalls::syscalls(&profile, &Query::default(), &Default::default()).expect("all").total)
        } else {
            let sum = |value: fn(&RandomCall) -> u64| sampled.iter().map(value).sum::<u64>() as f64;
            [
                sum(|call| call.2),
                sum(|call| if call.5 { call.2 } else { 0 }),
                sum(|call| call.2 * call.3),
                sum(|call| call.2 * call.4),
            ]
        };
        for (whole, (kept, rest)) in whole.into_iter().zip(kept.0.into_iter().zip(rest.0)) {
            prop_assert!(is_near(kept + rest, whole), "{kept} and {rest} against {whole}");
        }
    }

    #[test]
    fn a_filter_and_its_opposite_share_out_the_samples(samples in random_samples(SHAPE), mode in mode(), index in 0..8_usize) {
        let filters = [
            "thread ~ \"[02]\"", "time in 20ns..60ns", "mode is system", "event is cpu",
            "thread = \"thread-0\" and mode is user", "time in ..50ns or thread ~ \"1\"",
            "not (mode is user and time in 30ns..)", "thread ~ \"0\" and mode is user or time in 10ns..20ns",
        ];
        let profile = profile(&samples);
        let total = |filter: Option<String>| -> Option<f64> {
            let filter = filter.map(|text| text.parse().expect("a filter"));
            let query = Query { filter, ..query(mode, "e.cpu,i.cpu") };
            whittle_views::functions::functions(&profile, &query).ok().map(|view| view.total.numbers[0])
        };
        let kept = total(Some(filters[index].to_owned()));
        prop_assume!(kept.is_some());
        let rest = total(Some(format!("not ({})", filters[index])));
        prop_assert_eq!(kept.zip(rest).map(|(kept, rest)| kept + rest), total(None));
    }
}

/// The inclusive value of a node is the sum of its exclusive value and its children's inclusive values.
fn check_children(tree: &CallTreeView) -> Result<(), proptest::test_runner::TestCaseError> {
    for (index, node) in tree.rows.iter().enumerate() {
        let below = tree.rows[index + 1..].iter().take_while(|row| row.depth > node.depth);
        let children = below.filter(|row| row.depth == node.depth + 1).map(|row| row.values.numbers[0]).sum::<f64>();
        prop_assert_eq!(node.values.numbers[0], node.values.numbers[1] + children);
    }
    Ok(())
}
