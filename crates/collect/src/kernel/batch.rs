//! Reads many entries of a map with one system call. The library that loads the programs needs two calls per entry, and a
//! server has thousands of entries. If the kernel refuses such a call, the entries are read one by one.

use aya::Pod;
use aya::maps::{Array, HashMap, IterableMap, MapData};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

/// The command of the system call `bpf`: `BPF_MAP_LOOKUP_BATCH` in linux/bpf.h, from Linux 5.6 on.
const LOOKUP_BATCH: libc::c_long = 24;

/// Room for this many entries in the first call.
const ENTRIES_PER_CALL: usize = 4096;

/// The arguments of a lookup, as in `union bpf_attr` of linux/bpf.h.
#[repr(C)]
#[derive(Debug, Default)]
struct Arguments {
    /// Address of the position where the last call ended; 0: the start of the map.
    in_batch: u64,
    /// Address of the position where this call ends.
    out_batch: u64,
    keys: u64,
    values: u64,
    /// Number of entries: room before the call, result after it.
    count: u32,
    map: u32,
    element_flags: u64,
    flags: u64,
}

/// All entries of a hash map. Entries that the programs add or remove meanwhile can be missing.
pub(super) fn entries<K: Pod, V: Pod>(map: &HashMap<MapData, K, V>) -> Vec<(K, V)> {
    entries_at_once(map.map().fd().as_fd()).unwrap_or_else(|_| map.iter().flatten().collect())
}

/// The first `count` values of an array.
pub(super) fn first_values<V: Pod>(map: &Array<MapData, V>, count: usize) -> Vec<V> {
    match read::<u32, V>(map.map().fd().as_fd(), None, count) {
        Ok(part) => part.entries.into_iter().map(|(_, value)| value).collect(),
        Err(_) => map.iter().take(count).map_while(Result::ok).collect(),
    }
}

fn entries_at_once<K: Pod, V: Pod>(map: BorrowedFd<'_>) -> io::Result<Vec<(K, V)>> {
    let mut entries = Vec::new();
    let (mut position, mut room) = (None, ENTRIES_PER_CALL);
    loop {
        match read(map, position, room) {
            Ok(Part { entries: read, end }) => {
                entries.extend(read);
                position = end;
                if end.is_none() {
                    return Ok(entries);
                }
            }
            // One bucket of the map has more entries than there is room.
            Err(error) if error.raw_os_error() == Some(libc::ENOSPC) => room *= 2,
            Err(error) => return Err(error),
        }
    }
}

/// The result of one call.
struct Part<K, V> {
    entries: Vec<(K, V)>,
    /// Where the next call begins. Missing: the map has no more entries.
    end: Option<u32>,
}

/// Reads up to `room` entries. Only for maps whose position has four bytes: hash maps, and arrays.
fn read<K: Pod, V: Pod>(map: BorrowedFd<'_>, start: Option<u32>, room: usize) -> io::Result<Part<K, V>> {
    let (mut keys, mut values) = (Vec::<K>::with_capacity(room), Vec::<V>::with_capacity(room));
    let mut end = 0_u32;
    let mut arguments = Arguments {
        in_batch: start.as_ref().map_or(0, |start| std::ptr::from_ref(start) as u64),
        out_batch: &raw mut end as u64,
        keys: keys.as_mut_ptr() as u64,
        values: values.as_mut_ptr() as u64,
        count: u32::try_from(room).unwrap_or(u32::MAX),
        map: map.as_raw_fd() as u32,
        ..Arguments::default()
    };
    // SAFETY: the addresses are those of live values, and the kernel writes at most `count` keys and values. The types of
    // the map have the same sizes as the keys and values (the library has checked this).
    let result = unsafe {
        libc::syscall(libc::SYS_bpf, LOOKUP_BATCH, &raw mut arguments, size_of::<Arguments>() as libc::c_long)
    };
    let error = (result < 0).then(io::Error::last_os_error);
    let is_at_end = error.as_ref().is_some_and(|error| error.raw_os_error() == Some(libc::ENOENT));
    if let Some(error) = error.filter(|_| !is_at_end) {
        return Err(error);
    }
    let count = (arguments.count as usize).min(room);
    // SAFETY: the kernel has written this many keys and values, and any bytes are a valid value of a Pod type.
    unsafe {
        keys.set_len(count);
        values.set_len(count);
    }
    Ok(Part { entries: keys.into_iter().zip(values).collect(), end: (!is_at_end).then_some(end) })
}
