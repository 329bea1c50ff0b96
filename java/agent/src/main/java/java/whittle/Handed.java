package java.whittle;

import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The items of objects that other threads will work on: tasks that wait for a thread, and requests whose response comes
 * later.
 *
 * <p>The table does not keep objects alive. It is bounded: an object that finds no free slot in its bucket replaces
 * another one, which then has no item.
 *
 * <p>A program can submit the same object again before its first run. Nobody knows which run belongs to which submission, so
 * the item of these runs is UNKNOWN, unless all submissions have the same item.
 */
final class Handed {
    /** The item of an object that was handed over for several items. */
    static final long UNKNOWN = -1;

    private static final int WAYS = 8;
    private static final int BUCKETS = 4096;
    /** How often a change of a slot is tried while other threads change the same slot. */
    private static final int ATTEMPTS = 16;
    private static final AtomicReferenceArray<Entry> ENTRIES = new AtomicReferenceArray<>(BUCKETS * WAYS);

    private Handed() {
    }

    private static final class Entry extends WeakReference<Object> {
        /** An item, UNKNOWN, or 0: the object was handed over by a thread without an item. */
        final long item;
        /** How often the object was handed over and not taken. */
        final int pending;

        Entry(Object object, long item, int pending) {
            super(object);
            this.item = item;
            this.pending = pending;
        }

        boolean isOf(Object object) {
            return get() == object;
        }
    }

    /** The object has this item from now on. */
    static void put(Object object, long item) {
        int slot = find(object);
        if (slot < 0) {
            slot = vacancy(object, item);
        }
        ENTRIES.set(slot, new Entry(object, item, 1));
    }

    /** The object is handed over once more. `item` can be 0. */
    static void add(Object object, long item) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            if (isAdded(object, item)) {
                return;
            }
        }
        Loss.EVICTED_TASK.count();
    }

    private static boolean isAdded(Object object, long item) {
        int known = find(object);
        int slot = known < 0 ? vacancy(object, item) : known;
        Entry before = ENTRIES.get(slot);
        boolean isKnown = before != null && before.isOf(object);
        if (isKnown != known >= 0) {
            return false;
        }
        long merged = isKnown && before.item != item ? UNKNOWN : item;
        boolean isSet = ENTRIES.compareAndSet(slot, before, new Entry(object, merged, isKnown ? before.pending + 1 : 1));
        if (isSet && !isKnown) {
            mixTwins(object, slot);
        }
        return isSet;
    }

    /** Two threads that add the same new object at the same moment can use two slots. */
    private static void mixTwins(Object object, int own) {
        int first = first(object);
        for (int slot = first; slot < first + WAYS; slot++) {
            Entry other = ENTRIES.get(slot);
            if (slot != own && other != null && other.isOf(object)) {
                ENTRIES.compareAndSet(slot, other, new Entry(object, UNKNOWN, other.pending));
                ENTRIES.set(own, new Entry(object, UNKNOWN, 1));
            }
        }
    }

    /** The item of the object, or 0 if it has none or an UNKNOWN one. */
    static long peek(Object object) {
        int slot = find(object);
        Entry entry = slot < 0 ? null : ENTRIES.get(slot);
        return entry != null && entry.isOf(object) ? Math.max(entry.item, 0) : 0;
    }

    /** The item of the object, UNKNOWN, or 0. The object was taken over once. */
    static long take(Object object) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int slot = find(object);
            Entry entry = slot < 0 ? null : ENTRIES.get(slot);
            if (entry == null || !entry.isOf(object)) {
                return 0;
            }
            Entry left = entry.pending > 1 ? new Entry(object, entry.item, entry.pending - 1) : null;
            if (ENTRIES.compareAndSet(slot, entry, left)) {
                return entry.item;
            }
        }
        return UNKNOWN;
    }

    static void clear() {
        for (int slot = 0; slot < ENTRIES.length(); slot++) {
            ENTRIES.set(slot, null);
        }
    }

    /** The slot for a new object: a free one, otherwise one without an item, otherwise any. */
    private static int vacancy(Object object, long item) {
        int first = first(object);
        int withoutItem = -1;
        for (int slot = first; slot < first + WAYS; slot++) {
            Entry entry = ENTRIES.get(slot);
            if (entry == null || entry.get() == null) {
                return slot;
            }
            if (entry.item == 0) {
                withoutItem = slot;
            }
        }
        if (withoutItem >= 0) {
            return withoutItem;
        }
        Loss.EVICTED_TASK.count();
        return first + (int) (item >>> 1 & WAYS - 1);
    }

    private static int find(Object object) {
        int first = first(object);
        for (int slot = first; slot < first + WAYS; slot++) {
            Entry entry = ENTRIES.get(slot);
            if (entry != null && entry.isOf(object)) {
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
