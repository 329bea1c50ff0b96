//! Turns places in code into rows of frames. The names of each place are read once.

use super::modules::Modules;
use super::names::FunctionNames;
use super::symbol_table::Symbol;
use super::walk::CodePlace;
use super::{UNKNOWN_NAMES, dwarf::SourceFrame};
use rustc_hash::FxHashMap;
use std::ops::Range;
use whittle_model::{
    BinaryIndex, FrameIndex, FrameKind, FunctionIndex, FunctionKind, LossReason, NewFrame, NewFunction, TableBuilder,
};

/// The JVM's library.
const JVM_LIBRARY: &str = "libjvm.so";

/// The frames of a place.
#[derive(Debug, Clone, Copy)]
struct KnownPlace {
    /// Indices in `frames`, the innermost first.
    first: u32,
    count: u32,
    is_symbolised: bool,
}

/// The frames of all places so far.
#[derive(Debug, Default)]
pub(crate) struct PlaceFrames {
    places: FxHashMap<CodePlace, KnownPlace>,
    frames: Vec<FrameIndex>,
}

/// The file of the code, as in the tables.
#[derive(Debug, Clone, Copy)]
struct Origin {
    binary: BinaryIndex,
    is_jvm: bool,
}

impl PlaceFrames {
    /// The frames of a place, the innermost inlined function first. The reason is `Unsymbolised` if they have no name.
    pub(crate) fn of(
        &mut self,
        place: CodePlace,
        modules: &mut Modules,
        builder: &mut TableBuilder,
    ) -> (&[FrameIndex], LossReason) {
        let known = match self.places.get(&place) {
            Some(known) => *known,
            None => {
                let known = self.add(place, modules, builder);
                self.places.insert(place, known);
                known
            }
        };
        let range = Range { start: known.first as usize, end: known.first as usize + known.count as usize };
        let reason = if known.is_symbolised { LossReason::None } else { LossReason::Unsymbolised };
        (&self.frames[range], reason)
    }

    fn add(&mut self, place: CodePlace, modules: &mut Modules, builder: &mut TableBuilder) -> KnownPlace {
        let first = self.frames.len();
        let is_symbolised = match place {
            CodePlace::Unknown => {
                let origin = Origin { binary: BinaryIndex::NONE, is_jvm: false };
                self.frames.push(unknown_frame(origin, None, builder));
                false
            }
            CodePlace::InModule(module, address) => {
                let origin =
                    Origin { binary: modules.binary(module, builder), is_jvm: modules.name(module) == JVM_LIBRARY };
                let names = modules.names(module, address);
                let is_symbolised = self.add_named(names.symbol.as_ref(), names.source, (origin, builder));
                if !is_symbolised {
                    self.frames.push(unknown_frame(origin, Some(address.0), builder));
                }
                is_symbolised
            }
        };
        let (first, end) = (to_u32(first), to_u32(self.frames.len()));
        KnownPlace { first, count: end - first, is_symbolised }
    }

    /// Adds a frame for each function that contains the code. False if no such function has a name.
    fn add_named(
        &mut self,
        symbol: Option<&Symbol<'_>>,
        mut source: Vec<SourceFrame>,
        (origin, builder): (Origin, &mut TableBuilder),
    ) -> bool {
        let outermost = source.pop().unwrap_or_default();
        for inlined in source {
            if let Some(name) = &inlined.name {
                let function = origin.function(name, builder);
                describe(function, &inlined, builder);
                self.frames.push(frame(function, FrameKind::Inlined, inlined.line, builder));
            }
        }
        let Some(name) = symbol.map(|symbol| symbol.name).or(outermost.name.as_deref()) else { return false };
        let function = origin.function(name, builder);
        describe(function, &outermost, builder);
        if let Some(symbol) = symbol {
            let size_bytes = Some(symbol.size_bytes).filter(|size| *size > 0);
            builder.locate_function(function, symbol.address.0, size_bytes);
        }
        self.frames.push(frame(function, origin.frame_kind(), outermost.line, builder));
        true
    }
}

impl Origin {
    fn function(self, symbol: &[u8], builder: &mut TableBuilder) -> FunctionIndex {
        let names = FunctionNames::of_symbol(symbol);
        builder.function(&NewFunction {
            display_name: &names.display,
            internal_name: &names.internal,
            kind: if self.is_jvm { FunctionKind::Jvm } else { FunctionKind::Native },
            binary: self.binary,
        })
    }

    fn frame_kind(self) -> FrameKind {
        if self.is_jvm { FrameKind::Jvm } else { FrameKind::Native }
    }
}

fn describe(function: FunctionIndex, source: &SourceFrame, builder: &mut TableBuilder) {
    if source.source_file.is_some() || source.first_line.is_some() {
        builder.describe_function(function, source.source_file.as_deref(), source.first_line);
    }
}

fn frame(function: FunctionIndex, kind: FrameKind, line: Option<u32>, builder: &mut TableBuilder) -> FrameIndex {
    builder.frame(NewFrame { function, kind, line, bytecode_index: None, address: None })
}

/// A frame without a name. If it is in a file, the name can be found later by the address.
fn unknown_frame(origin: Origin, address: Option<u64>, builder: &mut TableBuilder) -> FrameIndex {
    let (display_name, internal_name) = UNKNOWN_NAMES;
    let kind = if origin.is_jvm { FunctionKind::Jvm } else { FunctionKind::Native };
    let function = NewFunction { display_name, internal_name, kind, binary: origin.binary };
    let function = builder.function(&function);
    builder.frame(NewFrame { function, kind: origin.frame_kind(), line: None, bytecode_index: None, address })
}

fn to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
