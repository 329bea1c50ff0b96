//! Makes the rows of a tree of wakers, and selects those that are shown.

use crate::wakers::row::{WakerFigures, WakerRole, WakerRow};
use crate::wakers::tree::{Node, Subject, Tree, Waiting};
use crate::wakers::words;
use whittle_model::{FunctionIndex, ThreadIndex, WakerKind};
use whittle_profile::Profile;
use whittle_profile::order::sort_by_key;
use whittle_profile::query::Window;
use whittle_profile::ranking::{keep_first, keep_largest};

/// The shown rows, and the number of all rows. `sorted_by`: the field of the order.
pub(crate) fn shown_rows(
    profile: &Profile,
    tree: &Tree,
    sorted_by: Option<&str>,
    window: Window,
) -> (Vec<WakerRow>, usize) {
    let total_ns = tree.total().duration_ns;
    let mut rows: Vec<(usize, WakerRow)> = Vec::new();
    for position in tree.in_order() {
        rows.push((rows.len(), row(profile, tree, (&tree.nodes[position], total_ns))));
    }
    let row_count = rows.len();
    // A row never has more than the row above it. So the largest rows include all rows above them.
    match sorted_by {
        Some(field) => keep_largest(&mut rows, window, |(_, row)| row.figures.value(field), |(place, _)| *place),
        None => keep_first(&mut rows, window, |(place, _)| *place),
    }
    sort_by_key(&mut rows, |(place, _)| *place);
    (rows.into_iter().map(|(_, row)| row).collect(), row_count)
}

fn row(profile: &Profile, tree: &Tree, (node, total_ns): (&Node, f64)) -> WakerRow {
    let tables = profile.tables();
    let functions = &tables.functions;
    let name = |function: FunctionIndex| functions.display_name[function.row()].clone();
    let thread_name = |thread: ThreadIndex| words::thread_name(profile, thread);
    let is_meanwhile = node.depth >= 2;
    let parent = node.parent.map(|parent| tree.nodes[parent].subject);
    let is_holder = matches!(parent, Some(Subject::Lock(_)));
    let base = WakerRow {
        depth: node.depth,
        role: WakerRole::Waiter,
        thread: String::new(),
        waker_kind: None,
        meaning: None,
        file: String::new(),
        lock: String::new(),
        line: None,
        function: None,
        words: String::new(),
        ratio: (total_ns > 0.0).then(|| node.sum.duration_ns / total_ns),
        figures: WakerFigures::new(&node.sum, !is_meanwhile),
    };
    let waiting = |role: WakerRole, thread: ThreadIndex, wait: &Waiting| WakerRow {
        role,
        thread: thread_name(thread),
        meaning: Some(wait.meaning.name()),
        file: tables.files.path[wait.file.row()].clone(),
        function: wait.place.map(name),
        ..base.clone()
    };
    let meanwhile = |role: WakerRole, thread: ThreadIndex, place: Option<FunctionIndex>| WakerRow {
        role,
        thread: thread_name(thread),
        function: place.map(name),
        ..base.clone()
    };
    let mut row = match &node.subject {
        Subject::Waiter { thread, wait } => waiting(WakerRole::Waiter, *thread, wait),
        Subject::MeanwhileWaits { thread, wait } => waiting(WakerRole::Waits, *thread, wait),
        Subject::Lock(lock) => {
            let function = lock.place.map(|(function, _)| function);
            WakerRow {
                role: WakerRole::Lock,
                meaning: Some(lock.meaning.name()),
                lock: words::of_lock(functions, lock, function),
                line: lock.place.and_then(|(_, line)| line),
                function: function.map(name),
                ..base.clone()
            }
        }
        Subject::Waker { kind, thread, place } => WakerRow {
            role: if is_holder { WakerRole::Holder } else { WakerRole::Waker },
            thread: thread.map_or_else(String::new, thread_name),
            waker_kind: kind.map(WakerKind::name),
            function: place.map(name),
            ..base.clone()
        },
        Subject::MeanwhileExecutes { thread, place } => meanwhile(WakerRole::Executes, *thread, *place),
        Subject::MeanwhileRunnable { thread } => meanwhile(WakerRole::Runnable, *thread, None),
    };
    row.words = words::of_row(&row);
    row
}
