//! The mapped files of each process.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Maximum number of mappings that new processes copy from their parents. A program that starts ten thousand processes
/// with a hundred mappings each needs a million mappings.
const MAX_INHERITED: usize = 4_000_000;

/// A mapped part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mapping {
    /// The address after the last address.
    pub(super) end: u64,
    /// Position of the first address in the file.
    pub(super) file_offset: u64,
    /// Number of the path.
    pub(super) path: u32,
}

/// The mappings of all processes.
#[derive(Debug, Default)]
pub(super) struct Maps {
    processes: FxHashMap<u32, BTreeMap<u64, Mapping>>,
    inherited_count: usize,
}

impl Maps {
    /// Maps `start..mapping.end`. Earlier mappings in this range are cut.
    pub(super) fn add(&mut self, process_id: u32, start: u64, mapping: Mapping) {
        if start >= mapping.end {
            return;
        }
        let maps = self.processes.entry(process_id).or_default();
        let overlapped: Vec<(u64, Mapping)> = maps
            .range(..mapping.end)
            .rev()
            .take_while(|(_, old)| old.end > start)
            .map(|(old_start, old)| (*old_start, *old))
            .collect();
        for (old_start, old) in overlapped {
            maps.remove(&old_start);
            if old_start < start {
                maps.insert(old_start, Mapping { end: start, ..old });
            }
            if old.end > mapping.end {
                let file_offset = old.file_offset.wrapping_add(mapping.end - old_start);
                maps.insert(mapping.end, Mapping { file_offset, ..old });
            }
        }
        maps.insert(start, mapping);
    }

    /// The mapping at an address: the path's index and the position in the file.
    pub(super) fn find(&self, process_id: u32, address: u64) -> Option<(u32, u64)> {
        let (start, mapping) = self.processes.get(&process_id)?.range(..=address).next_back()?;
        (address < mapping.end).then(|| (mapping.path, mapping.file_offset.wrapping_add(address - start)))
    }

    /// A new process gets the mappings of its parent, but no mappings of an earlier process with the same id.
    pub(super) fn fork(&mut self, parent: u32, child: u32) {
        self.processes.remove(&child);
        let Some(maps) = self.processes.get(&parent) else { return };
        self.inherited_count = self.inherited_count.saturating_add(maps.len());
        if self.inherited_count <= MAX_INHERITED {
            self.processes.insert(child, maps.clone());
        }
    }

    /// A process that starts another program loses its mappings.
    pub(super) fn exec(&mut self, process_id: u32) {
        self.processes.remove(&process_id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_mapping_cuts_those_before_it() {
        let mut maps = Maps::default();
        let mapping = |end, file_offset, path| Mapping { end, file_offset, path };
        maps.add(1, 100, mapping(200, 0, 0));
        maps.add(1, 120, mapping(140, 7, 1));
        maps.fork(1, 2);
        maps.exec(1);
        assert_eq!(maps.find(1, 110), None);
        let found: Vec<_> = [99, 100, 119, 120, 139, 140, 199, 200].map(|address| maps.find(2, address)).into();
        let (before, inside, behind) = (|at| Some((0, at)), |at| Some((1, at)), |at| Some((0, at)));
        assert_eq!(found, [None, before(0), before(19), inside(7), inside(26), behind(40), behind(99), None]);
    }
}
