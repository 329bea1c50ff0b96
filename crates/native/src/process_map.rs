//! Finds the file for each part of a process's code.
//!
//! ```text
//! 7f31c8a00000-7f31c8b55000 r-xp 00026000 fe:01 1315  /usr/lib/x86_64-linux-gnu/libc.so.6
//! 7ffd0d5f2000-7ffd0d5f4000 r-xp 00000000 00:00 0     [vdso]
//! 7f31c8000000-7f31c8021000 rwxp 00000000 00:00 0                          generated code
//! ```
//!
//! The map contains only code. Files are opened when the map is read, because later the process may have ended, or the
//! file may have been replaced. The map is read again if it does not contain an address, and from time to time. Whittle
//! limits how often it reads a map. With tens of thousands of mappings, reading is slow for whittle and for the
//! process.

use super::addresses::{FileOffset, ProcessAddr};
use super::module::{FileId, ModuleOrigin};
use super::modules::{ModuleIndex, Modules};
use crate::process_id::ProcessId;
use crate::program_files::{FindFiles, ProgramFiles};
use std::fs;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Minimum time between two readings of a map.
const MIN_REFRESH: Duration = Duration::from_millis(100);
/// The same for a map that is younger than [`YOUNG`]. A program maps its libraries and generates code after its start, and can end
/// soon.
const MIN_REFRESH_OF_YOUNG: Duration = Duration::from_millis(10);
const YOUNG: Duration = Duration::from_secs(1);
/// Maximum age of a map, because a program may have replaced code.
const MAX_AGE: Duration = Duration::from_secs(10);
/// Minimum time until the next reading, as a multiple of the last reading's duration. So reading takes at most 2 % of
/// whittle's time.
const REFRESH_FACTOR: u32 = 50;
/// The name of the code that the kernel maps into every process.
const VDSO: &str = "[vdso]";

/// A mapping of code.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mapping {
    range: Range<u64>,
    offset: FileOffset,
    /// The module of the code. `None` if the code was generated, so no file contains it.
    module: Option<ModuleIndex>,
}

/// What an address refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Code of a file.
    File(ModuleIndex, FileOffset),
    /// Code without a file.
    Generated,
    /// The address is not mapped as code.
    Unmapped,
}

/// The code of a process.
#[derive(Debug, Clone)]
pub(crate) struct ProcessMap {
    /// The mappings, sorted and without overlaps.
    mappings: Vec<Mapping>,
    first_read_at: Instant,
    read_at: Instant,
    /// The earliest time of the next reading.
    next_refresh: Instant,
}

impl ProcessMap {
    /// Reads a process's map and opens its files. The map is empty if the process has ended or access is not allowed.
    pub(crate) fn read(process: ProcessId, finder: &dyn FindFiles, modules: &mut Modules) -> Self {
        let now = Instant::now();
        let mut map = Self { mappings: Vec::new(), first_read_at: now, read_at: now, next_refresh: now };
        map.refresh_if_allowed(process, finder, modules);
        map
    }

    /// What `address` refers to.
    pub(crate) fn find(&self, address: ProcessAddr) -> Place {
        let next = self.mappings.partition_point(|mapping| mapping.range.start <= address.0);
        match self.mappings[..next].last().filter(|mapping| mapping.range.contains(&address.0)) {
            Some(Mapping { range, offset, module: Some(module) }) => {
                Place::File(*module, FileOffset(offset.0.saturating_add(address.0 - range.start)))
            }
            Some(_) => Place::Generated,
            None => Place::Unmapped,
        }
    }

    /// The modules that are mapped.
    pub(crate) fn modules(&self) -> impl Iterator<Item = ModuleIndex> {
        self.mappings.iter().filter_map(|mapping| mapping.module)
    }

    /// Reads the map again if it is old.
    pub(crate) fn refresh_if_old(&mut self, process: ProcessId, finder: &dyn FindFiles, modules: &mut Modules) {
        if self.read_at.elapsed() > MAX_AGE {
            self.refresh_if_allowed(process, finder, modules);
        }
    }

