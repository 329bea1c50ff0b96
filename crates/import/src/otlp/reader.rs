//! Makes rows of samples from profiles. If several profiles have values for the same stack, thread and time, these
//! values become one row. For example, async-profiler writes the number of samples and their CPU time as two profiles.

use super::code::{CodeReader, steps_for};
use super::columns::{Columns, OtlpType};
use super::profile::{OtlpLayout, Profile, Sample, SampleFields};
use super::request::{OtlpResource, Request};
use super::tables::Dictionary;
use crate::foreign::{ForeignImport, Observation, Target, ValueTypes, nanoseconds_in};
use whittle_model::{
    CpuMode, EventKind, FrameKind, LossReason, MetricDefinition, StackIndex, TableBuilder, ThreadIndex, WeightColumn,
    cpu_metrics,
};

/// Maximum number of kinds of value that are read. Real requests have one to ten.
const MAX_TYPES: usize = 100;
/// Maximum length of a kind's name and unit, in characters.
const MAX_TYPE_LENGTH: usize = 100;

/// Adds the samples of the wanted resources to `builder`.
pub(super) fn import(
    request: &Request<'_>,
    layout: OtlpLayout,
    wanted: impl Fn(usize) -> bool,
    builder: &mut TableBuilder,
) -> ForeignImport {
    let first_row = builder.tables().samples.time_ns.len();
    let (profiles, types) = read_profiles(request, layout, wanted);
    let input_bytes = profiles.iter().map(|known| known.message_bytes).sum::<usize>() + request.dictionary_bytes;
    let columns = Columns::new(&types);
    let start_wall_ns = profiles.iter().map(|known| known.profile.time_ns).filter(|time| *time > 0).min();
    let mut reader = Reader {
        layout,
        numbers: SampleFields::of(layout),
        value_types: columns.value_types(),
        columns: &columns,
        start_wall_ns: start_wall_ns.unwrap_or(0),
        steps: steps_for(input_bytes),
        entries: Vec::new(),
        end_ns: 0,
        target: Target::new(builder, input_bytes),
    };
    request.count_damage(&mut reader.target.losses);
    reader.read(request, &profiles);
    let (losses, end_ns, value_types) = (reader.target.losses, reader.end_ns, reader.value_types);
    let mut metrics = value_types.metrics();
    tell_modes(builder, first_row, &mut metrics);
    let duration = |known: &KnownProfile<'_, '_>| {
        known.profile.time_ns.saturating_sub(start_wall_ns.unwrap_or(0)).saturating_add(known.profile.duration_ns)
    };
    ForeignImport {
        producer: producer(&profiles),
        metrics,
        losses,
        left_out: left_out(value_types.left_out, &profiles, &types),
        start_wall_ns,
        duration_ns: profiles.iter().map(duration).max().unwrap_or(0).max(end_ns),
        interval_ns: interval(&types),
        command: Vec::new(),
    }
}

/// A profile and its resource.
struct KnownProfile<'r, 'a> {
    resource: &'r OtlpResource<'a>,
    message: &'a [u8],
    message_bytes: usize,
    profile: Profile<'a>,
    /// Where the profile's kinds of value are in the list of all kinds. Missing: the kind is above the limit.
    kinds: Vec<Option<usize>>,
}

/// The profiles of the wanted resources, and all different kinds of their values.
fn read_profiles<'r, 'a>(
    request: &'r Request<'a>,
    layout: OtlpLayout,
    wanted: impl Fn(usize) -> bool,
) -> (Vec<KnownProfile<'r, 'a>>, Vec<OtlpType>) {
    let (mut profiles, mut kinds) = (Vec::new(), Vec::new());
    let resources = request.resources.iter().enumerate().filter(|(position, _)| wanted(*position));
    for (resource, message) in
        resources.flat_map(|(_, resource)| resource.profiles.iter().map(move |own| (resource, *own)))
    {
        let profile = Profile::parse(message, layout);
        let own;
        let texts = match &request.dictionary {
            Some(shared) => shared,
            None => {
                own = Dictionary::of_profile(message);
                &own
            }
        };
        let types = profile.types.iter().take(MAX_TYPES);
        let positions = types.map(|kind| position_of(&mut kinds, kind_of(&profile, *kind, texts))).collect();
        profiles.push(KnownProfile { resource, message, message_bytes: message.len(), profile, kinds: positions });
    }
    (profiles, kinds)
}

