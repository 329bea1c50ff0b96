package java.whittle.trial;

import java.io.ByteArrayOutputStream;
import java.io.CharArrayWriter;
import java.lang.reflect.Field;
import java.util.Hashtable;
import java.util.Map;
import java.util.Vector;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/** Private fields of the JDK's classes that remedies read, because a method takes a lock, changes the object, or does not exist. */
public final class Fields {
    private static final Map<Class<?>, Field> SIZES = new ConcurrentHashMap<>();
    private static final Map<Class<?>, Field> COMPRESSORS = new ConcurrentHashMap<>();

    private Fields() {
    }

    /** The packages of the fields. The agent opens them, and then calls {@link #find()}. */
    public static String[] packages() {
        return new String[] {"java.io", "java.lang", "java.util", "java.util.zip"};
    }

    /** Finds the fields. */
    public static void find() {
        find(SIZES, ByteArrayOutputStream.class, ByteArrayOutputStream.class, "count");
        find(SIZES, CharArrayWriter.class, CharArrayWriter.class, "count");
        find(SIZES, StringBuffer.class, StringBuffer.class.getSuperclass(), "count");
        find(SIZES, Vector.class, Vector.class, "elementCount");
        find(SIZES, Hashtable.class, Hashtable.class, "count");
        find(SIZES, WeakHashMap.class, WeakHashMap.class, "size");
        find(COMPRESSORS, DeflaterOutputStream.class, DeflaterOutputStream.class, "def");
    }

    /** A field that this JVM does not have, or does not open, is left out. */
    private static void find(Map<Class<?>, Field> fields, Class<?> type, Class<?> declaring, String name) {
        try {
            Field field = declaring.getDeclaredField(name);
            field.setAccessible(true);
            fields.put(type, field);
        } catch (ReflectiveOperationException | RuntimeException unknown) {
            // The caller's answer is less exact, or it refuses the place.
        }
    }

    /** The size of an object. 0: it is unknown. */
    static int size(Object object) {
        Field field = SIZES.get(object.getClass());
        try {
            return field == null ? 0 : field.getInt(object);
        } catch (IllegalAccessException closed) {
            return 0;
        }
    }

    /** The compressor of a stream. Null: it is unknown. */
    static Deflater compressor(DeflaterOutputStream stream) {
        Field field = COMPRESSORS.get(DeflaterOutputStream.class);
        try {
            return field == null ? null : (Deflater) field.get(stream);
        } catch (IllegalAccessException closed) {
            return null;
        }
    }
}
