package whittle.workloads.truth.waits;

/**
 * One way for a thread to wait. Whatever ends the waits runs on threads of its own.
 *
 * <p>Use: {@link #start()}, any number of {@link #waitOnce()} on one thread; after {@link #stopEnding()} that thread waits for
 * ever.
 */
public abstract class Wait {
    private final String name;
    private final String reason;
    private volatile boolean isEnding = true;

    /**
     * Names the wait.
     *
     * @param reason what the kernel sees the thread wait for
     */
    Wait(String name, String reason) {
        this.name = name;
        this.reason = reason;
    }

    public final String name() {
        return name;
    }

    public final String reason() {
        return reason;
    }

    /** Starts the threads that end the waits, if it takes any. */
    public void start() throws Exception {}

    /** Waits until somebody or something ends it. */
    public abstract void waitOnce() throws Exception;

    /** Whether this kind can go on for ever: a file always answers. */
    public boolean canStayOpen() {
        return true;
    }

    /** Lets the waits no longer end. One that is about to end may still do so. */
    public final void stopEnding() {
        isEnding = false;
    }

    final boolean isEnding() {
        return isEnding;
    }

    /** Waits for the program's end. */
    static void sleepForever() throws InterruptedException {
        Thread.sleep(Long.MAX_VALUE);
    }
}
