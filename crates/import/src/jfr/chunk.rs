//! Converts one chunk from bytes to rows of tables.

use super::bytes::Cursor;
use super::chunk_header::ChunkHeader;
use super::clock::{ChunkClock, RecordingStart};
use super::event_index::{Event, EventIndex};
use super::events::{EventReader, EventType, event_readers, sample};
use super::functions::NameBudget;
use super::known_stack::KnownStack;
use super::layout::Slots;
use super::metadata::Metadata;
use super::options::JfrOptions;
use super::pools::{PoolKind, Pools, thread};
use super::recording::{JvmInformation, Producer, Recording};
use super::stacks::StackReader;
use super::system_properties::SystemProperties;
use super::wait_reasons::wait_reason;
use super::weights::{Weighing, Weight};
use crate::java_names;
use rustc_hash::FxHashMap;
use std::ops::Range;
use whittle_model::{
    CpuMode, EventKind, LossReason, Losses, MetricsSeen, ObjectClassIndex, Observed, Sample, StackIndex, TableBuilder,
    ThreadIndex, WaitReason,
};

/// Start of async-profiler's names for unnamed threads.
const UNNAMED_THREAD: &str = "[tid=";

/// The state that all chunks of a recording share.
#[derive(Debug, Default)]
pub(crate) struct Session {
    pub(crate) start: Option<RecordingStart>,
    pub(crate) recording: Recording,
    pub(crate) losses: Losses,
    /// The kinds of samples that occurred.
    pub(crate) seen: MetricsSeen,
    /// async-profiler's stacks of finished chunks. A stack has the same key during the whole recording. So the keys
    /// also identify the stacks of an unfinished last chunk, which has no pools.
    earlier_stacks: FxHashMap<u64, KnownStack>,
    /// async-profiler's classes of objects in finished chunks. They keep their keys like the stacks.
    earlier_classes: FxHashMap<u64, ObjectClassIndex>,
}

/// The unreadable data of a chunk.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ChunkDamage {
    /// Unreadable parts, by position in the chunk.
    pub(crate) parts: Vec<(Range<usize>, &'static str)>,
}

/// Reads the chunk `bytes` into `builder`. For an unfinished chunk, `bytes` is the part that was written.
pub(crate) fn import_chunk(
    bytes: &[u8],
    header: &ChunkHeader,
    target: (&mut Session, &mut TableBuilder),
    options: &JfrOptions,
) -> ChunkDamage {
    let index = EventIndex::new(bytes, header);
    let mut damage = ChunkDamage::default();
    damage.parts.extend(index.damaged.iter().map(|part| (part.clone(), "events")));
    let metadata = index.metadata.and_then(|event| Metadata::parse(Cursor::at(&bytes[..event.end], event.body)).ok());
    let Some(metadata) = metadata else {
        damage.parts = vec![(0..bytes.len(), "a chunk without metadata")];
        return damage;
    };
    let mut pools = Pools::new(bytes, &metadata, &index.checkpoints);
    damage.parts.extend(pools.damaged.iter().map(|part| (part.clone(), "constant pools")));

    let (session, builder) = target;
    let start = *session.start.get_or_insert_with(|| RecordingStart::of(header));
    let producer = if metadata.has_prefix("profiler.") { Producer::AsyncProfiler } else { Producer::Jdk };
    let mut chunk = ChunkImport {
        bytes,
        clock: ChunkClock::new(header, &start),
        producer,
        stacks: StackReader::new(bytes, &metadata, &mut pools),
        readers: event_readers(&metadata),
        metadata,
        pools,
        threads: FxHashMap::default(),
        object_classes: FxHashMap::default(),
        wait_reasons: FxHashMap::default(),
        budget: NameBudget::for_chunk(bytes),
        weighing: Weighing::default(),
        session,
        builder,
        options,
    };
    chunk.begin(header, &start);
    chunk.read_announcements(&index);
    chunk.stacks.read_needed(&chunk.pools, chunk.builder);
    chunk.read_samples(&index, &mut damage);
    chunk.end();
    damage
}

struct ChunkImport<'c, 'a> {
    bytes: &'a [u8],
    metadata: Metadata<'a>,
    clock: ChunkClock,
    producer: Producer,
    pools: Pools<'a>,
    stacks: StackReader<'a>,
    readers: FxHashMap<u64, EventReader>,
    threads: FxHashMap<u64, ThreadIndex>,
    object_classes: FxHashMap<u64, ObjectClassIndex>,
    wait_reasons: FxHashMap<StackIndex, WaitReason>,
    budget: NameBudget,
    weighing: Weighing,
    session: &'c mut Session,
    builder: &'c mut TableBuilder,
    options: &'c JfrOptions,
}

