//! Which part of the time of requests a finding takes. A user waits for requests, and not for threads: a wait that takes 2 % of the
//! time of all threads can be most of the time of one kind of request.

use crate::detector::Figure;
use crate::view::Evidence;
use crate::words::share;
use rustc_hash::FxHashMap;
use std::ops::Range;
use whittle_model::Table;
use whittle_profile::Profile;
use whittle_profile::ordered_map::OrderedMap;
use whittle_profile::requests::RequestIndex;
use whittle_profile::samples::Samples;

/// A smaller part of the time of requests is not worth saying.
const WORTH_SAYING: f64 = 0.05;

/// A wait is worth a finding if it takes this part of the time of one kind of request, even if the program has much other time.
const LARGE_OF_NAME: f64 = 0.2;
/// The largest share that samples of a wait that takes all of the time tell: a finding has 8 samples at least, so their sum has a relative
/// error of 1/√8, and two such errors are allowed. More: a few samples with large weights do not tell the share.
const WHOLE_OF_NAME: f64 = 1.71;
/// A kind of request with a smaller part of the time of all requests does not count for this.
const IMPORTANT_NAME: f64 = 0.05;

/// The requests of an experiment whose threads' samples are known.
pub(crate) struct Answered<'a> {
    index: &'a RequestIndex,
    /// For each row of requests, the number of its name.
    name_of_row: Vec<u32>,
    /// The names, each with the sum of its rows' lengths in nanoseconds.
    names: Vec<(&'a str, f64)>,
    /// True if some requests have no samples, because no thread answered them alone.
    has_others: bool,
}

impl<'a> Answered<'a> {
    /// The requests that begin in a range of time. `None`: no sample belongs to one of them.
    pub(crate) fn of(profile: &'a Profile, range: Range<u64>) -> Option<Self> {
        let (table, index) = (&profile.tables().requests, profile.request_index());
        if index.is_empty() {
            return None;
        }
        let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
        let (mut names, mut name_of_row): (Vec<(&str, f64)>, Vec<u32>) = (Vec::new(), Vec::with_capacity(table.len()));
        let mut has_others = false;
        for row in 0..table.len() {
            if table.is_statement(row) {
                // No sample belongs to it: it is a part of a request.
                name_of_row.push(u32::MAX);
                continue;
            }
            let name = table.name[row].as_str();
            let number = *numbers.entry(name).or_insert_with(|| {
                names.push((name, 0.0));
                names.len() as u32 - 1
            });
            // A row that stands for several requests has samples of one of them only.
            if range.contains(&table.start_ns[row]) {
                names[number as usize].1 += table.length_ns(row) as f64;
                has_others |= table.times(row).is_none();
            }
            name_of_row.push(number);
        }
        names.iter().any(|(_, length_ns)| *length_ns > 0.0).then_some(Self { index, name_of_row, names, has_others })
    }

    /// The number of the name of the request to which a sample belongs.
    pub(crate) fn of_sample(&self, samples: &Samples, sample: usize) -> Option<u32> {
        Some(self.name_of_row[self.index.of_sample(samples, sample)?])
    }

    /// Whether a finding takes a large part of the time of an important kind of request. `spent_ns`: as in [`evidence`](Self::evidence).
    pub(crate) fn takes_much(&self, spent_ns: &OrderedMap<u32, f64>) -> bool {
        let all: f64 = self.names.iter().map(|(_, length_ns)| length_ns).sum();
        spent_ns.iter().any(|(number, spent)| {
            let length_ns = self.names[*number as usize].1;
            length_ns >= all * IMPORTANT_NAME && (LARGE_OF_NAME..=WHOLE_OF_NAME).contains(&(spent / length_ns))
        })
    }

    /// What a finding takes of the time of requests. `spent_ns`: its CPU time and blocked time inside requests, by the number of the
    /// name.
    pub(crate) fn evidence(&self, spent_ns: &OrderedMap<u32, f64>) -> Option<Evidence> {
        let all: f64 = self.names.iter().map(|(_, length_ns)| length_ns).sum();
        let spent: f64 = spent_ns.iter().map(|(_, spent)| spent).sum();
        let of_name = |(number, spent): &(u32, f64)| {
            let (name, length_ns) = self.names[*number as usize];
            (name, if length_ns > 0.0 { spent / length_ns } else { 0.0 })
        };
        let most =
            spent_ns.iter().max_by(|one, other| one.1.total_cmp(&other.1)).map(|(number, spent)| (*number, *spent))?;
        let ((name, of_most), of_all) = (of_name(&most), spent / all);
        let least = if self.has_others { "at least " } else { "" };
        let text = match self.names.len() {
            1 => format!("{least}{} of the time of the requests `{name}`", share(of_all)),
            _ => format!(
                "{least}{} of the time of all requests, and {least}{} of the time of `{name}`",
                share(of_all),
                share(of_most)
            ),
        };
        // More than the whole: a few samples with large weights do not tell the share.
        (WORTH_SAYING..=1.0).contains(&of_most).then_some(Evidence {
            figure: Figure::RequestRatio,
            value: of_all,
            text,
        })
    }
}
