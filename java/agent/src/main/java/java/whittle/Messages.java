package java.whittle;

/** What injected code calls while a program reads messages one after the other. No method throws. */
public final class Messages {
    /** The item of the message that the thread works on. */
    private static final ThreadLocal<Long> CURRENT = new ThreadLocal<>();

    private Messages() {
    }

    /** The program gets this message, or null after the last one. */
    public static void begin(Object message) {
        try {
            if (message != null && Items.wouldBegin(Marks.MESSAGE)) {
                long item = Items.begin(Marks.MESSAGE, Names.bytes("topic " + Reflected.call(message, "topic")));
                if (item != 0) {
                    CURRENT.set(item);
                }
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    /** The program has finished the last message, if there was one. */
    public static void end() {
        try {
            Long item = CURRENT.get();
            if (item != null) {
                CURRENT.remove();
                Items.end(item, 0);
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }
}
