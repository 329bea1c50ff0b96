package whittle.workloads.truth;

import java.util.concurrent.locks.LockSupport;
import whittle.workloads.Arguments;
import whittle.workloads.CpuTime;
import whittle.workloads.Lines;

/**
 * A busy thread, and a thread that wakes often and executes each time for much less than a sampling interval.
 *
 * <p>See README.md for arguments and output.
 */
public final class ShortWakes {
    private static final long RUN_NS = 50_000;

    private ShortWakes() {}

    public static void main(String[] args) throws InterruptedException {
        Arguments arguments = Arguments.read(args, "seconds", "wakes");
        long durationNs = arguments.secondsAsNanos(4);
        long wakes = arguments.count("wakes", 2000);
        long endNs = System.nanoTime() + durationNs;
        Measured busy = new Measured("busy", () -> spinUntil(endNs));
        Measured often = new Measured("often-woken", () -> wakeUntil(endNs, 1_000_000_000 / wakes));
        busy.start();
        often.start();
        for (Measured thread : new Measured[] {busy, often}) {
            thread.join();
            Lines.print("thread=%s cpu_ns=%d", thread.getName(), thread.cpuNs);
        }
    }

    private static void wakeUntil(long endNs, long distanceNs) {
        for (long nextNs = System.nanoTime(); nextNs < endNs; nextNs += distanceNs) {
            LockSupport.parkNanos(nextNs - System.nanoTime());
            spinUntil(System.nanoTime() + RUN_NS);
        }
    }

    private static void spinUntil(long endNs) {
        while (System.nanoTime() < endNs) {
            Thread.onSpinWait();
        }
    }

    private static final class Measured extends Thread {
        private final Runnable work;
        private long cpuNs;

        Measured(String name, Runnable work) {
            super(name);
            this.work = work;
        }

        @Override
        public void run() {
            work.run();
            cpuNs = CpuTime.currentThreadCpuNs();
        }
    }
}
