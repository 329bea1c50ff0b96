//! Detects the numbering of a request's fields, because the request does not contain its version.
//!
//! ```text
//!                     tables        a sample's fields
//! TablesInProfile     of a profile  1 start, 2 length, 3 values, 4 attributes, 5 link, 6 times (varint)
//! Ranges              dictionary    the same
//! ValuesSecond        dictionary    1 stack, 2 values, 3 attributes, 4 link, 5 times (8 bytes)
//! ValuesFourth        dictionary    1 stack, 2 attributes, 3 link, 4 values, 5 times (8 bytes)
//! ```
//!
//! Every layout is tried on every sample. These are contradictions: a number instead of a list, a list instead of a
//! number, a row that is in no table, a sample without values and times, a sample with different numbers of values and
//! times. Usually one layout has no contradictions. Corrupt data contradicts all layouts, so the layout with clearly
//! the fewest contradictions is chosen. If two layouts remain, the only layout that uses all attributes is chosen. If
//! every value is 1 in both layouts, either layout is right, because their sums are equal. Otherwise the result is an
//! error, because a guess could cause wrong numbers.

use super::profile::{OtlpLayout, Profile, SampleFields};
use super::request::Request;
use super::tables::Dictionary;
use crate::protobuf::{Fields, Value};

/// Layouts with a dictionary.
const CANDIDATES: [OtlpLayout; 3] = [OtlpLayout::Ranges, OtlpLayout::ValuesSecond, OtlpLayout::ValuesFourth];

/// Why the layout is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unclear {
    /// The data fits no layout.
    NothingFits,
    /// The data fits two layouts that give different numbers.
    TwoFit,
}

/// The contradictions to a layout, ordered by weight.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Contradictions {
    /// Samples that are impossible in this layout.
    impossible: u64,
    /// Samples that are unusual in this layout: different numbers of values and times.
    unusual: u64,
}

/// The layout of a request.
pub(super) fn tell(request: &Request<'_>) -> Result<OtlpLayout, Unclear> {
    let Some(dictionary) = &request.dictionary else {
        let has_tables = |profile| !Dictionary::of_profile(profile).texts.is_empty();
        let is_oldest = request.profiles().any(has_tables);
        return if is_oldest { Ok(OtlpLayout::TablesInProfile) } else { Err(Unclear::NothingFits) };
    };
    let mut sample_count = 0;
    let mut found = [Contradictions::default(); CANDIDATES.len()];
    for message in request.profiles() {
        let outline = Outline::new(message);
        sample_count += outline.samples.len() as u64;
        for (layout, against) in CANDIDATES.into_iter().zip(&mut found) {
            outline.speak_against(layout, dictionary, against);
        }
    }
    decide(found, sample_count).or_else(|two| match two {
        Some(two) => tell_two_apart(request, dictionary, two).ok_or(Unclear::TwoFit),
        None => Err(Unclear::NothingFits),
    })
}

/// Chooses the layout with clearly the fewest contradictions. The error is the best two layouts, or `None` if no layout
/// is good.
fn decide(found: [Contradictions; CANDIDATES.len()], sample_count: u64) -> Result<OtlpLayout, Option<[OtlpLayout; 2]>> {
    let mut order: Vec<(Contradictions, OtlpLayout)> = found.into_iter().zip(CANDIDATES).collect();
    order.sort_by_key(|(against, _)| *against);
    let ((best, layout), (second, other)) = (order[0], order[1]);
    if best.impossible > sample_count / MOST_DAMAGED {
        return Err(None);
    }
    let is_clear = |best: u64, second: u64| second > best.saturating_mul(CLEARLY_MORE);
    if is_clear(best.impossible, second.impossible)
        || best.impossible == second.impossible && is_clear(best.unusual, second.unusual)
    {
        return Ok(layout);
    }
    Err(Some([layout, other]))
}

/// A layout can be correct only if at most one in `MOST_DAMAGED` samples contradicts the layout.
const MOST_DAMAGED: u64 = 4;
/// The second best layout must have more than this many times the contradictions of the best layout. Corrupt data could
/// be the reason for a smaller difference.
const CLEARLY_MORE: u64 = 2;

/// The parts of a profile that do not depend on the layout.
struct Outline<'a> {
    samples: Vec<&'a [u8]>,
    type_count: usize,
    /// The layouts that are impossible because of the type of a field. There is one entry for each such field.
    impossible: Vec<OtlpLayout>,
    location_number_count: u64,
}