/// The position of a kind in the list. A new kind is added if the limit allows this.
fn position_of(kinds: &mut Vec<OtlpType>, kind: OtlpType) -> Option<usize> {
    let known = kinds.iter().position(|known| *known == kind);
    if known.is_none() && kinds.len() < MAX_TYPES {
        kinds.push(kind);
        return Some(kinds.len() - 1);
    }
    known
}

fn kind_of(profile: &Profile<'_>, (name, unit): (u64, u64), texts: &Dictionary<'_>) -> OtlpType {
    let text = |number| texts.text(number).chars().take(MAX_TYPE_LENGTH).collect();
    OtlpType { name: text(name), unit: text(unit), period_unit: text(profile.period_type.1), period: profile.period }
}

/// One value of a column, at one stack, thread and time.
#[derive(Debug, Clone, Copy)]
struct Entry {
    time_ns: u64,
    stack: StackIndex,
    thread: ThreadIndex,
    column: u32,
    value: u64,
}

impl Entry {
    fn key(&self) -> (u64, StackIndex, ThreadIndex) {
        (self.time_ns, self.stack, self.thread)
    }
}

struct Reader<'c, 'b> {
    layout: OtlpLayout,
    numbers: SampleFields,
    value_types: ValueTypes,
    columns: &'c Columns,
    start_wall_ns: u64,
    /// Number of locations that can still be visited.
    steps: usize,
    /// The collected values of profiles with the same start.
    entries: Vec<Entry>,
    /// Time of the latest sample, since the start.
    end_ns: u64,
    target: Target<'b>,
}

impl Reader<'_, '_> {
    fn read<'a>(&mut self, request: &Request<'a>, profiles: &[KnownProfile<'_, 'a>]) {
        let same_start = |a: &KnownProfile<'_, 'a>, b: &KnownProfile<'_, 'a>| {
            std::ptr::eq(a.resource, b.resource) && a.profile.time_ns == b.profile.time_ns
        };
        let mut shared = request.dictionary.as_ref().map(|dictionary| CodeReader::new(dictionary, self.layout));
        for group in profiles.chunk_by(same_start) {
            for known in group {
                match &mut shared {
                    Some(code) => self.add_profile(known, code),
                    None => {
                        let own = Dictionary::of_profile(known.message);
                        self.add_profile(known, &mut CodeReader::new(&own, self.layout));
                    }
                }
            }
            self.add_rows();
        }
    }

    fn add_profile<'a>(&mut self, known: &KnownProfile<'_, 'a>, code: &mut CodeReader<'a, '_>) {
        if known.profile.unread_bytes > 0 {
            self.target.losses.add_input_bytes(LossReason::DamagedInput, known.profile.unread_bytes);
        }
        code.begin_profile();
        for message in &known.profile.samples {
            if self.add_sample(known, code, message).is_none() {
                self.target.losses.add_input_bytes(LossReason::DamagedInput, message.len() as u64);
            }
        }
    }

    /// Adds a sample. `None` if the sample is unusable.
    fn add_sample<'a>(
        &mut self,
        known: &KnownProfile<'_, 'a>,
        code: &mut CodeReader<'a, '_>,
        message: &[u8],
    ) -> Option<()> {
        let sample = Sample::parse(message, self.numbers);
        let values = self.values(&sample, &known.kinds)?;
        let (stack, reason) =
            code.stack(&mut self.target, (&sample, &known.profile.location_numbers), &mut self.steps)?;
        let thread = code.thread(&mut self.target, &sample, known.resource.process_id);
        self.target.count(reason);
        for (wall_ns, column, value) in values {
            let wall_ns = wall_ns.unwrap_or(known.profile.time_ns);
            let time_ns = wall_ns.saturating_sub(self.start_wall_ns);
            self.end_ns = self.end_ns.max(time_ns);
            self.entries.push(Entry { time_ns, stack, thread, column, value });
        }
        Some(())
    }

    /// Time, column and value of all measurements in a sample. `None` if the sample is corrupt, or if a used value is
    /// negative, as in the comparison of two profiles.
    fn values(&self, sample: &Sample, kinds: &[Option<usize>]) -> Option<Vec<(Option<u64>, u32, u64)>> {
        let (values, times) = (&sample.values, &sample.times_ns);
        let is_of_types = self.numbers.length.is_some() && values.len() == kinds.len();
        // If there are no values, each time counts as 1.
        let observations: Vec<(Option<u64>, Option<usize>, u64)> = match (values.len(), times.len()) {
            _ if !sample.is_complete => return None,
            (0, 0) => return None,
            (0, _) => {
                let kind = kinds.first().copied()?;
                times.iter().map(|time| (Some(*time), kind, 1)).collect()
            }
            _ if is_of_types => {
                let first = times.first().copied();
                values.iter().zip(kinds).map(|(value, kind)| (first, *kind, *value)).collect()
            }
            (value_count, time_count) if value_count == time_count => {
                let kind = kinds.first().copied()?;
                times.iter().zip(values).map(|(time, value)| (Some(*time), kind, *value)).collect()
            }
            // One value for all times.
            (1, _) => vec![(times.first().copied(), kinds.first().copied()?, values[0])],
            _ => return None,
        };
        let mut weighed = Vec::with_capacity(observations.len());
        for (time, kind, value) in observations {
            let Some(kind) = kind else { continue };
            for (column, factor) in self.columns.of_type(kind) {
                let Some(meaning) = self.value_types.meanings.get(*column).and_then(Option::as_ref) else { continue };
                let value = i64::try_from(value).ok()?.unsigned_abs();
                let value = value.saturating_mul(*factor).saturating_mul(meaning.factor);
                weighed.push((time, u32::try_from(*column).ok()?, value));
            }
        }
        Some(weighed)
    }

    /// Turns the collected values into rows.
    fn add_rows(&mut self) {
        let mut entries = std::mem::take(&mut self.entries);
        entries.sort_by_key(Entry::key);
        let mut values = vec![0_u64; self.columns.count()];
        for own in entries.chunk_by(|a, b| a.key() == b.key()) {
            values.fill(0);
            for entry in own {
                let value = &mut values[entry.column as usize];
                *value = value.saturating_add(entry.value);
            }
            let (time_ns, stack, thread) = own[0].key();
            let rows = self.value_types.rows(&values, Observation { time_ns, thread, stack });
            rows.into_iter().for_each(|row| self.target.sample(row));
        }
    }
}

