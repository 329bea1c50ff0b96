package java.whittle.trial;

import java.util.concurrent.atomic.AtomicIntegerArray;

/** How often each changed place ran. Places have small numbers, which the plan gives. */
public final class Places {
    /** Numbers of places are smaller. */
    public static final int LIMIT = 1024;
    /** Counts of different places are in different cache lines. */
    private static final int STRIDE = 16;
    private static final long[] COUNTS = new long[(LIMIT + 1) * STRIDE];
    /** Streams that the program has not closed. */
    private static final AtomicIntegerArray OPEN = new AtomicIntegerArray(LIMIT);

    private Places() {
    }

    /** Threads that count at the same time can lose counts, but a place that ran has never the count 0. */
    public static void count(int place) {
        COUNTS[(place + 1) * STRIDE]++;
    }

    /** The executions of a place. */
    public static long counted(int place) {
        return COUNTS[(place + 1) * STRIDE];
    }

    /** The streams of a place that were not closed. */
    public static int open(int place) {
        return OPEN.get(place);
    }

    static void opened(int place) {
        OPEN.incrementAndGet(place);
    }

    static void closed(int place) {
        OPEN.decrementAndGet(place);
    }
}
