//! What the kernel reads from the memory of a process, or with its lock: command line, environment, mappings, stacks.
//!
//! The process decides how long this takes. It can map a file of a file system that never responds, or hold the lock of
//! its memory while it waits for such a file system. So a hand reads, which whittle can stop using.

use crate::hand::World;
use crate::process::Process;
use crate::process_owner::accountable_user;
use crate::{Error, host};
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use whittle_native::{MAX_MAPS_BYTES, ReadAt, mapped_range};

/// Maximum size of a command line or an environment in bytes. Longer ones are cut.
const MAX_WORDS_BYTES: usize = 1 << 20;
/// Maximum number of words.
const MAX_WORDS: usize = 16_384;

/// After this many processes that did not respond, the processes of the same user are not read for a while, because one
/// user could have many such processes.
const MAX_SILENT: u32 = 3;
/// How long these processes are not read.
const SILENCE: Duration = Duration::from_secs(300);
/// Maximum number of hands that read, one for each user.
const MAX_READERS: usize = 16;

/// The command line, decoded with replacement characters. Empty: the command line cannot be read.
pub(crate) fn command_line(process: Process) -> Vec<String> {
    let text = read_text(process, "cmdline", MAX_WORDS_BYTES).unwrap_or_default();
    words(&text)
}

/// The words in the text of `/proc/PID/cmdline`.
pub(crate) fn words(text: &str) -> Vec<String> {
    text.split('\0').filter(|part| !part.is_empty()).take(MAX_WORDS).map(str::to_owned).collect()
}

