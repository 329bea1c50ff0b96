package example.sampling;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A library with a timer that takes the stacks of all threads and counts them. Its cost depends on the interval and the
 * number of threads, not on the program's work. Intervals vary, from 0.5 to 1.5 times their mean: a constant interval
 * could always, or never, hit work that happens in the same rhythm.
 */
public final class Sampler implements Runnable {
    private static final long KEPT_NS = 1_000_000_000L;

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
        long clearedNs = dueNs;
        while (!isStopped) {
            takeSample();
            if (dueNs - clearedNs > KEPT_NS) {
                // A real library would first send the counts to a server.
                counts.clear();
                clearedNs = dueNs;
            }
            dueNs += intervalNs / 2 + random.nextLong(intervalNs);
            sleepUntil(dueNs);
        }
    }

    public void stop() {
        isStopped = true;
    }

    private void takeSample() {
        for (Map.Entry<Thread, StackTraceElement[]> entry : Thread.getAllStackTraces().entrySet()) {
            String stack = folded(entry.getKey().getName(), entry.getValue());
            counts.computeIfAbsent(stack, name -> new long[1])[0]++;
        }
    }

    /** One line: the thread and its methods, outermost first. */
    private static String folded(String thread, StackTraceElement[] frames) {
        StringBuilder line = new StringBuilder(thread);
        for (int i = frames.length - 1; i >= 0; i--) {
            StackTraceElement frame = frames[i];
            line.append(';').append(frame.getClassName()).append('.').append(frame.getMethodName());
            line.append(':').append(frame.getLineNumber());
        }
        return line.toString();
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
