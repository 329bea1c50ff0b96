package whittle.workloads.truth;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import whittle.workloads.Arguments;
import whittle.workloads.CpuTime;
import whittle.workloads.Lines;

/**
 * Threads that burn user CPU in {@link #spin}: a known part in {@link #heavy} and the rest in {@link #light}.
 *
 * <p>See README.md for arguments and output.
 */
public final class Spin {
    /**
     * Mean loop steps of a round: 2 to 4 ms, much longer than the two clock readings around each call. Rounds have random
     * lengths: equal rounds could run in step with a profiler's clock, so that it would always see the same part.
     */
    private static final long STEPS_PER_ROUND = 2_000_000;

    /** Never read. It keeps the JIT compiler from removing the loops. */
    private static volatile long sink;

    private final long durationNs;
    private final double heavyRatio;

    private Spin(long durationNs, double heavyRatio) {
        this.durationNs = durationNs;
        this.heavyRatio = heavyRatio;
    }

    public static void main(String[] args) throws InterruptedException {
        Arguments arguments = Arguments.read(args, "threads", "seconds", "heavy-ratio");
        Spin program = new Spin(arguments.secondsAsNanos(2), arguments.number("heavy-ratio", 0.75, 0, 1));
        long threadCount = arguments.count("threads", 1);

        List<SpinThread> threads = new ArrayList<>();
        for (int i = 0; i < threadCount; i++) {
            threads.add(program.new SpinThread("spin-" + i));
        }
        long startNs = System.nanoTime();
        threads.forEach(Thread::start);
        double totalMs = 0;
        for (SpinThread thread : threads) {
            thread.join();
            System.out.println(thread.resultText());
            totalMs += thread.cpuNs / 1e6;
        }
        Lines.print("total cpu_ms %.1f threads %d seconds %.1f",
                totalMs, threadCount, (System.nanoTime() - startNs) / 1e9);
    }

    private final class SpinThread extends Thread {
        /** CPU time of the whole thread, from its start. */
        private long cpuNs;
        /** Parts of {@code cpuNs}. The rest of {@code cpuNs} is start-up and clock readings. */
        private long heavyNs;
        private long lightNs;

        SpinThread(String name) {
            super(name);
        }

        @Override
        public void run() {
            spin(System.nanoTime() + durationNs);
            cpuNs = CpuTime.currentThreadCpuNs();
        }

        private void spin(long endNs) {
            SplittableRandom random = new SplittableRandom(1);
            while (System.nanoTime() < endNs) {
                long steps = random.nextLong(STEPS_PER_ROUND / 5, STEPS_PER_ROUND * 9 / 5);
                long heavySteps = Math.round(steps * heavyRatio);
                long startNs = CpuTime.currentThreadCpuNs();
                sink = heavy(heavySteps);
                long betweenNs = CpuTime.currentThreadCpuNs();
                sink = light(steps - heavySteps);
                heavyNs += betweenNs - startNs;
                lightNs += CpuTime.currentThreadCpuNs() - betweenNs;
            }
        }

        String resultText() {
            return Lines.format("thread %s cpu_ms %.1f heavy_ratio %.4f heavy_ms %.1f light_ms %.1f",
                    getName(), cpuNs / 1e6, heavyNs / (double) (heavyNs + lightNs), heavyNs / 1e6, lightNs / 1e6);
        }
    }

    // The loop is repeated on purpose: a profile would show a shared method instead of these methods.

    private static long heavy(long steps) {
        long x = steps | 1;
        for (long i = 0; i < steps; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private static long light(long steps) {
        long x = steps | 1;
        for (long i = 0; i < steps; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }
}
