//! Compares printed rows with computed rows, by name.

use crate::golden::printed::{PrintedRow, Section};
use std::collections::BTreeMap;
use whittle_views::callers_callees::CallersCalleesView;
use whittle_views::functions::FunctionRow;

/// Printed seconds have three decimals and are rounded.
const SECONDS_TOLERANCE: f64 = 0.001;

/// The result of a comparison.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    /// The value of 100 percent in all tables except callers-callees.
    total_ns: f64,
    pub(crate) row_count: usize,
    /// Number of rows with a name that several functions have.
    by_name_count: usize,
    /// Number of callers-callees sections with such a name in the centre. They are not compared.
    pub(crate) skipped_count: usize,
    largest_seconds: f64,
    /// Names that several functions have.
    ambiguous: Vec<String>,
}

/// Values in nanoseconds by name. Several functions can have the same name.
type Computed = BTreeMap<String, Vec<Vec<f64>>>;

impl Comparison {
    /// A comparison without any rows yet. `total_ns` is the sum of all samples.
    pub(crate) fn new(total_ns: f64) -> Self {
        Self { total_ns, ..Self::default() }
    }

    /// True if functions of this name cannot be distinguished in the events.
    pub(crate) fn is_ambiguous(&self, name: &str) -> bool {
        self.ambiguous.iter().any(|other| other == name)
    }

    /// Compares a table in both directions. Every computed row must also be printed. A printed row without a computed
    /// row must have the value zero.
    pub(crate) fn table(
        &mut self,
        table: &str,
        printed: &[PrintedRow],
        rows: impl Iterator<Item = (String, Vec<f64>)>,
    ) {
        let mut computed = Computed::new();
        rows.for_each(|(name, numbers)| computed.entry(name).or_default().push(numbers));
        let mut by_name: BTreeMap<&str, Vec<&PrintedRow>> = BTreeMap::new();
        printed.iter().for_each(|row| by_name.entry(&row.name).or_default().push(row));
        for name in computed.keys() {
            assert!(by_name.contains_key(name.as_str()), "{table}: {name} was computed but not printed");
        }
        for (name, printed) in by_name {
            let values = computed.remove(name).unwrap_or_default();
            self.row_count += printed.len();
            if printed.len() == 1 && values.len() <= 1 {
                self.row(table, printed[0], &values.first().cloned().unwrap_or_else(|| vec![0.0; 2]));
            } else {
                self.rows_of_one_name(table, &printed, values);
            }
        }
    }

    fn row(&mut self, table: &str, printed: &PrintedRow, numbers: &[f64]) {
        let what = format!("{table}: {}", printed.name);
        for ((seconds, percent), computed) in printed.values.iter().zip(numbers) {
            self.seconds(&what, *seconds, computed / 1e9);
            percents(&what, *percent, computed / self.total_ns);
        }
    }

    fn seconds(&mut self, what: &str, printed: f64, computed: f64) {
        let difference = (printed - computed).abs();
        assert!(difference <= SECONDS_TOLERANCE, "{what}: printed {printed}, computed {computed}");
        self.largest_seconds = self.largest_seconds.max(difference);
    }

