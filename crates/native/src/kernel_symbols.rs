//! Names of kernel addresses, from `/proc/kallsyms`.
//!
//! ```text
//! ffffffff81000010 T __entry_text_start
//! ffffffff81a0c2f0 t do_writev
//! ffffffffc0201000 t ftrace_trampoline    [__builtin__ftrace]
//! ```
//!
//! The table is read once, when a collection starts. Modules that are loaded later have no names. The table contains no
//! sizes, so a function ends at the next symbol. If an address has several names, the last name is used, as in
//! async-profiler.

use rustc_hash::FxHashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::sync::Arc;
use thiserror::Error;
use whittle_model::KERNEL_BINARY;
use whittle_model::{
    BinaryKind, FrameIndex, FrameKind, FunctionKind, NewFrame, NewFunction, TableBuilder, without_compiler_suffix,
};

const KALLSYMS: &str = "/proc/kallsyms";

/// Used instead of a name if there is no code at an address.
const NO_NAME: u32 = u32::MAX;

/// Why the kernel's functions have no names.
#[derive(Debug, Error)]
pub enum NoKernelSymbols {
    /// The file of symbols is unreadable.
    #[error("{KALLSYMS} cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
    /// The file contains no addresses.
    #[error(
        "the kernel hides its addresses from this user (kernel.kptr_restrict); run as root, or give the capability CAP_SYSLOG"
    )]
    Hidden,
}

/// The kernel's functions by address.
#[derive(Debug, Default)]
struct Names {
    /// The symbols' addresses, sorted.
    addresses: Vec<u64>,
    /// For each address, the start of its name in `names`. The name ends with a line feed.
    name_starts: Vec<u32>,
    names: String,
}

/// The kernel's functions, for one set of tables.
#[derive(Debug, Default)]
pub struct KernelSymbols {
    names: Arc<Names>,
    /// The existing frames, by row of addresses.
    frames: FxHashMap<usize, FrameIndex>,
}

impl KernelSymbols {
    /// Reads the running kernel's symbols.
    pub fn read() -> Result<Self, NoKernelSymbols> {
        Self::parse(BufReader::with_capacity(1 << 16, File::open(KALLSYMS)?))
    }

    fn parse(text: impl BufRead) -> Result<Self, NoKernelSymbols> {
        Ok(Self { names: Arc::new(Names::parse(text)?), frames: FxHashMap::default() })
    }

    /// The same functions, for other tables.
    pub fn for_other_tables(&self) -> Self {
        Self { names: Arc::clone(&self.names), frames: FxHashMap::default() }
    }

    /// The frame of the function at `address`.
    pub fn frame(&mut self, address: u64, builder: &mut TableBuilder) -> FrameIndex {
        // All addresses without a name share one frame.
        let names = &self.names;
        let row = names.row(address).filter(|row| names.name_starts[*row] != NO_NAME).unwrap_or(usize::MAX);
        if let Some(frame) = self.frames.get(&row) {
            return *frame;
        }
        let (display_name, internal_name) = match names.name_of_row(row) {
            Some(name) => (without_compiler_suffix(name), name),
            None => super::UNKNOWN_NAMES,
        };
        let binary = builder.binary(KERNEL_BINARY, BinaryKind::Kernel);
        let function = NewFunction { display_name, internal_name, kind: FunctionKind::Kernel, binary };
        let function = builder.function(&function);
        let kind = FrameKind::Kernel;
        let frame = builder.frame(NewFrame { function, kind, line: None, bytecode_index: None, address: None });
        self.frames.insert(row, frame);
        frame
    }
}

impl Names {
    fn parse(mut text: impl BufRead) -> Result<Self, NoKernelSymbols> {
        let mut symbols = Self::default();
        let mut rows: Vec<(u64, u32)> = Vec::new();
        let mut line = String::new();
        let mut has_addresses = false;
        while text.read_line(&mut line)? > 0 {
            if let Some((address, kind, name)) = parse_line(&line) {
                has_addresses |= address != 0;
                let is_code = matches!(kind, 'T' | 't' | 'W' | 'w');
                rows.push((address, if is_code { symbols.add_name(name) } else { NO_NAME }));
            }
            line.clear();
        }
        if !has_addresses {
            return Err(NoKernelSymbols::Hidden);
        }
        symbols.set_rows(rows);
        Ok(symbols)
    }

    fn add_name(&mut self, name: &str) -> u32 {
        let start = u32::try_from(self.names.len()).unwrap_or(NO_NAME);
        self.names.push_str(name);
        self.names.push('\n');
        start
    }

    /// Keeps one row per address. If several adjacent rows are data, keeps only the first row.
    fn set_rows(&mut self, mut rows: Vec<(u64, u32)>) {
        rows.sort_by_key(|(address, _)| *address);
        for (position, (address, name)) in rows.iter().enumerate() {
            let is_alias = rows.get(position + 1).is_some_and(|next| next.0 == *address && next.1 != NO_NAME);
            let is_alias_of_code = *name == NO_NAME && self.addresses.last() == Some(address);
            let is_in_data = *name == NO_NAME && self.name_starts.last().is_none_or(|last| *last == NO_NAME);
            if !is_alias && !is_alias_of_code && !is_in_data {
                self.addresses.push(*address);
                self.name_starts.push(*name);
            }
        }
        self.addresses.shrink_to_fit();
        self.name_starts.shrink_to_fit();
        self.names.shrink_to_fit();
    }

