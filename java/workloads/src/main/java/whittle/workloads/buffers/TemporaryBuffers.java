package whittle.workloads.buffers;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;

/**
 * How large a temporary direct buffer may be to be kept for the next write.
 *
 * <p>The JDK writes heap buffers to a channel by way of direct ones. Each thread keeps those that it used, except the ones
 * above this limit: they are allocated and freed for every write. Without a limit each thread's memory outside the heap
 * grows with the largest write it ever did, which is why programs set one. {@link DirectCopies} keeps to the same limit.
 */
final class TemporaryBuffers {
    private static final String LIMIT_PROPERTY = "jdk.nio.maxCachedBufferSize";

    private TemporaryBuffers() {}

    /**
     * Sets the limit unless the command line has. The JDK reads it once, when the first channel is used: call this
     * before.
     */
    static void keepUpTo(long bytes) {
        if (System.getProperty(LIMIT_PROPERTY) == null) {
            System.setProperty(LIMIT_PROPERTY, Long.toString(bytes));
        }
    }

    /** The limit in force. */
    static long limitBytes() {
        return Long.getLong(LIMIT_PROPERTY);
    }

    /** Frees a direct buffer's memory now, not when it is collected. Nothing may use the buffer afterwards. */
    static void free(ByteBuffer buffer) {
        try {
            Freeing.INVOKE_CLEANER.invokeExact(buffer);
        } catch (Throwable e) {
            throw new IllegalStateException("a direct buffer was not freed", e);
        }
    }

    /** Apart, because only {@link #free} needs it. By reflection, because the class has no public way to its object. */
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
