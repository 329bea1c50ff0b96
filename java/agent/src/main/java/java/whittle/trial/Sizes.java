package java.whittle.trial;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The sizes that earlier objects of a place have reached. A new object of the place gets room for as much. */
public final class Sizes {
    private static final int FIRST_CAPACITY = 16;
    private static final int MAX_CAPACITY = 1 << 20;
    /** The newest object of each place. */
    private static final AtomicReferenceArray<WeakReference<Object>> NEWEST = new AtomicReferenceArray<>(Places.LIMIT);
    /** The largest size of the last objects. It decreases slowly. Threads can lose a size. */
    private static final int[] SEEN = new int[Places.LIMIT];

    private Sizes() {
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
            SEEN[place] = Math.max(capacity(object), seen - seen / 16);
        }
        return Math.min(Math.max(SEEN[place], FIRST_CAPACITY), MAX_CAPACITY);
    }

    /** The place has created this object. */
    public static void created(Object object, int place) {
        NEWEST.set(place, new WeakReference<>(object));
    }

    /** The capacity that the object needs for its present elements. Only methods without locks are called. */
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
        return object instanceof StringBuilder ? ((StringBuilder) object).length() : 0;
    }

    private static int ofTable(int size) {
        return (int) Math.min(size * 4L / 3 + 1, Integer.MAX_VALUE);
    }
}
