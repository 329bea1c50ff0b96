package whittle.workloads.readers;

import java.lang.management.ManagementFactory;

/** Bytes that the current thread has allocated, according to the JVM. */
final class AllocatedBytes {
    static final long UNAVAILABLE = -1;

    private AllocatedBytes() {}

    static long ofCurrentThread() {
        java.lang.management.ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        if (threads instanceof com.sun.management.ThreadMXBean) {
            try {
                return ((com.sun.management.ThreadMXBean) threads).getThreadAllocatedBytes(Thread.currentThread().getId());
            } catch (UnsupportedOperationException e) {
                // The code below handles this.
            }
        }
        return UNAVAILABLE;
    }
}
