package com.acme.records;

import java.util.concurrent.atomic.LongAdder;

/** Deals out the time of a fault, so that it takes its share of the records' time. Each thread has its own. */
final class Share {
    /** What one slow moment, as the first call, may count at most: else the fault would pause for long after it. */
    private static final long MOST_NANOS = 20_000_000;

    private static final LongAdder TIMES = new LongAdder();
    private static final LongAdder FAULT_NANOS = new LongAdder();
    private static final LongAdder NANOS = new LongAdder();

    private final double ratio;
    private double credit;
    private long spent;
    private long charged;

    Share(Settings settings) {
        ratio = settings.severity() / (1 - settings.severity());
    }

    boolean due() {
        return credit >= 0;
    }

    void spendSince(long start) {
        long nanos = System.nanoTime() - start;
        spent += nanos;
        charged += Math.min(nanos, MOST_NANOS);
        TIMES.increment();
    }

    /** A record is done: the fault may take its share of what the rest took. */
    void recordDone(long start) {
        long nanos = System.nanoTime() - start;
        NANOS.add(nanos);
        FAULT_NANOS.add(spent);
        double allowed = (nanos - spent) * ratio;
        credit = Math.min(credit + allowed - charged, allowed);
        spent = 0;
        charged = 0;
    }

    /** Prints how often the fault came, and which share of the time of all threads' records it took. */
    static void print() {
        System.out.printf("fault_times=%d fault_ms=%d records_ms=%d share=%.3f%n", TIMES.sum(),
                FAULT_NANOS.sum() / 1_000_000, NANOS.sum() / 1_000_000,
                FAULT_NANOS.sum() / (double) Math.max(1, NANOS.sum()));
    }
}
