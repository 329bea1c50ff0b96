package whittle.workloads.truth;

import whittle.workloads.Arguments;
import whittle.workloads.CpuTime;
import whittle.workloads.Lines;

/**
 * One new thread per task. It lives for less than a millisecond, so polling the list of threads misses its CPU time.
 *
 * <p>Tasks run one after the other. See README.md for arguments and output.
 */
public final class ShortThreads {
    private static final long SPIN_STEPS = 2_000;

    /** Never read. It keeps the JIT compiler from removing the loop. */
    private static volatile long sink;

    private ShortThreads() {}

    public static void main(String[] args) throws InterruptedException {
        Arguments arguments = Arguments.read(args, "seconds", "task-us");
        long durationNs = arguments.secondsAsNanos(2);
        long taskNs = arguments.count("task-us", 300) * 1000;

        long taskCount = 0;
        long underMillisecondCount = 0;
        long spinNs = 0;
        long cpuNs = 0;
        long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs) {
            Task task = new Task("task-" + taskCount, taskNs);
            long taskStartNs = System.nanoTime();
            task.start();
            task.join();
            underMillisecondCount += System.nanoTime() - taskStartNs < 1_000_000 ? 1 : 0;
            spinNs += task.spinNs;
            cpuNs += task.cpuNs;
            taskCount++;
        }
        Lines.print("tasks %d seconds %.1f", taskCount, (System.nanoTime() - startNs) / 1e9);
        Lines.print("tasks_under_1_ms %d", underMillisecondCount);
        Lines.print("spin_cpu_ms %.1f", spinNs / 1e6);
        Lines.print("cpu_ms %.1f", cpuNs / 1e6);
        Lines.print("cpu_us_per_task %.1f", cpuNs / 1e3 / taskCount);
    }

    private static final class Task extends Thread {
        private final long targetNs;
        /** CPU time in spin(). */
        private long spinNs;
        /** CPU time from the thread's start to the end of run(), without the CPU time that the thread's end needs. */
        private long cpuNs;

        Task(String name, long targetNs) {
            super(name);
            this.targetNs = targetNs;
        }

        @Override
        public void run() {
            spinNs = spin(targetNs);
            cpuNs = CpuTime.currentThreadCpuNs();
        }
    }

    /** Burns at least {@code targetNs} of CPU. Returns the actual CPU time. */
    private static long spin(long targetNs) {
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
        } while (spentNs < targetNs);
        return spentNs;
    }
}
