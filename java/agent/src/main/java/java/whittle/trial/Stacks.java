package java.whittle.trial;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Exceptions without stacks. A place announces the class of the exception that its thread creates next. The changed method
 * `fillInStackTrace` asks whether its exception was announced.
 *
 * <p>Threads share slots. A thread that finds another one in its slot fills in the stack as usual, so a collision changes nothing.
 */
public final class Stacks {
    private static final int SLOTS = 1024;
    private static final AtomicReferenceArray<Announced> ANNOUNCED = new AtomicReferenceArray<>(SLOTS);
    /** By place. */
    private static final AtomicReferenceArray<Announced> KINDS = new AtomicReferenceArray<>(Places.LIMIT);
    private static final long[] READS = new long[Places.LIMIT];

    private Stacks() {
    }

    private static final class Announced {
        final Thread thread;
        final Class<?> type;

        Announced(Thread thread, Class<?> type) {
            this.thread = thread;
            this.type = type;
        }
    }

    /** The current thread creates an exception of this class next. */
    public static void leaveOut(Class<?> type, int place) {
        if (!Throwable.class.isAssignableFrom(type)) {
            Places.refuse(place, type.getName() + " is no exception");
            return;
        }
        Places.count(place);
        Announced kind = KINDS.get(place);
        if (kind == null || kind.type != type) {
            KINDS.set(place, new Announced(null, type));
        }
        Thread thread = Thread.currentThread();
        ANNOUNCED.lazySet(slot(thread), new Announced(thread, type));
    }

    /** The announced call of the current thread has ended, perhaps without an exception. */
    static void end() {
        Thread thread = Thread.currentThread();
        int slot = slot(thread);
        Announced announced = ANNOUNCED.get(slot);
        if (announced != null && announced.thread == thread) {
            ANNOUNCED.lazySet(slot, null);
        }
    }

    /** True if the exception gets no stack. It is asked once for each exception. */
    public static boolean isLeftOut(Throwable exception) {
        Thread thread = Thread.currentThread();
        int slot = slot(thread);
        Announced announced = ANNOUNCED.get(slot);
        if (announced == null || announced.thread != thread || announced.type != exception.getClass()) {
            return false;
        }
        ANNOUNCED.lazySet(slot, null);
        return true;
    }

    /** Someone reads this stack. */
    public static void read(StackTraceElement[] stack, Throwable exception) {
        if (stack == null || stack.length > 0) {
            return;
        }
        for (int place = 0; place < Places.LIMIT; place++) {
            Announced kind = KINDS.get(place);
            if (kind != null && kind.type == exception.getClass()) {
                if (READS[place]++ == 0) {
                    Places.first();
                }
            }
        }
    }

    /** How often a stack was read that a place has left out. */
    public static long reads(int place) {
        return READS[place];
    }

    private static int slot(Thread thread) {
        int hash = System.identityHashCode(thread);
        return (hash ^ hash >>> 10) & SLOTS - 1;
    }
}
