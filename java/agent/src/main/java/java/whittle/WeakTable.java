package java.whittle;

import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Entries about objects, found by the object's identity. The table does not keep the objects alive. It is bounded: an object that finds
 * no free slot in its bucket replaces another one.
 */
final class WeakTable<E extends WeakReference<Object>> {
    private static final int WAYS = 8;

    private final int buckets;
    private final AtomicReferenceArray<E> entries;

    /** `buckets` is a power of two. Each one has eight slots. */
    WeakTable(int buckets) {
        this.buckets = buckets;
        entries = new AtomicReferenceArray<>(buckets * WAYS);
    }

    /** Adds the entry of an object, or replaces it. `choice` decides which entry is replaced if the bucket is full. */
    void put(Object object, E added, long choice) {
        int first = first(object);
        int chosen = first + (int) (choice & WAYS - 1);
        for (int slot = first; slot < first + WAYS; slot++) {
            E entry = entries.get(slot);
            Object other = entry == null ? null : entry.get();
            if (other == object) {
                chosen = slot;
                break;
            }
            if (other == null) {
                chosen = slot;
            }
        }
        entries.set(chosen, added);
    }

    /** The entry of the object, or null. */
    E peek(Object object) {
        int slot = find(object);
        E entry = slot < 0 ? null : entries.get(slot);
        return entry != null && entry.get() == object ? entry : null;
    }

    /** The entry of the object, which is removed from the table, or null. */
    E take(Object object) {
        int slot = find(object);
        E entry = slot < 0 ? null : entries.get(slot);
        if (entry == null || entry.get() != object) {
            return null;
        }
        return entries.compareAndSet(slot, entry, null) ? entry : null;
    }

    void clear() {
        for (int slot = 0; slot < entries.length(); slot++) {
            entries.set(slot, null);
        }
    }

    private int find(Object object) {
        int first = first(object);
        for (int slot = first; slot < first + WAYS; slot++) {
            E entry = entries.get(slot);
            if (entry != null && entry.get() == object) {
                return slot;
            }
        }
        return -1;
    }

    private int first(Object object) {
        int hash = System.identityHashCode(object);
        return ((hash ^ hash >>> 13) & buckets - 1) * WAYS;
    }
}
