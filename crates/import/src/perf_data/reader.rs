//! Samples from records in the order of time.

use super::bytes::{Bytes, until_zero};
use super::header::{Header, text};
use super::maps::{Mapping, Maps};
use super::records::{Mapped, Record, Sample as PerfSample, event_of, kind};
use super::{Symbols, UnnamedCode};
use crate::foreign::{CodeName, Observation, Target, ValueTypes};
use rustc_hash::{FxHashMap, FxHashSet};
use whittle_model::{
    BinaryIndex, CpuMode, FrameIndex, LossReason, StackIndex, Table, ThreadClass, ThreadIndex, WeightColumn,
};

/// Addresses from this number on are markers. They show that the following addresses belong to the kernel, the program
/// or a guest.
const FIRST_MARKER: u64 = -4095_i64 as u64;
/// The following addresses are code of the kernel.
const MARKER_KERNEL: u64 = -128_i64 as u64;
/// The following addresses are code of the program.
const MARKER_USER: u64 = -512_i64 as u64;

/// The bits of `misc` with the mode of a sample.
const MODE_BITS: u16 = 0b111;
const MODE_KERNEL: u16 = 1;
/// In a COMM record: the process started another program.
const MISC_EXEC: u16 = 1 << 13;
/// The process id of kernel mappings.
const KERNEL_PROCESS: u32 = u32::MAX;

/// A place in code. It does not depend on later mappings. A place in a file does not depend on the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum CodePlace {
    /// A mapped file: index of its path, and position in the file.
    File(u32, u64),
    /// Memory without a file: process, index of the path if the memory is mapped, and address.
    Memory(u32, Option<u32>, u64),
    /// Kernel code: index of the path if the code is mapped, and address.
    Kernel(Option<u32>, u64),
}

/// Reads records into tables.
pub(super) struct Reader<'a, 'b> {
    header: &'a Header,
    types: &'a ValueTypes,
    symbols: &'a mut dyn Symbols,
    target: &'a mut Target<'b>,
    maps: Maps,
    paths: Vec<String>,
    path_numbers: FxHashMap<Vec<u8>, u32>,
    /// The last name of each thread, by thread id.
    names: FxHashMap<u32, String>,
    frames: FxHashMap<CodePlace, (FrameIndex, LossReason)>,
    jvm_processes: FxHashSet<u32>,
    threads: FxHashMap<ThreadIndex, (u32, u32)>,
    start_ns: Option<u64>,
    end_ns: u64,
}

impl<'a, 'b> Reader<'a, 'b> {
    pub(super) fn new(
        (header, types): (&'a Header, &'a ValueTypes),
        symbols: &'a mut dyn Symbols,
        target: &'a mut Target<'b>,
    ) -> Self {
        Self {
            header,
            types,
            symbols,
            target,
            maps: Maps::default(),
            paths: Vec::new(),
            path_numbers: FxHashMap::default(),
            names: FxHashMap::default(),
            frames: FxHashMap::default(),
            jvm_processes: FxHashSet::default(),
            threads: FxHashMap::default(),
            start_ns: None,
            end_ns: 0,
        }
    }

    /// Reads one record.
    pub(super) fn read(&mut self, record: &Record<'_>) {
        let understood = match record.kind {
            kind::SAMPLE => self.read_sample(record),
            kind::MMAP | kind::MMAP2 => Mapped::parse(record).map(|mapped| self.map(&mapped)),
            kind::COMM => self.read_name(record),
            kind::FORK => self.read_fork(record),
            kind::LOST => self.count_lost(record, 8),
            kind::LOST_SAMPLES => self.count_lost(record, 0),
            _ => Some(()),
        };
        if understood.is_none() {
            self.target.losses.add_input_bytes(LossReason::DamagedInput, record.body.len() as u64);
        }
    }

