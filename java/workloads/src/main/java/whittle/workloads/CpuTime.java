package whittle.workloads;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Locale;

/**
 * CPU time of the current thread, from the kernel's accounts.
 *
 * <p>{@code cpuNs} is exact (the scheduler's clock). {@code userNs} is not exact: the kernel splits the exact
 * amount in the ratio of its timer ticks in user and system mode, so the split of short times is coarse.
 *
 * @param cpuNs user and system CPU in nanoseconds since the thread's start (or in a time range, see {@link #since})
 * @param userNs the user part of {@code cpuNs}
 */
public record CpuTime(long cpuNs, long userNs) {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** Reads the split before the exact amount, so that the user part is never more than the sum. */
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
