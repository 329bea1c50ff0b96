package java.whittle.trial;

import java.util.concurrent.ConcurrentHashMap;

/** What one place has made before, by its arguments. It is bounded: further arguments are not remembered. */
final class Memory {
    private static final int LIMIT = 64;
    private static final Memory[] OF_PLACES = new Memory[Places.LIMIT];

    private final ConcurrentHashMap<Object, Entry> entries = new ConcurrentHashMap<>();
    /** Threads see an old entry or a new one, and both are right. */
    private Entry last;

    private static final class Entry {
        final Object key;
        final Object value;

        Entry(Object key, Object value) {
            this.key = key;
            this.value = value;
        }
    }

    /** Two threads can make a memory for the same place. One of them is then lost, and its values are made again. */
    static Memory of(int place) {
        Memory memory = OF_PLACES[place];
        if (memory == null) {
            memory = new Memory();
            OF_PLACES[place] = memory;
        }
        return memory;
    }

    static void forget(int place) {
        OF_PLACES[place] = null;
    }

    /** The remembered value, or null. */
    Object get(Object key) {
        Entry entry = last;
        if (entry != null && entry.key.equals(key)) {
            return entry.value;
        }
        entry = entries.get(key);
        if (entry == null) {
            return null;
        }
        last = entry;
        return entry.value;
    }

    void put(Object key, Object value) {
        if (entries.size() < LIMIT) {
            entries.put(key, new Entry(key, value));
        }
    }
}
