//! Source lines of a unit by address.

use super::sections::Slice;
use gimli::{AttributeValue, Dwarf, LineRow, Unit};
use rustc_hash::FxHashMap;

/// The longest path of a file on Linux.
const MAX_PATH_BYTES: usize = 4096;

/// Maximum number of rows of a unit. A row takes 16 bytes. A large C++ file has 200 000 rows.
const MAX_ROWS: usize = 1 << 23;

/// Used instead of a line at the end of a block of code.
const END: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row {
    address: u64,
    file: u32,
    /// The source line. 0 if the compiler did not assign a line.
    line: u32,
}

/// A unit's line table.
#[derive(Debug, Default)]
pub(super) struct Lines {
    rows: Vec<Row>,
    /// Paths of the files that were looked up.
    paths: FxHashMap<u32, Option<String>>,
}

impl Lines {
    /// Reads those lines of a unit that have code.
    pub(super) fn read(unit: &Unit<Slice<'_>>, is_code: impl Fn(u64) -> bool) -> Self {
        let mut lines = Self::default();
        let Some(program) = unit.line_program.clone() else { return lines };
        let mut rows = program.rows();
        let mut sequence: Vec<Row> = Vec::new();
        while let Ok(Some((_, row))) = rows.next_row() {
            if lines.rows.len() + sequence.len() >= MAX_ROWS {
                break;
            }
            sequence.push(Row { address: row.address(), file: file(row), line: line(row) });
            if row.end_sequence() {
                // Functions that the linker removed start at addresses without code.
                if is_code(sequence[0].address) {
                    lines.rows.append(&mut sequence);
                }
                sequence.clear();
            }
        }
        // If one sequence ends where another starts, the start is used.
        lines.rows.sort_by_key(|row| (row.address, row.line != END));
        lines
    }

    /// File number and line at `address`.
    pub(super) fn find(&self, address: u64) -> Option<(u32, u32)> {
        let next = self.rows.partition_point(|row| row.address <= address);
        self.rows[..next].last().filter(|row| row.line != END).map(|row| (row.file, row.line))
    }

    /// The path of a file in the unit's line table.
    pub(super) fn path(&mut self, dwarf: &Dwarf<Slice<'_>>, unit: &Unit<Slice<'_>>, file: u32) -> Option<String> {
        self.paths.entry(file).or_insert_with(|| read_path(dwarf, unit, file)).clone()
    }

    /// Number of stored rows.
    pub(super) fn row_count(&self) -> usize {
        self.rows.len()
    }
}

fn file(row: &LineRow) -> u32 {
    u32::try_from(row.file_index()).unwrap_or(0)
}

fn line(row: &LineRow) -> u32 {
    let line = row.line().and_then(|line| u32::try_from(line.get()).ok()).unwrap_or(0);
    if row.end_sequence() { END } else { line.min(END - 1) }
}

/// The path of a file. It consists of the compilation folder, the file's folder and the file name. Parts before an
/// absolute part are left out.
fn read_path(dwarf: &Dwarf<Slice<'_>>, unit: &Unit<Slice<'_>>, file: u32) -> Option<String> {
    let header = unit.line_program.as_ref()?.header();
    let entry = header.file(u64::from(file))?;
    let text = |value: AttributeValue<Slice<'_>>| {
        let bytes = dwarf.attr_string(unit, value).ok()?;
        Some(String::from_utf8_lossy(bytes.slice().get(..bytes.slice().len().min(MAX_PATH_BYTES))?).into_owned())
    };
    let compilation = unit.comp_dir.map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = entry.directory(header).and_then(text).unwrap_or_default();
    let path = [folder, text(entry.path_name())?].into_iter().fold(compilation, |path, part| joined(&path, &part));
    Some(path).filter(|path| !path.is_empty())
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() || name.starts_with('/') {
        return name.to_owned();
    }
    if name.is_empty() {
        return folder.to_owned();
    }
    format!("{}/{name}", folder.trim_end_matches('/'))
}
