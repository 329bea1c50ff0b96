package java.whittle;

import java.util.concurrent.atomic.AtomicLong;

/** How often a hook failed. The program itself never sees such a failure. */
public final class Failures {
    private static final AtomicLong COUNT = new AtomicLong();

    private Failures() {
    }

    /** Counts a failure. Returns the token that means "nothing changed". */
    public static long count() {
        COUNT.incrementAndGet();
        return 0;
    }

    public static long counted() {
        return COUNT.get();
    }
}
