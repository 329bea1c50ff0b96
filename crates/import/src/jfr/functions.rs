//! Makes functions from a recording's methods: names, kinds and binaries.
//!
//! async-profiler writes functions that are not Java methods as follows (class name, descriptor):
//!
//! ```text
//! native function   library's file name   ()L;     __GI_write in libc.so.6
//! kernel function   empty                 (Lk;)L;  do_syscall_64
//! generated code    empty                 ()L;     call_stub, vtable stub
//! reason            empty                 ()L;     break_interpreted
//! ```
//!
//! The JDK writes only Java methods. Frames of Java native methods have the type "Native".

use super::pools::{PoolKind, Pools, method};
use super::pseudo_frames;
use crate::java_names;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use whittle_model::{
    BinaryIndex, BinaryKind, FrameKind, FunctionIndex, FunctionKind, LossReason, NewFunction, TableBuilder,
    without_compiler_suffix,
};

/// The JVM's library.
const JVM_LIBRARY: &str = "libjvm.so";
/// Descriptor of native functions and generated code.
const NATIVE_DESCRIPTOR: &str = "()L;";
/// Descriptor of kernel functions.
const KERNEL_DESCRIPTOR: &str = "(Lk;)L;";

/// Maximum number of name bytes per byte of a chunk. Real recordings need less than ten. In a malicious recording, many
/// short methods could refer to one long class name.
const NAME_BYTES_PER_INPUT_BYTE: usize = 64;
/// Number of name bytes that are always allowed, for small chunks.
const MIN_NAME_BYTES: usize = 1 << 16;

/// How a frame's code was executing, with the recording's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameType {
    Interpreted,
    Jit,
    Inlined,
    C1,
    Native,
    Cpp,
    Kernel,
}

impl FrameType {
    /// Unknown names mean compiled code, as in async-profiler.
    fn from_description(description: &str) -> Self {
        match description {
            "Interpreted" => Self::Interpreted,
            "Inlined" => Self::Inlined,
            "C1 compiled" => Self::C1,
            "Native" => Self::Native,
            "C++" => Self::Cpp,
            "Kernel" => Self::Kernel,
            _ => Self::Jit,
        }
    }

    /// The frame kind for this frame type in a function of the given kind.
    pub(crate) fn frame_kind(self, function: FunctionKind) -> FrameKind {
        match (function, self) {
            (FunctionKind::Pseudo, _) => FrameKind::Pseudo,
            (FunctionKind::Native, _) => FrameKind::Native,
            (FunctionKind::Jvm, _) => FrameKind::Jvm,
            (FunctionKind::Kernel, _) => FrameKind::Kernel,
            (FunctionKind::Stub, _) => FrameKind::Stub,
            (FunctionKind::Java, Self::Interpreted) => FrameKind::Interpreted,
            (FunctionKind::Java, Self::Inlined) => FrameKind::Inlined,
            (FunctionKind::Java, Self::C1) => FrameKind::C1,
            (FunctionKind::Java, Self::Native) => FrameKind::Native,
            (FunctionKind::Java, Self::Jit | Self::Cpp | Self::Kernel) => FrameKind::Jit,
        }
    }
}

/// The meaning of a method in the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Code. `unsymbolised` is true if only the address is known.
    Code { function: FunctionIndex, kind: FunctionKind, unsymbolised: bool },
    /// A place where frames are missing.
    Missing(LossReason),
}

/// Limit of the memory for names.
#[derive(Debug)]
pub(crate) struct NameBudget {
    bytes_left: usize,
}

impl NameBudget {
    /// The limit for a chunk.
    pub(crate) fn for_chunk(bytes: &[u8]) -> Self {
        Self { bytes_left: MIN_NAME_BYTES.saturating_add(bytes.len().saturating_mul(NAME_BYTES_PER_INPUT_BYTE)) }
    }

    /// Reserves `byte_count` bytes. True if they are within the limit.
    pub(crate) fn take(&mut self, byte_count: usize) -> bool {
        let rest = self.bytes_left.checked_sub(byte_count);
        self.bytes_left = rest.unwrap_or(self.bytes_left);
        rest.is_some()
    }
}

/// Turns the methods of one chunk into functions. Each method is converted once.
#[derive(Debug, Default)]
pub(crate) struct FunctionReader {
    places: FxHashMap<u64, Place>,
    frame_types: FxHashMap<u64, FrameType>,
}

impl FunctionReader {
    /// The frame type with this key.
    pub(crate) fn frame_type(&mut self, pools: &Pools<'_>, key: u64) -> FrameType {
        *self
            .frame_types
            .entry(key)
            .or_insert_with(|| FrameType::from_description(&pools.frame_type(key).unwrap_or_default()))
    }

