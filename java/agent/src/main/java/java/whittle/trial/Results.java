package java.whittle.trial;

import java.nio.charset.Charset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The results of calls, by their arguments. A look-up creates no object. The table is bounded: further results are not kept. */
final class Results implements KeptResults {
    /** A power of two. */
    private static final int SLOTS = 128;
    private static final int LIMIT = 64;

    private final KeptResult[] kept = new KeptResult[SLOTS];
    private int count;

    /** Whether calls with equal arguments mean the same, and arguments cannot change later, apart from arrays, which are copied. */
    static boolean canKeep(Object... arguments) {
        for (Object argument : arguments) {
            boolean isUsual = argument instanceof Class || argument instanceof String || argument instanceof Class[];
            if (!isUsual && !isOther(argument)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isOther(Object argument) {
        return argument == null || argument instanceof String[] || argument instanceof Integer || argument instanceof Long
            || argument instanceof Boolean || argument instanceof Character || argument instanceof ClassLoader || argument instanceof Enum
            || argument instanceof DateTimeFormatter || argument instanceof Locale || argument instanceof Charset;
    }

    @Override
    public Object get(Object... arguments) {
        int hash = KeptResult.hash(arguments);
        for (int slot = first(hash);; slot = slot + 1 & SLOTS - 1) {
            KeptResult known = kept[slot];
            if (known == null || known.isOf(hash, arguments)) {
                return known == null ? null : known.result;
            }
        }
    }

    @Override
    public synchronized void put(Object result, Object... arguments) {
        if (count >= LIMIT) {
            return;
        }
        KeptResult added = KeptResult.of(result, arguments);
        int slot = first(added.hash);
        while (kept[slot] != null) {
            slot = slot + 1 & SLOTS - 1;
        }
        kept[slot] = added;
        count++;
    }

    private static int first(int hash) {
        return (hash ^ hash >>> 16 ^ hash >>> 8) & SLOTS - 1;
    }
}