impl<'a> Outline<'a> {
    fn new(message: &'a [u8]) -> Self {
        let profile = Profile::parse(message, OtlpLayout::Ranges);
        let is_stack_table = [OtlpLayout::ValuesSecond, OtlpLayout::ValuesFourth];
        let mut impossible = Vec::new();
        for field in Fields::new(message) {
            match field {
                // Field 3 is the profile's start (a number of 8 bytes) in newer layouts, and location indices in
                // `Ranges`. Fields 5 and 6 also have different types.
                (3, Value::Fixed(_)) | (5, Value::Bytes(_)) | (6, Value::Number(_)) => {
                    impossible.push(OtlpLayout::Ranges);
                }
                (3 | 6, Value::Bytes(_)) | (3 | 5, Value::Number(_)) => impossible.extend(is_stack_table),
                // This field describes how values of several profiles add up. The newest layout does not contain it.
                (1, Value::Bytes(value_type)) if Fields::new(value_type).any(|(field, _)| field == 3) => {
                    impossible.push(OtlpLayout::ValuesFourth);
                }
                _ => {}
            }
        }
        let type_count = profile.types.len();
        if type_count > 1 {
            impossible.extend(is_stack_table);
        }
        let location_number_count = profile.location_numbers.len() as u64;
        Self { samples: profile.samples, type_count, impossible, location_number_count }
    }

    /// Adds this profile's contradictions to a layout.
    fn speak_against(&self, layout: OtlpLayout, dictionary: &Dictionary<'_>, against: &mut Contradictions) {
        if self.impossible.contains(&layout) {
            against.impossible += self.samples.len().max(1) as u64;
            return;
        }
        for sample in &self.samples {
            match self.fit(sample, layout, dictionary) {
                Fit::Good => {}
                Fit::Unusual => against.unusual += 1,
                Fit::Impossible => against.impossible += 1,
            }
        }
    }

