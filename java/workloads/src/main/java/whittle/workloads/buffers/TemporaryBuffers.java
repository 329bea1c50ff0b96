package whittle.workloads.buffers;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;

/**
 * The size limit up to which a temporary direct buffer is kept for the next write.
 *
 * <p>To write heap buffers to a channel, the JDK copies them into direct buffers. Each thread keeps the direct buffers up to
 * this limit; larger ones are allocated and freed for every write. Without a limit, each thread's memory outside the heap
 * grows with its largest write, so programs set a limit. {@link DirectCopies} uses the same limit.
 */
public final class TemporaryBuffers {
    private static final String LIMIT_PROPERTY = "jdk.nio.maxCachedBufferSize";

    private TemporaryBuffers() {}

    /**
     * Sets the limit, unless the command line has set it. Call this before the first channel is used, because the JDK
     * then reads the limit once.
     */
    static void keepUpTo(long bytes) {
        if (System.getProperty(LIMIT_PROPERTY) == null) {
            System.setProperty(LIMIT_PROPERTY, Long.toString(bytes));
        }
    }

    /** The current limit. */
    static long limitBytes() {
        return Long.getLong(LIMIT_PROPERTY);
    }

    /** Frees a direct buffer's memory now, before it is collected. The buffer must not be used afterwards. */
    public static void free(ByteBuffer buffer) {
        try {
            Freeing.INVOKE_CLEANER.invokeExact(buffer);
        } catch (Throwable e) {
            throw new IllegalStateException("a direct buffer was not freed", e);
        }
    }

    /** A separate class, because only {@link #free} needs it. Reflection, because the JDK's object is not accessible. */
    private static final class Freeing {
        private static final MethodHandle INVOKE_CLEANER = invokeCleaner();

        private static MethodHandle invokeCleaner() {
            try {
                Class<?> unsafeClass = Class.forName("sun.misc.Unsafe");
                Field unsafe = unsafeClass.getDeclaredField("theUnsafe");
                unsafe.setAccessible(true);
                MethodType type = MethodType.methodType(void.class, ByteBuffer.class);
                return MethodHandles.lookup().findVirtual(unsafeClass, "invokeCleaner", type).bindTo(unsafe.get(null));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("this JDK cannot free a direct buffer", e);
            }
        }
    }
}
