package example.sampling;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A library that takes the stacks of all threads by a timer and counts methods. What it costs depends on the interval and
 * the number of threads, not on what the program has to do. Intervals vary, from half of their mean to one and a half: a
 * steady one would never, or always, meet what happens in step with it.
 */
public final class Sampler implements Runnable {
    private final long intervalNs;
    private final SplittableRandom random = new SplittableRandom(1);
    private final Map<String, long[]> counts = new HashMap<>();
    private volatile boolean isStopped;

    public Sampler(long intervalNs) {
        this.intervalNs = intervalNs;
    }

    /** Takes samples until {@link #stop}. */
    @Override
    public void run() {
        long dueNs = System.nanoTime();
        while (!isStopped) {
            takeSample();
            dueNs += intervalNs / 2 + random.nextLong(intervalNs);
            sleepUntil(dueNs);
        }
    }

    public void stop() {
        isStopped = true;
    }

    private void takeSample() {
        for (StackTraceElement[] stack : Thread.getAllStackTraces().values()) {
            for (StackTraceElement frame : stack) {
                counts.computeIfAbsent(frame.getMethodName(), name -> new long[1])[0]++;
            }
        }
    }

    private static void sleepUntil(long dueNs) {
        long leftNs = dueNs - System.nanoTime();
        if (leftNs > 0) {
            try {
                Thread.sleep(leftNs / 1_000_000, (int) (leftNs % 1_000_000));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
