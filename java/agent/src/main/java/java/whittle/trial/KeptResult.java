package java.whittle.trial;

import java.util.Arrays;

/** A result with the arguments of its call. It never changes, so other threads see it whole. */
final class KeptResult {
    final int hash;
    final Object result;
    private final Object[] arguments;

    private KeptResult(int hash, Object result, Object... arguments) {
        this.hash = hash;
        this.result = result;
        this.arguments = arguments;
    }

    /** Copies arrays, because the program can change them later. */
    static KeptResult of(Object result, Object... arguments) {
        Object[] kept = new Object[arguments.length];
        for (int index = 0; index < kept.length; index++) {
            Object argument = arguments[index];
            kept[index] = argument instanceof Object[] ? ((Object[]) argument).clone() : argument;
        }
        return new KeptResult(hash(kept), result, kept);
    }

    /** Whether this is the result of a call with these arguments and their hash code. The calls of a place have equally many. */
    boolean isOf(int wanted, Object... others) {
        if (hash != wanted) {
            return false;
        }
        for (int index = 0; index < arguments.length; index++) {
            if (!isEqual(arguments[index], others[index])) {
                return false;
            }
        }
        return true;
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

    private static boolean isEqual(Object some, Object other) {
        if (some == other) {
            return true;
        }
        if (some instanceof Object[] && other instanceof Object[]) {
            return Arrays.equals((Object[]) some, (Object[]) other);
        }
        return some != null && some.equals(other);
    }
}