/// Sets the mode of CPU time to user or system, if any stack contains kernel code.
fn tell_modes(builder: &mut TableBuilder, first_row: usize, metrics: &mut Vec<MetricDefinition>) {
    let tables = builder.tables_mut();
    let is_kernel = |stack: StackIndex| {
        let frame = tables.stacks.frame.get(stack.row()).map(|frame| tables.frames.kind.get(frame.row()));
        frame.flatten() == Some(&FrameKind::Kernel)
    };
    if !tables.frames.kind.contains(&FrameKind::Kernel) {
        return;
    }
    for row in first_row..tables.samples.time_ns.len() {
        if tables.samples.event[row] == EventKind::Cpu && tables.samples.mode[row] == CpuMode::Unknown {
            let is_system = is_kernel(tables.samples.stack[row]);
            tables.samples.mode[row] = if is_system { CpuMode::System } else { CpuMode::User };
        }
    }
    let is_cpu_time =
        |metric: &MetricDefinition| (metric.event, metric.weight) == (EventKind::Cpu, WeightColumn::DurationNs);
    if let Some(position) = metrics.iter().position(is_cpu_time) {
        metrics.retain(|metric| !is_cpu_time(metric));
        metrics.splice(position..position, cpu_metrics(true));
    }
}

fn producer(profiles: &[KnownProfile<'_, '_>]) -> String {
    let scope = profiles.iter().map(|known| known.resource.scope.as_str()).find(|scope| !scope.is_empty());
    scope.unwrap_or("OTLP").to_owned()
}

fn left_out(mut left_out: Vec<String>, profiles: &[KnownProfile<'_, '_>], types: &[OtlpType]) -> Vec<String> {
    left_out.extend(Columns::without_time(types));
    let count = profiles.iter().filter(|known| known.profile.has_original && known.profile.samples.is_empty()).count();
    if count > 0 {
        left_out.push(format!("{count} profiles that contain only a copy in another format, and no samples"));
    }
    left_out
}

/// The distance between samples, if it is a time.
fn interval(types: &[OtlpType]) -> Option<u64> {
    let of_type = |known: &OtlpType| {
        let period = i64::try_from(known.period).ok().filter(|period| *period > 0)?.unsigned_abs();
        Some(period.saturating_mul(nanoseconds_in(&known.period_unit)?))
    };
    types.iter().find_map(of_type)
}
