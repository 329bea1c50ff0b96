package java.whittle.trial;

import java.util.concurrent.atomic.LongAdder;

/**
 * The turns of a trial in a program that was already running. A changed method has its old code and its new code, and asks at its
 * start which of both it executes.
 */
public final class Turns {
    /** True in a turn of the new code. Changed methods read this field when they begin. */
    public static volatile boolean isNew;
    /** The executions of all places. Threads that count at the same time lose none. */
    private static final LongAdder OLD = new LongAdder();
    private static final LongAdder NEW = new LongAdder();
    private static boolean isCounting;

    private Turns() {
    }

    /** From now on, executions are counted. */
    public static void start() {
        isCounting = true;
    }

    /** From now on, changed methods execute their old code. */
    public static void end() {
        isNew = false;
        isCounting = false;
    }

    /** A place runs in the old code. */
    public static void ranOld() {
        OLD.increment();
    }

    /** A place runs in the new code. */
    static void ranNew() {
        if (isCounting) {
            NEW.increment();
        }
    }

    /** How often places ran in the old code so far. */
    public static long oldCount() {
        return OLD.sum();
    }

    /** How often places ran in the new code so far. */
    public static long newCount() {
        return NEW.sum();
    }
}
