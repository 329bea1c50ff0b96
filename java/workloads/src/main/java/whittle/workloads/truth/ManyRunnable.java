package whittle.workloads.truth;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import whittle.workloads.Arguments;
import whittle.workloads.CpuTime;
import whittle.workloads.KernelFigures;
import whittle.workloads.Lines;

/**
 * More ready threads than CPUs. Each thread spins in four methods with 1, 2, 3 and 4 tenths of the loop steps, and waits for
 * a CPU most of the time. See README.md for arguments and output.
 */
public final class ManyRunnable {
    /** Mean loop steps of a round: 2 to 4 ms. The length is random, so that rounds do not run in step with a clock. */
    private static final long STEPS_PER_ROUND = 2_000_000;

    private static final String[] METHODS = {"oneTenth", "twoTenths", "threeTenths", "fourTenths"};
    private static final List<LongUnaryOperator> PARTS = List.of(
            ManyRunnable::oneTenth, ManyRunnable::twoTenths, ManyRunnable::threeTenths, ManyRunnable::fourTenths);

    /** Never read. It keeps the JIT compiler from removing the loops. */
    private static volatile long sink;

    private ManyRunnable() {}

    public static void main(String[] args) throws InterruptedException {
        Arguments arguments = Arguments.read(args, "threads", "seconds");
        long durationNs = arguments.secondsAsNanos(4);
        List<Spinning> threads = new ArrayList<>();
        for (int i = 0; i < arguments.count("threads", 16); i++) {
            threads.add(new Spinning("runnable-" + i, durationNs));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        printResults(threads);
    }

    private static final class Spinning extends Thread {
        private final long durationNs;
        private final long[] methodNs = new long[METHODS.length];
        private long wallNs;
        private KernelFigures kernel;

        Spinning(String name, long durationNs) {
            super(name);
            this.durationNs = durationNs;
        }

        @Override
        public void run() {
            KernelFigures start = KernelFigures.start();
            long startNs = System.nanoTime();
            SplittableRandom random = new SplittableRandom(getName().hashCode());
            while (System.nanoTime() - startNs < durationNs) {
                spin(random.nextLong(STEPS_PER_ROUND / 5, STEPS_PER_ROUND * 9 / 5));
            }
            wallNs = System.nanoTime() - startNs;
            kernel = start.sinceStart();
        }

        private void spin(long steps) {
            long startNs = CpuTime.currentThreadCpuNs();
            for (int i = 0; i < PARTS.size(); i++) {
                sink = PARTS.get(i).applyAsLong(steps * (i + 1) / 10);
                long endNs = CpuTime.currentThreadCpuNs();
                methodNs[i] += endNs - startNs;
                startNs = endNs;
            }
        }
    }

    private static void printResults(List<Spinning> threads) {
        long[] methodNs = new long[METHODS.length];
        long cpuNs = 0;
        for (Spinning thread : threads) {
            Lines.print("thread=%s wall_ns=%d cpu_ns=%d run_queue_ns=%s", thread.getName(), thread.wallNs,
                    thread.kernel.cpu().cpuNs(), KernelFigures.text(thread.kernel.runQueueNs()));
            cpuNs += thread.kernel.cpu().cpuNs();
            for (int i = 0; i < methodNs.length; i++) {
                methodNs[i] += thread.methodNs[i];
            }
        }
        for (int i = 0; i < methodNs.length; i++) {
            Lines.print("method=%s cpu_ns=%d cpu_ratio=%.4f steps_ratio=%.1f",
                    METHODS[i], methodNs[i], methodNs[i] / (double) cpuNs, (i + 1) / 10.0);
        }
        Lines.print("total cpu_ns=%d threads=%d", cpuNs, threads.size());
    }

    // The loop is repeated four times on purpose: a profile would show a shared method instead of these methods.

    private static long oneTenth(long steps) {
        long x = steps | 1;
        for (long i = 0; i < steps; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private static long twoTenths(long steps) {
        long x = steps | 1;
        for (long i = 0; i < steps; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private static long threeTenths(long steps) {
        long x = steps | 1;
        for (long i = 0; i < steps; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private static long fourTenths(long steps) {
        long x = steps | 1;
        for (long i = 0; i < steps; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }
}
