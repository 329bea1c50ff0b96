package java.whittle.trial;

/**
 * The results of recent calls, by their arguments. A result replaces an older one in the same slot. Threads see the old one or the new
 * one, and both are right.
 */
final class RecentResults implements KeptResults {
    /** A power of two. */
    private static final int SLOTS = 4096;

    private final KeptResult[] kept = new KeptResult[SLOTS];

    @Override
    public Object get(Object... arguments) {
        int hash = KeptResult.hash(arguments);
        KeptResult known = kept[slot(hash)];
        return known != null && known.isOf(hash, arguments) ? known.result : null;
    }

    @Override
    public void put(Object result, Object... arguments) {
        KeptResult added = KeptResult.of(result, arguments);
        kept[slot(added.hash)] = added;
    }

    private static int slot(int hash) {
        return (hash ^ hash >>> 12 ^ hash >>> 24) & SLOTS - 1;
    }
}