    fn fit(&self, sample: &[u8], layout: OtlpLayout, dictionary: &Dictionary<'_>) -> Fit {
        let numbers = SampleFields::of(layout);
        let is_possible = match numbers.length {
            None => number_below(sample, 1, dictionary.stacks.len() as u64),
            Some(length) => {
                let (start, length) = (single_number(sample, 1), single_number(sample, length));
                let end = start.zip(length).and_then(|(start, length)| start.checked_add(length));
                end.is_some_and(|end| end <= self.location_number_count)
            }
        };
        let attribute_count = dictionary.attributes.len() as u64;
        let is_possible = is_possible
            && number_below(sample, numbers.link, dictionary.link_count as u64)
            && of_field(sample, numbers.attributes).all(|value| list_length(value).is_some())
            && of_field(sample, numbers.attributes).flat_map(Value::numbers).all(|row| row < attribute_count)
            && times_are_possible(sample, numbers);
        let Some(value_count) = count(sample, numbers.values).filter(|_| is_possible) else { return Fit::Impossible };
        let time_count = match numbers.length {
            Some(_) => count(sample, numbers.times).unwrap_or(0),
            None => of_field(sample, numbers.times).flat_map(Value::fixed_numbers).count(),
        };
        match (value_count, time_count) {
            (0, 0) => Fit::Impossible,
            // There is one value of each type, however many times there are.
            (_, _) if numbers.length.is_some() && value_count == self.type_count => Fit::Good,
            (_, 0) if value_count == 1 => Fit::Good,
            (0, _) => Fit::Good,
            (_, _) if value_count == time_count => Fit::Good,
            _ => Fit::Unusual,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    Good,
    Unusual,
    Impossible,
}

fn of_field(message: &[u8], wanted: u64) -> impl Iterator<Item = Value<'_>> {
    Fields::new(message).filter(move |(field, _)| *field == wanted).map(|(_, value)| value)
}

/// Length of a list of numbers, packed or not. `None` if the value is not a list.
fn list_length(value: Value<'_>) -> Option<usize> {
    match value {
        Value::Number(_) => Some(1),
        Value::Fixed(_) => None,
        Value::Bytes(packed) => {
            let is_last = |byte: &&u8| **byte & 0x80 == 0;
            let is_whole = packed.last().is_none_or(|byte| is_last(&byte));
            is_whole.then(|| packed.iter().filter(is_last).count())
        }
    }
}

/// Total length of all lists of a field. `None` if a value is not a list.
fn count(message: &[u8], field: u64) -> Option<usize> {
    of_field(message, field).try_fold(0_usize, |sum, value| Some(sum + list_length(value)?))
}

/// The number of a field that must occur at most once; 0 if the field is missing.
fn single_number(message: &[u8], field: u64) -> Option<u64> {
    let mut values = of_field(message, field);
    match (values.next(), values.next()) {
        (None, _) => Some(0),
        (Some(Value::Number(number)), None) => Some(number),
        _ => None,
    }
}

/// True if a field contains a row of a table with `count` rows, or means "no row".
fn number_below(message: &[u8], field: u64, count: u64) -> bool {
    single_number(message, field).is_some_and(|row| row == 0 || row < count)
}

fn times_are_possible(message: &[u8], numbers: SampleFields) -> bool {
    of_field(message, numbers.times).all(|value| match value {
        Value::Fixed(_) => numbers.length.is_none(),
        Value::Number(_) => numbers.length.is_some(),
        Value::Bytes(packed) => numbers.length.is_some() || packed.len().is_multiple_of(8),
    })
}

/// Chooses the only layout that uses all attributes. If both layouts give the same numbers, chooses the newer layout.
fn tell_two_apart(request: &Request<'_>, dictionary: &Dictionary<'_>, two: [OtlpLayout; 2]) -> Option<OtlpLayout> {
    let samples = |profile| Profile::parse(profile, OtlpLayout::ValuesFourth).samples;
    let unused = two.map(|layout| {
        let mut is_used = used_elsewhere(request, dictionary);
        let field = SampleFields::of(layout).attributes;
        for sample in request.profiles().flat_map(samples) {
            of_field(sample, field).flat_map(Value::numbers).for_each(|row| mark(&mut is_used, row));
        }
        is_used.iter().filter(|is_used| !**is_used).count()
    });
    match unused {
        [0, rest] if rest > 0 => return Some(two[0]),
        [rest, 0] if rest > 0 => return Some(two[1]),
        _ => {}
    }
    let is_newer = two.contains(&OtlpLayout::ValuesSecond) && two.contains(&OtlpLayout::ValuesFourth);
    let all_are_one = |layout| {
        let field = SampleFields::of(layout).values;
        let mut values = request.profiles().flat_map(samples).flat_map(|sample| of_field(sample, field));
        values.all(|value| value.numbers().all(|value| value == 1))
    };
    (is_newer && two.into_iter().all(all_are_one)).then_some(OtlpLayout::ValuesFourth)
}

/// The attributes that are used outside of samples. Empty attributes are treated as used.
fn used_elsewhere(request: &Request<'_>, dictionary: &Dictionary<'_>) -> Vec<bool> {
    let mut is_used: Vec<bool> = dictionary.attributes.iter().map(|attribute| attribute.is_empty()).collect();
    if let Some(first) = is_used.first_mut() {
        *first = true;
    }
    let of_rows = |rows: &[&[u8]], fields: &[u64], is_used: &mut Vec<bool>| {
        for (message, field) in rows.iter().flat_map(|message| fields.iter().map(move |field| (message, *field))) {
            of_field(message, field).flat_map(Value::numbers).for_each(|row| mark(is_used, row));
        }
    };
    of_rows(&dictionary.mappings, &[5], &mut is_used);
    of_rows(&dictionary.locations, &[4, 5], &mut is_used);
    let profiles: Vec<&[u8]> = request.profiles().collect();
    of_rows(&profiles, &[11, 12, 14], &mut is_used);
    is_used
}

fn mark(is_used: &mut [bool], row: u64) {
    if let Some(is_used) = usize::try_from(row).ok().and_then(|row| is_used.get_mut(row)) {
        *is_used = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn against(impossible: u64, unusual: u64) -> Contradictions {
        Contradictions { impossible, unusual }
    }

    #[test]
    fn the_layout_with_clearly_the_least_against_it() {
        let fourth = OtlpLayout::ValuesFourth;
        assert_eq!(decide([against(9, 0), against(9, 0), against(0, 0)], 9), Ok(fourth));
        assert_eq!(decide([against(9, 0), against(9, 0), against(1, 0)], 9), Ok(fourth), "one is damaged");
        assert_eq!(decide([against(9, 0), against(0, 3), against(0, 0)], 9), Ok(fourth));
        assert_eq!(decide([against(9, 0), against(9, 0), against(5, 0)], 9), Err(None));
        let two = [OtlpLayout::ValuesSecond, fourth];
        assert_eq!(decide([against(9, 0), against(0, 0), against(0, 0)], 9), Err(Some(two)));
        assert_eq!(decide([against(9, 0), against(1, 0), against(2, 0)], 9), Err(Some(two)));
    }
}
