//! Keeps the results of the last few long computations, by key.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Cached results, the most recently used first. The cache makes answers faster but never changes them.
#[derive(Debug)]
pub struct Cache<K, V> {
    slots: Mutex<Vec<(K, Slot<V>)>>,
    /// Maximum total size of the results. The two newest results are kept regardless of their size.
    capacity: usize,
}

/// A result, or the slot in which the first requester computes it while all other requesters wait.
type Slot<V> = Arc<OnceLock<Arc<V>>>;

/// Number of results that are always kept, because a view often needs two results at the same time.
const ALWAYS_KEPT: usize = 2;

impl<K: PartialEq, V> Cache<K, V> {
    /// An empty cache. The sizes of its values add up to at most `capacity`.
    pub fn new(capacity: usize) -> Self {
        Self { slots: Mutex::default(), capacity }
    }

    /// The result for a key, if it is cached.
    pub fn get(&self, key: &K) -> Option<Arc<V>> {
        to_front(&mut self.slots(), key)?.get().cloned()
    }

    /// The result for a key, computed if it is not cached.
    pub fn get_or(&self, key: K, size: impl Fn(&V) -> usize, compute: impl FnOnce() -> V) -> Arc<V> {
        let slot = self.slot(key);
        if let Some(value) = slot.get() {
            return value.clone();
        }
        let value = slot.get_or_init(|| Arc::new(compute())).clone();
        self.shrink(size);
        value
    }

    /// The slot of a key, added if the key is new. A single lock ensures that the next request for the same key finds
    /// the slot.
    fn slot(&self, key: K) -> Slot<V> {
        let mut slots = self.slots();
        to_front(&mut slots, &key).unwrap_or_else(|| {
            let slot = Slot::default();
            slots.insert(0, (key, slot.clone()));
            slot
        })
    }

    fn slots(&self) -> MutexGuard<'_, Vec<(K, Slot<V>)>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops the least recently used results, but no result that is being computed.
    fn shrink(&self, size: impl Fn(&V) -> usize) {
        let (mut total, mut place) = (0, 0);
        self.slots().retain(|(_, slot)| {
            total += slot.get().map_or(0, |value| size(value));
            place += 1;
            place <= ALWAYS_KEPT || total <= self.capacity || (slot.get().is_none() && Arc::strong_count(slot) > 1)
        });
    }
}

/// The slot of a key, moved to the front.
fn to_front<K: PartialEq, V>(slots: &mut [(K, Slot<V>)], key: &K) -> Option<Slot<V>> {
    let position = slots.iter().position(|(known, _)| known == key)?;
    slots[..=position].rotate_right(1);
    slots.first().map(|(_, slot)| slot.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    #[test]
    fn what_several_ask_for_at_once_is_computed_once() {
        let cache = Cache::new(1_000_000);
        let computed = AtomicUsize::new(0);
        for key in 0..500 {
            let start = Barrier::new(4);
            let ask = || {
                start.wait();
                cache.get_or(key, |_| 1, || computed.fetch_add(1, Ordering::Relaxed));
            };
            thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(ask))));
        }
        assert_eq!(computed.into_inner(), 500);
    }

    #[test]
    fn what_was_not_asked_for_longest_goes_first() {
        let cache = Cache::new(10);
        for key in 0..4 {
            cache.get_or(key, Vec::len, || vec![0; 4]);
            assert!(cache.get(&0).is_some());
        }
        assert!(cache.get(&3).is_some() && cache.get(&1).is_none() && cache.get(&2).is_none());
        assert_eq!(*cache.get_or(3, Vec::len, Vec::new), [0; 4]);
    }
}
