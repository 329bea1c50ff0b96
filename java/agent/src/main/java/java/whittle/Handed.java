package java.whittle;

import java.lang.ref.WeakReference;

/**
 * The items of objects that other threads will work on: tasks that wait for a thread, and requests whose response comes
 * later. An object that has no room in the table replaces another one, which then has no item.
 */
final class Handed {
    private static final WeakTable<Entry> ENTRIES = new WeakTable<>(4096);

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
        ENTRIES.put(object, new Entry(object, item), item >>> 1);
    }

    /** The item of the object, or 0. */
    static long peek(Object object) {
        Entry entry = ENTRIES.peek(object);
        return entry == null ? 0 : entry.item;
    }

    /** The item of the object, which is removed from the table, or 0. */
    static long take(Object object) {
        Entry entry = ENTRIES.take(object);
        return entry == null ? 0 : entry.item;
    }

    static void clear() {
        ENTRIES.clear();
    }
}
