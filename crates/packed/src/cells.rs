//! If there are too many samples, whittle adds samples up. All samples with the same stack, thread, kind and bin of
//! time become one row. Totals do not change. Sums over a time range that begins and ends at bin borders also do not
//! change.

use whittle_model::{FileIndex, ObjectClassIndex, Sample, SampleTable, StackIndex, Table};

/// The smallest width of a bin, in nanoseconds. Widths are 1, 2 or 5 times a power of ten. Such round numbers are easy
/// to use in a filter.
const NARROWEST_BIN_NS: u64 = 1_000;

/// A single bin for the whole time leaves the fewest rows. If even these are too many, narrower bins can leave up to
/// this many times the fewest rows.
const ROOM_FOR_BINS: f64 = 1.1;

/// The key of a sample. Samples with equal keys in the same bin are added up.
type CellKey = (StackIndex, u32, Kind);

/// Event, mode and reason, the class of the object, and the file.
type Kind = ([u8; 3], ObjectClassIndex, FileIndex);

/// The samples in their packed order.
pub(super) struct OrderedSamples {
    pub(super) samples: SampleTable,
    /// Width of a bin if samples were added up. `None`: the samples are unchanged.
    pub(super) bin_ns: Option<u64>,
}

/// The samples in time order, added up if there are more than `most_rows`. `place_of_stack` gives the new row of each
/// stack.
pub(super) fn order_samples(samples: &SampleTable, place_of_stack: &[u32], most_rows: usize) -> OrderedSamples {
    let bin_ns = (samples.len() > most_rows).then(|| choose_bin(samples, most_rows)).flatten();
    let bin_of = |time_ns: u64| bin_ns.map_or(time_ns, |bin_ns| time_ns / bin_ns);
    let mut order: Vec<u32> = (0..samples.len() as u32).collect();
    let key = |row: usize| {
        let place = StackIndex(place_of_stack[samples.stack[row].row()]);
        (bin_of(samples.time_ns[row]), place, samples.thread[row].0, kind(samples, row))
    };
    order.sort_by_cached_key(|row| key(*row as usize));
    let mut ordered = SampleTable::default();
    let mut last = None;
    for row in order.into_iter().map(|row| row as usize) {
        let key = key(row);
        if bin_ns.is_some() && last == Some(key) {
            add_to_last(&mut ordered, samples, row);
            continue;
        }
        last = Some(key);
        let time_ns = bin_ns.map_or(samples.time_ns[row], |bin_ns| key.0 * bin_ns);
        ordered.push(Sample { time_ns, stack: key.1, ..samples.row(row) });
    }
    OrderedSamples { samples: ordered, bin_ns }
}

fn kind(samples: &SampleTable, row: usize) -> Kind {
    let codes = [samples.event[row] as u8, samples.mode[row] as u8, samples.reason[row] as u8];
    (codes, samples.object_class[row], samples.file[row])
}

fn add_to_last(cells: &mut SampleTable, samples: &SampleTable, row: usize) {
    let columns = [
        (&mut cells.count, &samples.count),
        (&mut cells.duration_ns, &samples.duration_ns),
        (&mut cells.bytes, &samples.bytes),
    ];
    for (sums, amounts) in columns {
        if let Some(sum) = sums.last_mut() {
            *sum = sum.saturating_add(amounts[row]);
        }
    }
}

/// The narrowest bin that leaves at most `most_rows` rows. If even the widest bin leaves more rows, the narrowest bin
/// that leaves at most `ROOM_FOR_BINS` times the fewest rows. `None`: there are already few enough rows.
fn choose_bin(samples: &SampleTable, most_rows: usize) -> Option<u64> {
    let mut keys: Vec<(CellKey, u64)> = (0..samples.len())
        .map(|row| ((samples.stack[row], samples.thread[row].0, kind(samples, row)), samples.time_ns[row]))
        .collect();
    keys.sort_unstable();
    let cells = |bin_ns: u64| {
        let is_new = |pair: &[(CellKey, u64)]| (pair[0].0, pair[0].1 / bin_ns) != (pair[1].0, pair[1].1 / bin_ns);
        1 + keys.windows(2).filter(|pair| is_new(pair)).count()
    };
    let fewest = cells(u64::MAX);
    let most_rows = most_rows.max((fewest as f64 * ROOM_FOR_BINS) as usize);
    if samples.len() <= most_rows {
        return None;
    }
    let widths: Vec<u64> = bin_widths().collect();
    // In theory narrower bins can have fewer rows, because not every border of a wider bin is also a border of a
    // narrower bin. In practice the number of rows falls from one width to the next, so a binary search finds the first
    // suitable width.
    let first = widths.partition_point(|bin_ns| cells(*bin_ns) > most_rows);
    Some(widths.get(first).copied().unwrap_or(u64::MAX))
}

pub(super) fn bin_widths() -> impl Iterator<Item = u64> {
    let powers = std::iter::successors(Some(NARROWEST_BIN_NS), |power| power.checked_mul(10));
    powers.flat_map(|power| [1, 2, 5].into_iter().filter_map(move |digit| power.checked_mul(digit)))
}
