package whittle.workloads.readers;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Objects in the heap, dead ones included, by the JVM's own histogram.
 *
 * <p>While nothing is collected, the growth between two counts is what was created in between: exact, which no counter of
 * the JVM is. So start the JVM with a young generation that all of it fits into ({@code -XX:+UseSerialGC -Xmn1g}); after a
 * collection the answer is {@link #UNAVAILABLE}. Taking the histogram creates objects, too: subtract an empty stretch.
 */
final class HeapObjects {
    static final long UNAVAILABLE = -1;

    private HeapObjects() {}

    static long count() {
        try {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            Object histogram = server.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "gcClassHistogram", new Object[] {new String[] {"-all"}}, new String[] {String[].class.getName()});
            return collections() == 0 ? totalOf((String) histogram) : UNAVAILABLE;
        } catch (JMException | RuntimeException e) {
            // Not HotSpot, or one that does not answer this.
            return UNAVAILABLE;
        }
    }

    /** The first number of the last line, {@code Total  24536  1632872}. */
    private static long totalOf(String histogram) {
        int line = histogram.lastIndexOf("Total");
        return line < 0 ? UNAVAILABLE : Long.parseLong(histogram.substring(line).trim().split("\\s+")[1]);
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(bean -> bean.getCollectionCount()).sum();
    }
}
