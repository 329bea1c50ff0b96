package java.whittle.trial;

/**
 * The results of recent calls, by their arguments. A result replaces an older one in the same slot. Threads see an old entry or a new
 * one, and both are right, because entries never change.
 */
final class RecentResults implements KeptResults {
    /** A power of two. */
    private static final int SLOTS = 4096;

    private final Entry[] entries = new Entry[SLOTS];

    private static final class Entry {
        final int hash;
        final Object[] arguments;
        final Object result;

        Entry(int hash, Object[] arguments, Object result) {
            this.hash = hash;
            this.arguments = arguments;
            this.result = result;
        }
    }

    @Override
    public Object get(Object... arguments) {
        int hash = Results.hash(arguments);
        Entry entry = entries[slot(hash)];
        return entry != null && entry.hash == hash && Results.areEqual(entry.arguments, arguments) ? entry.result : null;
    }

    @Override
    public void put(Object result, Object... arguments) {
        int hash = Results.hash(arguments);
        entries[slot(hash)] = new Entry(hash, Results.copied(arguments), result);
    }

    private static int slot(int hash) {
        return (hash ^ hash >>> 12 ^ hash >>> 24) & SLOTS - 1;
    }
}