    /// The last row that starts at or before `address`.
    fn row(&self, address: u64) -> Option<usize> {
        self.addresses.partition_point(|start| *start <= address).checked_sub(1)
    }

    fn name_of_row(&self, row: usize) -> Option<&str> {
        let start = *self.name_starts.get(row)?;
        self.names.get(start as usize..)?.split('\n').next()
    }
}

/// Parses address, kind and name. The module after the name is left out.
fn parse_line(line: &str) -> Option<(u64, char, &str)> {
    let mut fields = line.split_whitespace();
    let address = u64::from_str_radix(fields.next()?, 16).ok()?;
    let kind = fields.next()?.chars().next()?;
    Some((address, kind, fields.next()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use whittle_testkit::not_run;

    const TEXT: &str = "\
ffffffff81000000 T _text\n\
ffffffff81000000 T startup\n\
ffffffff81000100 t work.isra.0\n\
ffffffff81000200 D table\n\
ffffffff81000210 d other_table\n\
ffffffffc0201000 t of_module\t[module]\n\
ffffffff81000180 t out_of_order\n";

    fn name(symbols: &KernelSymbols, address: u64) -> Option<&str> {
        symbols.names.name_of_row(symbols.names.row(address)?)
    }

    fn parse(text: &str) -> Result<KernelSymbols, NoKernelSymbols> {
        KernelSymbols::parse(text.as_bytes())
    }

    #[test]
    fn an_address_belongs_to_the_symbol_before_it_but_never_to_data() {
        let symbols = parse(TEXT).unwrap();
        for (address, expected) in [
            (0xffff_ffff_8100_0000, Some("startup")),
            (0xffff_ffff_8100_00ff, Some("startup")),
            (0xffff_ffff_8100_0100, Some("work.isra.0")),
            (0xffff_ffff_8100_0180, Some("out_of_order")),
            (0xffff_ffff_8100_0200, None),
            (0xffff_ffff_9000_0000, None),
            (0xffff_ffff_c020_1004, Some("of_module")),
            (0x1000, None),
        ] {
            assert_eq!(name(&symbols, address), expected, "{address:x}");
        }
    }

    #[test]
    fn frames_are_those_of_an_imported_recording() {
        let mut symbols = parse(TEXT).unwrap();
        let mut builder = TableBuilder::new();
        let frame = symbols.frame(0xffff_ffff_8100_0110, &mut builder);
        assert_eq!(symbols.frame(0xffff_ffff_8100_0120, &mut builder), frame);
        let unknown = symbols.frame(0x10, &mut builder);
        assert_eq!(KernelSymbols::default().frame(0xffff_ffff_8100_0110, &mut builder), unknown);
        let tables = builder.into_tables();
        tables.validate().unwrap();
        let function = tables.frames.function[frame.row()].row();
        assert_eq!(tables.functions.internal_name[function], "work.isra.0");
        assert_eq!(tables.functions.display_name[function], "work");
        assert_eq!(tables.functions.kind[function], FunctionKind::Kernel);
        assert_eq!(tables.binaries.path[tables.functions.binary[function].row()], "[kernel]");
        assert_eq!(tables.functions.display_name[tables.frames.function[unknown.row()].row()], "[unknown]");
    }

    #[test]
    fn hidden_addresses_are_said_to_be_hidden() {
        let hidden = parse("0000000000000000 T _text\n0000000000000000 t work\n");
        assert!(matches!(hidden, Err(NoKernelSymbols::Hidden)));
        assert!(matches!(parse(""), Err(NoKernelSymbols::Hidden)));
        assert!(parse("\n\nx\nffffffff81000000\nffffffff81000000 T\nffffffff81000000 T a\n").is_ok());
    }

    /// Tests every 97th function of this kernel, at its first and its last byte.
    #[test]
    fn known_functions_of_the_running_kernel_resolve_to_themselves() {
        let symbols = match KernelSymbols::read() {
            Ok(symbols) => symbols,
            Err(reason) => return not_run(&format!("needs kernel symbols: {reason}")),
        };
        let text = fs::read_to_string(KALLSYMS).unwrap();
        let mut all: Vec<_> = text.lines().filter_map(parse_line).collect();
        all.sort_by_key(|(address, ..)| *address);
        let is_code = |kind| matches!(kind, 'T' | 't' | 'W' | 'w');
        let mut checked = 0;
        for (address, ..) in all.iter().filter(|(_, kind, _)| is_code(*kind)).step_by(97) {
            let names: Vec<&str> = all.iter().filter(|(at, ..)| at == address).map(|(.., name)| *name).collect();
            let next = all.iter().map(|(at, ..)| *at).find(|at| at > address).unwrap_or(address + 1);
            for inside in [*address, next - 1] {
                let found = name(&symbols, inside).unwrap();
                assert!(names.contains(&found), "{inside:x} is {found}, not {names:?}");
            }
            checked += 1;
        }
        assert!(checked > 100, "{checked}");
        let bytes = symbols.names.addresses.len() * 12 + symbols.names.names.len();
        assert!(bytes < 16 << 20, "{bytes} bytes");
    }
}