    /// Names the threads. Returns the time from the first to the last sample.
    pub(super) fn finish(self) -> u64 {
        for (thread, (process_id, thread_id)) in &self.threads {
            let threads = self.target.builder.threads_mut();
            if let Some(name) = self.names.get(thread_id) {
                if self.jvm_processes.contains(process_id) {
                    threads.class[thread.row()] = ThreadClass::of_java_thread(name);
                }
                threads.name[thread.row()].clone_from(name);
            }
        }
        for row in 0..self.target.builder.tables().binaries.len() {
            if let Some(build_id) = self.header.build_ids.get(&self.target.builder.tables().binaries.path[row]) {
                self.target.builder.describe_binary(BinaryIndex::from_row(row), build_id);
            }
        }
        self.end_ns.saturating_sub(self.start_ns.unwrap_or(self.end_ns))
    }

    fn map(&mut self, mapped: &Mapped<'_>) {
        let next = self.paths.len() as u32;
        let path = *self.path_numbers.entry(mapped.path.to_vec()).or_insert(next);
        if path == next {
            self.paths.push(text(mapped.path));
        }
        if mapped.path.ends_with(b"/libjvm.so") {
            self.jvm_processes.insert(mapped.process_id);
        }
        let end = mapped.start.saturating_add(mapped.length);
        let mapping = Mapping { end, file_offset: mapped.file_offset, path };
        self.maps.add(mapped.process_id, mapped.start, mapping);
    }

    fn read_name(&mut self, record: &Record<'_>) -> Option<()> {
        let mut bytes = Bytes::new(record.body);
        let (process_id, thread_id) = (bytes.u32()?, bytes.u32()?);
        self.names.insert(thread_id, text(until_zero(bytes.rest)));
        if record.misc & MISC_EXEC != 0 {
            self.maps.exec(process_id);
            self.jvm_processes.remove(&process_id);
        }
        Some(())
    }

    fn read_fork(&mut self, record: &Record<'_>) -> Option<()> {
        let mut bytes = Bytes::new(record.body);
        let (process_id, parent, thread_id, parent_thread) = (bytes.u32()?, bytes.u32()?, bytes.u32()?, bytes.u32()?);
        if process_id != parent {
            self.maps.fork(parent, process_id);
            match self.jvm_processes.contains(&parent) {
                true => self.jvm_processes.insert(process_id),
                false => self.jvm_processes.remove(&process_id),
            };
        }
        if let Some(name) = self.names.get(&parent_thread) {
            self.names.insert(thread_id, name.clone());
        }
        Some(())
    }

    fn count_lost(&mut self, record: &Record<'_>, position: usize) -> Option<()> {
        let count = Bytes::at(record.body, position).u64()?;
        self.target.losses_of(LossReason::EventsOverflow, count);
        Some(())
    }

    fn read_sample(&mut self, record: &Record<'_>) -> Option<()> {
        let event_number = event_of(record, self.header)?;
        let event = self.header.events.get(event_number)?;
        let sample = PerfSample::parse(record.body, event)?;
        let Some(meaning) = self.types.meanings.get(event_number)?.as_ref() else { return Some(()) };
        let usual_period = match meaning.metric.weight {
            WeightColumn::DurationNs if event.is_frequency => 1_000_000_000 / event.period.max(1),
            _ if event.is_frequency => 1,
            _ => event.period.max(1),
        };
        let period = sample.period.unwrap_or(usual_period).saturating_mul(meaning.factor);
        let mut values = vec![0; self.types.meanings.len()];
        values[event_number] = period;
        let is_kernel = record.misc & MODE_BITS == MODE_KERNEL;
        let (stack, reason) = self.stack(&sample, is_kernel);
        let at = Observation { time_ns: self.time(&sample), thread: self.thread(&sample), stack };
        for mut row in self.types.rows(&values, at) {
            if row.event.facts().has_mode {
                row.mode = if is_kernel { CpuMode::System } else { CpuMode::User };
            }
            self.target.sample(row);
            self.target.count(reason);
        }
        Some(())
    }

    /// Nanoseconds since the first sample.
    fn time(&mut self, sample: &PerfSample<'_>) -> u64 {
        let time_ns = sample.time_ns.unwrap_or(0);
        let start_ns = *self.start_ns.get_or_insert(time_ns);
        self.end_ns = self.end_ns.max(time_ns);
        time_ns.saturating_sub(start_ns)
    }

