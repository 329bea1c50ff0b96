package whittle.workloads.truth;

import java.lang.management.ManagementFactory;
import whittle.workloads.Arguments;
import whittle.workloads.KernelFigures;
import whittle.workloads.Lines;
import whittle.workloads.WorkThread;

/**
 * A known number of objects of known classes. A separate method allocates the objects of each class.
 *
 * <p>Thread {@code allocating} creates objects in cycles and keeps each for a moment. The size of an object depends on the
 * JVM and its flags, so sizes are measured at the start. See README.md for arguments and output.
 */
public final class AllocationHeavy {
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    // Objects in one cycle. Orders are 60 % of the objects, but only 10 % of the bytes.
    private static final int ORDERS_PER_CYCLE = 12;
    private static final int LONG_ARRAYS_PER_CYCLE = 6;
    private static final int BYTE_ARRAYS_PER_CYCLE = 2;

    private static final int LONGS = 30;
    private static final int BYTES = 1000;
    private static final int MEASURED_OBJECTS = 100_000;

    /** Objects are stored here, so that the JIT compiler cannot remove their allocation. */
    private final Object[] kept = new Object[1024];
    private int next;

    private final long cycleLimit;
    // Results. They are read after the thread has ended.
    private long orderBytes;
    private long longArrayBytes;
    private long byteArrayBytes;
    private long threadBytes;
    private KernelFigures kernel;

    private AllocationHeavy(long cycleLimit) {
        this.cycleLimit = cycleLimit;
    }

    public static void main(String[] args) throws InterruptedException {
        Arguments arguments = Arguments.read(args, "cycles");
        AllocationHeavy program = new AllocationHeavy(arguments.count("cycles", 5_000_000));
        WorkThread.runToEnd("allocating", program::work);
        program.printResults();
    }

    /** A small object with a reference. */
    private static final class Order {
        private final long number;
        private final int amount;
        private final Order previous;

        Order(long number, int amount, Order previous) {
            this.number = number;
            this.amount = amount;
            this.previous = previous;
        }

        @Override
        public String toString() {
            return "order " + number + " of " + amount + (previous == null ? "" : ", not the first");
        }
    }

    private void work() {
        orderBytes = bytesPerObject(this::allocateOrder);
        longArrayBytes = bytesPerObject(this::allocateLongArray);
        byteArrayBytes = bytesPerObject(this::allocateByteArray);
        KernelFigures start = KernelFigures.start();
        for (long cycle = 0; cycle < cycleLimit; cycle++) {
            cycle();
        }
        kernel = start.sinceStart();
        threadBytes = THREADS.getCurrentThreadAllocatedBytes();
    }

    private void cycle() {
        for (int i = 0; i < ORDERS_PER_CYCLE; i++) {
            allocateOrder();
            if (i % 2 == 0) {
                allocateLongArray();
            }
        }
        for (int i = 0; i < BYTE_ARRAYS_PER_CYCLE; i++) {
            allocateByteArray();
        }
    }

    /** Measures bytes with the JVM's own counter, which is exact for the current thread. */
    private static long bytesPerObject(Runnable allocate) {
        allocate.run();
        long startBytes = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < MEASURED_OBJECTS; i++) {
            allocate.run();
        }
        return (THREADS.getCurrentThreadAllocatedBytes() - startBytes) / MEASURED_OBJECTS;
    }

    private void allocateOrder() {
        keep(new Order(next, 1, null));
    }

    private void allocateLongArray() {
        keep(new long[LONGS]);
    }

    private void allocateByteArray() {
        keep(new byte[BYTES]);
    }

    private void keep(Object object) {
        kept[next++ % kept.length] = object;
        next &= Integer.MAX_VALUE;
    }

    private void printResults() {
        long bytes = print(Order.class, "allocateOrder", ORDERS_PER_CYCLE, orderBytes)
                + print(long[].class, "allocateLongArray", LONG_ARRAYS_PER_CYCLE, longArrayBytes)
                + print(byte[].class, "allocateByteArray", BYTE_ARRAYS_PER_CYCLE, byteArrayBytes);
        long objects = cycleLimit * (ORDERS_PER_CYCLE + LONG_ARRAYS_PER_CYCLE + BYTE_ARRAYS_PER_CYCLE)
                + 3L * MEASURED_OBJECTS;
        Lines.print("total objects=%d bytes=%d thread_allocated_bytes=%d cpu_ns=%d",
                objects, bytes, threadBytes, kernel.cpu().cpuNs());
    }

    /** Prints the values of a class. Returns its bytes. */
    private long print(Class<?> type, String method, long perCycle, long bytesPerObject) {
        long objects = cycleLimit * perCycle + MEASURED_OBJECTS;
        Lines.print("class=%s objects=%d bytes=%d bytes_per_object=%d method=%s",
                type.getTypeName(), objects, objects * bytesPerObject, bytesPerObject, method);
        return objects * bytesPerObject;
    }
}
