package java.whittle;

import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;

/**
 * Entries about objects, found by the object's identity. The table does not keep the objects alive. It is bounded: an object that finds
 * no free slot in its bucket replaces another one, and this loss is counted.
 */
final class WeakTable<E extends WeakReference<Object>> {
    private static final int WAYS = 8;

    private final int buckets;
    private final AtomicReferenceArray<E> entries;
    private final Loss loss;
    private final Predicate<E> isExpendable;

    /** `buckets` is a power of two. Each one has eight slots. An expendable entry is replaced first, and that is no loss. */
    WeakTable(int buckets, Loss loss, Predicate<E> isExpendable) {
        this.buckets = buckets;
        this.loss = loss;
        this.isExpendable = isExpendable;
        entries = new AtomicReferenceArray<>(buckets * WAYS);
    }

    WeakTable(int buckets, Loss loss) {
        this(buckets, loss, entry -> false);
    }

    /** Adds the entry of an object, or replaces it. */
    void put(Object object, E added) {
        int slot = find(object);
        entries.set(slot < 0 ? vacancy(object) : slot, added);
    }

    /** The entry of the object, or null. */
    E peek(Object object) {
        int slot = find(object);
        E entry = slot < 0 ? null : entries.get(slot);
        return entry != null && entry.get() == object ? entry : null;
    }

    /** The entry of the object, which is removed from the table, or null. */
    E take(Object object) {
        int slot = find(object);
        E entry = slot < 0 ? null : entries.get(slot);
        if (entry == null || entry.get() != object) {
            return null;
        }
        return replace(slot, entry, null) ? entry : null;
    }

    /** The slot of the object, or -1. */
    int find(Object object) {
        int first = first(object);
        for (int slot = first; slot < first + WAYS; slot++) {
            E entry = entries.get(slot);
            if (entry != null && entry.get() == object) {
                return slot;
            }
        }
        return -1;
    }

    /** The slot for a new object: a free one, otherwise that of an expendable entry, otherwise any. */
    int vacancy(Object object) {
        int first = first(object);
        int expendable = -1;
        for (int slot = first; slot < first + WAYS; slot++) {
            E entry = entries.get(slot);
            if (entry == null || entry.get() == null) {
                return slot;
            }
            if (isExpendable.test(entry)) {
                expendable = slot;
            }
        }
        if (expendable >= 0) {
            return expendable;
        }
        loss.count();
        return first + (int) (System.nanoTime() >>> 5 & WAYS - 1);
    }

    /** The entry in this slot, or null. It can be that of another object by now. */
    E at(int slot) {
        return entries.get(slot);
    }

    /** Replaces the entry, unless another thread has replaced it meanwhile. */
    boolean replace(int slot, E before, E after) {
        return entries.compareAndSet(slot, before, after);
    }

    /** The slot of another entry of the same object, or -1. Two threads that add an object at the same moment can use two slots. */
    int twin(Object object, int own) {
        int first = first(object);
        for (int slot = first; slot < first + WAYS; slot++) {
            E other = entries.get(slot);
            if (slot != own && other != null && other.get() == object) {
                return slot;
            }
        }
        return -1;
    }

    void clear() {
        for (int slot = 0; slot < entries.length(); slot++) {
            entries.set(slot, null);
        }
    }

    private int first(Object object) {
        int hash = System.identityHashCode(object);
        return ((hash ^ hash >>> 13) & buckets - 1) * WAYS;
    }
}