impl ChunkImport<'_, '_> {
    fn begin(&mut self, header: &ChunkHeader, start: &RecordingStart) {
        let recording = &mut self.session.recording;
        if recording.chunk_count == 0 {
            recording.producer = Some(self.producer);
            recording.start_wall_ns = start.wall_ns;
            recording.start_clock_ns = start.ticks_in_ns();
        }
        recording.chunk_count += 1;
        let duration_ns = if header.is_finished { header.duration_ns } else { 0 };
        let end_ns = self.clock.start_ns().saturating_add(duration_ns);
        recording.duration_ns = recording.duration_ns.max(end_ns);
    }

    fn end(self) {
        if self.producer == Producer::AsyncProfiler {
            self.session.earlier_stacks.extend(self.stacks.into_stacks());
            self.session.earlier_classes.extend(self.object_classes);
        }
    }

    /// Reads the events that are needed to understand the samples, because these events can come after the samples.
    /// Also records which stack traces the samples need.
    fn read_announcements(&mut self, index: &EventIndex) {
        let bytes = self.bytes;
        let mut has_allocation_samples = false;
        for event in index.events(bytes) {
            let Some(reader) = self.readers.get(&event.type_id) else { continue };
            let event_type = reader.event_type;
            has_allocation_samples |= event_type == EventType::AllocationSample;
            match read_fields(bytes, &event, reader) {
                Some(slots) if event_type.is_sample() => self.stacks.need(slots[sample::STACK]),
                Some(slots) => self.add_announcement(event_type, &slots),
                None => {}
            }
        }
        let settings = &self.session.recording.settings;
        self.weighing = match self.producer {
            Producer::AsyncProfiler => Weighing::AsyncProfiler {
                execution: settings.execution_meaning(self.options.weight_per_sample_ns),
                wall_interval_ns: settings.wall_interval_ns(),
                sleeping_is_waiting: self.options.sleeping_is_waiting,
            },
            Producer::Jdk => Weighing::Jdk { has_allocation_samples },
        };
    }

    fn add_announcement(&mut self, event_type: EventType, slots: &Slots) {
        match event_type {
            EventType::ActiveSetting => self.add_setting(slots),
            EventType::JvmInformation => {
                self.session.recording.jvm = Some(JvmInformation {
                    name: self.text(slots[0]),
                    version: self.text(slots[1]),
                    jvm_arguments: self.text(slots[2]),
                    java_arguments: self.text(slots[3]),
                    process_id: u32::try_from(slots[4]).ok().filter(|id| *id > 0),
                });
            }
            EventType::SystemProperty => self.add_system_property(slots),
            EventType::OsInformation => self.session.recording.operating_system = Some(self.text(slots[0])),
            EventType::CpuTimeSamplesLost => self.session.losses.add_count(LossReason::ProfilerBusy, slots[0]),
            EventType::DataLoss => self.session.losses.add_input_bytes(LossReason::ProfilerBusy, slots[0]),
            _ => {}
        }
    }

    fn add_setting(&mut self, slots: &Slots) {
        let (name, value) = (self.text(slots[1]), self.text(slots[2]));
        if self.producer == Producer::AsyncProfiler && name == "version" {
            // A new recording begins with this setting. Its keys start again.
            self.session.earlier_stacks.clear();
            self.session.earlier_classes.clear();
        }
        let event = self.metadata.by_id(slots[0]).map_or("", |of| self.metadata.type_name(of));
        if !name.is_empty() && self.budget.take(event.len()) {
            self.session.recording.settings.insert(event, &name, &value);
        }
    }

    fn add_system_property(&mut self, slots: &Slots) {
        let key = self.pools.text_at(slots[0]).unwrap_or_default();
        if SystemProperties::keeps(&key) {
            let value = self.text(slots[1]);
            self.session.recording.system_properties.set(&key, &value);
        }
    }

    /// The text of the string at `position`; empty if it is missing.
    fn text(&mut self, position: u64) -> String {
        let text = self.pools.text_at(position).unwrap_or_default();
        if self.budget.take(text.len()) { text.into_owned() } else { String::new() }
    }

    fn read_samples(&mut self, index: &EventIndex, damage: &mut ChunkDamage) {
        let readers = std::mem::take(&mut self.readers);
        let bytes = self.bytes;
        for event in index.events(bytes) {
            let Some(reader) = readers.get(&event.type_id).filter(|reader| reader.event_type.is_sample()) else {
                continue;
            };
            match read_fields(bytes, &event, reader) {
                Some(slots) => self.add_sample(reader, &slots),
                None => damage.parts.push((event.body..event.end, "fields of an event")),
            }
        }
    }

