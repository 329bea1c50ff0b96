//! Constant pools: the values that events refer to by key.
//!
//! Only the position of an entry is stored. An entry is read when another value refers to the entry. Most of a
//! recording consists of stack traces, and most entries are needed once or never.

use super::bytes::{Cursor, Malformed, RawString};
use super::event_index::Event;
use super::layout::{Layout, Slots};
use super::metadata::{Metadata, Type};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::ops::Range;

/// The pools that are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PoolKind {
    StackTrace,
    Method,
    Class,
    Symbol,
    Text,
    Thread,
    FrameType,
}

/// Slots of a stack trace.
pub(crate) mod stack_trace {
    pub(crate) const TRUNCATED: usize = 0;
    /// Position of the array of frames.
    pub(crate) const FRAMES: usize = 1;
}

/// Slots of a method.
pub(crate) mod method {
    pub(crate) const CLASS: usize = 0;
    pub(crate) const NAME: usize = 1;
    pub(crate) const DESCRIPTOR: usize = 2;
}

/// Slots of a thread.
pub(crate) mod thread {
    pub(crate) const OS_NAME: usize = 0;
    pub(crate) const OS_ID: usize = 1;
    pub(crate) const JAVA_NAME: usize = 2;
    pub(crate) const JAVA_ID: usize = 3;
}

/// Slot of the only field that is read from symbols, texts, frame types and classes.
const ONLY: usize = 0;

/// The positions of a chunk's stack traces, in file order.
#[derive(Debug, Default)]
pub(crate) struct StackTracePool {
    pub(crate) keys: Vec<u64>,
    pub(crate) positions: Vec<usize>,
    /// The end of each entry, which is also the end of its frame array. Empty if other fields follow the array.
    pub(crate) ends: Vec<usize>,
}

/// Every used pool: its type and the fields to read, in slot order.
const USED_POOLS: [(PoolKind, &str, &[&str]); 7] = [
    (PoolKind::StackTrace, "jdk.types.StackTrace", &["truncated", "frames"]),
    (PoolKind::Method, "jdk.types.Method", &["type", "name", "descriptor"]),
    (PoolKind::Class, "java.lang.Class", &["name"]),
    (PoolKind::Symbol, "jdk.types.Symbol", &["string"]),
    (PoolKind::Text, "java.lang.String", &[]),
    (PoolKind::Thread, "java.lang.Thread", &["osName", "osThreadId", "javaName", "javaThreadId"]),
    (PoolKind::FrameType, "jdk.types.FrameType", &["description"]),
];

#[derive(Debug, Default)]
struct Pool {
    /// The layout of the entries. Missing: the chunk's metadata does not contain their type.
    layout: Option<Layout>,
    positions: FxHashMap<u64, usize>,
}

/// The used pools of one chunk.
#[derive(Debug)]
pub(crate) struct Pools<'a> {
    bytes: &'a [u8],
    pools: [Pool; USED_POOLS.len()],
    stack_traces: StackTracePool,
    /// Unreadable parts of checkpoints.
    pub(crate) damaged: Vec<Range<usize>>,
}

impl<'a> Pools<'a> {
    /// Finds the entries of the used pools in `checkpoints`.
    pub(crate) fn new(bytes: &'a [u8], metadata: &Metadata<'_>, checkpoints: &[Event]) -> Self {
        let pools = USED_POOLS.map(|(_, name, wanted)| Pool {
            layout: metadata.by_name(name).and_then(|of| compile(metadata, of, wanted)),
            positions: FxHashMap::default(),
        });
        let used_types = USED_POOLS.map(|(_, name, _)| metadata.by_name(name).map(|of| of.id));
        let mut reader = CheckpointReader {
            metadata,
            used_types,
            unused_layouts: FxHashMap::default(),
            pools,
            stack_traces: StackTracePool::default(),
        };
        let mut damaged = Vec::new();
        for checkpoint in checkpoints {
            let mut cursor = Cursor::at(&bytes[..checkpoint.end], checkpoint.body);
            if reader.read(&mut cursor).is_err() {
                damaged.push(cursor.position()..checkpoint.end);
            }
        }
        Self { bytes, pools: reader.pools, stack_traces: reader.stack_traces, damaged }
    }

    /// Removes and returns the positions of the stack traces, in file order.
    pub(crate) fn take_stack_traces(&mut self) -> StackTracePool {
        std::mem::take(&mut self.stack_traces)
    }

