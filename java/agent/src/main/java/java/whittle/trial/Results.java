package java.whittle.trial;

import java.time.format.DateTimeFormatter;
import java.util.Arrays;

/** The results of calls, by their arguments. A look-up creates no object. The table is bounded: further results are not kept. */
final class Results implements KeptResults {
    /** A power of two. */
    private static final int SLOTS = 128;
    private static final int LIMIT = 64;

    private final Entry[] entries = new Entry[SLOTS];
    private int count;

    /** Threads see a whole entry or none, because its fields are final. */
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
            || argument instanceof DateTimeFormatter;
    }

    @Override
    public Object get(Object... arguments) {
        int hash = hash(arguments);
        for (int slot = first(hash);; slot = slot + 1 & SLOTS - 1) {
            Entry entry = entries[slot];
            if (entry == null || entry.hash == hash && areEqual(entry.arguments, arguments)) {
                return entry == null ? null : entry.result;
            }
        }
    }

    @Override
    public synchronized void put(Object result, Object... arguments) {
        if (count >= LIMIT) {
            return;
        }
        Object[] kept = copied(arguments);
        int hash = hash(kept);
        int slot = first(hash);
        while (entries[slot] != null) {
            slot = slot + 1 & SLOTS - 1;
        }
        entries[slot] = new Entry(hash, kept, result);
        count++;
    }

    /** The arguments that the program cannot change later. */
    static Object[] copied(Object... arguments) {
        Object[] kept = new Object[arguments.length];
        for (int index = 0; index < kept.length; index++) {
            Object argument = arguments[index];
            kept[index] = argument instanceof Object[] ? ((Object[]) argument).clone() : argument;
        }
        return kept;
    }

    /** A method of the JDK for arrays of any depth takes several times as long. */
    static int hash(Object... arguments) {
        int hash = arguments.length;
        for (Object argument : arguments) {
            hash *= 31;
            if (argument != null) {
                hash += argument instanceof Object[] ? Arrays.hashCode((Object[]) argument) : argument.hashCode();
            }
        }
        return hash;
    }

    static boolean areEqual(Object[] some, Object... others) {
        for (int index = 0; index < some.length; index++) {
            if (!isEqual(some[index], others[index])) {
                return false;
            }
        }
        return true;
    }

    private static boolean isEqual(Object some, Object other) {
        if (some == other) {
            return true;
        }
        if (some instanceof Object[] && other instanceof Object[]) {
            return Arrays.equals((Object[]) some, (Object[]) other);
        }
        return some != null && some.equals(other);
    }

    private static int first(int hash) {
        return (hash ^ hash >>> 16 ^ hash >>> 8) & SLOTS - 1;
    }
}
