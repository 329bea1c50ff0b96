package java.whittle;

/**
 * What injected code calls in virtual threads. No method throws.
 *
 * <p>A virtual thread calls `park` and `resume` around each departure from its carrier. Both methods do not allocate, lock
 * or park.
 */
public final class VirtualThreads {
    private VirtualThreads() {
    }

    /** The thread runs for the first time. Its task is an item, unless the thread that started it had an item. */
    public static long start(Object thread, Object task) {
        try {
            if (!Marks.areOn()) {
                return 0;
            }
            Thread started = (Thread) thread;
            Marks.start(id(started), Names.bytes(started.getName()));
            return Tasks.start(thread, task);
        } catch (Throwable failure) {
            return Loss.FAILED_CALL.count();
        }
    }

    public static void finish(long token, Object thread) {
        try {
            Items.undo(token);
            if (Marks.areOn()) {
                Marks.finish(id((Thread) thread));
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    /** The current thread will leave its carrier. Returns the item that it works for, or 0. */
    public static long park(Object thread) {
        try {
            if (!Marks.areOn()) {
                return 0;
            }
            long item = Items.current();
            if (item != 0) {
                Marks.leave(item);
            }
            Marks.park(id((Thread) thread));
            return item;
        } catch (Throwable failure) {
            return Loss.FAILED_CALL.count();
        }
    }

    /** The current thread runs again, on any carrier. */
    public static void resume(long item, Object thread) {
        try {
            if (Marks.areOn()) {
                Marks.resume(id((Thread) thread));
                if (item != 0) {
                    Marks.enter(item);
                }
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    /**
     * Called on a carrier that a virtual thread has just left. If the JVM itself has unmounted the thread, there was no call of
     * `park`: the thread waits for a monitor, or in `Object.wait`. JDK 24 and later.
     */
    public static void left(Object thread, int state, int blocking, int waiting, int timedWaiting) {
        try {
            if ((state == blocking || state == waiting || state == timedWaiting) && Marks.areOn()) {
                Marks.block(id((Thread) thread), state != blocking);
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    /** Called on a carrier that a virtual thread will return to. After such a wait, there is no call of `resume`. */
    public static void returns(Object thread, int state, int unblocked) {
        try {
            if (state == unblocked && Marks.areOn()) {
                Marks.returns(id((Thread) thread));
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    /** `Thread.threadId` does not exist before JDK 19, and virtual threads do not override this method. */
    @SuppressWarnings("deprecation")
    private static long id(Thread thread) {
        return thread.getId();
    }
}
