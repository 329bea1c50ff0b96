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
    /** A field of each class: the size of its objects, or the compressor of a stream. */
    private static final Map<Class<?>, Field> BY_CLASS = new ConcurrentHashMap<>();

    private Fields() {
    }

    /** The packages of the fields. The agent opens them, and then calls {@link #find()}. */
    public static String[] packages() {
        return new String[] {"java.io", "java.lang", "java.util", "java.util.zip"};
    }

    /** Finds the fields. */
    public static void find() {
        find(ByteArrayOutputStream.class, ByteArrayOutputStream.class, "count");
        find(CharArrayWriter.class, CharArrayWriter.class, "count");
        find(StringBuffer.class, StringBuffer.class.getSuperclass(), "count");
        find(Vector.class, Vector.class, "elementCount");
        find(Hashtable.class, Hashtable.class, "count");
        find(WeakHashMap.class, WeakHashMap.class, "size");
        find(DeflaterOutputStream.class, DeflaterOutputStream.class, "def");
    }

    /** A field that this JVM does not have, or does not open, is left out. */
    private static void find(Class<?> type, Class<?> declaring, String name) {
        try {
            Field field = declaring.getDeclaredField(name);
            field.setAccessible(true);
            BY_CLASS.put(type, field);
        } catch (ReflectiveOperationException | RuntimeException unknown) {
            // The caller's answer is less exact, or it refuses the place.
        }
    }

    /** The size of an object. 0: it is unknown. */
    static int size(Object object) {
        Field field = BY_CLASS.get(object.getClass());
        try {
            return field == null ? 0 : field.getInt(object);
        } catch (IllegalAccessException closed) {
            return 0;
        }
    }

    /** The compressor of a stream. Null: it is unknown. */
    static Deflater compressor(DeflaterOutputStream stream) {
        Field field = BY_CLASS.get(DeflaterOutputStream.class);
        try {
            return field == null ? null : (Deflater) field.get(stream);
        } catch (IllegalAccessException closed) {
            return null;
        }
    }
}