    /// Compares the rows of one name. If the number of computed rows equals the number of printed rows, the rows are
    /// compared in the order of their values. Otherwise, their sums are compared.
    fn rows_of_one_name(&mut self, table: &str, printed: &[&PrintedRow], mut computed: Vec<Vec<f64>>) {
        let name = &printed[0].name;
        if printed.len() == computed.len() {
            let mut printed = printed.to_vec();
            printed.sort_by(|a, b| b.values[0].partial_cmp(&a.values[0]).expect("numbers"));
            computed.sort_by(|a, b| b.partial_cmp(a).expect("numbers"));
            return printed.iter().zip(computed).for_each(|(row, numbers)| self.row(table, row, &numbers));
        }
        self.by_name_count += printed.len();
        self.ambiguous.push(name.clone());
        let sum = |column: usize| printed.iter().map(|row| row.values[column].0).sum::<f64>();
        let largest = |column: usize| printed.iter().map(|row| row.values[column].0).fold(0.0, f64::max);
        let ours = |column: usize| computed.iter().map(|numbers| numbers[column]).sum::<f64>() / 1e9;
        // Each printed row is rounded separately.
        let tolerance = SECONDS_TOLERANCE * printed.len() as f64;
        assert!((sum(0) - ours(0)).abs() <= tolerance, "{table}: {name}: {} and {}", sum(0), ours(0));
        let last = printed[0].values.len() - 1;
        let range = largest(last) - tolerance..=sum(last) + tolerance;
        assert!(range.contains(&ours(last)), "{table}: {name}: {range:?} and {}", ours(last));
    }

    /// Compares a section of callers-callees. Printed rows with the value zero have no computed row.
    pub(crate) fn section(&mut self, section: &Section, view: &CallersCalleesView) {
        let what = |side: &str| format!("{side} {}", section.center);
        self.side(&what("callers of"), &section.callers, &view.callers);
        self.side(&what("callees of"), &section.callees, &view.callees);
        for (seconds, percent) in &section.own {
            self.row_count += 1;
            self.seconds(&what("centre"), *seconds, view.own.numbers[0] / 1e9);
            percents(&what("centre"), *percent, view.own.ratio(0).unwrap_or(0.0));
        }
    }

    fn side(&mut self, what: &str, printed: &[PrintedRow], computed: &[FunctionRow]) {
        let sums = |name: &str| {
            let same = computed.iter().filter(|row| row.function == name);
            same.fold((0.0, 0.0), |(seconds, ratio), row| {
                (seconds + row.values.numbers[0] / 1e9, ratio + row.values.ratio(0).unwrap_or(0.0))
            })
        };
        for row in computed {
            assert!(printed.iter().any(|other| other.name == row.function), "{what}: {} was not printed", row.function);
        }
        let mut names: Vec<&str> = printed.iter().map(|row| row.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let same: Vec<&PrintedRow> = printed.iter().filter(|row| row.name == name).collect();
            let (seconds, percent) =
                same.iter().fold((0.0, 0.0), |sum, row| (sum.0 + row.values[0].0, sum.1 + row.values[0].1));
            let (computed_seconds, computed_ratio) = sums(name);
            self.row_count += same.len();
            if same.len() == 1 {
                self.seconds(&format!("{what}: {name}"), seconds, computed_seconds);
            }
            if same.len() == 1 {
                percents(&format!("{what}: {name}"), percent, computed_ratio);
            }
        }
    }

    /// Prints the numbers of compared and skipped rows. `--nocapture` shows this output.
    #[allow(clippy::print_stdout, reason = "the report of a test")]
    pub(crate) fn report(&self, name: &str) {
        println!(
            "{name}: {} rows compared ({} of them by name only), largest difference {:.6} s; {} sections left out",
            self.row_count, self.by_name_count, self.largest_seconds, self.skipped_count
        );
    }
}

/// Compares percentages. They are rounded to 0.01, which is less than one sample, so a difference of one sample is
/// found.
fn percents(what: &str, printed: f64, computed_ratio: f64) {
    let computed = computed_ratio * 100.0;
    assert!((printed - computed).abs() < 0.0051, "{what}: printed {printed} %, computed {computed} %");
}

/// Rows of a tree as paths from the root.
pub(crate) fn paths<'a>(rows: impl Iterator<Item = (usize, &'a str, Vec<f64>)>) -> Vec<(String, Vec<f64>)> {
    let mut path: Vec<&str> = Vec::new();
    let named = rows.map(|(depth, name, numbers)| {
        path.truncate(depth);
        path.push(name);
        (path.join(" > "), numbers)
    });
    named.collect()
}