    /// Reads the map again, unless it was read only a moment ago. True if the map was read.
    pub(crate) fn refresh_if_allowed(
        &mut self,
        process: ProcessId,
        finder: &dyn FindFiles,
        modules: &mut Modules,
    ) -> bool {
        let start = Instant::now();
        if start < self.next_refresh {
            return false;
        }
        // A process can change its user, and then other files are accessible to it.
        let files = finder.files_of(process).ok();
        let text = files.as_ref().and_then(|files| files.maps(process).ok()).unwrap_or_default();
        // After a process has ended, its last map is kept.
        if !text.is_empty() {
            self.mappings = read_mappings(process, files.as_ref(), &text, modules);
        }
        let took = start.elapsed();
        self.read_at = Instant::now();
        let is_young = self.first_read_at.elapsed() < YOUNG;
        let min_refresh = if is_young { MIN_REFRESH_OF_YOUNG } else { MIN_REFRESH };
        self.next_refresh = self.read_at + min_refresh.max(took.saturating_mul(REFRESH_FACTOR));
        !text.is_empty()
    }
}

fn read_mappings(
    process: ProcessId,
    files: Option<&Arc<dyn ProgramFiles>>,
    text: &[u8],
    modules: &mut Modules,
) -> Vec<Mapping> {
    let lines = text.split(|byte| *byte == b'\n').filter_map(parse_line).filter(|line| line.is_code);
    let mapping = |line: Line<'_>| {
        let module = line.origin(process, files).map(|origin| modules.add(origin));
        Mapping { range: line.range, offset: line.offset, module }
    };
    lines.map(mapping).collect()
}

/// A line of `/proc/PID/maps`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    range: Range<u64>,
    is_code: bool,
    offset: FileOffset,
    file: FileId,
    path: &'a [u8],
}

impl Line<'_> {
    fn origin(&self, process: ProcessId, files: Option<&Arc<dyn ProgramFiles>>) -> Option<ModuleOrigin> {
        let path = String::from_utf8_lossy(self.path).into_owned();
        if path == VDSO {
            return Some(ModuleOrigin::Image(own_vdso()?));
        }
        let is_file = self.file.inode != 0 && path.starts_with('/');
        let files = Arc::clone(files?);
        is_file.then(|| ModuleOrigin::File { process, mapping: self.range.clone(), file: self.file, path, files })
    }
}

/// The address range of a line of `/proc/PID/maps`, which begins with `start-end` in hexadecimal. None: the line has no
/// range.
pub fn mapped_range(line: &[u8]) -> Option<Range<u64>> {
    let field = line.split(|byte| *byte == b' ').next()?;
    let (start, end) = std::str::from_utf8(field).ok()?.split_once('-')?;
    Some(hexadecimal(start)?..hexadecimal(end)?)
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}

pub(crate) fn parse_line(line: &[u8]) -> Option<Line<'_>> {
    let range = mapped_range(line)?;
    let mut rest = line;
    let mut field = || {
        let end = rest.iter().position(|byte| *byte == b' ')?;
        let (field, after) = rest.split_at(end);
        rest = after.trim_ascii_start();
        std::str::from_utf8(field).ok()
    };
    field()?;
    let is_code = field()?.as_bytes().get(2) == Some(&b'x');
    let offset = FileOffset(hexadecimal(field()?)?);
    let (major, minor) = field()?.split_once(':')?;
    let device = hexadecimal(major)? << 32 | hexadecimal(minor)?;
    // A line without a path ends with the inode and perhaps spaces.
    let end = rest.iter().position(|byte| *byte == b' ').unwrap_or(rest.len());
    let (inode, path) = rest.split_at(end);
    let file = FileId { device, inode: std::str::from_utf8(inode).ok()?.parse().ok()? };
    Some(Line { range, is_code, offset, file, path: path.trim_ascii() })
}

