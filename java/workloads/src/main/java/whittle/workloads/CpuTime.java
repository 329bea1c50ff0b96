package whittle.workloads;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Locale;

/**
 * CPU time of the current thread as the kernel accounts it.
 *
 * <p>{@code cpuNs} is exact (the scheduler's clock). {@code userNs} is not: the kernel splits the exact amount
 * into user and system by what its timer ticks found, so the split of short stretches is coarse.
 *
 * @param cpuNs user and system CPU in nanoseconds since the thread's start (or of a stretch, see {@link #since})
 * @param userNs the user part of it
 */
public record CpuTime(long cpuNs, long userNs) {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** The kernel is asked for the split before the exact amount, so that user never exceeds the sum. */
    public static CpuTime ofCurrentThread() {
        long userNs = currentThreadUserNs();
        return new CpuTime(currentThreadCpuNs(), userNs);
    }

    /** Only the exact amount: one system call. */
    public static long currentThreadCpuNs() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** Only the user part: the JDK reads it from a file. */
    public static long currentThreadUserNs() {
        return THREADS.getCurrentThreadUserTime();
    }

    public CpuTime since(CpuTime start) {
        return new CpuTime(cpuNs - start.cpuNs, userNs - start.userNs);
    }

    public long systemNs() {
        return cpuNs - userNs;
    }

    /** {@code A user B system C} in milliseconds, each divided by {@code unitCount}. */
    public String millisText(long unitCount) {
        return String.format(Locale.ROOT, "%.4f user %.4f system %.4f",
                cpuNs / 1e6 / unitCount, userNs / 1e6 / unitCount, systemNs() / 1e6 / unitCount);
    }
}
