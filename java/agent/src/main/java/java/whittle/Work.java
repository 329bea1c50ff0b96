package java.whittle;

/**
 * What injected code calls around requests that several threads work on, one after the other. An object of the server
 * identifies the request. No method throws.
 */
public final class Work {
    private Work() {
    }

    /** A thread starts to work on the request, which is also its own identity. */
    public static long start(Object request) {
        return start(request, request);
    }

    /** A thread starts to work on the request: for the first time, or again. */
    public static long start(Object key, Object request) {
        try {
            long known = Marks.areOn() ? Handed.peek(key) : 0;
            if (known != 0) {
                return Items.enter(known);
            }
            long item = Requests.start(request);
            if (item != 0) {
                Handed.put(key, item);
            }
            return item;
        } catch (Throwable failure) {
            return Loss.FAILED_CALL.count();
        }
    }

    /** Continues the item of an object that was made while a thread worked for this item. */
    public static long resume(Object key) {
        try {
            long known = Marks.areOn() ? Handed.peek(key) : 0;
            return known == 0 ? 0 : Items.enter(known);
        } catch (Throwable failure) {
            return Loss.FAILED_CALL.count();
        }
    }

    public static void pause(long token, Object key) {
        pause(token, key, key);
    }

    /** The thread stops to work on the request, which may be complete or not. */
    public static void pause(long token, Object key, Object request) {
        try {
            if (token > 0) {
                Items.leave(token);
            } else {
                Items.undo(token);
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    /** The response is complete. */
    public static void complete(Object key) {
        try {
            long item = Marks.areOn() && key != null ? Handed.take(key) : 0;
            if (item > 0) {
                Items.end(item, Requests.statusOf(key));
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    /** Like pause. It also ends the item if the request says that it is complete. */
    public static void pauseOrComplete(long token, Object key) {
        pause(token, key);
        try {
            if (Boolean.TRUE.equals(Reflected.call(key, "isComplete"))) {
                complete(key);
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    /** Like pause, and the item ends. */
    public static void pauseAndComplete(long token, Object key) {
        pause(token, key);
        complete(key);
    }
}
