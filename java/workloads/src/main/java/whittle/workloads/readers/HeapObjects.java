package whittle.workloads.readers;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Objects in the heap, including dead objects, from the JVM's own histogram.
 *
 * <p>Without a garbage collection, the growth between two counts is the exact number of created objects. No counter of the
 * JVM is exact. So start the JVM with a large young generation ({@code -XX:+UseSerialGC -Xmn1g}). After a collection, the
 * answer is {@link #UNAVAILABLE}. The histogram itself creates objects: subtract the value of a measurement without work.
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
            // The JVM is not HotSpot, or does not support this command.
            return UNAVAILABLE;
        }
    }

    /** The first number in the last line, {@code Total  24536  1632872}. */
    private static long totalOf(String histogram) {
        int line = histogram.lastIndexOf("Total");
        return line < 0 ? UNAVAILABLE : Long.parseLong(histogram.substring(line).trim().split("\\s+")[1]);
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(bean -> bean.getCollectionCount()).sum();
    }
}
