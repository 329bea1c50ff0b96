package example.sampling;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A library that takes the stacks of all threads by a timer and counts them. What it costs depends on the interval and the
 * number of threads, not on what the program has to do. Intervals vary, from half of their mean to one and a half: a
 * steady one would never, or always, meet what happens in step with it.
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
                // A real one would send them somewhere first.
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
