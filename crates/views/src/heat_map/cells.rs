//! Adds amounts to the cells of a heat map. A cell is a part of a column's time. Cells are in the order of time.
//!
//! ```text
//! columns of 1 s, 4 rows:   column 0                   column 1
//!                           cell 0   1     2     3     4      5 …
//!                           0 ms     250   500   750   1000   1250 …
//! ```
//!
//! An amount over a long time changes three numbers, however many cells it covers: its first cell, its last cell, and a
//! step that says where the completely covered cells begin and end. One addition at the end fills these cells. Steps are whole
//! numbers, so that no rounding error is left behind the last covered cell.

use crate::sample_times::SampleTime;

/// Columns and rows of a heat map, and the time of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HeatShape {
    /// Nanoseconds of a column, at most [`LONGEST_NS`].
    pub(crate) column_ns: u64,
    /// Number of columns, at least 1.
    pub(crate) columns: usize,
    /// Number of rows, from 1 to [`MOST_ROWS`].
    pub(crate) rows: usize,
}

/// Largest number of columns. A screen has fewer pixels.
pub(crate) const MOST_COLUMNS: usize = 4_000;
/// Largest number of rows.
pub(crate) const MOST_ROWS: usize = 200;
/// Longest shown time, 115 days. Later times are in the last cell. A column's time multiplied by the rows fits into 64 bits.
pub(crate) const LONGEST_NS: u64 = 10_000_000_000_000_000;

const SECOND_NS: u64 = 1_000_000_000;
/// Seconds of a column: the shortest of these times with which all columns fit.
const COLUMN_SECONDS: [u64; 15] = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400];

impl HeatShape {
    /// The shape of a run with this length, with at most `most_columns` columns.
    pub(crate) fn new(length_ns: u64, most_columns: usize, rows: usize) -> Self {
        let length_ns = length_ns.clamp(1, LONGEST_NS);
        let most = most_columns as u64;
        let steps = COLUMN_SECONDS.into_iter().map(|seconds| seconds * SECOND_NS);
        let column_ns =
            steps.into_iter().find(|step| length_ns.div_ceil(*step) <= most).unwrap_or(length_ns.div_ceil(most));
        Self { column_ns, columns: length_ns.div_ceil(column_ns) as usize, rows }
    }

    /// Number of cells.
    fn len(self) -> usize {
        self.columns * self.rows
    }

    /// Start of a cell: the first nanosecond that belongs to the cell.
    pub(crate) fn start_of(self, cell: usize) -> u64 {
        let (column, row) = ((cell / self.rows) as u64, (cell % self.rows) as u64);
        column * self.column_ns + (row * self.column_ns).div_ceil(self.rows as u64)
    }
}

/// The sums of the cells, while amounts are added.
#[derive(Debug)]
pub(crate) struct HeatCells {
    /// Start of each cell, and the end of the last cell.
    starts: Vec<u64>,
    cells_per_ns: f64,
    sums: Vec<f64>,
    /// Per cell, by how much the amounts per nanosecond that cover the cell completely differ from the cell before, in units of
    /// 1 / [`RATE_UNITS`].
    steps: Vec<i128>,
}

/// Parts of a nanosecond per nanosecond. With a million parts, the error of a cell is below that of the samples.
const RATE_UNITS: f64 = (1_u64 << 20) as f64;

impl HeatCells {
    pub(crate) fn new(shape: HeatShape) -> Self {
        Self {
            starts: (0..=shape.len()).map(|cell| shape.start_of(cell)).collect(),
            cells_per_ns: shape.rows as f64 / shape.column_ns as f64,
            sums: vec![0.0; shape.len()],
            steps: vec![0; shape.len()],
        }
    }

    /// The cell that contains a moment. A moment after the last cell belongs to the last cell. A multiplication finds the cell
    /// or a neighbour: it takes a fraction of the time of exact divisions, and there is one for each sample.
    fn cell_of(&self, time_ns: u64) -> usize {
        let last = self.sums.len() - 1;
        let mut cell = ((time_ns as f64 * self.cells_per_ns) as usize).min(last);
        while self.starts[cell] > time_ns {
            cell -= 1;
        }
        while cell < last && self.starts[cell + 1] <= time_ns {
            cell += 1;
        }
        cell
    }

    /// Adds an amount at a moment.
    pub(crate) fn add(&mut self, time_ns: u64, amount: f64) {
        let cell = self.cell_of(time_ns);
        self.sums[cell] += amount;
    }

    /// Adds an amount that is evenly distributed over a time. The part of a wait before the run belongs to the first cell,
    /// because it has no other place.
    pub(crate) fn add_time(&mut self, time: SampleTime, spent_ns: f64) {
        let SampleTime { start_ns, end_ns, length_ns, .. } = time;
        let first = self.cell_of(start_ns);
        // The end belongs to the next time.
        let last = self.cell_of(end_ns.max(start_ns.saturating_add(1)) - 1);
        if first >= last {
            self.sums[first] += spent_ns;
            return;
        }
        let (second, last_start) = (self.starts[first + 1], self.starts[last]);
        let units = (spent_ns / length_ns as f64 * RATE_UNITS).round();
        let rate = units / RATE_UNITS;
        let rest = spent_ns - (end_ns - start_ns) as f64 * rate;
        self.sums[first] += (second - start_ns) as f64 * rate + rest;
        self.sums[last] += (end_ns - last_start) as f64 * rate;
        self.steps[first + 1] += units as i128;
        self.steps[last] -= units as i128;
    }