    /// The meaning of the method with this key. `frame_type` is the type of one of the method's frames. All frames of a
    /// native function have the same type.
    pub(crate) fn place(&mut self, key: u64, frame_type: FrameType, target: &mut Target<'_, '_>) -> Place {
        if let Some(place) = self.places.get(&key) {
            return *place;
        }
        let place = target.add_method(key, frame_type);
        self.places.insert(key, place);
        place
    }
}

/// The source of names and the destination of functions.
pub(crate) struct Target<'t, 'a> {
    pub(crate) pools: &'t Pools<'a>,
    pub(crate) builder: &'t mut TableBuilder,
    pub(crate) budget: &'t mut NameBudget,
}

/// The recorded names of a method.
struct MethodNames<'a> {
    class: Cow<'a, str>,
    method: Cow<'a, str>,
    descriptor: Cow<'a, str>,
}

impl Target<'_, '_> {
    fn add_method(&mut self, key: u64, frame_type: FrameType) -> Place {
        let Some(entry) = self.pools.entry(PoolKind::Method, key) else {
            return Place::Missing(LossReason::MissingEntry);
        };
        let Some(method) = self.pools.symbol(entry[method::NAME]) else {
            return Place::Missing(LossReason::MissingEntry);
        };
        let names = MethodNames {
            class: self.pools.class_name(entry[method::CLASS]).unwrap_or_default(),
            method,
            descriptor: self.pools.symbol(entry[method::DESCRIPTOR]).unwrap_or_default(),
        };
        // The display name and the internal name each contain the complete text.
        let byte_count = 2 * (names.class.len() + names.method.len() + 4 * names.descriptor.len());
        if !self.budget.take(byte_count) {
            return Place::Missing(LossReason::DamagedInput);
        }
        let is_native = names.descriptor == NATIVE_DESCRIPTOR && frame_type != FrameType::Inlined;
        match frame_type {
            FrameType::Kernel => self.add_kernel_function(&names),
            _ if names.descriptor == KERNEL_DESCRIPTOR => self.add_kernel_function(&names),
            FrameType::Cpp => self.add_native_function(&names),
            _ if is_native => self.add_native_function(&names),
            _ if names.descriptor == NATIVE_DESCRIPTOR => self.add_class_frame(&names),
            _ => self.add_java_method(&names),
        }
    }

    fn add_java_method(&mut self, names: &MethodNames<'_>) -> Place {
        let MethodNames { class, method, descriptor } = names;
        self.add(&NewFunction {
            display_name: &java_names::display_name(class, method, descriptor),
            internal_name: &java_names::internal_name(class, method, descriptor),
            kind: FunctionKind::Java,
            binary: BinaryIndex::NONE,
        })
    }

    /// Handles an entry that is a class, not a method, such as the receiver of a call through a vtable stub.
    fn add_class_frame(&mut self, names: &MethodNames<'_>) -> Place {
        let kind = FunctionKind::Pseudo;
        let display_name = &java_names::dotted(&names.class);
        self.add(&NewFunction { display_name, internal_name: &names.class, kind, binary: BinaryIndex::NONE })
    }

    fn add_kernel_function(&mut self, names: &MethodNames<'_>) -> Place {
        let binary = self.builder.binary(whittle_model::KERNEL_BINARY, BinaryKind::Kernel);
        let (internal_name, kind) = (names.method.as_ref(), FunctionKind::Kernel);
        let display_name = without_compiler_suffix(internal_name);
        self.add(&NewFunction { display_name, internal_name, kind, binary })
    }

    fn add_native_function(&mut self, names: &MethodNames<'_>) -> Place {
        if names.class.is_empty() {
            return self.add_function_without_library(&names.method);
        }
        let binary = self.builder.binary(&names.class, BinaryKind::Elf);
        let kind = if names.class == JVM_LIBRARY { FunctionKind::Jvm } else { FunctionKind::Native };
        let display_name = without_compiler_suffix(&names.method);
        self.add(&NewFunction { display_name, internal_name: &names.method, kind, binary })
    }

    fn add_function_without_library(&mut self, name: &str) -> Place {
        if let Some(reason) = pseudo_frames::reason_of(name) {
            return Place::Missing(reason);
        }
        let (display_name, kind) = match name {
            pseudo_frames::UNKNOWN_CODE => ("[unknown]", FunctionKind::Native),
            pseudo_frames::UNLOADED_METHOD => ("[unloaded Java method]", FunctionKind::Java),
            _ => (name, FunctionKind::Stub),
        };
        let place = self.add(&NewFunction { display_name, internal_name: name, kind, binary: BinaryIndex::NONE });
        match place {
            Place::Code { function, kind, .. } => {
                Place::Code { function, kind, unsymbolised: kind != FunctionKind::Stub }
            }
            Place::Missing(_) => place,
        }
    }

    fn add(&mut self, function: &NewFunction<'_>) -> Place {
        Place::Code { function: self.builder.function(function), kind: function.kind, unsymbolised: false }
    }
}
