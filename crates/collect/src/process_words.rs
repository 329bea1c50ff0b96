//! The command line and the environment of a process.
//!
//! The kernel reads both from the memory of the process. The process can map a file of a file system there that never
//! responds. So a hand reads them, which whittle can give up.

use crate::hand::World;
use crate::process::Process;
use crate::{Error, host};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Maximum size of a command line or an environment in bytes. The kernel's limit is 6 MB.
const MAX_WORDS_BYTES: usize = 8 << 20;

/// After this many processes that did not respond, the processes of the same user are not read for a while. Otherwise one
/// user with many such processes could delay whittle for long.
const MAX_SILENT: u32 = 3;
/// This long.
const SILENCE: Duration = Duration::from_secs(300);

/// The command line, decoded with replacement characters. Empty: the command line cannot be read.
pub(crate) fn command_line(process: Process) -> Vec<String> {
    let text = read(process, "cmdline").unwrap_or_default();
    text.split('\0').filter(|part| !part.is_empty()).map(str::to_owned).collect()
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
    let text = read(process, "environ").unwrap_or_default();
    text.split('\0').filter(|part| part.contains('=')).map(str::to_owned).collect()
}

fn read(process: Process, name: &str) -> Result<String, Error> {
    let path = process.path(name);
    let uid = process.status()?.user.uid;
    let mut reader = READER.lock().unwrap_or_else(PoisonError::into_inner);
    if reader.is_silent(uid) {
        return Err(Error::io("read", &path)(io::ErrorKind::TimedOut.into()));
    }
    let world = reader.world()?;
    let bytes = world.read_all(&path.to_string_lossy(), MAX_WORDS_BYTES);
    if world.is_lost() {
        reader.note_silent(uid);
    }
    bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(Error::io("read", &path))
}

static READER: Mutex<Reader> = Mutex::new(Reader { world: None, silent: None });

/// The hand that reads, and the users whose processes did not respond.
struct Reader {
    world: Option<Arc<World>>,
    /// For each user: how many processes did not respond, and when the last of them did not, in CLOCK_MONOTONIC.
    silent: Option<FxHashMap<u32, (u32, u64)>>,
}

impl Reader {
    fn world(&mut self) -> Result<Arc<World>, Error> {
        if let Some(world) = self.world.as_ref().filter(|world| !world.is_lost()) {
            return Ok(Arc::clone(world));
        }
        let world = World::own()?;
        self.world = Some(Arc::clone(&world));
        Ok(world)
    }

    fn is_silent(&self, uid: u32) -> bool {
        let found = self.silent.as_ref().and_then(|silent| silent.get(&uid));
        found.is_some_and(|(count, last_ns)| {
            *count >= MAX_SILENT && host::monotonic_ns().saturating_sub(*last_ns) < SILENCE.as_nanos() as u64
        })
    }

    fn note_silent(&mut self, uid: u32) {
        let (count, last_ns) = self.silent.get_or_insert_default().entry(uid).or_default();
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
    }

    #[test]
    fn a_user_with_several_silent_processes_is_left_alone() {
        let mut reader = Reader { world: None, silent: None };
        for count in 1..=MAX_SILENT {
            assert!(!reader.is_silent(7));
            reader.note_silent(7);
            assert_eq!(reader.is_silent(7), count == MAX_SILENT);
        }
        assert!(!reader.is_silent(8));
    }
}
