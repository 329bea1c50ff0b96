package io.initech.stats;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/** Six threads serve requests. They record the duration of each request in a histogram. */
public final class Meters {
    /** Counts in buckets by powers of two, and a mean. */
    static class Histogram {
        private final long[] buckets = new long[64];
        // [new] private final AtomicLongArray counts = new AtomicLongArray(64);
        private double mean;

        synchronized void record(long nanos) { // [call] [edit]
            // [new] void record(long nanos) {
            buckets[64 - Long.numberOfLeadingZeros(nanos | 1)]++; // [call] [old] [or]
            mean = decay(mean, nanos); // [call] [old]
            // [new] counts.incrementAndGet(63 & (64 - Long.numberOfLeadingZeros(nanos | 1)));
        }

        private static double decay(double mean, long nanos) {
            double value = mean;
            for (int i = 0; i < 150; i++) value += (nanos - value) / (1024 + i);
            return value;
        }
    }

    /** A measured service. */
    interface Service {
        long serve(int request);
    }

    static Service measured(Service inner, Histogram histogram) {
        return request -> {
            long start = System.nanoTime();
            long answer = inner.serve(request);
            histogram.record(System.nanoTime() - start); // [call] [or]
            return answer;
        };
    }

    static long work(int request) {
        long value = request;
        for (int i = 0; i < 300; i++) value = value * 6364136223846793005L + 1442695040888963407L;
        return value;
    }

    public static void main(String[] arguments) {
        List<Histogram> histograms = new ArrayList<>(List.of(new Histogram()));
        Service service = measured(Meters::work, histograms.get(0));
        Load.onThreads(6, "http", () -> () -> {
            long sum = 0;
            for (int request = 0; request < 1000; request++) sum += service.serve(request);
            Load.kept = sum;
        });
    }
}