    /// The slots of the stack trace at `position`.
    pub(crate) fn stack_trace(&self, position: usize) -> Option<Slots> {
        let layout = self.pools[PoolKind::StackTrace as usize].layout.as_ref()?;
        layout.read_wanted(&mut Cursor::at(self.bytes, position)).ok()
    }

    /// The slots of an entry. `None` if the chunk does not have the entry.
    pub(crate) fn entry(&self, kind: PoolKind, key: u64) -> Option<Slots> {
        let pool = &self.pools[kind as usize];
        let position = pool.positions.get(&key)?;
        pool.layout.as_ref()?.read_wanted(&mut Cursor::at(self.bytes, *position)).ok()
    }

    /// The text of a symbol.
    pub(crate) fn symbol(&self, key: u64) -> Option<Cow<'a, str>> {
        self.text_at(self.entry(PoolKind::Symbol, key)?[ONLY])
    }

    /// The name of a class in the JVM, such as `java/lang/String`.
    pub(crate) fn class_name(&self, key: u64) -> Option<Cow<'a, str>> {
        self.symbol(self.entry(PoolKind::Class, key)?[ONLY])
    }

    /// The description of a frame type, such as `Inlined`.
    pub(crate) fn frame_type(&self, key: u64) -> Option<Cow<'a, str>> {
        self.text_at(self.entry(PoolKind::FrameType, key)?[ONLY])
    }

    /// The text of the string value at `position`. `None` for a null or missing string.
    pub(crate) fn text_at(&self, position: u64) -> Option<Cow<'a, str>> {
        let at = |position: usize| Cursor::at(self.bytes, position).string().ok();
        match at(usize::try_from(position).ok()?)? {
            RawString::Text(text) => Some(text),
            RawString::Null => None,
            // An entry of the string pool must not be another key, because keys could form a cycle.
            RawString::PoolKey(key) => match at(*self.pools[PoolKind::Text as usize].positions.get(&key)?)? {
                RawString::Text(text) => Some(text),
                RawString::Null | RawString::PoolKey(_) => None,
            },
        }
    }
}

fn compile(metadata: &Metadata<'_>, of: &Type, wanted: &[&str]) -> Option<Layout> {
    match metadata.type_name(of) {
        "java.lang.String" => Some(Layout::of_string()),
        _ => Layout::compile(metadata, of, wanted).ok(),
    }
}

struct CheckpointReader<'m, 'a> {
    metadata: &'m Metadata<'a>,
    /// Type ids in the order of the used pools.
    used_types: [Option<u64>; USED_POOLS.len()],
    unused_layouts: FxHashMap<u64, Option<Layout>>,
    pools: [Pool; USED_POOLS.len()],
    stack_traces: StackTracePool,
}

impl CheckpointReader<'_, '_> {
    /// Reads a checkpoint's pools. After an error, the cursor is at the error's position.
    fn read(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Malformed> {
        for _ in ["start time", "duration", "distance to the previous checkpoint"] {
            cursor.varint()?;
        }
        cursor.byte()?; // Kind of checkpoint: flush, chunk, statics, thread.
        let pool_count = cursor.varint()?;
        for _ in 0..pool_count {
            self.read_pool(cursor)?;
        }
        Ok(())
    }

    fn read_pool(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Malformed> {
        let type_id = cursor.varint()?;
        let entry_count = cursor.varint()?;
        let no_layout = Malformed { position: cursor.position(), wanted: "a pool of a known type" };
        let stack_trace_type = self.used_types[PoolKind::StackTrace as usize];
        if let Some(row) = self.used_types.iter().position(|used| *used == Some(type_id)) {
            let Pool { layout, positions } = &mut self.pools[row];
            let layout = layout.as_ref().ok_or(no_layout)?;
            let ends_with_frames = layout.ends_with_array(stack_trace::FRAMES);
            for _ in 0..entry_count {
                let key = cursor.varint()?;
                let position = cursor.position();
                layout.read(cursor)?;
                if stack_trace_type == Some(type_id) {
                    self.stack_traces.keys.push(key);
                    self.stack_traces.positions.push(position);
                    if ends_with_frames {
                        self.stack_traces.ends.push(cursor.position());
                    }
                } else {
                    positions.insert(key, position);
                }
            }
        } else if entry_count > 0 {
            let layout = self
                .unused_layouts
                .entry(type_id)
                .or_insert_with(|| self.metadata.by_id(type_id).and_then(|of| compile(self.metadata, of, &[])));
            let layout = layout.as_ref().ok_or(no_layout)?;
            for _ in 0..entry_count {
                cursor.varint()?;
                layout.read(cursor)?;
            }
        }
        Ok(())
    }
}