    fn add_sample(&mut self, reader: &EventReader, slots: &Slots) {
        let weight = match self.weighing.weigh(reader, slots, (&self.clock, &self.pools)) {
            Ok(weight) => weight,
            Err(left_out) => {
                *self.session.recording.left_out.entry(left_out).or_insert(0) += 1;
                return;
            }
        };
        let known = self.stack(reader.event_type, slots);
        let is_wait = weight.event == EventKind::OffCpu;
        let reason = if is_wait { self.wait_reason(known.stack) } else { WaitReason::None };
        self.session.seen.see(Observed { reason, ..weight.observed() });
        self.count_loss(known.reason, &weight);
        if reader.event_type == EventType::CpuTimeSample && slots[sample::BIASED] != 0 {
            self.session.recording.biased_sample_count += 1;
        }
        let mode = match weight.has_mode {
            false => CpuMode::Unknown,
            true if known.has_kernel_leaf => CpuMode::System,
            true => CpuMode::User,
        };
        // A wait ends at the sample's time.
        let span_ns = if is_wait { self.clock.duration_ns(slots[sample::TIME_SPAN]) } else { 0 };
        let time_ns = self.clock.time_ns(slots[sample::TIME]).saturating_add(span_ns);
        self.session.recording.duration_ns = self.session.recording.duration_ns.max(time_ns);
        let thread = self.thread(slots[sample::THREAD]);
        let Weight { event, count, duration_ns, bytes, .. } = weight;
        let object_class = match reader.event_type.is_allocation() {
            true => self.object_class(slots[sample::OBJECT_CLASS]),
            false => ObjectClassIndex::UNKNOWN,
        };
        let sample = Sample::new(time_ns, thread, known.stack, event);
        self.builder.sample(Sample { mode, reason, count, duration_ns, bytes, object_class, ..sample });
    }

    /// Why a sleeping thread with this stack waits.
    fn wait_reason(&mut self, stack: StackIndex) -> WaitReason {
        let tables = self.builder.tables();
        *self.wait_reasons.entry(stack).or_insert_with(|| wait_reason(tables, stack))
    }

    /// The class of allocated objects with this key.
    fn object_class(&mut self, key: u64) -> ObjectClassIndex {
        if let Some(known) = self.object_classes.get(&key) {
            return *known;
        }
        let name = self.pools.class_name(key).map(|name| java_names::type_name(&name)).unwrap_or_default();
        let class = match self.session.earlier_classes.get(&key) {
            Some(earlier) if name.is_empty() => *earlier,
            _ if self.budget.take(name.len()) => self.builder.object_class(&name),
            _ => ObjectClassIndex::UNKNOWN,
        };
        self.object_classes.insert(key, class);
        class
    }

    #[inline]
    fn stack(&mut self, event_type: EventType, slots: &Slots) -> KnownStack {
        let key = slots[sample::STACK];
        let known = self.stacks.stack(key);
        let known = known.or_else(|| self.session.earlier_stacks.get(&key).copied());
        known.unwrap_or_else(|| {
            let failed = event_type == EventType::CpuTimeSample && slots[sample::FAILED] != 0;
            let reason = match key {
                _ if failed => LossReason::FailedSample,
                0 => LossReason::NoFrames,
                _ => LossReason::MissingEntry,
            };
            let frame = self.builder.truncated_frame(reason);
            KnownStack { stack: self.builder.child(StackIndex::ROOT, frame), has_kernel_leaf: false, reason }
        })
    }

    fn count_loss(&mut self, reason: LossReason, weight: &Weight) {
        match reason {
            LossReason::None => {}
            _ if weight.event == EventKind::Cpu && weight.duration_ns > 0 => {
                self.session.losses.add_cpu(reason, weight.duration_ns);
            }
            // An allocation counts as one sample, however many objects it has.
            _ if weight.event == EventKind::Alloc => self.session.losses.add_count(reason, 1),
            _ => self.session.losses.add_count(reason, weight.count),
        }
    }

    #[inline]
    fn thread(&mut self, key: u64) -> ThreadIndex {
        if let Some(known) = self.threads.get(&key) {
            return *known;
        }
        let thread = self.add_thread(key);
        self.threads.insert(key, thread);
        thread
    }

    fn add_thread(&mut self, key: u64) -> ThreadIndex {
        let process_id = self.options.process_id;
        let Some(slots) = self.pools.entry(PoolKind::Thread, key) else {
            // async-profiler uses the thread id as the key, so the id is known even without an entry in the pool.
            let thread_id = u32::try_from(key).ok().filter(|_| self.producer == Producer::AsyncProfiler);
            return self.builder.thread(process_id, thread_id, "");
        };
        let (java_name, os_name) = (self.text(slots[thread::JAVA_NAME]), self.text(slots[thread::OS_NAME]));
        let name = if java_name.is_empty() { os_name } else { java_name };
        let name = if name.starts_with(UNNAMED_THREAD) { "" } else { name.as_str() };
        let thread_id = u32::try_from(slots[thread::OS_ID]).ok().filter(|id| *id > 0);
        if thread_id.is_none() && name.is_empty() && slots[thread::JAVA_ID] > 0 {
            // Virtual threads have no id in the operating system, and usually no name.
            return self.builder.thread(process_id, None, "virtual threads");
        }
        self.builder.thread(process_id, thread_id, name)
    }
}

#[inline]
fn read_fields(bytes: &[u8], event: &Event, reader: &EventReader) -> Option<Slots> {
    reader.layout.read_wanted(&mut Cursor::at(&bytes[..event.end], event.body)).ok()
}