    fn thread(&mut self, sample: &PerfSample<'_>) -> ThreadIndex {
        let thread = self.target.thread(sample.process_id, sample.thread_id, "");
        if let (Some(process_id), Some(thread_id)) = (sample.process_id, sample.thread_id) {
            self.threads.insert(thread, (process_id, thread_id));
        }
        thread
    }

    fn stack(&mut self, sample: &PerfSample<'_>, is_kernel: bool) -> (StackIndex, LossReason) {
        let process_id = sample.process_id.unwrap_or(0);
        let mut addresses_leaf_first = code_addresses(sample, is_kernel);
        if addresses_leaf_first.is_empty() {
            addresses_leaf_first.extend(sample.instruction.map(|address| (address, is_kernel)));
        }
        let mut stack = StackIndex::ROOT;
        let mut reason = LossReason::None;
        for (address, is_kernel) in addresses_leaf_first.into_iter().rev() {
            let (frame, missing) = self.frame(process_id, address, is_kernel);
            stack = self.target.child(stack, frame);
            reason = if reason == LossReason::None { missing } else { reason };
        }
        let reason = if stack == StackIndex::ROOT { LossReason::NoFrames } else { reason };
        (self.target.not_empty(stack), reason)
    }

    fn frame(&mut self, process_id: u32, address: u64, is_kernel: bool) -> (FrameIndex, LossReason) {
        let found = self.maps.find(if is_kernel { KERNEL_PROCESS } else { process_id }, address);
        let path_number = found.map(|(path, _)| path);
        let (path, file_offset) = found.map_or(("", address), |(path, offset)| (&*self.paths[path as usize], offset));
        let place = match path_number {
            _ if is_kernel => CodePlace::Kernel(path_number, address),
            Some(number) if path.starts_with('/') && !path.starts_with("//") => CodePlace::File(number, file_offset),
            _ => CodePlace::Memory(process_id, path_number, address),
        };
        if let Some(known) = self.frames.get(&place) {
            return *known;
        }
        let build_id = self.header.build_ids.get(path).map_or("", String::as_str);
        let code = UnnamedCode { process_id, binary: path, build_id, file_offset, address, is_kernel };
        let name = self.symbols.name(&code);
        let known = add_frame(self.target, &code, name.as_deref());
        self.frames.insert(place, known);
        known
    }
}

/// The addresses of a call chain, leaf first, each with a flag for kernel code. The first address in the kernel and in
/// the program is the place of execution. All other addresses are return addresses, which can already be in another
/// line or function. The byte before a return address is part of the call instruction.
fn code_addresses(sample: &PerfSample<'_>, is_kernel: bool) -> Vec<(u64, bool)> {
    let (mut is_kernel, mut is_return_address) = (is_kernel, false);
    let mut leaf_first = Vec::new();
    for address in sample.addresses() {
        match address {
            MARKER_KERNEL => (is_kernel, is_return_address) = (true, false),
            MARKER_USER => (is_kernel, is_return_address) = (false, false),
            FIRST_MARKER.. => {}
            _ => {
                leaf_first.push((address.saturating_sub(u64::from(is_return_address)), is_kernel));
                is_return_address = true;
            }
        }
    }
    leaf_first
}

fn add_frame(target: &mut Target<'_>, code: &UnnamedCode<'_>, name: Option<&str>) -> (FrameIndex, LossReason) {
    let binary = match code.binary {
        "" | "//anon" if !code.is_kernel => "",
        _ if code.is_kernel => whittle_model::KERNEL_BINARY,
        path => path,
    };
    let file_name = binary.rsplit('/').next().unwrap_or_default();
    let label = if file_name.is_empty() { "[unknown]" } else { file_name };
    // Kernel code is identified by its address.
    let offset = if code.is_kernel || binary.is_empty() { code.address } else { code.file_offset };
    let unnamed = || format!("{label}+{offset:#x}");
    let shown = name.map_or_else(unnamed, str::to_owned);
    let address = Some(offset);
    let is_unsymbolised = name.is_none();
    let known = target.frame(&CodeName { name: &shown, binary, address, is_unsymbolised, ..CodeName::default() });
    (known.frame, known.reason)
}
