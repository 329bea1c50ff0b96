package whittle.workloads;

/** Burns user CPU for workloads in which the method does not matter. */
public final class CpuBurner {
    /** Loop steps between two readings of the clock: a few microseconds. */
    private static final long STEPS = 2_000;

    /** Never read. It keeps the JIT compiler from removing the loop. */
    private static volatile long sink;

    private CpuBurner() {}

    /** Burns at least {@code targetNs} of the current thread's CPU. */
    public static void burn(long targetNs) {
        long endNs = CpuTime.currentThreadCpuNs() + targetNs;
        while (CpuTime.currentThreadCpuNs() < endNs) {
            long x = endNs | 1;
            for (long i = 0; i < STEPS; i++) {
                x ^= x << 13;
                x ^= x >>> 7;
                x ^= x << 17;
            }
            sink = x;
        }
    }
}
