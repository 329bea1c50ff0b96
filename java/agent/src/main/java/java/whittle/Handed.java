package java.whittle;

import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The items of objects that other threads will work on: tasks that wait for a thread, and requests whose response comes
 * later.
 *
 * <p>The table does not keep objects alive. It is bounded: an object that finds no free slot in its bucket replaces
 * another one, which then has no item.
 */
final class Handed {
    private static final int WAYS = 8;
    private static final int BUCKETS = 4096;
    private static final AtomicReferenceArray<Entry> ENTRIES = new AtomicReferenceArray<>(BUCKETS * WAYS);

    private Handed() {
    }

    private static final class Entry extends WeakReference<Object> {
        final long item;

        Entry(Object object, long item) {
            super(object);
            this.item = item;
        }
    }

    static void put(Object object, long item) {
        int first = first(object);
        int chosen = first + (int) (item >>> 1 & WAYS - 1);
        for (int slot = first; slot < first + WAYS; slot++) {
            Entry entry = ENTRIES.get(slot);
            Object other = entry == null ? null : entry.get();
            if (other == object) {
                chosen = slot;
                break;
            }
            if (other == null) {
                chosen = slot;
            }
        }
        ENTRIES.set(chosen, new Entry(object, item));
    }

    /** The item of the object, or 0. */
    static long peek(Object object) {
        int slot = find(object);
        Entry entry = slot < 0 ? null : ENTRIES.get(slot);
        return entry != null && entry.get() == object ? entry.item : 0;
    }

    /** The item of the object, which is removed from the table, or 0. */
    static long take(Object object) {
        int slot = find(object);
        Entry entry = slot < 0 ? null : ENTRIES.get(slot);
        if (entry == null || entry.get() != object) {
            return 0;
        }
        return ENTRIES.compareAndSet(slot, entry, null) ? entry.item : 0;
    }

    static void clear() {
        for (int slot = 0; slot < ENTRIES.length(); slot++) {
            ENTRIES.set(slot, null);
        }
    }

    private static int find(Object object) {
        int first = first(object);
        for (int slot = first; slot < first + WAYS; slot++) {
            Entry entry = ENTRIES.get(slot);
            if (entry != null && entry.get() == object) {
                return slot;
            }
        }
        return -1;
    }

    private static int first(Object object) {
        int hash = System.identityHashCode(object);
        return ((hash ^ hash >>> 13) & BUCKETS - 1) * WAYS;
    }
}
