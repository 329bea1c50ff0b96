package com.acme.records;

import java.util.concurrent.atomic.AtomicLongArray;

/** Counts the records by their lag: from the time they were planned to be sent, to the end of the work on them. */
final class Statistics {
    private static final int LIMIT = 60_000;

    private final AtomicLongArray second = new AtomicLongArray(LIMIT + 1);
    private final long[] all = new long[LIMIT + 1];
    private long nanos = System.nanoTime();
    private double seconds;

    void done(long plannedMillis) {
        long lag = System.currentTimeMillis() - plannedMillis;
        second.incrementAndGet((int) Math.max(0, Math.min(LIMIT, lag)));
    }

    /** Prints what was done since the last call. A rate counts from the first second that had records. */
    void printSecond() {
        long now = System.nanoTime();
        long[] counts = new long[LIMIT + 1];
        for (int lag = 0; lag <= LIMIT; lag++) {
            counts[lag] = second.getAndSet(lag, 0);
            all[lag] += counts[lag];
        }
        double passed = (now - nanos) / 1e9;
        nanos = now;
        if (sum(counts) > 0) seconds += passed;
        print("", counts, passed);
    }

    void printAll() {
        printSecond();
        print("total ", all, seconds);
    }

    private static void print(String title, long[] counts, double seconds) {
        long records = sum(counts);
        System.out.printf("%srecords=%d rate=%.1f lag_ms_p50=%d%n", title, records, seconds > 0 ? records / seconds : 0,
                median(counts));
    }

    private static long sum(long[] counts) {
        long sum = 0;
        for (long count : counts) sum += count;
        return sum;
    }

    private static int median(long[] counts) {
        long half = (sum(counts) + 1) / 2;
        int lag = 0;
        for (long below = counts[0]; below < half; below += counts[lag]) lag++;
        return lag;
    }
}
