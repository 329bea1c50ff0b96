package java.whittle.trial;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** How often each changed place ran. Places have small numbers, which the plan gives. */
public final class Places {
    /** Numbers of places are smaller. */
    public static final int LIMIT = 1024;
    /** Threads count in different rows, so that they rarely write to the same cache line. A power of two. */
    private static final int ROWS = 16;
    /** Longer than a row of counts by a cache line. */
    private static final int ROW_LENGTH = LIMIT + 8;
    private static final long[] COUNTS = new long[ROWS * ROW_LENGTH];
    /** Streams and writers with something in their buffers. */
    private static final AtomicIntegerArray HOLDING = new AtomicIntegerArray(LIMIT);
    private static final AtomicReferenceArray<String> REFUSED = new AtomicReferenceArray<>(LIMIT);
    private static final AtomicReferenceArray<String> BROKEN = new AtomicReferenceArray<>(LIMIT);
    private static volatile Runnable onFirst;

    private Places() {
    }

    /** Threads with the same row that count at the same time can lose counts, but a place that ran has never the count 0. */
    public static void count(int place) {
        // Not the thread's number: a program can override its method.
        int row = System.identityHashCode(Thread.currentThread()) & ROWS - 1;
        if (COUNTS[row * ROW_LENGTH + place]++ == 0) {
            first();
        }
        Turns.ranNew();
    }

    /** The executions of a place. */
    public static long counted(int place) {
        long count = 0;
        for (int row = 0; row < ROWS; row++) {
            count += COUNTS[row * ROW_LENGTH + place];
        }
        return count;
    }

    /** Forgets what a place has made before. */
    public static void forget(int place) {
        Memory.forget(place);
        OwnFormats.forget(place);
    }

    /** Streams and writers of a place that would lose something if the JVM ended now. */
    public static int holding(int place) {
        return HOLDING.get(place);
    }

    /** The place was reached, but the remedy does not fit the objects that are there. The place does what it did before. */
    static void refuse(int place, String reason) {
        if (REFUSED.get(place) == null && REFUSED.compareAndSet(place, null, reason)) {
            first();
        }
    }

    /** The remedy fits from now on, so the refusal says nothing about the executions that follow. */
    static void accept(int place) {
        REFUSED.set(place, null);
    }

    /** Why a place did what it did before, at least once. Null: it never did. */
    public static String refused(int place) {
        return REFUSED.get(place);
    }

    /** The condition of the remedy does not hold. */
    static void breaks(int place, String reason) {
        if (BROKEN.get(place) == null && BROKEN.compareAndSet(place, null, reason)) {
            first();
        }
    }

    /** Why the condition of the remedy does not hold. Null: it holds, as far as the place can tell. */
    public static String broken(int place) {
        return BROKEN.get(place);
    }

    static void holds(int place, boolean isHolding) {
        HOLDING.addAndGet(place, isHolding ? 1 : -1);
    }

    /** Something happened for the first time, which the report must say even if the JVM ends at once. */
    public static void onFirst(Runnable action) {
        onFirst = action;
    }

    static void first() {
        Runnable action = onFirst;
        if (action != null) {
            action.run();
        }
    }
}
