package java.whittle;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The current item of each thread that has one.
 *
 * <p>The table has buckets of eight slots. Only the thread itself reads and writes its slot, so claiming a slot is the only
 * operation that needs a comparison. No operation allocates, locks or parks: a virtual thread also uses the table while
 * it leaves its carrier. A thread that finds no free slot in its bucket has no current item.
 */
final class ThreadItems {
    private static final int WAYS = 8;
    private static final int BUCKETS = 4096;

    /** The thread's id, or 0. */
    private static final AtomicLongArray THREADS = new AtomicLongArray(BUCKETS * WAYS);
    private static final AtomicLongArray ITEMS = new AtomicLongArray(BUCKETS * WAYS);
    /** The task in which the item began, or 0. */
    private static final AtomicLongArray OUTERS = new AtomicLongArray(BUCKETS * WAYS);

    private ThreadItems() {
    }

    /** The slot of this thread, or -1. */
    static int find(long thread) {
        int first = first(thread);
        for (int slot = first; slot < first + WAYS; slot++) {
            if (THREADS.get(slot) == thread) {
                return slot;
            }
        }
        return -1;
    }

    /** The slot of this thread, a new one if necessary, or -1 if the bucket is full. */
    static int claim(long thread) {
        int found = find(thread);
        if (found >= 0) {
            return found;
        }
        int first = first(thread);
        for (int slot = first; slot < first + WAYS; slot++) {
            if (THREADS.get(slot) == 0 && THREADS.compareAndSet(slot, 0, thread)) {
                // A thread that was inside a method while the table was cleared could have left an item here.
                ITEMS.lazySet(slot, 0);
                OUTERS.lazySet(slot, 0);
                return slot;
            }
        }
        Loss.THREAD_WITHOUT_PLACE.count();
        return -1;
    }

    static long item(int slot) {
        return ITEMS.get(slot);
    }

    static long outer(int slot) {
        return OUTERS.get(slot);
    }

    /** Sets the current item of a claimed slot. A slot without an item becomes free. */
    static void set(int slot, long item, long outer) {
        ITEMS.lazySet(slot, item);
        OUTERS.lazySet(slot, outer);
        if (item == 0) {
            THREADS.set(slot, 0);
        }
    }

    static void clear() {
        for (int slot = 0; slot < THREADS.length(); slot++) {
            set(slot, 0, 0);
        }
    }

    /** Threads have consecutive ids, so the lowest bits distribute them evenly. */
    private static int first(long thread) {
        return ((int) thread & BUCKETS - 1) * WAYS;
    }
}