/// The environment of the process with this id: values by name. Empty: the environment cannot be read.
pub fn environment_of(process_id: u32) -> BTreeMap<String, String> {
    let variables = environment(Process(process_id));
    let pairs = variables.iter().filter_map(|variable| variable.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// The environment, decoded with replacement characters: `NAME=value` for each variable. Empty: the environment cannot be
/// read.
pub(crate) fn environment(process: Process) -> Vec<String> {
    let text = read_text(process, "environ", MAX_WORDS_BYTES).unwrap_or_default();
    text.split('\0').filter(|part| part.contains('=')).take(MAX_WORDS).map(str::to_owned).collect()
}

/// The text of `/proc/PID/maps`.
pub(crate) fn maps(process: Process) -> io::Result<String> {
    read_text(process, "maps", MAX_MAPS_BYTES as usize)
}

/// Paths of the mapped shared libraries, each once. The result includes libraries that were replaced on disk, for example
/// by a package upgrade.
pub(crate) fn mapped_libraries(process: Process) -> io::Result<Vec<String>> {
    Ok(libraries(&maps(process)?))
}

/// The libraries in the text of `/proc/PID/maps`.
pub(crate) fn libraries(maps: &str) -> Vec<String> {
    let paths = maps.lines().filter_map(|line| Some(&line[line.find('/')?..]));
    let libraries = paths.map(|path| path.trim_end_matches(" (deleted)")).filter(|path| path.contains(".so"));
    let mut libraries: Vec<String> = libraries.map(str::to_owned).collect();
    libraries.sort();
    libraries.dedup();
    libraries
}

/// Path of the file that is mapped at `address`.
pub(crate) fn mapped_file_at(process: Process, address: u64) -> Option<String> {
    file_at(&maps(process).ok()?, address)
}

/// Path of the file that is mapped at `address`, in the text of `/proc/PID/maps`.
pub(crate) fn file_at(maps: &str, address: u64) -> Option<String> {
    let is_mapped = |line: &&str| mapped_range(line.as_bytes()).is_some_and(|range| range.contains(&address));
    let line = maps.lines().find(is_mapped)?;
    let path = &line[line.find('/')?..];
    Some(path.trim_end_matches(" (deleted)").to_owned())
}

/// A path descriptor of the file of a mapping. The file itself is not opened.
pub(crate) fn mapped_place(process: Process, mapping: &Range<u64>) -> io::Result<OwnedFd> {
    let path = process.path(&format!("map_files/{:x}-{:x}", mapping.start, mapping.end));
    with_reader(process, |world| world.place(&path.to_string_lossy()))
}

/// Reads memory at `address` page by page until a page is unreadable. Returns the number of bytes.
pub(crate) fn read_pages(process: Process, address: u64, buffer: &mut [u8]) -> usize {
    let read = with_reader(process, |world| {
        let memory = world.open(&process.path("mem").to_string_lossy())?;
        let first = PAGE_BYTES - (address as usize % PAGE_BYTES);
        let (mut size, mut next) = (0, first);
        while next <= buffer.len() && memory.read_exact_at(&mut buffer[size..next], address + size as u64).is_ok() {
            size = next;
            next += PAGE_BYTES;
        }
        Ok(size)
    });
    read.unwrap_or(0)
}

/// Size of a page of memory. It is larger on some machines, and then a page is read in parts.
const PAGE_BYTES: usize = 4096;

fn read_text(process: Process, name: &str, limit: usize) -> io::Result<String> {
    let path = process.path(name);
    let bytes = with_reader(process, |world| world.read_all(&path.to_string_lossy(), limit))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Calls `read` with a hand that keeps whittle's rights. Each user has a hand, so that a user delays only itself.
fn with_reader<T>(process: Process, read: impl FnOnce(&Arc<World>) -> io::Result<T>) -> io::Result<T> {
    let ended = |_: Error| io::Error::from(io::ErrorKind::NotFound);
    let user = accountable_user(process, process.status().map_err(ended)?.user.uid);
    let world = readers(|readers| readers.of(user))?;
    let result = read(&world);
    if world.is_lost() {
        readers(|readers| readers.note_silent(user));
    }
    result
}

fn readers<T>(call: impl FnOnce(&mut Readers) -> T) -> T {
    static READERS: Mutex<Readers> = Mutex::new(Readers { worlds: Vec::new(), silent: BTreeMap::new() });
    call(&mut READERS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The hands that read, and the users with processes that did not respond.
struct Readers {
    /// Hands by user, the last used one at the end.
    worlds: Vec<(u32, Arc<World>)>,
    /// For each user: how many processes did not respond, and when the last of them did not, in CLOCK_MONOTONIC.
    silent: BTreeMap<u32, (u32, u64)>,
}

impl Readers {
    fn of(&mut self, user: u32) -> io::Result<Arc<World>> {
        if self.is_silent(user) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.worlds.retain(|(_, world)| !world.is_lost());
        let known = self.worlds.iter().position(|(known, _)| *known == user);
        let entry = match known {
            Some(position) => self.worlds.remove(position),
            None => (user, World::own_for(user).map_err(io::Error::other)?),
        };
        let world = Arc::clone(&entry.1);
        self.worlds.push(entry);
        if self.worlds.len() > MAX_READERS {
            self.worlds.remove(0);
        }
        Ok(world)
    }

    fn is_silent(&self, user: u32) -> bool {
        self.silent.get(&user).is_some_and(|(count, last_ns)| {
            *count >= MAX_SILENT && host::monotonic_ns().saturating_sub(*last_ns) < SILENCE.as_nanos() as u64
        })
    }

    fn note_silent(&mut self, user: u32) {
        let (count, last_ns) = self.silent.entry(user).or_default();
        *count += 1;
        *last_ns = host::monotonic_ns();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_own_process_are_read() {
        let own = Process(std::process::id());
        let words: Vec<String> = std::env::args().collect();
        assert_eq!(command_line(own), words);
        let path = std::env::var("PATH").unwrap();
        assert!(environment(own).contains(&format!("PATH={path}")));
        assert!(command_line(Process(u32::MAX)).is_empty());
        assert!(mapped_libraries(own).unwrap().iter().any(|path| path.contains("libc.so")));
        let here = mapped_file_at(own, words_of_the_own_process_are_read as *const () as u64);
        assert_eq!(here.as_deref(), std::env::current_exe().unwrap().to_str());
        let bytes = [7_u8; 3 * PAGE_BYTES];
        let mut read = [0; 2 * PAGE_BYTES];
        let count = read_pages(own, bytes.as_ptr() as u64, &mut read);
        assert!(count > PAGE_BYTES - 1 && read[..count].iter().all(|byte| *byte == 7), "{count}");
    }

    #[test]
    fn a_user_with_several_silent_processes_is_left_alone() {
        let mut reader = Readers { worlds: Vec::new(), silent: BTreeMap::new() };
        for count in 1..=MAX_SILENT {
            assert!(!reader.is_silent(7));
            reader.note_silent(7);
            assert_eq!(reader.is_silent(7), count == MAX_SILENT);
        }
        assert!(!reader.is_silent(8));
    }
}
