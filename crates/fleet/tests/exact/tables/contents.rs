//! The content of tables as sums by readable names. The sums do not depend on how the content is divided into files.

use futures::executor::block_on;
use std::collections::BTreeMap;
use std::sync::Arc;
use whittle_experiment::{Segment, Store};
use whittle_fleet::catalogue::Catalogue;
use whittle_fleet::rows::{ObservationRows, StackRow, StackRows, read_file};
use whittle_fleet::tables::{FleetTable, hour_of};
use whittle_model::{MergedRuns, StackIndex, Tables, normalized_name};

/// Second, host, thread, frames from the root on, kind of observation.
pub(crate) type Key = (i64, String, String, Vec<String>, String);

/// Sums of count and CPU time.
pub(crate) type Sums = BTreeMap<Key, (i64, i64)>;

/// The content of the fleet's tables.
pub(crate) fn of_fleet(store: &Arc<Store>, table: FleetTable, services: &[&str]) -> Sums {
    let snapshot = block_on(Catalogue::new(Arc::clone(store)).newest()).unwrap();
    let mut sums = Sums::new();
    for service in services {
        let (mut stacks, mut rows) = (StackRows::new(service), ObservationRows::new(table, service));
        for file in snapshot.files.iter().filter(|file| file.service == *service) {
            let batches = || block_on(read_file(store, &file.path)).unwrap();
            if file.table == FleetTable::Stacks {
                batches().iter().for_each(|batch| stacks.push_batch(batch).unwrap());
            } else if file.table == table {
                batches().iter().for_each(|batch| rows.push_batch(batch).unwrap());
            }
        }
        let nodes: BTreeMap<i64, &StackRow> = stacks.rows().iter().map(|row| (row.id, row)).collect();
        for (what, labels, thread) in rows.rows() {
            let mut names = Vec::new();
            let mut id = what.stack;
            while id != 0 {
                names.push(format!("{} {}", nodes[&id].internal_name, nodes[&id].frame_kind));
                id = nodes[&id].parent;
            }
            names.reverse();
            let kind = format!("{} {} {} {}", what.event, what.mode, what.reason, what.thread_class);
            let sum = sums.entry((what.time_s, labels.host.clone(), thread.to_owned(), names, kind)).or_default();
            *sum = (sum.0 + what.count, sum.1 + what.duration_ns);
        }
    }
    sums
}

/// The content that the tables should have. The segments are merged like the runs of one experiment.
pub(crate) fn of_segments(segments: &[Segment], table: FleetTable) -> Sums {
    let mut merged = MergedRuns::default();
    let mut origin = Vec::new();
    for Segment { manifest, tables } in segments {
        let start_ns = manifest.start_wall_ns.unwrap();
        let mut tables = tables.clone();
        // The JVM numbers some names differently in every run. In a fleet, these names are one name.
        for name in tables.functions.internal_name.iter_mut().chain(&mut tables.functions.display_name) {
            *name = normalized_name(name).into_owned();
        }
        origin.extend((0..tables.samples.time_ns.len()).map(|_| (start_ns, manifest.label("host").to_owned())));
        merged.add(tables);
    }
    let tables = merged.into_tables();
    tables.validate().unwrap();
    let mut sums = Sums::new();
    for (row, (start_ns, host)) in origin.into_iter().enumerate() {
        let samples = &tables.samples;
        let second = ((start_ns + samples.time_ns[row]) / 1_000_000_000) as i64;
        let thread = samples.thread[row].row();
        let (thread, class) = (tables.threads.name[thread].clone(), tables.threads.class[thread]);
        let (time_s, thread) =
            if table == FleetTable::Rollup { (hour_of(second), String::new()) } else { (second, thread) };
        let kind = format!("{} {} {} {class}", samples.event[row], samples.mode[row], samples.reason[row]);
        let sum = sums.entry((time_s, host, thread, names(&tables, samples.stack[row]), kind)).or_default();
        *sum = (sum.0 + samples.count[row] as i64, sum.1 + samples.duration_ns[row] as i64);
    }
    sums
}

fn names(tables: &Tables, mut stack: StackIndex) -> Vec<String> {
    let mut names = Vec::new();
    while stack != StackIndex::ROOT {
        let frame = tables.stacks.frame[stack.row()].row();
        let function = tables.frames.function[frame].row();
        names.push(format!("{} {}", tables.functions.internal_name[function], tables.frames.kind[frame]));
        stack = tables.stacks.parent[stack.row()];
    }
    names.reverse();
    names
}
