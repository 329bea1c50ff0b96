//! The stacks that the tables already contain, by service and day. Each stack is written once.

use crate::catalogue::Snapshot;
use crate::rows::{FileError, StackId, StackRows, read_file};
use crate::tables::FleetTable;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use whittle_experiment::Store;
use whittle_model::{StackIndex, Tables};

/// Stacks by service and start of the day.
#[derive(Debug, Default)]
pub(super) struct KnownStacks(BTreeMap<(String, i64), DayStacks>);

/// Stacks of one service and day. The map's key is the lower half of an identity, and the value is the upper half.
#[derive(Debug, Default)]
pub(super) struct DayStacks(FxHashMap<i64, i64>);

impl KnownStacks {
    /// Reads the stacks of this service and day from the tables, unless these stacks are already known.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) async fn load(
        &mut self,
        (store, snapshot): (&Store, &Snapshot),
        (service, day_s): (&str, i64),
    ) -> Result<(), FileError> {
        let key = (service.to_owned(), day_s);
        if self.0.contains_key(&key) {
            return Ok(());
        }
        let mut rows = StackRows::new(service);
        for file in snapshot.files_of(FleetTable::Stacks, Some(service), (day_s, day_s + 1)) {
            for batch in read_file(store, &file.path).await? {
                rows.push_batch(&batch)?;
            }
        }
        let known = rows.rows().iter().map(|row| (row.id, row.hash_high)).collect();
        self.0.insert(key, DayStacks(known));
        Ok(())
    }

    /// The stacks of a service and day.
    pub(super) fn of_day(&mut self, key: &(String, i64)) -> &mut DayStacks {
        self.0.entry(key.clone()).or_default()
    }

    /// Forgets days that began more than a day before `time_s`.
    pub(super) fn forget_before(&mut self, time_s: i64) {
        self.0.retain(|(_, day_s), _| *day_s >= time_s - crate::tables::DAY_S);
    }
}

impl DayStacks {
    /// Whether the stack with this whole identity is known.
    pub(super) fn contains(&self, id: StackId) -> bool {
        id == StackId::ROOT || self.0.get(&id.low()) == Some(&id.high())
    }

    /// Adds a stack. Returns false if another stack has the same lower half of the identity.
    pub(super) fn add(&mut self, id: StackId) -> bool {
        // 0 is the stack without frames.
        id.low() != 0 && *self.0.entry(id.low()).or_insert(id.high()) == id.high()
    }

    /// The stack and its callers that the tables do not contain yet, from the leaf to the root.
    pub(super) fn path_to_known(&self, tables: &Tables, ids: &[StackId], stack: StackIndex) -> Vec<StackIndex> {
        let below = |stack: &StackIndex| Some(tables.stacks.parent[stack.row()]);
        let path = std::iter::successors(Some(stack), below);
        path.take_while(|stack| !self.contains(ids[stack.row()])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::ContentHash;

    #[test]
    fn a_stack_that_shares_half_of_its_identity_is_not_taken_for_the_other() {
        let mut stacks = DayStacks::default();
        let [one, other] = [7_u128, 7 + (1 << 64)].map(|hash| StackId(ContentHash(hash)));
        assert!(stacks.add(one) && stacks.add(one) && !stacks.add(other));
        assert!(stacks.contains(one) && !stacks.contains(other) && stacks.contains(StackId::ROOT));
        assert!(!stacks.add(StackId(ContentHash(1 << 64))), "0 is the stack without frames");
    }
}
