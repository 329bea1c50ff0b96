package whittle.workloads.truth.waits;

/**
 * One way for a thread to wait. Other threads end the waits.
 *
 * <p>Use: {@link #start()}, then any number of {@link #waitOnce()} on one thread. After {@link #stopEnding()}, the next wait
 * of that thread never ends.
 */
public abstract class Wait {
    private final String name;
    private final String reason;
    private volatile boolean isEnding = true;

    /**
     * Names the wait.
     *
     * @param reason the reason for the wait, as the kernel sees it
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

    /** Starts the threads that end the waits, if such threads are needed. */
    public void start() throws Exception {}

    /** Waits until the wait is ended. */
    public abstract void waitOnce() throws Exception;

    /** Whether a wait of this kind can stay open for ever. A wait for a file always ends. */
    public boolean canStayOpen() {
        return true;
    }

    /** From now on, waits do not end, except perhaps a wait that is just ending. */
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