/// The bytes of this process's own vDSO. All processes of a machine have the same one, and reading the memory of another
/// process can block.
fn own_vdso() -> Option<Vec<u8>> {
    let maps = fs::read("/proc/self/maps").ok()?;
    let lines = maps.split(|byte| *byte == b'\n').filter_map(parse_line);
    let range = lines.into_iter().find(|line| line.path == VDSO.as_bytes())?.range;
    let mut bytes = vec![0; usize::try_from(range.end - range.start).ok()?];
    fs::File::open("/proc/self/mem").ok()?.read_exact_at(&mut bytes, range.start).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program_files::TrustAll;

    #[test]
    fn lines_are_taken_apart() {
        let line =
            parse_line(b"7f31c8a00000-7f31c8b55000 r-xp 00026000 fe:01 1315     /opt/a b/lib (deleted)").unwrap();
        assert_eq!(line.range, 0x7f31_c8a0_0000..0x7f31_c8b5_5000);
        assert!(line.is_code);
        assert_eq!((line.offset, line.path), (FileOffset(0x26000), &b"/opt/a b/lib (deleted)"[..]));
        assert_eq!(line.file, FileId { device: 0xfe << 32 | 1, inode: 1315 });
        let generated = parse_line(b"7f31c8000000-7f31c8021000 rwxp 00000000 00:00 0 ").unwrap();
        assert_eq!((generated.path, generated.file.inode), (&b""[..], 0));
        let no_space = parse_line(b"7f31c8000000-7f31c8021000 rw-p 00000000 00:00 0").unwrap();
        assert!(!no_space.is_code);
        for damaged in [&b""[..], b"x", b"1-2", b"1-2 r-xp", b"1-2 r-xp 0 0 0", b"1 r-xp 0 0:0 0", b"1-2 r-xp 0 0:0 x"]
        {
            assert_eq!(parse_line(damaged), None);
        }
    }

    #[test]
    fn a_line_begins_with_its_range() {
        assert_eq!(mapped_range(b"1000-2fff r-xp 0 0:0 0"), Some(0x1000..0x2fff));
        assert_eq!(mapped_range(b"1000-2fff"), Some(0x1000..0x2fff));
        for damaged in ["", "1000", "1000 2fff", "1000-x r-xp", "-2fff r-xp", "1000-10000000000000000 r-xp"] {
            assert_eq!(mapped_range(damaged.as_bytes()), None, "{damaged}");
        }
    }

    #[test]
    fn own_code_and_the_vdso_are_found() {
        let mut modules = Modules::default();
        let map = ProcessMap::read(ProcessId(std::process::id()), &TrustAll, &mut modules);
        let here = ProcessAddr(own_code_and_the_vdso_are_found as *const () as u64);
        let Place::File(module, offset) = map.find(here) else { panic!("{here:?}") };
        let program = std::env::current_exe().unwrap();
        assert_eq!(Some(modules.name(module)), program.file_name().and_then(|name| name.to_str()));
        assert!(modules.address_of(module, offset).is_some());
        assert!(map.modules().any(|module| modules.name(module) == "vdso"));
        assert_eq!(map.find(ProcessAddr(0)), Place::Unmapped);
        assert_eq!(map.find(ProcessAddr(u64::MAX)), Place::Unmapped);
    }

    #[test]
    fn a_map_is_not_read_all_the_time() {
        let mut modules = Modules::default();
        let own = ProcessId(std::process::id());
        let mut map = ProcessMap::read(own, &TrustAll, &mut modules);
        assert!(!map.refresh_if_allowed(own, &TrustAll, &mut modules));
        let start = Instant::now();
        while !map.refresh_if_allowed(own, &TrustAll, &mut modules) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(start.elapsed() > MIN_REFRESH_OF_YOUNG / 2, "{:?}", start.elapsed());
    }

    #[test]
    fn a_process_that_is_gone_has_an_empty_map() {
        let map = ProcessMap::read(ProcessId(u32::MAX), &TrustAll, &mut Modules::default());
        assert_eq!(map.find(ProcessAddr(0x1000)), Place::Unmapped);
    }
}
