package java.whittle.trial;

import java.io.ByteArrayOutputStream;
import java.io.CharArrayWriter;
import java.io.StringWriter;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.PriorityQueue;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The sizes that earlier objects of a place have reached. A new object of the place gets room for as much. No lock of an object is taken,
 * because a thread of the program can hold it and wait.
 */
public final class Sizes {
    private static final int FIRST_CAPACITY = 16;
    private static final int MAX_BYTES = 1 << 23;
    /** A service can have very many objects at a time. */
    private static final int MAX_BYTES_OF_SERVICE = 1 << 17;
    private static final int BYTES_OF_ELEMENT = 8;
    /** The newest object of each place. */
    private static final AtomicReferenceArray<WeakReference<Object>> NEWEST = new AtomicReferenceArray<>(Places.LIMIT);
    /** The largest size of the last objects. It decreases slowly. Threads can lose a size. */
    private static final int[] SEEN = new int[Places.LIMIT];
    /** The largest capacity that an object of the place got. */
    private static final int[] LARGEST = new int[Places.LIMIT];

    private static volatile int maxBytes = MAX_BYTES;

    private Sizes() {
    }

    /** Objects in a running service get less room. */
    public static void ofService() {
        maxBytes = MAX_BYTES_OF_SERVICE;
    }

    /** The capacity for the next object of the place. */
    public static int next(int place) {
        WeakReference<Object> newest = NEWEST.get(place);
        if (newest == null) {
            Places.refuse(place, "no earlier object of the place shows the size");
            return FIRST_CAPACITY;
        }
        if (Places.counted(place) == 0) {
            Places.accept(place);
        }
        Places.count(place);
        Object object = newest.get();
        if (object != null) {
            int seen = SEEN[place];
            SEEN[place] = Math.max(Math.min(capacity(object), limit(object)), seen - seen / 16);
        }
        int capacity = Math.max(SEEN[place], FIRST_CAPACITY);
        if (capacity > LARGEST[place]) {
            LARGEST[place] = capacity;
        }
        return capacity;
    }

    /** The place has created this object. */
    public static void created(Object object, int place) {
        NEWEST.set(place, new WeakReference<>(object));
    }

    /** The largest capacity that an object of the place got. 0: there is none. */
    public static int largest(int place) {
        return LARGEST[place];
    }

    private static int limit(Object object) {
        boolean isOfBytes = object instanceof CharSequence || object instanceof ByteArrayOutputStream || object instanceof CharArrayWriter
            || object instanceof StringWriter;
        return isOfBytes ? maxBytes : maxBytes / BYTES_OF_ELEMENT;
    }

    /** The capacity that the object needs for its present elements. */
    private static int capacity(Object object) {
        if (object instanceof HashMap) {
            return ofTable(((HashMap<?, ?>) object).size());
        }
        if (object instanceof HashSet) {
            return ofTable(((HashSet<?>) object).size());
        }
        if (object instanceof ConcurrentHashMap) {
            return ((ConcurrentHashMap<?, ?>) object).size();
        }
        if (object instanceof IdentityHashMap) {
            return ((IdentityHashMap<?, ?>) object).size();
        }
        if (object instanceof ArrayList) {
            return ((ArrayList<?>) object).size();
        }
        if (object instanceof ArrayDeque) {
            return ((ArrayDeque<?>) object).size();
        }
        if (object instanceof PriorityQueue) {
            return ((PriorityQueue<?>) object).size();
        }
        if (object instanceof StringBuilder) {
            return ((StringBuilder) object).length();
        }
        if (object instanceof StringWriter) {
            return Fields.size(((StringWriter) object).getBuffer());
        }
        return object instanceof Hashtable || object instanceof WeakHashMap ? ofTable(Fields.size(object)) : Fields.size(object);
    }

    private static int ofTable(int size) {
        return (int) Math.min(size * 4L / 3 + 1, Integer.MAX_VALUE);
    }
}
