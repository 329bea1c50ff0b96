//! Finds native sources and binaries.

use super::disassembly::disassemble;
use super::{FileCode, is_inside, is_source_name, listed, read_source};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use whittle_collect::BinaryFile;
use whittle_views::source::{Disassembly, NativeCode, SourceText};

/// Folders of libraries. Each can also have subfolders for the processor.
const LIBRARY_FOLDERS: [&str; 5] = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib"];
const PROCESSOR_FOLDERS: [&str; 3] = ["", "x86_64-linux-gnu", "aarch64-linux-gnu"];

/// Larger functions are not shown. People do not read more code than this, and a damaged symbol can have any size.
const MAX_CODE_BYTES: u64 = 1 << 20;

impl FileCode {
    pub(super) fn find_native_source(&self, path: &str) -> Result<SourceText, String> {
        if !is_source_name(path) || path.contains('\0') {
            return Err(format!("\"{path}\" is not the name of a source file"));
        }
        if path.starts_with('/')
            && let Some(source) = read_source(Path::new(path))
        {
            return Ok(source);
        }
        // The folder can have another path on this machine, so the longest existing end of the path is used.
        let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
        let ends = (0..parts.len()).map(|start| parts[start..].join("/")).filter(|end| is_inside(end));
        let places = ends.flat_map(|end| self.source_path.iter().map(move |folder| folder.join(&end)));
        let mut found = places.filter_map(|place| read_source(&place));
        found.next().ok_or_else(|| format!("no file {path}; add --source-path DIR"))
    }

    pub(super) fn find_machine_code(&self, code: &NativeCode<'_>) -> Result<Disassembly, String> {
        let (path, mut binary) = self.find_binary(code)?;
        let (range, mut notes) = match (code.address, code.size_bytes.filter(|size| *size > 0)) {
            (Some(address), Some(size)) => (address..address.saturating_add(size), Vec::new()),
            _ => by_symbol(&mut binary, code)?,
        };
        let size = range.end - range.start;
        if size > MAX_CODE_BYTES {
            return Err(format!("the function has {size} bytes of code, more than {MAX_CODE_BYTES}"));
        }
        let bytes = usize::try_from(size).ok().and_then(|size| binary.code(range.start, size));
        let bytes = bytes.ok_or_else(|| format!("{} has no code at {:#x}", path.display(), range.start))?;
        let mut instructions = disassemble(binary.processor(), range.start, &bytes);
        for instruction in &mut instructions {
            (instruction.source_file, instruction.line) = binary.source_line(instruction.address).unzip();
        }
        if code.build_id.is_none() {
            notes.push("the experiment has no build id of the binary, so another file may have run");
        }
        let note = (!notes.is_empty()).then(|| notes.join("; "));
        Ok(Disassembly { path: path.display().to_string(), note, instructions })
    }

    /// Finds the binary that ran. If the build id is unknown, finds the first binary with the right name.
    fn find_binary(&self, code: &NativeCode<'_>) -> Result<(PathBuf, BinaryFile), String> {
        let name = code.binary.rsplit('/').next().unwrap_or(code.binary);
        if name.is_empty() || matches!(name, "." | "..") || name.contains('\0') {
            return Err(format!("\"{}\" is not the name of a file", code.binary));
        }
        let mut others: Vec<String> = Vec::new();
        for path in self.binary_places(code.binary, name) {
            let Ok(binary) = BinaryFile::open(&path) else { continue };
            if code.build_id.is_none_or(|build_id| binary.build_id() == Some(build_id)) {
                return Ok((path, binary));
            }
            others.push(path.display().to_string());
        }
        if others.is_empty() {
            return Err(format!("no file {name} was found; add --source-path FILE or DIR"));
        }
        Err(format!("{} is not the file that ran: it has another build id", listed(&others)))
    }

    fn binary_places(&self, recorded: &str, name: &str) -> Vec<PathBuf> {
        let mut places: Vec<PathBuf> = Vec::new();
        for place in &self.source_path {
            let is_it = place.file_name().is_some_and(|file| file == name);
            places.push(if is_it && place.is_file() { place.clone() } else { place.join(name) });
        }
        if recorded.starts_with('/') {
            places.push(PathBuf::from(recorded));
        }
        let programs: Vec<PathBuf> = self.command.iter().filter_map(|word| program_file(word)).collect();
        places.extend(programs.iter().filter(|path| path.file_name().is_some_and(|file| file == name)).cloned());
        if let Some(folder) = programs.first().and_then(|program| program.parent()) {
            places.extend(["", "lib", "../lib"].map(|below| folder.join(below).join(name)));
        }
        places.extend(self.jdk.iter().flat_map(|jdk| jdk.libraries()).map(|folder| folder.join(name)));
        for folder in LIBRARY_FOLDERS {
            places.extend(PROCESSOR_FOLDERS.map(|below| Path::new(folder).join(below).join(name)));
        }
        let mut seen = BTreeSet::new();
        // Duplicates are removed, because the message must not list a wrong file several times.
        places.retain(|path| path.canonicalize().is_ok_and(|real| path.is_file() && seen.insert(real)));
        places
    }
}

/// Finds a function's addresses by its name. An experiment can lack addresses, because in a JVM the profiler reports
/// only names.
fn by_symbol(
    binary: &mut BinaryFile,
    code: &NativeCode<'_>,
) -> Result<(std::ops::Range<u64>, Vec<&'static str>), String> {
    let mut found = binary.functions_called(code.symbol);
    found.retain(|range| !range.is_empty());
    let several = "several functions have this name; this is the first of them";
    match found.as_slice() {
        [] => {
            Err("the binary has no symbol for the function: it was inlined everywhere, or the file is stripped"
                .to_owned())
        }
        [only] => Ok((only.clone(), Vec::new())),
        [first, ..] => Ok((first.clone(), vec![several])),
    }
}

/// The file of a program in a command line, looked up as a shell does.
pub(super) fn program_file(word: &str) -> Option<PathBuf> {
    if word.contains('/') {
        return Some(PathBuf::from(word)).filter(|path| path.is_file());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(word)).find(|path| !word.is_empty() && path.is_file())
}
