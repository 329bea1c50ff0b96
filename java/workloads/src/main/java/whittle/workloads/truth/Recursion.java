package whittle.workloads.truth;

import whittle.workloads.Arguments;
import whittle.workloads.CpuTime;
import whittle.workloads.Lines;

/**
 * Burns CPU below deep stacks: one method that calls itself, and two methods that call each other.
 *
 * <p>Thread {@code recursion} goes down {@code --depth} frames with {@link #descend}, burns in {@link #burn} and returns, then
 * does the same with {@link #ping} and {@link #pong}. Counted once per sample, {@code descend} has half of the CPU time as
 * its inclusive value, not {@code depth} times as much. See README.md for arguments and output.
 */
public final class Recursion {
    /** Enough for 100,000 interpreted frames. The default stack of a thread is too small. */
    private static final long STACK_BYTES = 256L << 20;
    private static final long MAX_DEPTH = 100_000;
    /** CPU time that is burnt at the bottom each time. It is much longer than the way down and up. */
    private static final long BURN_NS = 20_000_000;
    private static final long SPIN_STEPS = 50_000;

    /** Never read. It keeps the JIT compiler from removing the loop. */
    private static volatile long sink;

    private final int depth;
    private final long durationNs;

    // Results. They are read after the thread has ended.
    private long descendNs;
    private long pingPongNs;
    private long burnNs;
    private long cpuNs;

    private Recursion(int depth, long durationNs) {
        this.depth = depth;
        this.durationNs = durationNs;
    }

    public static void main(String[] args) throws InterruptedException {
        Arguments arguments = Arguments.read(args, "depth", "seconds");
        int depth = (int) Math.min(arguments.count("depth", 5000), MAX_DEPTH);
        Recursion program = new Recursion(depth, arguments.secondsAsNanos(2));
        Thread thread = new Thread(null, program::work, "recursion", STACK_BYTES);
        thread.start();
        thread.join();
        program.printResults();
    }

    private void work() {
        long endNs = System.nanoTime() + durationNs;
        while (System.nanoTime() < endNs) {
            long startNs = CpuTime.currentThreadCpuNs();
            descend(depth);
            long betweenNs = CpuTime.currentThreadCpuNs();
            ping(depth);
            descendNs += betweenNs - startNs;
            pingPongNs += CpuTime.currentThreadCpuNs() - betweenNs;
        }
        cpuNs = CpuTime.currentThreadCpuNs();
    }

    /** Calls itself until there are {@code framesLeft} frames, including this one. Then calls burn(). */
    private void descend(int framesLeft) {
        if (framesLeft > 1) {
            descend(framesLeft - 1);
        } else {
            burn();
        }
    }

    /** Alternates with pong() until there are {@code framesLeft} frames, including this one. Then calls burn(). */
    private void ping(int framesLeft) {
        if (framesLeft > 1) {
            pong(framesLeft - 1);
        } else {
            burn();
        }
    }

    private void pong(int framesLeft) {
        if (framesLeft > 1) {
            ping(framesLeft - 1);
        } else {
            burn();
        }
    }

    private void burn() {
        long startNs = CpuTime.currentThreadCpuNs();
        long spentNs;
        do {
            long x = startNs | 1;
            for (long i = 0; i < SPIN_STEPS; i++) {
                x ^= x << 13;
                x ^= x >>> 7;
                x ^= x << 17;
            }
            sink = x;
            spentNs = CpuTime.currentThreadCpuNs() - startNs;
        } while (spentNs < BURN_NS);
        burnNs += spentNs;
    }

    private void printResults() {
        Lines.print("depth %d", depth);
        Lines.print("descend_inclusive_cpu_ms %.1f", descendNs / 1e6);
        Lines.print("ping_inclusive_cpu_ms %.1f", pingPongNs / 1e6);
        Lines.print("burn_exclusive_cpu_ms %.1f", burnNs / 1e6);
        Lines.print("cpu_ms %.1f", cpuNs / 1e6);
    }
}