    /// The sums, one number per cell in the order of time.
    pub(crate) fn finish(mut self) -> Vec<f64> {
        let mut covering = 0;
        for (cell, step) in self.steps.iter().enumerate() {
            covering += step;
            if covering != 0 {
                let length = self.starts[cell + 1] - self.starts[cell];
                self.sums[cell] += covering as f64 / RATE_UNITS * length as f64;
            }
        }
        self.sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time((start_ns, end_ns): (u64, u64), length_ns: u64) -> SampleTime {
        SampleTime { start_ns, end_ns, length_ns, is_estimate: false }
    }

    #[test]
    fn columns_are_the_shortest_round_times_that_fit() {
        let shape = |seconds: u64, most| {
            let HeatShape { column_ns, columns, .. } = HeatShape::new(seconds * SECOND_NS, most, 10);
            (column_ns / SECOND_NS, columns)
        };
        assert_eq!(shape(10, 60), (1, 10));
        assert_eq!(shape(60, 60), (1, 60));
        assert_eq!(shape(61, 60), (2, 31));
        assert_eq!(shape(3600, 200), (20, 180));
        assert_eq!(shape(1_000_000, 10), (100_000, 10));
        assert_eq!(HeatShape::new(0, 60, 10).columns, 1);
        assert_eq!(HeatShape::new(u64::MAX, 60, 200).columns, 60);
    }

    #[test]
    fn a_time_is_distributed_over_the_cells_that_it_covers() {
        // Cells of 250 ms.
        let shape = HeatShape::new(2 * SECOND_NS, 60, 4);
        let cells_of = |times: &[(u64, u64, u64, u64)]| {
            let mut cells = HeatCells::new(shape);
            for (start, end, length, spent) in times {
                cells.add_time(
                    time((start * 1_000_000, end * 1_000_000), length * 1_000_000),
                    (spent * 1_000_000) as f64,
                );
            }
            cells.finish().iter().map(|ns| ns / 1e6).collect::<Vec<_>>()
        };
        // The amount is the length.
        let cells = |times: &[(u64, u64, u64)]| {
            let times: Vec<_> = times.iter().map(|(start, end, spent)| (*start, *end, *spent, *spent)).collect();
            cells_of(&times)
        };
        assert_eq!(cells(&[(100, 1600, 1500)]), [150.0, 250.0, 250.0, 250.0, 250.0, 250.0, 100.0, 0.0]);
        // Inside a cell, up to the end of a cell, up to the end of the run, and after the run.
        assert_eq!(
            cells(&[(10, 20, 10), (250, 500, 250), (1750, 2000, 250)]),
            [10.0, 250.0, 0.0, 0.0, 0.0, 0.0, 0.0, 250.0]
        );
        assert_eq!(cells(&[(3000, 3010, 10)]), [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 10.0]);
        // A wait of 2 s that began 1.5 s before the run.
        assert_eq!(cells(&[(0, 500, 2000)]), [1750.0, 250.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        // A wait of 1 s that represents 4 s, and one of 1 s that represents half a second.
        assert_eq!(cells_of(&[(250, 1250, 1000, 4000)]), [0.0, 1000.0, 1000.0, 1000.0, 1000.0, 0.0, 0.0, 0.0]);
        assert_eq!(cells_of(&[(250, 1250, 1000, 500)]), [0.0, 125.0, 125.0, 125.0, 125.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn rows_that_do_not_divide_a_column_begin_at_whole_nanoseconds() {
        let shape = HeatShape::new(3 * SECOND_NS, 60, 7);
        let cells = HeatCells::new(shape);
        for cell in 0..shape.len() {
            let start = shape.start_of(cell);
            assert_eq!(cells.cell_of(start), cell);
            assert_eq!(cells.cell_of(start.saturating_sub(1)), cell.saturating_sub(1));
        }
    }

    proptest::proptest! {
        /// Each cell has the times' overlap with the cell, and the first cell of a time also has the rest.
        #[test]
        fn cells_have_the_overlaps(
            times in proptest::collection::vec((0..9_000_u64, 0..4_000_u64, 0..100_u64), 0..20),
            most in 1..12_usize,
            rows in 1..40_usize,
        ) {
            const MS: u64 = 1_000_000;
            let shape = HeatShape::new(9_000 * MS, most, rows);
            let (mut cells, mut expected) = (HeatCells::new(shape), vec![0.0; shape.len()]);
            for (start, length, rest) in times {
                let (start, end) = (start * MS, (start + length).min(9_000) * MS);
                let length = end - start + rest;
                cells.add_time(time((start, end), length), length as f64);
                expected[cells.cell_of(start)] += rest as f64;
                for (cell, sum) in expected.iter_mut().enumerate() {
                    let (from, to) = (shape.start_of(cell), shape.start_of(cell + 1));
                    *sum += end.min(to).saturating_sub(start.max(from)) as f64;
                }
            }
            proptest::prop_assert_eq!(cells.finish(), expected);
        }
    }
}
