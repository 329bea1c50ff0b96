package java.whittle;

import java.lang.ref.WeakReference;

/**
 * The items of objects that other threads will work on: tasks that wait for a thread, and requests whose response comes
 * later.
 *
 * <p>An object that loses its place in the table has no item.
 *
 * <p>A program can submit the same object again before its first run. Nobody knows which run belongs to which submission, so
 * the item of these runs is UNKNOWN, unless all submissions have the same item.
 */
final class Handed {
    /** The item of an object that was handed over for several items. */
    static final long UNKNOWN = -1;

    /** How often a change of a slot is tried while other threads change the same slot. */
    private static final int ATTEMPTS = 16;
    private static final WeakTable<Entry> TABLE = new WeakTable<>(4096, Loss.EVICTED_TASK, entry -> entry.item == 0);

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
    }

    /** The object has this item from now on. */
    static void put(Object object, long item) {
        TABLE.put(object, new Entry(object, item, 1));
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
        int known = TABLE.find(object);
        int slot = known < 0 ? TABLE.vacancy(object) : known;
        Entry before = TABLE.at(slot);
        boolean isKnown = before != null && before.get() == object;
        if (isKnown != known >= 0) {
            return false;
        }
        long merged = isKnown && before.item != item ? UNKNOWN : item;
        Entry added = new Entry(object, merged, isKnown ? before.pending + 1 : 1);
        boolean isSet = TABLE.replace(slot, before, added);
        if (isSet && !isKnown) {
            mixTwins(object, slot, added);
        }
        return isSet;
    }

    /** Two threads that add the same new object at the same moment can use two slots. */
    private static void mixTwins(Object object, int own, Entry added) {
        int twin = TABLE.twin(object, own);
        Entry other = twin < 0 ? null : TABLE.at(twin);
        if (other != null && other.get() == object) {
            TABLE.replace(twin, other, new Entry(object, UNKNOWN, other.pending));
            TABLE.replace(own, added, new Entry(object, UNKNOWN, 1));
        }
    }

    /** The item of the object, or 0 if it has none or an UNKNOWN one. */
    static long peek(Object object) {
        Entry entry = TABLE.peek(object);
        return entry == null ? 0 : Math.max(entry.item, 0);
    }

    /** The item of the object, UNKNOWN, or 0. The object was taken over once. */
    static long take(Object object) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int slot = TABLE.find(object);
            Entry entry = slot < 0 ? null : TABLE.at(slot);
            if (entry == null || entry.get() != object) {
                return 0;
            }
            Entry left = entry.pending > 1 ? new Entry(object, entry.item, entry.pending - 1) : null;
            if (TABLE.replace(slot, entry, left)) {
                return entry.item;
            }
        }
        return UNKNOWN;
    }

    static void clear() {
        TABLE.clear();
    }
}
