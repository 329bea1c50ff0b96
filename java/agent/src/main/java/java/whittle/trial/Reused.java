package java.whittle.trial;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The array or the buffer that a place of one thread uses again. Each use begins with zeros, like a new object. */
public final class Reused {
    private static final ThreadLocal<Reused[]> OF_THREAD = new ThreadLocal<>();
    private static final byte[] ZEROS = new byte[1 << 16];
    /** The operand of `newarray`, by the type: boolean is 4, long is 11. */
    private static final int FIRST_TYPE = 4;
    private static final Class<?>[] TYPES = {boolean.class, char.class, float.class, double.class, byte.class, short.class, int.class,
        long.class};

    /** How many calls of the place's methods are active. Only the outermost one has the kept object. */
    private int activeCount;
    private Object array;
    private ByteBuffer buffer;

    private Reused() {
    }

    /** A call of the place's method begins. */
    public static void enter(int place) {
        of(place).activeCount++;
    }

    /** A call of the place's method ends. Nothing can fail after the count has changed. */
    public static void leave(int place) {
        of(place).activeCount--;
    }

    /** Instead of the creation of an array of numbers. */
    public static Object array(int length, int type, int place) {
        Places.count(place);
        Reused kept = of(place);
        Class<?> element = TYPES[type - FIRST_TYPE];
        if (kept.activeCount != 1) {
            return Array.newInstance(element, length);
        }
        if (isFitting(kept.array, element, length)) {
            clear(kept.array);
        } else {
            kept.array = Array.newInstance(element, length);
        }
        return kept.array;
    }

    private static boolean isFitting(Object array, Class<?> element, int length) {
        return array != null && Array.getLength(array) == length && array.getClass().getComponentType() == element;
    }

    /** Instead of `ByteBuffer.allocateDirect`. */
    public static ByteBuffer buffer(int capacity, int place) {
        Places.count(place);
        Reused kept = of(place);
        if (kept.activeCount != 1) {
            return ByteBuffer.allocateDirect(capacity);
        }
        if (kept.buffer == null || kept.buffer.capacity() != capacity) {
            kept.buffer = ByteBuffer.allocateDirect(capacity);
        } else {
            clear(kept.buffer);
        }
        return kept.buffer;
    }

    private static Reused of(int place) {
        Reused[] all = OF_THREAD.get();
        if (all == null || all.length <= place) {
            all = all == null ? new Reused[place + 1] : Arrays.copyOf(all, place + 1);
            OF_THREAD.set(all);
        }
        if (all[place] == null) {
            all[place] = new Reused();
        }
        return all[place];
    }

    private static void clear(ByteBuffer buffer) {
        buffer.clear();
        while (buffer.hasRemaining()) {
            buffer.put(ZEROS, 0, Math.min(buffer.remaining(), ZEROS.length));
        }
        buffer.clear();
        buffer.order(ByteOrder.BIG_ENDIAN);
    }

    private static void clear(Object array) {
        if (array instanceof byte[]) {
            Arrays.fill((byte[]) array, (byte) 0);
        } else if (array instanceof int[]) {
            Arrays.fill((int[]) array, 0);
        } else if (array instanceof char[]) {
            Arrays.fill((char[]) array, '\0');
        } else if (array instanceof long[]) {
            Arrays.fill((long[]) array, 0);
        } else if (array instanceof double[]) {
            Arrays.fill((double[]) array, 0);
        } else if (array instanceof float[]) {
            Arrays.fill((float[]) array, 0);
        } else if (array instanceof short[]) {
            Arrays.fill((short[]) array, (short) 0);
        } else {
            Arrays.fill((boolean[]) array, false);
        }
    }
}
